"""The report as one self-contained HTML page, from a template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures.identity import identity_css
from primum.store import fingerprints
from primum.text import paragraphs
from primum.trials.operating.characteristics import CHARACTERISTICS
from primum.trials.operating.figures import differs
from primum.trials.operating.operating_characteristics import OperatingCharacteristics
from primum.trials.operating.summary import Number, SummaryRow, number
from primum.trials.plan import Plan
from primum.trials.reporting.words import design_in_words, scenario_in_words

if TYPE_CHECKING:
    from jinja2 import Template

    from primum.figures.embedded import Drawn
    from primum.trials.reporting.examples import Example
    from primum.trials.reporting.sensitivity import DelayRow, Sensitivity

TITLE = "Operating characteristics of trial designs"


@dataclass(frozen=True)
class FullRow:
    """One characteristic in one scenario: a number for each design, None where it has no meaning."""

    scenario: str
    title: str
    numbers: list[Number | None]


def template(name: str, package: str = "primum.trials.reporting") -> Template:
    """The template of a page; all reports have one style, which it knows as `style`."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    loader = ChoiceLoader([PackageLoader(package), PackageLoader("primum.trials.reporting")])
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["paragraphs"] = paragraphs
    environment.globals["style"] = Markup(identity_css() + loader.get_source(environment, "report.css")[0])
    return environment.get_template(name)


def html(
    oc: OperatingCharacteristics,
    plan: Plan,
    drawn: Mapping[str, Drawn],
    rows: Sequence[SummaryRow],
    delays: Sequence[DelayRow],
    examples: Sequence[Example],
    sensitivity: Sensitivity,
) -> str:
    """The whole page."""
    first = next(iter(oc.designs.values()))
    return template("report.html").render(
        title=plan.title or TITLE,
        plan=plan,
        oc=oc,
        drawn=drawn,
        opening=next(iter(drawn.values())),
        designs={name: design_in_words(design) for name, design in oc.designs.items()},
        warnings=_warnings(oc),
        scenarios={name: scenario_in_words(scenario, first) for name, scenario in oc.scenarios.items()},
        value=first.value.display_name.lower(),
        arms=list(first.arms),
        differing={name: differs(oc, name) for name in oc.scenarios},
        rows=rows,
        full=_full(oc),
        definitions=CHARACTERISTICS,
        delays=delays,
        sensitivity=sensitivity,
        examples=examples,
        example_scenario=example_scenario(oc),
        versions=fingerprints.versions() | {"code": oc.data.attrs["fingerprint"]},
    )


def example_scenario(oc: OperatingCharacteristics) -> str:
    """The scenario of the example trials: the first in which the arms differ, if there is one."""
    return next((name for name in oc.scenarios if differs(oc, name)), next(iter(oc.scenarios)))


def _warnings(oc: OperatingCharacteristics) -> dict[str, list[str]]:
    """What to know about analyses, with the names of the designs that it concerns."""
    found: dict[str, list[str]] = {}
    for name, design in oc.designs.items():
        if warning := design.analysis.warning_of(design):
            found.setdefault(f"{design.analysis.title}: {warning}", []).append(name)
    return found


def _full(oc: OperatingCharacteristics) -> list[FullRow]:
    rows = []
    for scenario in oc.scenarios:
        for name, about in CHARACTERISTICS.items():
            places: list[dict[str, Any]] = [{}]
            for dim in about.dims:
                places = [place | {dim: label} for place in places for label in oc.data[dim].values]
            for place in places:
                numbers = [number(oc, name, {"design": design, "scenario": scenario} | place) for design in oc.designs]
                shown = [None if np.isnan(each.value) else each for each in numbers]
                if any(shown):
                    inner = [f"{x:.0%}" if dim == "quantile" else str(x) for dim, x in place.items()]
                    unit = ", %" if about.unit == "probability" else ""
                    rows.append(FullRow(scenario, ", ".join([oc.title(name, oc.designs), *inner]) + unit, shown))
    return rows

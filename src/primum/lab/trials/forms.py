"""What the page *Trials* offers: policies that can run a trial, and analyses."""

from __future__ import annotations

import inspect
from typing import Any

from primum.errors import as_primum_error
from primum.lab.drafts.catalogue import form
from primum.lab.trials.schemas import AnalysisForm, TrialCatalogue
from primum.lab.trials.settings import MOST_ARMS, MOST_PATIENTS
from primum.plugins.registry import Plugin, build, find, names
from primum.rewards import Bernoulli
from primum.trials import Boundary, Design, PooledZ, Scenario
from primum.trials.simulation.running import check_fit


def trial_catalogue() -> TrialCatalogue:
    """Everything registered that fits a trial with two arms and outcomes 0 and 1, without looks."""
    return TrialCatalogue(
        policies=[name for name in names("policies") if _fits(name)],
        analyses=[_analysis(name) for name in names("analyses") if not issubclass(find("analyses", name), Boundary)],
        most_arms=MOST_ARMS,
        most_patients=MOST_PATIENTS,
    )


def _fits(name: str) -> bool:
    try:
        policy = build("policies", form(find("policies", name)).start)
        design = Design(arms=["control", "new"], patients=100, policy=policy, analysis=PooledZ())
        check_fit(design, Scenario([Bernoulli(0.3), Bernoulli(0.5)]))
    except Exception as error:  # also of classes of other authors
        as_primum_error(error)
        return False
    return True


def _analysis(name: str) -> AnalysisForm:
    cls: Any = find("analyses", name)
    return AnalysisForm(name=name, title=cls.title, summary=_summary(cls), binary=cls.binary)


def _summary(cls: type[Plugin]) -> str:
    """The first sentences of its description."""
    return " ".join((inspect.getdoc(cls) or "").split("\n\n")[0].split())

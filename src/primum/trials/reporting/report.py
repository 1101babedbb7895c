"""The files of a report, written together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Executor
from typing import TYPE_CHECKING

from primum.errors import PrimumError
from primum.figures import style
from primum.figures.embedded import Drawn, Embedded
from primum.figures.table import frame
from primum.runs.progress import Bar
from primum.store.folders import prepared, write_all
from primum.text import csv_of
from primum.trials.operating.figures import differs
from primum.trials.operating.operating_characteristics import OperatingCharacteristics
from primum.trials.operating.summary import SummaryRow, summary, summary_frame
from primum.trials.plan import Plan
from primum.trials.reporting import page
from primum.trials.reporting.examples import Example, example
from primum.trials.reporting.sensitivity import DelayRow, Sensitivity, part

if TYPE_CHECKING:
    from pandas import DataFrame


def report(
    oc: OperatingCharacteristics,
    folder: str | os.PathLike[str],
    *,
    title: str = "",
    purpose: str = "",
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> None:
    """Write a report for a review board to a folder: ``index.html``, figures, tables and the plan.

    `purpose` is plain text; an empty line begins a new paragraph. It simulates more: the null hypothesis, drift and
    delay, with at most 5,000 trials each. Nothing is written before all of it is complete; Ctrl-C raises a
    KeyboardInterrupt.
    """
    if not oc.is_complete:
        raise PrimumError("a report needs all trials, and some are missing: run operate again to complete them")
    plan = Plan(
        title=title,
        purpose=purpose,
        replications=oc.replications,
        seed=oc.seed,
        designs=oc.designs,
        scenarios=oc.scenarios,
    )
    target = prepared(folder)
    write_all(target, dict(_files(oc, plan, threads, executor, progress)))


def _files(
    oc: OperatingCharacteristics, plan: Plan, threads: int | None, executor: Executor | None, progress: bool
) -> Iterator[tuple[str, bytes]]:
    sensitivity = Sensitivity(oc)
    sensitivity.simulate(threads, executor, progress)
    yield "plan.toml", plan.to_toml().encode()
    yield "operating-characteristics.nc", bytes(oc.data.to_netcdf(engine="h5netcdf"))
    drawn: dict[str, Drawn] = {}
    captions = _captions(oc, sensitivity)
    example_only = part(oc, scenario=page.example_scenario(oc))
    sources = {"type-1": sensitivity.fewer, "drift": sensitivity.fewer, "trade-off": example_only}
    with Bar(len(captions), progress) as bar:
        bar.say("drawing")
        for done, (name, caption) in enumerate(captions.items()):
            picture = sources.get(name, oc).picture(name)  # type: ignore[arg-type]  # one of the names of figures
            drawn[name] = Drawn(name, caption, Embedded(style.svg(figure := picture.static())))
            yield f"figures/{name}.svg", drawn[name].picture.svg
            yield f"figures/{name}.png", style.png(figure)
            yield f"tables/figure-{name}.csv", csv_of(frame(picture.data())).encode()
            bar.update(done + 1)
    rows, delays = summary(oc), sensitivity.delays()
    yield "tables/summary.csv", csv_of(summary_frame(rows)).encode()
    yield "tables/all.csv", csv_of(oc.table()).encode()
    yield "tables/delay.csv", csv_of(_delay_frame(delays)).encode()
    examples = _examples(oc)
    for position, one in enumerate(examples, 1):
        yield f"tables/example-{position}.csv", csv_of(one.patients).encode()
    yield "index.html", page.html(oc, plan, drawn, rows, delays, examples, sensitivity).encode()


def _captions(oc: OperatingCharacteristics, sensitivity: Sensitivity) -> dict[str, str]:
    """The figures of the report in their order, the one that opens it first."""
    opening = {}
    scenario = page.example_scenario(oc)
    if differs(oc, scenario):
        opening["trade-off"] = (
            f"Probability to declare a difference against the share of patients on the best arm in the scenario "
            f"“{scenario}”. A design further to the right treats more patients with the best arm; one further up "
            "declares a difference more often, each with its own type I error, which is in the table below."
        )
    captions = opening | {
        "power": "How often each design declares a difference, true or false: a type I error where there is none.",
        "allocation": "Patients on each arm. Whiskers show the spread between trials, not an error.",
        "estimates": "Bias of the estimated difference between each arm and the control.",
    }
    if any(design.looks for design in oc.designs.values()):
        captions["size"] = "Patients enrolled before the trial ends."
    if sensitivity.is_binary:
        note = f"{sensitivity.replications:,} trials each"
        note += ", fewer than above" if sensitivity.replications < oc.replications else ""
        captions["type-1"] = (
            "Type I error by the probability of success that all arms share, at 0.01, 0.99 and values in between, "
            f"without drift. {sensitivity.covered()} {note}, unless exact."
        )
        captions["drift"] = (
            "Type I error if the probability of success of all arms rises over the trial, for example because later "
            f"patients are less ill. {note}."
        )
    return captions


def _delay_frame(rows: list[DelayRow]) -> DataFrame:
    numbers = summary_frame([SummaryRow("", row.design, row.numbers) for row in rows]).drop(columns="scenario")
    numbers.insert(1, "delay in patients", [row.patients for row in rows])
    return numbers


def _examples(oc: OperatingCharacteristics) -> list[Example]:
    scenario = page.example_scenario(oc)
    return [example(name, design, oc.scenarios[scenario], oc.seed) for name, design in oc.designs.items()]

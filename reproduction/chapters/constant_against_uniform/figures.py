"""Figures 1 to 3, the growth of regret, and the study of floors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import Curves, Forest, Line, Panels, Row
from primum.policies import Besa, BesaPlus
from primum.results import Results
from primum.results.intervals import Array, mean_band, share_band
from reproduction.chapters.constant_against_uniform.rules import BESA, BESA_PLUS, Growths, rewards, values
from reproduction.chapters.lines import mean_lines, plain_line
from reproduction.claims import REWARDS
from reproduction.report import Figure, Table
from reproduction.report.numbers import number, percent, with_interval

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset


REPETITIONS = 200  # in the paper
FLOORS = (0.5, 1.0, 2.0, 5.0)
FIRST_STEP_SHOWN = 20  # of the fraction of stuck replications: a tenth of fewer steps is less than two pulls
NAMES = {BESA_PLUS: BesaPlus.title, BESA: Besa.title}
FIGURES = tuple(f"figure-{i}" for i in range(1, len(REWARDS) + 1))


def first_steps(runs: Dataset, fraction: float) -> Dataset:
    """The steps up to a fraction of the horizon."""
    steps = runs.step.values
    return runs.isel(step=slice(int(np.searchsorted(steps, fraction * steps[-1] * (1 + 1e-9)))))


def first_replications(runs: Dataset) -> Dataset:
    """As many as the paper has."""
    return runs.isel(replication=slice(REPETITIONS))


def figures(runs: Dataset, growths: Growths, floors: Mapping[float, Results]) -> tuple[Figure | Table, ...]:
    """All figures and tables of the chapter."""
    return (
        *(_over_steps(name, runs, r) for name, r in zip(FIGURES, REWARDS, strict=True)),
        _summary(runs),
        *_growth(growths),
        *_floors(floors),
    )


def _over_steps(name: str, runs: Dataset, r: float) -> Figure:
    one, few = runs.sel(environment=r), first_replications(runs).sel(environment=r)

    regrets = {policy: values(runs, "regret", r, policy) for policy in NAMES}
    medians = tuple(plain_line(NAMES[policy], np.median(regret, axis=0)) for policy, regret in regrets.items())
    means = {f"Mean of {few.sizes['replication']:,} replications, as in the paper": few}
    means[f"Mean of {one.sizes['replication']:,} replications"] = one
    picture = Panels(
        f"Constant {r} against uniform, mean",
        "bands: 95 % intervals",
        (
            *(_regret_panel(title, runs.step.values, mean_lines(some.regret, NAMES)) for title, some in means.items()),
            _regret_panel("Median replication", runs.step.values, medians, log_y=True),
            _stuck_panel(one.stuck, NAMES),
        ),
    )
    told = [
        f"{NAMES[policy]}: mean {with_interval(mean_band(regret[:, -1]))}, median "
        f"{number(float(np.median(regret[:, -1])))}, {percent(values(runs, 'stuck', r, policy)[:, -1].mean(), 1)} of "
        "the replications stuck"
        for policy, regret in regrets.items()
    ]
    title = f"{name.replace('-', ' ').capitalize()}: constant {r} against uniform"
    return Figure(
        name, title, f"Final regret after {runs.step.values[-1]:,} steps. {'; '.join(told)}.", picture, (name,)
    )


def _regret_panel(title: str, steps: Array, lines: tuple[Line, ...], **more: Any) -> Curves:
    return Curves(title, "", "Cumulative regret", steps, lines, **more)


def _stuck_panel(stuck: DataArray, names: Mapping[str, str], **more: Any) -> Curves:
    """The fraction of stuck replications at each step with its interval; the first few steps say nothing."""
    lines, steps = [], stuck.step.values
    for policy, name in names.items():
        bands = np.stack([share_band(column) for column in stuck.sel(policy=policy).values.T], axis=1)
        lines.append(Line(name, *np.where(steps < FIRST_STEP_SHOWN, np.nan, bands)))
    about = "Replications stuck so far", "", "Fraction of replications"
    return Curves(*about, steps, tuple(lines), share=True, **more)


def _summary(runs: Dataset) -> Table:
    rows = []
    for r in rewards(runs):
        for policy, name in NAMES.items():
            final, stuck = (values(runs, variable, r, policy)[:, -1] for variable in ("regret", "stuck"))
            rows.append(
                (
                    str(r),
                    name,
                    with_interval(mean_band(final)),
                    with_interval(mean_band(final[:REPETITIONS])),
                    number(float(np.median(final))),
                    " to ".join(number(float(q)) for q in np.quantile(final, (0.05, 0.95))),
                    with_interval(share_band(stuck), 100),
                )
            )
    return Table(
        "constant-summary",
        "Summary: final regret on Figures 1 to 3",
        "A stuck replication incurs the gap at nearly every step, so the mean of few replications is uncertain.",
        (
            "r",
            "policy",
            f"mean of {runs.sizes['replication']:,} replications",
            f"mean of {REPETITIONS}",
            "median",
            "5 % to 95 % quantile",
            "stuck, %",
        ),
        tuple(rows),
        FIGURES,
    )


def _growth(growths: Growths) -> tuple[Figure, Table]:
    forest = Forest(
        "Growth of the mean regret",
        "index of growth: 0 is a logarithm, 1 is a line; 95 % intervals by bootstrap over replications",
        "Index of growth",
        tuple(Row(f"r = {r}", one.index, one.low, one.high, NAMES[policy]) for (r, policy), one in growths.items()),
        reference=0.0,
    )
    rows = tuple(
        (
            str(r),
            NAMES[policy],
            with_interval((one.index, one.low, one.high)),
            f"{number(one.logarithm[0])} + {number(one.logarithm[1])} log t",
            f"{percent(one.log_error, 1)}",
            f"{number(one.power[0])} t^{one.power[1]:.3f}",
            f"{percent(one.power_error, 1)}",
        )
        for (r, policy), one in growths.items()
    )
    return (
        Figure(
            "growth",
            "Growth: how the mean regret grows",
            "The curve a + b (t^c - 1)/c is fitted to the mean regret between a hundredth of the horizon and the "
            "horizon. Its index c distinguishes a logarithm (c = 0) from a line (c = 1) and anything between. The "
            "interval is over replications, which are independent, while the points of one curve are not.",
            forest,
            FIGURES,
        ),
        Table(
            "growth-fits",
            "Growth: a fitted logarithm and a fitted power",
            "The nearest logarithm and the nearest pure power, each with its root mean squared error as a percentage "
            "of the growth of the curve.",
            ("r", "policy", "index [95 % interval]", "logarithm", "error", "power", "error"),
            rows,
            FIGURES,
        ),
    )


def _floors(floors: Mapping[float, Results]) -> tuple[Figure, Table]:
    r = max(floors)
    run = floors[r]
    names = {label: f"floor {floor:g} log t" for label, floor in zip(run.labels, FLOORS, strict=True)}
    axes: dict[str, Any] = {"log": True, "legend": "Floor"}
    picture = Panels(
        f"Floors of BESA+, constant {r} against uniform",
        f"{len(run.replications):,} replications; bands: 95 % intervals",
        (
            _regret_panel("Mean regret", run.steps, mean_lines(run.regret, names), log_y=True, **axes),
            _stuck_panel(run.stuck, names, **axes),
        ),
    )
    rows = []
    for reward, one in floors.items():
        for row, floor in zip(one.summary().to_dict("records"), FLOORS, strict=True):
            rows.append(
                (
                    str(reward),
                    f"{floor:g} log t",
                    with_interval([row[f"regret_{end}"] for end in ("mean", "low", "high")]),
                    number(row["regret_median"]),
                    with_interval([row[f"stuck_{end}"] for end in ("share", "low", "high")], 100),
                )
            )
    return (
        Figure(
            f"floors-{r}",
            "Floors: how high should the floor be?",
            "The paper's floor is log t. With a floor of c log t the fraction of stuck replications falls like a power "
            "of t with an exponent c times as large, at the price of more forced pulls.",
            picture,
            (f"floors-{r}",),
        ),
        Table(
            "floors",
            "Floors: for each r",
            "Final regret. Where few replications are stuck with a low floor, a higher one only costs more.",
            ("r", "floor", "mean regret", "median", "stuck, %"),
            tuple(rows),
            tuple(f"floors-{reward}" for reward in floors),
        ),
    )

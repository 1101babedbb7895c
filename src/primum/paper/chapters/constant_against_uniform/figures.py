"""Figures 1 to 3, the growth of regret, and the study of floors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import Curves, Forest, Line, Panels, Row
from primum.paper.chapters.constant_against_uniform.rules import BESA, BESA_PLUS, Growths, rewards, values
from primum.paper.chapters.lines import mean_lines, plain_line
from primum.paper.claims import REWARDS
from primum.paper.report import Figure, Table
from primum.paper.report.numbers import number, percent, with_interval
from primum.policies import Besa, BesaPlus
from primum.results import Results
from primum.results.intervals import mean_band, share_band

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset

Array = np.ndarray[Any, Any]

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

    def panel(title: str, y_label: str, lines: tuple[Line, ...], share: bool = False, log_y: bool = False) -> Curves:
        return Curves(title, "", y_label, runs.step.values, lines, share=share, log_y=log_y)

    regrets = {policy: values(runs, "regret", r, policy) for policy in NAMES}
    medians = tuple(plain_line(NAMES[policy], np.median(regret, axis=0)) for policy, regret in regrets.items())
    picture = Panels(
        f"Constant {r} against uniform, mean",
        "bands: 95 % intervals",
        (
            panel(
                f"Mean of {few.sizes['replication']:,} replications, as in the paper",
                "Cumulative regret",
                mean_lines(few.regret, NAMES),
            ),
            panel(
                f"Mean of {one.sizes['replication']:,} replications", "Cumulative regret", mean_lines(one.regret, NAMES)
            ),
            panel("Median replication", "Cumulative regret", medians, log_y=True),
            panel("Replications stuck so far", "Fraction of replications", _stuck_lines(one.stuck, NAMES), share=True),
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


def _stuck_lines(stuck: DataArray, names: Mapping[str, str]) -> tuple[Line, ...]:
    """The fraction of stuck replications at each step with its interval; the first few steps say nothing."""
    lines = []
    for policy, name in names.items():
        bands = np.stack([share_band(column) for column in stuck.sel(policy=policy).values.T], axis=1)
        lines.append(Line(name, *np.where(stuck.step.values < FIRST_STEP_SHOWN, np.nan, bands)))
    return tuple(lines)


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
    regret, stuck = mean_lines(run.regret, names), _stuck_lines(run.stuck, names)

    def panel(title: str, y_label: str, lines: tuple[Line, ...], **more: Any) -> Curves:
        return Curves(title, "", y_label, run.steps, lines, log=True, legend="Floor", **more)

    picture = Panels(
        f"Floors of BESA+, constant {r} against uniform",
        f"{len(run.replications):,} replications; bands: 95 % intervals",
        (
            panel("Mean regret", "Cumulative regret", regret, log_y=True),
            panel("Replications stuck so far", "Fraction of replications", stuck, share=True),
        ),
    )
    rows = []
    for reward, one in floors.items():
        for row, floor in zip(one.summary().to_dict("records"), FLOORS, strict=True):
            rows.append(
                (
                    str(reward),
                    f"{floor:g} log t",
                    with_interval((row["regret_mean"], row["regret_low"], row["regret_high"])),
                    number(row["regret_median"]),
                    with_interval((row["stuck_share"], row["stuck_low"], row["stuck_high"]), 100),
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

"""The chapter on a constant arm against a uniform one: the paper's Figures 1 to 3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.experiments import Experiment
from primum.figures import Curves, Forest, Line, Panels, Row
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import Judgement
from primum.paper.races import ADMISSIBLE, BOUNDED, CLAIMS, FLOOR, HARDER, LEARNS, LINEAR, NEGLIGIBLE, REWARDS, Race
from primum.paper.scale import Scale
from primum.paper.showing import line, lines, number, triple, with_interval
from primum.policies import Besa, BesaPlus
from primum.results.intervals import mean_band, share_band
from primum.results.results import STUCK, Results
from primum.rewards import Constant, Uniform
from primum.theory import k_inf
from primum.values import Mean

Array = np.ndarray[Any, Any]

SEED = 1  # the same for every r, so that the uniform arm gives the same rewards and differences between r are paired
REPETITIONS = 200  # in the paper
FLOORS = (0.5, 1.0, 2.0, 5.0)
SOONEST = 20  # steps: a tenth of fewer is less than two pulls
HORIZONS = (0.1, 0.3)  # parts of the horizon at which the claims are looked at again
NAMES = {"besa-plus": "BESA+", "besa": "BESA"}
FIGURES = tuple(f"figure-{i}" for i in range(1, len(REWARDS) + 1))


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Figures 1 to 3, and the study of floors."""
    named = {}
    for i, r in enumerate(REWARDS, 1):
        policies = [BesaPlus(), Besa()]
        named[f"figure-{i}"] = _experiment(
            f"Figure {i}: constant {r} against uniform", r, policies, scale.constant, scale
        )
        floors = [BesaPlus(floor=floor) for floor in FLOORS]
        named[f"floors-{r}"] = _experiment(f"Floors: constant {r} against uniform", r, floors, scale.floors, scale)
    return named


def _experiment(title: str, r: float, policies: list[Any], replications: int, scale: Scale) -> Experiment:
    return Experiment(
        title=title,
        horizon=scale.constant_horizon,
        replications=replications,
        seed=SEED,
        value=Mean(),
        policies=policies,
        arms={"constant": Constant(r), "uniform": Uniform(0, 1)},
    )


def races_of(results: Mapping[str, Results]) -> dict[float, Race]:
    """The pulls of the uniform arm in Figures 1 to 3, by r."""
    races = {}
    for i, r in enumerate(REWARDS, 1):
        run = results[f"figure-{i}"]
        pulls = {label: run.pulls.sel(policy=label, arm="uniform").values for label in run.labels}
        races[r] = Race(r, run.steps, pulls)
    return races


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    races = races_of(results)
    floors = {r: results[f"floors-{r}"] for r in REWARDS}
    horizon = scale.constant_horizon
    exhibits: tuple[Figure | Table, ...] = (
        *(_race(i, races[r]) for i, r in enumerate(REWARDS, 1)),
        _summary(races),
        *_growths(races),
        *_floors(floors),
    )
    return Chapter(
        "constant-against-uniform",
        "A constant arm against a uniform one: Figures 1 to 3",
        "One arm always gives r, the other anything from 0 to 1, uniformly; what counts is the mean, so the uniform "
        f"arm is the better one by 0.5 - r. The paper does not say how many steps it played; here it is {horizon:,}, "
        f"and the "
        "claims are looked at again at a tenth and three tenths of that.\n\n"
        "The mean alone misleads here. Either a run finds the better arm and its regret stays small, or it is stuck "
        "on the constant one and its regret grows with every step. So each figure shows the mean over runs, the "
        "median, and "
        "the share of runs that are stuck so far: those in which the better arm got less than a tenth of the pulls.",
        exhibits,
        _judgements(races, scale),
    )


def _judgements(races: dict[float, Race], scale: Scale) -> tuple[Judgement, ...]:
    conditions = {
        f"after {part * scale.constant_horizon:,.0f} steps": {r: race.cut(until=part) for r, race in races.items()}
        for part in HORIZONS
    }
    few = {r: race.cut(replications=REPETITIONS) for r, race in races.items()}
    conditions[f"with the paper's {REPETITIONS} repetitions"] = few
    notes = _notes(races)
    return tuple(
        _floor(scale)
        if claim is FLOOR
        else claim.judge(
            races,
            exhibits=(*FIGURES, "growth") if claim in (ADMISSIBLE, LINEAR, BOUNDED) else FIGURES,
            runs=scale.constant,
            seed=SEED,
            note=notes.get(claim.number, ""),
            elsewhere={name: (others,) for name, others in conditions.items()},
        )
        for claim in CLAIMS
    )


def _floor(scale: Scale) -> Judgement:
    """A floor of log t costs gap log T; no policy that is good everywhere grows by less than gap log T / K_inf."""
    log = math.log(scale.constant_horizon)
    forced = {f"pulls of an arm forced in {scale.constant_horizon:,} steps, less log T": math.ceil(log) - log}
    costs = {f"r = {r}: cost of the floor over the least possible cost": k_inf(Constant(r), 0.5) for r in REWARDS}
    return FLOOR.judge(
        forced,
        1.0,
        exhibits=(f"floors-{max(REWARDS)}", "floors"),
        note="Of the same order is not the same as negligible: "
        + ", ".join(f"at r = {r} the floor costs {k_inf(Constant(r), 0.5):.0%}" for r in REWARDS)
        + " of the least that any policy which is good on all problems must pay.",
        elsewhere={"in size instead of order": (costs, NEGLIGIBLE)},
    )


def _notes(races: dict[float, Race]) -> dict[int, str]:
    hard = races[max(races)]
    final = hard.regret("besa-plus")[:, -1]
    mean, median = float(final.mean()), float(np.median(final))
    stuck = float(hard.stuck("besa-plus")[:, -1].mean())
    return {
        ADMISSIBLE.number: "The sentence names three policies; BESA is judged, because the paper contradicts it in "
        "Section 5.1. Where one arm is constant, every sub-sample of it is the same, and an arm that lost once by bad "
        "luck meets the same comparison for ever.",
        BOUNDED.number: f"At r = {hard.r} the mean final regret is {number(mean)}, the median {number(median)}, and "
        f"{stuck:.1%} of the runs are stuck: mean and median are about different runs.",
        LEARNS.number: "In every run the floor goes on trying the better arm, so each would learn in the end; what is "
        "judged is whether it does within the horizon.",
        HARDER.number: "Harder although a mistake costs less: the gap is 0.5 - r.",
    }


def _race(number_: int, race: Race) -> Figure:
    count = len(race.pulls["besa"])
    few = race.cut(replications=REPETITIONS)

    def panel(title: str, label: str, of: tuple[Line, ...], share: bool = False) -> Curves:
        log_y = title.startswith("Median")
        return Curves(title=title, subtitle="", y_label=label, x=race.steps, lines=of, share=share, log_y=log_y)

    regret = {name: race.regret(policy) for policy, name in NAMES.items()}
    medians = tuple(line(name, np.median(sample, axis=0)) for name, sample in regret.items())
    stuck = tuple(Line(name, *_shares(race.stuck(policy), race.steps)) for policy, name in NAMES.items())
    picture = Panels(
        f"Constant {race.r} against uniform, mean",
        "bands: 95 % intervals",
        (
            panel(
                f"Mean of {len(few.pulls['besa']):,} runs, as in the paper",
                "Accumulated regret",
                lines({name: few.regret(policy) for policy, name in NAMES.items()}),
            ),
            panel(f"Mean of {count:,} runs", "Accumulated regret", lines(regret)),
            panel("Median run", "Accumulated regret", medians),
            panel("Runs that are stuck so far", "Share of runs", stuck, share=True),
        ),
    )
    words = []
    for (policy, name), sample in zip(NAMES.items(), regret.values(), strict=True):
        mean, median = with_interval(*triple(mean_band(sample[:, -1]))), number(float(np.median(sample[:, -1])))
        words.append(f"{name}: mean {mean}, median {median}, {race.stuck(policy)[:, -1].mean():.1%} of the runs stuck")
    return Figure(
        f"figure-{number_}",
        f"Figure {number_}: constant {race.r} against uniform",
        f"After {race.steps[-1]:,} steps: {'; '.join(words)}.",
        picture,
        (f"figure-{number_}",),
    )


def _shares(stuck: Array, steps: Array) -> Array:
    """The share of stuck runs at each step with its interval; nothing can be said of the first few steps."""
    return np.where(steps < SOONEST, np.nan, np.stack([share_band(column) for column in stuck.T], axis=1))


def _summary(races: Mapping[float, Race]) -> Table:
    rows = []
    for r, race in races.items():
        for policy, name in NAMES.items():
            final, stuck = race.regret(policy)[:, -1], race.stuck(policy)[:, -1]
            few = race.cut(replications=REPETITIONS).regret(policy)[:, -1]
            rows.append(
                (
                    str(r),
                    name,
                    with_interval(*triple(mean_band(final))),
                    with_interval(*triple(mean_band(few))),
                    number(float(np.median(final))),
                    " to ".join(number(float(q)) for q in np.quantile(final, (0.05, 0.95))),
                    with_interval(*triple(100 * share_band(stuck))),
                )
            )
    count = len(next(iter(races.values())).pulls["besa"])
    return Table(
        "constant-summary",
        "Summary: final regret on Figures 1 to 3",
        "A run that is stuck has the gap as its regret at nearly every step, so the mean of few runs is uncertain.",
        ("r", "policy", f"mean of {count:,}", f"mean of {REPETITIONS}", "median", "5 % to 95 %", "stuck, %"),
        tuple(rows),
        FIGURES,
    )


def _growths(races: Mapping[float, Race]) -> tuple[Figure, Table]:
    found = {(r, name): race.growth(policy) for r, race in races.items() for policy, name in NAMES.items()}
    forest = Forest(
        "Growth of the mean regret",
        "index of growth: 0 is a logarithm, 1 is a line; 95 % intervals by bootstrap over runs",
        "Index of growth",
        tuple(Row(f"r = {r}", one.index, one.low, one.high, name) for (r, name), one in found.items()),
        reference=0.0,
    )
    rows = tuple(
        (
            str(r),
            name,
            with_interval(one.index, one.low, one.high),
            f"{number(one.logarithm[0])} + {number(one.logarithm[1])} log t",
            f"{one.log_error:.1%}",
            f"{number(one.power[0])} t^{one.power[1]:.3f}",
            f"{one.power_error:.1%}",
        )
        for (r, name), one in found.items()
    )
    return (
        Figure(
            "growth",
            "Growth: how the mean regret grows",
            "The curve a + b (t^c - 1)/c is fitted to the mean regret between a hundredth of the horizon and the "
            "horizon. Its index c tells a logarithm (c = 0) from a line (c = 1) and anything between. The interval is "
            "over runs: "
            "the points of one curve depend on each other, runs do not.",
            forest,
            FIGURES,
        ),
        Table(
            "growth-fits",
            "Growth: a logarithm and a power, fitted",
            "The nearest logarithm and the nearest pure power, each with its root mean squared error as a part of the "
            "growth of the curve.",
            ("r", "policy", "index [95 %]", "logarithm", "error", "power", "error"),
            rows,
            FIGURES,
        ),
    )


def _floors(floors: Mapping[float, Results]) -> tuple[Figure, Table]:
    hard = max(floors)
    run = floors[hard]
    names = {label: f"floor {floor:g} log t" for label, floor in zip(run.labels, FLOORS, strict=True)}
    regret = {name: run.regret.sel(policy=label).values for label, name in names.items()}
    stuck = {name: run.best_arm_share.sel(policy=label).values < STUCK / 2 for label, name in names.items()}

    def panel(title: str, label: str, of: tuple[Line, ...], share: bool = False, log_y: bool = False) -> Curves:
        return Curves(
            title=title,
            subtitle="",
            y_label=label,
            x=run.steps,
            lines=of,
            share=share,
            log=True,
            log_y=log_y,
            legend="Floor",
        )

    picture = Panels(
        f"Floors of BESA+, constant {hard} against uniform",
        f"{len(run.replications):,} runs; bands: 95 % intervals",
        (
            panel("Mean regret", "Accumulated regret", lines(regret), log_y=True),
            panel(
                "Runs that are stuck so far",
                "Share of runs",
                tuple(Line(n, *_shares(s, run.steps)) for n, s in stuck.items()),
                True,
            ),
        ),
    )
    rows = []
    for r, one in floors.items():
        for row, floor in zip(one.summary().to_dict("records"), FLOORS, strict=True):
            rows.append(
                (
                    str(r),
                    f"{floor:g} log t",
                    with_interval(row["regret_mean"], row["regret_low"], row["regret_high"]),
                    number(row["regret_median"]),
                    with_interval(100 * row["stuck_share"], 100 * row["stuck_low"], 100 * row["stuck_high"]),
                )
            )
    return (
        Figure(
            f"floors-{hard}",
            "Floors: how high should it be?",
            "The paper's floor is log t. A floor of c log t makes the share of stuck runs fall like a power of t that "
            "is c times as large, at the price of more pulls that are forced.",
            picture,
            (f"floors-{hard}",),
        ),
        Table(
            "floors",
            "Floors: for each r",
            "Regret at the horizon. Where few runs are stuck with a low floor, a higher one is paid for and brings "
            "nothing.",
            ("r", "floor", "mean regret", "median", "stuck, %"),
            tuple(rows),
            tuple(f"floors-{r}" for r in floors),
        ),
    )

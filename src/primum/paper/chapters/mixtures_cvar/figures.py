"""Figures 4 and 5, MARAB for each C, and how much BESA+ and MARAB vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.figures import Curves, Line, Mark
from primum.paper.chapters import mixtures
from primum.paper.chapters.environments import Array, difference, fraction_steadier, mean, of_policy
from primum.paper.chapters.mixtures import ARMS, BESA_PLUS, QUANTITIES, REPETITIONS, Bands, final, spreads
from primum.paper.chapters.mixtures_cvar.rules import MARAB, PAPER_PENALTY, marab
from primum.paper.claims import PENALTIES
from primum.paper.report import Figure, Table
from primum.paper.report.numbers import number, percent, with_interval
from primum.policies import BesaPlus, Marab
from primum.results import Results

if TYPE_CHECKING:  # takes half a second
    from xarray import Dataset

ALPHA = 0.1
TEN, MANY = "figure-4", "mixtures-cvar"
LONGER, ESTIMATOR, COMPONENT = f"{MANY}-longer", f"{MANY}-estimator", f"{MANY}-component"
NAMES = {BESA_PLUS: BesaPlus.title} | {marab(c): f"{Marab.title} (C = {c:g})" for c in PENALTIES}


@dataclass(frozen=True)
class Evidence:
    """What the chapter shows and is judged by: each Dataset is environment x policy x replication x step."""

    horizon: int
    ten: Dataset  # repetitions of one environment
    many: Dataset
    longer: Dataset
    estimator: Dataset
    component: Dataset
    gaps: Array  # environment x arm
    random: tuple[float, float]  # final regret of uniformly random choice: in the one environment, and in many

    @classmethod
    def of(cls, results: Mapping[str, Results], horizon: int) -> Evidence:
        """Put the results side by side."""
        ten, many, longer, estimator, component = (
            mixtures.on_named_axes(results, name) for name in (TEN, MANY, LONGER, ESTIMATOR, COMPONENT)
        )
        gaps = mixtures.gaps(results, MANY)
        random = float(results[TEN].problem.gaps.mean()) * horizon, float(gaps.mean()) * horizon
        return cls(horizon, ten, many, longer, estimator, component, gaps, random)

    @property
    def best(self) -> float:
        """The C with the lowest mean regret."""
        return min(PENALTIES, key=lambda penalty: float(mean(final(self.many).regret, marab(penalty))[0]))

    @property
    def earlier(self) -> dict[str, Dataset]:
        """Many environments at a tenth and at three tenths of the horizon."""
        steps = self.horizon // 10, 3 * self.horizon // 10
        return {f"after {step:,} steps": self.many.sel(step=step) for step in steps}

    @property
    def late(self) -> str:
        """The name of the condition with four times the horizon."""
        return f"after {4 * self.horizon:,} steps"

    def spreads_elsewhere(self) -> dict[str, Bands]:
        """Ratios of standard deviations, BESA+ to MARAB, under other conditions."""
        samples = final(self.many)
        found = {
            f"{REPETITIONS} repetitions of one environment": spreads(final(self.ten), [MARAB]),
            "one replication in each of many environments": spreads(samples, [MARAB], "total"),
            "geometric mean of the environments' ratios": spreads(samples, [MARAB], "typical"),
            **{name: spreads(earlier, [MARAB]) for name, earlier in self.earlier.items()},
            self.late: spreads(final(self.longer), [MARAB]),
            "the exact CVaR of the sample as the estimator": spreads(final(self.estimator), [MARAB]),
            "each normal truncated separately": spreads(final(self.component), [MARAB]),
        }
        if self.best != PAPER_PENALTY:
            found[f"against MARAB with the best C, {self.best:g}"] = spreads(samples, [marab(self.best)])
        return found


def figures(evidence: Evidence, results: Mapping[str, Results]) -> tuple[Figure | Table, ...]:
    """All figures and tables of the chapter."""
    horizon, random, best = evidence.horizon, evidence.random, evidence.best
    ten, many, samples = evidence.ten, evidence.many, final(evidence.many)
    count = samples.sizes["environment"]
    pair = {policy: NAMES[policy] for policy in (BESA_PLUS, MARAB)}
    regrets = {policy: with_interval(mean(samples.regret, policy)) for policy in (BESA_PLUS, MARAB, marab(best))}
    lower = {policy: with_interval(difference(samples.regret, BESA_PLUS, policy)) for policy in (MARAB, marab(best))}
    shares, favourites = (
        {policy: float(mixtures.clipped_mean(samples[measure], policy)[0]) for policy in (BESA_PLUS, MARAB)}
        for measure in ("best_arm_share", "favourite_share")
    )
    at_edge = " The best C is at the edge of the grid, so a better one may lie beyond." if best in _EDGES else ""

    def files(*names: str) -> tuple[str, ...]:
        return mixtures.experiment_names(results, *names)

    return (
        Figure(
            "figure-4",
            "Figure 4: cumulative regret under CVaR",
            f"Left as in the paper, right the mean over {count} environments. After {horizon:,} steps the mean regret "
            f"of BESA+ is {regrets[BESA_PLUS]} and that of MARAB with C = 1 is {regrets[MARAB]}; uniformly random "
            f"choice has {number(random[1])}.",
            mixtures.as_in_the_paper("Cumulative regret, CVaR 10 %", "regret", ten, many, random, pair),
            files(TEN, MANY),
        ),
        Figure(
            "figure-5",
            "Figure 5: best-arm pulls under CVaR",
            f"BESA+ pulls the best arm {percent(shares[BESA_PLUS], 1)} of the time and MARAB (C = 1) "
            f"{percent(shares[MARAB], 1)}; uniformly random choice {percent(1 / ARMS)}. MARAB gives "
            f"{percent(favourites[MARAB])} of its pulls to one arm, and in {percent(_settled(samples))} of the "
            "replications most of its pulls to the best arm: it subtracts its confidence width, so an arm with few "
            f"pulls looks bad and is not tried again. BESA+ gives {percent(favourites[BESA_PLUS])} of its pulls to the "
            "arm it pulls most.",
            mixtures.as_in_the_paper("Best arm, CVaR 10 %", "best_arm_share", ten, many, (1 / ARMS, 1 / ARMS), pair),
            files(TEN, MANY),
        ),
        mixtures.final_table(
            "mixtures-cvar-table",
            f"CVaR: after {horizon:,} steps",
            "Standard deviations are over the replications in one environment; their squares are averaged over "
            "environments.",
            samples,
            random[1],
            NAMES,
            experiments=files(MANY),
        ),
        Figure(
            "mixtures-cvar-grid",
            "MARAB for each C",
            f"The best C of the grid is {best:g}, with a mean regret of {regrets[marab(best)]}; with C = 1 it is "
            f"{regrets[MARAB]}. After n pulls of an arm, MARAB subtracts C sqrt(log(t / 10) / (n / 10)), which is "
            f"{number(_width(horizon), 2)} C for an arm with an equal share of the pulls, while the values of the arms "
            f"lie within {number(np.median(evidence.gaps[:, -1]), 2)}. The paper states neither its grid nor its "
            f"criterion.{at_edge}",
            _over_grid(samples, random[1]),
            files(MANY),
        ),
        Figure(
            "mixtures-cvar-environments",
            "Environment by environment: CVaR",
            f"BESA+ has lower mean regret than MARAB with C = 1 in {mixtures.lower_in(samples, MARAB)} of {count} "
            f"environments, and lower than MARAB with C = {best:g} in {mixtures.lower_in(samples, marab(best))}.",
            mixtures.by_environment(
                samples,
                "Mean final regret, CVaR 10 %",
                {policy: NAMES[policy] for policy in dict.fromkeys((MARAB, marab(best)))},
            ),
            files(MANY),
        ),
        Figure(
            "mixtures-cvar-differences",
            "Mean regret of BESA+ minus that of MARAB",
            f"After {horizon:,} steps the difference from MARAB with C = 1 is {lower[MARAB]}, and from MARAB with C = "
            f"{best:g} it is {lower[marab(best)]}.",
            mixtures.difference_forest(
                "Mean regret: BESA+ minus MARAB",
                evidence.earlier | {f"after {horizon:,} steps": samples, evidence.late: final(evidence.longer)},
                {policy: name for policy, name in NAMES.items() if policy != BESA_PLUS},
            ),
            files(MANY, LONGER),
        ),
        Figure(
            "mixtures-cvar-spread",
            "How much does BESA+ vary? CVaR",
            describe_spread(samples),
            mixtures.spread_forest(
                "Standard deviations, CVaR 10 %",
                {f"in {count} environments (decides)": spreads(samples, [MARAB])} | evidence.spreads_elsewhere(),
                list(QUANTITIES.values()),
            ),
            files(TEN, MANY, LONGER, ESTIMATOR, COMPONENT),
        ),
    )


_EDGES = (PENALTIES[0], PENALTIES[-1])


def describe_spread(samples: Dataset) -> str:
    """How much both policies vary, and how often that is seen in as few repetitions as the paper has."""
    text = mixtures.describe_deviations(samples, {BESA_PLUS: BesaPlus.title, MARAB: Marab.title})
    if samples.sizes["replication"] < REPETITIONS:
        return text
    regret, share, both = (
        percent(fraction_steadier([samples[measure] for measure in measures], BESA_PLUS, MARAB, REPETITIONS))
        for measures in (("regret",), ("best_arm_share",), ("regret", "best_arm_share"))
    )
    return (
        f"{text} With {REPETITIONS} repetitions in one environment, as in the paper, BESA+ shows the smaller standard "
        f"deviation in the figure of regret {regret} of the time, in that of best-arm pulls {share}, and in both "
        f"{both}. MARAB settles on the best arm in {percent(_settled(samples))} of the replications; {REPETITIONS} "
        f"replications in one environment contain none of these {percent(_none_settled(samples))} of the time."
    )


def _settled(samples: Dataset) -> float:
    """The fraction of replications in which MARAB gave most of its pulls to the best arm."""
    return float((of_policy(samples.best_arm_share, MARAB) > 0.5).mean())


def _none_settled(samples: Dataset) -> float:
    """How often as many repetitions as the paper has contain no such replication."""
    kept = samples.sizes["replication"] // REPETITIONS * REPETITIONS
    settled = of_policy(samples.best_arm_share, MARAB)[:, :kept] > 0.5
    return float((~settled.reshape(-1, REPETITIONS).any(axis=1)).mean())


def _width(horizon: int) -> float:
    """What MARAB subtracts at the last step from an arm with an equal share of the pulls, for C = 1."""
    return float(np.sqrt(np.log(ALPHA * horizon) / (ALPHA * horizon / ARMS)))


def _over_grid(samples: Dataset, random: float) -> Curves:
    x = np.array(PENALTIES)
    ends = np.stack([mean(samples.regret, marab(penalty)) for penalty in PENALTIES], axis=1)
    flat = np.repeat(mean(samples.regret, BESA_PLUS)[:, None], len(x), axis=1)
    return Curves(
        "MARAB for each C, CVaR 10 %",
        f"mean final regret in {samples.sizes['environment']} environments; band: 95 % interval; uniformly random "
        f"choice: {number(random)}",
        "Mean final regret",
        x,
        (Line(BesaPlus.title, *flat), Line(Marab.title, *ends)),
        log=True,
        x_label="C",
        marks=(Mark(PAPER_PENALTY, "the paper's C"),),
    )

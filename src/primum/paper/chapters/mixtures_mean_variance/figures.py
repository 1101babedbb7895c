"""Figures 6 and 7, and how much BESA+, MV-LCB and ExpExp vary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.paper.chapters import mixtures
from primum.paper.chapters.environments import Array, difference, in_group, mean
from primum.paper.chapters.mixtures import ARMS, BESA_PLUS, QUANTITIES, REPETITIONS, Bands, final, spreads
from primum.paper.report import Figure, Table
from primum.paper.report.numbers import number, percent, percent_with_interval, with_interval
from primum.policies import BesaPlus, ExpExp, MvLcb
from primum.results import Results, side_by_side
from primum.text import listed

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset

RHO = 1.0
TEN, MANY = "figure-6", "mixtures-mean-variance"
LONGER, SHORTER, COMPONENT = f"{MANY}-longer", f"{MANY}-shorter", f"{MANY}-component"
OTHERS = {MvLcb.name: MvLcb.title, ExpExp.name: ExpExp.title}
NAMES = {BESA_PLUS: BesaPlus.title} | OTHERS
RATIOS = tuple(f"{quantity}, against {title}" for title in OTHERS.values() for quantity in QUANTITIES.values())
NEARLY_UNIFORM = 2.0  # times an equal share: a most pulled arm with less is pulled much like the others


def sani_regret(results: Results) -> DataArray:
    """The regret of Sani, Lazaric and Munos (NIPS 2012, section 2) times the step, on the scale of the paper.

    If arms are pulled with the fractions w_k, the rewards of all steps together have the mean m = sum of w_k m_k and
    the variance sum of w_k (s_k^2 + (m_k - m)^2). It therefore exceeds our regret by rho t times the variance of the
    means: switching between arms with different means costs, even if both are best.
    """
    means = np.array([arm.mean for arm in results.problem.arms.values()])
    shares = np.asarray(results.pulls) / results.steps[:, None]
    between = shares @ means**2 - (shares @ means) ** 2
    return results.regret + results.regret.copy(data=RHO * results.steps * between)


@dataclass(frozen=True)
class Evidence:
    """What the chapter shows and is judged by: each Dataset is environment x policy x replication x step."""

    horizon: int
    ten: Dataset  # repetitions of one environment
    many: Dataset
    longer: Dataset
    shorter: Dataset
    component: Dataset
    gaps: Array  # environment x arm
    random: tuple[float, float]  # final regret of uniformly random choice: in the one environment, and in many

    @classmethod
    def of(cls, results: Mapping[str, Results], horizon: int) -> Evidence:
        """Put the results side by side."""
        ten, many, longer, shorter, component = (
            mixtures.on_named_axes(results, name) for name in (TEN, MANY, LONGER, SHORTER, COMPONENT)
        )
        many["sani_regret"] = side_by_side(in_group(results, MANY), sani_regret)
        gaps = mixtures.gaps(results, MANY)
        random = float(results[TEN].problem.gaps.mean()) * horizon, float(gaps.mean()) * horizon
        return cls(horizon, ten, many, longer, shorter, component, gaps, random)

    def spreads_elsewhere(self) -> dict[str, Bands]:
        """Ratios of standard deviations, BESA+ to the others, under other conditions."""
        samples, others = final(self.many), list(OTHERS)
        return {
            f"{REPETITIONS} repetitions of one environment": spreads(final(self.ten), others),
            "one replication in each of many environments": spreads(samples, others, "total"),
            "geometric mean of the environments' ratios": spreads(samples, others, "typical"),
            **{_horizon(one): spreads(final(one), others) for one in (self.shorter, self.longer)},
            "the regret of Sani et al.": spreads(samples, others, measures=("sani_regret", "best_arm_share")),
            "each normal truncated separately": spreads(final(self.component), others),
        }


def figures(evidence: Evidence, results: Mapping[str, Results]) -> tuple[Figure | Table, ...]:
    """All figures and tables of the chapter."""
    horizon, random, ten, many = evidence.horizon, evidence.random, evidence.ten, evidence.many
    samples = final(many)
    count = samples.sizes["environment"]
    regrets, sani = (
        listed([f"{with_interval(mean(samples[measure], policy))} for {name}" for policy, name in NAMES.items()])
        for measure in ("regret", "sani_regret")
    )
    shares = listed(
        [
            f"{percent_with_interval(mixtures.clipped_mean(samples.best_arm_share, policy))} for {name}"
            for policy, name in NAMES.items()
        ]
    )
    lower_in = listed([f"{title} in {mixtures.lower_in(samples, other)}" for other, title in OTHERS.items()])
    lower = listed(
        [
            f"{with_interval(difference(samples.regret, BESA_PLUS, other))} from {title}"
            for other, title in OTHERS.items()
        ]
    )
    deciding = {f"in {count} environments (decides)": spreads(samples, list(OTHERS))}

    def files(*names: str) -> tuple[str, ...]:
        return mixtures.experiment_names(results, *names)

    return (
        Figure(
            "figure-6",
            "Figure 6: cumulative regret under mean-variance",
            f"Left as in the paper, right the mean over {count} environments. After {horizon:,} steps the mean regret "
            f"is {regrets}; that of uniformly random choice is {number(random[1])}.",
            mixtures.as_in_the_paper("Cumulative regret, mean minus variance", "regret", ten, many, random, NAMES),
            files(TEN, MANY),
        ),
        Figure(
            "figure-7",
            "Figure 7: best-arm pulls under mean-variance",
            f"The fraction of best-arm pulls is {shares}; under uniformly random choice {percent(1 / ARMS)}.",
            mixtures.as_in_the_paper(
                "Best arm, mean minus variance", "best_arm_share", ten, many, (1 / ARMS, 1 / ARMS), NAMES
            ),
            files(TEN, MANY),
        ),
        mixtures.final_table(
            "mixtures-mean-variance-table",
            f"Mean-variance: after {horizon:,} steps",
            "Standard deviations are over the replications in one environment; their squares are averaged over "
            "environments. The mean regret of Sani, Lazaric and Munos, which also penalizes switching between arms of "
            f"different means, is {sani}.",
            samples,
            random[1],
            NAMES,
            experiments=files(MANY),
        ),
        Figure(
            "mixtures-mean-variance-environments",
            "Environment by environment: mean-variance",
            f"BESA+ has lower mean regret than {lower_in} of {count} environments.",
            mixtures.by_environment(samples, "Mean final regret, mean minus variance", OTHERS),
            files(MANY),
        ),
        Figure(
            "mixtures-mean-variance-differences",
            "Mean regret of BESA+ minus that of MV-LCB and ExpExp",
            f"At the horizon {horizon:,} the difference is {lower}. MV-LCB and ExpExp use the horizon, so each horizon "
            "has its own simulations.",
            mixtures.difference_forest(
                "Mean regret: BESA+ minus the others",
                {_horizon(one): final(one) for one in (evidence.shorter, many, evidence.longer)},
                OTHERS,
            ),
            files(MANY, LONGER, SHORTER),
        ),
        Figure(
            "mixtures-mean-variance-spread",
            "How much does BESA+ vary? Mean-variance",
            describe_spread(samples, random[1]),
            mixtures.spread_forest(
                "Standard deviations, mean minus variance", deciding | evidence.spreads_elsewhere(), RATIOS
            ),
            files(TEN, MANY, LONGER, SHORTER, COMPONENT),
        ),
    )


def describe_spread(samples: Dataset, random: float) -> str:
    """How much the policies vary, and whether a policy varies little because it pulls all arms alike."""
    favourite, best = (
        float(mixtures.clipped_mean(samples[measure], MvLcb.name)[0])
        for measure in ("favourite_share", "best_arm_share")
    )
    regret = {policy: float(mean(samples.regret, policy)[0]) for policy in (MvLcb.name, BESA_PLUS)}
    lead = (
        "A policy that pulls all arms about equally often varies little whatever it finds, and MV-LCB does so here:"
        if favourite < NEARLY_UNIFORM / ARMS
        else "A policy that varies little need not be good:"
    )
    sentences = (
        mixtures.describe_deviations(samples, NAMES),
        lead,
        f"MV-LCB gives {percent(favourite, 1)} of {int(samples.step):,} pulls to its most pulled arm and "
        f"{percent(best, 1)} to the best one (uniformly random choice {percent(1 / ARMS)}), and has "
        f"{percent(regret[MvLcb.name] / random)} of the regret of uniformly random choice; BESA+ has "
        f"{percent(regret[BESA_PLUS] / random)}. ExpExp stays with one arm after its exploration, right or wrong.",
    )
    return " ".join(filter(None, sentences))


def _horizon(runs: Dataset) -> str:
    return f"horizon {int(runs.step[-1]):,}"

"""Mean-variance on twenty truncated normal mixtures: the paper's Figures 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from primum.policies import BesaPlus, ExpExp, MvLcb
from primum.results import Results, side_by_side
from primum.runs import Experiment
from primum.text import listed
from primum.values import MeanVariance
from reproduction.chapters import mixtures, mixtures_figures
from reproduction.chapters.environments import in_group, mean
from reproduction.chapters.mixtures import ARMS, BESA_PLUS, Evidence, Study, clipped_mean, final, spreads
from reproduction.report import Chapter
from reproduction.report.numbers import percent, with_interval
from reproduction.scale import Scale

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset

RHO = 1.0
OTHERS = {MvLcb.name: MvLcb.title, ExpExp.name: ExpExp.title}
NAMES = {BESA_PLUS: BesaPlus.title} | OTHERS
NEARLY_UNIFORM = 2.0  # times an equal share: a most pulled arm with less is pulled much like the others
STUDY = Study(
    "mixtures-mean-variance",
    "mean-variance",
    "mean minus variance",
    first_figure=6,
    seed=53_000,
    rivals=OTHERS,
    names=NAMES,
    variants={
        "longer": "four times the horizon",
        "shorter": "a fifth of the horizon",
        "component": "each normal truncated separately",
    },
)


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Many environments, and fewer of them at other horizons and with other arms."""
    horizon = scale.mixture_horizon
    return STUDY.experiments(
        scale,
        "Mean-variance on random mixtures",
        {"value": MeanVariance(rho=RHO), "policies": list(NAMES)},
        longer={"horizon": 4 * horizon},
        shorter={"horizon": max(ARMS, horizon // 5)},
        component={"truncate": "component"},
    )


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


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    evidence = Evidence(STUDY, results)
    samples = evidence.final
    samples["sani_regret"] = side_by_side(in_group(results, STUDY.name), sani_regret).isel(step=-1)
    horizons = {
        f"horizon {int(runs.step):,}": runs
        for runs in (final(evidence.variants["shorter"]), samples, final(evidence.variants["longer"]))
    }
    others = {name: spreads(runs, list(OTHERS)) for name, runs in horizons.items() if runs is not samples}
    sani = {"the regret of Sani et al.": spreads(samples, list(OTHERS), measures=("sani_regret", "best_arm_share"))}
    elsewhere = evidence.spreads_elsewhere(others | sani)
    regrets = [f"{with_interval(mean(samples.sani_regret, policy))} for {name}" for policy, name in NAMES.items()]
    described = describe_spread(samples, evidence.random[1])
    notes = {
        "table": " The mean regret of Sani, Lazaric and Munos, which also penalizes switching between arms of "
        f"different means, is {listed(regrets)}.",
        "differences": " MV-LCB and ExpExp use the horizon, so each horizon has its own simulations.",
        "spread": described,
    }
    return Chapter(
        STUDY.name,
        "Mean-variance on mixtures",
        evidence.text(
            "Section 5.3 of the paper compares BESA+ with MV-LCB and ExpExp by the mean minus the variance (rho = 1), "
            f"on the same {ARMS} arms.",
            "The text says that the regret of Sani, Lazaric and Munos was used, while the captions name the safety "
            "value: the safety-aware regret decides, theirs is shown beside it.",
        ),
        tuple(mixtures_figures.figures(evidence, OTHERS, horizons, elsewhere, notes)),
        (evidence.judge_spread(20, described, elsewhere),),
    )


def describe_spread(samples: Dataset, random: float) -> str:
    """How much the policies vary, and whether a policy varies little because it pulls all arms alike."""
    favourite, best = (
        float(clipped_mean(samples[measure], MvLcb.name)[0]) for measure in ("favourite_share", "best_arm_share")
    )
    own, other = (percent(float(mean(samples.regret, policy)[0]) / random) for policy in (BESA_PLUS, MvLcb.name))
    lead = (
        "A policy that pulls all arms about equally often varies little whatever it finds, and MV-LCB does so here:"
        if favourite < NEARLY_UNIFORM / ARMS
        else "A policy that varies little need not be good:"
    )
    return (
        f"{mixtures.describe_deviations(samples, NAMES)} {lead} MV-LCB gives {percent(favourite, 1)} of "
        f"{int(samples.step):,} pulls to its most pulled arm and {percent(best, 1)} to the best one (uniformly random "
        f"choice {percent(1 / ARMS)}), and has {other} of the regret of uniformly random choice; BESA+ has {own}. "
        "ExpExp stays with one arm after its exploration, right or wrong."
    ).strip()

"""Mean-variance on twenty truncated normal mixtures: the paper's Figures 6 and 7."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primum.experiments import Experiment
from primum.paper.chapters import mixtures
from primum.paper.chapters.mixtures import ARMS, BESA_PLUS, SmallerSize, final, spreads
from primum.paper.chapters.mixtures_mean_variance import figures
from primum.paper.chapters.mixtures_mean_variance.figures import (
    COMPONENT,
    LONGER,
    MANY,
    OTHERS,
    RATIOS,
    RHO,
    SHORTER,
    TEN,
    Evidence,
)
from primum.paper.claims import CLAIMS
from primum.paper.judgement import Judgement
from primum.paper.report import Chapter
from primum.paper.scale import Scale
from primum.results import Results
from primum.values import MeanVariance

SEED, LONGER_SEED, SHORTER_SEED, COMPONENT_SEED, TEN_SEED = 53_000, 53_200, 53_400, 53_600, 53_800


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Many environments, and fewer of them at other horizons and with other arms."""
    horizon, fewer, title = scale.mixture_horizon, SmallerSize.of(scale), "Mean-variance on random mixtures"
    played: dict[str, Any] = {"value": MeanVariance(rho=RHO), "policies": [BESA_PLUS, *OTHERS]}
    some = played | {"replications": fewer.replications}
    variants: tuple[tuple[str, int, str, str, int], ...] = (
        (LONGER, LONGER_SEED, "mixture", "four times the horizon", 4 * horizon),
        (SHORTER, SHORTER_SEED, "mixture", "a fifth of the horizon", max(ARMS, horizon // 5)),
        (COMPONENT, COMPONENT_SEED, "component", "each normal truncated separately", horizon),
    )
    named = {
        TEN: mixtures.one_environment(TEN_SEED, title="Figures 6 and 7, ten repetitions", horizon=horizon, **played)
    }
    named |= mixtures.in_environments(
        MANY,
        scale.environments,
        SEED,
        title=title,
        horizon=horizon,
        replications=scale.mixture_replications,
        **played,
    )
    for name, seed, truncate, words, steps in variants:
        named |= mixtures.in_environments(
            name, fewer.environments, seed, truncate, title=f"{title}, {words}", horizon=steps, **some
        )
    return named


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    evidence = Evidence.of(results, scale.mixture_horizon)
    many = evidence.many.sizes
    text = (
        "Section 5.3 of the paper compares BESA+ with MV-LCB and ExpExp by the mean minus the variance (rho = 1), on "
        f"the same {ARMS} arms. {mixtures.describe_environments(evidence.gaps, evidence.horizon)}\n\n"
        f"{mixtures.UNSTATED.format(horizon=evidence.horizon)} The text says that the regret of Sani, Lazaric and "
        "Munos was used, while the captions name the safety value: the safety-aware regret decides, theirs is shown "
        "beside it.\n\n"
        "Replications in the same environment are alike, so an environment is one observation: intervals are over the "
        f"{many['environment']} environments, each with {many['replication']} replications."
    )
    return Chapter(
        "mixtures-mean-variance",
        "Mean-variance on mixtures",
        text,
        figures.figures(evidence, results),
        (_judgement(evidence),),
    )


def _judgement(evidence: Evidence) -> Judgement:
    samples, titles = final(evidence.many), list(OTHERS.values())
    deciding, typical = spreads(samples, list(OTHERS)), spreads(samples, list(OTHERS), "typical")
    choice = mixtures.describe_choice(RATIOS, deciding, typical)
    return CLAIMS[20].judge(
        mixtures.smaller_spread(deciding, titles),
        evidence=("mixtures-mean-variance-spread", "figure-6", "figure-7"),
        replications=samples.sizes["environment"] * samples.sizes["replication"],
        seed=SEED,
        note=f"{figures.describe_spread(samples, evidence.random[1])} {choice} Environment k is simulated with the "
        f"seed {SEED} + k.",
        other_conditions=mixtures.smaller_spreads(evidence.spreads_elsewhere(), titles),
    )

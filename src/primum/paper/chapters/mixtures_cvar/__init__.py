"""Conditional value at risk on twenty truncated normal mixtures: the paper's Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from primum.experiments import Experiment
from primum.paper.chapters import mixtures
from primum.paper.chapters.environments import difference
from primum.paper.chapters.mixtures import ARMS, BESA_PLUS, QUANTITIES, REPETITIONS, SmallerSize, final, spreads
from primum.paper.chapters.mixtures_cvar import figures
from primum.paper.chapters.mixtures_cvar.figures import ALPHA, COMPONENT, ESTIMATOR, LONGER, MANY, TEN, Evidence
from primum.paper.chapters.mixtures_cvar.rules import MARAB, PAPER_PENALTY, best_penalty, marab
from primum.paper.claims import CLAIMS, PENALTIES
from primum.paper.judgement import Judgement
from primum.paper.report import Chapter
from primum.paper.report.numbers import with_interval
from primum.paper.scale import Scale
from primum.policies import Marab
from primum.results import Results
from primum.text import listed
from primum.values import CVaR

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray

SEED, LONGER_SEED, ESTIMATOR_SEED, COMPONENT_SEED, TEN_SEED = 52_000, 52_200, 52_400, 52_600, 52_800


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Many environments, and fewer of them at another horizon, with another estimator and with other arms."""
    horizon, fewer = scale.mixture_horizon, SmallerSize.of(scale)
    title = "CVaR on random mixtures"
    chen: dict[str, Any] = {"value": CVaR(alpha=ALPHA, estimator="chen")}
    every = chen | {"policies": [BESA_PLUS, *map(marab, PENALTIES)]}
    both = chen | {"policies": [BESA_PLUS, MARAB], "replications": fewer.replications, "horizon": horizon}
    return {
        TEN: mixtures.one_environment(TEN_SEED, title="Figures 4 and 5, ten repetitions", horizon=horizon, **every),
        **mixtures.in_environments(
            MANY,
            scale.environments,
            SEED,
            title=title,
            horizon=horizon,
            replications=scale.mixture_replications,
            **every,
        ),
        **mixtures.in_environments(
            LONGER,
            fewer.environments,
            LONGER_SEED,
            title=f"{title}, four times the horizon",
            **both | every | {"horizon": 4 * horizon},
        ),
        **mixtures.in_environments(
            ESTIMATOR,
            fewer.environments,
            ESTIMATOR_SEED,
            title=f"{title}, the exact CVaR of the sample as the estimator",
            **both | {"value": CVaR(alpha=ALPHA)},
        ),
        **mixtures.in_environments(
            COMPONENT,
            fewer.environments,
            COMPONENT_SEED,
            "component",
            title=f"{title}, each normal truncated separately",
            **both,
        ),
    }


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    evidence = Evidence.of(results, scale.mixture_horizon)
    many = evidence.many.sizes
    text = (
        "Section 5.2 of the paper compares BESA+ and MARAB by conditional value at risk: the mean of the worst tenth "
        f"of the outcomes. There are {ARMS} arms, each a mixture of four normals truncated to [0, 1]. "
        f"{mixtures.describe_environments(evidence.gaps, evidence.horizon)}\n\n"
        f"{mixtures.UNSTATED.format(horizon=evidence.horizon)} BESA+ estimates the value with the estimator of Chen, "
        "as in the paper; the exact CVaR of the sample is shown beside it.\n\n"
        "Replications in the same environment are alike, so an environment is one observation: intervals are over the "
        f"{many['environment']} environments, each with {many['replication']} replications."
    )
    return Chapter(
        "mixtures-cvar",
        "Conditional value at risk on mixtures",
        text,
        figures.figures(evidence, results),
        _judgements(evidence),
    )


def _judgements(evidence: Evidence) -> tuple[Judgement, ...]:
    samples, title = final(evidence.many), Marab.title
    seeds = f"Environment k is simulated with the seed {SEED} + k."
    replications = samples.sizes["environment"] * samples.sizes["replication"]
    deciding, typical = spreads(samples, [MARAB]), spreads(samples, [MARAB], "typical")
    choice = mixtures.describe_choice(list(QUANTITIES.values()), deciding, typical)
    return (
        CLAIMS[18].judge(
            best_penalty(samples.regret),
            evidence=("mixtures-cvar-grid", "mixtures-cvar-table"),
            replications=replications,
            seed=SEED,
            note="Mean regret with C = 1 minus that with each other C, in all environments: "
            f"{_against_each(samples.regret)}. {seeds}",
            other_conditions={
                f"{REPETITIONS} repetitions of one environment": best_penalty(final(evidence.ten).regret),
                **{name: best_penalty(earlier.regret) for name, earlier in evidence.earlier.items()},
                evidence.late: best_penalty(final(evidence.longer).regret),
            },
        ),
        CLAIMS[19].judge(
            mixtures.smaller_spread(deciding, [title]),
            evidence=("mixtures-cvar-spread", "figure-4", "figure-5"),
            replications=replications,
            seed=SEED,
            note=" ".join(filter(None, (figures.describe_spread(samples), choice, seeds))),
            other_conditions=mixtures.smaller_spreads(evidence.spreads_elsewhere(), [title]),
        ),
    )


def _against_each(regret: DataArray) -> str:
    others = {penalty: difference(regret, MARAB, marab(penalty)) for penalty in PENALTIES if penalty != PAPER_PENALTY}
    return listed([f"{with_interval(band)} (C = {penalty:g})" for penalty, band in others.items()])

"""Conditional value at risk on twenty truncated normal mixtures: the paper's Figures 4 and 5."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from primum.policies import BesaPlus, Marab
from primum.results import Results
from primum.runs import Experiment
from primum.text import listed
from primum.values import CVaR
from reproduction.chapters import mixtures_figures
from reproduction.chapters.environments import difference, mean
from reproduction.chapters.mixtures import ARMS, BESA_PLUS, REPETITIONS, Evidence, Study, final, spreads
from reproduction.chapters.mixtures_cvar import figures
from reproduction.chapters.mixtures_cvar.rules import ALPHA, MARAB, PAPER_PENALTY, best_penalty, marab
from reproduction.claims import PENALTIES
from reproduction.report import Chapter
from reproduction.report.numbers import with_interval
from reproduction.scale import Scale

STUDY = Study(
    "mixtures-cvar",
    "CVaR",
    "CVaR 10 %",
    first_figure=4,
    seed=52_000,
    rivals={MARAB: Marab.title},
    names={BESA_PLUS: BesaPlus.title} | {marab(c): f"{Marab.title} (C = {c:g})" for c in PENALTIES},
    variants={
        "longer": "four times the horizon",
        "estimator": "the exact CVaR of the sample as the estimator",
        "component": "each normal truncated separately",
    },
)


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Many environments, and fewer of them at another horizon, with another estimator and with other arms."""
    both: dict[str, Any] = {"policies": [BESA_PLUS, MARAB]}
    return STUDY.experiments(
        scale,
        "CVaR on random mixtures",
        {"value": CVaR(alpha=ALPHA, estimator="chen"), "policies": list(STUDY.names)},
        longer={"horizon": 4 * scale.mixture_horizon},
        estimator=both | {"value": CVaR(alpha=ALPHA)},
        component=both | {"truncate": "component"},
    )


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    evidence = Evidence(STUDY, results)
    samples, horizon = evidence.final, evidence.horizon
    best = min(PENALTIES, key=lambda penalty: float(mean(samples.regret, marab(penalty))[0]))
    steps = {step: evidence.many.sel(step=step) for step in (horizon // 10, 3 * horizon // 10)}
    steps |= {horizon: samples, 4 * horizon: final(evidence.variants["longer"])}
    conditions = {f"after {step:,} steps": runs for step, runs in steps.items()}
    others = {name: runs for name, runs in conditions.items() if runs is not samples}
    exact = {STUDY.variants["estimator"]: final(evidence.variants["estimator"])}
    elsewhere = evidence.spreads_elsewhere({name: spreads(runs, [MARAB]) for name, runs in (others | exact).items()})
    if best != PAPER_PENALTY:
        elsewhere[f"against MARAB with the best C, {best:g}"] = spreads(samples, [marab(best)])
    described = figures.describe_spread(samples)
    compared = {policy: STUDY.names[policy] for policy in (MARAB, marab(best))}
    notes = {"best-arm": f" {figures.describe_favourites(samples)}", "spread": described}
    shown = mixtures_figures.figures(evidence, compared, conditions, elsewhere, notes)
    against_each = [
        f"{with_interval(difference(samples.regret, MARAB, marab(penalty)))} (C = {penalty:g})"
        for penalty in PENALTIES
        if penalty != PAPER_PENALTY
    ]
    ten = {f"{REPETITIONS} repetitions of one environment": final(evidence.ten)}
    return Chapter(
        STUDY.name,
        "Conditional value at risk on mixtures",
        evidence.text(
            "Section 5.2 of the paper compares BESA+ and MARAB by conditional value at risk: the mean of the worst "
            f"tenth of the outcomes. There are {ARMS} arms, each a mixture of four normals truncated to [0, 1].",
            "BESA+ estimates the value with the estimator of Chen, as in the paper; the exact CVaR of the sample is "
            "shown beside it.",
        ),
        (*shown[:3], figures.grid(evidence, best), *shown[3:]),
        (
            evidence.judge(
                18,
                best_penalty(samples.regret),
                ("mixtures-cvar-grid", "mixtures-cvar-table"),
                f"Mean regret with C = 1 minus that with each other C, in all environments: {listed(against_each)}.",
                {name: best_penalty(runs.regret) for name, runs in (ten | others).items()},
            ),
            evidence.judge_spread(19, described, elsewhere),
        ),
    )

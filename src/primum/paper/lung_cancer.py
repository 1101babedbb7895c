"""The chapter on the clinical data: the paper's Figures 8 and 9."""

from __future__ import annotations

from collections.abc import Mapping

from primum.paper import recorded_trial, simulated_trials
from primum.paper.chapter import Chapter
from primum.paper.claims import Claim
from primum.paper.scale import Scale
from primum.paper.simulated_trials import experiments
from primum.results import Results

__all__ = ["CLAIMS", "chapter", "experiments"]

CLAIMS: tuple[Claim, ...] = (*recorded_trial.CLAIMS, simulated_trials.CLAIM)


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    evidence = simulated_trials.Evidence(results, scale)
    recorded = recorded_trial.judgements()
    return Chapter(
        "lung-cancer",
        "A clinical trial",
        recorded_trial.text(recorded),
        (*recorded_trial.exhibits(), *evidence.exhibits()),
        (*recorded, evidence.judgement()),
    )

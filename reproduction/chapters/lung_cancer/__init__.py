"""The clinical data: the paper's Figures 8 and 9."""

from __future__ import annotations

from collections.abc import Mapping

from primum.results import Results
from reproduction.chapters.lung_cancer import recorded, simulated
from reproduction.chapters.lung_cancer.simulated import experiments
from reproduction.report import Chapter
from reproduction.scale import Scale

__all__ = ["chapter", "experiments"]


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments and the recorded patients."""
    evidence = simulated.Evidence(results, scale)
    judgements = recorded.judgements()
    return Chapter(
        "lung-cancer",
        "A clinical trial",
        recorded.text(judgements),
        (*recorded.figures(), *evidence.figures()),
        (*judgements, evidence.judgement()),
    )

"""MARAB for each C, and how much BESA+ and MARAB vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from primum.figures import Curves, Line, Mark
from primum.policies import BesaPlus, Marab
from reproduction.chapters import mixtures
from reproduction.chapters.environments import fraction_steadier, mean, of_policy
from reproduction.chapters.mixtures import ARMS, BESA_PLUS, REPETITIONS, Evidence, clipped_mean
from reproduction.chapters.mixtures_cvar.rules import ALPHA, MARAB, PAPER_PENALTY, marab
from reproduction.claims import PENALTIES
from reproduction.report import Figure
from reproduction.report.numbers import number, percent, with_interval

if TYPE_CHECKING:  # takes half a second
    from xarray import Dataset


def grid(evidence: Evidence, best: float) -> Figure:
    """The mean final regret for each C."""
    samples, x = evidence.final, np.array(PENALTIES)
    regrets = {penalty: mean(samples.regret, marab(penalty)) for penalty in PENALTIES}
    at_edge = " The best C is at the edge of the grid, so a better one may lie beyond."
    ends = np.stack(list(regrets.values()), axis=1)
    flat = np.repeat(mean(samples.regret, BESA_PLUS)[:, None], len(x), axis=1)
    # what MARAB subtracts at the last step from an arm with an equal share of the pulls, for C = 1
    width = np.sqrt(np.log(ALPHA * evidence.horizon) / (ALPHA * evidence.horizon / ARMS))
    return Figure(
        "mixtures-cvar-grid",
        "MARAB for each C",
        f"The best C of the grid is {best:g}, with a mean regret of {with_interval(regrets[best])}; with C = 1 it is "
        f"{with_interval(regrets[PAPER_PENALTY])}. After n pulls of an arm, MARAB subtracts C sqrt(log(t / 10) / "
        f"(n / 10)), which is {number(float(width), 2)} C for an arm with an equal share of the pulls, while the "
        f"values of the arms lie within {number(np.median(evidence.gaps[:, -1]), 2)}. The paper states neither its "
        f"grid nor its criterion.{at_edge if best in (PENALTIES[0], PENALTIES[-1]) else ''}",
        Curves(
            "MARAB for each C, CVaR 10 %",
            f"mean final regret in {evidence.count} environments; band: 95 % interval; uniformly random choice: "
            f"{number(evidence.random[1])}",
            "Mean final regret",
            x,
            (Line(BesaPlus.title, *flat), Line(Marab.title, *ends)),
            log=True,
            x_label="C",
            marks=(Mark(PAPER_PENALTY, "the paper's C"),),
        ),
        evidence.files(),
    )


def describe_favourites(samples: Dataset) -> str:
    """How many of its pulls a policy gives to one arm."""
    own, other = (percent(float(clipped_mean(samples.favourite_share, one)[0])) for one in (BESA_PLUS, MARAB))
    return (
        f"MARAB gives {other} of its pulls to one arm, and in {percent(_settled(samples))} of the replications most of "
        "its pulls to the best arm: it subtracts its confidence width, so an arm with few pulls looks bad and is not "
        f"tried again. BESA+ gives {own} of its pulls to the arm it pulls most."
    )


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

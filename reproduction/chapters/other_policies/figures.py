"""Ranks, ratios and differences of the regret of all policies on all problems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.figures import Forest
from primum.plugins.registry import build
from primum.text import listed
from reproduction.chapters.environments import difference, mean, ratio
from reproduction.chapters.lines import row
from reproduction.chapters.mixtures import BESA_PLUS
from reproduction.report import Figure, Table
from reproduction.report.numbers import number, with_interval

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray

Problems = Mapping[str, "DataArray"]  # final regret: environment x policy x replication


def figures(
    problems: Problems, greedy: Mapping[str, Mapping[str, Any]], paper: Mapping[tuple[str, str], Any]
) -> tuple[Figure | Table, ...]:
    """All figures and tables of the chapter."""
    return _ranks(problems), _ratios(problems), _differences(problems), _against_ucb1(greedy), _competitors(paper)


def lower_than_besa_plus(problems: Problems) -> Iterator[str]:
    """A sentence for each problem on the policies with clearly lower regret than BESA+."""
    for title, regret in problems.items():
        lower = [
            f"{display_name(policy)} ({with_interval(mean(regret, policy))})"
            for policy in regret.policy.values.tolist()
            if policy != BESA_PLUS and difference(regret, BESA_PLUS, policy)[1] > 0
        ]
        verb = "has" if len(lower) == 1 else "have"
        others = f"{listed(lower)} {verb} clearly lower regret" if lower else "no policy has clearly lower regret"
        yield f"On {title}: BESA+ has a regret of {with_interval(mean(regret, BESA_PLUS))}; {others}."


def display_name(policy: str) -> str:
    """The name of a policy for people."""
    return str(build("policies", policy).display_name)


def ranks(regret: DataArray) -> dict[str, int]:
    """The rank of each policy by its mean regret."""
    means = {policy: float(mean(regret, policy)[0]) for policy in regret.policy.values.tolist()}
    return {policy: rank for rank, policy in enumerate(sorted(means, key=means.__getitem__), 1)}


def mean_ranks(problems: Problems) -> dict[str, float]:
    """The mean rank of each policy over the problems that it was used on, the best first."""
    every = [ranks(regret) for regret in problems.values()]
    policies = dict.fromkeys(policy for one in every for policy in one)
    means = {policy: float(np.mean([one[policy] for one in every if policy in one])) for policy in policies}
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _ranks(problems: Problems) -> Table:
    every = {title: ranks(regret) for title, regret in problems.items()}
    rows = []
    for policy, mean_rank in mean_ranks(problems).items():
        cells = [
            f"{every[title][policy]} ({number(float(mean(regret, policy)[0]))})" if policy in every[title] else ""
            for title, regret in problems.items()
        ]
        rows.append((display_name(policy), f"{mean_rank:.1f}", *cells))
    return Table(
        "ranks",
        "Ranks: all policies on all problems",
        "Rank by mean final regret, with the mean regret in parentheses. The mean rank is over the problems that a "
        "policy was used on; a policy for one value has few.",
        ("policy", "mean rank", *problems),
        tuple(rows),
    )


def _ratios(problems: Problems) -> Figure:
    rows = [
        row(display_name(policy), ratio(regret, policy, BESA_PLUS), title)
        for policy in mean_ranks(problems)
        if policy != BESA_PLUS
        for title, regret in problems.items()
        if policy in regret.policy
    ]
    return Figure(
        "against-besa-plus",
        "Ratios: regret relative to BESA+",
        "The mean final regret of each policy divided by that of BESA+ in the same replications.",
        Forest(
            "Mean final regret relative to BESA+",
            "95 % intervals; below 1, a policy is better",
            "Regret / regret of BESA+",
            tuple(rows),
            reference=1.0,
            log=True,
        ),
    )


def _differences(problems: Problems) -> Table:
    rows = []
    for policy in mean_ranks(problems):
        if policy == BESA_PLUS:
            continue
        cells = [
            with_interval(difference(regret, policy, BESA_PLUS)) if policy in regret.policy else ""
            for regret in problems.values()
        ]
        rows.append((display_name(policy), *cells))
    return Table(
        "differences",
        "Differences: regret minus that of BESA+, paired",
        "Mean difference in final regret with its 95 % interval; below 0, a policy is better than BESA+.",
        ("policy", *problems),
        tuple(rows),
    )


def _against_ucb1(differences: Mapping[str, Mapping[str, Any]]) -> Table:
    return Table(
        "against-ucb1",
        "UCB1: epsilon-greedy and Boltzmann exploration against it",
        "Final regret minus that of UCB1, paired, with 95 % intervals; below 0 is better than UCB1.",
        ("problem", *next(iter(differences.values()))),
        tuple((title, *map(with_interval, bands.values())) for title, bands in differences.items()),
    )


def _competitors(differences: Mapping[tuple[str, str], Any]) -> Table:
    return Table(
        "against-competitors",
        "Competitors: BESA+ against the paper's, on its problems",
        "Final regret of BESA+ minus that of the other policy, paired, with 95 % intervals; below 0, BESA+ is better.",
        ("problem", "policy", "difference"),
        tuple((place, other, with_interval(band)) for (place, other), band in differences.items()),
    )

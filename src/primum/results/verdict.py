"""The results of a simulation in a few sentences, and what these say as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.problem import Problem
from primum.results.formats.page import paragraph
from primum.results.intervals import FEW_REPLICATIONS, mean_band, share_band
from primum.results.learned_values import in_words, other_value
from primum.results.measures import BEST_ARM, REGRET, STUCK_FRACTION, stuck
from primum.results.results import Results
from primum.text import counted, listed

Array = np.ndarray[Any, Any]
ERROR_RATE = 0.05  # of all comparisons together
MOST_NAMED = 3  # policies in a row
MOST_WARNINGS = 2
STUCK_SHARE = 0.05  # of the replications: a policy is named if clearly more of them are stuck


@dataclass(frozen=True, repr=False)
class Verdict:
    """Which policy has the lowest regret, if it can be told, and what to beware of: see `Results.verdict`.

    `best` is the label of this policy, or None if there is none. `alike` has the labels of the policies that cannot be
    told apart from the one with the lowest mean regret, this one first: only `best` if there is one. Policies that know
    the true values are left out. `answer` says so in a sentence, and `warnings` are others, the most important first,
    of which the first two are printed.

    >>> found = Verdict("ucb1", ("ucb1",), "UCB1 (3, 95 % interval 2 to 4) has the lowest regret.", ())
    >>> found
    UCB1 (3, 95 % interval 2 to 4) has the lowest regret.
    >>> found.best
    'ucb1'
    """

    best: str | None
    alike: tuple[str, ...]
    answer: str
    warnings: tuple[str, ...]

    @classmethod
    def of(cls, results: Results) -> Verdict:
        """The verdict on the regret at the last recorded step."""
        labels = tuple(results.labels)
        if not len(results.replications):
            return cls(None, labels, "No replication is complete yet.", ())
        if results.problem.best.all():
            return cls(None, labels, _without_regret(results.problem), ())
        alike, answer = _lowest(results)
        best = labels[alike[0]] if len(alike) == 1 else None
        return cls(best, tuple(labels[i] for i in alike), answer, tuple(_warnings(results)))

    def __str__(self) -> str:
        return " ".join([self.answer, *self.warnings[:MOST_WARNINGS]])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return paragraph(str(self))


def _without_regret(problem: Problem) -> str:
    if len(problem.names) == 1:
        return "There is only one arm: every policy has a regret of 0."
    arms = f"All {len(problem.names)} arms are equally good by {in_words(problem.value)}"
    return f"{arms}: no choice is wrong, and every policy has a regret of 0."


def _finals(results: Results) -> Array:
    """Regret at the last recorded step: policy x replication."""
    return REGRET.of(results.problem, results.steps[-1:], results.pulls.values[:, :, -1:])[:, :, 0]


def _lowest(results: Results) -> tuple[list[int], str]:
    """The policies that cannot be told apart from the one with the lowest mean regret, and a sentence on them."""
    finals, count = _finals(results), len(results.replications)
    players: Sequence[Any] = results.policies
    blind = [i for i, policy in enumerate(players) if not policy.needs_truth]
    playing = blind or list(range(len(results.policies)))
    among = "" if len(playing) == len(results.policies) else "Among policies that do not know the true values, "
    order = sorted(playing, key=lambda i: (float(finals[i].mean()), i))
    if len(order) == 1:
        return order, f"{among}{_with_regret(results, finals, order)} is the only policy."
    if count < FEW_REPLICATIONS:
        return order, f"The policies cannot be told apart yet, with {counted(count, 'replication')}."
    level = 1 - ERROR_RATE / (len(order) - 1)
    alike = order[:1] + [i for i in order[1:] if not mean_band(finals[i] - finals[order[0]], level)[1] > 0]
    named = among + _with_regret(results, finals, alike)
    if len(alike) == 1:
        return alike, f"{named} has the lowest regret."
    have = "" if len(alike) == len(order) else "have the lowest regret and "
    return alike, f"{named} {have}cannot be told apart yet."


def _with_regret(results: Results, finals: Array, policies: Sequence[int]) -> str:
    """Policies with their mean regrets and intervals."""
    names: list[str] = []
    for i in policies:
        mean, low, high = mean_band(finals[i])
        interval = f"{'' if names else '95 % interval '}{_number(low)} to {_number(high)}"
        names.append(f"{results.titles[i]} ({_number(mean)}, {interval if np.isfinite(low) else 'no interval'})")
    return _some(names)


def _warnings(results: Results) -> list[str]:
    apart = {i: own for i, policy in enumerate(results.policies) if (own := _misled(results.problem, policy))}
    rest = [i for i in range(len(results.policies)) if i not in apart]
    few = len(results.replications) < FEW_REPLICATIONS
    on_regret = [] if few else [_on_chance(results, rest), _on_stuck(results, rest)]
    return list(filter(None, [_on_values(results, apart), *on_regret]))


def _misled(problem: Problem, policy: Any) -> Problem | None:
    """The problem as a policy sees it that learns another value, if there an arm is best that truly is not."""
    own = other_value(policy, problem.value)
    if own is None:
        return None
    seen = Problem(problem.arms, own)
    try:
        return seen if (seen.best & ~problem.best).any() else None
    except PrimumError:  # an arm that has the value of the problem need not have this one
        return None


def _on_values(results: Results, apart: dict[int, Problem]) -> str:
    if not apart:
        return ""
    words = {i: in_words(seen.value) for i, seen in apart.items()}
    if len(set(words.values())) > 1:
        names = _some([f"{results.titles[i]} ({word})" for i, word in words.items()])
        learn = "learn other values" if len(apart) > 1 else "learns another value"
        return f"{names} {learn}, by which other arms are best."
    names = _some([results.titles[i] for i in apart])
    seen, true = next(iter(apart.values())), results.problem
    learn = f"{'learn' if len(apart) > 1 else 'learns'} {in_words(seen.value)}"
    return f"{names} {learn}, by which {_best(seen)}; by {in_words(true.value)}, {_best(true)}."


def _best(problem: Problem) -> str:
    names = [repr(name) for name, best in zip(problem.names, problem.best, strict=True) if best]
    return f"{_some(names)} {'is' if len(names) == 1 else 'are'} best"


def _on_chance(results: Results, policies: Sequence[int]) -> str:
    """Policies with clearly more regret than uniformly random choice, whose expected regret is known."""
    gaps = results.problem.gaps
    chance, finals = float(results.steps[-1] * gaps.mean()), _finals(results)
    level = 1 - ERROR_RATE / max(len(policies), 1)
    # by more than one pull: arms that are taken in turn are pulled equally often only up to one
    worse = [i for i in policies if mean_band(finals[i], level)[1] > chance + gaps.max()]
    if not worse:
        return ""
    names, has = _some([results.titles[i] for i in worse]), "have" if len(worse) > 1 else "has"
    return f"{names} {has} a higher regret than choosing arms uniformly at random ({_number(chance)})."


def _on_stuck(results: Results, policies: Sequence[int]) -> str:
    """The policies with the largest fraction of stuck replications, and the arm these are stuck on."""
    problem, last = results.problem, results.pulls.values[:, :, -1]
    if results.steps[-1] * STUCK_FRACTION * problem.best.mean() < 1:
        return ""  # even an arm that was tried could count
    shares = BEST_ARM.of(problem, results.steps[-1:], last[:, :, None])[:, :, 0]
    hits = {i: stuck(problem, shares[i]) for i in policies}
    many = [i for i in policies if share_band(hits[i])[1] > STUCK_SHARE]
    if not many:
        return ""
    many = sorted(many, key=lambda i: -hits[i].mean())[:2]
    favourites = Counter(np.concatenate([last[i][hits[i]].argmax(axis=1) for i in many]).tolist())
    arm, times = favourites.most_common(1)[0]
    where = repr(problem.names[arm]) if times > 0.5 * favourites.total() else "inferior arms"
    of = [
        f"{100 * hits[i].mean():.0f} % of {'those' if place else 'the replications'} of {results.titles[i]}"
        for place, i in enumerate(many)
    ]
    return f"{listed(of)} are stuck on {where}."


def _number(number: float) -> str:
    """Three digits, or all before the decimal point that a number has.

    >>> [_number(x) for x in (0.012345, 14.83, 1234.5, 2e60)]
    ['0.0123', '14.8', '1,234', '2e+60']
    """
    return f"{number:,.0f}" if 100 <= abs(number) < 1e15 else f"{number + 0.0:.3g}"


def _some(words: Sequence[str]) -> str:
    """Words in a row; of many, the first and the number of others."""
    shown = list(words) if len(words) <= MOST_NAMED else [*words[: MOST_NAMED - 1], f"{len(words) - 2} others"]
    return listed(shown)

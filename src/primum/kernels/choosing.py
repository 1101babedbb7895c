"""Building blocks of policies: the opening, the best of several scores, the duel and the tournament."""

from __future__ import annotations

import math
from typing import Any

from primum.kernels.contract import kernel, large_kernel, note, set_fault
from primum.kernels.noting import CHAMPION, DRAWN, DUEL, HIGHEST, OPENING, RANDOM, WON_BY_CHANCE
from primum.kernels.records import is_arm, value_of, value_of_subsample
from primum.kernels.streams import below, uniform
from primum.kernels.subsampling import shuffle_front

TINY = 1e-300  # a share that is 0 but can be raised
TIE = 1e-12  # sums of the same numbers in another order differ by less, relatively


@kernel
def tied(history: Any, a: float, b: float) -> bool:
    """Whether two scores are equal up to rounding, relative to their size and that of their terms."""
    if a == b:
        return True
    scale = history.scale[0] if history.in_reward_units else 1.0
    return math.isfinite(a - b) and abs(a - b) <= TIE * max(scale, abs(a), abs(b))


@kernel
def at_least(history: Any, a: float, b: float) -> bool:
    """Whether a score is at least another, up to rounding."""
    return a >= b or tied(history, a, b)


@kernel
def opening(history: Any, floor: float) -> int:
    """The arm that must be tried first, or -1.

    It is the least assigned arm (the first of several) while that has fewer than `floor` assignments, or none, or
    while some arm has no known reward: a policy that waits for late outcomes spreads its patients.
    """
    least = 0
    known = history.pulls[0]
    for arm in range(1, history.arms):
        if history.assigned[arm] < history.assigned[least]:
            least = arm
        known = min(known, history.pulls[arm])
    if known == 0 or history.assigned[least] < floor:
        note(history, OPENING, least, 0, floor, 0.0)
        return least
    return -1


@kernel
def best_score(history: Any) -> int:
    """The arm with the largest of history.scores; ties, up to rounding, at random."""
    arm = largest(history)
    note(history, HIGHEST, arm, 0, 0.0, 0.0)
    return arm


@kernel
def largest(history: Any) -> int:
    """The work of best_score, without notes."""
    scores = history.scores
    best = 0
    ties = 1
    for arm in range(history.arms):
        if math.isnan(scores[arm]):
            set_fault(history, -1)
    for arm in range(1, history.arms):
        if tied(history, scores[arm], scores[best]):
            ties += 1
            if below(history.stream, ties) == 0:
                best = arm
        elif scores[arm] > scores[best]:
            best = arm
            ties = 1
    return best


@kernel
def best_estimate(history: Any) -> int:
    """The arm with the largest value, estimated on all its rewards; ties at random."""
    for arm in range(history.arms):
        history.scores[arm] = value_of(history, arm)
    return best_score(history)


@kernel
def random_arm(history: Any, probability: float) -> int:
    """An arm drawn uniformly at random; `probability` is that of drawing one at this step, for the explanation."""
    arm = below(history.stream, history.arms)
    note(history, RANDOM, arm, 0, probability, 0.0)
    return arm


@kernel
def drawn_between(probabilities: Any, first: int, second: int, number: float, otherwise: int) -> int:
    """The one of two arms that a uniform number stands for; there is no second one if that is negative."""
    chance = probabilities[first] + (probabilities[second] if second >= 0 else 0.0)
    if not chance > 0.0:
        return otherwise
    return second if second >= 0 and number * chance >= probabilities[first] else first


@kernel
def drawn_place(probabilities: Any, count: int, number: float) -> int:
    """The place among the first `count` probabilities that a uniform number stands for."""
    drawn = -1
    for i in range(count):
        if probabilities[i] > 0.0 and number >= 0.0:  # the last one with a chance if rounding leaves something
            drawn = i
        number -= probabilities[i]
    return drawn


@kernel
def drawn_arm(history: Any) -> int:
    """An arm drawn in proportion to history.scores, which become probabilities.

    In a re-run of a trial that allocates only between two arms again it is one of these, if they have a chance.
    """
    scores = history.scores
    total = 0.0
    for arm in range(history.arms):
        total += scores[arm]
    if not 0.0 < total < math.inf:
        return -1
    for arm in range(history.arms):
        scores[arm] /= total
    number = uniform(history.stream)
    drawn = drawn_place(scores, history.arms, number)
    first, second = history.among[0] - 1, history.among[1] - 1
    if first >= 0:
        drawn = drawn_between(scores, first, second, number, drawn)
    note(history, DRAWN, drawn, 0, 0.0, 0.0)
    return drawn


@large_kernel
def restrict(shares: Any, first: int, end: int, total: float, least: float, largest: float) -> None:
    """Scale shares[first:end] to this total, with none below the least or above the largest.

    Shares below the least are raised to it and those above the largest lowered to it, the others are scaled in
    proportion, and so on until all are in bounds. All become equal if the bounds do not allow the total.
    """
    count = end - first
    equal = least * count >= total or largest * count <= total
    for k in range(first, end):
        shares[k] = total / count if equal else max(shares[k], TINY)
    if equal:
        return
    low, high = 0.0, math.inf  # shares up to `low` are at the least, from `high` on at the largest
    for _ in range(count + 1):
        free, fixed = 0.0, 0.0
        for k in range(first, end):
            if shares[k] <= low:
                fixed += least
            elif shares[k] >= high:
                fixed += largest
            else:
                free += shares[k]
        scale = (total - fixed) / free if free > 0.0 else 1.0
        lacking, excess = 0.0, 0.0
        for k in range(first, end):
            if low < shares[k] < high:
                lacking += max(0.0, least - scale * shares[k])
                excess += max(0.0, scale * shares[k] - largest)
        if lacking == 0.0 and excess == 0.0:
            break
        if lacking >= excess:
            low = least / scale
        else:
            high = largest / scale
    for k in range(first, end):
        shares[k] = least if shares[k] <= low else largest if shares[k] >= high else scale * shares[k]


@kernel
def duel(history: Any, a: int, b: int) -> int:
    """The arm with the larger value on fresh sub-samples of equal size; ties go to the less pulled, then at random."""
    if not is_arm(history, a) or not is_arm(history, b):
        return -1
    n = min(history.pulls[a], history.pulls[b])
    va = value_of_subsample(history, a, n)
    vb = value_of_subsample(history, b, n)
    note(history, DUEL, a, b, va, vb)
    if not tied(history, va, vb):
        return a if va > vb else b
    if history.pulls[a] != history.pulls[b]:
        return a if history.pulls[a] < history.pulls[b] else b
    winner = a if below(history.stream, 2) == 0 else b
    note(history, WON_BY_CHANCE, winner, 0, 0.0, 0.0)
    return winner


@large_kernel
def tournament(history: Any) -> int:
    """The champion of a knock-out among all arms in a fresh random order (Baransi, Maillard, Mannor, ECML-PKDD 2014).

    The bracket is that of halving the list again and again: its parts at the last full level have one arm, which has
    a bye, or two, which meet; from there on winners meet in pairs.
    """
    order = history.order
    arms = history.arms
    for i in range(arms):
        order[i] = i
    shuffle_front(order, arms, arms - 1, history.stream)
    level = 0
    while 2 << level <= arms:
        level += 1
    for i in range(1 << level):
        first, last = (i * arms) >> level, ((i + 1) * arms) >> level
        order[i] = order[first] if last - first == 1 else duel(history, order[first], order[first + 1])
    while level > 0:
        level -= 1
        for i in range(1 << level):
            order[i] = duel(history, order[2 * i], order[2 * i + 1])
    note(history, CHAMPION, order[0], 0, 0.0, 0.0)
    return order[0]


@kernel
def empirical_variance(history: Any, arm: int) -> float:
    """The biased variance of an arm's rewards."""
    n = history.pulls[arm]
    excess = history.sums[arm] / n - history.rewards[arm, 0]
    variance = history.squares[arm] / n - excess * excess
    return 0.0 if variance < 0.0 else variance


@kernel
def empirical_mean_variance(history: Any, arm: int, rho: float) -> float:
    """Mean minus rho times the biased variance of an arm's rewards, as Sani, Lazaric, Munos (NIPS 2012) use it."""
    return history.sums[arm] / history.pulls[arm] - rho * empirical_variance(history, arm)

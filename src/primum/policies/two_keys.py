"""Two keys."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import at_least, opening, tied
from primum.kernels.contract import kernel, large_kernel, note
from primum.kernels.elementary import log
from primum.kernels.noting import CHALLENGE, LEADS, UNBEATEN, WAITED
from primum.kernels.records import value_of, value_of_subsample
from primum.kernels.streams import below, uniform
from primum.kernels.weighting import value_of_hopeful
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy

# What memory[arm, ...] keeps. Of its game, which lasts while it has SIZE rewards and the leader is AGAINST - 1: whether
# it found the first key, how often the second, in how many tries. Running means of squared deviations from the
# estimate, of the leader's sub-samples and of the arm's re-weighted rewards, and how many there were. Its estimate and
# on how many rewards that was made. And in memory[0, ...] the largest and the smallest reward of all arms.
KEY_1, KEY_2, TRIES, AGAINST, SIZE, SPREAD_1, SEEN_1, SPREAD_2, SEEN_2, ESTIMATE, MADE_AT, MOST, LEAST = range(13)
KNOWN = 0.0  # position among the bounds
MEMORY = 100.0  # deviations that a running mean looks back on
STALE = 64.0  # an estimate is made anew when there is one reward more for each 64 that it is made of
LARGE = 256.0  # with more rewards, a challenger without the first key looks for the second less often


@kernel
def estimate_of(history: Any, arm: int) -> float:
    """The value of an arm's rewards, at most 1/64 of them not counted yet: a leader is pulled at nearly every step."""
    m, n = history.memory, history.pulls[arm]
    if n - m[arm, MADE_AT] > m[arm, MADE_AT] / STALE:
        m[arm, ESTIMATE] = value_of(history, arm)
        m[arm, MADE_AT] = n
    return m[arm, ESTIMATE]


@kernel
def leader_of(history: Any) -> int:
    """The arm with the best estimate; of several the most pulled, then any."""
    leader, ties = 0, 1
    for k in range(1, history.arms):
        own, best = estimate_of(history, k), estimate_of(history, leader)
        if tied(history, own, best) and history.pulls[k] == history.pulls[leader]:
            ties += 1
            if below(history.stream, ties) == 0:
                leader = k
        elif history.pulls[k] > history.pulls[leader] if tied(history, own, best) else own > best:
            leader, ties = k, 1
    note(history, LEADS, leader, 0, 0.0, 0.0)
    return leader


@kernel
def observe(history: Any, arm: int, spread: int, deviation: float) -> None:
    """Add a deviation to a running mean of squares."""
    m = history.memory
    m[arm, spread + 1] += 1.0
    m[arm, spread] += (deviation * deviation - m[arm, spread]) / min(MEMORY, m[arm, spread + 1])


@kernel
def difference(history: Any, a: float, b: float) -> float:
    """a - b, or 0 where only rounding errors are left."""
    return 0.0 if tied(history, a, b) else a - b


@kernel
def alike(history: Any, arm: int) -> float:
    """From 0, the leader's sub-samples do not vary, to 1, they vary as much as the arm's re-weighted rewards."""
    first, second = history.memory[arm, SPREAD_1], history.memory[arm, SPREAD_2]
    return math.sqrt(first / second) if first < second else 1.0 if first > 0.0 else 0.0


@large_kernel
def opens(history: Any, k: int, leader: int, top: float, veto: float) -> bool:
    """Whether challenger k has found both keys by now, or the second often enough."""
    m, n = history.memory, history.pulls[k]
    own, to_reach = estimate_of(history, k), estimate_of(history, leader)
    if m[k, AGAINST] != leader + 1.0 or m[k, SIZE] != n:  # a new game
        m[k, AGAINST] = leader + 1.0
        m[k, SIZE] = n
        m[k, KEY_1] = 0.0
        m[k, KEY_2] = 0.0
        m[k, TRIES] = 0.0
    m[k, TRIES] += 1.0
    if m[k, KEY_1] == 0.0:
        part = value_of_subsample(history, leader, n)
        observe(history, k, SPREAD_1, difference(history, part, to_reach) / math.sqrt(1.0 - n / history.pulls[leader]))
        if at_least(history, own, part):
            m[k, KEY_1] = 1.0
            if m[k, KEY_2] > 0.0:
                note(history, CHALLENGE, k, 1, own, part)
                return True
        elif n > LARGE and uniform(history.stream) * n >= LARGE:
            note(history, CHALLENGE, k, 0, own, part)
            return False
    likeness = alike(history, k)
    hopeful = value_of_hopeful(history, k, top, 1.0 - 0.5 * likeness)
    observe(history, k, SPREAD_2, difference(history, history.scores[k], own))
    hopeful = max(hopeful, history.scores[k])
    opened = at_least(history, hopeful, to_reach)
    if opened:
        m[k, KEY_2] += 1.0
        tries = log(m[k, TRIES])
        opened = m[k, KEY_1] > 0.0 or m[k, KEY_2] >= veto * likeness * tries * tries
    note(history, CHALLENGE, k, 1 if opened else 0, hopeful, to_reach)
    return opened


@dataclass(frozen=True)
class TwoKeys(Policy):
    """Plays the best estimate unless a challenger may be better and the leader may have been lucky, under any value.

    An arm with no pulls, or fewer than floor * sqrt(log t), is played first. Otherwise the leader is the arm with the
    best estimate, and the challenger k one of the others, drawn uniformly at random. With N_k rewards, fewer than the
    leader, it looks for two keys:

    1. v(its rewards) >= v(N_k of the leader's rewards, drawn uniformly at random): a duel, as in `BesaPlus`;
    2. v(its rewards and `top`, with random weights) >= v(the leader's rewards), as in `DirichletSampling`. The weights
       are exponential, that of `top` has a gamma distribution of shape 1 - a/2; without `top` counts too.

    A key is kept until the challenger is pulled or the leader changes. The challenger is pulled once it has both, or
    when it has found the second at least veto * a * log(j)^2 times in j tries. Here a is at most 1, the standard
    deviation of what changes in the first comparison divided by that in the second: a duel tells nothing about the
    challenger if the leader's rewards do not vary, and then (a = 0) the second key is enough.

    With bound = "seen", `top` is not used: the imagined reward is the largest so far plus the range of all so far. A
    rare large reward that no arm has shown is then not imagined.

    >>> TwoKeys(top=100).reward_bounds
    (-inf, 100.0)
    """

    title = "Two keys"

    top: float = parameter(1.0, "largest possible reward")
    bound: str = parameter(
        "known",
        "whether the largest possible reward is known, or estimated from rewards seen",
        choices=("known", "seen"),
    )
    veto: float = parameter(0.2, "multiplies the number of second keys that replace the first", low=0.0)
    floor: float = parameter(1.0, "every arm gets at least floor x sqrt(ln(t)) pulls by step t", low=0.0)

    memory_width = 13

    decides_by = "keys that a challenger finds against a leader"

    @property
    def floor_rule(self) -> str:  # type: ignore[override]
        return f"{self.floor:g} x sqrt(ln(t))"

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return -math.inf, self.top if self.bound == "known" else math.inf

    @staticmethod
    def choose(history: Any, top: float, bound: float, veto: float, floor: float) -> int:
        arm = opening(history, max(1.0, floor * math.sqrt(log(history.step))))
        if arm >= 0:
            return arm
        leader, m = leader_of(history), history.memory
        if history.arms > 1:
            k = below(history.stream, history.arms - 1)
            k += k >= leader
            imagined = top if bound == KNOWN else 2.0 * m[0, MOST] - m[0, LEAST]
            if history.pulls[k] < history.pulls[leader] and opens(history, k, leader, imagined, veto):
                m[k, SIZE] = 0.0  # its game is over, even if its reward comes late
                note(history, WAITED, k, 0, 0.0, 0.0)
                return k
        note(history, UNBEATEN, leader, 0, 0.0, 0.0)
        return leader

    @staticmethod
    def learn(history: Any, arm: int, reward: float, top: float, bound: float, veto: float, floor: float) -> None:
        m, known = history.memory, 0
        for k in range(history.arms):
            known += history.pulls[k]
        m[0, MOST] = max(m[0, MOST], reward) if known > 1 else reward
        m[0, LEAST] = min(m[0, LEAST], reward) if known > 1 else reward

"""CVaR-UCB and Brown-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.kernels.contract import large_kernel, whole_history
from primum.kernels.elementary import log
from primum.kernels.records import rank, value_of
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy

BROWN, ANYTIME = 1.0, 1.0  # positions among the choices


@large_kernel
def lifted_cvar(history: Any, arm: int, alpha: float, lift: float, top: float) -> float:
    """CVaR of an arm's rewards after the lowest `lift` of their mass was moved to `top`.

    Of the rewards in ascending order, the first that keeps mass keeps some, those after it 1/n each, and the last that
    is reached, or `top`, has what is left of alpha: a sum over about alpha n rewards.
    """
    ranked, n = history.ranked[arm], history.pulls[arm]
    first = int(min(lift, 1.0) * n)
    if first >= n:
        return top
    mass = min(alpha, max(0.0, (first + 1) / n - lift))
    left = alpha - mass
    last = min(n, first + 1 + int(left * n))
    rank(whole_history(history), arm, min(n, last + 1))
    total = 0.0
    for j in range(first + 1, last):
        total += ranked[j]
    left -= (last - first - 1) / n
    return (mass * ranked[first] + total / n + left * (ranked[last] if last < n else top)) / alpha


@dataclass(frozen=True)
class CvarUcb(Policy):
    """Upper confidence bounds on the conditional value at risk.

    Each arm once, then the largest bound on CVaR_alpha at the level delta = 1/T^2:

    - ``dkw``: CVaR of the distribution whose distribution function is max(F - eps, 0) below `top`, with F that of the n
      rewards and eps = sqrt(log(2/delta) / (2 n)) (CVaR-UCB).
    - ``brown``: CVaR of the rewards + (top/alpha) sqrt(log(1/delta) / (2 n)); rewards in [0, top] (Brown-UCB).

    Reference: Tamkin, Keramati, Dann, Brunskill, "Distributionally-aware exploration for CVaR bandits", NeurIPS 2019
    workshop on safety and robustness in decision making, and its baseline after Brown, Operations
    Research Letters 35, 2007. With confidence ``anytime``, which is ours, the current step stands for T.

    >>> CvarUcb().needs_horizon, CvarUcb(confidence="anytime").needs_horizon
    (True, False)
    """

    title = "CVaR-UCB"

    alpha: float = parameter(0.1, "fraction of worst outcomes", low=0.0, high=1.0, open_low=True)
    top: float = parameter(1.0, "largest possible reward")
    bound: str = parameter("dkw", "confidence bound on CVaR", choices=("dkw", "brown"))
    confidence: str = parameter(
        "horizon", "T in delta = 1/T^2: the horizon, or the current step", choices=("horizon", "anytime")
    )

    memory_width = 2  # the index and the number of rewards that it is of

    @property
    def needs_horizon(self) -> bool:  # type: ignore[override]
        return self.confidence == "horizon"

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "cvar", "alpha": self.alpha}

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return 0.0 if self.bound == "brown" else -math.inf, self.top

    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, alpha: float, top: float, bound: float, confidence: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        level = 2.0 * log(history.step if confidence == ANYTIME else history.horizon)
        memory = history.memory
        for k in range(history.arms):
            n = history.pulls[k]
            if bound == BROWN:
                history.scores[k] = value_of(history, k) + top / alpha * math.sqrt(level / (2.0 * n))
                continue
            if confidence == ANYTIME or memory[k, 1] != n:
                lift = math.sqrt((log(2.0) + level) / (2.0 * n))
                memory[k, 0], memory[k, 1] = lifted_cvar(history, k, alpha, lift, top), n
            history.scores[k] = memory[k, 0]
        return best_score(history)

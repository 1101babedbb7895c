"""MIN."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, opening
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Min(Policy):
    """The arm whose smallest reward so far is the largest.

    Each arm once, then the largest of the smallest rewards seen; ties at random. There is no exploration: the minimum
    of few rewards is optimistic, which is all that brings an arm back. No built-in value is the smallest reward; its
    own value is the nearest, CVaR with alpha = 1e-10, whose estimate on fewer than 1e10 rewards is the smallest.

    Reference: Galichet, Sebag, Teytaud, "Exploration vs exploitation vs safety: risk-aware multi-armed bandits",
    ACML 2013 (arXiv:1401.1123), MIN. Not checked against the article: the rule is MARAB's as alpha and C go to 0.

    >>> Min().own_value
    {'name': 'cvar', 'alpha': 1e-10}
    """

    title = "MIN"
    group = "Worst outcome"

    memory_width = 1  # the smallest reward

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "cvar", "alpha": 1e-10}

    decides_by = "worst reward so far"

    @staticmethod
    def choose(history: Any) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            history.scores[k] = history.memory[k, 0]
        return best_score(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float) -> None:
        if history.pulls[arm] == 1 or reward < history.memory[arm, 0]:
            history.memory[arm, 0] = reward

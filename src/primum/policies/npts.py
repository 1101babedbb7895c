"""NPTS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score
from primum.kernels.weighting import value_of_reweighted
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Npts(Policy):
    """Non-parametric Thompson sampling: the value of randomly re-weighted rewards.

    Each arm begins with one imagined reward, `top`. At each step the rewards of each arm get Dirichlet(1, ..., 1)
    weights, and the arm whose weighted rewards have the largest value is played. The imagined reward must be an
    optimistic one: `top` is for the mean, CVaR and whatever else grows with rewards; under mean-variance it is what the
    authors use, though another reward may be more optimistic. With CVaR this is B-CVTS (Baudry, Gautron, Kaufmann,
    Maillard, ICML 2021).

    Reference: Riou, Honda, ALT 2020, Algorithm 2, for the mean; Chang, Tan, AAAI 2022 (arXiv:2108.11345), rho-NPTS.

    >>> Npts().reward_bounds
    (-inf, 1.0)
    """

    title = "NPTS"
    step_cost = (8.5, 4.0)

    top: float = parameter(1.0, "largest possible reward")

    @property
    def reward_bounds(self) -> tuple[float, float]:
        return -math.inf, self.top

    decides_by = "value of the randomly reweighted rewards"

    @staticmethod
    def choose(history: Any, top: float) -> int:
        for k in range(history.arms):
            history.scores[k] = value_of_reweighted(history, k, top)
        return best_score(history)

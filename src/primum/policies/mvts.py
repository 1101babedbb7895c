"""MVTS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, empirical_variance, opening
from primum.kernels.streams import gamma, normal
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy


@dataclass(frozen=True)
class Mvts(Policy):
    """Thompson sampling for the mean minus rho times the variance, for normal rewards.

    Each arm once, then the largest draw of theta - rho / tau, with tau from Gamma(shape 1/2 + n/2, rate beta) and
    theta from Normal(mean, variance 1/n). The authors' recursion from beta = 1/2, beta += n/(n + 1) (x - mean)^2 / 2,
    is Welford's, so beta is 1/2 and half the sum of squared differences from the mean. They maximise R mean - variance;
    here rho = 1/R, as in `MvLcb`.

    Reference: Zhu, Tan, "Thompson sampling algorithms for mean-variance bandits", ICML 2020 (PMLR 119), MVTS.
    Not checked against the article: 1/n is read as a variance because that is the posterior of the mean of rewards of
    variance 1 under a flat prior. Rewards that vary less are explored more than they need.

    >>> Mvts(rho=2).own_value
    {'name': 'mean-variance', 'rho': 2.0}
    """

    title = "MVTS"

    rho: float = parameter(1.0, "weight of the variance", low=0.0)

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "mean-variance", "rho": self.rho}

    decides_by = "draw from the posterior"

    @staticmethod
    def choose(history: Any, rho: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            n = history.pulls[k]
            rate = 0.5 + 0.5 * n * empirical_variance(history, k)
            variance = rate / gamma(history.stream, 0.5 + 0.5 * n)
            theta = history.sums[k] / n + normal(history.stream) / math.sqrt(n)
            history.scores[k] = theta - rho * variance
        return best_score(history)

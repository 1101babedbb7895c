"""Distributions as their definitions have them: expectations by adaptive quadrature on densities, and plain sums."""

from itertools import pairwise

import numpy as np
from scipy import stats
from scipy.integrate import quad

from primum import rewards
from tests.rewards.textbook import textbook


class ByDefinition:
    """E f(X) and P(X <= x) of an arm that may be made of others; nothing is asked of the arm itself."""

    def __init__(self, arm):
        self.arm = arm

    def expectation(self, f, kinks=()):
        arm = self.arm
        if isinstance(arm, rewards.Clipped):
            inner = ByDefinition(arm.distribution)
            return inner.expectation(lambda x: f(min(max(x, arm.low), arm.high)), [arm.low, arm.high, *kinks])
        if isinstance(arm, rewards.Scaled):
            low, high = arm.distribution.support
            factor = (arm.high - arm.low) / (high - low)
            return ByDefinition(arm.distribution).expectation(
                lambda x: f(arm.low + factor * (x - low)), [low + (kink - arm.low) / factor for kink in kinks]
            )
        if isinstance(arm, rewards.Mixture):
            weights = arm.weights or [1 / len(arm.components)] * len(arm.components)
            return sum(
                w * ByDefinition(part).expectation(f, kinks) for w, part in zip(weights, arm.components, strict=True)
            )
        if isinstance(arm, rewards.Bernoulli):
            return arm.probability * f(1.0) + (1 - arm.probability) * f(0.0)
        if isinstance(arm, rewards.Constant):
            return f(arm.value)
        if isinstance(arm, rewards.Discrete):
            return sum(p * f(x) for x, p in zip(arm.values, arm.probabilities, strict=True))
        if isinstance(arm, rewards.Empirical):
            return sum(f(x) for x in arm.data) / len(arm.data)
        density = self._density()
        low, high = arm.support
        low, high = max(low, -40.0), min(high, 40.0)  # the tests' unbounded arms have no more than 1e-15 beyond
        edges = sorted({low, high, *np.clip([*kinks, *np.linspace(low, high, 5)], low, high).tolist()})
        return sum(
            quad(lambda x: f(x) * density(x), a, b, epsabs=1e-14, epsrel=1e-12, limit=200)[0]
            for a, b in pairwise(edges)
        )

    def _density(self):
        if isinstance(self.arm, rewards.Beta):
            return stats.beta(self.arm.a, self.arm.b).pdf
        if isinstance(self.arm, rewards.Scipy):
            return getattr(stats, self.arm.distribution)(
                *self.arm.shapes, loc=self.arm.location, scale=self.arm.scale
            ).pdf
        return textbook(self.arm)[0]

    def cdf(self, z):
        return self.expectation(lambda x: float(x <= z), [z])

    def lower_integral(self, level, z):
        """level z - E (z - X)+, largest at the quantile z of the level (Rockafellar, Uryasev 2000)."""
        return level * z - self.expectation(lambda x: max(z - x, 0.0), [z])

"""Continuous distributions as a textbook has them: fine in the middle of the road, useless far out."""

import numpy as np
from scipy.stats import norm

from primum import rewards


def components(arm):
    """Locations, deviations and weights before the cut."""
    if isinstance(arm, rewards.TruncatedNormal):
        return np.array([arm.location]), np.array([arm.deviation]), np.ones(1)
    count = len(arm.locations)
    return np.array(arm.locations), np.array(arm.deviations), np.array(arm.weights or [1 / count] * count)


def textbook(arm):
    """Density and distribution function of one number."""
    low, high = arm.support
    if isinstance(arm, rewards.Uniform):
        return lambda x: 1 / (high - low), lambda x: (x - low) / (high - low)
    m, s, w = components(arm)
    mass = norm.cdf(high, m, s) - norm.cdf(low, m, s)
    w = w / (w @ mass) if getattr(arm, "truncate", "") == "mixture" else w / mass
    return lambda x: w @ norm.pdf(x, m, s), lambda x: w @ (norm.cdf(x, m, s) - norm.cdf(low, m, s))

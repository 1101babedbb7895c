"""The levels of the quantile function at which a reward is found: one, or a whole interval where it is an atom."""

from __future__ import annotations

from typing import Any

import numpy as np


def levels(distribution: Any, x: Any) -> tuple[Any, Any]:
    """P(X < x) and P(X <= x), for an array of rewards in the support."""
    lowest = distribution.support[0]
    just_below = np.maximum(np.nextafter(x, -np.inf), lowest)
    return np.where(x > lowest, distribution.cdf(just_below), 0.0), distribution.cdf(x)

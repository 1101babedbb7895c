"""Regret of policies relative to that of another one, such as the best."""

from __future__ import annotations

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def relative(means: Array, reference: Any) -> Array:
    """Mean regrets divided by that of the reference; one where both are zero, and infinite where only the reference is.

    >>> relative(np.array([3.0, 2.0, 0.0]), 2.0).tolist(), relative(np.array([3.0, 0.0]), 0.0).tolist()
    ([1.5, 1.0, 0.0], [inf, 1.0])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(means == reference, 1.0, means / reference)

"""Ratios of regret: the corners where both, or only the reference, are zero."""

from __future__ import annotations

import numpy as np

from primum.results.ratios import relative


def test_zero_regret_is_as_good_as_zero_regret_and_infinitely_better_than_some():
    means = np.array([[2.0, 0.0, 5.0], [4.0, 3.0, 5.0], [1.0, 0.0, np.nan]])
    found = relative(means, means[[2]])
    np.testing.assert_array_equal(found, [[2, 1, np.nan], [4, np.inf, np.nan], [1, 1, np.nan]])

"""Rows of whole numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def different_rows(table: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """The different rows of a table, in order, and the number of the one that each row is.

    >>> different_rows(np.array([[2, 1], [0, 3], [2, 1]]))
    (array([[0, 3],
           [2, 1]]), array([1, 0, 1]))
    """
    if (table == table[:1]).all():  # sorting rows takes long
        return table[:1], np.zeros(len(table), np.intp)
    rows, group = np.unique(table, axis=0, return_inverse=True)
    return rows, group.ravel()

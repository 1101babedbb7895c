"""Parts of figures from samples on named axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from primum.figures import Line, Row
from primum.results.intervals import Array, mean_band

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray


def mean_lines(
    samples: DataArray, names: Mapping[str, str], low: float = -np.inf, high: float = np.inf
) -> tuple[Line, ...]:
    """For each named policy the mean over replications with its 95 % interval, clipped to the range given."""
    every = {name: samples.sel(policy=policy).transpose("replication", ...) for policy, name in names.items()}
    return tuple(Line(name, *np.clip(mean_band(one.values), low, high)) for name, one in every.items())


def plain_line(label: str, middle: Array) -> Line:
    """A curve without a band."""
    none = np.full(len(middle), np.nan)
    return Line(label, middle, none, none)


def row(label: str, band: Array, group: str = "") -> Row:
    """An estimate with its interval, in a forest plot."""
    middle, low, high = band.tolist()
    return Row(label, middle, low, high, group)

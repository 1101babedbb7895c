"""What is kept of each trial: a row of numbers, from which operating characteristics are computed."""

from __future__ import annotations

import zlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.problem import ROUNDING_ERROR
from primum.trials import estimates
from primum.trials.analyses import Analysis
from primum.trials.data import Floats, TrialData
from primum.trials.design import Design
from primum.trials.estimated_values import estimated_values
from primum.trials.simulation.probabilities import allocation_probabilities
from primum.trials.simulation.running import Trials

COMPRESSION = 1  # level of zlib
BY_ARM = ("counts", "sums", "claimed", "chosen")
BY_COMPARISON = ("concluded", "p_value", "evidence", "estimate", "low", "high")
SINGLE = ("size", "duration", "reason", "expected")


class Measures:
    """A table trial x column, whose columns have names; those by arm or by comparison have several numbers.

    `concluded` is 1 if the analysis declares the arm better than the control, -1 if worse, 0 if neither; `claimed` is
    1 for an arm declared better at a look. `chosen` is the share of an arm in the choice at
    the end. `expected` is the outcome that equal randomisation would give on average.
    """

    def __init__(self, arms: int, table: Floats) -> None:
        self.arms, self.table = arms, table
        self._columns: dict[str, slice] = {}
        first = 0
        for names, width in ((BY_ARM, arms), (BY_COMPARISON, arms - 1), (SINGLE, 1)):
            for name in names:
                self._columns[name] = slice(first, first + width)
                first += width
        self.width = first

    def __getitem__(self, name: str) -> Floats:
        found = self.table[:, self._columns[name]]
        return found[:, 0] if name in SINGLE else found

    def __len__(self) -> int:
        return len(self.table)

    @classmethod
    def of(cls, trials: Trials) -> Measures:
        """The measures of trials that are over."""
        design, data = trials.design, trials.data
        p_values = design.analysis.p_values(data)
        concluded = conclusions(design.analysis, data, p_values)
        evidence = statistic_of(design, trials)
        estimate = estimated(design, trials, slowly=False)
        parts: list[Any] = [data.counts, data.sums, trials.claimed, chosen(data), concluded, p_values, evidence]
        parts += [estimate.estimate, estimate.low, estimate.high]
        parts += [each[:, None] for each in (trials.size, trials.duration, trials.reason, trials.expected)]
        return cls(len(design.arms), np.concatenate([np.asarray(part, np.float64) for part in parts], axis=1))

    def pack(self) -> bytes:
        """The table as bytes."""
        shape = np.array(self.table.shape, "<i8").tobytes()
        return shape + zlib.compress(np.ascontiguousarray(self.table.T).tobytes(), COMPRESSION)


def unpack(content: bytes, arms: int) -> NDArray[np.float64] | None:
    """The table that `Measures.pack` packed; None if it did not pack one for so many arms."""
    try:
        rows, columns = np.frombuffer(content, "<i8", 2)
        table = np.frombuffer(zlib.decompress(content[16:]), np.float64).reshape(columns, rows).T
    except (ValueError, zlib.error):
        return None
    return table if columns == Measures(arms, np.empty((0, 0))).width else None


def conclusions(analysis: Analysis, data: TrialData, p_values: Floats) -> Floats:
    """What an analysis with these p-values concludes: trial x comparison."""
    own = type(analysis).rejections is not Analysis.rejections  # else p-values would be computed twice
    rejected = analysis.rejections(data) if own else analysis.significant(p_values)
    return analysis.conclusions(rejected, data)


def chosen(data: TrialData) -> Floats:
    """1 for the arm with the highest estimated safety value in the end, among those that no look dropped: trial x arm.

    Arms that tie share it equally. 0 for all if none of those left has an outcome.
    """
    values = np.where(data.active & (data.counts > 0), estimated_values(data), -np.inf)
    highest = values.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore"):
        first = np.isfinite(values) & (values >= highest - ROUNDING_ERROR * np.maximum(1.0, np.abs(highest)))
    return np.asarray(first / np.maximum(first.sum(axis=1, keepdims=True), 1))


def statistic_of(design: Design, trials: Trials) -> Floats:
    """The test statistic in the direction of the alternative; NaN for an analysis that has none."""
    if not design.analysis.has_statistic:
        return np.full((len(trials), len(design.arms) - 1), np.nan)
    return design.analysis.evidence(trials.data)


def estimated(design: Design, trials: Trials, *, slowly: bool = True) -> estimates.Estimate:
    """The difference between each arm and the control, as the design estimates it; `interval_title` has the level.

    Unless it may be computed `slowly`, an interval that is slow is left out.
    """
    if design.estimator == "naive" and design.analysis.interval_is_slow and not slowly:
        found = estimates.naive_difference(trials.data, design.analysis.level(design))
        return replace(found, low=np.full_like(found.low, np.nan), high=np.full_like(found.high, np.nan))
    if design.estimator == "naive":
        return design.analysis.difference(trials.data)
    chances, level = allocation_probabilities(trials), design.analysis.level(design)
    if design.estimator == "inverse-probability":
        return estimates.inverse_probability_weighted(trials.data, chances, level)
    return estimates.adaptively_weighted_aipw(trials.data, chances, level)

"""The ends of a trial, ordered by how much they speak against the null hypothesis."""

from __future__ import annotations

import dataclasses
import json
import math
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.store.lru_cache import LruCache
from primum.text import listed
from primum.trials.data import Floats
from primum.trials.exact_law import null
from primum.trials.exact_law.final_counts import FinalCounts, final_counts, key_of
from primum.trials.rows import different_rows

if TYPE_CHECKING:
    from primum.trials.analyses import Analysis
    from primum.trials.design import Design

TIE = 1e-10  # of statistics: closer ones count as equal
LARGEST_STATISTIC = 1e6  # beyond it all are equal
MOST_EVENTS = 1_024  # tails at a time
CACHED_BYTES = 1 << 29


class Ranking:
    """The places of all ends with the same size and total of successes, the largest statistic first.

    It depends on the statistics alone, so designs with the same numbers of patients share it.
    """

    def __init__(self, pulls: list[tuple[int, int]], evidence: list[Floats]) -> None:
        starts = np.concatenate([[0], np.cumsum([table.size for table in evidence])])
        self.statistics = np.concatenate([table.ravel() for table in evidence])
        self.slices: dict[int, list[NDArray[np.int32]]] = {}
        for size in sorted({sum(pair) for pair in pulls}):
            at = [i for i, pair in enumerate(pulls) if sum(pair) == size]
            self.slices[size] = []
            for total in range(size + 1):
                parts = []
                for i in at:
                    first, second = pulls[i]
                    won = np.arange(max(0, total - first), min(total, second) + 1)
                    parts.append(starts[i] + (total - won) * (second + 1) + won)
                places = np.concatenate(parts)
                order = np.argsort(-self.statistics[places], kind="stable")
                self.slices[size].append(places[order].astype(np.int32))


class Ordering:
    """The ends of a trial with their statistics; larger ones speak more against the null hypothesis."""

    def __init__(self, ends: list[FinalCounts], ranking: Ranking, evidence: list[Floats]) -> None:
        self.ends, self.ranking, self.evidence = ends, ranking, evidence
        self._chances = np.concatenate([end.chance.ravel() for end in ends])
        self._tables = {end.pulls: table for end, table in zip(ends, evidence, strict=True)}
        self._conditional: dict[float, dict[int, Floats]] = {}
        self._unconditional: dict[float, float] = {}

    @cached_property
    def sizes(self) -> list[int]:
        """The sizes that a trial can have."""
        return sorted({end.patients for end in self.ends})

    def check_sizes(self, sizes: NDArray[np.int64]) -> None:
        """Raise a ParameterError if data are not those of a trial that has ended."""
        strange = np.setdiff1d(sizes, self.sizes)
        if strange.size:
            raise ParameterError(
                f"an exact test needs the outcomes of a trial that has ended, {listed([*map(str, self.sizes)], 'or')} "
                f"of them, got {strange[0]}"
            )

    def evidence_of(self, counts: NDArray[np.int64], successes: NDArray[np.int64]) -> Floats:
        """The statistic of each trial with these patients and successes of both arms: trial x arm."""
        self.check_sizes(counts.sum(axis=1))
        found = np.empty(len(counts))
        pairs, group = different_rows(counts)
        for number, (first, second) in enumerate(pairs.tolist()):
            rows = np.flatnonzero(group == number)
            table = self._tables.get((first, second))
            if table is None:
                raise ParameterError(
                    f"an exact test needs data that the design can give, and it never ends with {first} patients on "
                    f"the control and {second} on the other arm"
                )
            found[rows] = table[tuple(successes[rows].T)]
        return found

    def by_conditional_p_values(self) -> Ordering:
        """The same ends ordered by minus the logarithm of their conditional p-values."""
        flat = np.full(self.ranking.statistics.size, -LARGEST_STATISTIC)
        for size in self.sizes:
            for total in range(size + 1):
                values, tail = self.conditional_tail(size, total)
                if np.isnan(tail[-1]):  # the design cannot have this total
                    continue
                with np.errstate(divide="ignore"):
                    p = np.minimum(-np.log(tail), LARGEST_STATISTIC)
                statistics, _ = self.slice(size, total)
                flat[self.ranking.slices[size][total]] = p[
                    np.searchsorted(-values, -statistics + TIE, side="right") - 1
                ]
        evidence = split(flat, [end.chance.shape for end in self.ends])
        return Ordering(self.ends, Ranking([end.pulls for end in self.ends], evidence), evidence)

    def slice(self, size: int, total: int) -> tuple[Floats, Floats]:
        """All ends with this size and total of successes: statistics from the largest down, and probabilities."""
        places = self.ranking.slices[size][total]
        return self.ranking.statistics[places], self._chances[places]

    def conditional_tail(self, size: int, total: int) -> tuple[Floats, Floats]:
        """Different statistics in descending order, and the probability of one at least as large, given the total."""
        values, weights = self.slice(size, total)
        last = np.append(np.diff(values) < -TIE, True)  # of those that are equal
        tail = np.cumsum(weights)
        with np.errstate(invalid="ignore"):  # where the design cannot have this total
            return values[last], tail[last] / tail[-1]

    def conditional_p_values(self, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64]) -> Floats:
        """The conditional probability of a statistic at least as large, for trials with given sizes and totals."""
        p = np.ones(len(evidence))
        groups, group = different_rows(np.column_stack([sizes, totals]))
        for number, (size, total) in enumerate(groups.tolist()):
            rows = np.flatnonzero(group == number)
            values, tail = self.conditional_tail(size, total)
            position = np.searchsorted(-values, -evidence[rows] + TIE, side="right")
            p[rows] = np.append(0.0, tail)[position]
        return p

    def conditional_critical(self, alpha: float) -> dict[int, Floats]:
        """For each size, the critical value for each total: larger statistics have probability at most alpha."""
        if alpha not in self._conditional:
            found = {size: np.empty(size + 1) for size in self.sizes}
            for size in self.sizes:
                for total in range(size + 1):
                    values, tail = self.conditional_tail(size, total)
                    found[size][total] = values[np.searchsorted(tail, alpha, side="right")] + TIE
            self._conditional[alpha] = found
        return self._conditional[alpha]

    def conditional_rejections(
        self, evidence: Floats, sizes: NDArray[np.int64], totals: NDArray[np.int64], alpha: float
    ) -> NDArray[np.bool_]:
        """Where the conditional p-value is at most alpha."""
        critical = np.empty(len(evidence))
        for size, values in self.conditional_critical(alpha).items():
            critical[sizes == size] = values[totals[sizes == size]]
        return np.asarray(evidence > critical)

    def sums(self, thresholds: Floats) -> null.Sums:
        """The probability at p = 1/2 of a statistic above each of ascending thresholds: by size, threshold x total."""
        rows = len(thresholds)
        counts = {size: np.zeros((rows + 1) * (size + 1)) for size in self.sizes}
        for end, evidence in zip(self.ends, self.evidence, strict=True):
            width, (first, second) = end.patients + 1, end.successes
            above = np.searchsorted(thresholds, evidence, side="left") if rows > 1 else evidence > thresholds
            cells = above * width + (first + second).astype(np.int64)
            counts[end.patients] += np.bincount(cells.ravel(), end.chance.ravel(), (rows + 1) * width)
        tables = {size: table.reshape(rows + 1, -1)[1:] for size, table in counts.items()}
        return {size: np.cumsum(table[::-1], axis=0)[::-1] for size, table in tables.items()}

    def unconditional_p_values(self, evidence: Floats) -> Floats:
        """The largest probability over p of a statistic at least as large."""
        thresholds, inverse = np.unique(evidence - TIE, return_inverse=True)
        parts = [thresholds[i : i + MOST_EVENTS] for i in range(0, len(thresholds), MOST_EVENTS)]
        p = np.concatenate([null.largest(self.sums(part))[0] for part in parts]) if parts else thresholds
        return np.asarray(np.minimum(p, 1.0)[inverse.ravel()])

    def unconditional_critical(self, alpha: float) -> float:
        """The smallest value that statistics exceed with probability at most alpha, whatever p is."""
        if alpha not in self._unconditional:
            low, high = min(each.min() for each in self.evidence) - 1, max(each.max() for each in self.evidence)
            while high - low > TIE:
                middle = (low + high) / 2
                if null.largest(self.sums(np.array([middle])))[0][0] <= alpha:
                    high = middle
                else:
                    low = middle
            self._unconditional[alpha] = float(high)
        return self._unconditional[alpha]


_cache: LruCache[Ordering] = LruCache(
    most=16, room=CACHED_BYTES, size=lambda made: sum(each.nbytes for each in made.evidence)
)
_rankings: LruCache[tuple[list[Floats], Ranking]] = LruCache(
    most=16, room=CACHED_BYTES, size=lambda made: 2 * made[1].statistics.nbytes
)


def ordering(design: Design, analysis: Analysis, sided: str) -> Ordering:
    """The ends of a design, ordered by an analysis in the direction of an alternative.

    An exact test orders them by its p-values, any other analysis by its statistic; where it has none there is no
    evidence.
    """
    from primum.trials.analyses.exact_test import ExactTest

    def evidence(end: FinalCounts) -> Floats:
        values = dataclasses.replace(analysis, sided=sided).evidence(end.data(design))[:, 0]
        clipped = np.clip(values, -LARGEST_STATISTIC, LARGEST_STATISTIC)
        return np.where(np.isnan(values), -LARGEST_STATISTIC, clipped).reshape(end.chance.shape)

    spec = json.dumps(analysis.spec(), sort_keys=True)  # a label leaves out most of a long list

    def make() -> Ordering:
        if isinstance(analysis, ExactTest):
            return analysis.reordered(ordering(design, analysis.order, sided))
        ends = final_counts(design)
        pulls = [end.pulls for end in ends]

        def rank() -> tuple[list[Floats], Ranking]:
            tables = [evidence(end) for end in ends]
            return tables, Ranking(pulls, tables)

        tables, ranking = _rankings.get_or_compute((type(analysis), spec, sided, tuple(pulls)), rank)
        return Ordering(ends, ranking, tables)

    return _cache.get_or_compute((key_of(design), type(analysis), spec, sided), make)


def split(flat: Floats, shapes: list[tuple[int, ...]]) -> list[Floats]:
    """Tables of these shapes that lie one after the other."""
    ends = np.cumsum([math.prod(shape) for shape in shapes])
    return [part.reshape(shape) for part, shape in zip(np.split(flat, ends[:-1]), shapes, strict=True)]

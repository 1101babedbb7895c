"""Exact operating characteristics of a design with two arms and outcomes 0 and 1."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError, quoted
from primum.plugins.parameters import Parameter
from primum.runs.progress import Progress
from primum.trials.data import Floats
from primum.trials.exact_law import null
from primum.trials.exact_law.final_counts import FinalCounts, final_counts
from primum.trials.exact_law.intervals import Interval, Inversion
from primum.trials.exact_law.ordering import ordering

if TYPE_CHECKING:
    from primum.trials.analyses import Analysis
    from primum.trials.design import Design

LEVEL = Parameter("", 0.0, 1.0, open_low=True, open_high=True)
IMBALANCE = 0.1  # of all patients: Thall, Fox and Wathen, Annals of Oncology 26, 2015


class LargestError(NamedTuple):
    """The largest type I error, the common success probability with it, and the largest distance of grid points."""

    value: float
    p: float
    resolution: float


def exact(design: Design, progress: bool | Progress = True) -> Law:
    """The exact operating characteristics of a design with two arms and outcomes 0 and 1.

    One computation serves all success probabilities and all analyses. The policy must offer its allocation
    probabilities (`Policy.chances`). Coin, burn-in, blocks, looks and a delay of a few patients are possible. Another
    analysis of the same design does not repeat the computation.

    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=40, policy=policies.Thompson(), analysis=trials.PooledZ(sided="greater"),
    ... )
    >>> law = exact(design)
    >>> law.reject(0.3, [0.3, 0.5, 0.7]).round(4).tolist()
    [0.0542, 0.3193, 0.7121]
    >>> law.patients(0.3, 0.7).round(2).tolist()
    [6.51, 33.49]
    >>> largest = law.largest_type_1()
    >>> round(largest.value, 4), round(largest.p, 2)
    (0.1243, 0.91)
    """
    return Law(design, final_counts(design, progress))


class Law:
    """The distribution of a trial's data, for all success probabilities p0 of the control and p1 of the other arm.

    All methods take numbers or arrays of p0 and p1, which are broadcast against each other. A trial that stops early
    ends with the patients enrolled so far, whose outcomes are all awaited.
    """

    def __init__(self, design: Design, ends: list[FinalCounts]) -> None:
        self.design, self.ends = design, ends

    def __repr__(self) -> str:
        return f"<Law of {self.design.display_name}, {self.design.patients} patients>"

    @cached_property
    def rejected(self) -> list[NDArray[np.bool_]]:
        """Whether a difference is declared, for each end of the trial."""
        from primum.trials.analyses.exact_test import ExactTest

        analysis = self.design.analysis
        if self.design.test is not analysis:
            return [np.full(end.chance.shape, any(end.claimed)) for end in self.ends]
        if isinstance(analysis, ExactTest):
            return analysis.rejected(ordering(self.design, analysis.order, analysis.sided))
        try:
            return [analysis.rejections(end.data(self.design))[:, 0].reshape(end.chance.shape) for end in self.ends]
        except (TypeError, AttributeError) as error:  # it meets None where data have patients one by one
            raise PrimumError(
                f"{analysis.display_name} fails on counts of successes alone ({error}); exact operating "
                "characteristics need an analysis that uses only those"
            ) from error

    def reject(self, p0: Any, p1: Any) -> Floats:
        """The probability that a difference is declared: power, or type I error where p0 = p1."""
        return self._total(p0, p1, lambda i, end: end.chance * self.rejected[i])

    def declared(self, p0: Any, p1: Any) -> Floats:
        """The probability that each arm is declared better, at a look or by the analysis; the last axis is the arm."""
        toward = [self._total(p0, p1, lambda i, end, arm=arm: end.chance * self._declared[i][arm]) for arm in (0, 1)]
        return np.stack(toward, axis=-1)

    def wrong(self, p0: Any, p1: Any) -> Floats:
        """The probability that the worse arm is declared better; NaN where arms are equal."""
        toward = self.declared(p0, p1)
        return _of_worse(p0, p1, [toward[..., 0], toward[..., 1]])

    def highest(self, p0: Any, p1: Any) -> Floats:
        """The probability that each arm has the higher proportion of successes, half of it where they tie.

        The last axis is the arm. One without patients is the lower one.
        """

        def ahead(end: FinalCounts, arm: int) -> Floats:
            if 0 in end.pulls:
                return np.asarray(end.chance * (end.pulls[arm] > 0))
            (s0, s1), (n0, n1) = end.successes, end.pulls
            lead = np.sign(s1 * n0 - s0 * n1)
            return np.asarray(end.chance * (1 + (lead if arm else -lead)) / 2)

        return np.stack([self._total(p0, p1, lambda i, end, arm=arm: ahead(end, arm)) for arm in (0, 1)], axis=-1)

    def claims(self, p0: Any, p1: Any) -> Floats:
        """The probability that the stopping rule declares each arm better; the last axis is the arm."""
        return self.of_sizes(p0, p1, lambda end: np.array(end.claimed, np.float64))

    def patients(self, p0: Any, p1: Any) -> Floats:
        """Expected patients on each arm; the last axis is the arm."""
        return self.of_sizes(p0, p1, lambda end: np.array(end.pulls))

    def patients_sd(self, p0: Any, p1: Any) -> Floats:
        """The standard deviation of the patients on each arm; the last axis is the arm."""
        squares = self.of_sizes(p0, p1, lambda end: np.array(end.pulls) ** 2.0)
        return _sd(self.patients(p0, p1), squares)

    def allocation(self, p0: Any, p1: Any) -> Floats:
        """The probability of each number of patients on arm 1; the last axis is that number, from 0 to all."""
        counts = np.arange(self.design.patients + 1)
        return self.of_sizes(p0, p1, lambda end: counts == end.pulls[1])

    def size(self, p0: Any, p1: Any) -> Floats:
        """Expected patients on both arms together: fewer than planned if the trial can stop early."""
        return np.asarray(self.patients(p0, p1).sum(axis=-1))[()]

    def worse_majority(self, p0: Any, p1: Any) -> Floats:
        """The probability that the worse arm gets more than half of the patients; NaN where arms are equal."""
        return _of_worse(
            p0, p1, [self.of_sizes(p0, p1, lambda end, arm=arm: 2 * end.pulls[arm] > end.patients) for arm in (0, 1)]
        )

    def worse_imbalance(self, p0: Any, p1: Any) -> Floats:
        """The probability that the worse arm gets more patients by a tenth of those planned, or by even more.

        NaN where arms are equal.
        """
        least = IMBALANCE * self.design.patients - 1e-9
        return _of_worse(
            p0,
            p1,
            [
                self.of_sizes(p0, p1, lambda end, arm=arm: end.pulls[arm] - end.pulls[1 - arm] >= least)
                for arm in (0, 1)
            ],
        )

    def successes(self, p0: Any, p1: Any) -> Floats:
        """Expected successes in both arms together."""
        return self._total(p0, p1, lambda i, end: end.chance * sum(end.successes))

    def successes_sd(self, p0: Any, p1: Any) -> Floats:
        """The standard deviation of the successes in both arms together."""
        squares = self._total(p0, p1, lambda i, end: end.chance * sum(end.successes) ** 2)
        return _sd(self.successes(p0, p1), squares)

    def bias(self, p0: Any, p1: Any) -> Floats:
        """Expected error of the difference of proportions, arm 1 minus arm 0.

        Over trials with patients on both arms, as the difference is not defined in others.
        """
        total, _, share = self._errors(p0, p1)
        return total / share

    def rmse(self, p0: Any, p1: Any) -> Floats:
        """Root mean squared error of the difference of proportions, over trials with patients on both arms."""
        _, squares, share = self._errors(p0, p1)
        return np.asarray(np.sqrt(squares / share))[()]

    def interval(
        self,
        patients: Sequence[int],
        successes: Sequence[int],
        *,
        level: float | None = None,
        order: Analysis | None = None,
    ) -> Interval:
        """The exact interval of p1 - p0 after a trial with these patients and successes of both arms.

        It inverts the exact test of every difference, and has its level for all p0 and p1, whatever the allocation
        rule and however early the trial ended. The ends of the trial are ordered by the p-values of the conditional
        exact test, by the design's analysis if that is an exact test, or by `order`. The level is that of the design's
        interval unless it is given. `estimate` is the middle between the limits of level 0: the true difference is
        above the one, and below the other, with probability at most 1/2.

        >>> from primum import policies, trials
        >>> urn = policies.RandomisedPlayTheWinner()
        >>> design = trials.Design(arms=["usual", "new"], patients=12, policy=urn, analysis="conditional-exact")
        >>> found = exact(design).interval([1, 11], [0, 11])
        >>> round(found.estimate, 3), round(found.low, 3), round(found.high, 3), found.level
        (0.799, 0.063, 1.0, 0.95)
        """
        pulls, won = _whole_pair("patients", patients), _whole_pair("successes", successes)
        if not (0 <= won[0] <= pulls[0] and 0 <= won[1] <= pulls[1]):
            raise ParameterError(
                f"successes must be at most the patients, {pulls[0]} and {pulls[1]}, got {won[0]} and {won[1]}"
            )
        return self._inversion(order).interval(pulls, won, self._level(level))

    def coverage(self, p0: Any, p1: Any, *, level: float | None = None, order: Analysis | None = None) -> Floats:
        """The probability that the test of the true difference does not reject, so that `interval` covers p1 - p0.

        An interval covers also what lies between two differences that are not rejected. So where the probability of
        data beyond some end does not grow with the difference, as can be with early stopping, it may cover more often.
        """
        inversion, chosen = self._inversion(order), self._level(level)
        pairs = np.broadcast_arrays(_probabilities("p0", p0), _probabilities("p1", p1))
        found = np.empty(pairs[0].shape)
        differences = np.round(pairs[1] - pairs[0], 12)
        for difference in np.unique(differences):
            inside, at = inversion.covered(float(difference), chosen), differences == difference
            found[at] = self._total(pairs[0][at], pairs[1][at], lambda i, end, inside=inside: end.chance * inside[i])
        return found[()]

    def _inversion(self, order: Analysis | None) -> Inversion:
        from primum.trials.analyses import UnconditionalExact
        from primum.trials.analyses.exact_test import ExactTest

        own = self.design.analysis
        return Inversion(self.design, order or (own if isinstance(own, ExactTest) else UnconditionalExact()))

    def _level(self, level: float | None) -> float:
        if level is None:
            return float(self.design.analysis.level(self.design))
        return float(LEVEL.check("level", level))

    def type_1(self, p: Any) -> Floats:
        """The probability to reject if both arms have success probability p."""
        p = _probabilities("p", p)
        return np.asarray(null.probability(self._null_sums, p.ravel())[0].reshape(p.shape))[()]

    def largest_type_1(self) -> LargestError:
        """The largest type I error over all common success probabilities.

        By a grid, then a search around the maxima; `resolution` is the largest distance between points of the grid.
        """
        value, p = null.largest(self._null_sums)
        return LargestError(float(value[0]), float(p[0]), float(null.RESOLUTION))

    @cached_property
    def _null_sums(self) -> null.Sums:
        sums: dict[int, Floats] = {}
        for end, rejected in zip(self.ends, self.rejected, strict=True):
            totals = sum(end.successes).astype(np.int64)  # type: ignore[union-attr]
            part = np.bincount(totals.ravel(), (end.chance * rejected).ravel(), end.patients + 1)
            sums.setdefault(end.patients, np.zeros((1, end.patients + 1)))[0] += part
        return sums

    @cached_property
    def _declared(self) -> list[tuple[NDArray[np.bool_], NDArray[np.bool_]]]:
        """Where the control, and where the other arm, is declared better, for each end of the trial."""
        analysis, found = self.design.analysis, []
        for end, rejected in zip(self.ends, self.rejected, strict=True):
            if self.design.test is not analysis:
                found.append((rejected & end.claimed[0], rejected & end.claimed[1]))
                continue
            concluded = analysis.conclusions(rejected.reshape(-1, 1), end.data(self.design)).reshape(rejected.shape)
            found.append((concluded < 0, concluded > 0))
        return found

    def _errors(self, p0: Any, p1: Any) -> tuple[Floats, Floats, Floats]:
        """Sum of errors and of squared errors of the difference, and probability that there is one."""

        def moment(power: int) -> Floats:
            return self._total(p0, p1, lambda i, end: None if 0 in end.pulls else end.chance * end.difference**power)

        true = np.subtract(p1, p0)
        share, first, second = moment(0), moment(1), moment(2)
        with np.errstate(invalid="ignore"):
            share = np.where(share > 0, share, np.nan)[()]
        return first - true * share, np.maximum(second - 2 * true * first + true**2 * share, 0.0), share

    def _total(self, p0: Any, p1: Any, weighted: Callable[..., Floats | None]) -> Floats:
        """The sum over all ends of what `weighted` gives for p0 = p1 = 1/2, re-weighted; None counts as zeros."""
        scenarios = _Scenarios(p0, p1, self.design.patients)
        total = np.zeros(scenarios.count)
        for i, end in enumerate(self.ends):
            table = weighted(i, end)
            if table is not None:
                total += scenarios.total(table)
        return total.reshape(scenarios.shape)[()]

    def of_sizes(self, p0: Any, p1: Any, feature: Callable[..., Any]) -> Floats:
        """The mean of a number or an array that depends on the patients on each arm and the arms claimed only."""
        scenarios = _Scenarios(p0, p1, self.design.patients)
        chances = np.stack([scenarios.total(end.chance) for end in self.ends], axis=-1)
        features = np.array([feature(end) for end in self.ends], np.float64)
        return np.asarray((chances @ features).reshape(scenarios.shape + features.shape[1:]))[()]


class _Scenarios:
    """Pairs of success probabilities; sums over tables of successes by products of matrices."""

    def __init__(self, p0: Any, p1: Any, patients: int) -> None:
        pairs = np.broadcast_arrays(_probabilities("p0", p0), _probabilities("p1", p1))
        self.shape, self.count = pairs[0].shape, pairs[0].size
        (first, self.row), (second, self.column) = (np.unique(p, return_inverse=True) for p in pairs)
        self.is_grid = first.size * second.size <= 2 * self.count
        exponents = np.arange(patients + 1.0)
        self.powers = [[(2 * p[:, None]) ** exponents for p in (of_arm, 1 - of_arm)] for of_arm in (first, second)]

    def total(self, table: Floats) -> Floats:
        """The sum of a table of probabilities at 1/2, successes of arm 0 x successes of arm 1, for each pair."""
        weights = [
            of_success[:, :n] * of_failure[:, n - 1 :: -1]
            for (of_success, of_failure), n in zip(self.powers, table.shape, strict=True)
        ]
        left, row, column = weights[0] @ table, self.row.ravel(), self.column.ravel()
        if self.is_grid:
            return np.asarray((left @ weights[1].T)[row, column])
        return np.asarray(np.einsum("ij,ij->i", left[row], weights[1][column]))


def _probabilities(name: str, given: Any) -> Floats:
    try:
        p = np.asarray(given, np.float64)
    except (TypeError, ValueError):
        p = np.array(np.nan)
    if not ((p >= 0) & (p <= 1)).all():
        raise ParameterError(f"{name} must be a number in [0, 1] or an array of them, got {quoted(given)}")
    return p


def _whole_pair(name: str, given: Any) -> tuple[int, int]:
    pair = np.asarray(given)
    if pair.shape != (2,) or not np.issubdtype(pair.dtype, np.integer):
        raise ParameterError(
            f"{name} must be two whole numbers, of the control and of the other arm, got {quoted(given)}"
        )
    return int(pair[0]), int(pair[1])


def _of_worse(p0: Any, p1: Any, by_arm: list[Floats]) -> Floats:
    first, second = np.broadcast_arrays(np.asarray(p0, np.float64), np.asarray(p1, np.float64))
    return np.where(first == second, np.nan, np.where(first < second, by_arm[0], by_arm[1]))[()]


def _sd(mean: Floats, squares: Floats) -> Floats:
    return np.asarray(np.sqrt(np.maximum(squares - mean**2, 0.0)))[()]

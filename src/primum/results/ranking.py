"""Policies ranked over several experiments by regret relative to the best one of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import ParameterError, PrimumError
from primum.results.measures import REGRET
from primum.results.ratios import relative
from primum.results.results import Results

if TYPE_CHECKING:
    from primum.results.formats.tables import RankingTable

Array = np.ndarray[Any, Any]
RESAMPLES = 1000
FEWEST_REPLICATIONS = 4  # for an interval: two in each half


@dataclass(frozen=True)
class Ranking:
    """The final regret of each policy in each experiment, policy x replication by the name of the experiment.

    >>> rng = np.random.default_rng(1)
    >>> finals = {"easy": rng.normal([[1.0], [2.0]], 0.1, (2, 50)), "hard": rng.normal([[8.0], [4.0]], 0.1, (2, 50))}
    >>> Ranking(["a", "b"], ["A", "B"], finals).ratios.round(1).tolist()
    [[1.0, 2.0], [2.0, 1.0]]
    """

    labels: Sequence[str]
    titles: Sequence[str]
    finals: Mapping[str, Array]
    equal: int = 0  # experiments left out because all arms are equally good
    empty: int = 0  # experiments left out because no replication is complete

    def __post_init__(self) -> None:
        for name, final in self.finals.items():
            if final.shape[0] != len(self.labels) or not final.size or not (np.isfinite(final) & (final >= 0)).all():
                raise ParameterError(
                    f"{name}: the final regret must be policy x replication, finite and not negative, for "
                    f"{len(self.labels)} policies, got {final!r}"
                )

    @classmethod
    def of(cls, experiments: Iterable[tuple[str, Results]]) -> Ranking:
        """The ranking over experiments with the same policies, one after the other, by name."""
        finals, equal, empty, results = {}, 0, 0, None
        for name, results in experiments:
            if results.problem.best.all():
                equal += 1
            elif not len(results.replications):
                empty += 1
            else:
                last = results.steps[-1:], results.pulls.values[:, :, -1:]
                if name in finals:
                    raise PrimumError(f"two experiments have the same name: {name!r}")
                finals[name] = REGRET.of(results.problem, *last)[:, :, 0]
        if results is None or not finals:
            raise PrimumError("there is nothing to rank: no experiment has regret and a complete replication")
        return cls(results.labels, results.titles, finals, equal, empty)

    @cached_property
    def ratios(self) -> Array:
        """Mean regret divided by that of the best policy: policy x experiment; infinite if the best one has none."""
        means = [final.mean(axis=1) for final in self.finals.values()]
        return np.stack([relative(one, one.min()) for one in means], axis=1)

    @property
    def geometric_means(self) -> Array:
        """The geometric mean of the ratios of each policy."""
        means: Array = np.exp(np.log(self.ratios).mean(axis=1))
        return means

    @property
    def order(self) -> Array:
        """The positions of the policies, the smallest geometric mean first; if infinite, by the ratios that are not."""
        finite = np.isfinite(self.ratios)
        logs = np.log(np.where(finite, self.ratios, 1.0)).sum(axis=1) / np.maximum(finite.sum(axis=1), 1)
        return np.lexsort((logs, ~finite.all(axis=1)))

    @cached_property
    def intervals(self) -> Array:
        """95 % intervals of geometric mean and worst ratio: low and high x mean and worst x policy.

        By resampling the replications, the same ones in all experiments: those of the same number share their random
        numbers. The weights are exponential, so that none is zero (Rubin, Annals of Statistics 9, 1981).

        The lowest of several means is biased downwards, and the largest of several ratios upwards. Averaging over
        experiments does not reduce this, and no estimator is free of it (Blumenthal and Cohen, J. Am. Statist. Ass. 63,
        1968). So the low end is that of another estimate: one half of the replications chooses the best policy, or the
        worst experiment, and the other half measures the ratio there, which on average is at most the true one. NaN
        with fewer than four replications, or if a ratio is infinite.
        """
        counts = [final.shape[1] for final in self.finals.values()]
        shape = (RESAMPLES, len(self.labels))
        if min(counts) < FEWEST_REPLICATIONS:
            return np.full((2, 2, shape[1]), np.nan)
        weights = np.random.default_rng(0).standard_exponential((RESAMPLES, max(counts)))
        high, low = np.zeros((2, 2, *shape))  # logarithms of mean and worst
        measured, chosen = (
            np.zeros((2, *shape)),
            np.zeros((2, shape[1])),
        )  # the worst ratio, and as the other half has it
        with np.errstate(divide="ignore", invalid="ignore"):  # logarithms of zero, and infinity minus infinity
            for final in self.finals.values():
                halves = [final[:, k::2] for k in (0, 1)]
                sums = [weights[:, k : final.shape[1] : 2] @ halves[k].T for k in (0, 1)]
                both = sums[0] + sums[1]
                logs = np.log(relative(both, both.min(axis=1, keepdims=True)))
                high[0] += logs / len(counts)
                high[1] = np.maximum(high[1], logs)
                for k in (0, 1):
                    means = halves[1 - k].mean(axis=1)
                    logs = np.log(relative(sums[k], sums[k][:, [means.argmin()]]))
                    low[0] += logs / (2 * len(counts))
                    ratios = relative(means, means.min())
                    worse = ratios > chosen[k]
                    measured[k, :, worse], chosen[k, worse] = logs.T[worse], ratios[worse]
            low[1] = measured.mean(axis=0)
        level = _level(min(counts) // 2)
        ends = np.quantile(low, level, axis=1, method="lower"), np.quantile(high, 1 - level, axis=1, method="higher")
        middles = np.stack([self.geometric_means, self.ratios.max(axis=1)])
        lows, highs = np.exp(ends)
        return np.where(np.isfinite(middles), [np.clip(np.nan_to_num(lows, nan=1.0), 1.0, middles), highs], np.nan)

    def frame(self) -> RankingTable:
        """A row for each policy, the smallest geometric mean first."""
        from primum.results.formats.tables import RankingTable

        (mean_low, worst_low), (mean_high, worst_high) = self.intervals
        columns = {
            "policy": list(self.labels),
            "title": list(self.titles),
            "geometric_mean": self.geometric_means,
            "geometric_mean_low": mean_low,
            "geometric_mean_high": mean_high,
            "worst": self.ratios.max(axis=1),
            "worst_low": worst_low,
            "worst_high": worst_high,
            "worst_at": [list(self.finals)[i] for i in self.ratios.argmax(axis=1)],
            "best_in": (self.ratios == 1).sum(axis=1),
        }
        return RankingTable(columns).iloc[self.order].reset_index(drop=True)


def _level(half: int) -> float:
    """The quantile that ends a 95 % interval from resamples of halves of this size.

    Resampled means vary less than the mean does, and a normal quantile ignores that their spread is itself an estimate
    (Hesterberg, The American Statistician 69, 2015, the expanded percentile interval).
    """
    from scipy.special import ndtr, stdtrit

    return float(ndtr(stdtrit(2 * (half - 1), 0.025) * np.sqrt((half + 1) / (half - 1))))

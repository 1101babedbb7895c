"""Small policies with exact allocation probabilities, and a stopping rule, for tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.plugins.parameters import parameter
from primum.policies import Policy
from primum.policies.counts import Array, Counts, prefer_larger
from primum.trials import Look, StoppingRule, TrialData, Verdict


@dataclass(frozen=True)
class _OnCounts(Policy):
    """A rule for exact computations only; with an underscore it is not registered."""

    @staticmethod
    def choose(history: Any) -> int:
        return 0


@dataclass(frozen=True)
class _Equal(_OnCounts):
    def chances(self, counts: Counts) -> Array:
        return np.full((1, 1), 0.5)


@dataclass(frozen=True)
class _Urn(_OnCounts):
    """Randomised play-the-winner (1, 1)."""

    def chances(self, counts: Counts) -> Array:
        first, second = counts.successes
        return (1 + second + counts.pulls[0] - first) / (2 + sum(counts.pulls))


@dataclass(frozen=True)
class _Lopsided(_OnCounts):
    """Depends on all that a rule may: assigned and known patients, successes, step and horizon."""

    def chances(self, counts: Counts) -> Array:
        first, second = counts.successes
        weights = (
            1 + 2 * first + counts.assigned[1] / counts.horizon,
            1 + second + counts.step / 3 + 0.2 * counts.pulls[1],
        )
        return weights[1] / (weights[0] + weights[1])


def lopsided(assigned: Any, pulls: Any, successes: Any, t: int, horizon: int) -> float:
    """The same as `_Lopsided` for one state."""
    weights = 1 + 2 * successes[0] + assigned[1] / horizon, 1 + successes[1] + (t + 1) / 3 + 0.2 * pulls[1]
    return float(weights[1] / sum(weights))


@dataclass(frozen=True)
class _PosteriorMeanIndex(_OnCounts):
    """Index m + sqrt(2 ln t / n) with the posterior mean m = (1 + s) / (2 + n).

    Arms without data come first, ties are broken at random. t is the number of the decision, from 1: with the
    number of patients before it, type I error and power differ by .0001.
    """

    def chances(self, counts: Counts) -> Array:
        n = counts.pulls
        if min(n) == 0:
            return np.full((1, 1), 0.5 if n == (0, 0) else float(n[1] == 0))
        scores = [(1 + s) / (2 + k) + np.sqrt(2 * np.log(counts.step) / k) for s, k in zip(counts.successes, n)]
        return prefer_larger(*scores)


@dataclass(frozen=True)
class _PosteriorBest(_OnCounts):
    """P^c / (P^c + (1-P)^c) with P the posterior probability that arm 1 is better; c = 1, or t/(2N) if `tuned`."""

    tuned: float = parameter(0.0, "1: c = t/(2N)")

    @staticmethod
    def choose(history: Any, tuned: float) -> int:
        return 0

    def chances(self, counts: Counts) -> Array:
        better = probability_better(*counts.pulls)
        c = counts.step / (2 * counts.horizon) if self.tuned else 1.0
        return better**c / (better**c + (1 - better) ** c)


def probability_better(n0: int, n1: int) -> Array:
    """P(Beta(1+s1, 1+n1-s1) > Beta(1+s0, 1+n0-s0)) for all s0 and s1, by sums of positive terms along s1.

    For s1 = 0 it is E (1-X)^(1+n1). Raising s1 by one adds g(a1, b1)/a1 and then g(a1+1, b1-1)/(b1-1), where
    g = B(a0+a1, b0+b1) / (B(a0, b0) B(a1, b1)).
    """
    s0, s1 = np.arange(n0 + 1)[:, None], np.arange(n1 + 1)[None, :]
    a0, b0, a1, b1 = 1 + s0, 1 + n0 - s0, 1 + s1[:, :-1], 1 + n1 - s1[:, :-1]
    own = _log_beta(a0, b0)
    start = np.exp(_log_beta(a0, b0 + 1 + n1) - own)
    steps = np.exp(_log_beta(a0 + a1, b0 + b1) - own - _log_beta(a1, b1)) / a1
    steps += np.exp(_log_beta(a0 + a1 + 1, b0 + b1 - 1) - own - _log_beta(a1 + 1, b1 - 1)) / (b1 - 1)
    return np.minimum(np.cumsum(np.hstack([start, steps]), axis=1), 1.0)


_LOG_FACTORIALS = np.append(0.0, np.cumsum(np.log(np.arange(1.0, 1_000.0))))


def _log_beta(a: Array, b: Array) -> Array:
    return _LOG_FACTORIALS[a - 1] + _LOG_FACTORIALS[b - 1] - _LOG_FACTORIALS[a + b - 1]


@dataclass(frozen=True)
class _Gap(StoppingRule):
    """Claims an arm ahead by two successes and stops, or goes on at the first look; drops one with three failures."""

    reasons = ("superior",)
    claims = True

    def look(self, data: TrialData, look: Look) -> Verdict:
        ahead = data.sums[:, ::-1] - data.sums <= -2
        failing = data.counts - data.sums >= 3
        reason = np.where(ahead.any(axis=1) & (look.number > 0), 0, -1).astype(np.int8)
        return Verdict(ahead, failing, reason)


def gap(number: int) -> Any:
    """The same as `_Gap` for one trial."""

    def look(counts: list[int], successes: list[int]) -> Any:
        ahead = [successes[0] - successes[1] >= 2, successes[1] - successes[0] >= 2]
        return ahead, [n - s >= 3 for n, s in zip(counts, successes)], any(ahead) and number > 0

    return look

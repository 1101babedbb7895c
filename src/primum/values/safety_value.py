"""Base classes of safety values: of the whole sample, of its moments, and of its lower tail."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from primum.errors import ParameterError, as_primum_error, quoted
from primum.kernels.contract import MOMENTS, SAMPLE, TAIL
from primum.plugins.parameters import Parameter
from primum.plugins.registry import Plugin

CONSTANTS = {
    "gamma": Parameter("", low=0.0),
    "lipschitz": Parameter("", low=0.0),
    "tail_share": Parameter("", low=0.0, open_low=True, high=1.0),
}
FUNCTIONS = ("estimate", "from_moments", "from_tail")  # what a value of each kind must have


@dataclass(frozen=True)
class SafetyValue(Plugin):
    """A score of a reward distribution, larger is better; a frozen dataclass whose fields are its parameters.

    An author writes `estimate(sample, *parameters)`, a static method in the part of Python and NumPy that Numba
    compiles. Everything else has a default. With `weighted(sample, weights, *parameters)`, for observations in
    ascending order whose weights add up to 1 (or at least to `tail_share`, if only the lowest count), policies that
    reweight rewards need not resample them.
    """

    family: ClassVar[str] = "values"
    kind: ClassVar[int] = SAMPLE
    unbiased: ClassVar[bool] = False  # the estimate's expectation is the true value, whatever the distribution
    averages_over_subsamples: ClassVar[bool] = False  # to the estimate on the whole sample
    in_reward_units: ClassVar[bool] = True  # it grows with the unit that rewards are measured in, unlike a probability
    equivariant: ClassVar[bool] = False  # v(a + b X) = a + b v(X) for b > 0, so that it has the unit of the rewards
    # it is no smaller if every reward is larger: v(X) <= v(Y) where X is stochastically smaller than Y
    monotone: ClassVar[bool] = False
    # what `well_behaved_reason` says where there is no gamma, or the estimator is biased
    why_unbounded: ClassVar[str] = "no bound is known on the effect of one observation"
    why_biased: ClassVar[str] = "the estimator is biased"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in range(len(FUNCTIONS)) or FUNCTIONS[self.kind] not in self._crossings():
            raise ParameterError(
                f"{type(self).__name__}: kind must be that of its base class (SafetyValue, MomentValue or TailValue), "
                f"got {quoted(self.kind)}"
            )

    @property
    def gamma(self) -> float | None:
        """On rewards in [0, 1], changing one of n moves the estimate by gamma / n at most; None if nothing is known."""
        return None

    @property
    def lipschitz(self) -> float | None:
        """On rewards in [0, 1], the value moves by at most this times the largest difference of two distribution
        functions (Cassel, Mannor, Zeevi, COLT 2018); None if nothing is known."""
        return None

    @property
    def tail_share(self) -> float:
        """The fraction of lowest outcomes that the value depends on."""
        return 1.0

    def means_the_same(self, other: SafetyValue) -> bool:
        """Whether the two differ at most in how they are estimated."""
        return self.spec() | {"estimator": None} == other.spec() | {"estimator": None}

    def check_constants(self) -> None:
        """Refuse constants that are not numbers, as those of a user's own value may be."""
        for name, rule in CONSTANTS.items():
            try:
                given = getattr(self, name)
            except Exception as error:  # a user's class may raise anything
                reason = as_primum_error(error).sentence
                raise ParameterError(f"{self.display_name}: {name} cannot be computed: {reason}") from error
            if given is not None or name == "tail_share":
                rule.check(name, given, of=self.name)

    @property
    def well_behaved_reason(self) -> str:
        """One sentence on whether the value is well-behaved as the paper defines it, and if not, what fails."""
        missing = []
        if self.gamma is None:
            missing.append(self.why_unbounded)
        if not self.unbiased:
            missing.append(self.why_biased)
        if not self.averages_over_subsamples:
            missing.append("the estimate on sub-samples does not average to the estimate on the sample")
        if missing:
            return f"{self.display_name} is not well-behaved: " + "; ".join(missing) + "."
        return f"{self.display_name} is well-behaved: unbiased, with bounded differences gamma = {self.gamma:g}."

    @property
    def is_well_behaved(self) -> bool:
        """Whether the value meets the paper's definition, as its proofs use it."""
        return self.gamma is not None and self.unbiased and self.averages_over_subsamples

    def of(self, sample: Any) -> float:
        """The estimate on a sample."""
        observed = np.asarray(sample, np.float64)
        return float(type(self).estimate(observed, *self.packed()))  # type: ignore[attr-defined]

    def of_counts(self, n: int) -> Any:
        """The estimates on n outcomes 0 and 1, by the number of those that are 1."""
        return np.array([self.of(np.repeat([0.0, 1.0], [n - s, s])) for s in range(n + 1)])

    def true_value(self, distribution: Any) -> float:
        """The value of a distribution: here the estimate on a grid of 20,000 quantiles, good to about 1e-4."""
        n = 20_000
        return self.of(distribution.quantile((np.arange(n) + 0.5) / n))

    def _crossings(self) -> tuple[str, ...]:
        """The functions of this value that native code calls."""
        return self.check_static(("estimate", *self._weighted()))

    def _weighted(self) -> tuple[str, ...]:
        return ("weighted",) if hasattr(self, "weighted") else ()


@dataclass(frozen=True)
class MomentValue(SafetyValue):
    """A value that needs only mean and variance: `from_moments(n, mean, variance, *parameters)`.

    They are those of n rewards, or of `feature(reward, *parameters)` if there is one; the variance is the unbiased
    one, and 0 for a single reward.
    """

    abstract: ClassVar[bool] = True
    kind: ClassVar[int] = MOMENTS

    def of(self, sample: Any) -> float:
        features, packed = np.asarray(sample, np.float64), self.packed()
        if hasattr(self, "feature"):
            features = np.array([self.feature(x, *packed) for x in features])
        variance = features.var(ddof=1) if features.size > 1 else 0.0
        return self._from_moments(features.size, features.mean(), variance)

    def of_counts(self, n: int) -> Any:
        packed, ones = self.packed(), np.arange(n + 1.0)
        low, high = (self.feature(x, *packed) if hasattr(self, "feature") else x for x in (0.0, 1.0))
        means = (low * (n - ones) + high * ones) / n
        variances = (high - low) ** 2 * ones * (n - ones) / (n * max(n - 1.0, 1.0))
        moments = zip(means.tolist(), variances.tolist(), strict=True)
        return np.array([self.from_moments(n, *both, *packed) for both in moments])  # type: ignore[attr-defined]

    def true_value(self, distribution: Any) -> float:
        """The value in the limit of many observations, from the mean and the variance of the feature."""
        if not hasattr(self, "feature"):
            return self._from_moments(2**52, distribution.mean, max(0.0, distribution.variance))

        packed = self.packed()

        def feature(x: float) -> float:
            return float(self.feature(x, *packed))

        mean = distribution.expectation(feature)
        return self._from_moments(2**52, mean, distribution.expectation(lambda x: (feature(x) - mean) ** 2))

    def _from_moments(self, n: int, mean: float, variance: float) -> float:
        return float(self.from_moments(n, float(mean), float(variance), *self.packed()))  # type: ignore[attr-defined]

    def _crossings(self) -> tuple[str, ...]:
        return self.check_static(("feature", "from_moments") if hasattr(self, "feature") else ("from_moments",))


@dataclass(frozen=True)
class TailValue(SafetyValue):
    """A value that needs only the lowest observations: `tail_size(n, *parameters)` of them, in ascending order, in
    `from_tail(tail, n, *parameters)`."""

    abstract: ClassVar[bool] = True
    kind: ClassVar[int] = TAIL

    def of(self, sample: Any) -> float:
        ordered, packed = np.sort(np.asarray(sample, np.float64)), self.packed()
        size = self.tail_size(ordered.size, *packed)  # type: ignore[attr-defined]
        return float(self.from_tail(ordered[:size], ordered.size, *packed))  # type: ignore[attr-defined]

    def _crossings(self) -> tuple[str, ...]:
        return self.check_static(("tail_size", "from_tail", *self._weighted()))


def factor(weight: float) -> str:
    """A weight before what it multiplies, left out if it is 1: ``mean - 0.5 var``, ``mean - var``."""
    return "" if weight == 1 else f"{weight:.4g} "

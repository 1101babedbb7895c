"""The distributions of SciPy."""

# mypy: disable-error-code="import-untyped"
from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError, UnknownNameError
from primum.plugins.parameters import parameter
from primum.rewards.discrete import Discrete
from primum.rewards.quadrature import Array, integrate
from primum.rewards.reward_distribution import RewardDistribution, apply

_MOST_ATOMS = 100_000
_TINY = 2.0**-53  # probabilities below this are not drawn


@dataclass(frozen=True)
class Scipy(RewardDistribution):
    """Any distribution in `scipy.stats`, by its name or frozen: ``Scipy(scipy.stats.gamma(2, scale=0.1))``.

    X = location + scale Y, Y having the shape parameters in SciPy's order. Rewards may be unbounded; a moment that is
    infinite is refused when it is asked for. Quantiles are SciPy's own, whose speed differs much: 40 ns a number for
    ``norm`` and ``expon``, 500 for ``gamma``, and milliseconds where SciPy looks for a root. A mixture tabulates them:
    ``Mixture([Scipy("gamma", [2])])`` takes 30 ns.

    >>> arm = Scipy("expon", scale=0.25)
    >>> arm.mean, round(arm.lower_integral(0.5), 6)
    (0.25, 0.038357)
    """

    title = "SciPy distribution"

    distribution: str = parameter(text="its name in scipy.stats", string=True)
    shapes: tuple[float, ...] = parameter((), "its shape parameters", many=True)
    location: float = parameter(0.0, "location; SciPy's loc")
    scale: float = parameter(1.0, "scale, for continuous distributions", low=0.0, open_low=True)

    def __post_init__(self) -> None:
        if hasattr(self.distribution, "dist"):
            self._unfreeze(self.distribution)
        super().__post_init__()
        known = _distributions()
        if self.distribution not in known:
            unknown = UnknownNameError("distribution in scipy.stats", self.distribution, known)
            raise ParameterError(f"{self.name}: distribution: {unknown}", ("distribution",))
        kind = known[self.distribution]
        if len(self.shapes) != kind.numargs:
            wanted = f"{kind.numargs} ({kind.shapes})" if kind.numargs else "none"
            raise ParameterError(
                f"{self.name}: shapes of {self.distribution!r} must be {wanted}, got {list(self.shapes)}",
                ("shapes",),
            )
        if not self._continuous and self.scale != 1:
            raise ParameterError(f"{self.name}: scale of {self.distribution!r}, a discrete one, must be 1", ("scale",))
        scale = {"scale": self.scale} if self._continuous else {}
        try:
            frozen = kind(*self.shapes, loc=self.location, **scale)
            low, middle = frozen.ppf([_TINY, 0.5])
            # asked before the far quantile, which SciPy looks for step by step
            many = not self._continuous and not frozen.sf(middle + _MOST_ATOMS) <= _TINY
            high = middle if many else frozen.ppf(1 - _TINY)
        except Exception as error:  # SciPy lets through what its formulas raise
            said = f"{type(error).__name__}: {error}"
            raise ParameterError(
                f"{self.name}: {self.distribution!r} does not take shapes={list(self.shapes)} ({said})"
            ) from None
        if not math.isfinite(low + middle + high):
            raise ParameterError(f"{self.name}: {self.distribution!r} does not take shapes={list(self.shapes)}")
        if many or (not self._continuous and high - low >= _MOST_ATOMS):
            raise ParameterError(f"{self.name}: {self.distribution!r} has more than {_MOST_ATOMS} rewards")

    def _unfreeze(self, frozen: Any) -> None:
        """Turn what `scipy.stats` froze into parameters."""
        known, kind = _distributions(), frozen.dist
        name = str(getattr(kind, "name", ""))
        if name not in known or type(known[name]) is not type(kind):
            raise ParameterError(
                f"{self.name}: distribution must be one that scipy.stats has a name for, got {name!r}; "
                "write a reward distribution of your own, or use discrete(values=..., probabilities=...)"
            )
        shapes = kind.shapes.split(", ") if kind.shapes else []
        given = dict(zip([*shapes, "loc", "scale"], frozen.args, strict=False)) | frozen.kwds
        parameters = {
            "distribution": name,
            "shapes": [given.get(shape) for shape in shapes],
            "location": given.get("loc", 0.0),
            "scale": given.get("scale", 1.0),
        }
        for field, value in parameters.items():
            object.__setattr__(self, field, value)

    @cached_property
    def _law(self) -> RewardDistribution:
        kind = _distributions()[self.distribution]
        if self._continuous:
            return _Continuous(self.label, kind(*self.shapes, loc=self.location, scale=self.scale))
        frozen = kind(*self.shapes, loc=self.location)
        low, high = frozen.ppf([_TINY, 1 - _TINY])
        values = np.arange(low, high + 1)
        probabilities = frozen.pmf(values)
        return Discrete(tuple(values), tuple(probabilities / probabilities.sum()))

    @property
    def _continuous(self) -> bool:
        return hasattr(_distributions()[self.distribution], "pdf")

    @property
    def support(self) -> tuple[float, float]:
        return self._law.support

    @property
    def atoms(self) -> tuple[Array, Array] | None:
        return self._law.atoms

    @property
    def mean(self) -> float:
        return self._law.mean

    @property
    def variance(self) -> float:
        return self._law.variance

    def quantile(self, u: Any) -> Array:
        return self._law.quantile(u)

    def cdf(self, x: Any) -> Array:
        return self._law.cdf(x)

    def density(self, x: Any) -> Array | None:
        return self._law.density(x)

    def lower_integral(self, level: float) -> float:
        return self._law.lower_integral(level)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return self._law.expectation(function)

    def level_expectation(self, function: Callable[[Any, Any, Any], Any]) -> float:
        return self._law.level_expectation(function)


class _Continuous(RewardDistribution):
    """A continuous distribution as SciPy has it."""

    def __init__(self, label: str, frozen: Any) -> None:
        self._label, self._frozen = label, frozen

    @property
    def support(self) -> tuple[float, float]:
        low, high = self._frozen.support()
        return float(low), float(high)

    def quantile(self, u: Any) -> Array:
        return np.asarray(self._frozen.ppf(u), np.float64)

    def cdf(self, x: Any) -> Array:
        return np.asarray(self._frozen.cdf(x), np.float64)

    def density(self, x: Any) -> Array:
        return np.asarray(self._frozen.pdf(x), np.float64)

    @property
    def mean(self) -> float:
        return self._finite("mean", self._frozen.mean())

    @property
    def variance(self) -> float:
        return self._finite("variance", self._frozen.var())

    def lower_integral(self, level: float) -> float:
        return self.mean if level == 1 else self._integral(lambda x: x, level)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return self._integral(function, 1.0)

    def _integral(self, function: Callable[[Any], Any], level: float) -> float:
        total = integrate(lambda u: apply(function, self.quantile(u)), 0.0, level)
        self._check_far_out(function, level, total)
        return total

    def level_expectation(self, function: Callable[[Any, Any, Any], Any]) -> float:
        total = super().level_expectation(function)
        self._check_far_out(lambda x: x, 1.0, total)
        return total

    def _check_far_out(self, function: Callable[[Any], Any], level: float, total: float) -> None:
        # quadrature sees no farther than 2^-45 from the ends; what lies there must not count
        seen = level * np.array([0.25, 0.5, 0.75, 2.0**-45, 1 - 2.0**-45])
        *inside, first, last = np.abs(apply(function, self.quantile(seen)))
        if not max(first, last if level == 1 else 0.0) * level * 2.0**-45 <= 1e-8 * max(*inside, abs(total)):
            raise ParameterError(f"{self._label}: {_FAR_OUT}")

    def _finite(self, what: str, number: Any) -> float:
        if not math.isfinite(number):
            raise ParameterError(f"{self._label} has no finite {what}; put clipped(distribution=...) around it")
        return float(number)


_FAR_OUT = "an expectation hangs on rewards farther out than can be drawn; put clipped(distribution=...) around it"


@cache
def _distributions() -> dict[str, Any]:
    from scipy import stats  # takes half a second or more

    kinds = (stats.rv_continuous, stats.rv_discrete)
    return {name: kind for name, kind in vars(stats).items() if isinstance(kind, kinds)}

"""The distributions of SciPy."""

# mypy: disable-error-code="import-untyped"
from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from primum.errors import ParameterError, UnknownNameError
from primum.plugins import registry
from primum.plugins.parameters import parameter
from primum.rewards.discrete_distribution import DiscreteDistribution, merge
from primum.rewards.quadrature import Array, integrate
from primum.rewards.reward_distribution import RewardDistribution, apply

MOST_ATOMS = 100_000  # rewards that a discrete distribution may have
_TINY = 2.0**-53  # probabilities below this are not drawn


class Frozen(NamedTuple):
    """A distribution of `scipy.stats` with its parameters, as data."""

    name: str
    shapes: tuple[float, ...]
    location: float
    scale: float | None  # None for a discrete distribution, which has none

    @property
    def refusal(self) -> str:
        """The sentence for parameters that SciPy cannot evaluate."""
        moved = {"location": (self.location, 0.0), "scale": (self.scale or 1.0, 1.0)}
        others = [f", {name}={number:g}" for name, (number, usual) in moved.items() if number != usual]
        return f"scipy: {self.name!r} does not take shapes={list(self.shapes)}{''.join(others)}"


def evaluate_here(frozen: Frozen, method: str, *arguments: Any) -> Any:
    """What a method of SciPy's frozen distribution gives: ``ppf``, ``support``, ``mean`` ..."""
    try:
        with np.errstate(over="ignore"):  # numbers that are not finite are refused where they are used
            return getattr(_thawed(frozen), method)(*arguments)
    except MemoryError:
        raise
    except Exception as error:  # SciPy lets through what its formulas raise
        raise ParameterError(f"{frozen.refusal} ({type(error).__name__}: {error})") from error


_evaluator: Callable[..., Any] = evaluate_here


@contextmanager
def evaluated_by(evaluator: Callable[..., Any]) -> Iterator[None]:
    """Let another function do what `evaluate_here` does, for example in a process that can be stopped."""
    global _evaluator
    before, _evaluator = _evaluator, evaluator
    try:
        yield
    finally:
        _evaluator = before


def evaluate(frozen: Frozen, method: str, *arguments: Any) -> Any:
    """The same, wherever SciPy is evaluated: here, unless `evaluated_by` says otherwise."""
    return _evaluator(frozen, method, *arguments)


@dataclass(frozen=True)
class Scipy(RewardDistribution):
    """A distribution from SciPy, by its name.

    X = location + scale Y, Y having the shape parameters in SciPy's order; in Python also a frozen one, which can be
    an arm as it is. Rewards may be unbounded; an infinite moment raises an error when it is used. Quantiles are SciPy's
    own, whose speed varies widely: 40 ns a number for ``norm`` and ``expon``, 500 for ``gamma``, and milliseconds where
    SciPy searches for a root. A mixture of one tabulates them and takes 30 ns.

    >>> import scipy.stats
    >>> Scipy(scipy.stats.gamma(2, scale=0.1)) == Scipy("gamma", [2], scale=0.1)
    True
    >>> arm = Scipy("expon", scale=0.25)
    >>> arm.mean, round(arm.lower_integral(0.5), 6)
    (0.25, 0.038357)
    """

    title = "SciPy distribution"

    distribution: str = parameter(text="its name in scipy.stats", string=True)
    shapes: tuple[float, ...] = parameter((), "its shape parameters", many=True)
    location: float = parameter(0.0, "location; SciPy's loc")
    scale: float = parameter(1.0, "scale, for continuous distributions", low=0.0, open_low=True)

    @property
    def display_name(self) -> str:
        moved = {"location": (self.location, 0.0), "scale": (self.scale, 1.0)}
        arguments = [f"{shape:.4g}" for shape in self.shapes]
        arguments += [f"{name} {number:.4g}" for name, (number, usual) in moved.items() if number != usual]
        return f"{self.distribution}({', '.join(arguments)})" if arguments else self.distribution

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
            discrete = f"{self.name}: scale of {self.distribution!r}, a discrete distribution, must be 1"
            raise ParameterError(discrete, ("scale",))
        if np.isnan(evaluate(self._frozen, "support")).any():  # a matter of microseconds, unlike a quantile
            raise ParameterError(self._frozen.refusal)

    def _unfreeze(self, frozen: Any) -> None:
        """Turn a frozen distribution of `scipy.stats` into parameters."""
        known, kind = _distributions(), frozen.dist
        name = str(getattr(kind, "name", ""))
        if name not in known or type(known[name]) is not type(kind):
            raise ParameterError(
                f"{self.name}: distribution must be one that scipy.stats has a name for, got {name!r}; "
                "write your own reward distribution, or use discrete(values=..., probabilities=...)"
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

    @property
    def _continuous(self) -> bool:
        return hasattr(_distributions()[self.distribution], "pdf")

    @cached_property
    def _frozen(self) -> Frozen:
        return Frozen(self.distribution, self.shapes, self.location, self.scale if self._continuous else None)

    @cached_property
    def _distribution(self) -> RewardDistribution:
        """The distribution itself; SciPy evaluates its first quantiles here, which can take long."""
        low, middle = evaluate(self._frozen, "ppf", np.array([_TINY, 0.5])).tolist()
        # asked before the far quantile, which SciPy looks for step by step
        many = not self._continuous and not evaluate(self._frozen, "sf", middle + MOST_ATOMS) <= _TINY
        high = middle if many else float(evaluate(self._frozen, "ppf", 1 - _TINY))
        if not math.isfinite(low + middle + high):
            raise ParameterError(self._frozen.refusal)
        if many or (not self._continuous and high - low >= MOST_ATOMS):
            raise ParameterError(f"{self.name}: {self.distribution!r} has more than {MOST_ATOMS} rewards")
        return _Continuous(self.display_name, self._frozen) if self._continuous else _Discrete(self._frozen, low, high)

    @property
    def support(self) -> tuple[float, float]:
        return self._distribution.support

    @property
    def atoms(self) -> tuple[Array, Array] | None:
        return self._distribution.atoms

    @property
    def mean(self) -> float:
        return self._distribution.mean

    @property
    def variance(self) -> float:
        return self._distribution.variance

    def quantile(self, u: Any) -> Array:
        return self._distribution.quantile(u)

    def cdf(self, x: Any) -> Array:
        return self._distribution.cdf(x)

    def density(self, x: Any) -> Array | None:
        return self._distribution.density(x)

    def lower_integral(self, level: float) -> float:
        return self._distribution.lower_integral(level)

    def expectation(self, function: Callable[[Any], Any]) -> float:
        return self._distribution.expectation(function)

    def level_expectation(self, function: Callable[[Any, Any, Any], Any]) -> float:
        return self._distribution.level_expectation(function)


def _adapted(given: Any) -> Scipy | None:
    """The distribution that is an object of `scipy.stats`; None if it is no such object."""
    if not any(cls.__module__.startswith("scipy.stats.") for cls in type(given).__mro__):
        return None
    if not hasattr(given, "dist"):
        shown = getattr(given, "name", None) or type(given).__name__
        raise ParameterError(f"a distribution of scipy.stats must be frozen, like scipy.stats.norm(0, 1), got {shown}")
    return Scipy(given)


registry.adapters["rewards"] = _adapted


class _Discrete(DiscreteDistribution):
    """A discrete distribution of SciPy, on the rewards that can be drawn."""

    def __init__(self, frozen: Frozen, low: float, high: float) -> None:
        values = np.arange(low, high + 1)
        probabilities = evaluate(frozen, "pmf", values)
        if not np.isfinite(probabilities).all() or not probabilities.any():
            raise ParameterError(frozen.refusal)
        values, probabilities = merge(values, probabilities / probabilities.sum())
        self._atoms = values, probabilities / math.fsum(probabilities)

    @property
    def atoms(self) -> tuple[Array, Array]:
        return self._atoms


class _Continuous(RewardDistribution):
    """A continuous distribution of SciPy."""

    def __init__(self, label: str, frozen: Frozen) -> None:
        self._label, self._frozen = label, frozen

    @property
    def support(self) -> tuple[float, float]:
        low, high = evaluate(self._frozen, "support")
        return float(low), float(high)

    def quantile(self, u: Any) -> Array:
        return np.asarray(evaluate(self._frozen, "ppf", u), np.float64)

    def cdf(self, x: Any) -> Array:
        return np.asarray(evaluate(self._frozen, "cdf", x), np.float64)

    def density(self, x: Any) -> Array:
        return np.asarray(evaluate(self._frozen, "pdf", x), np.float64)

    @property
    def mean(self) -> float:
        return self._finite("mean", evaluate(self._frozen, "mean"))

    @property
    def variance(self) -> float:
        return self._finite("variance", evaluate(self._frozen, "var"))

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


_FAR_OUT = "an expectation depends on rewards too far in the tail to be drawn; put clipped(distribution=...) around it"


@lru_cache(256)
def _thawed(frozen: Frozen) -> Any:
    options = {} if frozen.scale is None else {"scale": frozen.scale}
    return _distributions()[frozen.name](*frozen.shapes, loc=frozen.location, **options)


@cache
def _distributions() -> dict[str, Any]:
    from scipy import stats  # takes half a second or more

    kinds = (stats.rv_continuous, stats.rv_discrete)
    return {name: kind for name, kind in vars(stats).items() if isinstance(kind, kinds)}

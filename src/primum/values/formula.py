"""A safety value given by a formula."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.contract import MOMENTS, SAMPLE, TAIL
from primum.kernels.elementary import expm1
from primum.plugins.parameters import parameter
from primum.values.cvar import CVaR
from primum.values.entropic import Entropic
from primum.values.expression import Functional, Number, Operation, Tree, evaluate, functionals, linear, parse
from primum.values.mean_gini import MeanGini
from primum.values.program import assemble, lowest_needed, run, shortfall
from primum.values.quantile import Quantile
from primum.values.safety_value import SafetyValue
from primum.values.threshold import Threshold

OF_MOMENTS = {"mean", "var", "std"}
EXPECTATIONS = {"mean", "prob", "lpm"}  # of something of each reward
UNBIASED = {"mean", "var", "gini", "prob", "lpm"}
OF_TAIL = {"cvar", "quantile", "min"}
LOCATION, SPREAD = {"mean", "quantile", "cvar", "min", "max"}, {"std", "gini"}
IN_ANY_ORDER = {"mean", "var", "std", "prob", "lpm", "entropic"}


@dataclass(frozen=True)
class Formula(SafetyValue):
    """A formula over functionals of the reward distribution, such as ``mean - 0.5 * var + 0.1 * cvar(0.2)``.

    Functionals: ``mean``, ``var``, ``std``, ``min``, ``max``, ``median``, ``gini`` (mean difference of two rewards),
    ``cvar(a)``, ``quantile(q)``, ``prob(c)`` (of a reward of c or more), ``lpm(c, k)`` (lower partial moment: mean of
    max(0, c - reward)^k), ``entropic(t)``. Numbers, ``+ - * / **``, parentheses and ``sqrt exp log abs minimum
    maximum``. On a sample each is estimated as by the class of that name, ``var`` and ``gini`` without bias, ``median``
    is ``quantile(0.5)``. The text is parsed, never evaluated as Python, and bounded in length, depth and
    cost, because it may come from an untrusted user.

    Regret is measured against the best single arm. For a formula such as ``mean + 2 * var``, which rewards variation,
    the pooled outcomes of several arms can have a larger value than every arm ("Safety-aware regret" in docs/ideas.md).

    >>> Formula("mean - 2 * var").of([0.0, 1.0, 1.0, 1.0])
    0.25
    >>> Formula("mean - 2 * vra")
    Traceback (most recent call last):
        ...
    primum.errors.ParameterError: formula: 'vra' at position 12: no function named 'vra'; did you mean 'var'?
    """

    title = "Formula"
    group = "Your own formula"

    text: str = parameter(
        text="mean var std min max median gini cvar(a) quantile(q) prob(c) lpm(c, k) entropic(t), numbers, + - * / ** "
        "and sqrt exp log abs minimum maximum",
        string=True,
    )

    @property
    def display_name(self) -> str:
        return self.text

    def __post_init__(self) -> None:
        super().__post_init__()
        if not functionals(self._tree):
            raise ParameterError(
                f"{self.name}: {self.text!r} does not depend on rewards; it needs mean, var, cvar ...", ("text",)
            )

    @cached_property
    def _tree(self) -> Tree:
        try:
            return parse(self.text)
        except ParameterError as error:
            raise ParameterError(f"{self.name}: {error}", ("text",)) from None

    @cached_property
    def _linear(self) -> dict[Functional | None, float] | None:
        return linear(self._tree)

    @cached_property
    def _names(self) -> set[str]:
        return {functional.name for functional in functionals(self._tree)}

    @cached_property
    def _feature(self) -> Tree | None:
        """What each reward contributes to a linear combination of expectations other than the mean alone."""
        if self._linear is None or not self._names <= EXPECTATIONS or self._names == {"mean"}:
            return None
        tree: Tree = Number(self._linear.get(None, 0.0))
        for functional, coefficient in self._linear.items():
            if functional is not None:
                part = Functional("reward") if functional.name == "mean" else functional
                tree = Operation("+", (tree, Operation("*", (Number(coefficient), part))))
        return tree

    @property
    def kind(self) -> int:  # type: ignore[override]
        if self._names <= OF_MOMENTS or self._feature is not None:
            return MOMENTS
        return SAMPLE if self._names <= IN_ANY_ORDER else TAIL

    @property
    def in_reward_units(self) -> bool:  # type: ignore[override]
        return self._linear is not None and "prob" not in self._names

    @property
    def equivariant(self) -> bool:  # type: ignore[override]
        """A linear combination of measures of location, whose weights add up to 1, and of spread."""
        if self._linear is None or self._linear.get(None) or not self._names <= LOCATION | SPREAD:
            return False
        weights = [weight for part, weight in self._linear.items() if part and part.name in LOCATION]
        return math.isclose(sum(weights), 1.0)

    @cached_property
    def _program(self) -> Any:
        return assemble(self._feature, self._tree if self._feature is None else Functional("mean"))

    def packed(self) -> tuple[Any, ...]:
        return (self._program,)

    def _crossings(self) -> tuple[str, ...]:
        if self.kind == MOMENTS:
            return ("from_moments",) if self._feature is None else ("feature", "from_moments")
        return ("estimate", "weighted") if self.kind == SAMPLE else ("tail_size", "from_tail", "weighted")

    @staticmethod
    def feature(reward: float, program: Any) -> float:
        return run(program, 1, int(program[0]), 1, reward, 0.0, program[:0], program[:0])

    @staticmethod
    def from_moments(n: int, mean: float, variance: float, program: Any) -> float:
        return run(program, int(program[0]), program.size, n, mean, variance, program[:0], program[:0])

    @staticmethod
    def estimate(sample: Any, program: Any) -> float:
        return run(program, int(program[0]), program.size, sample.size, 0.0, 0.0, sample, program[:0])

    @staticmethod
    def tail_size(n: int, program: Any) -> int:
        return lowest_needed(program, n)

    @staticmethod
    def from_tail(tail: Any, n: int, program: Any) -> float:
        return run(program, int(program[0]), program.size, n, 0.0, 0.0, tail, program[:0])

    @staticmethod
    def weighted(sample: Any, weights: Any, program: Any) -> float:
        return run(program, int(program[0]), program.size, sample.size, 0.0, 0.0, sample, weights)

    def of(self, sample: Any) -> float:
        ordered = np.sort(np.asarray(sample, np.float64))
        if not ordered.size:
            return math.nan
        return float(self.from_tail(ordered, ordered.size, assemble(None, self._tree)))

    def true_value(self, distribution: Any) -> float:
        return evaluate(self._tree, lambda part: float(TRUE[part.name](distribution, *part.arguments)))

    @property
    def tail_share(self) -> float:
        if not self._names <= OF_TAIL:
            return 1.0
        return max((functional.arguments or (1e-9,))[0] for functional in functionals(self._tree))

    @property
    def gamma(self) -> float | None:
        """A bound on each part is one on the sum, though not always the smallest."""
        if self._linear is None:
            return None
        total = 0.0
        for functional, coefficient in self._linear.items():
            if functional is not None:
                constant = gamma_of(functional.name, *functional.arguments)
                if constant is None:
                    return None
                total += abs(coefficient) * constant
        return total

    @property
    def lipschitz(self) -> float | None:
        return self.gamma  # that of each functional is the same: the most that the influence of an observation varies

    @property
    def unbiased(self) -> bool:  # type: ignore[override]
        return self._linear is not None and self._names <= UNBIASED

    @property
    def averages_over_subsamples(self) -> bool:  # type: ignore[override]
        return self.unbiased


TRUE: dict[str, Callable[..., float]] = {
    "mean": lambda distribution: distribution.mean,
    "var": lambda distribution: distribution.variance,
    "std": lambda distribution: math.sqrt(max(0.0, distribution.variance)),
    "min": lambda distribution: distribution.support[0],
    "max": lambda distribution: distribution.support[1],
    "gini": lambda distribution: distribution.mean - MeanGini(1.0).true_value(distribution),
    "cvar": lambda distribution, share: CVaR(share).true_value(distribution),
    "quantile": lambda distribution, level: Quantile(level).true_value(distribution),
    "prob": lambda distribution, level: Threshold(level).true_value(distribution),
    "lpm": lambda distribution, target, order: distribution.expectation(lambda x: shortfall(target, order, x)),
    "entropic": lambda distribution, theta: Entropic(theta).true_value(distribution),
}


def gamma_of(name: str, first: float = 0.0, second: float = 0.0) -> float | None:
    """On rewards in [0, 1], n times what one of n can change of a functional's estimate, at most; None: no bound."""
    match name:
        case "mean" | "var" | "prob":
            return 1.0
        case "gini":
            return 2.0
        case "cvar":
            return 1.0 / first
        case "lpm":
            return shortfall(first, second, 0.0) - shortfall(first, second, 1.0)
        case "entropic":
            return expm1(first) / first
    return None

"""A problem: named arms and what good means."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum import registry
from primum.errors import ParameterError, PrimumError
from primum.rewards import RewardDistribution
from primum.values import SafetyValue

ROUNDING = 1e-12  # values closer than this are equal


class Problem:
    """Named arms, each a reward distribution, and the safety value that regret is measured in.

    >>> from primum import rewards, values
    >>> problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}, values.Mean())
    >>> problem.gaps
    array([0.1, 0. ])
    """

    def __init__(self, arms: Mapping[str, RewardDistribution | str | Mapping[str, Any]], value: Any) -> None:
        if not isinstance(arms, Mapping):
            raise ParameterError(
                f"arms must be a mapping from names to reward distributions, got {type(arms).__name__}"
            )
        if not arms:
            raise ParameterError("a problem needs at least one arm, got none")
        for name in arms:
            if not isinstance(name, str) or not name.strip():
                raise ParameterError(f"an arm's name must be a text that is not empty, got {name!r}")
        self.arms: dict[str, RewardDistribution] = {
            name: _build(f"arm {name!r}", "rewards", arm) for name, arm in arms.items()
        }
        self.value: SafetyValue = _build("value", "values", value)

    @property
    def names(self) -> list[str]:
        """The arms' names, in order."""
        return list(self.arms)

    @cached_property
    def true_values(self) -> NDArray[np.float64]:
        """The true safety value of each arm."""
        known: dict[RewardDistribution, float] = {}
        for name, arm in self.arms.items():
            if arm not in known:
                try:
                    known[arm] = float(self.value.true_value(arm))
                except PrimumError:
                    raise
                except Exception as error:  # whatever a user's own class may raise
                    said = f"{type(error).__name__}: {error}"
                    raise ParameterError(
                        f"arm {name!r}: the true {self.value} of {arm} cannot be computed: {said}"
                    ) from error
                if not math.isfinite(known[arm]):
                    raise ParameterError(f"arm {name!r}: the true {self.value} of {arm} is {known[arm]}, not a number")
        return np.array([known[arm] for arm in self.arms.values()])

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """How much worse than the best each arm is."""
        gaps = self.true_values.max() - self.true_values
        return np.where(gaps <= ROUNDING * max(1.0, np.abs(self.true_values).max()), 0.0, gaps)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which arms are best; there may be several."""
        return self.gaps == 0

    def spec(self) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal problem."""
        return {"arms": {name: arm.spec() for name, arm in self.arms.items()}, "value": self.value.spec()}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Problem:
        """The problem that a spec describes."""
        return cls(spec["arms"], spec["value"])

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Problem) and self.spec() == other.spec()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [f"{name!r}: {arm}" for name, arm in list(self.arms.items())[:4]]
        more = f", ... {len(self.arms) - 4} more" if len(self.arms) > 4 else ""
        return f"Problem({{{', '.join(shown)}{more}}}, value={self.value})"


def _build(where: str, family: str, given: Any) -> Any:
    try:
        return registry.build(family, given)
    except ParameterError as error:
        raise ParameterError(f"{where}: {error}") from None

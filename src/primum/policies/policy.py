"""The base class of policies."""

from __future__ import annotations

import math
from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from primum.errors import ParameterError, quoted
from primum.plugins.registry import Plugin, build
from primum.policies.counts import Array, Counts
from primum.policies.native_chances import NativeChances, Step
from primum.text import counted

WIDEST_MEMORY = 1 << 20  # numbers per arm
MEAN: dict[str, Any] = {"name": "mean"}  # the own value of policies for the mean


@dataclass(frozen=True)
class Policy(Plugin):
    """A rule that picks the next arm; a frozen dataclass of parameters that holds no data and no random numbers.

    An author writes `choose(history, *parameters) -> arm`, a static method that Numba compiles, and if needed
    `learn(history, arm, reward, *parameters)`, called after each reward to keep `history.memory`.
    """

    family: ClassVar[str] = "policies"
    memory_width: ClassVar[int] = 0  # numbers per arm in history.memory
    needs_horizon: ClassVar[bool] = False
    needs_truth: ClassVar[bool] = False  # it looks at the true values, in history.truth
    # "gamma" or "lipschitz", if it needs that of the value; its parameter of the same name gives it instead, unless 0
    needs_constant: ClassVar[str] = ""
    # what it decides by, for the explanations of a replay: where it uses `best_score` the name of its scores, such as
    # "upper confidence bound"; empty: its decisions are not explained
    decides_by: ClassVar[str] = ""
    # history.scores are the probabilities of all arms after each decision; what it keeps in history.memory does not
    # depend on which arm was drawn, unless by `drawn_arm`
    states_probabilities: ClassVar[bool] = False
    only_arms: ClassVar[int] = 0  # the only number of arms that it can be used with; 0: any
    # how the floor of `opening` is computed, such as "2 x ln(t)"
    floor_rule: ClassVar[str] = ""
    # microseconds per step with few arms and with many, measured once, so that the time left of a run is realistic
    step_cost: ClassVar[tuple[float, float]] = (0.1, 1.0)
    no_chances: ClassVar[str] = "its class has no method `chances`"  # why, where `has_chances` is false
    given_name: ClassVar[str] = ""  # of this object, by `named`

    def __post_init__(self) -> None:
        super().__post_init__()
        self._crossings()
        width = self.memory_width
        if isinstance(width, bool) or not isinstance(width, int) or not 0 <= width <= WIDEST_MEMORY:
            allowed = f"a whole number from 0 to {WIDEST_MEMORY}"
            raise ParameterError(f"{type(self).__name__}: memory_width must be {allowed}, got {quoted(width)}")

    def named(self, name: str) -> Self:
        """An equal policy that results, tables and figures show under this name.

        The name is no part of its spec, so what it decides and where its results are stored do not depend on it.

        >>> from primum.policies import BesaPlus
        >>> ours = BesaPlus(floor=2).named("ours")
        >>> ours.label, ours.display_name, ours == BesaPlus(floor=2)
        ('ours', 'ours', True)
        """
        if not isinstance(name, str) or not name.strip():
            raise ParameterError(f"a policy's name must be a text that is not empty, got {quoted(name)}")
        twin = copy(self)
        object.__setattr__(twin, "given_name", name)
        return twin

    @property
    def label(self) -> str:
        return self.given_name or super().label

    @property
    def display_name(self) -> str:
        return self.given_name or super().display_name

    @property
    def own_value(self) -> dict[str, Any] | None:
        """The spec of the value that the policy is tied to and uses inside, whatever is measured; None: any value."""
        return None

    @property
    def reward_bounds(self) -> tuple[float, float]:
        """The interval in which rewards must lie."""
        return -math.inf, math.inf

    def check_value(self, value: Any) -> None:
        """Raise a ParameterError if the policy cannot use a value."""
        value.check_constants()
        name = self.needs_constant
        if name and not getattr(self, name) and getattr(value, name) is None:
            raise ParameterError(
                f"{self.display_name} needs a value with a known {name}, and {value.display_name} has none "
                f"({value.well_behaved_reason.removesuffix('.')}); give one yourself: {self.name}({name}=2)"
            )

    def check_arms(self, arms: int) -> None:
        """Raise a ParameterError if the policy cannot be used with so many arms."""
        if self.only_arms not in (0, arms):
            raise ParameterError(f"{self.display_name} needs {counted(self.only_arms, 'arm')}, got {arms}")

    def chances(self, counts: Counts) -> Array:
        """The exact probability that arm 1 of two is chosen, for outcomes 0 and 1.

        An array over the numbers of successes of both arms (see `Counts`), or what broadcasts to it. It gives exact
        operating characteristics of trials.
        """
        raise ParameterError(f"{self.display_name} has no exact allocation probabilities: {self.no_chances}")

    def native_chances(self, at: Step) -> NativeChances | None:
        """The same in a form that native code computes, for all counts at a step; None if there is none."""
        return None

    @property
    def has_chances(self) -> bool:
        """Whether the policy offers its exact allocation probabilities."""
        return type(self).chances is not Policy.chances

    def _crossings(self) -> tuple[str, ...]:
        """The functions of this policy that native code calls."""
        return self.check_static(("choose", "learn") if hasattr(self, "learn") else ("choose",))


def from_specs(specs: Iterable[Any], names: Iterable[str]) -> list[Policy]:
    """The policies that specs describe, with the names that were given to them, empty where none was."""
    policies: list[Policy] = [build("policies", spec) for spec in specs]
    return [policy.named(name) if name else policy for policy, name in zip(policies, names, strict=True)]

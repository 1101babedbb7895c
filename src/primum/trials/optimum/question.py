"""What is asked of an optimal design."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from primum.errors import ParameterError, quoted
from primum.plugins.parameters import Parameter
from primum.policies.optimal_allocation import MOST_PATIENTS

SIDED = ("greater", "less", "two-sided")
PATIENTS = Parameter("", 1, MOST_PATIENTS, integer=True)
INSIDE = Parameter("", 0.0, 1.0, open_low=True, open_high=True)
PROBABILITY = Parameter("", 0.0, 1.0)


@dataclass(frozen=True)
class Question:
    """The size of a trial, the level of its test, the pairs of success probabilities, and the coin."""

    patients: int
    alpha: float
    prior: tuple[tuple[float, float], ...]
    coin: float
    sided: str

    @classmethod
    def checked(cls, patients: Any, alpha: Any, prior: Any, coin: Any, sided: Any) -> Question:
        """A question of what is given, or a ParameterError."""
        patients, alpha = PATIENTS.check("patients", patients), INSIDE.check("alpha", alpha)
        sided = Parameter("", choices=SIDED).check("sided", sided)
        if isinstance(coin, Sequence) and not isinstance(coin, str):
            raise ParameterError(f"coin must be one number for all patients, got {quoted(coin)}", ("coin",))
        pairs = pairs_of(prior, sided)
        if len(set(pairs)) == 1:
            warnings.warn(
                f"the prior has one pair alone, ({pairs[0][0]:g}, {pairs[0][1]:g}), and a design that is optimal there "
                "may have little power elsewhere; give several pairs, or look at its law over all p",
                stacklevel=3,
            )
        return cls(patients, alpha, pairs, PROBABILITY.check("coin", coin), sided)

    @property
    def lower(self) -> tuple[float, ...]:
        """The lower success probability of each pair."""
        return tuple(min(pair) for pair in self.prior)

    @property
    def higher(self) -> tuple[float, ...]:
        """The higher success probability of each pair."""
        return tuple(max(pair) for pair in self.prior)


def pairs_of(given: Any, sided: str) -> tuple[tuple[float, float], ...]:
    """The pairs of a prior, each in the direction that is tested."""
    allowed = "a list of pairs (p0, p1) of success probabilities"
    listed = isinstance(given, Sequence) or hasattr(given, "tolist")
    if not listed or isinstance(given, str) or not len(given):
        raise ParameterError(f"prior must be {allowed}, got {quoted(given)}", ("prior",))
    pairs = []
    for i, pair in enumerate(given):
        if isinstance(pair, str) or not hasattr(pair, "__len__") or len(pair) != 2:
            raise ParameterError(f"prior must be {allowed}, got {quoted(pair)} in it", ("prior", i))
        p0, p1 = (PROBABILITY.check(f"prior[{i}][{k}]", p) for k, p in enumerate(pair))
        if p0 == p1:
            raise ParameterError(
                f"prior[{i}] must have two different success probabilities, so that there is a better arm, got "
                f"{p0:g} twice",
                ("prior", i),
            )
        if (sided, p0 < p1) in (("greater", False), ("less", True)):
            raise ParameterError(
                f'prior[{i}] has p0 = {p0:g} and p1 = {p1:g}, where the arm is not {_WORDS[sided]} as sided="{sided}" '
                "tests; write the pair the other way round: patients on the better arm are counted for both orders",
                ("prior", i),
            )
        pairs.append((p0, p1))
    return tuple(pairs)


_WORDS = {"greater": "better than the control", "less": "worse than the control"}

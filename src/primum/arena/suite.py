"""The suite of the arena: problems with the value they are judged by, in classes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from primum.plugins import registry
from primum.problem import Problem
from primum.runs.environments import Environment

FAMILIES = {  # of values, by their names
    "mean": "Mean",
    "mean-variance": "Mean-variance",
    "cvar": "CVaR",
    "entropic": "Entropic risk",
}
OTHER_VALUES = "Other values"
WORDS = {"mean variance": "mean-variance", "cvar": "CVaR", "bernoulli": "Bernoulli"}


@dataclass(frozen=True)
class ProblemClass:
    """Pairs that are hard for the same reason."""

    name: str
    title: str
    why: str


@dataclass(frozen=True, eq=False)
class Pair:
    """A problem with the value it is judged by, and the reason why it is in the suite; some are also played `long`.

    `tuned` has the names of the policies whose constants were chosen by how they do on it.
    """

    name: str
    problem_class: ProblemClass
    why: str
    problem: Problem
    long: bool = False
    tuned: tuple[str, ...] = ()

    @property
    def title(self) -> str:
        """Its name for people.

        >>> next(pair for pair in pairs() if pair.name == "sure-worse-cvar").title
        'Sure worse CVaR'
        """
        text = self.name.replace("-", " ")
        for word, written in WORDS.items():
            text = text.replace(word, written)
        return text[:1].upper() + text[1:]

    @property
    def family(self) -> str:
        """The family of its value: Mean, Mean-variance, CVaR, Entropic risk or Other values."""
        return FAMILIES.get(self.problem.value.name, OTHER_VALUES)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest possible reward of any arm; they may be infinite."""
        lows, highs = zip(*(arm.support for arm in self.problem.arms.values()), strict=True)
        return float(min(lows)), float(max(highs))


@lru_cache(maxsize=1)
def pairs() -> tuple[Pair, ...]:
    """All pairs of the suite, class by class.

    >>> len(pairs()), pairs()[0].title
    (67, 'Normals close')
    """
    text = resources.files("primum.arena").joinpath("suite.toml").read_text(encoding="utf-8")
    return tuple(_read(tomllib.loads(text)))


def _read(suite: dict[str, Any]) -> Iterator[Pair]:
    for name, about in suite.items():
        problem_class = ProblemClass(name, about["title"], about["why"])
        for pair, given in about["pairs"].items():
            long, tuned = given.get("long", False), tuple(given.get("tuned", ()))
            yield Pair(pair, problem_class, given["why"], _problem(given), long, tuned)


def _problem(given: dict[str, Any]) -> Problem:
    if "arms" in given:
        return Problem(given["arms"], given["value"])
    environment: Environment = registry.build("environments", given["arms_from"])
    return Problem(environment.build(), given["value"])

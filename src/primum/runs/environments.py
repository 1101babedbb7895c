"""Environments: sets of arms that an experiment refers to by name."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, Literal, get_args

from primum.plugins.parameters import parameter
from primum.plugins.registry import Plugin
from primum.rewards import RewardDistribution, paper_mixture, veterans_lung_cancer
from primum.rewards.paper_mixture import LARGEST_SEED

MOST_MIXTURES = 100_000  # arms of an environment
MOST_CACHED_ARMS = 20  # arms of an environment that is cached, about 1 MB, in case another experiment uses it

Scale = Literal["unit", "tenths", "categories", "days"]


class Environment(Plugin):
    """Named arms that belong together; built by name like a plug-in."""

    family: ClassVar[str] = "environments"

    @abstractmethod
    def build(self) -> dict[str, RewardDistribution]:
        """The arms by name."""


@dataclass(frozen=True)
class PaperMixture(Environment):
    """``{ name = "paper-mixture", arms = 20, seed = 1 }``: the arms of `primum.rewards.paper_mixture`."""

    arms: int = parameter(20, "number of arms", low=1, high=MOST_MIXTURES, integer=True)
    seed: int = parameter(0, "another seed draws other arms", low=0, high=LARGEST_SEED, integer=True)

    def build(self) -> dict[str, RewardDistribution]:
        if self.arms > MOST_CACHED_ARMS:
            return dict(paper_mixture(self.arms, self.seed))
        return dict(_mixture(self.arms, self.seed))


@lru_cache(maxsize=64)
def _mixture(arms: int, seed: int) -> dict[str, RewardDistribution]:
    # the tables of twenty arms take a tenth of a second, as long as some of the experiments with them
    return dict(paper_mixture(arms, seed))


@dataclass(frozen=True)
class VeteransLungCancer(Environment):
    """``{ name = "veterans-lung-cancer", scale = "unit" }``: the arms of `primum.rewards.veterans_lung_cancer`."""

    scale: str = parameter("unit", "how days of survival become rewards", choices=get_args(Scale))

    def build(self) -> dict[str, RewardDistribution]:
        return dict(veterans_lung_cancer(self.scale))

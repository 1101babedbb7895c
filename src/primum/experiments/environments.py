"""Arms that are not listed one by one, as an experiment asks for them."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field

from primum.rewards import RewardDistribution, paper_mixture, veterans_lung_cancer

MOST_ARMS = 100_000
LARGEST_SEED = 2**64 - 1
MOST_KEPT = 20  # arms of an environment that is kept, about 1 MB, in case another experiment asks for it

Scale = Literal["unit", "tenths", "categories", "days"]


class Environment(BaseModel):
    """A table with a name and parameters."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class PaperMixture(Environment):
    """``{ name = "paper-mixture", arms = 20, seed = 1 }``: the arms of `primum.rewards.paper_mixture`."""

    name: Literal["paper-mixture"] = "paper-mixture"
    arms: int = Field(20, ge=1, le=MOST_ARMS, description=f"a whole number in [1, {MOST_ARMS}]")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="a whole number in [0, 2^64 - 1]")

    def build(self) -> dict[str, RewardDistribution]:
        """The arms by name."""
        return dict(_mixture(self.arms, self.seed) if self.arms <= MOST_KEPT else paper_mixture(self.arms, self.seed))


@lru_cache(maxsize=64)
def _mixture(arms: int, seed: int) -> dict[str, RewardDistribution]:
    # the tables of twenty arms take a tenth of a second, as long as some of the experiments with them
    return dict(paper_mixture(arms, seed))


class VeteransLungCancer(Environment):
    """``{ name = "veterans-lung-cancer", scale = "unit" }``: the arms of `primum.rewards.veterans_lung_cancer`."""

    name: Literal["veterans-lung-cancer"] = "veterans-lung-cancer"
    scale: Scale = Field("unit", description="one of " + ", ".join(map(repr, get_args(Scale))))

    def build(self) -> dict[str, RewardDistribution]:
        """The arms by name."""
        return dict(veterans_lung_cancer(self.scale))


ENVIRONMENTS: dict[str, type[PaperMixture | VeteransLungCancer]] = {
    "paper-mixture": PaperMixture,
    "veterans-lung-cancer": VeteransLungCancer,
}
AnyEnvironment = Annotated[PaperMixture | VeteransLungCancer, Field(discriminator="name")]

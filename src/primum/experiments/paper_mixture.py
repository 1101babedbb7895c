"""The arms of the paper's simulated environment, as an experiment asks for them."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from primum.rewards import RewardDistribution, paper_mixture

MOST_ARMS = 100_000
LARGEST_SEED = 2**64 - 1


class PaperMixture(BaseModel):
    """``{ name = "paper-mixture", arms = 20, seed = 1 }``: the arms of `primum.rewards.paper_mixture`."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    name: Literal["paper-mixture"] = Field(description="'paper-mixture'")
    arms: int = Field(20, ge=1, le=MOST_ARMS, description=f"a whole number in [1, {MOST_ARMS}]")
    seed: int = Field(0, ge=0, le=LARGEST_SEED, description="a whole number in [0, 2^64 - 1]")

    def build(self) -> dict[str, RewardDistribution]:
        """The arms by name."""
        return dict(paper_mixture(self.arms, self.seed))

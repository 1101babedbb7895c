"""How large the reproduction is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Replications, environments and horizons of all experiments of the paper."""

    name: str
    constant: int  # replications for Figures 1 to 3
    floors: int  # and for each floor of the study of floors
    environments: int  # random draws of the twenty arms
    mixture: int  # replications in each of them
    longer: int  # and at four times the horizon
    clinical: int  # replications for Figure 9
    scales: int  # and for each other scale of its rewards
    sweep: int  # and for each rho
    beyond: int  # replications of the policies that the paper does not have, on two arms
    beyond_mixture: int  # and in each environment
    constant_horizon: int = 10_000
    mixture_horizon: int = 5_000
    clinical_horizon: int = 10_000


FULL = Scale(
    "full",
    constant=20_000,
    floors=2_000,
    environments=50,
    mixture=200,
    longer=5,
    clinical=2_000,
    scales=500,
    sweep=200,
    beyond=100,
    beyond_mixture=6,
)
QUICK = Scale(
    "quick",
    constant=300,
    floors=80,
    environments=8,
    mixture=10,
    longer=1,
    clinical=150,
    scales=50,
    sweep=20,
    beyond=8,
    beyond_mixture=1,
)

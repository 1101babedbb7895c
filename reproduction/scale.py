"""The size of the reproduction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Replications, environments and horizons of all experiments."""

    name: str
    constant_replications: int  # Figures 1 to 3
    floor_replications: int  # for each floor
    environments: int  # random draws of the twenty arms
    mixture_replications: int  # in each environment
    long_replications: int  # in each environment at four times the horizon
    clinical_replications: int  # Figure 9
    rescaled_replications: int  # for each other scale of its rewards
    rho_replications: int  # for each rho
    other_replications: int  # of the policies that the paper does not have, on two arms
    other_mixture_replications: int  # of these in each environment
    constant_horizon: int = 10_000
    mixture_horizon: int = 5_000
    clinical_horizon: int = 10_000


FULL = Scale(
    "full",
    constant_replications=20_000,
    floor_replications=2_000,
    environments=50,
    mixture_replications=200,
    long_replications=5,
    clinical_replications=2_000,
    rescaled_replications=500,
    rho_replications=200,
    other_replications=100,
    other_mixture_replications=6,
)
QUICK = Scale(
    "quick",
    constant_replications=300,
    floor_replications=80,
    environments=8,
    mixture_replications=10,
    long_replications=1,
    clinical_replications=150,
    rescaled_replications=50,
    rho_replications=20,
    other_replications=8,
    other_mixture_replications=1,
)

"""The policies of the arena, and the rule that says on which pairs each is played and with which parameters."""

from __future__ import annotations

import dataclasses
import math
from functools import lru_cache
from typing import Any

from primum.arena.suite import Pair
from primum.errors import PrimumError
from primum.plugins import registry
from primum.plugins.parameters import declared
from primum.policies import Policy
from primum.runs.simulation import check_fit

# Policies as specs, those for every value first. Rules of allocation in trials are not among them.
ROSTER = (
    "two-keys",
    "two-keys(bound='seen')",
    "besa-plus",
    "besa-plus(floor=0)",
    "sda",
    "ssmc",
    "npts",
    "mts",
    "dirichlet-sampling",
    "mcdiarmid-ucb",
    "u-ucb",
    "epsilon-greedy",
    "boltzmann",
    "explore-then-commit",
    "uniform-random",
    "besa",
    "ucb1",
    "ucb-v",
    "kl-ucb",
    "imed",
    "thompson",
    "thompson(prior='gaussian')",
    "gittins",
    "mv-lcb",
    "exp-exp",
    "mvts",
    "marab",
    "cvar-ucb",
    "min",
    "ra-ucb",
)

# The policies for every value that are consistent: under the mean, their expected regret grows more slowly than any
# power of the number of steps, whatever the distributions on the bounded interval that they are given (Lai and Robbins
# 1985). This is a theorem for five of them and a conjecture for Two keys with a known bound. Under other values it is
# proved for some only, and MTS, which rounds rewards to a grid, may rank arms wrongly there.
CONSISTENT = frozenset({"two-keys", "dirichlet-sampling", "npts", "mts", "u-ucb", "mcdiarmid-ucb"})

# Names for the table that say more than the policy's own. IMED is published with the divergence from all distributions
# of bounded rewards; ours has that of Bernoulli distributions, also where rewards are not binary.
TITLES = {"imed": "Bernoulli-IMED"}


def fitted(policy: Policy, pair: Pair) -> Policy | None:
    """The policy as it is played on a pair; None if the pair is not one that it is made for.

    A policy with a value of its own is played where the pair's value has the same name, with the parameters that both
    have, such as rho, alpha or theta, equal to the pair's. The parameters `top`, `low` and `width` are those of the
    support of the rewards, which must be finite if the policy needs bounds. What else a policy needs, such as
    rewards in [0, 1], is as in `primum.simulate`.

    >>> from primum.arena import pairs
    >>> from primum.policies import CvarUcb, Ucb1
    >>> pair = next(pair for pair in pairs() if pair.name == "losses")
    >>> str(fitted(CvarUcb(), pair)), fitted(Ucb1(), pair)
    ('cvar-ucb(alpha=0.25, top=0)', None)
    """
    value, (low, top) = pair.problem.value, pair.support
    given: dict[str, Any] = {"width": top - low}
    if policy.reward_bounds != (-math.inf, math.inf):
        given |= {"top": top, "low": low}
    matched = {name: given[name] for name in declared(policy) if name in given}
    if not all(map(math.isfinite, matched.values())):
        return None
    if policy.own_value is not None:
        if policy.own_value["name"] != value.name:
            return None
        matched |= {name: getattr(value, name) for name in declared(value) if name in declared(policy)}
    try:
        chosen = dataclasses.replace(policy, **matched)
        check_fit(pair.problem, chosen)
    except PrimumError:
        return None
    return chosen


@lru_cache(maxsize=1)
def roster() -> tuple[Policy, ...]:
    """The policies of the public table."""
    return tuple(registry.build("policies", spec) for spec in ROSTER)


def is_general(policy: Policy) -> bool:
    """Whether a policy is made for every value."""
    return policy.own_value is None

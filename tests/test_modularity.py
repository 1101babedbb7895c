"""Every policy x every value x every reward distribution: runs, is finite, and gives the same again."""

from __future__ import annotations

import numpy as np
import pytest

import primum
from primum import registry, rewards

# what has no default for every parameter
GIVEN = {
    "bernoulli": {"probability": 0.3},
    "beta": {"a": 2, "b": 3},
    "clipped": {"distribution": "scipy(distribution='norm', location=0.5)"},
    "constant": {"value": 0.5},
    "discrete": {"values": [0, 0.4, 1], "probabilities": [0.2, 0.5, 0.3]},
    "empirical": {"data": [0.1, 0.5, 0.5, 0.9]},
    "mixture": {"components": ["bernoulli(probability=0.2)", "beta(a=2, b=2)"]},
    "scaled": {"distribution": "beta(a=0.5, b=0.5)", "low": 0.2, "high": 0.9},
    "scipy": {"distribution": "triang", "shapes": [0.3]},
    "truncated-normal": {"location": 0.4, "deviation": 0.3},
    "truncated-normal-mixture": {"locations": [0.2, 0.9], "deviations": [0.1, 0.4]},
}


def ours(family):
    names = [name for name in registry.names(family) if registry.find(family, name).__module__.startswith("primum.")]
    return [registry.build(family, {"name": name} | GIVEN.get(name, {})) for name in names]


@pytest.mark.parametrize("value", ours("values"), ids=str)
@pytest.mark.parametrize("distribution", ours("rewards"), ids=lambda distribution: distribution.name)
def test_any_policy_any_value_any_distribution(value, distribution):
    problem = primum.Problem({"a": distribution, "b": rewards.Uniform(0, 1), "c": distribution}, value)
    players = ours("policies")
    assert len(players) >= 9
    first, again = (
        primum.simulate(problem, players, horizon=150, replications=3, seed=2, threads=threads, progress=False)
        for threads in (1, 2)
    )
    assert np.isfinite(first.regret.values).all()
    assert (first.regret.values >= 0).all()
    assert first == again

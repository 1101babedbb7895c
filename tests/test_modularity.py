"""Every policy x every value x every reward distribution: runs, is finite, and gives the same again."""

from __future__ import annotations

import numpy as np
import pytest

import primum
from primum import rewards
from primum.errors import ParameterError
from primum.plugins import registry
from tests.problems import suited

# what has no default for every parameter
GIVEN = {
    "bernoulli": {"probability": 0.3},
    "beta": {"a": 2, "b": 3},
    "clipped": {"distribution": "scipy(distribution='norm', location=0.5)"},
    "constant": {"value": 0.5},
    "discrete": {"values": [0, 0.4, 1], "probabilities": [0.2, 0.5, 0.3]},
    "empirical": {"data": [0.1, 0.5, 0.5, 0.9]},
    "formula": {"text": "mean - 0.5 * var + 0.1 * cvar(0.2)"},
    "mixture": {"components": ["bernoulli(probability=0.2)", "beta(a=2, b=2)"]},
    "scaled": {"distribution": "beta(a=0.5, b=0.5)", "low": 0.2, "high": 0.9},
    "scipy": {"distribution": "triang", "shapes": [0.3]},
    "truncated-normal": {"location": 0.4, "deviation": 0.3},
    "truncated-normal-mixture": {"locations": [0.2, 0.9], "deviations": [0.1, 0.4]},
}


def ours(family):
    names = [name for name in registry.names(family) if registry.find(family, name).__module__.startswith("primum.")]
    return [registry.build(family, {"name": name} | GIVEN.get(name, {})) for name in names]


def players(value, *distributions):
    """Every policy, with what it must know of the value; those for bounded rewards or for two arms where they are."""
    fit = []
    for policy in ours("policies"):
        least, most = policy.reward_bounds
        is_fit = policy.only_arms in (0, len(distributions))
        if is_fit and all(least <= arm.support[0] and arm.support[1] <= most for arm in distributions):
            fit.append(suited(policy, value))
    assert len(fit) >= 14
    return fit


def simulate(arms, value, **options):
    problem = primum.Problem(arms, value)
    return primum.simulate(problem, players(value, *arms.values()), replications=2, seed=2, progress=False, **options)


@pytest.mark.parametrize("value", ours("values"), ids=str)
@pytest.mark.parametrize("distribution", ours("rewards"), ids=lambda distribution: distribution.name)
def test_any_policy_any_value_any_distribution(value, distribution):
    """All that takes time here is to prepare a run, so there is one for all policies, and the next test repeats one."""
    arms = {"a": distribution, "b": rewards.Uniform(0, 1), "c": distribution}
    results = simulate(arms, value, horizon=60, threads=1)
    pulls, truth = results.pulls.values, np.array([value.true_value(arm) for arm in arms.values()])
    assert (pulls >= 0).all()
    assert (pulls.sum(axis=-1) == results.steps).all()  # one arm at each step
    assert np.isfinite(truth).all()
    assert results.regret.values == pytest.approx(pulls @ (truth.max() - truth), abs=1e-9)
    assert results.regret.sel(policy="oracle").values.max() == 0


@pytest.mark.parametrize("value", ours("values"), ids=str)
def test_the_same_again(value):
    arms = {distribution.name: distribution for distribution in ours("rewards")}
    assert simulate(arms, value, horizon=150, threads=1) == simulate(arms, value, horizon=150, threads=2)


@pytest.mark.parametrize("value", ours("values"), ids=str)
def test_what_a_policy_must_know_of_a_value_is_asked_for_before_the_run(value):
    problem = primum.Problem({"a": rewards.Constant(0.5), "b": rewards.Uniform(0, 1)}, value)
    for policy in ours("policies"):
        given = suited(policy, value)
        if given != policy:
            name = policy.needs_constant
            with pytest.raises(ParameterError) as refused:
                primum.simulate(problem, [policy], horizon=5, replications=1, progress=False)
            assert f"{policy.display_name} needs a value with a known {name}, and {value.display_name} has none" in str(
                refused.value
            )
            assert value.well_behaved_reason.removesuffix(".") in str(refused.value)
            assert str(refused.value).endswith(f"give one yourself: {policy.name}({name}=2)")
        given.check_value(value)

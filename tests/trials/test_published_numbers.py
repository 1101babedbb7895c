"""Operating characteristics against numbers that others published or computed by programs of their own."""

from __future__ import annotations

import math

import pytest

from primum import policies, rewards, trials
from primum.trials.operating.characteristics import Truth, characteristics
from primum.trials.operating.measures import Measures
from primum.trials.simulation.running import run

TRIALS = 6_000
OTHERS = 50_000  # trials behind the published numbers
TAILS = 4.5  # standard errors of the difference: 12 comparisons give a false alarm in 1 of 12,000 seeds


def design_of(policy: policies.Policy) -> trials.Design:
    return trials.Design(
        arms=["control", "a", "b", "c"],
        patients=423,
        policy=policy,
        analysis=trials.PooledZ(sided="greater", critical=2.128),
    )


def operating(design: trials.Design, arms: list[rewards.RewardDistribution]) -> dict[str, tuple[float, float]]:
    """Each characteristic of the last arm, or of the trial, with its standard error."""
    scenario = trials.Scenario(arms)
    found = run(design, scenario, 11, range(TRIALS))
    measured = characteristics(Measures.of(found), design, Truth.of(design, scenario))
    return {each.name: (float(each.value.flat[-1]), float(each.error.flat[-1])) for each in measured if each.value.size}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policy", "error", "power", "share", "successes", "sd"),
    [
        (policies.UniformRandom(), 0.0412, 0.8045, 0.25, 148.08, 9.82),
        (policies.Gittins(discount=0.999), 0.0057, 0.2993, 0.842, 198.19, 14.04),
        (
            policies.ForwardLookingGittins(discount=0.999, block=1, control="fixed"),
            0.0293,
            0.9142,
            0.648,
            181.73,
            12.26,
        ),
    ],
    ids=["complete randomisation", "Gittins", "Gittins that keeps the control"],
)
def test_four_arms_with_423_patients(policy, error, power, share, successes, sd):
    """The design of Villar, Bowden, Wason (Statistical Science 2015), by another program with 50,000 trials."""
    design = design_of(policy)
    null = operating(design, [rewards.Bernoulli(0.3)] * 4)
    effect = operating(design, [rewards.Bernoulli(0.3)] * 3 + [rewards.Bernoulli(0.5)])
    for found, published in (
        (null["reject"], error),
        (effect["claim"], power),
        (effect["share"], share),
        (effect["outcome"], successes),
        (effect["outcome_sd"], sd),
    ):
        margin = TAILS * found[1] * math.sqrt(1 + TRIALS / OTHERS)
        assert found[0] == pytest.approx(published, abs=margin + 0.0005)

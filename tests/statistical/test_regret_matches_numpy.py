"""Mean regret agrees with that of plain NumPy versions, which share no code and no random numbers with the engine.

Twelve comparisons, each with a false alarm in 1.7 million (5 standard errors) if the seeds were not fixed.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import primum
from primum import policies, rewards, values
from tests.oracle import numpy_besa

HORIZON = 200

PROBLEMS = {
    "Bernoulli": {"a": rewards.Bernoulli(0.4), "b": rewards.Bernoulli(0.6)},
    "constant": {"a": rewards.Constant(0.4), "b": rewards.Uniform(0, 1)},
    "normals": {f"{x}": rewards.TruncatedNormal(location=x, deviation=0.2) for x in (0.3, 0.45, 0.5, 0.7, 0.6)},
}


def thompson(tape, rng):
    arms, horizon = tape.shape
    counts = np.ones((2, arms))
    pulls = np.zeros(arms, np.int64)
    for _ in range(horizon):
        arm = int(np.argmax(rng.beta(counts[0], counts[1])))
        success = rng.random() < tape[arm, pulls[arm]]
        counts[0 if success else 1, arm] += 1
        pulls[arm] += 1
    return pulls


GAMES_OF = {
    policies.Ucb1(): lambda tape, rng: numpy_besa.ucb1(tape, rng),
    policies.Thompson(): thompson,
    policies.Besa(): lambda tape, rng: numpy_besa.besa_plus(tape, numpy_besa.mean, rng, floor=0.0),
    policies.BesaPlus(): lambda tape, rng: numpy_besa.besa_plus(tape, numpy_besa.mean, rng),
}


@pytest.mark.parametrize("games", [80, pytest.param(250, marks=pytest.mark.long)])
@pytest.mark.parametrize("problem", PROBLEMS)
@pytest.mark.parametrize("policy", GAMES_OF, ids=str)
def test_mean_regret_agrees(policy, problem, games):
    arms = PROBLEMS[problem]
    ours = primum.simulate(
        primum.Problem(arms, values.Mean()), [policy], horizon=HORIZON, replications=20_000, seed=5, progress=False
    )
    regret = ours.regret.values[0, :, -1]
    rng = np.random.default_rng(17)
    theirs = []
    for _ in range(games):
        tape = np.array([arm.quantile(rng.random(HORIZON)) for arm in arms.values()])
        theirs.append(GAMES_OF[policy](tape, rng) @ ours.problem.gaps)
    error = math.sqrt(np.var(theirs, ddof=1) / games + np.var(regret, ddof=1) / regret.size)
    assert abs(np.mean(theirs) - regret.mean()) < 5 * error

"""How long a part of a simulation takes, roughly, so that the time left of many is realistic."""

from __future__ import annotations

import numpy as np

from primum.runs.experiment import Experiment
from primum.runs.wire import Part

# Microseconds per step with few arms and with many, measured once: policies differ by a factor of a hundred.
STEP_COSTS = {
    "besa-plus": (0.2, 2.0),
    "besa": (0.4, 2.0),
    "npts": (8.5, 4.0),
    "dirichlet-sampling": (0.2, 2.7),
    "sda": (0.1, 2.2),
    "mts": (0.4, 4.6),
    "kl-ucb": (0.3, 3.5),
    "marab": (0.2, 0.4),
    "exp-exp": (0.1, 0.3),
}
OTHER_STEP_COST = (0.1, 1.0)
FEW_ARMS = 4
NO_STEPS = np.zeros(0, np.int64)
PART_COST = 1000.0  # of a part, whatever it plays


def rough_cost(part: Part) -> float:
    """The duration of a part in microseconds, on one processor."""
    many = len(part.problem.arms) > FEW_ARMS
    each = sum(STEP_COSTS.get(policy.name, OTHER_STEP_COST)[many] for policy in part.policies)
    return PART_COST + each * len(part.replications) * part.horizon


def rough_seconds(experiment: Experiment) -> float:
    """The duration of an experiment in seconds, on one processor."""
    part = Part(
        experiment.problem(), experiment.policies, experiment.horizon, 0, NO_STEPS, range(experiment.replications)
    )
    return rough_cost(part) / 1e6

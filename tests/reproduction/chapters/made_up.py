"""Made-up samples on the axes environment, policy and replication."""

from __future__ import annotations

import numpy as np
import xarray


def named(**samples):
    """Arrays of environments x replications, by policy; a name says besa-plus as besa_plus."""
    policies = [name.replace("_", "-") for name in samples]
    axes = ("policy", "environment", "replication")
    array = xarray.DataArray(np.stack(list(samples.values())), {"policy": policies}, axes)
    return array.transpose("environment", "policy", "replication")


def normal(shape=(20, 30), seed=1, **policies):
    """Normal regrets by the mean and the standard deviation of each policy, and fractions with a hundredth of these."""
    rng = np.random.default_rng(seed)
    level = rng.normal(10, 2, (shape[0], 1))
    regret = named(
        **{name: level + mean + deviation * rng.normal(size=shape) for name, (mean, deviation) in policies.items()}
    )
    return xarray.Dataset({"regret": regret, "best_arm_share": 0.5 + 0.01 * regret})

"""The simulated environment of the paper."""

from __future__ import annotations

import numpy as np

from primum.plugins.parameters import Parameter
from primum.rewards.truncated_normal_mixture import TruncatedNormalMixture

LARGEST_SEED = 2**64 - 1


def paper_mixture(arms: int = 20, seed: int = 0) -> dict[str, TruncatedNormalMixture]:
    """Arms "arm 1", "arm 2", ...: each a mixture of four normals of equal weight, truncated to [0, 1].

    Locations are uniform on [0, 1], deviations on [0.5, 1]: Aboutalebi, Precup, Schuster 2019 (arXiv:1903.01026),
    "Conditional value at risk safety value function". A seed gives the same environment everywhere, and
    fewer arms give the first of them: eight numbers an arm, four locations and then four deviations, are the highest 53
    bits of successive raw outputs of NumPy's Philox with the seed as its key.

    >>> arms = paper_mixture(arms=2, seed=7)
    >>> {name: round(arm.mean, 3) for name, arm in arms.items()}
    {'arm 1': 0.513, 'arm 2': 0.499}
    """
    arms = Parameter("number of arms", low=1, integer=True).check("arms", arms, of="paper_mixture")
    seed = Parameter("its seed", 0, LARGEST_SEED, integer=True).check("seed", seed, of="paper_mixture")
    raw = np.random.Philox(key=seed).random_raw(8 * arms)
    numbers = (raw >> np.uint64(11)).reshape(arms, 2, 4) * 2.0**-53
    return {
        f"arm {i + 1}": TruncatedNormalMixture(locations.tolist(), (0.5 + deviations / 2).tolist())
        for i, (locations, deviations) in enumerate(numbers)
    }

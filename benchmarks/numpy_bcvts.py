"""B-CVTS in plain NumPy: per step and arm, exponential weights on a sorted record (Baudry, Gautron, Kaufmann, Maillard,
ICML 2021)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def reweighted_cvar(record: Floats, alpha: float, rng: np.random.Generator) -> float:
    """The mean of the lowest `alpha` of the mass of an ascending record with Dirichlet(1, ..., 1) weights."""
    weights = rng.standard_exponential(record.size)
    weights /= weights.sum()
    reached = np.cumsum(weights)
    edge = int(np.searchsorted(reached, alpha))
    before = reached[edge - 1] if edge else 0.0
    return float((weights[:edge] @ record[:edge] + (alpha - before) * record[edge]) / alpha)


def b_cvts(tape: Floats, alpha: float, rng: np.random.Generator, top: float = 1.0) -> NDArray[np.int64]:
    """The pulls of each arm after a game as long as the tape, whose row for an arm has its rewards in order."""
    arms, horizon = tape.shape
    pulls = np.zeros(arms, np.int64)
    records = [np.array([top]) for _ in range(arms)]
    for _ in range(horizon):
        scores = np.array([reweighted_cvar(record, alpha, rng) for record in records])
        best = np.flatnonzero(scores == scores.max())
        chosen = int(best[0]) if best.size == 1 else int(rng.choice(best))
        reward = tape[chosen, pulls[chosen]]
        records[chosen] = np.insert(records[chosen], np.searchsorted(records[chosen], reward), reward)
        pulls[chosen] += 1
    return pulls

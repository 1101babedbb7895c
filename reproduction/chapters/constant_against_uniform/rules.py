"""BESA+ and BESA on a constant arm and a uniform one: the parts that decide the claims.

The evidence is a Dataset `runs` on the axes environment (r), policy, replication and step: `regret`, `stuck`, and
`better_arm_pulls`, the pulls of the uniform arm so far.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from primum.results.intervals import Array, mean_band, paired_share_band, share_band
from primum.theory.growth import Growth, growth
from reproduction import claims
from reproduction.judgement import Part, Parts

if TYPE_CHECKING:  # takes half a second
    from xarray import Dataset

Growths = Mapping[tuple[float, str], Growth]  # by r and policy

BESA_PLUS, BESA = "besa-plus", "besa"


def values(runs: Dataset, variable: str, r: float, policy: str) -> Array:
    """Replication x step."""
    return np.asarray(runs[variable].sel(environment=r, policy=policy))


def rewards(runs: Dataset) -> list[float]:
    """Each r."""
    return [float(r) for r in runs.environment]


def growths(runs: Dataset) -> Growths:
    """The index of growth of the mean regret for each r and policy."""
    return {
        (r, policy): growth(values(runs, "regret", r, policy), runs.step.values)
        for r in rewards(runs)
        for policy in runs.policy.values.tolist()
    }


def index_of_growth(found: Growths, policy: str, name: str, **needs: float) -> Parts:
    """Claims 1, 12 and 14."""
    return tuple(
        Part.estimate(f"r = {r}: index of growth of the mean regret of {name}", (one.index, one.low, one.high), **needs)
        for (r, label), one in found.items()
        if label == policy
    )


def tried_once(runs: Dataset) -> Parts:
    """Claim 7."""
    return tuple(
        Part.estimate(
            f"r = {r}: fraction of replications in which BESA tried the better arm only once, minus r",
            share_band(values(runs, "better_arm_pulls", r, BESA)[:, -1] == 1) - r,
            at_least=-claims.PROBABILITY_TOLERANCE,
            at_most=claims.PROBABILITY_TOLERANCE,
        )
        for r in rewards(runs)
    )


def rarely_stuck(runs: Dataset) -> Parts:
    """Claim 8."""
    steps = runs.step.values
    earlier = np.searchsorted(steps, steps[-1] / 10)
    parts = []
    for r in rewards(runs):
        stuck = values(runs, "stuck", r, BESA_PLUS)
        final = f"r = {r}: fraction of replications that are stuck at the end"
        change = f"r = {r}: that fraction minus the fraction at a tenth of the horizon"
        parts.append(Part.estimate(final, share_band(stuck[:, -1]), at_most=claims.RARE_FRACTION))
        parts.append(Part.estimate(change, paired_share_band(stuck[:, -1], stuck[:, earlier]), at_most=0.0))
    return tuple(parts)


def cost_of_floor(costs: Mapping[str, float], at_most: float) -> Parts:
    """Claim 9."""
    return tuple(Part.exact(statement, cost, at_most=at_most) for statement, cost in costs.items())


def prefers_better_arm(runs: Dataset) -> Parts:
    """Claim 13."""
    steps = runs.step.values
    late = np.searchsorted(steps, 0.9 * steps[-1])
    parts = []
    for r in rewards(runs):
        pulls = values(runs, "better_arm_pulls", r, BESA_PLUS)
        prefers = pulls[:, -1] - pulls[:, late] > (steps[-1] - steps[late]) / 2
        statement = (
            f"r = {r}: fraction of replications in which BESA+ prefers the better arm in the last tenth of the steps"
        )
        parts.append(Part.estimate(statement, share_band(prefers), at_least=claims.LEARNED_FRACTION))
    return tuple(parts)


def lower_regret(runs: Dataset) -> Parts:
    """Claim 15."""
    return tuple(
        Part.estimate(
            f"r = {r}: final regret of BESA+ minus that of BESA",
            mean_band(values(runs, "regret", r, BESA_PLUS)[:, -1] - values(runs, "regret", r, BESA)[:, -1]),
            at_most=0.0,
        )
        for r in rewards(runs)
    )


def harder_near_half(runs: Dataset) -> Parts:
    """Claim 16; replications are paired, as the uniform arm gives the same rewards for every r."""
    parts = []
    ordered = sorted(rewards(runs))
    for nearer, further in zip(ordered[1:], ordered, strict=False):
        regrets, stuck = (
            [values(runs, variable, r, BESA_PLUS)[:, -1] for r in (nearer, further)] for variable in ("regret", "stuck")
        )
        between = f"of BESA+ at r = {nearer} minus that at r = {further}"
        parts.append(Part.estimate(f"final regret {between}", mean_band(regrets[0] - regrets[1]), at_least=0.0))
        parts.append(
            Part.estimate(f"fraction of stuck replications {between}", paired_share_band(*stuck), at_least=0.0)
        )
    return tuple(parts)

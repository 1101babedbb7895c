"""Statistics over environments. Replications in the same environment are alike, so an environment is one observation.

`samples` has the axes environment, policy and replication, at one step. Of a single environment, the observations are
its replications. A band is an estimate with the two ends of its 95 % interval.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from primum.errors import UnknownNameError
from primum.results import Results
from primum.results.intervals import Array, mean_band, ratio_band, variance_ratio_band

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray


SPREADS = ("within", "typical", "total")
RELATIVE_ROUNDING = 1e-12  # replications that differ by less, relative to their size, are equal


def in_group(results: Mapping[str, Results], name: str) -> dict[str, Results]:
    """The result of this name, or those of all environments ``name/...``."""
    found = {key: results[key] for key in sorted(results) if key == name or key.startswith(f"{name}/")}
    if not found:
        raise UnknownNameError("group of environments", name, sorted({key.partition("/")[0] for key in results}))
    return found


def of_policy(samples: DataArray, policy: str) -> Array:
    """Environment x replication x what else there is."""
    if policy not in samples.policy:
        raise UnknownNameError("policy in these environments", policy, samples.policy.values.tolist())
    return np.asarray(samples.sel(policy=policy))


def observations(samples: Array) -> Array:
    """The mean of each environment, or the replications of a single one."""
    return np.asarray(samples[0] if len(samples) == 1 else samples.mean(axis=1))


def mean(samples: DataArray, policy: str) -> Array:
    """The mean over environments."""
    return mean_band(observations(of_policy(samples, policy)))


def difference(samples: DataArray, a: str, b: str) -> Array:
    """The mean of a minus b, paired: both policies met the same rewards of each arm."""
    return mean_band(observations(of_policy(samples, a) - of_policy(samples, b)))


def ratio(samples: DataArray, a: str, b: str) -> Array:
    """The mean of a divided by the mean of b."""
    return ratio_band(observations(of_policy(samples, a)), observations(of_policy(samples, b)))


def standard_deviation(samples: DataArray, policy: str) -> float:
    """Over replications within an environment: the root of the mean variance."""
    return float(np.sqrt(_variances(of_policy(samples, policy)).mean()))


def spread_ratio(samples: DataArray, a: str, b: str, spread: str = "within") -> Array:
    """The standard deviation of a divided by that of b.

    - ``within``: over replications in the same environment. Variances are averaged over environments before they are
      divided, so that the estimate does not depend on the number of replications.
    - ``typical``: the geometric mean of the ratios in each environment. It needs many replications: of an event of
      probability 0.1, ten replications often show no variation at all. An environment in which the replications of both
      policies are all equal has no ratio; if only those of one are, there is no mean.
    - ``total``: over all replications, as if each had been run in an environment of its own.

    The interval of a single environment is that of normal samples (F distribution).
    """
    first, second = of_policy(samples, a), of_policy(samples, b)
    if spread not in SPREADS:
        raise UnknownNameError("spread", spread, SPREADS)
    if spread == "total":
        return np.sqrt(ratio_band(*(((one - one.mean()) ** 2).mean(axis=1) for one in (first, second))))
    above, below = _variances(first), _variances(second)
    if len(first) == 1:
        return np.sqrt(variance_ratio_band(float(above[0]), float(below[0]), first.shape[1]))
    if spread == "within":
        return np.sqrt(ratio_band(above, below))
    known = (above > 0) | (below > 0)
    if not (above[known] * below[known] > 0).all():
        return np.full(3, np.nan)
    return np.asarray(np.exp(mean_band(np.log(above[known] / below[known]) / 2)))


def fraction_steadier(every: Sequence[DataArray], a: str, b: str, size: int) -> float:
    """How often a has the smaller standard deviation in all of these samples when only `size` replications are seen.

    The replications of an environment are divided into groups of that size.
    """
    groups = every[0].sizes["replication"] // size
    if not groups:
        return float("nan")
    steadier = np.ones((every[0].sizes["environment"], groups), np.bool_)
    for samples in every:
        first, second = (
            of_policy(samples, policy)[:, : groups * size].reshape(-1, groups, size).std(axis=-1) for policy in (a, b)
        )
        steadier &= first < second
    return float(steadier.mean())


def halves(samples: DataArray) -> tuple[DataArray, DataArray]:
    """Every second environment, or replication of a single one, and the others: to choose here and compare there."""
    axis = "environment" if samples.sizes["environment"] > 1 else "replication"
    return samples.isel({axis: slice(0, None, 2)}), samples.isel({axis: slice(1, None, 2)})


def _variances(samples: Array) -> Array:
    """The variance over replications in each environment; a single replication has none."""
    if samples.shape[1] < 2:
        return np.full(len(samples), np.nan)
    equal = np.ptp(samples, axis=1) <= RELATIVE_ROUNDING * np.abs(samples).max(axis=1)
    return np.where(equal, 0.0, samples.var(axis=1, ddof=1))

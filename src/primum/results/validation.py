"""Whether results that were read can be those of a simulation."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import ParameterError, quoted
from primum.plugins.parameters import Parameter

if TYPE_CHECKING:
    from xarray import DataArray

FINGERPRINTS = r"(unknown|[0-9a-f]{64})(, (unknown|[0-9a-f]{64}))*"  # of joined results several
LARGEST_COUNT = 2**31 - 1  # of steps, of replications


def check(pulls: DataArray, about: Mapping[str, Any], policies: Sequence[str], arms: Sequence[str]) -> None:
    """Refuse numbers, axes and pulls that no simulation gives."""
    spec, versions = about["spec"], about["versions"]
    if not isinstance(versions, dict) or not all(isinstance(number, str) for number in versions.values()):
        raise ParameterError(f"versions must be texts by the names of packages, got {quoted(versions)}")
    if not re.fullmatch(FINGERPRINTS, str(about["fingerprint"])):
        raise ParameterError(f"the fingerprint must have 64 hexadecimal digits, got {quoted(about['fingerprint'])}")
    whole = {"horizon": (1, LARGEST_COUNT), "seed": (0, 2**64 - 1), "requested": (pulls.shape[1], LARGEST_COUNT)}
    for name, (low, high) in whole.items():
        Parameter("", low, high, integer=True).check(name, spec[name])
    for axis, names in (("policy", policies), ("arm", arms)):
        found = pulls[axis].values.tolist()
        if not found or found != list(names) or len(set(names)) < len(names):
            raise ParameterError(f"the axis {axis} must be {quoted(list(names))}, got {quoted(found)}")
    _check_ascending("replication", pulls["replication"].values, 0, LARGEST_COUNT - 1)
    steps = pulls["step"].values
    _check_ascending("step", steps, 1, spec["horizon"])
    if not steps.size or not np.can_cast(pulls.dtype, np.int32):
        raise ParameterError(f"pulls must be whole numbers at one step or more, got {pulls.dtype} at {steps.size}")
    for counts in pulls.values:  # one policy at a time, which takes less memory
        if (counts[:, 0] < 0).any() or (counts[:, 1:] < counts[:, :-1]).any():
            raise ParameterError("pulls must not be negative, nor decrease from a step to the next")
        if (counts.sum(axis=2, dtype=np.int64) != steps).any():
            raise ParameterError("the pulls of all arms must add up to the step")


def _check_ascending(axis: str, numbers: np.ndarray[Any, Any], low: int, high: int) -> None:
    is_whole = np.can_cast(numbers.dtype, np.int64)
    if not is_whole or (numbers < low).any() or (numbers > high).any() or (np.diff(numbers) <= 0).any():
        raise ParameterError(f"the axis {axis} must have ascending whole numbers in [{low}, {high}], got {numbers}")

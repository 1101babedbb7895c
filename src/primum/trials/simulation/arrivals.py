"""When the patients of simulated trials arrive, and when their outcomes are known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.kernels.streams import PATIENT, fill_uniforms
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.timing import Regular

OUTCOME, ACCRUAL, DELAY = 0, 1, 2  # lanes of a patient's random numbers
NEVER = np.iinfo(np.int32).max  # in place of the patient before whom an outcome is known
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Timing:
    """When patients arrive and when their outcomes are known; a single row stands for all trials.

    `arrivals` are the patients in the order in which their outcomes arrive. An outcome is known before the allocation
    of the patient whose number, from 0, is `ready`; beyond the last patient, it is known after the enrolment.
    """

    accrual: Floats
    arrivals: NDArray[np.int32]
    ready: NDArray[np.int32]
    ends: Floats  # time at which the outcome of each patient is known


def uniforms_of(seed: int, replications: Ints, lane: int, patients: int) -> Floats:
    """Uniform numbers of patients for a purpose: trial x patient."""
    from primum.kernels.native import compiling

    out = np.empty((len(replications), patients + patients % 2))
    compiling.compiled(fill_uniforms)(np.uint64(seed), replications, PATIENT, lane, 0, out)
    return out[:, :patients]


def timing_of(design: Design, seed: int, replications: Ints) -> Timing:
    """When the patients of these trials arrive, and when their outcomes are known."""
    patients, delay = design.patients, design.delay
    numbers = np.arange(patients, dtype=np.int32)[None, :]
    is_random = type(design.accrual) is not Regular
    drawn = uniforms_of(seed, replications, ACCRUAL, patients) if is_random else np.zeros((1, patients))
    accrual = np.asarray(design.accrual.times(drawn), np.float64)
    if accrual.shape != drawn.shape or not np.isfinite(accrual).all() or (np.diff(accrual, axis=1) < 0).any():
        raise ParameterError(f"{design.accrual.display_name}: times must be finite and in ascending order")
    lag = 0 if delay is None else delay.patients
    if lag >= 0:
        return Timing(accrual, numbers, numbers + np.int32(1 + min(lag, patients)), accrual)
    assert delay is not None
    durations = np.asarray(delay.durations(uniforms_of(seed, replications, DELAY, patients)), np.float64)
    if not (durations >= 0).all():
        raise ParameterError(f"{delay.display_name}: durations must not be negative")
    ends = accrual + durations
    arrivals = np.argsort(ends, axis=1, kind="stable").astype(np.int32)
    rows = np.broadcast_to(accrual, ends.shape)
    found = np.stack([np.searchsorted(times, end, side="left") for times, end in zip(rows, ends, strict=True)])
    ready = np.where(found < patients, np.maximum(found, numbers + 1), patients + 1).astype(np.int32)
    return Timing(accrual, arrivals, ready, ends)

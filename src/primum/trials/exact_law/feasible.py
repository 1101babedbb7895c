"""Which designs have exact operating characteristics."""

from __future__ import annotations

from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.kernels.blocks import MOST_ROUNDS
from primum.text import counted

if TYPE_CHECKING:
    from primum.trials.design import Design

MOST_PATIENTS = 1_000  # 2^-1000 is still a floating-point number
LONGEST_DELAY = 10  # patients
MOST_STATES = 200_000_000  # at a time, 8 bytes each, and half as many again where they move between layers


def check(design: Design) -> None:
    """Raise a ParameterError with the reason if a design has no exact operating characteristics."""
    if len(design.arms) != 2:
        raise ParameterError(f"exact operating characteristics need two arms, got {len(design.arms)}")
    if not design.policy.has_chances:
        raise ParameterError(
            f"{design.policy.display_name} has no exact operating characteristics: {design.policy.no_chances}"
        )
    if design.stopping is not None and design.stopping.needs_chances:
        raise ParameterError(
            f"{design.stopping.display_name} needs patients one by one, and exact operating characteristics know counts"
        )
    if design.delay is not None and design.delay.patients < 0:
        raise ParameterError(
            "exact operating characteristics need a delay counted in patients, "
            f"and {design.delay.display_name} depends on time"
        )
    if design.patients > MOST_PATIENTS:
        raise ParameterError(
            f"exact operating characteristics need at most {MOST_PATIENTS:,} patients, got {design.patients:,}"
        )
    for patients in looks(design):
        if patients > design.patients:
            raise ParameterError(
                f"the look at {patients - lag(design)} outcomes is after the last patient was enrolled, "
                "which exact operating characteristics do not cover"
            )
        if not updates(design)[patients]:
            raise ParameterError(
                "exact operating characteristics need each look where the policy sees new data, "
                f"and there is one in a block, after {counted(patients, 'patient')}"
            )
    most = max(states(design))
    if lag(design) > LONGEST_DELAY or most > MOST_STATES:
        raise ParameterError(
            f"exact operating characteristics would need {most:,} states at a time; at most {MOST_STATES:,} and a "
            f"delay of at most {LONGEST_DELAY} patients are possible"
        )


def lag(design: Design) -> int:
    """How many patients are allocated before an outcome is known."""
    return 0 if design.delay is None else design.delay.patients


def looks(design: Design) -> list[int]:
    """The number of patients enrolled at each interim look."""
    return [number + (lag(design) if design.looks_count == "outcomes" else 0) for number in design.monitoring.interim]


def updates(design: Design) -> NDArray[np.bool_]:
    """After how many patients, from none to all, the policy may see all outcomes that are known.

    During a burn-in it does not matter what it sees, unless the times of its updates are listed.
    """
    flags = np.append(design.updates(), True)
    if isinstance(design.blocks, int):
        flags[: design.forced] = True
    flags[0] = True
    return flags


def known(design: Design) -> list[int]:
    """How many outcomes the policy knows after each number of patients, from none to all."""
    seen = [max(t - lag(design), 0) if flag else 0 for t, flag in enumerate(updates(design))]
    return list(accumulate(seen, max))


def states(design: Design) -> list[int]:
    """An upper bound of the number of states after each number of patients.

    A state has the known outcomes, the number of patients on an arm of those who wait for an update, the arms of those
    whose outcomes are not known yet, which arms are dropped, and in the burn-in the end of the block.
    """
    arms, delay = (3 if design.looks else 1), lag(design)
    return [
        (MOST_ROUNDS if t <= design.forced else 1)
        * arms
        * (n + 1)
        * (n + 2)
        * (n + 3)
        // 6
        * (max(t - delay, 0) - n + 1)
        * 2 ** min(t, delay)
        for t, n in enumerate(known(design))
    ]

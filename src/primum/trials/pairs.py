"""Re-runs of a trial that allocate only the patients of one arm and the control again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from primum.errors import PrimumError


@dataclass(frozen=True)
class Pair:
    """The control and another arm, and what each patient received in the trial; arm 0 stands for no pair."""

    arm: int
    held: NDArray[np.int16]


NO_PAIR = Pair(0, np.empty(0, np.int16))


def refuse_drop() -> None:
    """Refuse re-runs in which the rest of a block of the burn-in is allocated by the policy."""
    raise PrimumError(
        "an arm is dropped during the burn-in, and the probabilities of the rest of its block are then not known; drop "
        "arms after the burn-in"
    )

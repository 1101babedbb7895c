"""What a design gives its patients and what it finds out, averaged over pairs of success probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from primum.trials.data import Floats
from primum.trials.exact_law.final_counts import FinalCounts
from primum.trials.exact_law.law import Law


def averages(law: Law, prior: Sequence[tuple[float, float]], sided: str) -> tuple[float, float]:
    """The share of patients on the better arm, and the power, averaged over the pairs of a prior.

    The share is averaged over each pair and its mirror image, in which the arms are exchanged, and so is the power of a
    two-sided test: the probability that the better arm is declared better. Otherwise that is arm 1 (`sided` "greater")
    or the control ("less"). Patients whom an early stop leaves are counted as treated with the arm that was declared
    better, or with the control if none was.
    """
    lower, higher = np.array([sorted(pair) for pair in prior]).T
    share = (mean_share(law, lower, higher, 1) + mean_share(law, higher, lower, 0)) / 2
    toward_other, toward_control = law.declared(lower, higher)[:, 1].mean(), law.declared(higher, lower)[:, 0].mean()
    both = (toward_other + toward_control) / 2
    return share, float({"greater": toward_other, "less": toward_control, "two-sided": both}[sided])


def mean_share(law: Law, p0: Floats, p1: Floats, better: int) -> float:
    """The share of all planned patients on an arm, averaged over pairs."""
    patients = law.design.patients

    def on_better(end: FinalCounts) -> float:
        rest = patients - end.patients
        return end.pulls[better] + rest * (int(end.claimed[1]) == better)

    return float(law.of_sizes(p0, p1, on_better).mean()) / patients

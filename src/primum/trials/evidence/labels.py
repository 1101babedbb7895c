"""Bets on the labels of trials."""

from __future__ import annotations

import numpy as np

from primum.trials.data import Floats, TrialData
from primum.trials.evidence.betting import Labels, log_evidence, two_sided


def labels_of(data: TrialData, k: int) -> Labels:
    """The patients of arm `k` and of the control, as they are bet on."""
    arm, outcome = data.one_by_one("betting on labels")
    pending = np.zeros(arm.shape, np.bool_) if data.pending is None else data.pending
    return Labels.of(arm, outcome, data.chances, k, pending)


def log_path(data: TrialData, k: int, sided: str) -> Floats:
    """The logarithm of W after each patient, against the alternative that arm `k` is not as `sided` says.

    It is constant from the first patient on whose outcome is pending.
    """
    labels = labels_of(data, k)
    if sided == "two-sided":
        return two_sided(log_evidence(labels), log_evidence(labels, better=False))
    return log_evidence(labels, better=sided == "greater")

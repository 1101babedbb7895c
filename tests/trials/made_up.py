"""Data of trials that were never run."""

from __future__ import annotations

import warnings

import numpy as np

from primum import trials


def design(arms=2, patients=60, **options):
    """A design whose policy does not matter."""
    names = ["control", *(f"arm {k}" for k in range(1, arms))]
    rule = options.get("stopping")
    analysis = None if isinstance(rule, trials.StoppingRule) and rule.claims else "pooled-z"
    return trials.Design(
        **{"arms": names, "patients": patients, "policy": "uniform-random", "analysis": analysis} | options
    )


def successes(counts, sums, **options):
    """Trials of which the patients and successes of each arm are known."""
    counts = np.asarray(counts)
    return trials.TrialData.from_successes(design(counts.shape[1], **options), counts, sums)


def patients(arm, outcome, arms=2, **options):
    """Trials of which the arm and the outcome of each patient are known."""
    arm, outcome = np.asarray(arm), np.asarray(outcome, np.float64)
    known = (arm >= 0) & np.isfinite(outcome)
    given = known[:, :, None] & (arm[:, :, None] == np.arange(arms))
    seen = np.where(known, outcome, 0.0)[:, :, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # arms with fewer than two outcomes
        variances = np.nanvar(np.where(given, seen, np.nan), axis=1, ddof=1)
    return trials.TrialData(
        design(arms, arm.shape[1], **options), given.sum(axis=1), (given * seen).sum(axis=1), variances, arm, outcome
    )

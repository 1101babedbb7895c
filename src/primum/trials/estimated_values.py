"""The safety value of each arm, as estimated by all outcomes of a trial."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.kernels.contract import Histories, history_of
from primum.kernels.records import value_of
from primum.policies import EpsilonGreedy
from primum.trials.data import Floats, TrialData
from primum.trials.simulation.engine import tell
from primum.values import Mean

READER = EpsilonGreedy(epsilon=0.5)  # a policy that asks for values; it decides nothing here


def estimated_values(data: TrialData) -> Floats:
    """The safety value of the design for each arm, NaN for one without outcomes: trial x arm."""
    from primum.kernels.native import compiling

    if data.design.value == Mean():
        return data.means
    arm, outcome = data.one_by_one("an estimate of the safety value")
    rows, arms = data.counts.shape
    found = np.empty((rows, arms))
    histories = Histories(rows, arms, arm.shape[1] + 1, arm.shape[1], data.design.value, READER)
    compiling.connect(histories)
    histories.begin(0, np.arange(rows))
    compiling.compiled(evaluate)(histories.words, np.ascontiguousarray(arm), outcome, found)
    histories.check(list(data.design.arms))
    return found


def evaluate(histories: Any, arms: Any, outcomes: Any, out: Any) -> None:
    """Tell each history all outcomes, and estimate."""
    for r in range(arms.shape[0]):
        history = history_of(histories, r)
        for t in range(arms.shape[1]):
            if arms[r, t] >= 0 and outcomes[r, t] == outcomes[r, t]:
                tell(history, arms[r, t], outcomes[r, t])
        for k in range(out.shape[1]):
            out[r, k] = value_of(history, k) if history.pulls[k] > 0 else np.nan

"""Limits for evidence that may be looked at at any time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from primum.plugins.parameters import parameter
from primum.trials.analyses.label_betting import LabelBetting
from primum.trials.data import TrialData
from primum.trials.monitoring import Look, Verdict
from primum.trials.stopping.stopping_rule import StoppingRule


@dataclass(frozen=True)
class EvidenceLimits(StoppingRule):
    """Stops for benefit when the evidence that an arm is better reaches a limit, and drops arms that do harm.

    The evidence is that of bets on labels, `label-betting`. An arm is claimed when W for "the arm is better than the
    control" has reached 1 / `benefit`, with Holm's adjustment over the arms, and the trial then stops. An arm is
    dropped when W for "it is worse" has reached 1 / `harm`; when no arm is left besides the control the trial stops,
    and if all arms were found worse the control is declared better. Whatever the policy, the drift, the delay and the
    number of looks, the probability that an arm no better than the control is ever claimed is at most `benefit`, and
    that of dropping an arm that is no worse at most `harm`, for each arm.

    >>> from primum import policies, rewards, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=400, policy=policies.BesaPlus(floor=2), coin=0.4,
    ...     looks=range(20, 401, 20), stopping=EvidenceLimits(),
    ... )
    >>> trial = trials.simulate_one(design, [rewards.Bernoulli(0.6), rewards.Bernoulli(0.2)], seed=1)
    >>> trial.stopped
    'harm'
    """

    title = "Evidence limits"
    reasons = ("benefit", "harm")
    claims = True
    needs_chances = True
    warning = ""

    benefit: float = parameter(
        0.05, "1 / this is the evidence by which an arm is claimed; 0: never", low=0.0, high=1.0, open_high=True
    )
    harm: float = parameter(
        0.05, "1 / this is the evidence by which an arm is dropped; 0: never", low=0.0, high=1.0, open_high=True
    )

    def look(self, data: TrialData, look: Look) -> Verdict:
        claimed, dropped = np.zeros(data.counts.shape, np.bool_), np.zeros(data.counts.shape, np.bool_)
        active = data.active[:, 1:]
        if self.benefit:
            claimed[:, 1:] = active & LabelBetting(alpha=self.benefit, sided="greater").rejections(data)
        worse = np.zeros(active.shape, np.bool_)
        if self.harm:
            worse = LabelBetting(alpha=self.harm, sided="less", adjustment="none").rejections(data)
        dropped[:, 1:] = worse & active & ~claimed[:, 1:]
        benefit = claimed.any(axis=1)
        none_left = dropped.any(axis=1) & ~(active & ~dropped[:, 1:]).any(axis=1) & ~benefit
        claimed[:, 0] = none_left & worse.all(axis=1)
        return Verdict(claimed, dropped, np.select([benefit, none_left], [0, 1], -1).astype(np.int8))

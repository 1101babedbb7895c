"""One simulated trial, patient by patient."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.runs.simulation import LARGEST_COUNT, whole
from primum.trials.analyses import Analysis
from primum.trials.design import Design
from primum.trials.monitoring import GOES_ON
from primum.trials.operating.measures import conclusions, estimated
from primum.trials.scenario import Scenario
from primum.trials.simulation.probabilities import repetitions
from primum.trials.simulation.running import Trials, run

if TYPE_CHECKING:
    from pandas import DataFrame


class Trial:
    """A trial that is over: its patients, and its analysis."""

    def __init__(self, trials: Trials) -> None:
        self.trials, self.design = trials, trials.design

    @property
    def patients(self) -> DataFrame:
        """A row for each patient, in the order of enrolment: time, arm, outcome, and when the outcome was known.

        `known_before` is the first patient before whose allocation the outcome was known, or 0 if there is none; with
        a burn-in or blocks the policy may be told later.
        """
        from pandas import DataFrame

        data, timing, size = self.trials.data, self.trials.timing, int(self.trials.size[0])
        arm, outcome = data.one_by_one("a table of patients")
        ready = timing.ready[0, :size] + 1
        return DataFrame(
            {
                "patient": np.arange(1, size + 1),
                "time": timing.accrual[0, :size],
                "arm": [self.design.arms[given] for given in arm[0, :size]],
                "outcome": outcome[0, :size],
                "known_before": np.where(ready <= size, ready, 0),
            }
        )

    @property
    def stopped(self) -> str:
        """Why the trial stopped early; empty if it did not."""
        reason = int(self.trials.reason[0])
        return "" if self.trials.stopped_at[0] == GOES_ON else self.design.monitoring.reasons[reason]

    def analyse(self, analysis: Analysis | None = None) -> DataFrame:
        """The analysis of the design, or another one: a row for each arm compared with the control.

        `estimate` is that of the design's estimator, and `median_unbiased` one that is too large as often as too
        small, which exact tests give. `low` and `high` are the ends of the `interval`, which says whether it belongs
        to the analysis. `favours` names the one of the two that the statistic of the analysis speaks for, whether
        significant or not; it need not be the one with the higher mean. It is empty where the statistic speaks for
        neither.
        """
        from pandas import DataFrame

        chosen, data = analysis or self.design.analysis, self.trials.data
        estimate = estimated(self.design, self.trials) if analysis is None else analysis.difference(data)
        design = self.design if analysis is None else self.design.replace(estimator="naive")
        p_values, warnings = chosen.with_warnings(data)
        count, concluded = len(self.design.arms) - 1, conclusions(chosen, data, p_values)[0]
        directions = np.where(concluded, concluded, chosen.direction(data)[0])
        return DataFrame(
            {
                "arm": list(self.design.arms)[1:],
                "control": [self.design.arms[0]] * count,
                "patients": data.counts[0, 1:],
                "control_patients": [int(data.counts[0, 0])] * count,
                "estimate": estimate.estimate[0],
                "median_unbiased": chosen.median_unbiased(data)[0],
                "low": estimate.low[0],
                "high": estimate.high[0],
                "interval": [chosen.interval_title(design)] * count,
                "p_value": p_values[0],
                "significant": concluded != 0,
                "favours": [
                    {1: arm, -1: self.design.arms[0]}.get(int(direction), "")
                    for arm, direction in zip(self.design.arms[1:], directions, strict=True)
                ],
                "warning": warnings,
            }
        )

    def __repr__(self) -> str:
        stopped = f"; stopped early: {self.stopped}" if self.stopped else ""
        return f"<Trial of {self.design.display_name}: {int(self.trials.size[0])} patients{stopped}>"


def simulate_one(design: Design, scenario: Any, *, seed: int | None = None, replication: int = 0) -> Trial:
    """Simulate one trial of a design; `scenario` is a Scenario, or the outcome distributions of the arms.

    >>> from primum import policies, rewards, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=20, policy=policies.BesaPlus(), delay=trials.after_patients(2),
    ...     analysis=trials.PooledZ(),
    ... )
    >>> trial = simulate_one(design, [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)], seed=3)
    >>> len(trial.patients), trial.patients["known_before"][0]
    (20, np.int32(4))
    """
    number = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
    which = whole("replication", replication, 0, LARGEST_COUNT)
    truth = Scenario.of(scenario)
    trials = run(design, truth, number, [which], repetitions=repetitions(design, truth.is_binary), records=True)
    assert trials is not None
    return Trial(trials)

"""The analysis by bets on labels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.text import counted
from primum.trials.analyses.analysis import Analysis, percentage
from primum.trials.data import Floats, TrialData
from primum.trials.estimates import Estimate, naive_difference
from primum.trials.evidence.difference import confidence_sequence
from primum.trials.evidence.labels import labels_of, log_path

if TYPE_CHECKING:
    from primum.trials.design import Design


@dataclass(frozen=True)
class LabelBetting(Analysis):
    """Evidence that may be looked at at any time, by betting on who is on which arm when the outcome is known.

    The evidence W is multiplied, patient by patient in the order of enrolment, by q / e: q is the probability that the
    bet gives to the patient's own arm, among the arm and the control, and e the probability with which the design
    allocated it. If the arm makes no difference W has mean 1 at any time, whatever the outcomes, and whatever the
    policy, drift or delay: P(W ever reaches 1 / alpha) <= alpha. The p-value is 1 over the largest W so far. It is
    valid after any number of looks, whenever the trial stops; one-sided it is valid also where the arm does worse
    (stochastically smaller outcomes). Patients with e = 0 or 1 teach nothing, so there is as much power as the policy
    leaves chance, and a `coin` gives more.
    Each comparison uses the patients of its two arms alone and is valid whatever other arms do, so that Holm's
    adjustment keeps the probability of any false claim at `alpha`.

    An outcome that is missing for good is passed over, which is valid if it is missing for reasons that have nothing to
    do with the arm; while one is pending, those of later patients wait. See `primum.trials.evidence.betting`.

    The interval is a confidence sequence for a difference in means that is the same for all patients: it holds at all
    times together, but is made of other bets, so it may disagree with the test. It needs outcomes between `lowest` and
    `highest`.

    >>> from primum import policies, rewards, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=200, policy=policies.BesaPlus(floor=2), coin=0.4,
    ...     analysis=LabelBetting(sided="greater"),
    ... )
    >>> trial = trials.simulate_one(design, [rewards.Bernoulli(0.3), rewards.Bernoulli(0.7)], seed=1)
    >>> bool(trial.analyse()["p_value"].item() < 0.05)
    True
    """

    title = "Label betting"
    needs_chances = True

    lowest: float = parameter(0.0, "lowest possible outcome, for the interval")
    highest: float = parameter(1.0, "highest possible outcome, for the interval")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.lowest < self.highest:
            raise ParameterError(
                f"{self.name}: highest must be larger than lowest, {self.lowest:g}, got {self.highest:g}", ("highest",)
            )

    def p_values(self, data: TrialData) -> Floats:
        p: Floats = np.exp(-_highest(data, self.sided))
        return p

    def with_warnings(self, data: TrialData) -> tuple[Floats, list[str]]:
        found = []
        for k in _arms(data):
            labels, (arm, _) = labels_of(data, k), data.one_by_one(self.title)
            used, both = int(labels.in_play[0].sum()), int(((arm[0] == 0) | (arm[0] == k)).sum())
            if not used:
                found.append(
                    f"It learns nothing here: no patient with a known outcome, of {both:,} on the two arms, might have "
                    "been allocated to the other one. A coin, or a policy that randomises, gives it something to learn."
                )
            else:
                awaited = data.pending is not None and bool(data.pending[0].any())
                before = ", before the first outcome still awaited" if awaited else ""
                less = (
                    f"It learns from {used:,} of {counted(both, 'patient')} on the two arms: those with a known "
                    f"outcome who might have been allocated to the other one{before}."
                )
                found.append(less if used < both else "")
        return self.p_values(data), found

    def direction(self, data: TrialData) -> Floats:
        """1 where more was ever won by betting that the arm is better than that it is worse, -1 where less."""
        found: Floats = np.sign(_highest(data, "greater") - _highest(data, "less"))
        return found

    def difference(self, data: TrialData) -> Estimate:
        level = self.level(data.design)
        found = naive_difference(data, level)
        _, outcome = data.one_by_one(self.title)
        spread = self.highest - self.lowest
        scaled = (outcome - self.lowest) / spread
        within = ~((scaled < 0) | (scaled > 1)).any(axis=1)
        planned = data.design.patients * 2 / len(data.design.arms)
        low, high = np.full((2, len(data), len(_arms(data))), np.nan)
        for k in _arms(data):
            ends = confidence_sequence(labels_of(data, k), np.clip(scaled, 0, 1), 1 - level, planned)
            for each, end in zip((low, high), ends, strict=True):
                each[:, k - 1] = np.where(within, spread * end, np.nan)
        return replace(found, low=low, high=high)

    def interval_title(self, design: Design) -> str:
        if design.estimator != "naive":
            return super().interval_title(design)
        several = ", per comparison" if len(design.arms) > 2 else ""
        return f"{percentage(self.level(design))} confidence sequence{several}, not of this test"


def _highest(data: TrialData, sided: str) -> Floats:
    """The logarithm of the largest W so far: trial x comparison."""
    columns = [log_path(data, k, sided).max(axis=1, initial=0.0) for k in _arms(data)]
    return np.stack(columns, axis=1)


def _arms(data: TrialData) -> range:
    return range(1, data.counts.shape[1])

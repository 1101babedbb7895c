"""A stopping rule that drops arms, stops and claims, written twice: for arrays and for lists."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from primum import trials
from primum.plugins.parameters import parameter
from tests.oracle.clinical_trial import Judgement

REASONS = ("enough", "hopeless")


@dataclass(frozen=True)
class Weeding(trials.StoppingRule):
    """Drops arms whose mean is far below the best; stops if one is good enough, or if all that is known is poor."""

    title = "Weeding"
    reasons = REASONS
    claims = True

    behind: float = parameter(0.25, "drop an arm whose mean is so far below the best")
    enough: float = parameter(2.0, "stop if a mean reaches this after four outcomes")
    hopeless: float = parameter(-1.0, "stop if no mean is above this")
    least: int = parameter(2, "outcomes of an arm that count", low=0, integer=True)

    def look(self, data, look):
        counted = (data.counts >= max(self.least, 1)) & data.active
        means = np.where(counted, np.nan_to_num(data.means), -np.inf)
        best = means.max(axis=1, keepdims=True)
        dropped = counted & (means < best - self.behind)
        claimed = (data.counts >= 4) & data.active & (means >= self.enough)
        poor = counted.any(axis=1) & (best[:, 0] <= self.hopeless)
        return trials.Verdict(claimed, dropped, np.where(claimed.any(axis=1), 0, np.where(poor, 1, -1)).astype(np.int8))


@dataclass(frozen=True)
class Quiet(Weeding):
    """Stops and drops as `Weeding` does, and leaves all conclusions to the analysis."""

    title = "Quiet"
    claims = False

    def look(self, data, look):
        verdict = super().look(data, look)
        return replace(verdict, claimed=np.zeros_like(verdict.claimed))


def weeding(rule):
    """The same rule for one trial on lists."""

    def judge(look):
        means = {
            arm: float(np.sum(known)) / len(known)
            for arm, known in look.outcomes.items()
            if len(known) >= max(rule.least, 1)
        }
        if not means:
            return Judgement()
        best = max(means.values())
        dropped = {arm for arm, mean in means.items() if mean < best - rule.behind}
        claimed = {arm for arm, mean in means.items() if mean >= rule.enough and len(look.outcomes[arm]) >= 4}
        return Judgement(claimed, dropped, "enough" if claimed else "hopeless" if best <= rule.hopeless else "")

    return judge


@dataclass(frozen=True)
class DropAll(trials.StoppingRule):
    """Drops the arms with these numbers at the first look."""

    title = "Drop"

    numbers: tuple[int, ...] = parameter((0, 1), "numbers of arms", many=True, integer=True)

    def look(self, data, look):
        dropped = np.zeros(data.counts.shape, np.bool_)
        dropped[:, list(self.numbers)] = True
        return trials.Verdict(np.zeros_like(dropped), dropped, np.full(len(data), -1, np.int8))

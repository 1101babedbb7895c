"""The evidence so far in a live trial, by bets on labels; unblinded."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from primum.trials.analyses.label_betting import LabelBetting
from primum.trials.data import Floats, TrialData
from primum.trials.design import Design
from primum.trials.evidence.labels import labels_of, log_path
from primum.trials.stopping import EvidenceLimits

MOST = 1e300  # evidence is shown up to this


@dataclass(frozen=True)
class OneSided:
    """The evidence that an arm is better than the control, or that it is worse.

    `path` is the logarithm of W to base 10 after each participant, up to the first whose outcome is still awaited.
    """

    now: float
    largest: float
    limit: float  # W at which the design, or a test with its level, would declare it
    path: list[float]


@dataclass(frozen=True)
class Evidence:
    """The evidence in a comparison with the control, which may be looked at at any time.

    It rests on `used` of the `patients` on the two arms: those with a known outcome who might have been allocated to
    the other arm.
    """

    arm: str
    control: str
    patients: int
    used: int
    better: OneSided
    worse: OneSided


def evidence_of(data: TrialData, enrolled: int) -> list[Evidence]:
    """The evidence of each arm against the control, in the data of a single trial."""
    design = data.design
    limits, (arm, _) = _limits(design), data.one_by_one("evidence")
    found = []
    for k, name in enumerate(design.arms[1:], start=1):
        labels = labels_of(data, k)
        paths = (log_path(data, k, sided)[0, :enrolled] for sided in ("greater", "less"))
        better, worse = (
            _one_sided(path, limit, _told(data, k, enrolled)) for path, limit in zip(paths, limits, strict=True)
        )
        patients, used = int(((arm[0] == 0) | (arm[0] == k)).sum()), int(labels.in_play[0].sum())
        found.append(Evidence(name, design.arms[0], patients, used, better, worse))
    return found


def _told(data: TrialData, k: int, enrolled: int) -> int:
    """How many participants come before the first on the two arms whose outcome is awaited."""
    if data.arm is None or data.pending is None:
        return enrolled
    waiting = data.pending[0, :enrolled] & ((data.arm[0, :enrolled] == 0) | (data.arm[0, :enrolled] == k))
    return int(waiting.argmax()) if waiting.any() else enrolled


def _one_sided(log_w: Floats, limit: float, told: int) -> OneSided:
    now, largest = (float(log_w[-1]), max(0.0, float(log_w.max()))) if log_w.size else (0.0, 0.0)
    now, largest = (math.exp(min(each, math.log(MOST))) for each in (now, largest))
    path: list[float] = (log_w[:told] / np.log(10)).tolist()
    return OneSided(now, largest, limit, path)


def _limits(design: Design) -> tuple[float, float]:
    """The limits for better and for worse: those of the stopping rule, or of tests with the level of the design's."""
    rule = design.stopping
    if isinstance(rule, EvidenceLimits):
        better, worse = (1 / level if level else math.inf for level in (rule.benefit, rule.harm))
        return min(better, MOST), min(worse, MOST)
    level = float(getattr(design.test, "alpha", LabelBetting().alpha))
    if getattr(design.test, "sided", "two-sided") == "two-sided":
        level /= 2
    return 1 / level, 1 / level

"""The counts at the end of a trial with two arms and outcomes 0 and 1, with their probabilities."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from primum.runs.progress import Progress
from primum.store.lru_cache import LruCache
from primum.trials.data import Floats, TrialData
from primum.trials.exact_law import recursion

if TYPE_CHECKING:
    from primum.trials.design import Design

CACHED_BYTES = 1 << 30


@dataclass(frozen=True)
class FinalCounts:
    """All ends of a trial with given numbers of patients on both arms.

    `chance` is the probability of each end if both arms have success probability 1/2: successes of arm 0 x successes of
    arm 1. `claimed` are the arms that the stopping rule has declared better.
    """

    pulls: tuple[int, int]
    claimed: tuple[bool, bool]
    chance: Floats

    @property
    def patients(self) -> int:
        """The size of the trial."""
        return sum(self.pulls)

    @property
    def successes(self) -> tuple[Floats, Floats]:
        """The numbers of successes: a column for arm 0 and a row for arm 1."""
        return np.arange(self.pulls[0] + 1.0)[:, None], np.arange(self.pulls[1] + 1.0)[None, :]

    @property
    def difference(self) -> Floats:
        """The proportion of successes in arm 1 minus that in arm 0; both need patients."""
        first, second = self.successes
        return np.asarray(second / self.pulls[1] - first / self.pulls[0])

    def data(self, design: Design) -> TrialData:
        """A trial for each end, in the order of the flattened table."""
        return recursion.trials_with(design, self.pulls)


_cache: LruCache[list[FinalCounts]] = LruCache(
    most=64, room=CACHED_BYTES, size=lambda ends: sum(end.chance.nbytes for end in ends)
)


def key_of(design: Design) -> Hashable:
    """What the distribution of the counts depends on: the design without its analysis."""
    spec = {key: part for key, part in design.spec().items() if key != "analysis"}
    return json.dumps(spec, sort_keys=True), type(design.policy), type(design.stopping), type(design.inner_value)


def final_counts(design: Design, progress: bool | Progress = False) -> list[FinalCounts]:
    """The distribution of the counts at the end of a trial; computed once for all analyses."""

    return _cache.get_or_compute(key_of(design), lambda: computed(design, progress))


def computed(design: Design, progress: bool | Progress = False) -> list[FinalCounts]:
    """The same, computed again."""
    tables = recursion.run(design, progress)
    return [FinalCounts(pulls, claimed, table) for (pulls, claimed), table in sorted(tables.items())]

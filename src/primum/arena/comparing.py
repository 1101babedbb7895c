"""Two policies on the same pairs, and what a table supports saying of its policies."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.arena.suite import FAMILIES
from primum.arena.table import Table, geometric_band
from primum.errors import PrimumError
from primum.results.intervals import mean_band
from primum.results.ratios import relative
from primum.text import counted, listed

FEW_PAIRS = 5  # with fewer, no difference is called clear


@dataclass(frozen=True)
class Compared:
    """Policy a relative to policy b on the pairs that both fit.

    `ratio` is the geometric mean of regret of a / regret of b, with its 95 % interval over pairs; `stuck` the mean
    difference of the fractions of stuck replications, a minus b, with its 95 % interval over pairs (Student t).
    """

    a: str
    b: str
    pairs: int
    lower_on: int  # pairs on which a has the lower regret
    ratio: float
    low: float
    high: float
    stuck: float
    stuck_low: float
    stuck_high: float

    @property
    def is_lower(self) -> bool:
        """Whether the interval says that a has the lower regret."""
        return self.pairs >= FEW_PAIRS and self.high < 1

    @property
    def is_higher(self) -> bool:
        """Whether the interval says that a has the higher regret."""
        return self.pairs >= FEW_PAIRS and self.low > 1

    @property
    def more_stuck(self) -> str:
        """By how much b is stuck in more replications, with its interval."""
        mean, low, high = (-100 * end for end in (self.stuck, self.stuck_high, self.stuck_low))
        return f"{mean:.1f} percentage points ({low:.1f} to {high:.1f})"

    @property
    def interval(self) -> str:
        """The interval of the ratio, a hyphen if there is none."""
        return f"{self.low:.2f} to {self.high:.2f}" if np.isfinite(self.low + self.high) else "-"

    @property
    def conclusion(self) -> str:
        """Which of the two has the lower regret, if the interval says so."""
        if self.is_lower or self.is_higher:
            return f"{self.a if self.is_lower else self.b} has lower regret"
        return "too few pairs" if self.pairs < FEW_PAIRS else "no clear difference"

    @property
    def numbers(self) -> str:
        """The ratio, its interval, and on how many pairs a has the lower regret."""
        return f"ratio {self.ratio:.2f}, {self.interval}; lower on {self.lower_on} of {counted(self.pairs, 'pair')}"

    @property
    def is_stuck_less(self) -> bool:
        """Whether the interval says that a is stuck in fewer replications."""
        return self.pairs >= FEW_PAIRS and self.stuck_high < 0


def compare(table: Table, horizon: int, a: str, b: str, pairs: Collection[str] | None = None) -> Compared:
    """Two policies of a table, given by their labels, on those of the pairs that both fit."""
    (found,) = _compared(table, horizon, a, [b], pairs) or (None,)
    if found is None:
        raise PrimumError(f"{a} and {b} were not played on the same pair for {horizon:,} steps")
    return found


def comparisons(table: Table, horizon: int, label: str, pairs: Collection[str] | None = None) -> list[Compared]:
    """A policy and every other one that was played on some of its pairs, those for every value first."""
    order = table.summary(horizon, pairs).sort_values("is_general", ascending=False, kind="stable")["policy"]
    return _compared(table, horizon, label, [other for other in order if other != label], pairs)


def standing(table: Table, horizon: int, label: str) -> dict[str, list[Compared]]:
    """A policy compared with the others on pairs that no policy was tuned on, and on all, by words for them."""
    scopes = {words: names for words, names in table.halves(horizon).items() if not table.pairs[names[0]].tuned}
    if table.tuned:
        scopes[f"all {counted(len(table.pairs), 'pair')}"] = list(table.pairs)
    found = {words: comparisons(table, horizon, label, names) for words, names in scopes.items()}
    return {words: ones for words, ones in found.items() if ones}


def _compared(
    table: Table, horizon: int, a: str, others: Collection[str], pairs: Collection[str] | None
) -> list[Compared]:
    cells = table.at(horizon, pairs)
    cells = cells.assign(share=cells["stuck"] / cells["replications"])
    regret, share = (cells.pivot(index="pair", columns="policy", values=name) for name in ("regret", "share"))
    found = []
    for b in others:
        if a in regret and b in regret and (both := regret[a].notna() & regret[b].notna()).any():
            titles = table.policies[a].title, table.policies[b].title
            found.append(
                _of(*titles, *(wide.loc[both, label].to_numpy() for wide in (regret, share) for label in (a, b)))
            )
    return found


def _of(a: str, b: str, mine: Any, theirs: Any, my_share: Any, their_share: Any) -> Compared:
    ratios = relative(mine, theirs)
    stuck = mean_band(my_share - their_share)
    return Compared(a, b, len(ratios), int((mine < theirs).sum()), *geometric_band(ratios).tolist(), *stuck.tolist())


@dataclass(frozen=True)
class Recommendation:
    """What the pairs that no policy was tuned on say of the policies for every value.

    Two policies differ in regret only if the interval of their ratio excludes 1, and in stuck replications only if that
    of the difference excludes 0. Of the policies than which none has lower regret, the `first` is stuck least. It is
    the one to start with if it is stuck less than each of the `others`.
    """

    pairs: int
    horizon: int
    first: str
    others: list[Compared]  # the first and each other policy than which none has lower regret
    alike: list[Compared]  # the first and each policy from which it does not clearly differ in regret
    exceptions: dict[str, list[Compared]]  # the first and those that have lower regret under a value or in a class

    @property
    def is_one(self) -> bool:
        """Whether there is one policy to start with."""
        return all(one.is_stuck_less for one in self.others)

    @property
    def sentences(self) -> list[str]:
        """What to start with, why, and where not."""
        first, others = self.first, [one.b for one in self.others]
        than = first if self.is_one else listed([first, *others], "or")
        said = (
            f"on {counted(self.pairs, 'pair')} that no policy was tuned on, no policy for every value has clearly "
            f"lower regret than {than} after {self.horizon:,} steps"
        )
        if not self.is_one:
            found = [f"The table names no single policy to start with: {said}."]
        else:
            found = [f"Start with {first}: {said}."]
            if others:
                are = "it is" if len(others) == 1 else "they are"
                by = listed([f"by {one.more_stuck}" for one in self.others])
                found[0] += f" The same is true of {listed(others)}, but {are} stuck in more replications, {by}."
        if self.alike:
            found.append(f"{first} does not clearly differ in regret from {_with_numbers(self.alike)}.")
        for scope, ones in self.exceptions.items():
            found.append(f"{scope}, {first} has higher regret than {_with_numbers(ones)}.")
        return found


def recommendation(table: Table, horizon: int) -> Recommendation | None:
    """What a table recommends; None if it has too few pairs without tuning, or each policy has a better one."""
    cells = table.at(horizon, table.untuned)
    names = list(dict.fromkeys(cells["pair"]))
    labels = [label for label in dict.fromkeys(cells["policy"]) if table.policies[label].is_general]
    if len(names) < FEW_PAIRS or not labels:
        return None
    against = {a: _compared(table, horizon, a, [b for b in labels if b != a], names) for a in labels}
    stuck = table.summary(horizon, names).set_index("policy")["stuck"]
    unbeaten = [a for a in labels if not any(one.is_higher for one in against[a])]
    if not unbeaten:
        return None
    first = min(unbeaten, key=lambda label: stuck[label])
    scopes = {f"Under {_within(family)}": table.of_family(family) for family in table.families}
    scopes |= {f"In the class {title}": table.of_class(title) for title in table.classes}
    exceptions = {}
    for words, members in scopes.items():
        common = [name for name in names if name in members]
        higher = [one for one in _compared(table, horizon, first, labels, common) if one.is_higher]
        if higher:
            exceptions[words] = higher
    return Recommendation(
        pairs=len(names),
        horizon=horizon,
        first=table.policies[first].title,
        others=[compare(table, horizon, first, label, names) for label in unbeaten if label != first],
        alike=[one for one in against[first] if not one.is_lower],
        exceptions=exceptions,
    )


def _with_numbers(found: Collection[Compared]) -> str:
    return listed([f"{one.b} ({one.numbers})" for one in found])


def _within(family: str) -> str:
    """A family of values inside a sentence."""
    return family if family == FAMILIES["cvar"] else family.lower()

"""The forward recursion over the states of a trial in plain NumPy, table by table: the twin of the native one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from primum.errors import PrimumError
from primum.kernels.blocks import MOST_ROUNDS
from primum.policies.counts import Counts
from primum.runs.progress import Bar, Progress
from primum.trials.data import Floats
from primum.trials.exact_law import feasible
from primum.trials.exact_law.recursion import trials_with
from primum.trials.monitoring import GOES_ON

if TYPE_CHECKING:
    from primum.trials.design import Design

Arms = tuple[bool, bool]
NONE: Arms = (False, False)
Ends = dict[tuple[tuple[int, int], Arms], Floats]


class Place(NamedTuple):
    """All states that differ only in the successes that the policy knows of; these have a table of probabilities.

    Outcomes are independent of each other given the arms, so those that the policy does not know are not in the state:
    they are drawn when it learns them.
    """

    known: int  # outcomes of arm 1 that the policy knows
    waiting: int  # patients on arm 1 whose outcomes are known, but wait for the next update
    recent: int  # the arms of the patients whose outcomes are not known yet, as bits, the latest one lowest
    dropped: Arms
    claimed: Arms
    block_end: int = 0  # patients at the end of the current block of the burn-in

    @property
    def assigned(self) -> int:
        """Patients on arm 1."""
        return self.known + self.waiting + self.recent.bit_count()


Generation = dict[Place, Floats]


def run(design: Design, progress: bool | Progress = False) -> Ends:
    """The probability of each end of a trial, by patients on each arm and arms claimed, if both p are 1/2."""
    feasible.check(design)
    return _Recursion(design).run(progress)


class _Recursion:
    def __init__(self, design: Design) -> None:
        self.design, self.lag = design, feasible.lag(design)
        self.updates, self.known = feasible.updates(design), feasible.known(design)
        self.looks, self.coins = feasible.looks(design), design.coins()
        self.known_at_looks: list[int] = []
        self.judged_last: Any = None  # the arguments that gave the last verdict
        self.ends: Ends = {}

    def run(self, progress: bool | Progress) -> Ends:
        states = feasible.states(self.design)
        generation: Generation = {Place(0, 0, 0, NONE, NONE): np.ones((1, 1))}
        done = 0
        with Bar(sum(states), progress) if isinstance(progress, bool) else progress as bar:
            bar.say("computing exact probabilities")
            for t in range(self.design.patients + 1):
                if t in self.looks:
                    generation = self.looked(generation, t)
                if t < self.design.patients:
                    generation = self.allocated(generation, t)
                done += states[t]
                bar.update(done)
        for place, table in generation.items():
            self.finish(place, table, self.design.patients, is_over=True)
        return self.ends

    def allocated(self, generation: Generation, t: int) -> Generation:
        """One more patient after t; the old tables are given up one by one."""
        after: Generation = {}
        if t < self.design.forced and t % 2 == 0:
            generation = self.with_new_blocks(generation, t)
        last: tuple[int, int] | None = None
        for place in sorted(generation, key=lambda place: (place.known, place.assigned)):
            table = generation.pop(place)
            if True in place.dropped:
                chance: Any = float(place.dropped[0])
            elif t < self.design.forced:
                chance = (place.block_end // 2 - place.assigned) / (place.block_end - t)
            else:
                if last != (place.known, place.assigned):
                    last = place.known, place.assigned
                    decided = self.coins[t] / 2 + (1 - self.coins[t]) * self.chances(place, t)
                chance = decided
            treated = table * chance
            table -= treated
            for arm, part in enumerate((table, treated)):
                if not np.isscalar(chance) or chance != 1 - arm:
                    self.add(after, *self.enrolled(place, part, arm, t))
        return after

    def with_new_blocks(self, generation: Generation, t: int) -> Generation:
        """The states with the ends of the blocks of the burn-in that begin after t patients."""
        after: Generation = {}
        for place, table in generation.items():
            sizes = range(2, 2 * MOST_ROUNDS + 1, 2) if place.block_end == t else [place.block_end - t]
            for size in sizes:
                end = min(t + size, self.design.forced + self.design.forced % 2)
                self.add(after, place._replace(block_end=end), table / len(sizes))
        return after

    def chances(self, place: Place, t: int) -> Floats:
        """The policy's probability of arm 1."""
        pulls, assigned = (self.known[t] - place.known, place.known), (t - place.assigned, place.assigned)
        counts = Counts(assigned, pulls, self.design.patients, self.design.inner_value)
        chances = np.asarray(self.design.policy.chances(counts), np.float64)
        shape = pulls[0] + 1, pulls[1] + 1
        fits = chances.ndim == 2 and all(have in (1, want) for have, want in zip(chances.shape, shape, strict=True))
        if not fits or not (chances.min() >= 0 and chances.max() <= 1):
            raise PrimumError(
                f"{self.design.policy.display_name}: `chances` must return probabilities, an array of shape {shape} or "
                f"one that broadcasts to it, and did not for {counts.assigned} patients"
            )
        return chances

    def enrolled(self, place: Place, table: Floats, arm: int, t: int) -> tuple[Place, Floats]:
        """Where states go when patient t + 1 gets an arm, with the outcomes that the policy learns then."""
        recent, waiting, learnt = place.recent, place.waiting, max(t + 1 - self.lag, 0) - self.known[t]
        if t >= self.lag:
            waiting += (recent << 1 | arm) >> self.lag
        place = place._replace(waiting=waiting, recent=(recent << 1 | arm) & ((1 << self.lag) - 1))
        if not self.updates[t + 1]:
            return place, table
        place = place._replace(known=place.known + waiting, waiting=0)
        return place, revealed(table, learnt - waiting, waiting)

    def looked(self, generation: Generation, t: int) -> Generation:
        """The states of the trials that go on after a look at t patients."""
        after: Generation = {}
        known = self.known[t]
        self.known_at_looks.append(known)
        for place in sorted(generation, key=lambda place: (place.known, place.dropped)):
            for there, part, stops in self.judged(place, generation.pop(place), (known - place.known, place.known)):
                if stops:
                    self.finish(there, part, t)
                else:
                    self.add(after, there, part)
        return after

    def judged(
        self, place: Place, table: Floats, pulls: tuple[int, int], *, is_final: bool = False
    ) -> Iterator[tuple[Place, Floats, bool]]:
        """Where the verdict of the stopping rule takes states with these known outcomes, and whether it ends them."""
        key = len(self.known_at_looks), pulls, place.dropped, is_final
        if key != self.judged_last:
            data = trials_with(self.design, pulls, [not dropped for dropped in place.dropped])
            known = [*self.known_at_looks, sum(pulls)] if is_final else self.known_at_looks
            everywhere = np.broadcast_to(np.array(known), (len(data), len(known)))
            self.judged_last = key
            self.verdict = self.design.monitoring.judge(data, everywhere, is_final=is_final)
        verdict = self.verdict
        dropped, claimed = verdict.dropped | place.dropped, verdict.claimed | place.claimed
        rows = np.column_stack([verdict.reason != GOES_ON, dropped, claimed])
        for row in np.unique(rows, axis=0):
            part = np.where((rows == row).all(axis=1).reshape(table.shape), table, 0.0)
            stops, *flags = row.tolist()
            if part.any():
                yield place._replace(dropped=(flags[0], flags[1]), claimed=(flags[2], flags[3])), part, stops

    def finish(self, place: Place, table: Floats, t: int, *, is_over: bool = False) -> None:
        """The end of trials after t patients, all of whose outcomes are awaited; with a final look if they are over."""
        late = place.assigned - place.known
        table = revealed(table, t - self.known[t] - late, late)
        pulls = (t - place.assigned, place.assigned)
        if not (is_over and self.design.monitoring.has_final):
            self.add(self.ends, (pulls, place.claimed), table)
            return
        for there, part, _ in self.judged(place, table, pulls, is_final=True):
            self.add(self.ends, (pulls, there.claimed), part)

    @staticmethod
    def add(tables: dict[Any, Floats], key: Any, table: Floats) -> None:
        if key in tables:
            tables[key] += table
        else:
            tables[key] = table


def revealed(table: Floats, first: int, second: int) -> Floats:
    """The table after so many further outcomes of each arm, each a success with probability 1/2."""
    for axis, count in enumerate((first, second)):
        for _ in range(count):
            grown = np.empty((table.shape[0] + 1 - axis, table.shape[1] + axis))
            table *= 0.5
            view, part = (grown, table) if axis == 0 else (grown.T, table.T)
            view[:-1] = part
            view[-1] = 0.0
            view[1:] += part
            table = grown
    return table

"""The forward recursion over the states of a trial with two arms and outcomes 0 and 1.

A state's probability is p0^s0 (1-p0)^f0 p1^s1 (1-p1)^f1 times a factor that depends on the allocation rule alone, so
one recursion at p0 = p1 = 1/2 serves all scenarios.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from primum.kernels.blocks import MOST_ROUNDS
from primum.runs.progress import Bar, Progress
from primum.trials.data import Floats, TrialData
from primum.trials.exact_law import feasible
from primum.trials.exact_law.allocating import NOTHING
from primum.trials.exact_law.layer import Layer
from primum.trials.exact_law.moves import Moves
from primum.trials.monitoring import GOES_ON

if TYPE_CHECKING:
    from primum.trials.design import Design

Arms = tuple[bool, bool]
NONE: Arms = (False, False)
Ends = dict[tuple[tuple[int, int], Arms], Floats]


class Place(NamedTuple):
    """What states have in common that differ only in the outcomes that the policy knows of; these are a `Layer`.

    Outcomes are independent of each other given the arms, so those that the policy does not know are not in the state:
    they are drawn when it learns them.
    """

    waiting: int = 0  # patients on arm 1 whose outcomes are known, but wait for the next update
    recent: int = 0  # the arms of the patients whose outcomes are not known yet, as bits, the latest one lowest
    dropped: Arms = NONE
    claimed: Arms = NONE
    block_end: int = 0  # patients at the end of the current block of the burn-in

    @property
    def late(self) -> int:
        """Patients on arm 1 whose outcomes the policy does not know."""
        return self.waiting + self.recent.bit_count()


Generation = dict[Place, Layer]


def run(design: Design, progress: bool | Progress = False) -> Ends:
    """The probability of each end of a trial, by patients on each arm and arms claimed, if both p are 1/2."""
    feasible.check(design)
    return _Recursion(design).run(progress)


class _Recursion:
    def __init__(self, design: Design) -> None:
        self.design, self.lag = design, feasible.lag(design)
        self.updates, self.known = feasible.updates(design), feasible.known(design)
        self.looks, self.coins, self.moves = feasible.looks(design), design.coins(), Moves(design)
        self.known_at_looks: list[int] = []
        self.judged_last: Any = None  # the arguments that gave the last verdict
        self.ends: Ends = {}

    def run(self, progress: bool | Progress) -> Ends:
        states = feasible.states(self.design)
        layer = Layer(0, self.room(0))
        layer.add(0, np.ones((1, 1)))
        generation = {Place(): layer}
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
        for place, layer in generation.items():
            self.finish(place, layer, self.design.patients, is_over=True)
        return self.ends

    def room(self, t: int) -> int:
        """The outcomes for which layers after t patients have room: all if states move within them from then on."""
        at_once = self.lag == 0 and t >= self.design.forced and self.updates[t:].all()
        return self.design.patients if at_once else self.known[t]

    def allocated(self, generation: Generation, t: int) -> Generation:
        """One more patient after t; the old layers are given up one by one."""
        if t < self.design.forced and t % 2 == 0:
            generation = self.with_new_blocks(generation, t)
        self.moves.begin(t, self.known[t])
        learnt, after = self.learnt(t + 1), Generation()
        for place in sorted(generation, key=lambda place: place.recent << 1 & ~(1 << self.lag)):  # fewest at a time
            layer = generation.pop(place)
            targets = []
            for arm in (0, 1):
                there, shown = self.enrolled(place, arm, learnt)
                if there not in after:
                    known = layer.known + (shown != NOTHING)
                    has_room = layer.room > layer.known
                    after[there] = layer.grown() if has_room else Layer(known, max(known, self.room(t + 1)))
                targets.append((after[there], shown))
            self.moves.allocate(layer, self.chances(place, t), place.late, self.coins[t], targets)
        for layer in after.values():
            layer.meet()
        return self.informed(after, learnt) if learnt > 1 else after

    def chances(self, place: Place, t: int) -> Floats | None:
        """The probability of arm 1 by the outcomes known of it; None if the policy decides."""
        pulls = np.arange(self.known[t] + 1)
        if True in place.dropped:
            return np.full(len(pulls), float(place.dropped[0]))
        if t < self.design.forced:
            left = place.block_end // 2 - pulls - place.late
            return np.clip(left / (place.block_end - t), 0.0, 1.0)
        return None

    def with_new_blocks(self, generation: Generation, t: int) -> Generation:
        """The states with the ends of the blocks of the burn-in that begin after t patients."""
        after: Generation = {}
        for place, layer in generation.items():
            sizes = range(2, 2 * MOST_ROUNDS + 1, 2) if place.block_end == t else [place.block_end - t]
            for size in sizes:
                end = min(t + size, self.design.forced + self.design.forced % 2)
                there = after.setdefault(place._replace(block_end=end), Layer(layer.known, layer.room))
                for pulls, table in layer.tables():
                    there.add(pulls, table / len(sizes))
        return after

    def learnt(self, t: int) -> int:
        """How many outcomes the policy learns when t patients are enrolled."""
        return max(t - self.lag, 0) - self.known[t - 1] if self.updates[t] else 0

    def enrolled(self, place: Place, arm: int, learnt: int) -> tuple[Place, int]:
        """Where states go when the next patient gets an arm; and the arm of the outcome that the policy learns then.

        If it learns several, they are still waiting.
        """
        recent, waiting = place.recent << 1 | arm, place.waiting
        waiting += recent >> self.lag
        place = place._replace(waiting=waiting, recent=recent & ((1 << self.lag) - 1))
        if learnt != 1:
            return place, NOTHING
        return place._replace(waiting=0), waiting

    def informed(self, generation: Generation, learnt: int) -> Generation:
        """The states after the policy has learnt so many outcomes."""
        after: Generation = {}
        for place in sorted(generation):
            layer = self.moves.revealed(generation.pop(place), learnt - place.waiting, place.waiting)
            self.merge(after, place._replace(waiting=0), layer)
        return after

    def looked(self, generation: Generation, t: int) -> Generation:
        """The states of the trials that go on after a look at t patients."""
        stopped: Generation = {}
        moved: Generation = {}
        known = self.known[t]
        self.known_at_looks.append(known)
        places = sorted(generation, key=lambda place: place.dropped)
        for pulls in range(known + 1):
            for place in places:
                layer = generation[place]
                if not layer.reached[pulls]:
                    continue
                table = layer.table(pulls)
                for there, part, stops in self.judged(place, table.copy(), (known - pulls, pulls)):
                    if stops or there != place:
                        table -= part
                        after = stopped if stops else moved
                        after.setdefault(there, Layer(known, known if stops else layer.room)).add(pulls, part)
                layer.reached[pulls] = table.any()
        for place, layer in stopped.items():
            self.finish(place, layer, t)
        for place, layer in moved.items():
            self.merge(generation, place, layer)
        return {place: layer for place, layer in generation.items() if layer.reached.any()}

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

    def finish(self, place: Place, layer: Layer, t: int, *, is_over: bool = False) -> None:
        """The end of trials after t patients, all of whose outcomes are awaited; with a final look if they are over."""
        layer = self.moves.revealed(layer, t - self.known[t] - place.late, place.late)
        for pulls, table in layer.tables():
            counts = t - pulls, pulls
            if is_over and self.design.monitoring.has_final:
                for there, part, _ in self.judged(place, table, counts, is_final=True):
                    self.add_end(counts, there.claimed, part)
            else:
                self.add_end(counts, place.claimed, table)

    def add_end(self, counts: tuple[int, int], claimed: Arms, table: Floats) -> None:
        if (counts, claimed) in self.ends:
            self.ends[counts, claimed] += table
        else:
            self.ends[counts, claimed] = table

    @staticmethod
    def merge(generation: Generation, place: Place, layer: Layer) -> None:
        """Add the states of a layer to those that are already there."""
        if place not in generation:
            generation[place] = layer
            return
        for pulls, table in layer.tables():
            generation[place].add(pulls, table)


def trials_with(design: Design, pulls: tuple[int, int], active: Sequence[bool] = (True, True)) -> TrialData:
    """A trial for each pair of numbers of successes, those of arm 1 running faster."""
    successes = np.indices((pulls[0] + 1, pulls[1] + 1)).reshape(2, -1).T
    data = TrialData.from_successes(design, np.broadcast_to(np.array(pulls), successes.shape), successes)
    data.active[:] = active
    return data

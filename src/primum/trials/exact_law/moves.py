"""Layers of states as patients are allocated and outcomes become known: the native loop, and what it needs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from primum.errors import PrimumError
from primum.policies.counts import Counts
from primum.policies.hypergeometric import halves_of, ranking
from primum.policies.native_chances import DUEL, NO_OPENING, NativeChances, Step, native_chances
from primum.trials.data import Floats
from primum.trials.exact_law import allocating
from primum.trials.exact_law.allocating import EVERYWHERE, FIXED, GIVEN
from primum.trials.exact_law.layer import Layer

if TYPE_CHECKING:
    from primum.trials.design import Design

Target = tuple[Layer, int]  # where states go, and the arm with an outcome more
NO_TABLE, NO_CHANCES = np.empty((0, 0)), np.empty(0)


class Moves:
    """Moves of states between layers, for a design.

    `best` and `beaten_by` are the rankings of `hypergeometric.ranking` for each number of outcomes, `scores` those of
    `NativeChances`.
    """

    def __init__(self, design: Design) -> None:
        from primum.kernels.native import compiling

        self.native = compiling.compiled(allocating.allocate)
        self.design, self.patients = design, design.patients
        self.halves = halves_of(design.patients + 2)
        self.scores = NO_TABLE
        self.best = self.beaten_by = NO_TABLE.astype(np.int64)
        self.scored = 0  # numbers of outcomes with scores
        self.enrolled, self.is_late = 0, design.delay is not None
        self.rule: NativeChances | None = None
        self.given: dict[tuple[int, int], Floats] = {}  # for the layers of a delay

    def begin(self, t: int, known: int) -> None:
        """Prepare for the allocation of one more patient after t, when the policy knows so many outcomes."""
        policy, value = self.design.policy, self.design.inner_value
        self.enrolled, self.given = t, {}
        self.rule = rule = native_chances(policy, Step(t + 1, self.patients, value))
        if rule is None or rule.scores is None:
            return
        of_smaller = rule.kind == DUEL  # other scores are not needed
        most = known // 2 if of_smaller else known
        if not self.scores.size:
            size = self.patients // 2 + 1 if of_smaller else self.patients + 1
            self.scores = np.zeros((size, size))
            self.best, self.beaten_by = np.zeros((2, *self.scores.shape), np.int64)
        first = int(rule.floor != NO_OPENING)
        for n in range(first if rule.scores_vary else max(first, self.scored), most + 1):
            self.scores[n, : n + 1] = rule.scores(n)
            if rule.kind == DUEL:
                self.best[n, : n + 1], self.beaten_by[n, : n + 1] = ranking(value, n)
        self.scored = most + 1

    def allocate(self, layer: Layer, chances: Floats | None, late: int, coin: float, targets: Sequence[Target]) -> None:
        """Take states out of a layer to the target of either arm: by `chances`, or by the policy and the coin.

        `late` patients are on arm 1 with an outcome that the policy does not know.
        """
        if chances is not None:
            self._move(layer, targets, NativeChances(FIXED), late, fixed=chances)
        elif self.rule is not None:
            self._move(layer, targets, self.rule, late, coin)
        else:
            n, equal = layer.known // 2, layer.known % 2 == 0
            for pulls in [*range(layer.known - n, layer.known + 1), *range(n - equal, -1, -1)]:  # as in `allocating`
                if layer.reached[pulls]:
                    self._move_table(layer, targets, pulls, late, coin)

    def revealed(self, layer: Layer, first: int, second: int) -> Layer:
        """The states after so many further outcomes of each arm, each a success with probability 1/2."""
        for shown in [0] * first + [1] * second:
            known = layer.known + 1
            after = Layer(known, known)
            self._move(layer, [(after, shown)] * 2, NativeChances(FIXED), 0, fixed=np.ones(known))
            after.meet()
            layer = after
        return layer

    def _move_table(self, layer: Layer, targets: Sequence[Target], pulls: int, late: int, coin: float) -> None:
        """The same as `allocate` for one table, by the `chances` of the policy."""
        if (pulls, late) in self.given:
            chances = self.given[pulls, late]
        else:
            chances = self._chances((layer.known - pulls, pulls), pulls + late)
            if self.is_late:  # other layers need them too
                self.given[pulls, late] = chances
        if chances.size == 1:
            fixed = np.full(layer.known + 1, chances.item())
            self._move(layer, targets, NativeChances(FIXED), late, coin, only=pulls, fixed=fixed)
        else:
            self._move(layer, targets, NativeChances(GIVEN), late, coin, only=pulls, given=chances)

    def _chances(self, pulls: tuple[int, int], assigned: int) -> Floats:
        """The policy's probability of arm 1, with so many patients assigned to it."""
        counts = Counts((self.enrolled - assigned, assigned), pulls, self.patients, self.design.inner_value)
        chances = np.ascontiguousarray(self.design.policy.chances(counts), np.float64)
        shape = pulls[0] + 1, pulls[1] + 1
        fits = chances.ndim == 2 and all(have in (1, want) for have, want in zip(chances.shape, shape, strict=True))
        if not fits or not (chances.min() >= 0 and chances.max() <= 1):
            raise PrimumError(
                f"{self.design.policy.display_name}: `chances` must return probabilities, an array of shape {shape} or "
                f"one that broadcasts to it, and did not for {counts.assigned} patients"
            )
        return chances

    def _move(
        self,
        layer: Layer,
        targets: Sequence[Target],
        rule: NativeChances,
        late: int,
        coin: float = 0.0,
        only: int = EVERYWHERE,
        fixed: Floats = NO_CHANCES,
        given: Floats = NO_TABLE,
    ) -> None:
        source = layer.cells, layer.room, layer.known, layer.reached
        tables = self.halves, self.scores, self.best, self.beaten_by
        arrivals = ((to.cells, to.room, shown, to.reached) for to, shown in targets)
        self.native(source, only, self.enrolled, late, coin, rule[:7], fixed, given, tables, *arrivals)

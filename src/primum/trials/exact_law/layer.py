"""The probabilities of all states with the same number of known outcomes, in the order that the native loop wants."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from primum.trials.data import Floats
from primum.trials.exact_law.allocating import start


class Layer:
    """A table of states, successes of arm 0 x successes of arm 1, for each number of known outcomes of arm 1.

    Tables have `room` for so many outcomes of both arms; `allocating` says how they lie. Only those that are `reached`
    have states. One of equal numbers of outcomes may be in two parts until `meet`.

    >>> layer = Layer(3, room=3)
    >>> layer.table(1).shape, layer.table(2).shape
    ((3, 2), (2, 3))
    """

    def __init__(self, known: int, room: int, cells: Floats | None = None) -> None:
        self.known, self.room = known, room
        self.cells = np.zeros((2, start(room // 2 + 1, room))) if cells is None else cells
        self.reached = np.zeros(known + 1, np.bool_)

    def table(self, pulls: int) -> Floats:
        """The table of so many known outcomes of arm 1: a view."""
        rival = self.known - pulls
        if rival <= pulls:
            return self._part(0, rival)
        return self._part(1, pulls).T

    def tables(self) -> Iterator[tuple[int, Floats]]:
        """The tables that are reached, with the known outcomes of arm 1."""
        for pulls in np.flatnonzero(self.reached).tolist():
            yield pulls, self.table(pulls)

    def meet(self) -> None:
        """Bring the states with equal numbers of outcomes together, which come from either side."""
        n, odd = divmod(self.known, 2)
        if not odd and self.reached[n]:
            other = self._part(1, n)
            self.table(n)[:] += other.T
            other[:] = 0.0

    def grown(self) -> Layer:
        """The same memory for states with one more outcome."""
        return Layer(self.known + 1, self.room, self.cells)

    def add(self, pulls: int, table: Floats) -> None:
        """Add states with so many known outcomes of arm 1."""
        self.table(pulls)[:] += table
        self.reached[pulls] = True

    def _part(self, smaller: int, n: int) -> Floats:
        """The table whose smaller arm has n outcomes, successes of that arm first."""
        width, begin = self.room - n + 1, start(n, self.room)
        return self.cells[smaller, begin : begin + (n + 1) * width].reshape(n + 1, width)[:, : self.known - n + 1]

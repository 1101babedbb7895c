"""A run in progress: what of it is done, handed out and to come."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from types import TracebackType

from primum import text
from primum.experiments.pieces import Pieces
from primum.lab.http.schemas import Cost, Question, Run, State
from primum.lab.jobs.buffer import Sheet

FIRST = 0.02  # seconds of work in the first slice, for a quick first picture
SLICE = 0.25  # and in the others: with twelve policies a call of `simulate` takes 0.02 s before it plays
SLOWER = 2  # times the estimate that a replication may take before slices are no longer made smaller
GOING = ("waiting", "running")


class Slice:
    """Some replications of a run for one worker; as a Progress it tells how far they are, and stops them."""

    def __init__(self, work: Work, numbers: range, piece: range, kept: bool, expected: float) -> None:
        self.work, self.numbers, self.piece, self.kept = work, numbers, piece, kept
        self.seconds = expected  # until it is known
        self.share, self.doing = 0.0, ""
        self.goes_on: Callable[[], bool] = lambda: True
        self._began = 0.0

    def __enter__(self) -> Slice:
        return self

    def say(self, text: str) -> None:
        """What is being done now: compiling, then simulating."""
        self.doing, self._began = text, time.perf_counter()

    def update(self, done: int) -> None:
        """How many steps have been done."""
        asked = self.work.sheet.experiment
        self.share = done / (len(asked.policies) * len(self.numbers) * asked.horizon)
        if not self.goes_on():
            raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._began


class Work:
    """The computation of one question; all but `sheet.write` is called by one thread at a time."""

    def __init__(self, id: str, question: Question, cost: Cost, sheet: Sheet, pieces: Pieces, now: float) -> None:
        self.id, self.question, self.cost, self.sheet, self.pieces = id, question, cost, sheet, pieces
        self.state: State = "waiting"
        self.sentence = ""
        self.watchers, self.seen = 0, now
        self.began: float | None = None
        self.todo = deque((piece, piece, pieces.has(piece)) for piece in pieces)  # replications, their piece, if kept
        self.flying: list[Slice] = []
        self._left = {piece: len(piece) for piece in pieces}
        self._spent = 0.0
        self._computed = 0
        self._kept = 0

    @property
    def spent(self) -> float:
        """Seconds of work that it has had, with what is expected of the slices that are being played."""
        return self._spent + sum(slice.seconds for slice in self.flying)

    @property
    def per_replication(self) -> float:
        """Seconds that a replication takes: as estimated, then as measured.

        Not much more than estimated: where many runs wait for the processors all take longer, and smaller slices would
        make them wait longer still.
        """
        estimated = self.cost.seconds / self.sheet.experiment.replications
        return min(self._spent / self._computed, SLOWER * estimated) if self._computed else estimated

    def take(self, now: float) -> Slice:
        """The next slice."""
        numbers, piece, kept = self.todo.popleft()
        expected = 0.0
        if not kept:
            wanted = FIRST if self.state == "waiting" else SLICE
            cut = numbers.start + max(1, int(min(len(numbers), wanted / max(self.per_replication, 1e-9))))
            if cut < numbers.stop:
                self.todo.appendleft((range(cut, numbers.stop), piece, False))
            numbers = range(numbers.start, min(cut, numbers.stop))
            expected = len(numbers) * self.per_replication
        if self.state == "waiting":
            self.state, self.began = "running", now
        self.flying.append(Slice(self, numbers, piece, kept, expected))
        return self.flying[-1]

    def give_back(self, slice: Slice) -> None:
        """A kept piece that turned out to be damaged is computed."""
        self.flying.remove(slice)
        self.todo.appendleft((slice.numbers, slice.piece, False))

    def mark(self, slice: Slice) -> bool:
        """The slice is on the sheet; whether that makes a piece that is not kept yet."""
        self.sheet.mark(slice.numbers)
        slice.share = 0.0
        if slice.kept:
            self._kept += len(slice.numbers)
        else:
            self._spent += slice.seconds
            self._computed += len(slice.numbers)
            slice.seconds = 0.0
        self._left[slice.piece] -= len(slice.numbers)
        return not slice.kept and self._left[slice.piece] == 0

    def report(self, now: float, others: int) -> Run:
        """How far it is."""
        of = self.sheet.experiment.replications
        done = self.sheet.done + sum(len(slice.numbers) * slice.share for slice in self.flying)
        left, computed = None, done - self._kept
        if self.state == "running" and self.began is not None and computed > 0 and now > self.began:
            left = (of - done) * (now - self.began) / computed
        return Run(
            id=self.id,
            state=self.state,
            replications=self.sheet.complete,
            of=of,
            share=min(1.0, done / of) if self.state in GOING else self.sheet.complete / of,
            seconds_left=left,
            sentence=self._told(others),
        )

    def _told(self, others: int) -> str:
        shown = counted(self.sheet.complete, self.sheet.experiment.replications)
        if self.state == "waiting":
            return f"waiting for {others} other{'s' * (others != 1)}" if others else "waiting"
        if self.state == "running" and not self.sheet.done and any(part.doing == "compiling" for part in self.flying):
            return "compiling"
        if self.state in ("running", "finished"):
            return "; ".join(filter(None, [shown, self.sentence]))
        return f"cancelled after {shown}" if self.state == "cancelled" else self.sentence


def counted(complete: int, of: int) -> str:
    """How many replications are complete, in words."""
    return f"{complete:,} of {text.counted(of, 'replication')}"

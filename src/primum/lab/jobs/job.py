"""A run in progress: its replications that are done, in progress and to do."""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable
from types import TracebackType

from primum import text
from primum.lab.http.schemas import Cost, Question, Run, State
from primum.lab.jobs.archive import array_bytes
from primum.lab.jobs.buffer import PullBuffer
from primum.runs.pieces import ExperimentPieces

FIRST_SLICE_SECONDS = 0.02  # of work, for a quick first figure
SLICE_SECONDS = 0.25  # of work in the others: with twelve policies a call of `simulate` takes 0.02 s before it plays
SLOWDOWN_FACTOR = 2  # times the estimate that a replication may take before slices are no longer made smaller
ACTIVE_STATES = ("waiting", "running")


class Slice:
    """Some replications of a job for one worker; as a Progress it reports how far they are, and stops them."""

    def __init__(self, job: Job, numbers: range, piece: range, is_stored: bool, expected: float) -> None:
        self.job, self.numbers, self.piece, self.is_stored = job, numbers, piece, is_stored
        self.seconds = expected  # until it is measured
        self.share, self.activity = 0.0, ""
        self.continues: Callable[[], bool] = lambda: True
        self._began = 0.0

    def __enter__(self) -> Slice:
        return self

    def say(self, text: str) -> None:
        """Note the current activity: compiling, then simulating."""
        self.activity, self._began = text, time.perf_counter()

    def update(self, done: int) -> None:
        """Note how many steps are done."""
        experiment = self.job.buffer.experiment
        self.share = done / (len(experiment.policies) * len(self.numbers) * experiment.horizon)
        if not self.continues():
            raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.seconds = time.perf_counter() - self._began


class Job:
    """The computation of one question. The scheduler guards it: only `buffer` is safe to use from any thread."""

    def __init__(
        self,
        id: str,
        question: Question,
        cost: Cost,
        buffer: PullBuffer,
        pieces: ExperimentPieces,
        now: float,
        address: str = "",
    ) -> None:
        self.id, self.question, self.cost, self.buffer, self.pieces = id, question, cost, buffer, pieces
        self.address = address  # of the client that started it
        self.memory = cost.memory + array_bytes(list(buffer.problem.arms.values()))  # bytes of pulls and tables
        self.state: State = "waiting"
        self.note = ""
        self.followers: Counter[str] = Counter()  # event streams by the token of their follower
        self.last_seen = now
        self.began: float | None = None
        self.todo = deque(
            (piece, piece, not pieces.missing(piece)) for piece in pieces
        )  # replications, piece, is it stored
        self.slices: list[Slice] = []  # in progress
        self._left = {piece: len(piece) for piece in pieces}
        self._spent = 0.0
        self._computed = 0
        self._read = 0

    @property
    def is_active(self) -> bool:
        """Whether it is waiting or running."""
        return self.state in ACTIVE_STATES

    @property
    def spent(self) -> float:
        """Seconds of work done, with those expected of the slices in progress."""
        return self._spent + sum(slice.seconds for slice in self.slices)

    @property
    def seconds_per_replication(self) -> float:
        """Seconds that a replication takes: as estimated, then as measured.

        Bounded by a multiple of the estimate: when many runs share the processors all of them take longer, and smaller
        slices would make them wait longer still.
        """
        estimated = self.cost.seconds / self.buffer.experiment.replications
        return min(self._spent / self._computed, SLOWDOWN_FACTOR * estimated) if self._computed else estimated

    def take(self, now: float) -> Slice:
        """The next slice."""
        numbers, piece, is_stored = self.todo.popleft()
        expected = 0.0
        if not is_stored:
            wanted = FIRST_SLICE_SECONDS if self.state == "waiting" else SLICE_SECONDS
            each = self.seconds_per_replication
            cut = numbers.start + max(1, int(min(len(numbers), wanted / max(each, 1e-9))))
            if cut < numbers.stop:
                self.todo.appendleft((range(cut, numbers.stop), piece, False))
            numbers = range(numbers.start, min(cut, numbers.stop))
            expected = len(numbers) * each
        if self.state == "waiting":
            self.state, self.began = "running", now
        self.slices.append(Slice(self, numbers, piece, is_stored, expected))
        return self.slices[-1]

    def give_back(self, slice: Slice) -> None:
        """Compute a stored piece that turned out to be damaged."""
        self.slices.remove(slice)
        self.todo.appendleft((slice.numbers, slice.piece, False))

    def mark(self, slice: Slice) -> bool:
        """Declare a slice written; returns whether that completes a piece that is not stored yet."""
        self.buffer.mark(slice.numbers)
        slice.share = 0.0
        if slice.is_stored:
            self._read += len(slice.numbers)
        else:
            self._spent += slice.seconds
            self._computed += len(slice.numbers)
            slice.seconds = 0.0
        self._left[slice.piece] -= len(slice.numbers)
        return not slice.is_stored and self._left[slice.piece] == 0

    def report(self, now: float, others: int) -> Run:
        """Its state and progress; `others` is the number of other jobs."""
        of, complete = self.buffer.experiment.replications, self.buffer.complete
        done = self.buffer.done + sum(len(slice.numbers) * slice.share for slice in self.slices)
        left, computed = None, done - self._read
        if self.state == "running" and self.began is not None and computed > 0 and now > self.began:
            left = (of - done) * (now - self.began) / computed
        return Run(
            id=self.id,
            state=self.state,
            replications=complete,
            of=of,
            share=min(1.0, done / of) if self.is_active else complete / of,
            seconds_left=left,
            sentence=self._sentence(complete, others),
        )

    def _sentence(self, complete: int, others: int) -> str:
        progress = progress_text(complete, self.buffer.experiment.replications)
        if self.state == "waiting":
            return f"waiting for {text.counted(others, 'other run')}" if others else "waiting"
        if self.state == "running" and not self.buffer.done and any(one.activity == "compiling" for one in self.slices):
            return "compiling"
        if self.state in ("running", "finished"):
            return "; ".join(filter(None, [progress, self.note]))
        return f"cancelled after {progress}" if self.state == "cancelled" else self.note


def progress_text(complete: int, of: int) -> str:
    """How many replications are complete: ``20 of 1,000 replications``."""
    return f"{complete:,} of {text.counted(of, 'replication')}"

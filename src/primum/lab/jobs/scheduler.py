"""Who works on what: runs are played slice by slice on a few threads, each in its turn."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Callable

from primum.errors import PrimumError
from primum.lab.http.schemas import Run, State
from primum.lab.jobs.job import GOING, Slice, Work
from primum.lab.jobs.limits import Full
from primum.simulation import simulate

GRACE = 15  # seconds that a run goes on when nobody looks at it any more
EXPRESS = 0.5  # seconds that a slice may take on the express thread
log = logging.getLogger("primum.lab")


class Rota:
    """The runs in progress and the threads that work on them.

    The next slice is one of the run that has had the least work so far. One more thread, the express, plays only short
    slices of runs that nobody is at: a small run shows something at once, and goes on, however long the replications
    are that all others are at.
    """

    def __init__(
        self, threads: int, clock: Callable[[], float], ended: Callable[[Work], None], most: float = math.inf
    ) -> None:
        self._most = most  # seconds of work after which a run is stopped, whatever was expected of it
        self.active: dict[str, Work] = {}
        self.lock = threading.Condition()  # of all that is in `active`; held for moments only
        self._clock, self._ended, self._closed = clock, ended, False
        self._workers = [
            threading.Thread(target=self._serve, args=(express,), daemon=True, name=f"desk-{i}")
            for i, express in enumerate([True] + [False] * threads)
        ]
        for worker in self._workers:
            worker.start()

    def add(self, work: Work) -> None:
        """Begin with a run."""
        with self.lock:
            if self._closed:
                raise Full("the laboratory is closing", 10)
            self.active[work.id] = work
            self.lock.notify_all()

    def report(self, work: Work) -> Run:
        """How far a run is."""
        with self.lock:
            return work.report(self._clock(), len(self.active) - 1)

    def end(self, work: Work, state: State, sentence: str = "") -> None:
        """No more of a run is played; if it has ended already, nothing changes."""
        with self.lock:
            if work.state in GOING:
                del self.active[work.id]
                work.state, work.sentence = state, sentence or work.sentence
                self._ended(work)

    def drop_abandoned(self) -> None:
        """End the runs that nobody looks at any more."""
        with self.lock:
            for work in list(self.active.values()):
                self._goes_on(work)

    def close(self) -> None:
        """End all runs, and the threads."""
        with self.lock:
            self._closed = True
            for work in list(self.active.values()):
                self.end(work, "unstarted", "the laboratory is closing")
            self.lock.notify_all()
        for worker in self._workers:
            worker.join()

    def _goes_on(self, work: Work) -> bool:
        with self.lock:
            if not work.watchers and self._clock() - work.seen > GRACE:
                self.end(work, "unstarted", "nobody looked at it any more")
            elif work.spent > self._most:
                took = f"it has taken {work.spent:.0f} s of processor time, far more than was expected"
                self.end(work, "failed", f"{took}; fewer replications or steps will do")
            return work.state in GOING

    def _serve(self, express: bool) -> None:
        while (slice := self._next(express)) is not None:
            work = slice.work
            try:
                self._play(slice)
            except PrimumError as error:
                self.end(work, "failed", str(error))
            except Exception as error:  # whatever another author's plug-in may raise; the thread goes on
                log.exception("a slice of %s failed", work.id)
                self.end(work, "failed", f"{type(error).__name__}: {error}")

    def _next(self, express: bool) -> Slice | None:
        """The next slice; it waits for one, and gives None when the rota is closed."""
        with self.lock:
            while not self._closed:
                self.drop_abandoned()
                ready = [work for work in self.active.values() if work.todo and (not express or _needs_express(work))]
                if ready:
                    return min(ready, key=lambda work: work.spent).take(self._clock())
                self.lock.wait()
            return None

    def _play(self, slice: Slice) -> None:
        work = slice.work
        asked = work.sheet.experiment
        if slice.kept:
            results = work.pieces.get(slice.numbers)
        else:
            slice.goes_on = lambda: self._goes_on(work)
            results = simulate(
                work.sheet.problem,
                asked.policies,
                horizon=asked.horizon,
                replications=slice.numbers,
                seed=asked.seed,
                threads=1,
                progress=slice,
            )
        if results is None:
            with self.lock:
                work.give_back(slice)
                self.lock.notify_all()
            return
        if work.state not in GOING:  # the slice may be incomplete
            return
        work.sheet.write(results)
        with self.lock:
            is_new = work.state in GOING and work.mark(slice)
        if is_new:
            self._keep(slice)
        with self.lock:
            work.flying.remove(slice)
            if not work.todo and not work.flying:
                self.end(work, "finished")
            self.lock.notify_all()  # the express thread may be needed, now that nobody is at this run

    def _keep(self, slice: Slice) -> None:
        """Put a piece into the store; if that fails the run goes on, and says so."""
        work = slice.work
        try:
            work.pieces.put(work.sheet.piece(slice.piece))
        except Exception as error:  # a full disk, a name that no file can hold, and whatever the libraries make of it
            log.warning("a piece of %s is not kept: %s", work.id, error)
            work.sentence = "not kept, so a restart of the laboratory would compute it again"


def _needs_express(work: Work) -> bool:
    return not work.flying and work.per_replication <= EXPRESS

"""The desk, where questions become runs."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import math
import threading
import time
from collections.abc import AsyncIterator, Callable

from pydantic import ValidationError

from primum.errors import InvalidInput, PrimumError, UnknownNameError
from primum.executors import available_threads
from primum.experiments import Experiment
from primum.lab.drafts.cost import estimate
from primum.lab.http.schemas import Question, Run
from primum.lab.jobs.archive import Ended, Pieces, Shelf
from primum.lab.jobs.buffer import Sheet
from primum.lab.jobs.job import GOING, Work, counted
from primum.lab.jobs.limits import Full as Full
from primum.lab.jobs.limits import Limits as Limits
from primum.lab.jobs.limits import TooCostly as TooCostly
from primum.lab.jobs.scheduler import Rota
from primum.results import Results
from primum.store import Store
from primum.store.lru_cache import Recent

PAUSE = 0.1  # seconds between two looks at a run by someone who watches
RECENT = 1 << 29  # bytes of results that are kept in memory when their runs have ended
MOST_RECENT = 100  # runs that have ended and are kept in memory; others are read from the store again
PATIENCE = 3  # times the limit that a run may really take, if it was expected to take less
log = logging.getLogger("primum.lab")


class Unknown(UnknownNameError):
    """An id that no question has."""

    def __init__(self, id: str) -> None:
        PrimumError.__init__(self, f"no run has the id {id!r}; it may be so old that it was removed")


class NothingYet(UnknownNameError):
    """A run of which no replication is complete."""

    def __init__(self) -> None:
        PrimumError.__init__(self, "no replication of this run is complete yet")


class Desk:
    """Takes questions, has them played, and shows what is complete.

    Equal questions have one run. It goes on while someone watches it or has lately looked at it. What is computed is
    kept in the store piece by piece, and is there after a restart.
    """

    def __init__(
        self,
        store: Store,
        questions: Store,
        limits: Limits = Limits(),  # noqa: B008  # it is frozen
        threads: int | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.limits, self._clock = limits, clock
        self._shelf, self._questions = Shelf(store, limits.store), Shelf(questions, limits.questions)
        self._recent = Recent[Ended](MOST_RECENT, RECENT, size=lambda ended: ended.size)
        self._reading = threading.Lock()  # so that many who open a large run do not all read it
        threads = available_threads() if threads is None else threads
        self._rota = Rota(threads, clock, self._remember, most=PATIENCE * limits.seconds)

    def submit(self, question: Question) -> Run:
        """Start the question's run, or join it; TooCostly or Full if it cannot be started."""
        id = id_of(question)
        run = self._seen(id)
        if run is not None and run.state in (*GOING, "finished"):
            return run
        ended = self._read(id, question)
        return ended.run if ended else self._started(id, question)

    def question(self, id: str) -> Question:
        """The question of an id, also after a restart."""
        with self._rota.lock:
            if held := self._rota.active.get(id) or self._recent.get(id):
                return held.question
        content = self._questions.store.get(id)
        if content is None:
            raise Unknown(id)
        try:
            return Question.model_validate_json(content)
        except (InvalidInput, ValidationError) as error:  # it was right once
            said = "; ".join(str(error).splitlines())
            raise PrimumError(f"this question was asked in another version of the laboratory: {said}") from None

    def experiment(self, id: str) -> Experiment:
        """The experiment that gives the results of the run; a run that was stopped has fewer replications."""
        run = self.status(id)
        stopped = run.state in ("cancelled", "failed") and run.replications
        return self.question(id).experiment(run.replications if stopped else None)

    def status(self, id: str) -> Run:
        """How far the run is."""
        if run := self._seen(id):
            return run
        question = self.question(id)
        ended = self._read(id, question)
        return (
            ended.run
            if ended
            else Run(
                id=id, state="unstarted", replications=0, of=question.replications, share=0, sentence="not computed yet"
            )
        )

    def results(self, id: str) -> Results:
        """The complete replications, from the first on; NothingYet if there are none."""
        with self._rota.lock:
            work, ended = self._rota.active.get(id), self._recent.get(id)
            if work:
                work.seen = self._clock()
            found = work.sheet.results() if work else None
        if not work:
            ended = ended or self._read(id, self.question(id))
            found = ended.results if ended else None
        if found is None:
            raise NothingYet
        return found

    async def watch(self, id: str) -> AsyncIterator[Run]:
        """How far the run is, each time that it moves, until it ends; it goes on as long as someone watches."""
        while True:
            with self._rota.lock:
                work = self._rota.active.get(id)
                if work is not None:
                    work.watchers += 1
                    break
            run = await asyncio.to_thread(self.status, id)
            if run.state not in GOING:  # else it was started in this moment
                yield run
                return
        try:
            last: tuple[object, ...] = ()
            while True:
                run = self._rota.report(work)
                seen = run.state, run.share, run.replications, run.sentence  # the time left changes all the time
                if seen != last:
                    yield run
                last = seen
                if run.state not in GOING:
                    return
                await asyncio.sleep(PAUSE)
        finally:
            with self._rota.lock:
                work.watchers -= 1
                work.seen = self._clock()

    def cancel(self, id: str) -> Run:
        """Stop the run, unless others watch it too; what is complete stays to be seen."""
        with self._rota.lock:
            work = self._rota.active.get(id)
            if work is not None and work.watchers > 1:
                goes_on = {"sentence": "it goes on, because others follow it too"}
                return self._rota.report(work).model_copy(update=goes_on)
            if work is not None:
                self._rota.end(work, "cancelled")
        return self.status(id)

    def load(self) -> dict[str, int]:
        """How busy the desk is."""
        with self._rota.lock:
            works = self._rota.active.values()
            return {
                "runs": len(works),
                "waiting": sum(work.state == "waiting" for work in works),
                "watchers": sum(work.watchers for work in works),
            }

    def close(self) -> None:
        """Stop all runs; what is in the store stays."""
        self._rota.close()

    def _seen(self, id: str) -> Run | None:
        """The run, if it is in memory."""
        with self._rota.lock:
            if work := self._rota.active.get(id):
                work.seen = self._clock()
                return self._rota.report(work)
            ended = self._recent.get(id)
            return ended.run if ended else None

    def _started(self, id: str, question: Question) -> Run:
        cost = estimate(question, self.limits)
        if not cost.fits:
            raise TooCostly(cost.sentence)
        experiment = question.experiment()
        work = Work(id, question, cost, Sheet(experiment), Pieces(self._shelf, experiment), self._clock())
        with self._rota.lock:
            if id not in self._rota.active:  # else somebody was faster
                self._check_room(cost.memory)
                self._recent.forget(id)
                self._rota.add(work)
            run = self._rota.report(self._rota.active[id])
        self._keep(id, question)
        return run

    def _keep(self, id: str, question: Question) -> None:
        """Keep the question, so that its link opens it; only one that was accepted, or anybody could fill the disk."""
        try:
            self._questions.put(id, question.model_dump_json().encode())
        except PrimumError as error:
            log.warning("the link %s will not survive a restart: %s", id, error)

    def _check_room(self, memory: int) -> None:
        self._rota.drop_abandoned()
        works = self._rota.active.values()
        memory += sum(work.cost.memory for work in works)
        if len(works) >= self.limits.runs or memory > self.limits.memory:
            left = min((self._rota.report(work).seconds_left or work.cost.seconds for work in works), default=1)
            raise Full(f"the laboratory is full: {len(works)} at work", min(600, max(1, math.ceil(left))))

    def _read(self, id: str, question: Question) -> Ended | None:
        """The run, if all its pieces are in the store."""
        experiment = question.experiment()
        pieces = Pieces(self._shelf, experiment)
        if not all(map(pieces.has, pieces)):
            return None
        with self._reading:
            with self._rota.lock:
                ended = self._recent.get(id)
            if ended is not None and ended.run.state == "finished":
                return ended
            sheet = Sheet(experiment)
            for piece in pieces:
                if (part := pieces.get(piece)) is None:
                    return None
                sheet.write(part)
                sheet.mark(piece)
        of = experiment.replications
        run = Run(id=id, state="finished", replications=of, of=of, share=1, sentence=counted(of, of))
        ended = Ended(run, question, sheet.results(), sheet.size)
        with self._rota.lock:
            self._recent.put(id, ended)
        self._keep(id, question)
        return ended

    def _remember(self, work: Work) -> None:
        """A run has ended; one that was dropped leaves nothing behind."""
        if work.state != "unstarted":
            sheet = work.sheet
            self._recent.put(work.id, Ended(self._rota.report(work), work.question, sheet.results_alone(), sheet.size))


def id_of(question: Question) -> str:
    """The id of a question: the same for the same question, always."""
    return hashlib.sha256(question.model_dump_json().encode()).hexdigest()[:32]

"""The job manager: questions become runs, and runs give results."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import threading
import time
from collections.abc import AsyncGenerator, Callable

from pydantic import ValidationError

from primum.errors import InvalidInput, PrimumError, UnknownNameError
from primum.lab.drafts.cost import estimate
from primum.lab.http.schemas import Question, Run
from primum.lab.jobs.archive import EndedRun
from primum.lab.jobs.buffer import PullBuffer
from primum.lab.jobs.job import ACTIVE_STATES, Job, progress_text
from primum.lab.jobs.limits import Limits, TooCostly
from primum.lab.jobs.scheduler import Scheduler
from primum.results import Results
from primum.runs import Experiment
from primum.runs.executors import available_threads
from primum.runs.pieces import ExperimentPieces
from primum.store import Store
from primum.store.lru_cache import LruCache

FOLLOW_INTERVAL_SECONDS = 0.1  # between two checks of a run by a follower
CACHED_RUNS = 100  # runs that have ended and are kept in memory; others are read from the store again
CACHED_BYTES = 1 << 29  # of their results
log = logging.getLogger("primum.lab")


class UnknownRun(UnknownNameError):
    """No question has this id."""

    def __init__(self, id: str) -> None:
        PrimumError.__init__(self, f"no run has the id {id!r}; it may have been removed because it was not used")


class NothingYet(UnknownNameError):
    """No replication of a run is complete."""

    def __init__(self) -> None:
        PrimumError.__init__(self, "no replication of this run is complete yet")


class JobManager:
    """Turns questions into runs, and gives access to their progress and results.

    Equal questions share one run. It continues while a client follows it or requested its state within some seconds.
    Results are stored piece by piece, and survive a restart.
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
        self._store, self._questions = store, questions
        self.trials = Store(store.folder, area="trials", limit=limits.trials)
        self._ended = LruCache[EndedRun](CACHED_RUNS, CACHED_BYTES, size=lambda ended: ended.size)
        self._reading = threading.Lock()  # so that many who open a large run do not all read it
        self._closing = threading.Event()
        threads = available_threads() if threads is None else threads
        self._scheduler = Scheduler(threads, limits, self._archive, clock)

    def submit(self, question: Question, address: str = "") -> Run:
        """Start the question's run for a client, or join it; TooCostly or Unavailable if it cannot be started.

        Clients at different addresses get equal shares of the processors, and each address at most half of the queue.
        """
        id = id_of(question)
        run = self._in_memory(id)
        if run is not None and run.state in (*ACTIVE_STATES, "finished"):
            return run
        ended = self._stored(id, question)
        return ended.run if ended else self._start(id, question, address)

    def question(self, id: str) -> Question:
        """The question with this id, also after a restart."""
        if held := self._scheduler.get(id) or self._ended.get(id):
            return held.question
        content = self._questions.get(id)
        if content is None:
            raise UnknownRun(id)
        try:
            return Question.model_validate_json(content)
        except (InvalidInput, ValidationError) as error:  # it was valid once
            reason = "; ".join(str(error).splitlines())
            raise PrimumError(f"this question is from another version of the laboratory: {reason}") from None

    def experiment(self, id: str) -> Experiment:
        """The experiment that gives the results of the run; a run that was stopped has fewer replications."""
        run = self.status(id)
        is_shorter = run.state in ("cancelled", "failed") and run.replications
        return self.question(id).experiment(run.replications if is_shorter else None)

    def status(self, id: str) -> Run:
        """The state and progress of the run."""
        if run := self._in_memory(id):
            return run
        question = self.question(id)
        if ended := self._stored(id, question):
            return ended.run
        of = question.replications
        return Run(id=id, state="unstarted", replications=0, of=of, share=0, sentence="not computed yet")

    def results(self, id: str) -> Results:
        """The complete replications, from the first on; NothingYet if there are none."""
        if job := self._scheduler.get(id):
            results = job.buffer.results()
        else:
            ended = self._ended.get(id) or self._stored(id, self.question(id))
            results = ended.results() if ended else None
        if results is None:
            raise NothingYet
        return results

    async def follow(self, id: str, follower: str = "") -> AsyncGenerator[Run, None]:
        """The state and progress of the run at each change until it ends; a run with followers continues.

        `follower` is a token that `cancel` recognises. When the laboratory shuts down, the iteration stops without a
        last change, and pages connect again.
        """
        while (job := self._scheduler.follow(id, follower)) is None:
            run = await asyncio.to_thread(self.status, id)
            if run.state not in ACTIVE_STATES:  # else it was started in this moment
                yield run
                return
        try:
            last: tuple[object, ...] = ()
            while not self._closing.is_set():
                run = self._scheduler.report(job)
                seen = run.state, run.share, run.replications, run.sentence  # the time left changes all the time
                if seen != last:
                    yield run
                last = seen
                if run.state not in ACTIVE_STATES:
                    return
                await asyncio.sleep(FOLLOW_INTERVAL_SECONDS)
        finally:
            self._scheduler.unfollow(job, follower)

    def cancel(self, id: str, follower: str = "") -> Run:
        """Stop the run unless others follow it; complete replications remain."""
        return self._scheduler.cancel(id, follower) or self.status(id)

    def load(self) -> dict[str, int]:
        """The numbers of runs, of those that wait, and of event streams that follow one."""
        return self._scheduler.load()

    def stop_following(self) -> None:
        """End all event streams, so that the server can shut down."""
        self._closing.set()

    def close(self) -> None:
        """Stop all runs; stored results remain."""
        self.stop_following()
        self._scheduler.close()

    def _in_memory(self, id: str) -> Run | None:
        if job := self._scheduler.get(id):
            return self._scheduler.report(job)
        ended = self._ended.get(id)
        return ended.run if ended else None

    def _start(self, id: str, question: Question, address: str) -> Run:
        cost = estimate(question, self.limits)
        if not cost.fits:
            raise TooCostly(cost.sentence)
        experiment = question.experiment()
        buffer, pieces = PullBuffer(experiment), ExperimentPieces(experiment, self._store)
        job = Job(id, question, cost, buffer, pieces, self._clock(), address)
        run = self._scheduler.add(job)
        self._store_question(id, question)
        return run

    def _store_question(self, id: str, question: Question) -> None:
        """Store an accepted question, so that its link opens it; refused ones could fill the disk."""
        try:
            self._questions.put(id, question.model_dump_json().encode())
        except PrimumError as error:
            log.warning("the link %s will not survive a restart: %s", id, error)

    def _stored(self, id: str, question: Question) -> EndedRun | None:
        """The run, if all its pieces are in the store."""
        experiment = question.experiment()
        pieces = ExperimentPieces(experiment, self._store)
        if any(map(pieces.missing, pieces)):
            return None
        with self._reading:
            ended = self._ended.get(id)
            if ended is not None and ended.run.state == "finished":
                return ended
            buffer = PullBuffer(experiment)
            for piece in pieces:
                if (part := pieces.get(piece)) is None:
                    return None
                buffer.write(part)
                buffer.mark(piece)
            of = experiment.replications
            run = Run(id=id, state="finished", replications=of, of=of, share=1, sentence=progress_text(of, of))
            ended = EndedRun(run, question, buffer.results())
            self._ended.put(id, ended)
        self._store_question(id, question)
        return ended

    def _archive(self, job: Job, run: Run) -> None:
        """Remember a run that has ended; one that was dropped leaves nothing behind."""
        if run.state == "unstarted":
            self._ended.forget(job.id)
        else:
            self._ended.put(job.id, EndedRun(run, job.question, job.buffer.detached_results()))


def id_of(question: Question) -> str:
    """The id of a question: the same for the same question, always."""
    # a question without a unit has the id it had when there were none
    content = question.model_dump_json(exclude_none=True)
    return hashlib.sha256(content.encode()).hexdigest()[:32]

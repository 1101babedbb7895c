"""The scheduler: jobs are computed slice by slice on a few threads, each in its turn."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections import Counter
from collections.abc import Callable

from primum.errors import PrimumError
from primum.lab.drafts.cost import size
from primum.lab.http.schemas import Run, State
from primum.lab.jobs.job import Job, Slice
from primum.lab.jobs.limits import Limits, ShareUsedUp, Unavailable
from primum.runs.simulation import simulate
from primum.text import counted

UNWATCHED_SECONDS = 15  # that a job continues without followers and requests
EXPRESS_SECONDS = 0.5  # that a replication may take on the express thread
OVERRUN_FACTOR = 3  # times the limit that a job may really take, if it was expected to take less
LONGEST_RETRY_SECONDS = 600
log = logging.getLogger("primum.lab")


class Scheduler:
    """The jobs in progress and the threads that compute them.

    The next slice belongs to the address that has had the least work, and there to the job that has had the least. An
    address whose first job arrives starts with the least of the others, so that from then on they share equally.

    One more thread, the express thread, takes only short slices of jobs that no thread is computing: a small job shows
    a first figure at once, and makes progress, however long the replications are that the other threads compute.

    A job that has ended can be found until `archive` has returned; that is called without the lock, because it may copy
    many bytes.
    """

    def __init__(
        self,
        threads: int,
        limits: Limits,
        archive: Callable[[Job, Run], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._limits, self._archive, self._clock = limits, archive, clock
        self._jobs: dict[str, Job] = {}
        self._past: dict[str, float] = {}  # work of addresses, beside that of their jobs in `_jobs`
        self._lock = threading.Condition()  # of `_jobs` and all in it; held for moments only
        self._closed = False
        self._workers = [
            threading.Thread(target=self._work, args=(is_express,), daemon=True, name=f"job-worker-{i}")
            for i, is_express in enumerate([True] + [False] * threads)
        ]
        for worker in self._workers:
            worker.start()

    def add(self, job: Job) -> Run:
        """Queue a job and report on it, or on the active one with its id; Unavailable if the queue is full."""
        self.drop_unwatched()
        with self._lock:
            active = self._jobs.get(job.id)
            if active is None or not active.is_active:
                self._check_room(job)
                self._past.setdefault(job.address, min(self._work_by_address().values(), default=0.0))
                self._jobs[job.id] = active = job
                self._lock.notify_all()
            return self._report(active)

    def get(self, id: str) -> Job | None:
        """The job with this id, if it is in progress; looking at it keeps it alive."""
        with self._lock:
            job = self._jobs.get(id)
            if job is not None:
                job.last_seen = self._clock()
            return job

    def report(self, job: Job) -> Run:
        """The state and progress of a job."""
        with self._lock:
            return self._report(job)

    def follow(self, id: str, follower: str) -> Job | None:
        """The job with this id, which now has one more follower; None if it is not in progress."""
        with self._lock:
            job = self._jobs.get(id)
            if job is not None:
                job.followers[follower] += 1
            return job

    def unfollow(self, job: Job, follower: str) -> None:
        """End what `follow` began."""
        with self._lock:
            job.followers -= Counter({follower: 1})  # without those that have none left
            job.last_seen = self._clock()

    def cancel(self, id: str, follower: str) -> Run | None:
        """Stop a job unless others follow it, and report on it; None if it is not in progress.

        Streams without a token count as those of others, because their owner is unknown.
        """
        with self._lock:
            job = self._jobs.get(id)
            if job is None:
                return None
            if job.followers.total() > (job.followers[follower] if follower else 0):
                return self._report(job).model_copy(update={"sentence": "not cancelled: others follow this run"})
        self._end(job, "cancelled")
        return self.report(job)

    def drop_unwatched(self) -> None:
        """End the jobs without followers and recent requests."""
        with self._lock:
            jobs = list(self._jobs.values())
        for job in jobs:
            self._continues(job)

    def load(self) -> dict[str, int]:
        """The numbers of jobs, of those that wait, and of event streams that follow one."""
        with self._lock:
            jobs = self._jobs.values()
            return {
                "runs": len(jobs),
                "waiting": sum(job.state == "waiting" for job in jobs),
                "watchers": sum(job.followers.total() for job in jobs),
            }

    def close(self) -> None:
        """End all jobs, and the threads."""
        with self._lock:
            self._closed = True
            jobs = list(self._jobs.values())
            self._lock.notify_all()
        for job in jobs:
            self._end(job, "unstarted", "the laboratory is shutting down")
        for worker in self._workers:
            worker.join()

    def _check_room(self, job: Job) -> None:
        if self._closed:
            raise Unavailable("the laboratory is shutting down", 10)
        jobs, limits = list(self._jobs.values()), self._limits
        if excess := _excess(job, jobs, limits.runs, limits.memory):
            raise Unavailable(f"the queue is full: {excess}", self._retry_after(jobs))
        own = [other for other in jobs if other.address == job.address]
        if excess := _excess(job, own, limits.runs_of_address, limits.memory_of_address):
            raise ShareUsedUp(f"your address has its share of the queue: {excess}", self._retry_after(own))

    def _retry_after(self, jobs: list[Job]) -> int:
        """Seconds until one of these jobs will probably have ended."""
        left = min((self._report(job).seconds_left or job.cost.seconds for job in jobs), default=1)
        return min(LONGEST_RETRY_SECONDS, max(1, math.ceil(left)))

    def _work_by_address(self) -> dict[str, float]:
        """Seconds of work of each address that has jobs, from a common start."""
        work = dict(self._past)
        for job in self._jobs.values():
            work[job.address] += job.spent
        return work

    def _report(self, job: Job) -> Run:
        return job.report(self._clock(), len(self._jobs) - 1)

    def _end(self, job: Job, state: State, note: str = "") -> None:
        """End a job; nothing changes if it has ended already. Not to be called with the lock held."""
        with self._lock:
            if not job.is_active:
                return
            job.state, job.note = state, note or job.note
            run = self._report(job)
        try:
            self._archive(job, run)
        finally:
            with self._lock:
                if self._jobs.get(job.id) is job:  # else it was started again
                    self._past[job.address] += job.spent
                    del self._jobs[job.id]
                present = {other.address for other in self._jobs.values()}
                self._past = {address: work for address, work in self._past.items() if address in present}

    def _continues(self, job: Job) -> bool:
        """Whether a job is still wanted and within its limit; otherwise it ends."""
        with self._lock:
            unwatched = not job.followers.total() and self._clock() - job.last_seen > UNWATCHED_SECONDS
            spent, is_active = job.spent, job.is_active
        if is_active and unwatched:
            self._end(job, "unstarted", "nobody followed this run")
        elif is_active and spent > OVERRUN_FACTOR * self._limits.seconds:
            note = f"stopped after {spent:.0f} s of processor time, far more than estimated"
            self._end(job, "failed", f"{note}; reduce the replications or the horizon")
        else:
            return is_active
        return False

    def _work(self, is_express: bool) -> None:
        while (slice := self._next(is_express)) is not None:
            job = slice.job
            try:
                self._play(slice)
            except PrimumError as error:
                self._end(job, "failed", str(error))
            except Exception as error:  # a plug-in may raise anything; the thread continues
                log.exception("a slice of %s failed", job.id)
                self._end(job, "failed", f"{type(error).__name__}: {error}")

    def _next(self, is_express: bool) -> Slice | None:
        """Wait for the next slice; None when the scheduler is closed."""
        while True:
            self.drop_unwatched()
            with self._lock:
                if self._closed:
                    return None
                ready = [job for job in self._jobs.values() if job.is_active and job.todo]
                if is_express:
                    ready = [job for job in ready if _needs_express(job)]
                if ready:
                    work = self._work_by_address()
                    return min(ready, key=lambda job: (work[job.address], job.spent)).take(self._clock())
                self._lock.wait()

    def _play(self, slice: Slice) -> None:
        job = slice.job
        if slice.is_stored:
            results = job.pieces.get(slice.numbers)
        else:
            experiment = job.buffer.experiment
            slice.continues = lambda: self._continues(job)
            results = simulate(
                job.buffer.problem,
                experiment.policies,
                horizon=experiment.horizon,
                replications=slice.numbers,
                seed=experiment.seed,
                threads=1,
                progress=slice,
            )
        if results is None:
            with self._lock:
                job.give_back(slice)
                self._lock.notify_all()
            return
        if not job.is_active:  # the slice may be incomplete
            return
        job.buffer.write(results)
        with self._lock:
            is_new = job.is_active and job.mark(slice)
        if is_new:
            self._store(slice)
        with self._lock:
            job.slices.remove(slice)
            is_finished = not job.todo and not job.slices
            self._lock.notify_all()  # the express thread may be needed, now that no thread computes this job
        if is_finished:
            self._end(job, "finished")

    def _store(self, slice: Slice) -> None:
        """Store a piece; if that fails the job continues, with a note."""
        job = slice.job
        try:
            job.pieces.put_results(job.buffer.piece(slice.piece))
        except Exception as error:  # a full disk, a name that no file can hold, or an error of a library
            unexpected = not isinstance(error, PrimumError)
            log.warning("cannot store a piece of %s: %s", job.id, error, exc_info=unexpected)
            job.note = "not stored, so a restart of the laboratory would compute it again"


def _excess(job: Job, jobs: list[Job], runs: int, memory: int) -> str:
    """What leaves no room for a job beside others; nothing if there is room."""
    if len(jobs) >= runs:
        return f"{len(jobs)} of {runs} runs"
    if job.memory + sum(other.memory for other in jobs) > memory:
        return f"{counted(len(jobs), 'run')}, which leave less than {size(job.memory)} of memory"
    return ""


def _needs_express(job: Job) -> bool:
    return not job.slices and job.seconds_per_replication <= EXPRESS_SECONDS

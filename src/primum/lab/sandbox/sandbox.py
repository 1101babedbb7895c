"""The laboratory's side of the processes that evaluate reward distributions."""

from __future__ import annotations

import logging
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.lab.sandbox import MEMORY_LIMIT_BYTES, OUT_OF_MEMORY
from primum.lab.sandbox.trial import needs_trial, try_out
from primum.rewards import RewardDistribution
from primum.rewards.scipy import Frozen, evaluate_here, evaluated_by
from primum.runs.executors import available_threads
from primum.runs.processor_time import add_elsewhere

TIME_LIMIT_SECONDS = 2.0  # processor time of a request, or of all requests of an `allowance`
REPLY_LIMIT_SECONDS = 120.0  # wall-clock time, for a process that waits instead of computing
NUMBERS_PER_REQUEST = 8192  # so that a request is short also where SciPy takes half a millisecond for a number
MOST_PROCESSES = 4  # of about 100 MB each
log = logging.getLogger("primum.lab")


class TooSlow(ParameterError):
    """A distribution that takes too much time or memory to evaluate."""

    def __init__(self, who: str) -> None:
        limits = f"longer than {TIME_LIMIT_SECONDS:g} s or more than {MEMORY_LIMIT_BYTES >> 30} GB of memory"
        super().__init__(f"{who} takes {limits} to evaluate; use less extreme parameters, or fewer parts")


class _Allowance(threading.local):
    """Processor seconds that are left for the requests of this thread together; None if each has the whole limit."""

    left: float | None = None


_allowance = _Allowance()


@contextmanager
def allowance() -> Iterator[None]:
    """Apply the limit of processor time to everything in the block together, not to each request."""
    if _allowance.left is not None:  # the block is in another
        yield
        return
    _allowance.left = TIME_LIMIT_SECONDS
    try:
        yield
    finally:
        _allowance.left = None


_current: Sandbox | None = None  # that of this process


@contextmanager
def sandboxed(plugins: Sequence[str] = ()) -> Iterator[None]:
    """Evaluate SciPy, and try out large mixtures, in other processes that can be stopped, where the system can.

    `plugins` are modules with plug-ins that these processes load.
    """
    global _current
    if sys.platform == "win32":
        yield
        return
    with Sandbox(plugins=plugins) as _current, evaluated_by(_current.evaluate):
        try:
            yield
        finally:
            _current = None


def check_arm(arm: RewardDistribution) -> None:
    """Raise a ParameterError if an arm takes too much time or memory; nothing is checked outside a sandbox."""
    if _current is not None and needs_trial(arm):
        _current.check(arm)


class Sandbox:
    """Evaluates reward distributions in a few processes, started when they are needed.

    Parameters from an untrusted user can make a single quantile of SciPy take minutes, gigabytes, and the interpreter's
    lock; so all of SciPy is evaluated there. Tables of a mixture of hundreds take as long; so these are made there
    before they are made here. A process that exceeds its limits is ended by the system, and replaced.
    """

    def __init__(self, processes: int | None = None, plugins: Sequence[str] = ()) -> None:
        self._plugins = plugins
        count = min(MOST_PROCESSES, available_threads() + 1) if processes is None else processes
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(count):
            self._idle.put(None)

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *error: object) -> None:
        while not self._idle.empty():
            if worker := self._idle.get():
                worker.end()

    def evaluate(self, frozen: Frozen, method: str, *arguments: Any) -> Any:
        """The same numbers as `evaluate_here` gives; a ParameterError if they take too much time or memory."""
        who = _described(frozen)
        limit = TIME_LIMIT_SECONDS if _allowance.left is None else _allowance.left
        if limit <= 0:
            raise TooSlow(who)
        if not arguments:
            return self._request(limit, who, evaluate_here, frozen, method)
        given = np.asarray(arguments[0], np.float64)
        if given.size > NUMBERS_PER_REQUEST:
            pieces = np.split(given.ravel(), range(NUMBERS_PER_REQUEST, given.size, NUMBERS_PER_REQUEST))
            return np.concatenate([self.evaluate(frozen, method, piece) for piece in pieces]).reshape(given.shape)
        return self._request(limit, who, evaluate_here, frozen, method, given)

    def check(self, arm: RewardDistribution) -> None:
        """Try an arm out; TooSlow if that takes too much time or memory."""
        if _allowance.left is not None and _allowance.left <= 0:
            used = f"earlier arms used up the {TIME_LIMIT_SECONDS:g} s limit"
            raise ParameterError(f"{arm.display_name} was not evaluated, because {used}; try again")
        self._request(TIME_LIMIT_SECONDS, arm.display_name, try_out, arm.spec())

    def _request(self, limit: float, who: str, function: Callable[..., Any], *arguments: Any) -> Any:
        worker = self._idle.get()
        try:
            if worker is not None and worker.ended:  # ended from outside
                worker.end()
                worker = None
            worker = worker or _Worker(self._plugins)
            answer, fault, seconds = worker.ask(function, arguments, limit)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            assert worker is not None
            answer, fault, seconds = None, worker.end(), limit
            worker = _Worker(self._plugins)  # started now, so that it is ready for the next request
        finally:
            self._idle.put(worker)
        add_elsewhere(seconds)
        if _allowance.left is not None:
            _allowance.left -= seconds
        if isinstance(fault, str):
            raise ParameterError(fault)
        if fault is not None:
            log.info("%s: the process that evaluated it ended with %d", who, fault)
            # ended by its clock, by itself, or by us or a system that is short of memory
            if fault in (-signal.SIGPROF, OUT_OF_MEMORY, -signal.SIGKILL):
                raise TooSlow(who)
            raise ParameterError(f"{who} makes SciPy crash; use less extreme parameters")
        return answer


class _Worker:
    """One process."""

    def __init__(self, plugins: Sequence[str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-W", "ignore", "-m", "primum.lab.sandbox.worker", *plugins],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},  # each thread reserves address space
            process_group=0,  # so that Ctrl-C does not reach it
        )

    @property
    def ended(self) -> bool:
        return self._process.poll() is not None

    def ask(self, *request: Any) -> tuple[Any, str | int | None, float]:
        """Answer, fault and processor seconds; an EOFError or BrokenPipeError if the process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        pickle.dump(request, self._process.stdin)
        self._process.stdin.flush()
        if not wait([self._process.stdout.fileno()], REPLY_LIMIT_SECONDS):
            raise EOFError
        answer: tuple[Any, str | None, float] = pickle.load(self._process.stdout)
        return answer

    def end(self) -> int:
        """End the process; its exit code."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(OSError):  # what was not read is lost with it
            self._process.stdin.close()  # the end of its input, and so of one that is idle
        try:
            self._process.wait(1)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._process.stdout.close()
        return self._process.wait()


def _described(frozen: Frozen) -> str:
    scale = "" if frozen.scale is None else f", scale={frozen.scale:g}"
    return f"scipy: {frozen.name!r} with shapes={list(frozen.shapes)}, location={frozen.location:g}{scale}"

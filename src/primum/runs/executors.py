"""Call a function on threads, or on any executor: both can be interrupted."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import contextmanager
from typing import Any

from primum.errors import PrimumError

CONNECTION_SECONDS = 5
MOST_SUBMITTED = 1000  # messages that an executor has at a time, so that a large study need not be in memory as a whole


def available_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    play: Callable[[int], Any], count: int, threads: int, watch: Callable[[], None], stop: Callable[[], None]
) -> list[Any]:
    """The results of play(0), play(1), ... in order; None for those that an interruption left undone.

    `watch` is called now and then. After Ctrl-C or an error, `stop` is called, running calls are expected to return at
    once, and no further one is started; an error is then raised.
    """
    results: list[Any] = [None] * count
    numbers = iter(range(count))  # taking the next number is atomic
    errors: list[BaseException] = []
    halted, finished = threading.Event(), []

    def work() -> None:
        try:
            for number in numbers:
                if halted.is_set():
                    return
                results[number] = play(number)
        except BaseException as error:
            errors.append(error)
        finally:
            finished.append(True)

    workers = [threading.Thread(target=work, daemon=True, name=f"primum-{i}") for i in range(min(threads, count))]
    for worker in workers:
        worker.start()
    # This thread sleeps and holds no lock, so that Ctrl-C can interrupt it at any moment.
    pause = 0.0005
    while len(finished) < len(workers):
        try:
            if errors:
                stop()
                halted.set()
            time.sleep(pause)
            pause = min(0.01, 2 * pause)
            watch()
        except KeyboardInterrupt:
            stop()
            halted.set()
    if errors:
        raise errors[0]
    return results


def submit_all(
    executor: Executor,
    function: Callable[[Any], Any],
    messages: Iterable[Any],
    receive: Callable[[int, Any], None],
    watch: Callable[[], None],
) -> bool:
    """Call function(message) for each message on an executor; `receive` gets numbers and results as they come in.

    `watch` is called now and then. After Ctrl-C or an error, messages that have not begun are cancelled; Ctrl-C returns
    False, and an error is raised.
    """
    waiting: dict[Future[Any], int] = {}
    numbered = enumerate(messages)
    more = True
    try:
        while more or waiting:
            while more and len(waiting) < MOST_SUBMITTED:
                number, message = next(numbered, (-1, None))
                more = number >= 0
                if more:
                    waiting[_submitted(executor, function, message)] = number
            finished, _ = wait(waiting, timeout=0.1, return_when=FIRST_COMPLETED)
            for future in finished:
                receive(waiting.pop(future), _result(future))
            watch()
    except KeyboardInterrupt:
        return False
    finally:
        for future in waiting:
            future.cancel()
    return True


def _submitted(executor: Executor, function: Callable[[Any], Any], message: Any) -> Future[Any]:
    try:
        return executor.submit(function, message)
    except Exception as error:  # closed, broken, or without connection
        raise PrimumError(f"the executor takes no tasks: {type(error).__name__}: {error}") from error


def _result(future: Future[Any]) -> Any:
    try:
        return future.result()
    except (Exception, CancelledError) as error:  # a worker that ended, a plug-in that fails as no other does
        raise PrimumError(
            f"a task failed on its worker: {type(error).__name__}: {error}; complete pieces of stored runs are kept"
        ) from error


@contextmanager
def cluster(address: str) -> Iterator[Executor]:
    """The workers of the Dask scheduler at an address, as an executor."""
    try:
        from distributed import Client
    except ImportError:
        raise PrimumError("a cluster needs Dask: pip install 'primum[cluster]'") from None
    try:
        # not as Dask's default, which outlives a client that found no scheduler, and which xarray would use
        client = Client(address, timeout=CONNECTION_SECONDS, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise PrimumError(f"no Dask scheduler answers at {address!r}, such as tcp://host:8786: {reason}") from None
    with client:
        if not client.scheduler_info()["workers"]:
            logging.getLogger("primum").warning("the scheduler at %s has no workers yet; waiting for them", address)
        yield client.get_executor()

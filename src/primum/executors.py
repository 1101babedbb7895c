"""Where tasks run: threads here, a cluster elsewhere; an ordered map and nothing more."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from typing import Any


def available_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    tasks: Iterable[Callable[[], Any]],
    threads: int,
    watch: Callable[[], None],
    stop: Callable[[], None],
    executor: Executor | None = None,
) -> list[Any]:
    """The result of each task, in order; None for those that an interruption left undone.

    `watch` is called about ten times a second. After Ctrl-C or an error, `stop` is called, running tasks are expected
    to return at once, and no further one is started; an error is then raised.
    """
    with executor or ThreadPoolExecutor(threads, thread_name_prefix="primum") as pool:
        futures: list[Future[Any]] = [pool.submit(task) for task in tasks]
        pending = set(futures)
        try:
            while pending:
                done, pending = wait(pending, timeout=0.1, return_when="FIRST_EXCEPTION")
                watch()
                for future in done:
                    future.result()
        except BaseException as error:
            stop()
            for future in futures:
                future.cancel()
            wait(futures)
            if not isinstance(error, KeyboardInterrupt):
                raise
    return [None if future.cancelled() else future.result() for future in futures]

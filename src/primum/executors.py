"""Run tasks on threads: an ordered map that can be interrupted."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from typing import Any


def available_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(
    task: Callable[[int], Any], count: int, threads: int, watch: Callable[[], None], stop: Callable[[], None]
) -> list[Any]:
    """The results of task(0), task(1), ... in order; None for those that an interruption left undone.

    `watch` is called now and then. After Ctrl-C or an error, `stop` is called, running tasks are expected to return at
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
                results[number] = task(number)
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

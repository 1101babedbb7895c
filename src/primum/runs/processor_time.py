"""Processor time that a thread takes, also in other processes that compute for it."""

from __future__ import annotations

import threading
import time


class _Elsewhere(threading.local):
    seconds = 0.0


_elsewhere = _Elsewhere()


def processor_seconds() -> float:
    """Processor seconds of this thread and of other processes for it: a busy machine makes no difference."""
    return time.thread_time() + _elsewhere.seconds


def add_elsewhere(seconds: float) -> None:
    """Note that another process computed for this thread."""
    _elsewhere.seconds += seconds

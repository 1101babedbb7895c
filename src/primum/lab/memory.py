"""Return freed memory to the system while the laboratory is idle."""

from __future__ import annotations

import ctypes
import sys
import time
from collections.abc import Callable

from primum.lab.jobs.manager import JobManager

INTERVAL_SECONDS = 60


def trim_when_idle(manager: JobManager) -> None:
    """Trim the heap every minute in which no run is in progress; does nothing where there is no glibc."""
    trim = malloc_trim()
    while trim is not None:
        time.sleep(INTERVAL_SECONDS)
        if not manager.load()["runs"]:
            trim()


def malloc_trim() -> Callable[[], bool] | None:
    """A function that returns freed memory to the system and says whether there was any; None without glibc.

    Arrays of many runs leave gaps in the heap, which glibc keeps for later; releasing them takes some milliseconds.
    """
    if sys.platform != "linux":
        return None
    native = getattr(ctypes.CDLL(None), "malloc_trim", None)  # other C libraries have none
    return None if native is None else lambda: bool(native(0))

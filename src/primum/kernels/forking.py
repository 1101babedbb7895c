"""A fork waits for threads that compile or look for plug-ins: their locks would stay locked in the child for ever."""

from __future__ import annotations

import importlib
import os
import sys
from typing import Any

from primum.plugins import registry

COMPILER = "primum.kernels.native.compiling"
_held: list[Any] = []


def let_forks_wait() -> None:
    """From now on, `os.fork` waits for threads that compile, import the compiler, or look for plug-ins."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(before=_acquire, after_in_parent=_release, after_in_child=_release)


def _acquire() -> None:
    _take(registry.discovering)
    if COMPILER in sys.modules:
        # this waits while another thread imports it; without LOCKS, this thread itself is importing it
        for lock in getattr(importlib.import_module(COMPILER), "LOCKS", ()):
            _take(lock)


def _take(lock: Any) -> None:
    lock.__enter__()
    _held.append(lock)


def _release() -> None:
    locks = _held[::-1]
    _held.clear()  # before another thread that forks can take the first lock
    for lock in locks:
        lock.__exit__(None, None, None)

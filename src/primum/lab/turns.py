"""Requests that make the laboratory think take turns, so that it still answers all others."""

from __future__ import annotations

import threading
from collections.abc import Iterator

from fastapi import Depends

from primum.lab.limits import Full

AT_ONCE = 8
WAIT = 20  # seconds
_turns = threading.BoundedSemaphore(AT_ONCE)


def turn() -> Iterator[None]:
    """A turn: it begins when one is free, and ends with the computation, not with the answer that a slow line takes."""
    if not _turns.acquire(timeout=WAIT):
        raise Full("the laboratory is busy", 5)
    try:
        yield
    finally:
        _turns.release()


IN_TURN = [Depends(turn, scope="function")]

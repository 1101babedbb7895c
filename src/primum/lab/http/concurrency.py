"""Requests that make the laboratory think take turns, so that it still answers all others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from fastapi import Depends

from primum.lab.jobs.limits import Full

WAIT = 20  # seconds


class Turns:
    """So many at once; a turn begins when one is free, and ends with the computation, not with the sending."""

    def __init__(self, at_once: int) -> None:
        self._free = threading.BoundedSemaphore(at_once)

    def __call__(self) -> Iterator[None]:
        if not self._free.acquire(timeout=WAIT):
            raise Full("the laboratory is busy", 5)
        try:
            yield
        finally:
            self._free.release()


def in_turn(turns: Turns) -> list[Any]:
    """What makes an address wait for its turn."""
    return [Depends(turns, scope="function")]


# apart, so that those who wait for a picture do not wait for what others type
ASKING, SEEING = Turns(4), Turns(8)

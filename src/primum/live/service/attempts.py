"""A limit of failed attempts to present a token, for each network address."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable

MOST_FAILURES, PERIOD_SECONDS = 5, 60
MOST_ADDRESSES = 10_000  # that are remembered


class Attempts:
    """The latest failed attempts by address; a success takes none of them back."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._failures: OrderedDict[str, deque[float]] = OrderedDict()

    def wait_seconds(self, address: str) -> int:
        """How long an address must wait until its next attempt."""
        with self._lock:
            failures = self._failures.get(address, deque())
            if len(failures) < MOST_FAILURES:
                return 0
            return max(0, math.ceil(failures[0] + PERIOD_SECONDS - self._clock()))

    def fail(self, address: str) -> None:
        """Note a failed attempt."""
        with self._lock:
            self._failures.setdefault(address, deque(maxlen=MOST_FAILURES)).append(self._clock())
            self._failures.move_to_end(address)
            if len(self._failures) > MOST_ADDRESSES:
                self._failures.popitem(last=False)

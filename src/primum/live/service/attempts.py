"""A limit of attempts to log in with a password, counted before it is looked up."""

from __future__ import annotations

import math
import threading
from collections import OrderedDict, deque
from collections.abc import Callable

MINUTE, HOUR = 60, 3_600  # seconds
# how many failed attempts there can be in a period
OF_NAME_AND_ADDRESS = 5, MINUTE
OF_ADDRESS = 60, MINUTE  # a clinic may have one address
OF_NAME = 30, HOUR  # from all addresses at which this name was never used rightly
MOST_KEYS = 30_000  # that are remembered

Key = tuple[str, str]


class Attempts:
    """The latest attempts by name and address. One that succeeds counts for nothing, and admits its address."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock, self._lock = clock, threading.Lock()
        self._times: OrderedDict[Key, deque[float]] = OrderedDict()
        self._known: OrderedDict[Key, None] = OrderedDict()  # names with addresses where they were used rightly

    def begin(self, name: str, address: str) -> int:
        """Count an attempt, or say how many seconds it must wait."""
        now = self._clock()
        with self._lock:
            limits = self._limits(name, address)
            waits = [self._wait(key, most, period, now) for key, (most, period) in limits.items()]
            if any(waits):
                return max(waits)
            for key, (most, _) in limits.items():
                self._times.setdefault(key, deque(maxlen=most)).append(now)
                self._times.move_to_end(key)
            while len(self._times) > MOST_KEYS:
                self._times.popitem(last=False)
        return 0

    def succeed(self, name: str, address: str) -> None:
        """Take back the attempt that was counted last: it succeeded."""
        with self._lock:
            for key in self._limits(name, address):
                times = self._times.get(key)
                if times:
                    times.pop()
            self._known[name, address] = None
            self._known.move_to_end((name, address))
            if len(self._known) > MOST_KEYS:
                self._known.popitem(last=False)

    def _limits(self, name: str, address: str) -> dict[Key, tuple[int, int]]:
        limits = {(name, address): OF_NAME_AND_ADDRESS, ("", address): OF_ADDRESS}
        return limits if (name, address) in self._known else limits | {(name, ""): OF_NAME}

    def _wait(self, key: Key, most: int, period: int, now: float) -> int:
        times = self._times.get(key, deque())
        return 0 if len(times) < most else max(0, math.ceil(times[0] + period - now))

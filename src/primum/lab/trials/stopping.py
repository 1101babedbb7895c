"""An end to computations: after some seconds, or when nobody waits for them."""

from __future__ import annotations

import time
from types import TracebackType


class Deadline:
    """Observes a simulation, and stops it as Ctrl-C does when its time is over or `stop` was called."""

    def __init__(self, seconds: float) -> None:
        self._stopped = False
        self.allow(seconds)

    def allow(self, seconds: float) -> None:
        """So many seconds from now on."""
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """Seconds that are left; none after `stop`."""
        return 0.0 if self._stopped else self._end - time.monotonic()

    def stop(self) -> None:
        """Stop as soon as possible."""
        self._stopped = True

    def __enter__(self) -> Deadline:
        return self

    def say(self, text: str) -> None:
        """The current stage."""

    def update(self, done: int) -> None:
        """Called many times a second."""
        if self.left <= 0:
            raise KeyboardInterrupt

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The simulation has ended."""

"""Clocks for tests."""

from __future__ import annotations

from typing import Any


class Clock:
    """A clock that a test moves; with a step, it also moves by that before it is read."""

    def __init__(self, now: Any, step: Any = None) -> None:
        self.now, self._step = now, step

    def __call__(self) -> Any:
        if self._step is not None:
            self.now += self._step
        return self.now

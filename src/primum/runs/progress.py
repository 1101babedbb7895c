"""A progress bar that appears only if a run takes a while."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Protocol

SHOWN_AFTER_SECONDS = 0.5
LINES_AFTER_SECONDS = 10.0  # where there is no terminal


class Progress(Protocol):
    """An observer of a simulation; entered when it begins and left when it ends.

    An `update` that raises KeyboardInterrupt stops the simulation as Ctrl-C does: within a hundredth of a second, and
    the complete replications are returned.
    """

    def __enter__(self) -> Progress:
        """The simulation begins."""

    def say(self, text: str) -> None:
        """The current stage: compiling, then simulating."""

    def update(self, done: int) -> None:
        """How many steps have been done, over all policies and replications; called many times a second."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """The simulation has ended."""


class Bar:
    """Work done out of a total, on standard error, with the time left; a line for each tenth if it is no terminal."""

    def __init__(self, total: int, shown: bool = True) -> None:
        self.total, self.shown = total, shown
        self.began = time.monotonic()
        self._text, self._tenths = "", 0
        self._bar: Any = None
        self._task: Any = None

    def __enter__(self) -> Bar:
        return self

    def say(self, text: str) -> None:
        """The current stage."""
        self._text = text
        if text == "compiling":
            self._open()  # the first time on a machine this takes seconds, and nothing else would show
        elif self._bar is not None:
            self._bar.update(self._task, description=text)

    def update(self, done: int) -> None:
        """How much has been done, in the unit of the total."""
        if self._bar is None and time.monotonic() - self.began > SHOWN_AFTER_SECONDS:
            self._open()
        if self._bar is not None:
            self._bar.update(self._task, completed=done)
            if self._bar.disable:
                self._write_line(done)

    def _write_line(self, done: int) -> None:
        seconds, tenths = time.monotonic() - self.began, 10 * done // max(1, self.total)
        if seconds > LINES_AFTER_SECONDS and self._tenths < tenths < 10:
            self._tenths = tenths
            left = seconds * (self.total - done) / done
            print(f"{self._text}: {10 * tenths} % done, about {left:.0f} s left", file=sys.stderr)

    def _open(self) -> None:
        if not self.shown or self._bar is not None:
            return
        self._bar = bars()
        self._task = self._bar.add_task(self._text, total=self.total)
        self._bar.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def bars() -> Any:
    """Rich progress bars in our style: text, bar, percentage and time left, removed when done."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn()
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)

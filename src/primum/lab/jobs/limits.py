"""Limits of the laboratory, and errors for exceeding them."""

from __future__ import annotations

from dataclasses import dataclass

from primum.errors import PrimumError


@dataclass(frozen=True)
class Limits:
    """Limits of one run, and of all runs together."""

    seconds: float = 600  # processor seconds of one run
    runs: int = 100  # waiting or running at a time
    memory: int = 1 << 31  # bytes of recorded pulls and tables of arms of all runs in progress
    store: int = 2 << 30  # bytes of results kept on disk
    questions: int = 1 << 28  # bytes of questions kept on disk, so that links open them
    trials: int = 1 << 28  # bytes of simulated trials kept on disk

    @property
    def runs_of_address(self) -> int:
        """Runs that one address may have waiting or running at a time, so that there is room for others."""
        return max(1, self.runs // 2)

    @property
    def memory_of_address(self) -> int:
        """Bytes that the runs of one address may take."""
        return self.memory // 2

    @property
    def share(self) -> int:
        """Bytes of recorded pulls that one run may have."""
        return self.memory // 8


class TooCostly(PrimumError):
    """A run exceeds the limits of one run."""


class Unavailable(PrimumError):
    """The laboratory is too busy now; try again after some seconds."""

    def __init__(self, sentence: str, retry_after: int) -> None:
        super().__init__(f"{sentence}; try again in {retry_after} s")
        self.retry_after = retry_after


class ShareUsedUp(Unavailable):
    """The runs of one address take all that one address may have."""

"""Errors of live trials."""

from __future__ import annotations

from primum.errors import PrimumError, UnknownNameError, quoted


class Refused(PrimumError):
    """The state of the trial does not allow it."""


class JournalUnavailable(PrimumError):
    """The journal cannot be reached, read or written: nothing is half-written, and asking again is safe."""


class UnknownParticipant(UnknownNameError):
    """Nobody with this code is enrolled; a code that is alike is that of another person, so none is suggested."""

    def __init__(self, participant: object) -> None:
        PrimumError.__init__(self, f"no participant with the code {quoted(participant)} is enrolled; check the code")


class DecisionFailed(PrimumError):
    """A policy, value or stopping rule failed on the data of the trial; the sentence may tell arms."""

"""The errors that Primum raises on purpose; each message is one sentence that a person can act on."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class PrimumError(Exception):
    """Anything that the caller can put right."""


class ParameterError(PrimumError, ValueError):
    """A parameter has a value that is not allowed."""


class UnknownNameError(PrimumError, LookupError):
    """A name that nothing answers to."""

    def __init__(self, what: str, name: object, known: Iterable[str]) -> None:
        names = sorted(known)
        close = difflib.get_close_matches(str(name).lower().replace("+", "-plus"), names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(names)}"
        super().__init__(f"no {what} named {str(name)!r}; {hint}")


class CompilationError(PrimumError):
    """A plug-in's source could not be turned into native code."""


class ValueFault(PrimumError):
    """A safety value gave something that is not a number."""

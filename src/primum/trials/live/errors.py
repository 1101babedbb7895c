"""Errors of live trials."""

from __future__ import annotations

from primum.errors import PrimumError


class Refused(PrimumError):
    """The state of the trial does not allow it."""

"""The end of a trial, by two people."""

from __future__ import annotations

from primum.live import Live

PROPOSES, APPROVES = "Ada (Python)", "Ben (Python)"  # who have the server, and so every role


def lock(live: Live, reason: str = "complete") -> None:
    """End recruitment, and lock the trial with all that is missing."""
    if live.status().state in ("open", "paused"):
        live.end_recruitment(reason=reason, who=PROPOSES)
    missing = [each.participant for each in live.missing()]
    live.propose_lock(reason=reason, missing=missing, who=PROPOSES)
    live.lock(missing=missing, who=APPROVES)

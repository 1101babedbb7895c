"""Verification: recompute every hash and every allocation, and name the first entry that does not fit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from primum.errors import ParameterError, PrimumError, quoted
from primum.trials.live.blinding import Secret
from primum.trials.live.entries import START, parse
from primum.trials.live.journal import Journal, JournalUnavailable, Row
from primum.trials.live.software import different, has_changed
from primum.trials.live.state import State

_EXPECTED = re.compile(r"(\d+):([0-9a-f]{8,64})")


@dataclass(frozen=True)
class Verification:
    """Whether a journal is sound; if not, the first entry that does not fit, and why."""

    ok: bool
    entries: int
    head: str
    problem_entry: int | None
    problem: str | None
    notes: list[str]


def follow(state: State, row: Row) -> None:
    """Take the entry of a row into the state; a PrimumError says why it does not fit."""
    if row.number != state.number + 1:
        raise PrimumError(f"entry {state.number + 1} is missing: the next one has the number {row.number}")
    state.follow(parse(row.number, row.text, row.hash, state.hash))


def verify(journal: Journal, *, expect: str = "") -> Verification:
    """Recompute the chain of hashes and all allocations of a journal.

    `expect` is an end that was written down earlier, ``NUMBER:HASH``: the journal must still have that entry.
    """
    expected = _expected(expect)
    try:
        rows, head, secret = journal.after(0), journal.head(), journal.secret()
    except JournalUnavailable as error:
        return Verification(False, 0, START, None, str(error), [])
    try:
        state = State(Secret(secret))
    except ValueError:
        return Verification(False, 0, START, None, "the secret of the trial is not what it was", [])
    notes: list[str] = []
    for row in rows:
        try:
            follow(state, row)
        except PrimumError as error:
            notes += _software_note(state)
            return Verification(False, state.number, state.hash, state.number + 1, str(error), notes)
        if expected and row.number == expected[0] and not row.hash.startswith(expected[1]):
            return Verification(
                False, state.number, state.hash, row.number, f"its hash is not {expected[1]}, as expected", notes
            )
    found = len(rows), state.hash
    problem = ""
    if not rows:
        problem = "the journal has no entries"
    elif found != (head.number, head.hash):
        problem = (
            f"the last entry is {found[0]}, but the journal ended at entry {head.number} with the hash {head.hash}: "
            "entries were removed or added from outside"
        )
    elif expected and expected[0] > len(rows):
        problem = f"the journal has {len(rows)} entries, but entry {expected[0]} is expected: entries were removed"
    if problem:
        return Verification(False, *found, min(len(rows), head.number) + 1, problem, notes)
    return Verification(True, *found, None, None, [*state.clock_warnings, *_software_note(state)])


def _software_note(state: State) -> list[str]:
    """A hint if this software may decide differently from the recorded one."""
    if state.software and has_changed(state.design, state.software):
        hint = different(state.software)
        return [f"The journal was written with other software. If an allocation does not fit: {hint}"]
    return []


def _expected(text: str) -> tuple[int, str] | None:
    if not text:
        return None
    found = _EXPECTED.fullmatch(text.strip().lower())
    if not found:
        raise ParameterError(
            f"expect must be the number and the hash of an entry, such as 57:9f86d081, got {quoted(text)}", ("expect",)
        )
    return int(found[1]), found[2]

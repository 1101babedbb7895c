"""Verification: recompute every hash and every allocation, and name the first entry that does not fit."""

from __future__ import annotations

import re
from dataclasses import dataclass

from primum.errors import ParameterError, PrimumError, quoted
from primum.live.blinding import Secret
from primum.live.journal.entries import START, digest, parse
from primum.live.journal.storage import Journal, Row
from primum.live.software import different, has_changed
from primum.live.state import State

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
    expected = expected_end(expect)
    journal.check_exists()
    try:
        stored = journal.snapshot()
        rows, head, state = stored.rows, stored.head, State(Secret(stored.secret))
    except PrimumError as error:
        return Verification(False, 0, START, None, str(error), [])
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
    found, first = (len(rows), state.hash), _first_problem(len(rows), head.number)
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
        first = len(rows) + 1
    if problem:
        return Verification(False, *found, first, problem, notes)
    problem, first_hash = _access_problem(state, stored.records)
    if problem:
        named = next((row.number for row in rows if first_hash and first_hash in row.text), None)
        return Verification(False, *found, named, problem, notes)
    return Verification(True, *found, None, None, [*state.clock_warnings, *_software_note(state)])


def _first_problem(entries: int, ended: int) -> int:
    """The entry that was removed or added, or the last one, which is not what it was."""
    if not isinstance(ended, int) or ended == entries:
        return max(entries, 1)
    return max(min(entries, ended), 0) + 1


def _access_problem(state: State, records: dict[str, str]) -> tuple[str, str]:
    """What is wrong with the records of credentials, and the hash of the one that an entry has."""
    for person in state.people.everybody.values():
        for hash in sorted(person.record_hashes()):
            if digest(records.get(hash, "")) != hash:
                return f"the credential of {person.name!r} was removed or changed from outside", hash
    if {*records} - state.people.record_hashes():
        return "there is a credential that belongs to nobody: it was added from outside", ""
    return "", ""


def _software_note(state: State) -> list[str]:
    """A hint if this software may decide differently from the recorded one."""
    if state.software and has_changed(state.design, state.software):
        hint = different(state.software)
        return [f"The journal was written with other software. If an allocation does not fit: {hint}"]
    return []


def expected_end(text: str) -> tuple[int, str] | None:
    """The number and the first digits of the hash of an entry that somebody wrote down; None if nobody did."""
    if not text:
        return None
    found = _EXPECTED.fullmatch(text.strip().lower())
    if not found:
        raise ParameterError(
            f"expect must be the number and the hash of an entry, such as 57:9f86d081, got {quoted(text)}", ("expect",)
        )
    return int(found[1]), found[2]

"""Entries of the journal: canonical JSON, each with the hash of the one before it."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from primum.errors import PrimumError

START = "0" * 64  # in place of the hash before the first entry

# kinds, in the words that people read
DESIGN, SOFTWARE = "design", "software"
ENROLLED, OUTCOME, CORRECTED, WITHDRAWN = "enrolled", "outcome", "corrected", "withdrawn"
VOIDED, UNBLINDED = "voided", "unblinded"
PAUSED, RESUMED, DROPPED, LOOK, NOTE = "paused", "resumed", "arm dropped", "look taken", "note"
RECRUITED, LOCK_PROPOSED, LOCK_WITHDRAWN, LOCKED = "recruitment ended", "lock proposed", "lock withdrawn", "locked"
ADMITTED, REDEEMED, APPROVED, APPROVAL_REFUSED = "admitted", "redeemed", "approved", "approval refused"
RENEWED, DISMISSED, TOKEN_MADE, TOKEN_ENDED = "renewed", "dismissed", "token made", "token ended"
ACCESSED = "accessed"
OF_PEOPLE = {ADMITTED, REDEEMED, APPROVED, APPROVAL_REFUSED, RENEWED, DISMISSED, TOKEN_MADE, TOKEN_ENDED}
KEYS = {"at", "data", "kind", "number", "previous", "salt", "who"}


@dataclass(frozen=True)
class Entry:
    """One entry: what happened (`kind` and `data`), who did it and when, and the hash of the entry before it.

    The `salt` is random, so that nobody can find out what an entry says by trying what gives its hash.
    """

    number: int
    at: str
    who: str
    kind: str
    data: dict[str, Any]
    previous: str
    salt: str

    @property
    def text(self) -> str:
        """The canonical JSON that is hashed and stored."""
        return canonical({key: getattr(self, key) for key in KEYS})

    @property
    def hash(self) -> str:
        """SHA-256 of the text."""
        return digest(self.text)

    @property
    def time(self) -> datetime:
        """When it was written."""
        return datetime.fromisoformat(self.at)


def canonical(data: Any) -> str:
    """JSON with sorted keys and without spaces: equal data give equal text.

    >>> canonical({"b": 1.0, "a": ["é", None]})
    '{"a":["é",null],"b":1.0}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(text: str) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def stamp(time: datetime) -> str:
    """A time as entries have it."""
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def parse(number: int, text: str, hash: str, previous: str) -> Entry:
    """The entry in a row of the journal; a PrimumError says why it does not fit behind the one before it."""
    if not isinstance(text, str) or digest(text) != hash:  # SQLite keeps any type in any column
        raise PrimumError("its text does not have the hash that is stored with it")
    try:
        given = json.loads(text)
        entry = Entry(**given)
        shape = set(given) == KEYS and isinstance(entry.data, dict) and stamp(entry.time) == entry.at
        is_canonical = shape and entry.text == text
    except (ValueError, TypeError, RecursionError, OverflowError):
        is_canonical = False
    if not is_canonical:
        raise PrimumError("it is not an entry in canonical JSON")
    if entry.number != number:
        raise PrimumError(f"it says that it is entry {entry.number}")
    if entry.previous != previous:
        raise PrimumError("it does not follow the entry before it: an entry was changed, removed, added or moved")
    return entry

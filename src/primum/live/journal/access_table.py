"""The table of records of credentials, beside the entries: each row under the SHA-256 that an entry has of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

TABLE = "primum_access"
CREATE = f"CREATE TABLE {TABLE} (hash TEXT NOT NULL PRIMARY KEY, record TEXT NOT NULL)"
Execute = Callable[..., list[tuple[Any, ...]]]  # a statement with question marks, and values


def read(execute: Execute) -> dict[str, str]:
    """All records by their hashes, as they are stored."""
    return {str(hash): str(record) for hash, record in execute(f"SELECT hash, record FROM {TABLE}")}


def keep(execute: Execute, needed: Iterable[str], new: dict[str, str]) -> None:
    """Add new records, and remove those that no entry needs any more."""
    stored = {str(hash) for (hash,) in execute(f"SELECT hash FROM {TABLE}")}
    for hash in sorted(stored - {*needed}):
        execute(f"DELETE FROM {TABLE} WHERE hash = ?", hash)
    for hash, record in new.items():
        execute(f"INSERT INTO {TABLE} VALUES (?, ?)", hash, record)

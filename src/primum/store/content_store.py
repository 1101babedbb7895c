"""A content-addressed store of bounded size: results that need not be computed again."""

from __future__ import annotations

import contextlib
import hashlib
import json
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from primum.errors import PrimumError
from primum.store.files import PARTIAL_SUFFIX, cache_folder, write

CHECKSUM_BYTES = 32  # of a SHA-256
PARTIAL_SECONDS = 3600  # after which a partial file belongs to a process that was killed
DEFAULT_LIMIT_GB = 4.0
TRIM_FRACTION = 20  # a twentieth of the limit is written between two trims, and freed by each


class Store:
    """Bytes by a key, which is plain data that says all that they depend on; processes and threads may share a folder.

    A folder has areas, each with its own limit. A store reads from all areas, writes to its own, and when that
    exceeds its limit removes what was used least recently, so no area evicts what is in another. The default limit of
    an area is 4 GB, or `$PRIMUM_STORE_GB`.

    A file is written at once or not at all, and begins with a checksum of its key and content: damaged files count
    as missing.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> store.get({"seed": 1}) is None
    True
    >>> store.get_or_compute({"seed": 1}, lambda: b"computed"), store.get({"seed": 1})
    (b'computed', b'computed')
    """

    def __init__(
        self, folder: str | os.PathLike[str] | None = None, *, area: str = "results", limit: int | None = None
    ) -> None:
        self.folder = cache_folder() if folder is None else Path(folder)
        self.area = self.folder / area
        self.limit = default_limit() if limit is None else limit
        self._written = self.limit  # what other processes wrote is not known
        self._lock = threading.Lock()
        self._unstored: dict[str, bytes] = {}  # by name, in memory

    def get(self, key: Any) -> bytes | None:
        """The content stored under a key, or None if it is missing or damaged."""
        name = _name(key)
        if name in self._unstored:
            return self._unstored[name]
        for path in self._paths(name):
            with contextlib.suppress(OSError):  # it was just removed
                whole = path.read_bytes()
                content = whole[CHECKSUM_BYTES:]
                if whole[:CHECKSUM_BYTES] == _checksum(name, content):
                    with contextlib.suppress(OSError):  # a folder that may only be read
                        os.utime(path)  # `trim` removes what was used least recently
                    return content
                path.unlink()  # damaged, so that `has` does not count it
        return None

    def has(self, key: Any) -> bool:
        """Whether there is a file for a key; `get` checks its content."""
        name = _name(key)
        return name in self._unstored or any(path.exists() for path in self._paths(name))

    def put(self, key: Any, content: bytes) -> None:
        """Store the content under a key."""
        name = _name(key)
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise PrimumError(f"cannot write to the store {self.folder}: {error.strerror or error}") from None
        whole = _checksum(name, content) + content
        write(path, whole)
        margin = self.limit // TRIM_FRACTION
        with self._lock:
            self._written += len(whole)
            is_due = self._written > margin
            if is_due:
                self._written = 0
        if is_due:
            self.trim(self.limit - margin)

    def get_or_compute(self, key: Any, make: Callable[[], bytes]) -> bytes:
        """The content stored under a key; if it is missing, it is made, and stored if that is possible."""
        content = self.get(key)
        if content is None:
            content = make()
            self.keep(key, content)
        return content

    def keep(self, key: Any, content: bytes) -> None:
        """Store the content; if that is not possible a warning says so, once, and this object keeps it in memory."""
        try:
            self.put(key, content)
        except PrimumError as error:
            with self._lock:
                is_first = not self._unstored
                self._unstored[_name(key)] = content
            if is_first:
                logging.getLogger("primum").warning("%s; what is computed is not stored", error)

    def trim(self, limit: int) -> None:
        """Remove what was used least recently from the area until it takes at most this many bytes."""
        files = []
        for folder, _, names in os.walk(self.area):
            for path in (Path(folder) / name for name in names):
                with contextlib.suppress(OSError):  # another process removed it
                    about = path.stat()
                    if path.suffix != PARTIAL_SUFFIX:
                        files.append((about.st_mtime_ns, about.st_size, path))
                    elif time.time() - about.st_mtime > PARTIAL_SECONDS:
                        path.unlink()
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= limit:
                return
            with contextlib.suppress(OSError):  # some systems do not remove a file that is being read
                path.unlink(missing_ok=True)
                total -= size

    def _path(self, name: str) -> Path:
        return self.area / name[:2] / name  # some systems are slow with many files in one folder

    def _paths(self, name: str) -> Iterator[Path]:
        """The places where a content may be: in the own area, then in the others."""
        yield self._path(name)
        with contextlib.suppress(OSError):
            yield from (area / name[:2] / name for area in self.folder.iterdir() if area != self.area)


class Memory(Store):
    """What a store does, for as long as this object is used, without files.

    >>> memory = Memory()
    >>> memory.get_or_compute({"seed": 1}, lambda: b"computed"), memory.has({"seed": 1}), memory.has({"seed": 2})
    (b'computed', True, False)
    """

    def __init__(self) -> None:
        self._contents: dict[str, bytes] = {}

    def get(self, key: Any) -> bytes | None:
        return self._contents.get(_name(key))

    def has(self, key: Any) -> bool:
        return _name(key) in self._contents

    def put(self, key: Any, content: bytes) -> None:
        self._contents[_name(key)] = content

    def trim(self, limit: int) -> None:
        """Nothing is removed."""


def opened(store: Store | str | os.PathLike[str] | None) -> Store:
    """The store that is given, that in a folder, or one in memory if there is none."""
    if store is None:
        return Memory()
    return store if isinstance(store, Store) else Store(store)


def default_limit() -> int:
    """The size limit of an area in bytes."""
    given = os.environ.get("PRIMUM_STORE_GB")
    try:
        limit = float(given) if given else DEFAULT_LIMIT_GB
        if not 0 < limit < float("inf"):
            raise ValueError
    except ValueError:
        raise PrimumError(f"PRIMUM_STORE_GB must be a positive number of gigabytes, got {given!r}") from None
    return int(limit * 1e9)


def _name(key: Any) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _checksum(name: str, content: bytes) -> bytes:
    whole = hashlib.sha256(name.encode())
    whole.update(content)
    return whole.digest()

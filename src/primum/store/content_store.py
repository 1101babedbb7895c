"""A store of results by content: what was computed once is there the next time, whoever asks."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from primum.errors import PrimumError
from primum.store import fingerprints
from primum.store.files import write

DIGEST = 32  # bytes of a SHA-256
ABANDONED = 3600  # seconds after which nobody is writing any more


class Store:
    """Bytes by a key, which is plain data that says all that they depend on; several processes may share a folder.

    A file is written at once or not at all, and begins with a checksum of its key and content: what is damaged counts
    as missing.

    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp())
    >>> store.get({"seed": 1}) is None
    True
    >>> store.made({"seed": 1}, lambda: b"computed"), store.get({"seed": 1})
    (b'computed', b'computed')
    """

    def __init__(self, folder: str | os.PathLike[str] | None = None) -> None:
        self.folder = Path(folder) if folder is not None else fingerprints.folder("store")

    def get(self, key: Any) -> bytes | None:
        """What is kept under a key, or None if it is not there or damaged."""
        name = _name(key)
        path = self._path(name)
        try:
            whole = path.read_bytes()
        except OSError:
            return None
        with contextlib.suppress(OSError):  # a folder that may only be read, or a file that was just trimmed away
            os.utime(path)  # `trim` keeps what was used last
        content = whole[DIGEST:]
        return content if whole[:DIGEST] == _checksum(name, content) else None

    def has(self, key: Any) -> bool:
        """Whether there is a file for a key; `get` tells whether it is sound."""
        return self._path(_name(key)).exists()

    def put(self, key: Any, content: bytes) -> None:
        """Keep the content under a key."""
        name = _name(key)
        path = self._path(name)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            for left in path.parent.glob("*.partial"):  # by a process that was killed while it wrote
                if time.time() - left.stat().st_mtime > ABANDONED:
                    left.unlink(missing_ok=True)
        except OSError as error:
            raise PrimumError(f"cannot write to the store {self.folder}: {error.strerror or error}") from None
        write(path, _checksum(name, content) + content)

    def made(self, key: Any, make: Callable[[], bytes]) -> bytes:
        """What is kept under a key; if nothing is, it is made and kept."""
        content = self.get(key)
        if content is None:
            content = make()
            self.put(key, content)
        return content

    def trim(self, limit: int) -> None:
        """Remove what was used least recently, until all together takes no more than so many bytes."""
        files = []
        for path in self.folder.glob("??/*"):
            with contextlib.suppress(OSError):  # another process removed it
                about = path.stat()
                if not path.name.endswith(".partial"):  # those are being written
                    files.append((about.st_mtime_ns, about.st_size, path))
        total = sum(size for _, size, _ in files)
        for _, size, path in sorted(files):
            if total <= limit:
                return
            with contextlib.suppress(OSError):  # some systems do not remove a file that is being read
                path.unlink(missing_ok=True)
                total -= size

    def _path(self, name: str) -> Path:
        return self.folder / name[:2] / name  # many files in one folder would be slow on some systems


def _name(key: Any) -> str:
    return hashlib.sha256(json.dumps(key, sort_keys=True, allow_nan=False).encode()).hexdigest()


def _checksum(name: str, content: bytes) -> bytes:
    whole = hashlib.sha256(name.encode())
    whole.update(content)
    return whole.digest()

"""Atomic writes of files, and the cache folder."""

from __future__ import annotations

import contextlib
import os
import stat
import uuid
from pathlib import Path

from primum.errors import PrimumError

PARTIAL_SUFFIX = ".partial"  # of a file that is being written


def cache_folder(name: str = "") -> Path:
    """A folder of this name in `$PRIMUM_CACHE` or `~/.cache/primum`; it need not exist yet."""
    return Path(os.environ.get("PRIMUM_CACHE") or "~/.cache/primum").expanduser() / name


def write(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file, at once or not at all; an older one stays until the new one is complete."""
    target = writable(path)
    partial = target.with_name(unused_name())
    try:
        partial.write_bytes(content)
        os.replace(partial, target)
    except OSError as error:
        raise PrimumError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        partial.unlink(missing_ok=True)


def read(path: str | os.PathLike[str]) -> bytes:
    """The content of a file."""
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError, TypeError) as error:  # a null character in the path, or no path at all
        raise PrimumError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from None


def writable(path: str | os.PathLike[str]) -> Path:
    """The file that a path stands for, links followed, or a PrimumError if it could not be written."""
    try:
        target = Path(path).resolve()
        with contextlib.suppress(FileNotFoundError):  # one look at it, because another process may remove it
            if not stat.S_ISREG(target.stat().st_mode):  # to replace a device or a directory would do harm
                raise PrimumError(f"cannot write {path}: it exists and is not an ordinary file")
        probe = target.with_name(unused_name())
        probe.touch(exist_ok=False)
        probe.unlink()
    except (OSError, ValueError, RuntimeError) as error:  # a RuntimeError: links in a circle
        raise PrimumError(f"cannot write {path}: {getattr(error, 'strerror', None) or error}") from None
    return target


def unused_name() -> str:
    """A name for a file that is being written."""
    return f".{uuid.uuid4().hex}{PARTIAL_SUFFIX}"

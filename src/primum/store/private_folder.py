"""Folders that other users cannot change, held open, so that what was checked is what is used.

A path may name another folder a moment later, wherever somebody can rename one of its parts. A folder is therefore
opened part by part from the root without following links, each part is checked as it was opened, and files are read and
written relative to the last one. It is refused if another user

- owns it or one of its parents, unless that is the administrator: an owner can always rename;
- can write to it, or to a parent that is ours too;
- can rename in a parent further up: others can write to it, and it is neither sticky, as `/tmp` is, where only the
  owner of an entry renames it, nor below a folder that others cannot enter.

Access control lists count as far as the permissions of the group show them, as on Linux. On Windows nothing is checked:
there, a user's folders are closed to others.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

from primum.errors import PrimumError
from primum.store.files import unused_name

OTHERS_WRITE, OTHERS_ENTER = 0o022, 0o011  # permission bits: the group, everybody
IS_CHECKED = hasattr(os, "geteuid")
NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
PARENT = NO_LINK | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)  # it need not be readable
FOLDER = NO_LINK | getattr(os, "O_DIRECTORY", 0) | os.O_RDONLY
FILE = NO_LINK | getattr(os, "O_BINARY", 0)


class PrivateFolder:
    """An open folder; names are those of files or folders in it."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self.path = path
        self._descriptor = descriptor

    def names(self) -> list[str]:
        """The names of all that is in the folder, those changed last first."""
        return sorted(os.listdir(self._whole()), key=self._changed, reverse=True)

    def read(self, name: str) -> bytes:
        """The content of an ordinary file of this user or the administrator."""
        opened = os.open(self._at(name), FILE | os.O_RDONLY | getattr(os, "O_NONBLOCK", 0), dir_fd=self._descriptor)
        with os.fdopen(opened, "rb") as file:
            status = os.fstat(opened)
            if not stat.S_ISREG(status.st_mode):
                raise ValueError("it is not an ordinary file")
            if _is_foreign(status) or (IS_CHECKED and status.st_mode & OTHERS_WRITE):
                raise ValueError("other users can write to it")
            return file.read()

    def write(self, name: str, content: bytes) -> None:
        """Write a file, at once or not at all."""
        partial, at = unused_name(), self._descriptor
        try:
            opened = os.open(self._at(partial), FILE | os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=at)
            with os.fdopen(opened, "wb") as file:
                file.write(content)
            os.replace(self._at(partial), self._at(name), src_dir_fd=at, dst_dir_fd=at)
        except OSError as error:
            raise PrimumError(f"cannot write {self.path / name}: {error.strerror or error}") from error
        finally:
            with contextlib.suppress(OSError):
                os.unlink(self._at(partial), dir_fd=at)

    def remove(self, name: str) -> None:
        """Remove a file, a link or a folder with all that is in it, if it is there and that is possible."""
        try:
            os.unlink(self._at(name), dir_fd=self._descriptor)
        except OSError:  # a folder; rmtree is not asked first because it would wait for what comes through a pipe
            shutil.rmtree(self._at(name), ignore_errors=True, dir_fd=self._descriptor)

    def mark_as_used(self) -> None:
        """Make the folder the one that was changed last."""
        with contextlib.suppress(OSError):
            os.utime(self._whole())

    def _whole(self) -> Path | int:
        return self.path if self._descriptor is None else self._descriptor

    def _at(self, name: str) -> str:
        return name if self._descriptor is not None else str(self.path / name)

    def _changed(self, name: str) -> float:
        try:
            return os.stat(self._at(name), dir_fd=self._descriptor, follow_symlinks=False).st_mtime
        except OSError:  # removed by another process
            return 0.0


@contextlib.contextmanager
def private_folder(path: Path, own: int, make: bool = False) -> Iterator[PrivateFolder]:
    """Open a folder, and `make` it and its parents for this user alone where they are missing.

    The last `own` parts of the path are folders of ours, and the others their parents. A PrimumError names the one that
    others can change.
    """
    path = Path(os.path.realpath(path))
    if not IS_CHECKED:
        if make:
            path.mkdir(parents=True, exist_ok=True)
        yield PrivateFolder(path, None)
        return
    with contextlib.ExitStack() as stack:
        here, at, is_closed, left = Path(path.anchor), None, False, len(path.parts)
        for name in path.parts:
            here /= name
            left -= 1
            at = _opened(name, PARENT if left else FOLDER, at, make)
            stack.callback(os.close, at)
            status = os.fstat(at)
            _check(here, status, left < own, is_closed)
            is_closed = is_closed or not status.st_mode & OTHERS_ENTER
        yield PrivateFolder(path, at)


def _opened(name: str, flags: int, parent: int | None, make: bool) -> int:
    try:
        return os.open(name, flags, dir_fd=parent)
    except FileNotFoundError:
        if not make:
            raise
    with contextlib.suppress(FileExistsError):  # another process made it
        os.mkdir(name, 0o700, dir_fd=parent)
    return os.open(name, flags, dir_fd=parent)


def _check(here: Path, status: os.stat_result, is_ours: bool, is_closed: bool) -> None:
    is_open = bool(status.st_mode & OTHERS_WRITE) and (is_ours or not (status.st_mode & stat.S_ISVTX or is_closed))
    if is_open or _is_foreign(status):
        raise PrimumError(
            f"other users can {'write to' if is_ours else 'rename what is in'} {here}; take away their permission, "
            "or set PRIMUM_CACHE to another folder"
        )


def _is_foreign(status: os.stat_result) -> bool:
    return IS_CHECKED and status.st_uid not in (os.geteuid(), 0)

"""Native code on disk: one file for each function and signature, verified whenever it is loaded.

A file starts with a checksum of its code and of the function and signature that it belongs to, so that damaged and
exchanged files are noticed; the function is then compiled again. A checksum is no protection against an attacker:
whoever can write to the folder can run code as its user. The folder is therefore created for its owner alone, and one
that other users can write to is not used.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import logging
import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from primum.errors import PrimumError
from primum.store import fingerprints
from primum.store.files import cache_folder, write

SUFFIX, FOREIGN_SUFFIX = ".native", ".foreign"
MOST_FOREIGN = 200  # files of native code of users' functions, of about 50 kB each
NATIVE_FOLDERS = 10  # folders of native code that are kept, each for one fingerprint
OTHERS_WRITE = 0o022  # permission bits: the group, everybody
log = logging.getLogger("primum")
_logged: set[str] = set()  # warnings that are given once


class NativeCache(NullCache):
    """The native code of one function; Numba calls it before it compiles a signature, and after."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.name = f"{function.__module__}.{function.__qualname__}"
        self.line = function.__code__.co_firstlineno
        self.captured = dumps([cell.cell_contents for cell in function.__closure__ or ()])

    suffix = SUFFIX

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The native code for a signature, or None if it has to be compiled."""
        target_context.refresh()
        identity = self._identity(sig, target_context.codegen())
        path = _file(identity, self.suffix)
        try:
            if not _is_ours_alone(path.parent):
                return None
            if path.is_symlink():  # to another file, which would be replaced instead
                raise ValueError("it is a link")
            content = path.read_bytes()
            checksum, code = content[:32], content[32:]
            if checksum != _checksum(identity, code):
                raise ValueError("wrong checksum")
            return CompileResult._rebuild(target_context, *pickle.loads(code))
        except (FileNotFoundError, NotADirectoryError):
            return None
        except Exception as error:  # whatever is wrong with the file, the source is there
            log.warning("Cannot load the native code of %s, compiling it again: %s: %s", self.name, path, error)
            _remove(path)
            return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep native code that was compiled, if the disk allows it."""
        if cres.library.has_dynamic_globals:  # it contains addresses, which mean nothing in another process
            return
        identity, code = self._identity(sig, cres.codegen), dumps(cres._reduce())
        path = _file(identity, self.suffix)
        try:
            _make(path.parent)
            if _is_ours_alone(path.parent):
                write(path, _checksum(identity, code) + code)
        except (OSError, PrimumError) as error:
            _warn_once("Native code is not kept, so later runs compile it again: %s", error)

    def _identity(self, sig: Any, codegen: Any) -> bytes:
        # Numba would look only at the function's own file: a fingerprint of all sources tells when a helper has changed
        sources = fingerprints.native_code()
        return repr((sources, self.name, self.line, self.captured, str(sig), codegen.magic_tuple())).encode()


class ForeignCache(NativeCache):
    """The native code of a user's function, by a digest of all that it depends on (`store.compiled_code`)."""

    suffix = FOREIGN_SUFFIX

    def __init__(self, function: Callable[..., Any], digest: str) -> None:
        super().__init__(function)
        self.line, self.captured, self.digest = 0, b"", digest
        self._found: Any = None

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The native code; it is loaded once, because its symbols would be there twice."""
        if self._found is None:
            self._found = super().load_overload(sig, target_context)
        return self._found

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep native code, and not too much of it: each version of a function leaves a file."""
        super().save_overload(sig, cres)
        with contextlib.suppress(OSError):
            kept = sorted(folder().glob(f"*{FOREIGN_SUFFIX}"), key=_last_used, reverse=True)
            for old in kept[MOST_FOREIGN:]:
                _remove(old)

    def _identity(self, sig: Any, codegen: Any) -> bytes:
        return super()._identity(sig, codegen) + self.digest.encode()


@functools.cache
def folder() -> Path:
    """The folder for native code of these sources; it need not exist, or be usable."""
    found = cache_folder("native-code") / fingerprints.native_code()[:16]
    with contextlib.suppress(OSError):
        os.utime(found)  # the folders used last are kept
    return found


def _file(identity: bytes, suffix: str) -> Path:
    return folder() / (hashlib.sha256(identity).hexdigest()[:32] + suffix)


def _checksum(identity: bytes, code: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(identity).digest() + code).digest()


def _make(folder: Path) -> None:
    """Create the folder if it is not there, and remove those that were used longest ago."""
    folder.parent.parent.mkdir(parents=True, exist_ok=True)
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        return
    others = sorted((other for other in folder.parent.iterdir() if other != folder), key=_last_used, reverse=True)
    for old in others[NATIVE_FOLDERS - 1 :]:  # a process that still uses one compiles again
        shutil.rmtree(old, ignore_errors=True)


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:  # removed by another process
        return 0.0


def _is_ours_alone(folder: Path) -> bool:
    """Whether only this user, or the administrator, could have written what is in the folder."""
    if not hasattr(os, "geteuid"):  # on Windows, a user's folders are closed to others
        return True
    for path in (folder.parent, folder):
        status = path.stat()
        if status.st_uid not in (os.geteuid(), 0) or status.st_mode & OTHERS_WRITE:
            _warn_once(
                "Native code is not cached, so each run compiles it again: other users can write to %s; "
                "remove it, take away their permission, or set PRIMUM_CACHE to another folder",
                path,
            )
            return False
    return True


def _remove(path: Path) -> None:
    shutil.rmtree(path, ignore_errors=True)  # a folder in place of the file
    with contextlib.suppress(OSError):
        path.unlink()


def _warn_once(text: str, subject: object) -> None:
    if text not in _logged:
        _logged.add(text)
        log.warning(text, subject)

"""Native code on disk: one file for each function and signature, verified whenever it is loaded.

A file starts with a checksum of its code and of the function and signature that it belongs to, so that damaged and
exchanged files are noticed; the function is then compiled again. A checksum is no protection against an attacker:
whoever can write to the folder can run code as its user. The folder is therefore created for its owner alone, and used
only where no other user can change or exchange it (`store.private_folder`).
"""

from __future__ import annotations

import functools
import hashlib
import logging
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

from primum.errors import PrimumError
from primum.store import fingerprints
from primum.store.files import cache_folder
from primum.store.private_folder import PrivateFolder, private_folder

SUFFIX, FOREIGN_SUFFIX = ".native", ".foreign"
MOST_FOREIGN = 200  # files of native code of users' functions, of about 50 kB each
NATIVE_FOLDERS = 10  # folders of native code that are kept, each for one fingerprint
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
        try:
            with private_folder(folder(), own=2) as kept:
                kept.mark_as_used()
                return self._rebuilt(kept, identity, target_context)
        except (OSError, PrimumError):  # there is no such folder, or `save_overload` says why it is not used
            return None

    def _rebuilt(self, kept: PrivateFolder, identity: bytes, target_context: Any) -> Any:
        name = _file_name(identity, self.suffix)
        try:
            content = kept.read(name)
            checksum, code = content[:32], content[32:]
            if checksum != _checksum(identity, code):
                raise ValueError("wrong checksum")
            return CompileResult._rebuild(target_context, *pickle.loads(code))
        except FileNotFoundError:
            return None
        except Exception as error:  # whatever is wrong with the file, the source is there
            log.warning(
                "Cannot load the native code of %s, compiling it again: %s: %s", self.name, kept.path / name, error
            )
            kept.remove(name)
            return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        """Keep native code that was compiled, if the disk allows it."""
        if cres.library.has_dynamic_globals:  # it contains addresses, which mean nothing in another process
            return
        identity, code = self._identity(sig, cres.codegen), dumps(cres._reduce())
        try:
            _make_room()
            with private_folder(folder(), own=2, make=True) as kept:
                kept.write(_file_name(identity, self.suffix), _checksum(identity, code) + code)
                foreign = [name for name in kept.names() if name.endswith(FOREIGN_SUFFIX)]
                for old in foreign[MOST_FOREIGN:]:  # each version of a user's function leaves a file
                    kept.remove(old)
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

    def _identity(self, sig: Any, codegen: Any) -> bytes:
        return super()._identity(sig, codegen) + self.digest.encode()


@functools.cache
def folder() -> Path:
    """The folder for native code of these sources; it need not exist, or be usable."""
    return cache_folder("native-code") / fingerprints.native_code()[:16]


def _file_name(identity: bytes, suffix: str) -> str:
    return hashlib.sha256(identity).hexdigest()[:32] + suffix


def _checksum(identity: bytes, code: bytes) -> bytes:
    return hashlib.sha256(hashlib.sha256(identity).digest() + code).digest()


def _make_room() -> None:
    """Before the folder is made, remove those of other fingerprints that were used longest ago."""
    with private_folder(folder().parent, own=1, make=True) as folders:
        others = folders.names()
        if folder().name not in others:
            for old in others[NATIVE_FOLDERS - 1 :]:  # a process that still uses one compiles again
                folders.remove(old)


def _warn_once(text: str, subject: object) -> None:
    if text not in _logged:
        _logged.add(text)
        log.warning(text, subject)

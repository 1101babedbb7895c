"""Who has a journal in a file: services share it, and a restore needs it alone."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from primum.live.errors import JournalUnavailable, Refused


@contextlib.contextmanager
def held(path: Path | None, *, alone: bool = False) -> Iterator[None]:
    """Have a journal until the end of the block, or until the process ends, however it does; None is a server's.

    The lock is on a file of its own beside the journal. Without locks of files, on Windows, nothing is checked: there
    the system itself refuses to replace a file that is open.
    """
    try:
        import fcntl
    except ImportError:
        path = None
    if path is None:
        yield
        return
    try:
        file = os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
    except OSError as error:
        raise JournalUnavailable(f"cannot lock the journal {path}: {error.strerror}") from None
    try:
        try:
            fcntl.flock(file, (fcntl.LOCK_EX if alone else fcntl.LOCK_SH) | fcntl.LOCK_NB)
        except BlockingIOError:
            doing = "a service has the journal; stop it first" if alone else "a restore of the journal is under way"
            raise Refused(f"{path}: {doing}") from None
        yield
    finally:
        os.close(file)

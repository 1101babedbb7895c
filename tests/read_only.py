"""Programs for which the permissions of files hold, whoever runs the tests."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

DROP_CAPABILITY = 24  # PR_CAPBSET_DROP of prctl(2)
DAC_OVERRIDE, DAC_READ_SEARCH = 1, 2  # capabilities(7) by which root reads and writes everything


def _as_anybody() -> None:
    """In a child process before it runs a program: even root's is refused what permissions forbid."""
    for capability in (DAC_OVERRIDE, DAC_READ_SEARCH):
        ctypes.CDLL(None).prctl(DROP_CAPABILITY, capability, 0, 0, 0)  # it fails for all but root, who need it not


def python(program: str, *arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a program in another process."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.run(command, preexec_fn=_as_anybody, capture_output=True, text=True, check=False, **options)


def make_read_only(folder: Path) -> None:
    """Forbid writing to a folder and everything in it; pytest can still remove it."""
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o555 if path.is_dir() else 0o444)

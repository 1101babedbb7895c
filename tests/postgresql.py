"""A real PostgreSQL for the tests: programs that are installed, else Debian's package when root.

Run as a program, it makes sure that there is one; where none can be had, it says what to install, and the tests with
PostgreSQL are skipped.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MISSING = "PostgreSQL is not installed, so nothing was tested with it; install Debian's package 'postgresql'"
READY = "ready to accept connections"
PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG of prctl(2)


def find() -> Path | None:
    """The folder of the server's programs, or None."""
    on_path = shutil.which("postgres")
    if on_path and shutil.which("initdb"):
        return Path(on_path).resolve().parent  # a link leads to where the others are
    found = Path("/usr/lib/postgresql").glob("*/bin/postgres")
    return next((path.parent for path in sorted(found, key=lambda path: -float(path.parts[-3]))), None)


class Server:
    """A server in a folder of its own, which anybody who can enter the folder may use, and nobody else."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs, self._folder, self._numbers = programs, folder, itertools.count(1)
        self._options: dict[str, Any] = {"cwd": folder, "env": {"PATH": os.environ["PATH"], "LC_ALL": "C"}}
        if os.geteuid() == 0:  # as which the server refuses to run
            names = {user.pw_name for user in pwd.getpwall()}
            user = pwd.getpwnam("postgres" if "postgres" in names else "nobody")
            os.chown(folder, user.pw_uid, user.pw_gid)
            self._options |= {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": ()}
        self._process: subprocess.Popen[str] | None = None
        self.run("initdb", "-D", "data", "-U", "postgres", "--auth=trust", "-E", "UTF8", "--locale=C", "--no-sync")

    def run(self, program: str, *arguments: object, **options: Any) -> str:
        """Run one of its programs, and return what it prints."""
        command = [str(self._programs / program), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, **self._options, **options)
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout

    def start(self) -> None:
        """Start it, and wait until it accepts connections."""
        command = [str(self._programs / "postgres"), "-D", "data", "-k", str(self._folder), "-c", "listen_addresses="]
        self._process = subprocess.Popen(
            command, stderr=subprocess.PIPE, text=True, preexec_fn=_end_with_parent, **self._options
        )
        assert self._process.stderr is not None
        log = self._process.stderr
        said = list(itertools.takewhile(lambda line: READY not in line, log))
        assert self._process.poll() is None, "".join(said)
        self._reader = threading.Thread(target=log.read, daemon=True)  # a full pipe would block it
        self._reader.start()

    def stop(self, by: signal.Signals = signal.SIGINT) -> None:
        """End all connections, and stop it; by SIGQUIT as in a crash, from which it recovers at the next start."""
        if self._process is not None:
            self._process.send_signal(by)
            self._reader.join()
            self._process.communicate()
        self._process = None

    @property
    def pid(self) -> int:
        """The process that the others belong to."""
        assert self._process is not None
        return self._process.pid

    def address(self, database: str = "postgres") -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{database}?host={self._folder}"

    def new_database(self) -> str:
        """The address of a new database."""
        name = f"trial_{os.getpid()}_{next(self._numbers)}"
        self.run("createdb", "-h", self._folder, "-U", "postgres", name)
        return self.address(name)


@contextmanager
def server() -> Iterator[Server]:
    """A running server in a temporary folder, which is gone afterwards."""
    programs = find()
    assert programs is not None, MISSING
    with tempfile.TemporaryDirectory(prefix="pg-") as folder:  # the path of a socket must be short
        running = Server(programs, Path(folder))
        running.start()
        try:
            yield running
        finally:
            running.stop()


def _end_with_parent() -> None:
    """In the server before it runs: it stops when the tests are killed."""
    ctypes.CDLL(None).prctl(PARENT_DEATH_SIGNAL, signal.SIGINT, 0, 0, 0)


def install() -> None:
    """Install it, if this machine allows."""
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        return
    silent = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    commands: Sequence[Sequence[str]] = (
        ("apt-get", "update", "-qq"),
        ("apt-get", "install", "-y", "-qq", "--no-install-recommends", "postgresql"),
    )
    for command in commands:
        subprocess.run(command, check=False, env=silent)


if __name__ == "__main__":
    if not find():
        install()
    if not find():
        print(f"WARNING: {MISSING}", file=sys.stderr)

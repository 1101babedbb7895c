"""The service of a live trial as a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from starlette.testclient import httpx  # the one that belongs to this version of Starlette

SAYS = "The trial is at "
CODE = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background ignores it
from primum.live.service.server import serve
journal, user_header, expect, *hosts = sys.argv[1:]
serve(journal, "127.0.0.1", 0, user_header=user_header or None, expect=expect, allowed_hosts=hosts, browser=False)
"""


@dataclass
class Process:
    """Where it is, its process, and a client for its addresses."""

    address: str
    process: subprocess.Popen[str]
    client: httpx.Client
    said: list[str]

    def end(self, signal: int) -> tuple[int, str]:
        """How it ends after a signal, and all that it said."""
        self.process.send_signal(signal)
        rest, errors = self.process.communicate(timeout=120)
        return self.process.returncode, "".join([*self.said, rest, errors])


@contextmanager
def process(journal: Path, *hosts: str, user_header: str = "", expect: str = "") -> Iterator[Process]:
    """A service that answers; it is gone afterwards."""
    started = subprocess.Popen(
        [sys.executable, "-c", CODE, str(journal), user_header, expect, *hosts],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"COLUMNS": "80"},
    )
    assert started.stderr is not None
    said = []
    try:
        for line in started.stderr:
            said.append(line)
            if SAYS in line:
                address = line.split(SAYS)[1].split(";")[0]
                with httpx.Client(base_url=address, timeout=120) as client:
                    yield Process(address, started, client, said)
                break
        else:
            raise AssertionError("".join(said))
    finally:
        started.kill()
        started.communicate()

"""The laboratory as a process of its own, as people start it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from starlette.testclient import httpx  # the one that belongs to this version of Starlette


@dataclass
class Laboratory:
    """Where it is, its process, and a client for its addresses."""

    address: str
    process: subprocess.Popen[str]
    client: httpx.Client

    def finish(self, asked: dict[str, Any]) -> str:
        """The id of a question's run, when that has ended."""
        id: str = self.client.post("/api/runs", json=asked).json()["id"]
        self.client.get(f"/api/runs/{id}/events")
        return id


def _heed_interrupts() -> None:
    """A job in the background of a script is started with SIGINT ignored, and so would be its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@contextmanager
def laboratory(store: Path, *options: str, setting: str = "", **environment: str) -> Iterator[Laboratory]:
    """A laboratory that answers; it is gone afterwards. `setting` is code that is executed before it starts."""
    quiet = "--port", "0", "--no-browser", "--no-warm-up", "--store", str(store)
    process = subprocess.Popen(
        [sys.executable, "-c", f"{setting}\nfrom primum.cli import main\nmain()", "lab", *quiet, *options],
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | environment,
        preexec_fn=_heed_interrupts,
    )
    assert process.stderr is not None
    said = []
    try:
        for line in process.stderr:
            said.append(line)
            if "The laboratory is at " in line:
                address = line.split("The laboratory is at ")[1].split(";")[0]
                with httpx.Client(base_url=address, timeout=120) as client:
                    yield Laboratory(address, process, client)
                break
        else:
            raise AssertionError("".join(said))
    finally:
        process.kill()
        process.wait()
        process.stderr.close()

"""What campaigns measure of a laboratory in a process of its own. Linux only: it is read from /proc."""

from __future__ import annotations

import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.lab.laboratory import Laboratory, laboratory

TRIM_SECONDS = 0.2  # between two releases of freed memory, which are a minute apart otherwise


@contextmanager
def attacked() -> Iterator[tuple[Laboratory, list[str]]]:
    """A laboratory that returns freed memory at once, and what it writes to its log; nothing of that may be a trace."""
    log: list[str] = []
    setting = f"from primum.lab import memory; memory.INTERVAL_SECONDS = {TRIM_SECONDS}"
    with tempfile.TemporaryDirectory() as folder, laboratory(Path(folder), setting=setting) as lab:
        assert lab.process.stderr is not None
        reading = threading.Thread(target=log.extend, args=[lab.process.stderr])
        reading.start()
        try:
            yield lab, log
        finally:
            lab.process.kill()
            reading.join()
    assert not any("Traceback" in line for line in log), "".join(log)[-5000:]


def resident_mb(process: int) -> int:
    """Megabytes of memory that a process has."""
    with open(f"/proc/{process}/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") >> 20


def processor_seconds(server: int) -> float:
    """Processor seconds of a server and the processes it started, including those that have ended."""
    total = 0
    for process in [server, *_children(server)]:
        with suppress(OSError), open(f"/proc/{process}/stat") as file:
            used = file.read().rpartition(")")[2].split()[11:15]
            total += sum(map(int, used if process == server else used[:2]))
    return total / os.sysconf("SC_CLK_TCK")


def _children(server: int) -> list[int]:
    found: list[int] = []
    for thread in os.listdir(f"/proc/{server}/task"):
        with suppress(OSError), open(f"/proc/{server}/task/{thread}/children") as file:
            found += map(int, file.read().split())
    return found

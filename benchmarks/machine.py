"""What a benchmark ran on, and how busy that was before."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from pathlib import Path

from primum.runs.executors import available_threads
from primum.version import __version__


def conditions() -> str:
    """Call it before anything is measured."""
    return (
        f"primum {__version__}, Python {platform.python_version()}, {available_threads()} processors ({processor()}); "
        f"{datetime.now(UTC).date()}, load average before it {os.getloadavg()[0]:.2f}"
    )


def processor() -> str:
    """The name of the processor, where the system reports it."""
    information = Path("/proc/cpuinfo")
    lines = information.read_text().splitlines() if information.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()

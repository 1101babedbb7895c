"""The peers' virtual environment, and the process in it that plays their games."""

from __future__ import annotations

import json
import subprocess
import venv
from pathlib import Path
from typing import Any, Self

import numpy as np
from racing import Turn

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / ".venv-peers"
REQUIREMENTS = HERE / "peers.txt"


def pins() -> dict[str, str]:
    """The pinned versions by package."""
    lines = [line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")]
    return dict(line.split("==") for line in lines)


def python() -> Path:
    """The interpreter of the environment, which is made when it is missing or other versions are wanted."""
    interpreter, installed = FOLDER / "bin" / "python", FOLDER / "installed.txt"
    if not installed.exists() or installed.read_text() != REQUIREMENTS.read_text():
        print(f"installing peers into {FOLDER.name} (once)", flush=True)
        venv.create(FOLDER, clear=True, with_pip=True)
        subprocess.run([interpreter, "-m", "pip", "install", "--quiet", "-r", REQUIREMENTS], check=True)
        installed.write_text(REQUIREMENTS.read_text())
    return interpreter


class Peers:
    """The process that plays the peers' games on request; a context manager."""

    _process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: Any) -> None:
        if self._process is not None:
            self._process.communicate()  # closes its input, which ends it

    def play(self, name: str) -> Turn:
        """One game of a peer."""
        if self._process is None:
            self._process = subprocess.Popen(
                [python(), HERE / "peers.py"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # advice on optional packages
                text=True,
            )
        print(name, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()  # type: ignore[union-attr]
        if not answer:
            raise RuntimeError(f"the peers' process ended at {name!r}; run {HERE.name}/peers.py by hand to see why")
        said = json.loads(answer)
        return Turn(said["steps"], said["seconds"], np.array([said["pulls"]]))

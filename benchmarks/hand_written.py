"""Compiles besa_plus.c and calls it."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from racing import Turn

SOURCE = Path(__file__).with_name("besa_plus.c")
OPTIONS = ("-O3", "-march=native", "-fPIC", "-shared")


def compiler() -> str:
    """The C compiler by name."""
    return os.environ.get("CC") or ("gcc" if shutil.which("gcc") else "cc")


class HandWritten:
    """The C version of BESA+ with mean-variance."""

    def __init__(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            library = Path(folder) / "besa_plus.so"
            subprocess.run([compiler(), *OPTIONS, str(SOURCE), "-o", str(library), "-lm"], check=True)
            self._play = ctypes.CDLL(str(library)).play
        table = np.ctypeslib.ndpointer(np.float64, ndim=2, flags="C")
        self._play.restype = ctypes.c_double
        self._play.argtypes = [
            *(ctypes.c_int, ctypes.c_int, table, table, ctypes.c_double, ctypes.c_int64, ctypes.c_int),
            *(ctypes.c_uint64, np.ctypeslib.ndpointer(np.int64, ndim=2, flags="C")),
        ]

    def play(
        self,
        locations: np.ndarray[Any, Any],
        deviations: np.ndarray[Any, Any],
        rho: float,
        horizon: int,
        replications: int,
        seed: int,
    ) -> Turn:
        """Games on mixtures with locations and deviations (arm, component), timed by the C code itself."""
        pulls = np.zeros((replications, len(locations)), np.int64)
        seconds = self._play(*locations.shape, locations, deviations, rho, horizon, replications, seed, pulls)
        if seconds < 0:
            raise MemoryError("the C version found no memory for its rewards")
        return Turn(horizon * replications, seconds, pulls)

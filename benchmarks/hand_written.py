"""Compiles besa_plus.c and exact_law.c, and calls them."""

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

FOLDER = Path(__file__).parent
OPTIONS = ("-O3", "-march=native", "-fPIC", "-shared")


def compiler() -> str:
    """The C compiler by name."""
    return os.environ.get("CC") or ("gcc" if shutil.which("gcc") else "cc")


def library(name: str) -> ctypes.CDLL:
    """The compiled functions of a C program beside this file."""
    with tempfile.TemporaryDirectory() as folder:
        compiled = Path(folder) / f"{name}.so"
        subprocess.run([compiler(), *OPTIONS, str(FOLDER / f"{name}.c"), "-o", str(compiled), "-lm"], check=True)
        return ctypes.CDLL(str(compiled))


class HandWritten:
    """The C version of BESA+ with mean-variance."""

    def __init__(self) -> None:
        self._play = library("besa_plus").play
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


class HandWrittenLaw:
    """The C version of the exact law of BESA+ with the mean."""

    def __init__(self) -> None:
        self._law = library("exact_law").law
        self._law.restype = ctypes.c_double
        self._law.argtypes = [ctypes.c_int, ctypes.c_double, np.ctypeslib.ndpointer(np.float64, ndim=1, flags="C")]

    def run(self, patients: int, floor: float) -> tuple[float, np.ndarray[Any, Any]]:
        """Seconds, timed by the C code itself, and the probability of each number of patients on arm 1."""
        on_second = np.empty(patients + 1)
        seconds = self._law(patients, floor, on_second)
        if seconds < 0:
            raise MemoryError("the C version found no memory for its tables")
        return seconds, on_second

"""Primum: a laboratory for safety-aware bandits."""

from importlib.metadata import PackageNotFoundError, version

from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.player import Player
from primum.problem import Problem
from primum.results import Results
from primum.simulation import simulate

try:
    __version__ = version("primum")
except PackageNotFoundError:  # used from a source tree that is not installed
    __version__ = "0"

__all__ = ["Player", "PrimumError", "Problem", "Results", "policies", "rewards", "simulate", "values"]

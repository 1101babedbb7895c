"""Primum: a laboratory for safety-aware bandits."""

from primum import policies, rewards, values
from primum.errors import PrimumError
from primum.player import Player
from primum.problem import Problem
from primum.replay import replay
from primum.results import Results
from primum.runs import Study
from primum.runs.simulation import simulate
from primum.version import __version__ as __version__

__all__ = [
    "Player",
    "PrimumError",
    "Problem",
    "Results",
    "Study",
    "policies",
    "replay",
    "rewards",
    "simulate",
    "values",
]

"""Primum: a laboratory for safety-aware bandits."""

from typing import TYPE_CHECKING

from primum import policies, rewards, values
from primum.errors import PrimumError, offer_nearest_names
from primum.player import Player
from primum.plugins.parameters import parameter
from primum.problem import Problem
from primum.replay import replay, trajectories
from primum.results import Results
from primum.runs import Experiment, Study
from primum.runs.random_problems import bayesian_regret
from primum.runs.simulation import simulate
from primum.version import __version__ as __version__

if TYPE_CHECKING:  # at run time they are imported when they are first used: they take as long as all the rest
    from primum import arena, checks, live, theory, trials

__all__ = [
    "Experiment",
    "Player",
    "PrimumError",
    "Problem",
    "Results",
    "Study",
    "arena",
    "bayesian_regret",
    "checks",
    "live",
    "parameter",
    "policies",
    "replay",
    "rewards",
    "simulate",
    "theory",
    "trajectories",
    "trials",
    "values",
]

offer_nearest_names(__name__, {name: f"primum.{name}" for name in ("arena", "checks", "live", "theory", "trials")})

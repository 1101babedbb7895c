"""The compiled contract of policies, values and engine, written as plain Python and compiled on demand.

These are the functions that a policy may use; `kernel` marks your own helper functions.
"""

from primum.kernels import forking
from primum.kernels.choosing import best_estimate, best_score, drawn_arm, duel, opening, random_arm, tournament
from primum.kernels.contract import kernel
from primum.kernels.elementary import exp, expm1, log, log1p, power
from primum.kernels.noting import note_log_weight
from primum.kernels.records import value_of, value_of_block, value_of_sample, value_of_subsample
from primum.kernels.streams import below, beta, exponential, gamma, normal, uniform
from primum.kernels.weighting import value_of_distribution, value_of_reweighted

__all__ = [
    "below", "best_estimate", "best_score", "beta", "drawn_arm", "duel", "exp", "expm1", "exponential", "gamma",
    "kernel", "log", "log1p", "normal", "note_log_weight", "opening", "power", "random_arm", "tournament", "uniform",
    "value_of", "value_of_block", "value_of_distribution", "value_of_reweighted", "value_of_sample",
    "value_of_subsample",
]  # fmt: skip

forking.let_forks_wait()

"""Policies: who chooses."""

from primum.policies.besa import Besa
from primum.policies.besa_plus import BesaPlus
from primum.policies.epsilon_greedy import EpsilonGreedy
from primum.policies.exp_exp import ExpExp
from primum.policies.marab import Marab
from primum.policies.mv_lcb import MvLcb
from primum.policies.npts import Npts
from primum.policies.policy import Policy
from primum.policies.thompson import Thompson
from primum.policies.ucb1 import Ucb1
from primum.policies.uniform_random import UniformRandom

__all__ = [
    "Besa",
    "BesaPlus",
    "EpsilonGreedy",
    "ExpExp",
    "Marab",
    "MvLcb",
    "Npts",
    "Policy",
    "Thompson",
    "Ucb1",
    "UniformRandom",
]

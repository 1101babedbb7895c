"""Policies: who chooses."""

from primum.policies.besa import Besa
from primum.policies.besa_plus import BesaPlus
from primum.policies.boltzmann import Boltzmann
from primum.policies.epsilon_greedy import EpsilonGreedy
from primum.policies.exp_exp import ExpExp
from primum.policies.explore_then_commit import ExploreThenCommit
from primum.policies.marab import Marab
from primum.policies.mcdiarmid_ucb import McDiarmidUcb
from primum.policies.mv_lcb import MvLcb
from primum.policies.npts import Npts
from primum.policies.oracle import Oracle
from primum.policies.policy import Policy
from primum.policies.round_robin import RoundRobin
from primum.policies.thompson import Thompson
from primum.policies.u_ucb import UUcb
from primum.policies.ucb1 import Ucb1
from primum.policies.uniform_random import UniformRandom

__all__ = [
    "Besa",
    "BesaPlus",
    "Boltzmann",
    "EpsilonGreedy",
    "ExpExp",
    "ExploreThenCommit",
    "Marab",
    "McDiarmidUcb",
    "MvLcb",
    "Npts",
    "Oracle",
    "Policy",
    "RoundRobin",
    "Thompson",
    "UUcb",
    "Ucb1",
    "UniformRandom",
]

"""Policies: who chooses."""

from primum.policies.besa import Besa
from primum.policies.besa_plus import BesaPlus
from primum.policies.dirichlet_sampling import DirichletSampling
from primum.policies.epsilon_greedy import EpsilonGreedy
from primum.policies.exp_exp import ExpExp
from primum.policies.marab import Marab
from primum.policies.mts import Mts
from primum.policies.mv_lcb import MvLcb
from primum.policies.npts import Npts
from primum.policies.policy import Policy
from primum.policies.sda import Sda
from primum.policies.ssmc import Ssmc
from primum.policies.thompson import Thompson
from primum.policies.ucb1 import Ucb1
from primum.policies.uniform_random import UniformRandom

__all__ = [
    "Besa",
    "BesaPlus",
    "DirichletSampling",
    "EpsilonGreedy",
    "ExpExp",
    "Marab",
    "Mts",
    "MvLcb",
    "Npts",
    "Policy",
    "Sda",
    "Ssmc",
    "Thompson",
    "Ucb1",
    "UniformRandom",
]

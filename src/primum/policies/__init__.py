"""Policies: who chooses."""

from primum.policies.besa import Besa
from primum.policies.besa_plus import BesaPlus
from primum.policies.cvar_ucb import CvarUcb
from primum.policies.epsilon_greedy import EpsilonGreedy
from primum.policies.exp_exp import ExpExp
from primum.policies.imed import Imed
from primum.policies.kl_ucb import KlUcb
from primum.policies.marab import Marab
from primum.policies.min import Min
from primum.policies.mv_lcb import MvLcb
from primum.policies.mvts import Mvts
from primum.policies.npts import Npts
from primum.policies.policy import Policy
from primum.policies.ra_ucb import RaUcb
from primum.policies.thompson import Thompson
from primum.policies.ucb1 import Ucb1
from primum.policies.ucb_v import UcbV
from primum.policies.uniform_random import UniformRandom

__all__ = [
    "Besa",
    "BesaPlus",
    "CvarUcb",
    "EpsilonGreedy",
    "ExpExp",
    "Imed",
    "KlUcb",
    "Marab",
    "Min",
    "MvLcb",
    "Mvts",
    "Npts",
    "Policy",
    "RaUcb",
    "Thompson",
    "Ucb1",
    "UcbV",
    "UniformRandom",
]

"""Policies: rules that choose the next arm."""

from primum import errors
from primum.policies.besa import Besa
from primum.policies.besa_plus import BesaPlus
from primum.policies.boltzmann import Boltzmann
from primum.policies.cvar_ucb import CvarUcb
from primum.policies.dirichlet_sampling import DirichletSampling
from primum.policies.doubly_adaptive_biased_coin import DoublyAdaptiveBiasedCoin
from primum.policies.epsilon_greedy import EpsilonGreedy
from primum.policies.exp_exp import ExpExp
from primum.policies.explore_then_commit import ExploreThenCommit
from primum.policies.forward_looking_gittins import ForwardLookingGittins
from primum.policies.gittins import Gittins
from primum.policies.imed import Imed
from primum.policies.kl_ucb import KlUcb
from primum.policies.marab import Marab
from primum.policies.mcdiarmid_ucb import McDiarmidUcb
from primum.policies.min import Min
from primum.policies.mts import Mts
from primum.policies.mv_lcb import MvLcb
from primum.policies.mvts import Mvts
from primum.policies.npts import Npts
from primum.policies.optimal_allocation import OptimalAllocation
from primum.policies.oracle import Oracle
from primum.policies.permuted_blocks import PermutedBlocks
from primum.policies.policy import Policy
from primum.policies.posterior_best import PosteriorBest
from primum.policies.ra_ucb import RaUcb
from primum.policies.randomised_play_the_winner import RandomisedPlayTheWinner
from primum.policies.round_robin import RoundRobin
from primum.policies.sda import Sda
from primum.policies.ssmc import Ssmc
from primum.policies.thompson import Thompson
from primum.policies.two_keys import TwoKeys
from primum.policies.u_ucb import UUcb
from primum.policies.ucb1 import Ucb1
from primum.policies.ucb_v import UcbV
from primum.policies.uniform_random import UniformRandom

__all__ = [
    "Besa",
    "BesaPlus",
    "Boltzmann",
    "CvarUcb",
    "DirichletSampling",
    "DoublyAdaptiveBiasedCoin",
    "EpsilonGreedy",
    "ExpExp",
    "ExploreThenCommit",
    "ForwardLookingGittins",
    "Gittins",
    "Imed",
    "KlUcb",
    "Marab",
    "McDiarmidUcb",
    "Min",
    "Mts",
    "MvLcb",
    "Mvts",
    "Npts",
    "OptimalAllocation",
    "Oracle",
    "PermutedBlocks",
    "Policy",
    "PosteriorBest",
    "RaUcb",
    "RandomisedPlayTheWinner",
    "RoundRobin",
    "Sda",
    "Ssmc",
    "Thompson",
    "TwoKeys",
    "UUcb",
    "Ucb1",
    "UcbV",
    "UniformRandom",
]

errors.offer_nearest_names(__name__)

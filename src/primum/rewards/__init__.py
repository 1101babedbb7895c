"""Reward distributions, built in, combined or from data."""

from primum import errors
from primum.rewards.bernoulli import Bernoulli
from primum.rewards.beta import Beta
from primum.rewards.clipped import Clipped
from primum.rewards.constant import Constant
from primum.rewards.continuous_distribution import ContinuousDistribution
from primum.rewards.discrete import Discrete
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.empirical import Empirical
from primum.rewards.from_csv import from_csv
from primum.rewards.mixture import Mixture
from primum.rewards.normal import Normal
from primum.rewards.paper_mixture import paper_mixture
from primum.rewards.reward_distribution import RewardDistribution
from primum.rewards.scaled import Scaled
from primum.rewards.scipy import Scipy
from primum.rewards.truncated_normal import TruncatedNormal
from primum.rewards.truncated_normal_mixture import TruncatedNormalMixture
from primum.rewards.uniform import Uniform
from primum.rewards.veterans_lung_cancer import veterans_lung_cancer

__all__ = [
    "Bernoulli",
    "Beta",
    "Clipped",
    "Constant",
    "ContinuousDistribution",
    "Discrete",
    "DiscreteDistribution",
    "Empirical",
    "Mixture",
    "Normal",
    "RewardDistribution",
    "Scaled",
    "Scipy",
    "TruncatedNormal",
    "TruncatedNormalMixture",
    "Uniform",
    "from_csv",
    "paper_mixture",
    "veterans_lung_cancer",
]

errors.offer_nearest_names(__name__)

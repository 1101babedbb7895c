"""Reward distributions: where rewards come from."""

from primum.rewards.bernoulli import Bernoulli
from primum.rewards.constant import Constant
from primum.rewards.continuous_distribution import ContinuousDistribution
from primum.rewards.discrete_distribution import DiscreteDistribution
from primum.rewards.paper_mixture import paper_mixture
from primum.rewards.reward_distribution import RewardDistribution
from primum.rewards.truncated_normal import TruncatedNormal
from primum.rewards.truncated_normal_mixture import TruncatedNormalMixture
from primum.rewards.uniform import Uniform

__all__ = [
    "Bernoulli",
    "Constant",
    "ContinuousDistribution",
    "DiscreteDistribution",
    "RewardDistribution",
    "TruncatedNormal",
    "TruncatedNormalMixture",
    "Uniform",
    "paper_mixture",
]

"""Plug-ins that are wrong in one way each, under the check that must find it and what it must say."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

import numpy as np

from primum import policies, rewards, values
from primum.kernels import best_score, opening, value_of
from primum.kernels.contract import kernel
from primum.plugins.parameters import parameter

BROKEN = []  # (check, what it says, a function that makes the plug-in)


def found_by(check, says):
    def remember(make):
        BROKEN.append((check, says, make))
        return make

    return remember


@found_by("is known by its name", "'twin' stands for tests.broken.twin.*Twin, another class")
def twin():
    def make():
        class Twin(values.Mean):
            pass

        return Twin()

    first = make()
    make()  # as a notebook cell that ran twice
    return first


@found_by("survives as data", "its spec gives .* which is not equal to")
def doubling():
    @dataclass(frozen=True)
    class Doubling(values.CVaR):
        def __post_init__(self):
            super().__post_init__()
            object.__setattr__(self, "alpha", min(1.0, 2 * self.alpha))

    return Doubling()


@found_by("is rescaled with the rewards if it says so", r"for rewards 10 \+ 480 X, .* it is -\d+ and not 157.6")
def unscaled():
    class Unscaled(values.MeanVariance):
        equivariant = True

    return Unscaled()


@found_by("is frozen and hashable", r"alpha can be set; declare the class as @dataclass\(frozen=True\)")
def loose():
    class Loose(values.CVaR):
        __setattr__ = object.__setattr__

    return Loose()


@found_by("is frozen and hashable", "TypeError: unhashable type: 'Unhashable'")
def unhashable():
    class Unhashable(values.Mean):
        def __eq__(self, other):
            return isinstance(other, Unhashable)

    return Unhashable()


@found_by("refuses what its parameters do not allow", r"share must be a number in \(0, 1\], but -1.0 is accepted")
def credulous():
    @dataclass(frozen=True)
    class Credulous(values.MomentValue):
        share: float = parameter(0.5, "of something", low=0.0, high=1.0, open_low=True)

        def __post_init__(self):
            pass

        @staticmethod
        def from_moments(n, mean, variance, share):
            return mean

    return Credulous()


@found_by("compiles", "vandal.estimate writes to its sample; work on a copy")
def vandal():
    class Vandal(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            sample[0] = 0.0
            return sample.mean()

    return Vandal()


@found_by("is finite on few rewards", r"on \[0\] it is nan")
def singular():
    class Singular(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample.sum() / (sample.size - np.float64(1.0))

    return Singular()


@found_by("the order of rewards does not matter", r"on \[.*\] it is 0\.\d+, on \[.*\] 0\.\d+")
def latest():
    class Latest(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample[-1]

    return Latest()


@found_by("native code equals the source", r"randomly weighted \[0.625095\] native code gives 4.62\d+, the source 2.62")
def overflowing():
    class Overflowing(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            ways = 1
            for _ in range(sample.size):
                ways *= 3
            return sample.mean() + ways % 7

    return Overflowing()


@found_by(
    "native code equals the source", r"on \[0.625095\] native code gives 0.625\d+, `of` 1.625\d+: they must agree"
)
def duplicitous():
    class Duplicitous(values.Mean):
        def of(self, sample):
            return super().of(sample) + 1

    return Duplicitous()


@found_by("native code equals the source", "the source raises IndexError: index 3 is out of bounds")
def short():
    class Short(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample[3] if sample.size > 1 else sample[0]

    return Short()


@found_by(
    "the true value is what estimates come to", "of uniform the true value is 0, the estimate on 5,000 rewards 0.5"
)
def pessimist():
    class Pessimist(values.Mean):
        def true_value(self, distribution):
            return distribution.support[0]

    return Pessimist()


@found_by("the true value is what estimates come to", "the true value is 10000, the estimate on 5,000 rewards 2500")
def total():
    class Total(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample.sum()

    return Total()


@found_by("looks only at its tail share", "raising rewards above the lowest 0.5 moves it from 0.4.* to 0.62")
def narrow():
    class Narrow(values.Mean):
        tail_share = 0.5

    return Narrow()


@found_by("weights count as repetitions", r"and a reward of 0 without weight: 0.")
def unweighted():
    class Unweighted(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample.mean()

        @staticmethod
        def weighted(sample, weights):
            return sample.mean()

    return Unweighted()


@found_by("weights count as repetitions", "on 5,000 rewards of equal weight `weighted` gives 1.*, the estimate is 0.5")
def doubled():
    class Doubled(values.SafetyValue):
        @staticmethod
        def estimate(sample):
            return sample.mean()

        @staticmethod
        def weighted(sample, weights):
            return 2 * (sample * weights).sum()

    return Doubled()


@found_by("gamma bounds what one reward changes", r"claimed to be 1.5, but beside \[.*\] a reward .*\|change\| = 2$")
def as_in_the_paper():
    class AsInThePaper(values.MeanVariance):
        @property
        def gamma(self):
            return 1 + self.rho / 2

    return AsInThePaper()


@found_by("is unbiased if it says so", "claimed to be unbiased, but on .* is 0.07125 for 2, .* the true value 0.1425")
def population_variance():
    class PopulationVariance(values.SafetyValue):
        unbiased = True

        @staticmethod
        def estimate(sample):
            return sample.var()

    return PopulationVariance()


@found_by(
    "sub samples average to the sample if it says so", r"but on \[.*\] it is 0.*, on its sub-samples of 2 on average"
)
def worst():
    class Worst(values.SafetyValue):
        averages_over_subsamples = True

        @staticmethod
        def estimate(sample):
            return sample.min()

    return Worst()


@found_by("lipschitz bounds what a change of the law does", "lipschitz is claimed to be 1, but .* a ratio of")
def slow():
    class Slow(values.CVaR):
        lipschitz = 1.0

    return Slow()


class _Unit(rewards.RewardDistribution):
    """Uniform on [0, 1], to be spoilt."""

    support = (0.0, 1.0)

    def quantile(self, u):
        return np.asarray(u, np.float64)


@found_by("quantiles rise within the support", r"quantile\(1e-09\) is .*0.999.*, quantile\(0.0001\) is .*0.9999")
def falling():
    class Falling(_Unit):
        def quantile(self, u):
            return 1 - np.asarray(u)

    return Falling()


@found_by("quantiles rise within the support", r"the support is \[0, 1\], but quantile\(0.505\) is 1.01")
def beyond():
    class Beyond(_Unit):
        def quantile(self, u):
            return 2 * np.asarray(u)

    return Beyond()


@found_by("takes numbers and arrays of any shape", r"quantile of an array of shape \(2, 3\) has the shape \(6,\)")
def flat():
    class Flat(_Unit):
        def quantile(self, u):
            return np.ravel(u)

    return Flat()


class _Square(_Unit):
    def cdf(self, x):
        return np.clip(np.asarray(x, np.float64), 0, 1) ** 2


@found_by("quantile and cdf belong together", r"quantile\(0.0001\) is .*0.0001.*, but cdf\(.*0.0001.*\) is 1e-08")
def square():
    class Square(_Square):
        pass

    return Square()


@found_by("draws follow the cdf", r"the fraction of 20,000 draws up to 0.4\d* is 0.4\d*, but cdf\(.*\) is 0.2")
def squared():
    class Squared(_Square):
        pass

    return Squared()


@found_by(
    "integrals are those of the quantiles", r"lower_integral\(0.05\) - .* is 0.04, the integral of quantile 0.0012"
)
def straight():
    class Straight(_Unit):
        def lower_integral(self, level):
            return level

    return Straight()


@found_by("integrals are those of the quantiles", r"expectation of x / \(scale \+ \|x\|\) is 1, by quantiles 0.308")
def expectant():
    class Expectant(_Unit):
        def expectation(self, function):
            return 1.0

    return Expectant()


@found_by("mean and variance are those of the quantiles", "the variance is 0.5, by quantiles it is 0.0833")
def varied():
    class Varied(_Unit):
        variance = 0.5

    return Varied()


@found_by("the density is the slope of the cdf", "from 0.05 to 0.2 the density adds up to 0.3, and cdf rises by 0.15;")
def dense():
    class Dense(_Unit):
        def density(self, x):
            return np.full(np.shape(x), 2.0)

    return Dense()


@found_by("the density is the slope of the cdf", "a distribution with jumps has no density")
def stepped():
    class Stepped(_Unit):
        def quantile(self, u):
            return np.floor(4 * np.asarray(u)) / 3

    return Stepped()


@found_by("atoms are those of the quantiles", r"by its atoms quantile\(0.85\) is 1, but it is 0")
def swapped():
    class Swapped(rewards.DiscreteDistribution):
        atoms = np.array([0.0, 1.0]), np.array([0.7, 0.3])

        def quantile(self, u):
            return np.asarray(np.asarray(u) > 0.9, np.float64)

    return Swapped()


@found_by("atoms are those of the quantiles", r"the probabilities \[0.7, 0.4\] add up to 1.1")
def excessive():
    class Excessive(rewards.DiscreteDistribution):
        atoms = np.array([0.0, 1.0]), np.array([0.7, 0.4])

    return Excessive()


@dataclass(frozen=True)
class _Forgetful(rewards.Constant):
    def __getstate__(self):
        return {"value": 0.0}


@found_by("survives the way to another process", r"value=0.5\) comes back as .*value=0.0\)")
def forgetful():
    return _Forgetful(0.5)


@found_by("compiles", "gambler.choose cannot be compiled: it uses `random`; draw from history.stream")
def gambler():
    class Gambler(policies.Policy):
        @staticmethod
        def choose(history):
            return np.random.randint(history.arms)  # noqa: NPY002

    return Gambler()


@found_by("works from one arm to thirty", r"with 1 arms and a horizon of 1: two-armed failed, .* outside 0 \.\. 0")
def two_armed():
    class TwoArmed(policies.Policy):
        @staticmethod
        def choose(history):
            return history.step % 2

    return TwoArmed()


@found_by(
    "native code equals the source", r"in decision 1 under .*, with rewards .*, native code plays arm \d, the source"
)
def exponential():
    class Exponential(policies.Policy):
        @staticmethod
        def choose(history):
            power = 1
            for _ in range(70):
                power *= 3
            return power % 7 % history.arms

    return Exponential()


roll = ctypes.CDLL(None).rand  # a function of C, which is not refused at once
roll.argtypes = ()


@kernel
def hidden_dice(history):
    return roll() % history.arms


def _diceman():
    class Diceman(policies.Policy):
        @staticmethod
        def choose(history):
            return hidden_dice(history)

    return Diceman()


found_by("choices follow from what is known", "asked again with a change in nothing, arm")(_diceman)
found_by("gives the same on any number of threads", "on one thread and on two have different pulls")(_diceman)


@found_by("choices follow from what is known", "asked again with a change in history.scores and other scratch, arm")
def nostalgic():
    class Nostalgic(policies.Policy):
        @staticmethod
        def choose(history):
            history.scores[0] += 1.0
            return int(history.scores[0]) % history.arms

    return Nostalgic()


@found_by("choices follow from what is known", "asked again with a change in rewards that are not known yet, arm")
def clairvoyant():
    class Clairvoyant(policies.Policy):
        @staticmethod
        def choose(history):
            for k in range(history.arms):
                history.scores[k] = history.rewards[k, history.pulls[k]]
            return best_score(history)

    return Clairvoyant()


@found_by("compiles", r"meddler\.choose writes to the history; it may write to memory, scores")
def meddler():
    class Meddler(policies.Policy):
        @staticmethod
        def choose(history):
            history.sums[0] = 0.0
            return opening(history, history.step)

    return Meddler()


@found_by("compiles", r"learner\.learn writes to the history; it may write to memory, scores")
def learner():
    class Learner(policies.Policy):
        @staticmethod
        def choose(history):
            return opening(history, history.step)

        @staticmethod
        def learn(history, arm, reward):
            history.rewards[arm, history.pulls[arm] - 1] = reward + 1.0

    return Learner()


@found_by(
    "plays live as in a simulation", "a player gives arm 0, a simulation arm 1; a policy may not look at history.cap"
)
def spacious():
    class Spacious(policies.Policy):
        @staticmethod
        def choose(history):
            return 1 if history.capacity > 60 else 0

    return Spacious()


@found_by("plays live as in a simulation", "with 2 outcomes that are late: impatient failed")
def impatient():
    class Impatient(policies.Policy):
        @staticmethod
        def choose(history):
            for k in range(history.arms):
                if history.assigned[k] == 0:
                    return k
            for k in range(history.arms):
                history.scores[k] = value_of(history, k)
            return best_score(history)

    return Impatient()


@found_by(
    "does not care which arm is which", r"of 60 pulls on average \[60, 0, 0\] go to three arms, and \[0, 0, 60\] if"
)
def stubborn():
    class Stubborn(policies.Policy):
        @staticmethod
        def choose(history):
            return 0

    return Stubborn()

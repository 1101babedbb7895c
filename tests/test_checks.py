"""Every registered class passes every check, and every check finds what is wrong."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest

from primum import checks, policies, rewards, values
from primum.checks.finding import Finding, carry_out
from primum.errors import ParameterError
from primum.plugins.parameters import parameter
from primum.plugins.registry import FAMILIES
from tests.broken import BROKEN
from tests.test_modularity import ours

EVERYTHING = [plugin for family in FAMILIES for plugin in ours(family)]
OTHERS = [
    values.CVaR(0.35, "ceil"),
    values.CVaR(0.5, "chen"),
    values.CVaR(1.0),
    values.MeanVariance(0.0),
    rewards.Uniform(-3, 200),
    rewards.Bernoulli(0.0),
    rewards.Constant(0.0),
    policies.Npts(top=-2.0),
    policies.BesaPlus(floor=0.0),
]


@pytest.mark.parametrize("plugin", EVERYTHING + OTHERS, ids=str)
def test_what_there_is_passes(plugin):
    checks.assert_conforms(plugin)


@pytest.mark.parametrize(
    ("check", "says", "make"), BROKEN, ids=[f"{make.__name__}-{check}" for check, _, make in BROKEN]
)
def test_what_is_wrong_is_found(check, says, make, fresh_registry):
    plugin = make()
    (looked,) = (known for known in checks.CHECKS[plugin.family] if known.__name__ == check.replace(" ", "_"))
    finding = carry_out(looked, plugin)
    print(finding.sentence)
    assert not finding.passed
    assert re.search(says, finding.sentence), finding.sentence


def test_a_policy_that_refuses_all_arms_is_found(fresh_registry):
    class Hermit(policies.RoundRobin):
        only_arms = 7

    failed = [finding.sentence for finding in checks.run(Hermit()) if not finding.passed]
    assert "it accepts no number of arms from 1 to 5" in failed[0]


def test_every_check_is_shown_to_fail():
    known = {check.__name__.replace("_", " ") for family in checks.CHECKS.values() for check in family}
    assert {check for check, _, _ in BROKEN} == known


def test_a_report(fresh_registry):
    class Timid(values.MeanVariance):
        gamma = 1.5

    findings = checks.run(Timid())
    assert [finding.check for finding in findings if not finding.passed] == ["gamma bounds what one reward changes"]
    assert findings[0] == Finding("compiles", True, "native code was made, and it does not write to its sample")
    with pytest.raises(AssertionError, match="timid fails 1 of its checks\ngamma bounds .* claimed to be 1.5, but"):
        checks.assert_conforms(Timid())


def test_what_does_not_compile_is_all_that_is_said(fresh_registry):
    (vandal,) = (make() for _, _, make in BROKEN if make.__name__ == "vandal")
    assert [finding.check for finding in checks.run(vandal)] == ["compiles"]


@pytest.mark.parametrize("thing", [values.Mean, "mean", 3], ids=str)
def test_only_plug_ins_are_checked(thing):
    with pytest.raises(ParameterError, match="a value, a reward distribution or a policy can be checked, got"):
        checks.run(thing)


def test_a_policy_that_takes_few_values(fresh_registry):
    class Choosy(policies.EpsilonGreedy):
        def check_value(self, value):
            if value.name != "cvar":
                raise ParameterError("only cvar")

    class Impossible(policies.EpsilonGreedy):
        def check_value(self, value):
            raise ParameterError("nothing is good enough")

    checks.assert_conforms(Choosy())
    assert checks.run(Impossible())[0].sentence == "it accepts none of the built-in values"


def test_a_policy_that_knows_the_truth_or_keeps_a_queue(fresh_registry):
    class Knowing(policies.Policy):
        needs_truth = True

        @staticmethod
        def choose(history):
            best = 0
            for k in range(history.arms):
                if history.truth[k] > history.truth[best]:
                    best = k
            return best

    class Queueing(policies.Policy):
        memory_width = 1

        @staticmethod
        def choose(history):
            least = 0
            for k in range(history.arms):
                if history.memory[k, 0] < history.memory[least, 0]:
                    least = k
            history.memory[least, 0] += 1.0
            return least

    checks.assert_conforms(Knowing())
    checks.assert_conforms(Queueing())


def test_distributions_without_moments_or_with_many_steps(fresh_registry):
    @dataclass(frozen=True)
    class HeavyTail(rewards.RewardDistribution):
        shape: float = parameter(2.1, "smaller is heavier", low=1.0, open_low=True)
        support = (1.0, math.inf)

        def quantile(self, u):
            return (1 - np.asarray(u)) ** (-1 / self.shape)

        @property
        def mean(self):
            return self.shape / (self.shape - 1)

        @property
        def variance(self):
            if self.shape <= 2:
                raise ParameterError("there is no variance")
            return self.shape / ((self.shape - 1) ** 2 * (self.shape - 2))

    class Ages(rewards.DiscreteDistribution):
        atoms = np.unique(np.random.default_rng(1).exponential(100, 137)), np.full(137, 1 / 137)

    checks.assert_conforms(HeavyTail())
    said = {finding.check: finding.sentence for finding in checks.run(HeavyTail(shape=1.5)) if finding.passed}
    assert said["mean and variance are those of the quantiles"].endswith("no variance: there is no variance")
    checks.assert_conforms(Ages())

"""Which arm the data speak for is what the statistic says, not the difference of means."""

from __future__ import annotations

import numpy as np
import pytest

from primum import policies, rewards, trials, values
from primum.trials.operating.characteristics import Truth, characteristics
from primum.trials.operating.measures import Measures
from primum.trials.simulation import running
from tests.trials import made_up

# the new arm has mostly lower outcomes and a few huge ones: its mean is higher
SKEWED = [rewards.Uniform(0.4, 0.5), rewards.Discrete([0.0, 10.0], [0.85, 0.15])]


def concluded(design, count=40, seed=1):
    done = running.run(design, trials.Scenario(SKEWED), seed, range(count))
    return Measures.of(done), done


def test_ranks_and_means_disagree_and_the_test_of_ranks_speaks_for_ranks():
    """Every second trial at least has a mean that points the other way, so the sign of it would fail."""
    design = made_up.design(patients=60, analysis=trials.MannWhitney())
    measures, done = concluded(design)
    z = design.analysis.statistic(done.data)
    higher_mean = done.data.means[:, 1:] > done.data.means[:, :1]
    significant = measures["concluded"] != 0
    assert (significant & higher_mean).sum() >= 20
    assert (measures["concluded"][significant] == -1).all()
    assert (design.analysis.direction(done.data) == np.sign(z)).all()
    found = {each.name: each for each in characteristics(measures, design, Truth.of(design, trials.Scenario(SKEWED)))}
    assert found["claim"].value[1] == 0 < found["claim"].value[0]
    table = trials.simulate_one(design, SKEWED, seed=1).analyse()
    assert table["favours"].tolist() == ["control"]
    assert table["estimate"].item() > 0


def test_the_randomisation_test_speaks_for_the_better_value():
    """The worst 30 % of the control are far better, though its mean is lower."""
    design = made_up.design(patients=60, value=values.CVaR(alpha=0.3), analysis=trials.RandomisationTest(runs=99))
    measures, done = concluded(design, 10)
    higher_mean = done.data.means[:, 1:] > done.data.means[:, :1]
    assert ((measures["concluded"] == -1) & higher_mean).any()
    assert (measures["concluded"] <= 0).all()


def test_posterior_probabilities_speak_relative_to_one_half():
    data = made_up.successes([[20, 20]] * 3, [[6, 12], [12, 6], [9, 9]])
    for rule in (trials.PosteriorSuperiority(), trials.NormalSuperiority()):
        assert rule.direction(data)[:2, 0].tolist() == [1, -1]
    assert trials.NormalSuperiority().direction(data)[2, 0] == 0
    # a prior that thinks little of the arm with more data
    rule = trials.PosteriorSuperiority(prior_successes=1, prior_failures=200)
    few = made_up.successes([[400, 4]], [[100, 2]])
    assert np.sign(few.means[0, 1] - few.means[0, 0]) == 1
    assert rule.direction(few).item() == -1


def test_exact_tests_speak_as_the_statistic_that_orders():
    order = trials.PosteriorSuperiority(prior_successes=1, prior_failures=200)
    few = made_up.successes([[400, 4]], [[100, 2]])
    for kind in (trials.ConditionalExact, trials.UnconditionalExact):
        assert kind(order=order).direction(few).item() == order.direction(few).item() == -1


def test_an_analysis_without_a_statistic_compares_means():
    data = made_up.successes([[20, 20]] * 3, [[6, 12], [12, 6], [9, 9]])
    assert trials.Fisher().direction(data)[:, 0].tolist() == [1, -1, 0]


@pytest.mark.parametrize("sided", ["greater", "less"])
def test_a_one_sided_rejection_is_of_the_alternative(sided):
    data = made_up.successes([[20, 20]], [[6, 12]])
    found = trials.Fisher(sided=sided).conclusions(np.array([[True]]), data)
    assert found.item() == {"greater": 1, "less": -1}[sided]


def test_the_exact_law_counts_a_wrong_conclusion_by_the_statistic():
    """A prior against high rates makes the statistic contradict the proportions where an arm has few patients.

    4,000 simulated trials; beyond 4.5 standard errors with probability 7e-6.
    """
    rule = trials.PosteriorSuperiority(prior_successes=1, prior_failures=12, threshold=0.8)
    design = trials.Design(arms=["control", "new"], patients=24, policy=policies.Thompson(), burn_in=1, analysis=rule)
    arms = [rewards.Bernoulli(0.5), rewards.Bernoulli(0.8)]
    law = trials.exact(design, progress=False)
    oc = trials.operate(design, {"": arms}, replications=4_000, seed=2, exact=False, progress=False).data
    exact = float(law.wrong(0.5, 0.8))
    assert exact > 0.01
    assert abs(exact - oc["wrong"].item()) <= 4.5 * oc["wrong_error"].item()
    by_means = sum(
        float((end.chance * rejected * (end.difference < 0)).sum())
        for end, rejected in zip(law.ends, law.rejected, strict=True)
        if 0 not in end.pulls
    )
    by_statistic = sum(
        float((end.chance * declared[0]).sum()) for end, declared in zip(law.ends, law._declared, strict=True)
    )
    assert abs(by_means - by_statistic) > 0.001, "the two differ for this design"

"""The paper's simulated environment."""

import numpy as np
import pytest

from primum.errors import ParameterError
from primum.rewards import paper_mixture


def test_a_seed_always_gives_the_same_arms():
    arms = paper_mixture(arms=20, seed=7)
    assert list(arms) == [f"arm {i}" for i in range(1, 21)]
    assert paper_mixture(arms=3, seed=7) == dict(list(arms.items())[:3])
    assert paper_mixture(arms=3, seed=8) != paper_mixture(arms=3, seed=7)
    numbers = np.random.Generator(np.random.Philox(key=7)).random((20, 2, 4))  # NumPy's own way to make doubles
    for arm, (locations, deviations) in zip(arms.values(), numbers, strict=True):
        np.testing.assert_array_equal(arm.locations, locations)
        np.testing.assert_array_equal(arm.deviations, 0.5 + deviations / 2)
        assert (arm.support, arm.truncate, arm.weights) == ((0, 1), "mixture", ())


def test_sizes_of_values_and_gaps():
    """Averages over environments, known from an independent computation with other random numbers to these errors."""
    worst, steady, variances = [], [], []
    for seed in range(12):
        arms = paper_mixture(seed=seed).values()
        worst.append(sorted((arm.lower_integral(0.1) / 0.1 for arm in arms), reverse=True))
        steady.append(sorted((arm.mean - arm.variance for arm in arms), reverse=True))
        variances += [arm.variance for arm in arms]
    worst, steady = np.array(worst), np.array(steady)
    for table, best, gaps, error in (
        (worst, 0.076, (0.005, 0.019, 0.030), 0.005),
        (steady, 0.47, (0.011, 0.048, 0.088), 0.015),
    ):
        assert table[:, 0].mean() == pytest.approx(best, abs=error)
        found = (table[:, :1] - np.stack([table[:, 1], np.median(table, axis=1), table[:, -1]], axis=1)).mean(axis=0)
        assert found == pytest.approx(gaps, abs=error)
    assert np.quantile(variances, [0.05, 0.95]) == pytest.approx([0.076, 0.080], abs=5e-4)


@pytest.mark.parametrize(
    ("bad", "sentence"),
    [
        ({"arms": 0}, "paper_mixture: arms must be a whole number in [1, inf), got 0"),
        ({"arms": 2.5}, "paper_mixture: arms must be a whole number in [1, inf), got 2.5"),
        ({"seed": -1}, "paper_mixture: seed must be a whole number in [0, 2^64 - 1], got -1"),
        ({"seed": 1.5}, "paper_mixture: seed must be a whole number in [0, 2^64 - 1], got 1.5"),
    ],
)
def test_bad_input_gets_a_sentence(bad, sentence):
    with pytest.raises(ParameterError) as caught:
        paper_mixture(**bad)
    assert str(caught.value) == sentence

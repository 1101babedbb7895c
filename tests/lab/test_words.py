"""Plug-ins in words."""

import pytest

from primum.lab.drafts.labels import in_words
from primum.plugins.registry import build


@pytest.mark.parametrize(
    ("family", "spec", "words"),
    [
        ("values", "mean", "mean"),
        ("values", "cvar", "cvar (alpha 0.1)"),
        ("values", "cvar(alpha=0.123456, estimator='chen')", "cvar (alpha 0.1235, estimator chen)"),
        ("values", "formula(text='mean - var')", "mean - var"),
        ("rewards", "uniform", "uniform (low 0, high 1)"),
        ("rewards", "empirical(data=[0, 1])", "empirical (2 observations)"),
        ("rewards", "empirical(data=[0.5])", "empirical (1 observation)"),
        ("rewards", "clipped(distribution=constant(value=2))", "clipped (constant (value 2), low 0, high 1)"),
        ("rewards", "mixture(components=[uniform, constant(value=1)])", "mixture (2 components)"),
        (
            "rewards",
            "truncated-normal-mixture(locations=[0.1, 0.2, 0.3, 0.4], deviations=[1, 1, 1, 1])",
            "truncated-normal-mixture (4 locations, 4 deviations, low 0, high 1)",
        ),
        (
            "rewards",
            "discrete(values=[0, 1], probabilities=[0.25, 0.75])",
            "discrete (values 0 1, probabilities 0.25 0.75)",
        ),
        ("policies", "explore-then-commit(per_arm=5)", "explore-then-commit (per arm 5)"),
    ],
)
def test_names_and_parameters(family, spec, words):
    assert in_words(build(family, spec)) == words

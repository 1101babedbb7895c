"""What is drawn of a distribution is the distribution."""

import math

import numpy as np
import pytest
from scipy import stats

from primum.lab.drafts.densities import MOST_ATOMS_DRAWN, MOST_POINTS, atoms, density
from primum.plugins import registry


def build(text):
    return registry.build("rewards", text)


def area(distribution) -> float:
    curve = density(distribution)
    return float(np.trapezoid(curve.y, curve.x)) + sum(atom.probability for atom in atoms(distribution))


@pytest.mark.parametrize(
    "text",
    [
        "uniform(low=-2, high=3)",
        "beta(a=2, b=5)",
        "beta(a=100000, b=100000)",
        "truncated-normal(location=0.3, deviation=0.2)",
        "truncated-normal(location=0.3, deviation=0.0001)",
        "truncated-normal(location=5, deviation=0.1)",
        "truncated-normal-mixture(locations=[0.1, 0.5, 0.9], deviations=[0.001, 0.1, 0.002])",
        "mixture(components=[constant(value=0), uniform(low=0.5, high=1)], weights=[0.3, 0.7])",
        "mixture(components=[uniform(low=0, high=0.01), uniform(low=0.7, high=1)])",
        "clipped(distribution=uniform(low=-1, high=2))",
        "clipped(distribution=scipy(distribution='norm'))",
        "scaled(distribution=beta(a=2, b=2), low=10, high=20)",
        "empirical(data=[0.1, 0.1, 0.7])",
        "constant(value=0.4)",
        "bernoulli(probability=0.2)",
        "scipy(distribution='poisson', shapes=[300])",
    ],
)
def test_curve_and_atoms_add_up_to_one(text):
    distribution = build(text)
    assert area(distribution) == pytest.approx(1, abs=0.01)
    curve = density(distribution)
    assert len(curve.x) == len(curve.y) <= MOST_POINTS
    assert curve.x == sorted(set(curve.x))


@pytest.mark.parametrize("name", ["norm", "cauchy", "gumbel_r"])
def test_an_infinite_support_ends_at_quantiles(name):
    curve = density(build(f"scipy(distribution='{name}')"))
    law = getattr(stats, name)
    assert (curve.x[0], curve.x[-1]) == pytest.approx(tuple(law.ppf([0.001, 0.999])))
    assert curve.y == pytest.approx(law.pdf(curve.x))
    assert np.trapezoid(curve.y, curve.x) == pytest.approx(0.998, abs=0.01)


def test_heights_are_those_of_the_density():
    curve = density(build("beta(a=2, b=5)"))
    assert curve.y == pytest.approx(stats.beta(2, 5).pdf(curve.x))
    mixed = density(build("mixture(components=[constant(value=0.5), uniform(low=0, high=2)], weights=[0.2, 0.8])"))
    assert mixed.y == pytest.approx([0.4] * len(mixed.x))


@pytest.mark.parametrize("a", [0.01, 0.5, 0.9])
def test_infinite_ends_are_cut(a):
    curve = density(build(f"beta(a={a}, b={a})"))
    assert all(map(math.isfinite, curve.y))
    assert curve.y[0] == curve.y[-1] == max(curve.y) < 130
    inside = [(x, y) for x, y in zip(curve.x, curve.y, strict=True) if 0.1 < x < 0.9]
    assert [y for _, y in inside] == pytest.approx(stats.beta(a, a).pdf([x for x, _ in inside]))


def test_what_has_no_density_has_no_curve():
    for text in ("constant(value=1)", "clipped(distribution=uniform(low=5, high=6))", "empirical(data=[1, 2])"):
        assert density(build(text)).x == []


def test_atoms():
    assert [(atom.reward, atom.probability) for atom in atoms(build("empirical(data=[1, 1, 0.5, 2])"))] == [
        (0.5, 0.25),
        (1, 0.5),
        (2, 0.25),
    ]
    ends = atoms(build("clipped(distribution=uniform(low=-1, high=3))"))
    assert [(atom.reward, atom.probability) for atom in ends] == [(0, 0.25), (1, 0.5)]


def test_many_atoms_are_gathered():
    many = registry.build("rewards", {"name": "empirical", "data": [i / 600 for i in range(600)] + [1.0] * 400})
    told = atoms(many)
    assert len(told) == MOST_ATOMS_DRAWN
    assert sum(atom.probability for atom in told) == pytest.approx(1)
    assert told[-1].probability == pytest.approx(0.41)
    assert told[0].reward == pytest.approx(1 / 120)

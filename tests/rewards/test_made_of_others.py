"""Clipped, scaled and mixed distributions, in each other, against their definitions."""

import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from primum import rewards
from primum.errors import InvalidInput, PrimumError
from primum.plugins import registry
from primum.problem import check_distribution
from primum.rewards import Bernoulli, Beta, Clipped, Constant, Discrete, Empirical, Mixture, Scaled, Scipy, Uniform
from primum.runs import Experiment
from tests.rewards.by_definition import ByDefinition

NORMAL = rewards.TruncatedNormal(0.4, 0.3, -1, 2)
MIXED = Mixture([Constant(0.25), NORMAL, Bernoulli(0.5)], [0.2, 0.5, 0.3])
ARMS = {
    "clipped": Clipped(NORMAL),
    "clipped below": Clipped(NORMAL, low=0.3, high=5),
    "clipped nowhere": Clipped(NORMAL, low=-1, high=2),
    "clipped unbounded": Clipped(Scipy("norm", scale=0.5), low=-0.2, high=0.9),
    "clipped atoms": Clipped(Discrete([-2, -1, 0.5, 2, 3], [0.1, 0.2, 0.3, 0.15, 0.25])),
    "scaled": Scaled(Beta(2, 3), low=-1, high=5),
    "scaled atoms": Scaled(Empirical([0.1, 0.3, 0.3, 0.7]), low=0.1, high=0.45),
    "scaled clipped": Scaled(Clipped(NORMAL, 0.1, 0.7), low=-0.1, high=0.3),
    "scaled mixed": Scaled(MIXED, low=0.1, high=0.8),
    "smooth": Mixture([NORMAL, Beta(2, 5), Uniform(0.5, 0.75)]),
    "gap": Mixture([Uniform(0, 1), Uniform(2, 3)], [0.25, 0.75]),
    "atoms": Mixture([Bernoulli(0.3), Constant(0.5), Empirical([0, 0.5, 2])], [0.5, 0.2, 0.3]),
    "mixed": MIXED,
    "unbounded": Mixture([Scipy("norm"), Scipy("expon", scale=0.2), Constant(0.5)], [0.25, 0.5, 0.25]),
    "in each other": Clipped(
        Mixture([Scaled(Beta(2, 3), -1, 2), Clipped(Scipy("norm", scale=0.5)), Bernoulli(0.5)], [0.5, 0.25, 0.25]),
        low=0.0,
        high=0.9,
    ),
    "mixture of clipped": Mixture([Clipped(MIXED, 0.1, 0.6), Beta(2, 2)]),
}
every = pytest.mark.parametrize("arm", ARMS.values(), ids=ARMS)
LEVELS = np.array([1e-6, 0.01, 0.37, 0.9])


@every
def test_moments_and_expectations(arm):
    exact = ByDefinition(arm)
    mean = exact.expectation(lambda x: x)
    assert arm.mean == pytest.approx(mean, abs=1e-10)
    assert arm.lower_integral(1.0) == pytest.approx(mean, abs=1e-10)
    assert arm.expectation(lambda x: x) == pytest.approx(mean, abs=1e-10)
    variance = exact.expectation(lambda x: (x - mean) ** 2)
    assert arm.variance == pytest.approx(variance, abs=1e-9)
    assert arm.expectation(lambda x: max(0.37 - x, 0.0)) == pytest.approx(
        exact.expectation(lambda x: max(0.37 - x, 0.0), [0.37]), abs=1e-10
    )


@every
def test_cdf_quantile_and_lower_integral(arm):
    exact = ByDefinition(arm)
    low, high = np.clip(arm.support, -5, 5)
    x = np.linspace(low - 0.1, high + 0.1, 12)
    x = x[np.abs(x[:, None] - arm.jumps[0]).min(axis=1, initial=1.0) > 1e-9]  # there, rounding decides
    np.testing.assert_allclose(arm.cdf(x), [exact.cdf(point) for point in x], atol=1e-11)
    for level, quantile in zip(LEVELS, arm.quantile(LEVELS), strict=True):
        assert exact.cdf(quantile - 1e-9) < level < exact.cdf(quantile + 1e-9)
        assert arm.lower_integral(level) == pytest.approx(exact.lower_integral(level, quantile), abs=1e-11)


@every
def test_jumps_and_densities_add_up(arm):
    exact = ByDefinition(arm)
    points, masses = arm.jumps
    for point, mass in zip(points, masses, strict=True):
        assert exact.cdf(point + 1e-9) - exact.cdf(point - 1e-9) == pytest.approx(mass, abs=1e-7)
    assert (arm.density(0.5) is None) == (points.size > 0)
    x = np.setdiff1d(np.linspace(-0.98, 1.97, 12), points)  # nowhere near a kink
    steps = [(exact.cdf(point + 1e-4) - exact.cdf(point - 1e-4)) / 2e-4 for point in x]
    np.testing.assert_allclose(arm.smooth_density(x), steps, atol=1e-5)
    if arm.atoms is not None:
        np.testing.assert_array_equal(arm.atoms, arm.jumps)
        assert masses.sum() == pytest.approx(1, abs=1e-12)


@every
def test_quantile_is_the_generalised_inverse(arm):
    u = np.concatenate(
        [np.random.default_rng(1).random(5000), 10.0 ** -np.arange(3, 16), 1 - 10.0 ** -np.arange(3, 16)]
    )
    x = arm.quantile(u)
    assert (arm.cdf(x + 4 * np.spacing(np.abs(x))) >= u - 1e-12).all()
    assert (arm.cdf(x - 4 * np.spacing(np.abs(x))) <= u + 1e-12).all()
    assert (np.diff(arm.quantile(np.sort(u))) >= 0).all()
    points, masses = arm.jumps
    tops = arm.cdf(points)
    for share in (1e-6, 0.5, 1 - 1e-6):  # a jump is met to the last digit, all the way up
        np.testing.assert_array_equal(arm.quantile(tops - (1 - share) * masses), points)
    if arm.atoms is not None:
        np.testing.assert_array_equal(arm.quantile(np.minimum(tops, 1 - 2.0**-53)), points)
    assert arm.quantile(u[:6].reshape(2, 3)).shape == (2, 3)
    assert arm.quantile(0.3).shape == ()
    check_distribution("it", arm)


@every
def test_round_trips(arm):
    before = arm.quantile(LEVELS)
    for twin in (
        registry.build("rewards", json.loads(json.dumps(arm.spec()))),
        registry.build("rewards", arm.label),
        pickle.loads(pickle.dumps(arm)),
        eval(repr(arm), vars(rewards) | {"empirical": lambda data: Empirical(data)}),
    ):
        assert twin == arm
        assert hash(twin) == hash(arm)
        np.testing.assert_array_equal(twin.quantile(LEVELS), before)


def test_experiment_files_nest_tables_and_text():
    head = 'horizon = 10\nreplications = 1\nvalue = "mean"\npolicies = ["besa"]\n[arms]\n'
    experiment = Experiment.from_toml(
        head
        + 'a = { name = "clipped", distribution = { name = "mixture", components = ["uniform(low=-1, high=1)", '
        + '{ name = "scipy", distribution = "norm" }] }, high = 0.5 }\n'
        + "b = \"clipped(distribution=mixture(components=[uniform(low=-1), scipy(distribution='norm')]), high=0.5)\"\n"
    )
    inner = Mixture([Uniform(-1, 1), Scipy("norm")])
    assert experiment.arms == {"a": Clipped(inner, high=0.5), "b": Clipped(inner, high=0.5)}
    assert Experiment.from_toml(experiment.to_toml()) == experiment
    with pytest.raises(InvalidInput) as caught:
        Experiment.from_toml(head + 'a = { name = "scaled", distribution = { name = "beta", a = -1, b = 1 }, low = 0 }')
    assert str(caught.value).splitlines() == [
        "the experiment: arms.a.distribution: beta: a must be in [0.01, 1e+06], got -1",
        "the experiment: arms.a: scaled: high is missing; it must be a finite number",
    ]


leaves = st.one_of(
    st.builds(Bernoulli, st.floats(0.1, 0.9)),
    st.builds(Constant, st.floats(-1, 1)),
    st.builds(Beta, st.floats(0.5, 5), st.floats(0.5, 5)),
    st.builds(lambda low, width: Uniform(low, low + width), st.floats(-1, 1), st.floats(0.1, 2)),
    st.builds(Empirical, st.lists(st.floats(-1, 1), min_size=2, max_size=5, unique_by=lambda x: round(x, 3))),
)


def wider(inner):
    clipped = st.builds(
        lambda arm, low, width: Clipped(arm, low, low + width), inner, st.floats(-1, 0.5), st.floats(0.1, 2)
    )
    scaled = inner.filter(lambda arm: arm.support[0] < arm.support[1]).flatmap(
        lambda arm: st.builds(lambda low, width: Scaled(arm, low, low + width), st.floats(-1, 1), st.floats(0.1, 2))
    )
    return st.one_of(clipped, scaled, st.builds(Mixture, st.lists(inner, min_size=1, max_size=3)))


@settings(max_examples=60)
@given(st.recursive(leaves, wider, max_leaves=5), st.lists(st.floats(1e-6, 1 - 1e-6), min_size=1, max_size=20))
def test_any_nesting_holds_together(arm, u):
    u = np.sort(u)
    x = arm.quantile(u)
    low, high = arm.support
    assert ((x >= low) & (x <= high)).all()
    assert (np.diff(x) >= 0).all()
    width = 4 * np.spacing(np.maximum(np.abs(x), 1))
    assert (arm.cdf(x + width) >= u - 1e-11).all()
    assert (arm.cdf(x - width) <= u + 1e-11).all()
    assert arm.lower_integral(1.0) == pytest.approx(arm.mean, abs=1e-10)
    assert arm.expectation(lambda y: y) == pytest.approx(arm.mean, abs=1e-9)
    assert arm.expectation(lambda y: (y - arm.mean) ** 2) == pytest.approx(arm.variance, abs=1e-9)
    z = float(arm.quantile(u[0]))
    dual = u[0] * z - arm.expectation(lambda y: np.maximum(z - y, 0))
    assert arm.lower_integral(u[0]) == pytest.approx(dual, abs=1e-9)
    assert registry.build("rewards", arm.spec()) == registry.build("rewards", arm.label) == arm
    check_distribution("it", arm)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Clipped("unifrom"),
            "distribution: no reward distribution named 'unifrom'; did you mean 'uniform'?",
        ),
        (
            lambda: Clipped(0.5),
            "distribution: a reward distribution is given by its name and parameters, got 0.5",
        ),
        (lambda: Clipped("mean"), "distribution: no reward distribution named 'mean'; did you mean 'beta'?"),
        (lambda: Clipped("uniform", 1, 0), "clipped: low must be less than high, got low=1 and high=0"),
        (
            lambda: Clipped(Scaled, 1, 0),
            "clipped: distribution must be a reward distribution, got the callable "
            "<class 'primum.rewards.scaled.Scaled'>: "
            "parameters are data, so that an experiment can be saved and repeated",
        ),
        (lambda: Mixture("uniform"), "mixture: components must be a list, each a reward distribution, got 'uniform'"),
        (lambda: Mixture([]), "mixture: components must have at least one distribution, got none"),
        (
            lambda: Mixture(["uniform", {"name": "beta", "a": 1}]),
            "components[1]: beta: b is missing; it must be a number in [0.01, 1e+06]",
        ),
        (lambda: Mixture(["uniform"], [0.5, 0.5]), "mixture: weights must be as many as components (1), got 2"),
        (lambda: Mixture(["uniform"] * 2, [0.5, 0.6]), "mixture: weights must add up to 1, got 1.1"),
        (
            lambda: Scaled(Scipy("norm"), 0, 1),
            "scaled: distribution must have rewards in a bounded interval, got scipy(distribution='norm') on "
            "(-inf, inf); put clipped(distribution=...) around it",
        ),
        (
            lambda: Scaled(Constant(1), 0, 1),
            "scaled: distribution must have more than one reward, got constant(value=1); use constant(value=...)",
        ),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(PrimumError) as caught:
        make()
    assert str(caught.value) == sentence


@pytest.mark.parametrize("size", [1e3, 1e8, 1e16, 1e20, 1e60, 1e307])
def test_the_mean_of_what_is_clipped_from_afar(size):
    uniform = rewards.Clipped(rewards.Uniform(-size, 2 * size), low=-1, high=3)
    assert uniform.mean == pytest.approx(5 / 3 - 4 / (3 * size), abs=1e-9)
    discrete = rewards.Clipped(rewards.Discrete([-size, 0.5, size], [0.25, 0.5, 0.25]), low=0, high=1)
    assert discrete.mean == pytest.approx(0.5, abs=1e-9)
    assert discrete.variance == pytest.approx(0.125, abs=1e-9)

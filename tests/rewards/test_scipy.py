"""SciPy's distributions as data."""

import json
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from primum import Problem, Study, simulate, values
from primum.errors import ParameterError
from primum.plugins import registry
from primum.problem import check_distribution
from primum.rewards import Clipped, Mixture, Scipy
from primum.rewards.scipy import Frozen, evaluate_here, evaluated_by
from primum.runs import Experiment

FROZEN = {
    "expon": stats.expon(scale=0.2),
    "gamma": stats.gamma(2.5, loc=-1, scale=0.3),
    "by name": stats.beta(b=3, a=0.7),
    "in order": stats.norm(0.5, 0.1),
    "t": stats.t(5),
    "pareto": stats.pareto(3.5),
    "poisson": stats.poisson(3.5, loc=-2),
    "binom": stats.binom(10, 0.3),
    "randint": stats.randint(2, 7),
}
every = pytest.mark.parametrize("frozen", FROZEN.values(), ids=FROZEN)


@every
def test_it_is_what_scipy_has(frozen):
    arm = Scipy(frozen)
    u = np.random.default_rng(1).random(500)
    np.testing.assert_allclose(arm.quantile(u), frozen.ppf(u), rtol=1e-13)
    x = frozen.ppf(np.linspace(0.001, 0.999, 30))
    np.testing.assert_allclose(arm.cdf(x), frozen.cdf(x), atol=1e-13)
    assert arm.mean == pytest.approx(frozen.mean(), abs=1e-12)
    assert arm.variance == pytest.approx(frozen.var(), abs=1e-11)
    if arm.atoms is None:
        assert arm.support == frozen.support()
        np.testing.assert_allclose(arm.density(x), frozen.pdf(x), rtol=1e-12)
    else:
        assert arm.density(x) is None
        np.testing.assert_allclose(arm.atoms[1], frozen.pmf(arm.atoms[0]), atol=1e-15)
    check_distribution("it", arm)


@every
def test_partial_expectations(frozen):
    """At a level: level z - E (z - X)+, by SciPy's own integration or summation."""
    arm = Scipy(frozen)
    for level in (0.01, 0.3, 0.9):
        z = frozen.ppf(level)
        if arm.atoms is None:
            below = frozen.expect(lambda x, z=z: np.maximum(z - x, 0.0), ub=z)
        else:
            below = sum(frozen.pmf(k) * (z - k) for k in range(-10, int(z)))
        assert arm.lower_integral(level) == pytest.approx(level * z - below, abs=1e-8)
        assert values.CVaR(level).true_value(arm) == pytest.approx(z - below / level, abs=1e-7)
    assert arm.expectation(lambda x: np.exp(-np.abs(x))) == pytest.approx(
        frozen.expect(lambda x: np.exp(-np.abs(x))), abs=1e-7
    )


@every
def test_round_trips(frozen):
    arm = Scipy(frozen)
    for twin in (
        registry.build("rewards", json.loads(json.dumps(arm.spec()))),
        registry.build("rewards", arm.label),
        pickle.loads(pickle.dumps(arm)),
        eval(repr(arm), {"Scipy": Scipy}),
    ):
        assert twin == arm
        assert hash(twin) == hash(arm)
        np.testing.assert_array_equal(twin.quantile([0.1, 0.9]), arm.quantile([0.1, 0.9]))


def test_what_is_data():
    assert Scipy(stats.gamma(2, scale=0.1)).spec() == {
        "name": "scipy",
        "distribution": "gamma",
        "shapes": [2.0],
        "location": 0.0,
        "scale": 0.1,
    }
    assert Scipy(stats.norm(loc=1)) == Scipy(stats.norm(1)) == Scipy("norm", location=1)
    assert Scipy("expon", scale=0.2).label == "scipy(distribution='expon', scale=0.2)"


def test_infinite_moments_are_refused_and_clipping_helps():
    cauchy, heavy = Scipy("cauchy"), Scipy("pareto", [0.5])
    sentence = "cauchy has no finite mean; put clipped(distribution=...) around it"
    far = "an expectation depends on rewards too far in the tail to be drawn; put clipped(distribution=...) around it"
    for ask, expected in [
        (lambda: cauchy.mean, sentence),
        (lambda: cauchy.lower_integral(1.0), sentence),
        (lambda: Problem({"a": Mixture([cauchy, "uniform"])}, "mean").gaps, f"arms.a: {sentence}"),
        (lambda: cauchy.variance, sentence.replace("mean", "variance")),
        (lambda: cauchy.lower_integral(0.1), f"cauchy: {far}"),
        (lambda: values.CVaR(0.1).true_value(cauchy), f"cauchy: {far}"),
        (lambda: Scipy("t", [2.5]).expectation(lambda x: x**2), f"t(2.5): {far}"),
        (lambda: heavy.expectation(lambda x: x), f"pareto(0.5): {far}"),
    ]:
        with pytest.raises(ParameterError) as caught:
            ask()
        assert str(caught.value) == expected
    assert heavy.lower_integral(0.5) == pytest.approx(1.0, abs=1e-10)  # u -> 1 / (1 - u)^2, up to a half
    assert cauchy.expectation(lambda x: np.abs(x) < 1) == pytest.approx(0.5, abs=1e-10)
    assert Clipped(cauchy, -1, 1).mean == pytest.approx(0, abs=1e-12)
    assert Clipped(cauchy, -1, 1).lower_integral(0.25) == pytest.approx(-0.25, abs=1e-12)
    assert np.isfinite(Problem({"a": Clipped(cauchy), "b": Scipy("norm")}, "cvar").true_values).all()


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda: Scipy("exponn"),
            "scipy: distribution: no distribution in scipy.stats named 'exponn'; did you mean 'expon'?",
        ),
        (
            lambda: Scipy("kstest"),
            "scipy: distribution: no distribution in scipy.stats named 'kstest'; did you mean 'kstwo'?",
        ),
        (lambda: Scipy(3), "scipy: distribution must be a text, got 3"),
        (lambda: Scipy("gamma"), "scipy: shapes of 'gamma' must be 1 (a), got []"),
        (lambda: Scipy("norm", [1, 2]), "scipy: shapes of 'norm' must be none, got [1.0, 2.0]"),
        (lambda: Scipy("gamma", [-1]), "scipy: 'gamma' does not take shapes=[-1.0]"),
        (lambda: Scipy("norm", scale=0), "scipy: scale must be in (0, inf), got 0"),
        (lambda: Scipy("poisson", [1], scale=2), "scipy: scale of 'poisson', a discrete distribution, must be 1"),
        (lambda: Scipy("randint", [0, 10**7]).mean, "scipy: 'randint' has more than 100000 rewards"),
        (
            lambda: Scipy(stats.rv_discrete(values=([1, 2], [0.5, 0.5]))()),
            "scipy: distribution must be one that scipy.stats has a name for, got 'Distribution'; "
            "write your own reward distribution, or use discrete(values=..., probabilities=...)",
        ),
    ],
)
def test_bad_parameters_get_a_sentence(make, sentence):
    with pytest.raises(ParameterError) as caught:
        make()
    assert str(caught.value) == sentence


def test_what_is_no_frozen_distribution():
    for given in (stats.norm, np.sin, stats.Normal(), stats.norm([0, 1])):
        with pytest.raises(ParameterError, match="scipy: (distribution|location) must be a"):
            Scipy(given)


def test_frozen_distributions_are_arms():
    arms = {"a": FROZEN["gamma"], "b": FROZEN["poisson"], "c": stats.norm(0, 1)}
    problem = Problem(arms, "mean")
    assert problem.arms == {name: Scipy(arm) for name, arm in arms.items()}
    assert Problem.from_spec(json.loads(json.dumps(problem.spec()))) == problem
    assert Mixture([stats.norm(0, 1), "uniform"]) == Mixture([Scipy("norm"), "uniform"])
    given = {"policies": ["ucb1"], "value": "mean", "horizon": 20, "replications": 3, "seed": 1}
    for study in (Study(arms=arms, **given), Study(problems={"one": {"arms": arms}}, **given)):
        assert Study.from_toml(study.to_toml()) == study
        assert study.experiment(0).problem() == problem
    assert Experiment(arms=arms, **given).problem() == problem
    assert simulate(problem, ["ucb1"], horizon=20, replications=3, seed=1, progress=False).problem == problem


class Custom(stats.rv_continuous):
    """Not one that SciPy has a name for."""

    def _cdf(self, x):
        return x


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (stats.norm, "a distribution of scipy.stats must be frozen, like scipy.stats.norm(0, 1), got norm"),
        (Custom(name="mine"), "a distribution of scipy.stats must be frozen, like scipy.stats.norm(0, 1), got mine"),
        (
            stats.Normal(),
            "a distribution of scipy.stats must be frozen, like scipy.stats.norm(0, 1), got StandardNormal",
        ),
        (
            Custom(a=0, b=1, name="mine")(),
            "scipy: distribution must be one that scipy.stats has a name for, got 'mine'; "
            "write your own reward distribution, or use discrete(values=..., probabilities=...)",
        ),
        (stats.norm([0, 1]), "scipy: location must be a finite number, got [0, 1]"),
        (np.random.default_rng(1), "a reward distribution is given by its name and parameters, got "),
    ],
    ids=["not frozen", "custom", "of the new kind", "custom and frozen", "several", "something else"],
)
def test_what_cannot_be_an_arm_gets_a_sentence(given, sentence):
    with pytest.raises(ParameterError) as caught:
        Problem({"new": given}, "mean")
    assert str(caught.value).startswith(f"arms.new: {sentence}")
    assert caught.value.path[:2] == ("arms", "new")


def test_scipy_is_not_imported_before_it_is_needed():
    code = "import sys, primum; from primum import rewards; print('scipy.stats' in sys.modules, 'scipy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


@pytest.mark.parametrize(
    ("name", "shapes"),
    [
        ("kstwo", [0]),
        ("genhalflogistic", [0]),
        ("irwinhall", [1e300]),
        ("poisson_binom", [0.5]),
        ("betabinom", [1e300] * 3),
        ("beta", [5e-324, 1e6]),
        ("zipf", [1.5]),
        ("betanbinom", [5, 1, 1]),
    ],
)
def test_what_scipy_cannot_evaluate_is_said_in_a_sentence(name, shapes):
    with pytest.raises(ParameterError, match=f"scipy: '{name}' (does not take shapes|has more than 100000 rewards)"):
        Scipy(name, shapes).quantile(0.5)


def test_construction_evaluates_no_quantile():
    """A quantile of some distributions takes minutes and gigabytes."""
    asked = []

    def noting(frozen, method, *arguments):
        asked.append(method)
        return evaluate_here(frozen, method, *arguments)

    with evaluated_by(noting):
        arm = Scipy("zipf", [1.01])
        assert asked == ["support"]
        assert Scipy("gamma", [2]).quantile(0.5) == stats.gamma(2).ppf(0.5)
        assert "ppf" in asked
    asked.clear()
    assert (arm.spec()["shapes"], Scipy("norm").mean, asked) == ([1.01], 0, [])


def test_what_scipy_raises_is_a_sentence():
    with pytest.raises(ParameterError, match=r"scipy: 'gamma' does not take shapes=\[2.0\] \(AttributeError: "):
        evaluate_here(Frozen("gamma", (2.0,), 0.0, 1.0), "no_such_method")


def test_rewards_without_any_probability_are_refused():
    """Far out, SciPy's probabilities can all be 0."""

    def nothing(frozen, method, *arguments):
        found = evaluate_here(frozen, method, *arguments)
        return np.zeros_like(found) if method == "pmf" else found

    with evaluated_by(nothing), pytest.raises(ParameterError, match="'poisson' does not take shapes="):
        Scipy("poisson", (3.5,)).support  # noqa: B018

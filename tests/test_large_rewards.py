"""Rewards near the largest number: refused with a sentence before anything runs; up to 1e60 all results are finite."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from primum import Player, Problem, Study, replay, rewards, simulate, trials, values
from primum.errors import ParameterError, PrimumError
from primum.lab.drafts.preview import preview
from primum.live import LiveSettings
from primum.problem import LARGEST, rewards_at
from primum.results import Results
from primum.rewards.from_csv import from_csv
from primum.runs import Experiment
from primum.trials import Scenario

HUGE = 1.7e308
ZERO = rewards.Constant(0.0)
ALLOWED = r"rewards must be in \[-1e\+60, 1e\+60\], got -?"
ARMS = {
    "constant": rewards.Constant(HUGE),
    "just too large": rewards.Constant(1.001 * LARGEST),
    "uniform": rewards.Uniform(-8e307, 8e307),
    "discrete": rewards.Discrete([-HUGE, HUGE], [0.5, 0.5]),
    "empirical": rewards.Empirical((-HUGE, 1.0, HUGE)),
    "mixture": rewards.Mixture((rewards.Constant(-HUGE), rewards.Constant(HUGE)), (0.5, 0.5)),
    "scaled": rewards.Scaled(rewards.Uniform(0, HUGE), low=0, high=HUGE),
    "clipped": rewards.Clipped(rewards.Scipy("norm", scale=1e80), low=-1e80, high=1e80),
    "truncated normal": rewards.TruncatedNormal(0, 1e200, -1e200, 1e200),
    "normal": rewards.Normal(sd=1e300),
    "normal of SciPy": rewards.Scipy("norm", scale=1e300),
}
VALUES = [values.Mean(), values.MeanVariance(), values.CVaR(), values.Quantile(), values.Entropic(), values.Sharpe()]


@pytest.fixture(autouse=True)
def no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


@pytest.mark.parametrize("arm", ARMS.values(), ids=list(ARMS))
@pytest.mark.parametrize("value", VALUES, ids=str)
def test_a_problem_has_no_true_values(value, arm):
    with pytest.raises(ParameterError, match=ALLOWED) as refused:
        Problem({"zero": ZERO, "huge": arm}, value).true_values  # noqa: B018
    assert refused.value.path[:2] == ("arms", "huge")


@pytest.mark.parametrize("parameters", [{"scale": HUGE}, {"location": HUGE}])
def test_a_distribution_of_scipy_that_is_nowhere_finite(parameters):
    name = next(iter(parameters))
    with pytest.raises(ParameterError, match=rf"'norm' does not take shapes=\[\], {name}=1.7e\+308"):
        Problem({"huge": rewards.Scipy("norm", **parameters)}, values.Mean()).true_values  # noqa: B018


@pytest.mark.parametrize("make", [rewards.Uniform, lambda low, high: rewards.Scaled(ZERO, low=low, high=high)])
def test_an_interval_whose_width_is_not_finite_says_so(make):
    with pytest.raises(ParameterError, match=r"high - low must be a finite number, got low=-1.7e\+308 and high=1.7e"):
        make(-HUGE, HUGE)
    with pytest.raises(ParameterError, match="low must be less than high, got low=2 and high=1"):
        make(2.0, 1.0)


def test_large_rewards_inside_a_distribution_do_no_harm():
    inner = rewards.Uniform(-8e307, 8e307)
    problem = Problem({"a": rewards.Clipped(inner, low=0, high=1), "b": ZERO}, values.Mean())
    assert problem.true_values.tolist() == [0.5, 0.0]


@pytest.mark.parametrize(
    ("value", "arm", "got"),
    [
        (values.MeanVariance(), rewards.Uniform(-1e59, 1e59), r"-3.33333e\+117"),
        (values.MeanVariance(1e300), rewards.Bernoulli(0.5), r"-2.5e\+299"),
        (values.Sharpe(), rewards.Constant(LARGEST), r"1e\+61"),
    ],
    ids=str,
)
def test_a_true_value_that_is_too_large(value, arm, got):
    with pytest.raises(ParameterError, match=rf"the true .* must be in \[-1e\+60, 1e\+60\], got {got}") as refused:
        Problem({"zero": ZERO, "huge": arm}, value).true_values  # noqa: B018
    assert refused.value.path == ("arms", "huge")


def test_rewards_that_are_only_seldom_too_large_are_refused_when_they_are_drawn():
    seldom = rewards.Scipy("pareto", [0.11])  # above 1e60 once in 4 million
    problem = Problem({"a": seldom}, values.Quantile(0.5))
    assert problem.true_values[0] == pytest.approx(2 ** (1 / 0.11))
    with pytest.raises(ParameterError, match=ALLOWED):
        rewards_at(np.array([1 - 2.0**-40]), "arm 'a'", seldom)


def file(low=0):
    arms = {"a": {"name": "constant", "value": HUGE}, "b": {"name": "constant", "value": low}}
    return {"horizon": 10, "replications": 2, "value": "mean", "policies": ["ucb1"], "arms": arms, "seed": 1}


def test_everything_that_simulates_refuses_before_it_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("primum.runs.part.Workspace", None)  # nothing is played
    problem = Problem({"a": ARMS["constant"], "b": ZERO}, values.Mean())
    for run in (
        lambda: simulate(problem, ["ucb1"], horizon=10, replications=2, progress=False),
        lambda: replay(problem, "ucb1", horizon=10, seed=1),
        lambda: Experiment.from_spec(file()).run(progress=False),
        lambda: Study(**file()).run(store=tmp_path, progress=False),
        lambda: Results(problem, [], 1, 1, [1], [], np.zeros((0, 0, 1, 2))).regret,
    ):
        with pytest.raises(PrimumError, match=r"arms\.a: constant 1\.7e\+308: " + ALLOWED + r"1\.7e\+308"):
            run()


def test_the_laboratory_says_it_beside_the_arm():
    arms = [{"name": "a", "distribution": file()["arms"]["a"]}, {"name": "b", "distribution": file()["arms"]["b"]}]
    errors = preview(file() | {"arms": arms}).errors
    assert errors["arms[0].distribution"].endswith("rewards must be in [-1e+60, 1e+60], got 1.7e+308")


def test_arms_of_a_csv_file(tmp_path):
    (tmp_path / "arms.csv").write_text("arm,outcome\na,1.7e308\na,-1.7e308\nb,0\n")
    with pytest.raises(ParameterError, match=r"arms\.a: empirical \(2 observations\): " + ALLOWED):
        Problem(from_csv(tmp_path / "arms.csv"), values.Mean()).true_values  # noqa: B018
    with pytest.raises(ParameterError, match="from_csv: high - low must be a finite number"):
        from_csv(tmp_path / "arms.csv", low=-HUGE, high=HUGE)


def test_a_player_refuses_the_outcome_and_goes_on():
    player = Player("ucb1", "mean", ["a", "b"], seed=1)
    arm = player.ask()
    for reward in (HUGE, -1.001 * LARGEST):
        with pytest.raises(ParameterError, match=r"reward must be in \[-1e\+60, 1e\+60\], got -?1"):
            player.tell(arm, reward)
    player.tell(arm, LARGEST)
    assert player.ask() != arm


DESIGN = trials.Design(arms=["old", "new"], patients=6, policy="uniform-random", analysis=trials.WelchT())


@pytest.mark.parametrize("arm", ARMS.values(), ids=list(ARMS))
def test_a_trial_refuses_outcomes_before_it_runs(arm, tmp_path, monkeypatch):
    monkeypatch.setattr("primum.trials.operating.operate.run_pieces", None)  # nothing is played
    arms = {"old": ZERO, "new": arm}
    with pytest.raises(ParameterError, match=ALLOWED) as refused:
        trials.operate({"equal": DESIGN}, {"effect": arms}, replications=2, store=tmp_path, progress=False)
    assert refused.value.path[-2:] == ("arms", "new")


def test_a_trial_refuses_true_values_before_it_runs(tmp_path, monkeypatch):
    monkeypatch.setattr("primum.trials.operating.operate.run_pieces", None)
    design = DESIGN.replace(value=values.MeanVariance())
    arms = {"old": ZERO, "new": rewards.Uniform(-1e59, 1e59)}
    with pytest.raises(ParameterError, match=r"the true .* must be in \[-1e\+60, 1e\+60\], got -3") as refused:
        trials.operate({"equal": design}, {"effect": arms}, replications=2, store=tmp_path, progress=False)
    assert refused.value.path[-2:] == ("arms", "new")


def test_a_drift_that_is_too_large():
    scenario = Scenario([rewards.Scipy("norm"), rewards.Scipy("norm")], drift=HUGE)
    with pytest.raises(ParameterError, match=r"shifts\(patients\) must give a number in \[-1e\+60, 1e\+60\] for each"):
        scenario.true_values(values.Mean(), 10)


def test_outcomes_of_a_live_trial():
    assert LiveSettings(outcomes=(-LARGEST, LARGEST)).range == (-LARGEST, LARGEST)
    with pytest.raises(ParameterError, match=r"outcomes must be in \[-1e\+60, 1e\+60\], got -1.7e\+308"):
        LiveSettings(outcomes=(-HUGE, HUGE))


@pytest.mark.parametrize(
    ("value", "size"), [(values.Mean(), LARGEST), (values.MeanVariance(), 9e29), (values.CVaR(0.1), LARGEST)], ids=str
)
def test_up_to_the_limit_all_that_is_computed_is_finite(value, size):
    arms = {
        "a": rewards.Discrete([-size, size], [0.5, 0.5]),
        "b": rewards.Uniform(-size, size),
        "c": rewards.Constant(size),
    }
    players = ["ucb1", "besa-plus", "uniform-random"]
    results = simulate(Problem(arms, value), players, horizon=50, replications=4, seed=1, threads=1, progress=False)
    assert np.isfinite(results.regret.values).all()
    assert np.isfinite(results.summary().select_dtypes("number").to_numpy()).all()
    difference = results.compare("ucb1", "besa-plus")
    assert np.isfinite([difference.difference, difference.low, difference.high]).all()
    assert "nan" not in str(results.verdict())


def test_a_trial_up_to_the_limit_is_finite(tmp_path):
    arms = {"old": rewards.Discrete([-LARGEST, LARGEST], [0.5, 0.5]), "new": rewards.Uniform(-LARGEST, LARGEST)}
    design = DESIGN.replace(patients=20)
    oc = trials.operate({"equal": design}, {"effect": arms}, replications=20, seed=1, store=tmp_path, progress=False)
    for name in ("outcome", "outcome_sd", "regret", "bias", "rmse"):
        numbers = oc.data[name].values.ravel()
        assert np.isfinite(numbers[-1]), name

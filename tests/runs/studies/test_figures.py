"""Figures of studies: the numbers drawn are those of the results, and what cannot be drawn is told."""

from __future__ import annotations

import numpy as np
import pytest

from primum import Problem, rewards, values
from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Categories, Curves, Grid, HeatMap
from primum.figures.sheet import Sheet
from primum.results.intervals import mean_band
from primum.results.ranking import Ranking
from primum.runs import pieces
from primum.runs.studies import figures as study_figures
from primum.runs.studies.results import StudyResults
from primum.runs.studies.study import Study
from primum.store import Store

BERNOULLI = {"new": rewards.Bernoulli(0.5), "old": rewards.Bernoulli(0.3)}
PROBLEMS = {"mean": Problem(BERNOULLI, values.Mean()), "cautious": Problem(BERNOULLI, values.CVaR(0.9))}
SPECS = ["ucb1", "besa-plus(floor=[4, 0, 1])", "epsilon-greedy(epsilon=0.05)"]
HOSTILE = ["<b>bold</b>", "$x^{", "_hidden", "a" * 200, "two\nlines"]


def study(**more):
    given = {"problems": PROBLEMS, "policies": SPECS, "horizon": 40, "replications": 12, "seed": 5, "steps": "last"}
    return Study(**given | {"grid": {"arms.new.probability": [0.6, 0.4]}} | more)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return Store(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def results(store):
    return study().run(store=store, progress=False)


def bands(regret):
    """Mean, low and high of each policy at the last step, by hand."""
    return np.clip(mean_band(regret.isel(step=-1).transpose("replication", ...).values), 0, None)


def assert_drawn(data, expected):
    np.testing.assert_allclose([data.middle, data.low, data.high], expected)


def test_regret_against_a_parameter(results):
    picture = results.select(probability=0.6).picture("regret", x="floor", row="problem")
    assert isinstance(picture, Grid)
    assert picture.title == "Regret after 40 steps against floor by problem (probability 0.6)"
    assert picture.subtitle == (
        "mean of 12 replications in each of 2 experiments; band: 95 % confidence interval; "
        "level lines: policies without floor; each panel has its own vertical scale"
    )
    data = picture.data()
    assert data.middle.dims == ("panel", "policy", "floor")
    assert list(data.panel.values) == ["mean", "cautious"]
    assert list(data.policy.values) == ["UCB1", "BESA+", "Epsilon-greedy (epsilon 0.05)"]
    assert list(data.floor.values) == [0, 1, 4]  # from the smallest to the largest
    for problem in ("mean", "cautious"):
        expected = bands(results.regret.sel(problem=problem, probability=0.6))  # 3 x policy
        one = data.sel(panel=problem)
        assert_drawn(one.sel(policy="BESA+"), expected[:, [2, 3, 1]])
        assert_drawn(one.sel(policy="UCB1"), np.repeat(expected[:, [0]], 3, axis=1))
        assert_drawn(one.isel(policy=2), np.repeat(expected[:, [4]], 3, axis=1))
    lines = picture.panels[0].lines
    assert [line.colour for line in lines] == [0, 1, 4]
    assert [line.level for line in lines] == [True, False, True]


def test_families_differ_in_the_other_parameters(store):
    specs = ["besa-plus(floor=[0, 1])", "boltzmann", "epsilon-greedy(epsilon=[0.1, 0.2])"]
    found = study(problems={"a": PROBLEMS["mean"]}, grid=None, policies=specs).run(store=store, progress=False)
    assert set(found.parameters) == {"floor", "epsilon"}
    with pytest.raises(PrimumError, match=r"horizontal axis: x='floor' or x='epsilon'"):
        found.picture("regret")
    data = found.picture("regret", x="epsilon").data()
    assert list(data.policy.values) == ["BESA+ (floor 0)", "BESA+", "Boltzmann exploration", "Epsilon-greedy"]
    expected = bands(found.regret.sel(problem="a"))
    assert_drawn(data.isel(policy=3), expected[:, 3:])
    assert_drawn(data.isel(policy=0), expected[:, [0, 0]])


def test_regret_against_a_dimension(results):
    picture = results.select(problem="mean").picture("regret", x="probability")
    assert isinstance(picture, Curves)
    assert picture.title == "Regret after 40 steps against probability (problem mean; value: mean)"
    data = picture.data()
    assert list(data.probability.values) == [0.4, 0.6]
    expected = bands(results.regret.sel(problem="mean", probability=[0.4, 0.6]).transpose("policy", "probability", ...))
    assert_drawn(data, expected)
    assert list(data.policy.values) == results.select(problem="mean", probability=0.4).results.titles


def test_regret_against_names(results):
    picture = results.picture("regret", x="problem", row="probability")
    assert all(isinstance(panel, Categories) for panel in picture.panels)
    data = picture.data()
    assert list(data.panel.values) == ["probability 0.6", "probability 0.4"]
    assert list(data.problem.values) == ["mean", "cautious"]
    expected = bands(results.regret.transpose("probability", "policy", "problem", ...))
    assert_drawn(data, expected)
    assert "whiskers: 95 % confidence interval" in picture.subtitle
    with pytest.raises(ParameterError, match=r"log needs positive numbers .* got \['mean', 'cautious'\]"):
        results.picture("regret", x="problem", row="probability", log=True)


def test_a_parameter_that_is_no_number(store):
    specs = ["ucb1", "thompson(prior=['gaussian', 'beta'])"]
    found = study(problems={"a": PROBLEMS["mean"]}, grid=None, policies=specs).run(store=store, progress=False)
    picture = found.picture("regret")
    assert isinstance(picture, Categories)
    data = picture.data()
    assert list(data.prior.values) == ["gaussian", "beta"]
    expected = bands(found.regret.sel(problem="a"))
    assert_drawn(data.sel(policy="Thompson sampling"), expected[:, 1:])
    assert_drawn(data.sel(policy="UCB1"), expected[:, [0, 0]])


def test_a_logarithmic_axis_tells_what_it_leaves_out(results):
    picture = results.select(probability=0.6, problem="mean").picture("regret", log=True)
    assert picture.subtitle.endswith("; a logarithmic axis has no place for floor 0.0")
    assert picture.static().axes[0].get_xscale() == picture.interactive().layout.xaxis.type == "log"


def test_the_only_choice_is_the_default(results):
    assert results.select(problem="mean", probability=0.6).picture().data().floor.size == 3
    assert results.select(problem="mean").picture(x="probability").title == (
        "Regret after 40 steps against probability (problem mean; value: mean)"
    )
    with pytest.raises(PrimumError, match=r"horizontal axis: x='problem', x='probability' or x='floor'"):
        results.picture("regret")
    assert results.select(probability=0.4).picture(row="problem").panels[0].x_label == "Floor"


def test_nothing_varied_is_the_figure_of_the_experiment(store):
    one = study(problems={"a": PROBLEMS["mean"]}, grid=None, policies=["ucb1", "npts"], steps=None)
    found = one.run(store=store, progress=False)
    picture = found.picture("regret")
    assert picture.title == "Cumulative regret (value: mean)"
    assert picture.data().identical(found.results.picture("regret").data())


def test_a_dimension_that_has_no_place_is_told(results):
    with pytest.raises(PrimumError) as caught:
        results.picture("regret", x="floor", row="problem")
    assert str(caught.value) == ("probability has 2 coordinates; select one of them: results.select(probability=0.6)")
    with pytest.raises(
        PrimumError, match=r"problem has 2 coordinates; draw one panel for each with row='problem', or "
    ):
        results.picture("regret", x="floor")


@pytest.mark.parametrize(
    ("given", "kind", "text"),
    [
        ({"x": "flor"}, UnknownNameError, "no dimension or parameter named 'flor'; did you mean 'floor'"),
        ({"x": "floor", "row": "probabilty"}, UnknownNameError, "no dimension named .* did you mean 'probability'"),
        ({"x": "problem", "row": "problem"}, ParameterError, "x and row must be different, got 'problem' for both"),
        ({"x": "floor", "row": "floor"}, UnknownNameError, "no dimension named 'floor'"),
        ({"kind": "regrets"}, UnknownNameError, "no figure named 'regrets'; did you mean 'regret'"),
        ({"kind": "zzz"}, UnknownNameError, "known: profile, ratios, regret"),
        (
            {"kind": "ratios", "x": "floor"},
            ParameterError,
            "only the figure 'regret' takes x, got x='floor' for 'ratios'",
        ),
        ({"kind": "profile", "log": True}, ParameterError, "only the figure 'regret' takes log"),
    ],
)
def test_what_cannot_be_drawn_is_told(results, given, kind, text):
    with pytest.raises(kind, match=text):
        results.figure(**given)


def test_different_horizons_and_replications(store):
    cases = {"short": {"horizon": 20}, "long": {"horizon": 30, "replications": 4}}
    found = study(problems={"a": PROBLEMS["mean"]}, grid=None, cases=cases, policies=["ucb1"]).run(
        store=store, progress=False
    )
    picture = found.picture("regret")
    assert picture.title == "Regret at the last step against case (problem a; value: mean)"
    assert picture.subtitle.startswith("rough: mean of only 4 to 12 replications in each of 2 experiments; ")
    expected = [bands(results.regret)[:, 0] for _, results in found]
    assert_drawn(picture.data().isel(policy=0), np.transpose(expected))


def test_a_study_that_was_stopped(tmp_path):
    half = Store(tmp_path)
    study(grid={"arms.new.probability": [0.6]}).run(store=half, progress=False)
    longer = study(grid={"arms.new.probability": [0.6, 0.7]})
    read = lambda number: pieces.results(longer.experiment(number), half, is_complete=False)  # noqa: E731
    stopped = StudyResults(longer, read, is_complete=False)
    picture = stopped.select(problem="mean").picture("regret", x="probability")
    assert picture.subtitle.endswith("; 1 experiment left out: no complete replication")
    assert picture.subtitle.startswith("mean of 12 replications; ")
    assert picture.data().middle.sel(probability=0.7).isnull().all()
    assert stopped.picture("ratios").subtitle.endswith("; 2 experiments left out: no complete replication")
    with pytest.raises(PrimumError, match="nothing to draw: no replication of any experiment is complete"):
        stopped.select(probability=0.7, problem="mean").picture("regret", x="floor")


def test_ratios(results):
    means = results.regret.isel(step=-1).mean("replication")
    ratios = (means / means.min("policy")).transpose("policy", "problem", "probability").values.reshape(5, 4)
    order = np.exp(np.log(ratios).mean(axis=1)).argsort()
    picture = results.picture("ratios")
    assert isinstance(picture, HeatMap)
    data = picture.data()
    np.testing.assert_allclose(data.ratio, ratios[order])
    titles = results.select(problem="mean", probability=0.4).results.titles
    assert list(data.policy.values) == [titles[i] for i in order]
    assert list(data.experiment.values) == [
        f"{problem}, probability {p}" for problem in ("mean", "cautious") for p in (0.6, 0.4)
    ]
    assert picture.title == "Mean regret relative to the best policy of each experiment"
    assert picture.subtitle == (
        "mean of 12 replications in each of 4 experiments; policies sorted by the geometric mean of their ratios"
    )


def test_experiments_without_regret_are_left_out_and_counted(store):
    found = study(grid={"arms.new.probability": [0.6, 0.3]}).run(store=store, progress=False)
    for kind in ("ratios", "profile"):
        picture = found.picture(kind)
        assert "in each of 2 experiments" in picture.subtitle
        assert picture.subtitle.endswith("; 2 experiments left out: all arms are equally good")


def test_profile(results):
    means = results.regret.isel(step=-1).mean("replication")
    ratios = (means / means.min("policy")).transpose("policy", ...).values.reshape(5, 4)
    data = results.picture("profile").data()
    (factors,) = (data[name].values for name in data.coords if name != "policy")
    assert factors[0] == 1
    assert {*ratios.ravel().round(9)} <= {*factors.round(9)}
    for factor in (1.0, 1.1, 1.5, ratios.max()):
        at = np.searchsorted(factors, factor, side="right") - 1
        np.testing.assert_allclose(data.middle[:, at], (ratios <= factors[at]).mean(axis=1))
    assert (data.middle[:, -1] == 1).all()
    assert (np.diff(data.middle) >= 0).all()


def made(policies, experiments, names=None):
    rng = np.random.default_rng(8)
    finals = {
        name: rng.gamma(2.0, 1.0, (policies, 5)) * rng.gamma(1.0, 3.0, (policies, 1))
        for name in names or [f"experiment {i}" for i in range(experiments)]
    }
    titles = list(names or [f"policy {i}" for i in range(policies)])
    return Ranking(titles, titles, finals)


def test_enormous_factors_are_not_shown():
    final = np.array([[1.0] * 4, [2.0] * 4, [1e9] * 4])
    ranking = Ranking("abc", "ABC", {"one": final, "two": final * [[0], [1], [1]]})
    picture = study_figures._profile(ranking)
    assert picture.x.max() <= 1.1 * study_figures.LARGEST_FACTOR
    assert picture.subtitle.endswith("; factors above 1,000 are not shown")
    np.testing.assert_array_equal([line.middle[-1] for line in picture.lines], [1, 0.5, 0])
    many = study_figures._profile(made(30, 60))
    assert len(many.x) == study_figures.FACTORS
    assert many.x[0] == 1


@pytest.mark.parametrize("drawing", [study_figures._ratios, study_figures._profile])
@pytest.mark.parametrize("ranking", [made(1, 1), made(1, 6), made(6, 1), made(5, 5, HOSTILE), made(30, 60)])
def test_odd_rankings_are_drawn_both_ways(drawing, ranking):
    picture = drawing(ranking)
    assert picture.interactive().to_json()
    figure = picture.static()
    figure.draw_without_rendering()
    width, height = figure.get_size_inches()
    box = figure.get_tightbbox()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


@pytest.mark.parametrize("names", [["only"], HOSTILE])
@pytest.mark.parametrize("specs", [["ucb1"], ["besa-plus(floor=[0, 1])", "ucb1"]])
def test_odd_studies_are_drawn_both_ways(tmp_path, names, specs):
    one = study(problems=dict.fromkeys(names, PROBLEMS["mean"]), policies=specs, grid=None, horizon=9, replications=1)
    found = one.run(store=tmp_path, progress=False)
    drawn = [found.picture("regret", x="problem"), found.picture("ratios"), found.picture("profile")]
    if len(specs) > 1:
        drawn.append(found.picture("regret", x="floor", row="problem"))
    for picture in drawn:
        assert picture.interactive().to_json()
        picture.static().draw_without_rendering()
        picture.data()
    assert "whiskers: none" in drawn[0].subtitle


def test_a_figure_is_the_picture_drawn(results):
    picture = results.picture("profile")
    assert results.figure("profile").to_json() == picture.interactive().to_json()
    drawn = results.figure("profile", static=True)
    outside = picture.static(Sheet(legend="outside"))
    assert drawn.get_size_inches().tolist() == outside.get_size_inches().tolist()

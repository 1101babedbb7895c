"""Figures in the axes of the user, and the two ways to say which backend draws."""

from __future__ import annotations

import matplotlib
import numpy as np
import plotly.graph_objects
import pytest
from matplotlib.figure import Figure

from primum import Problem, Study, policies, rewards, simulate, values
from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.results.figures import FIGURES

ARMS = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5), "$other$": rewards.Constant(0.1)}
PROBLEM = Problem(ARMS, values.Mean())


@pytest.fixture(scope="module")
def results():
    return simulate(PROBLEM, ["ucb1", "besa-plus"], horizon=50, replications=10, seed=1, progress=False)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    problems = {"three": PROBLEM, "two": Problem({"a": ARMS["gamble"], "b": ARMS["sure"]}, values.CVaR(0.6))}
    made = Study(problems=problems, policies=["ucb1", "besa-plus", "oracle"], replications=10, horizon=50, seed=7)
    return made.run(store=tmp_path_factory.mktemp("store"), progress=False)


@pytest.fixture
def axes():
    return Figure(layout="constrained").subplots(1, 2)


def entries(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


@pytest.mark.parametrize("kind", [kind for kind in FIGURES if kind not in ("choices", "arms")])
def test_a_figure_of_results_is_drawn_where_it_is_asked_for(results, axes, kind):
    figure = results.figure(kind, ax=axes[1])
    whole = results.figure(kind, backend="matplotlib").axes[0]
    assert figure is axes[1].figure
    assert not axes[0].has_data()
    assert len(axes[1].lines) == len(whole.lines)
    for mine, theirs in zip(axes[1].lines, whole.lines, strict=True):
        np.testing.assert_array_equal(mine.get_xydata(), theirs.get_xydata())
    assert entries(axes[1])[:2] == ["UCB1", "BESA+"]
    assert axes[1].get_ylim() == whole.get_ylim()
    assert axes[1].get_title("left").startswith(results.picture(kind).title.split(" (")[0])
    figure.draw_without_rendering()


def test_titles_and_labels_are_those_asked_for(results, axes):
    results.figure("regret", ax=axes[0], title=False, labels={"besa-plus": "Ours", "Step": "Patient"})
    results.figure("regret", ax=axes[1], title="A trial")
    assert axes[0].get_title("left") == ""
    assert axes[1].get_title("left") == "A trial"
    assert axes[0].get_xlabel() == "Patient"
    assert entries(axes[0]) == ["UCB1", "Ours"]


def test_fonts_are_those_of_the_user(results, axes):
    with matplotlib.rc_context({"font.size": 6.0, "axes.labelsize": "medium", "xtick.labelsize": 5.0}):
        results.figure("regret", ax=axes[0])
    assert axes[0].xaxis.label.get_fontsize() == 6
    assert {text.get_fontsize() for text in axes[0].get_xticklabels()} == {5}
    assert {text.get_fontsize() for text in axes[0].get_legend().get_texts()} == {5}


def test_the_allocation_of_one_policy_is_one_panel(axes):
    one = simulate(PROBLEM, ["ucb1"], horizon=50, replications=10, seed=1, progress=False)
    one.figure("choices", ax=axes[0])
    assert len(axes[0].collections) == 3
    assert sorted(entries(axes[0])) == sorted([r"\$other\$", "gamble (best)", "sure"])
    assert axes[0].get_xlabel() == "Step"
    assert axes[0].get_ylim() == (0, 1)
    axes[0].figure.draw_without_rendering()


def test_figures_of_a_study(study, axes):
    study.figure("ratios", ax=axes[0])
    (mesh,) = (found for found in axes[0].collections if found.get_array() is not None)
    np.testing.assert_allclose(np.ma.getdata(mesh.get_array()), study.picture("ratios").numbers)
    assert [label.get_text() for label in axes[0].get_xticklabels()] == ["three", "two"]
    assert entries(axes[0]) == ["infinite: the best policy has no regret"]
    study.figure("regret", x="problem", ax=axes[1])
    assert entries(axes[1]) == ["UCB1", "BESA+", "Oracle"]
    axes[0].figure.draw_without_rendering()


def test_long_legends_stand_beside_the_axes(axes):
    players = [policies.BesaPlus(floor=floor) for floor in range(7)]
    simulate(PROBLEM, players, horizon=20, replications=5, seed=1, progress=False).figure(ax=axes[0])
    axes[0].figure.draw_without_rendering()
    assert axes[0].get_legend().get_window_extent().x0 >= axes[0].get_window_extent().x1


@pytest.mark.parametrize("size", [(0.3, 0.3), (1.0, 4.0)])
def test_tiny_axes_are_drawn_too(results, study, size):
    for draw in (results.figure, study.select(problem="three").results.figure):
        axes = Figure(figsize=size).subplots()
        draw("regret", ax=axes, bounds=True)
        assert axes.lines


def test_parts_of_a_figure_have_axes_too(results, study):
    for part in Figure(layout="constrained").subfigures(1, 2):
        axes = part.subplots()
        assert results.figure("regret", ax=axes) is part
        assert study.figure("regret", x="problem", ax=axes) is part


@pytest.mark.parametrize(
    ("options", "error", "said"),
    [
        ({"kind": "arms"}, ParameterError, "ax has room for one panel, and this figure has 3"),
        ({"kind": "choices"}, ParameterError, "ax has room for one panel, and this figure has 2"),
        ({"size": "column"}, ParameterError, "size is for a figure of its own: leave it out with ax, got 'column'"),
        ({"legend": "below"}, ParameterError, "legend is for a figure of its own: leave it out with ax, got 'below'"),
        ({"backend": "plotly"}, ParameterError, "ax needs backend='matplotlib', got 'plotly'"),
        ({"backend": "matplotlb"}, UnknownNameError, "no backend named 'matplotlb'; did you mean 'matplotlib'?"),
        ({"ax": 3}, ParameterError, "ax must be Matplotlib axes, as plt.subplots() makes them, got 3"),
        ({"ax": None, "backend": "plotly", "static": True}, ParameterError, "static=True needs backend='matplotlib'"),
    ],
)
def test_what_cannot_be_is_a_sentence(results, axes, options, error, said):
    with pytest.raises(error) as refused:
        results.figure(**{"ax": axes[0]} | options)
    assert said in str(refused.value)
    assert isinstance(refused.value, PrimumError)
    assert not axes[0].has_data()


def test_both_words_for_the_backend_mean_the_same(results):
    for given in ({"backend": "matplotlib"}, {"static": True}, {"static": True, "backend": "matplotlib"}):
        assert isinstance(results.figure("regret", **given), Figure)
    for given in ({}, {"backend": "plotly"}, {"static": False}):
        assert isinstance(results.figure("regret", **given), plotly.graph_objects.Figure)

"""Figures for a paper: sizes, other names, titles and legends that cover nothing."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import primum
from primum import Problem, rewards, values
from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.figures import Curves, Line, Name
from primum.results.figures import FIGURES
from primum.runs import Study

EIGHT = ["besa-plus", "besa", "ucb1", "thompson", "kl-ucb", "boltzmann", "besa-plus(floor=5)", "round-robin"]


@pytest.fixture(scope="module")
def results():
    arms = {f"arm {i + 1}": rewards.Bernoulli(0.3 + 0.1 * i) for i in range(4)}
    problem = Problem(arms, values.Mean())
    return primum.simulate(problem, EIGHT, horizon=200, replications=12, seed=1, progress=False)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    arms = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}
    given = Study(
        problems={"mean": Problem(arms, values.Mean()), "a cautious one": Problem(arms, values.CVaR(0.5))},
        policies=["ucb1", "besa-plus(floor=[0, 1])"],
        horizon=50,
        replications=8,
        seed=7,
        grid={"arms.gamble.probability": [0.5, 0.9]},
    )
    return given.run(store=tmp_path_factory.mktemp("store"), progress=False)


STUDY_FIGURES = [
    {"kind": "ratios"},
    {"kind": "profile"},
    {"kind": "regret", "x": "probability", "row": "problem"},
    {"kind": "regret", "x": "problem", "row": "probability"},
]


def check_layout(figure):
    """Nothing is outside the figure, and no legend, axes or heading covers another."""
    figure.draw_without_rendering()
    box, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01
    assert not [axes for axes in figure.axes if axes.get_legend()]
    boxes = [axes.get_window_extent() for axes in figure.axes]
    boxes += [legend.get_window_extent() for legend in figure.legends]
    boxes += [figure._suptitle.get_window_extent()] if figure._suptitle else []
    for one, other in itertools.combinations(boxes, 2):
        assert min(one.x1, other.x1) - max(one.x0, other.x0) <= 1 or min(one.y1, other.y1) - max(one.y0, other.y0) <= 1
    for axes in figure.axes:  # labels of ticks do not overlap
        for labels, side in ((axes.get_xticklabels(), "x"), (axes.get_yticklabels(), "y")):
            ends = axes.get_xlim() if side == "x" else axes.get_ylim()
            shown = [
                label.get_window_extent()
                for label in labels
                if label.get_text() and min(ends) <= label.get_position()[side == "y"] <= max(ends)
            ]
            rotated = any(label.get_rotation() for label in labels)
            for one, other in itertools.pairwise(shown) if not rotated else ():
                assert not one.overlaps(other), (side, [label.get_text() for label in labels])


TITLE = "Regret of eight policies in a trial with four arms"
SIZES = [  # each size and each title once, and all pairs of them in the long form
    ("column", TITLE),
    ("page", True),
    ((5, 4.5), False),
    (None, True),
]
PAIRS = [(size, title) for size in ("column", "page", (5, 4.5), None) for title in (True, False, TITLE)]


@pytest.mark.parametrize(
    ("size", "title"),
    [*SIZES, *(pytest.param(*pair, marks=pytest.mark.long) for pair in PAIRS if pair not in SIZES)],
)
@pytest.mark.parametrize("kind", FIGURES)
def test_figures_of_results_fit_any_size(results, kind, size, title):
    figure = results.figure(kind, static=True, size=size, title=title)
    check_layout(figure)
    if size is not None:
        assert figure.get_figwidth() == {"column": 3.5, "page": 7.0}.get(size, 5)
        sizes = {text.get_fontsize() for axes in figure.axes for text in axes.get_xticklabels()}
        assert sizes == {7.0}
    if isinstance(size, tuple):
        assert tuple(figure.get_size_inches()) == size
    assert bool(figure._suptitle) == bool(title)


@pytest.mark.parametrize(
    ("legend", "size"),
    [
        ("below", "page"),
        ("beside", None),
        pytest.param("below", None, marks=pytest.mark.long),
        pytest.param("beside", "page", marks=pytest.mark.long),
    ],
)
@pytest.mark.parametrize("kind", FIGURES)
def test_a_legend_is_where_it_is_asked_for(results, kind, legend, size):
    figure = results.figure(kind, static=True, size=size, legend=legend)
    check_layout(figure)
    box, axes = figure.legends[0].get_window_extent(), [one.get_window_extent() for one in figure.axes]
    if legend == "below":
        assert box.y1 <= min(one.y0 for one in axes)
    else:
        assert box.x0 >= max(one.x1 for one in axes)
    layout = results.figure(kind, legend=legend).layout
    assert layout.legend.orientation == {"below": "h", "beside": "v"}[legend]


def test_bounds_fit_a_column(results):
    check_layout(results.figure("regret", static=True, size="column", bounds=True))


@pytest.mark.parametrize("options", STUDY_FIGURES, ids=lambda options: "-".join(options.values()))
@pytest.mark.parametrize("size", ["column", "page", (6, 4.5), None])
def test_figures_of_studies_fit_any_size(study, options, size):
    check_layout(study.figure(**options, static=True, size=size))


def test_labels_rename_policies_and_axes(results, study):
    labels = {"besa-plus": "BESA+ (ours)", "UCB1": "UCB", "Step": "Patient", "Policy": "Rule"}
    static = results.figure("regret", static=True, labels=labels)
    names = [text.get_text() for text in static.legends[0].get_texts()]
    assert names[:4] == ["BESA+ (ours)", "BESA", "UCB", "Thompson sampling"]
    assert "BESA+ (floor 5)" in names
    assert static.axes[0].get_xlabel() == "Patient"
    assert static.legends[0].get_title().get_text() == "Rule"
    layout = results.figure("regret", labels=labels)
    assert {"BESA+ (ours)", "UCB"} <= {trace.name for trace in layout.data}
    assert layout.layout.xaxis.title.text == "Patient"
    panels = results.figure("choices", static=True, labels={"besa-plus": "Ours", "Step": "Patient", "arm 1": "A"})
    assert panels.axes[0].get_title() == "Ours"
    assert "A" in [text.get_text() for text in panels.legends[0].get_texts()]
    rows = study.figure("ratios", static=True, labels={"besa-plus": "Ours", "mean, probability 0.5": "1"})
    assert "Ours" in [label.get_text() for label in rows.axes[0].get_yticklabels()]
    assert "1" in [label.get_text() for label in rows.axes[0].get_xticklabels()]
    family = study.select(problem="mean", probability=0.9).figure("regret", x="floor", labels={"besa-plus": "Ours"})
    assert "Ours" in [trace.name for trace in family.data]


def test_labels_rename_what_they_name_and_no_other_text():
    arms = {"Step": rewards.Bernoulli(0.3), "new": rewards.Bernoulli(0.7)}
    problem = Problem(arms, values.CVaR(0.5))
    found = primum.simulate(problem, ["besa-plus", "ucb1"], horizon=50, replications=5, seed=1, progress=False)
    assert any(found.learns)  # so that its name has an addition
    layout = found.figure("regret", labels={"besa-plus": "Ours", "ucb1": "UCB"})
    assert {trace.name for trace in layout.data} == {"Ours", "UCB"}
    stacked = found.figure("choices", labels={"new": "Treatment", "ucb1": "UCB"})  # shown as "new (best)"
    assert {trace.name for trace in stacked.data} == {"Treatment", "Step"}
    assert [note.text for note in stacked.layout.annotations] == ["BESA+", "UCB"]
    curves = Curves("t", "s", "y", np.arange(3.0), (Line(Name("Step", "first"), *np.ones((3, 3))),), x_label="Step")
    scene = curves.scene().renamed({"first": "One"})
    assert (scene.panels[0].x.label, scene.panels[0].marks[-1].name) == ("Step", "One")
    both = curves.scene().renamed({"Step": "Patient"})  # what it names comes first: the axis
    assert (both.panels[0].x.label, both.panels[0].marks[-1].name) == ("Patient", "Step")


def test_labels_change_nothing_else(results):
    plain, renamed = (results.picture("regret").interactive(), results.figure("regret", labels={"besa-plus": "Ours"}))
    assert json.loads(renamed.to_json()) == json.loads(plain.to_json().replace('"BESA+"', '"Ours"'))


@pytest.mark.parametrize(("title", "shown"), [(False, None), ("A <trial>", "A &lt;trial&gt;")])
def test_titles_of_interactive_figures(results, title, shown):
    assert (results.figure("regret", title=title).layout.title.text or None) == shown


def test_interactive_figures_have_a_size_in_pixels(results):
    assert results.figure("regret", size=(5, 4)).layout.width == 480
    assert results.figure("regret", size=(5, 4)).layout.height == 384
    assert results.figure("regret", size="column").layout.width == 336
    assert results.figure("regret").layout.width is None


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"size": "colum"}, UnknownNameError),
        ({"size": (3.5,)}, ParameterError),
        ({"size": (0.5, 3)}, ParameterError),
        ({"size": (np.nan, 3)}, ParameterError),
        ({"size": 7}, ParameterError),
        ({"size": (3.5, 1)}, ParameterError),
        ({"title": None}, ParameterError),
        ({"legend": "best"}, UnknownNameError),
        ({"labels": {"besa-pls": "x"}}, UnknownNameError),
        ({"labels": {"besa": "UCB1"}}, ParameterError),
        ({"labels": {"besa": 3}}, ParameterError),
        ({"labels": ["besa"]}, ParameterError),
    ],
    ids=str,
)
def test_what_cannot_be_is_a_sentence(results, options, error, sentences):
    with pytest.raises(error) as refused:
        results.figure("regret", static=True, **options)
    sentences.check(str(refused.value))
    assert isinstance(refused.value, PrimumError)

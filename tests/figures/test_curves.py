"""Curves and panels of them."""

from __future__ import annotations

import numpy as np
import pytest

from primum.errors import ParameterError
from primum.figures import Grid, Line, Mark, Panels, Reference, style
from tests.figures.pictures import NONE, X, curves, line


def drawn(figure):
    return [trace for trace in figure.data if trace.fill is None]


def bands(figure):
    return [trace for trace in figure.data if trace.fill]


def test_data_is_what_was_given():
    reference = Reference("bound", "note", 3 * X, (1, 1))
    given = curves(x_label="Risk tolerance (rho)", legend="Rule", references=(reference,))
    data = given.data()
    assert data.middle.dims == ("rule", "risk_tolerance_rho")
    assert data["risk_tolerance_rho"].attrs["long_name"] == "Risk tolerance (rho)"
    assert data.middle.attrs["long_name"] == given.y_label
    assert list(data.rule.values) == [*(one.label for one in given.lines), "bound"]
    np.testing.assert_array_equal(data["risk_tolerance_rho"], X)
    for i, one in enumerate(given.lines):
        np.testing.assert_array_equal(data.middle[i], one.middle)
        np.testing.assert_array_equal(data.low[i], one.low)
        np.testing.assert_array_equal(data.high[i], one.high)
    np.testing.assert_array_equal(data.sel(rule="bound").middle, 3 * X)
    assert data.sel(rule="bound").low.isnull().all()


def test_another_axis_and_legend():
    given = curves(x_label="Gap", legend="Rule")
    figure, static = given.interactive(), given.static()
    assert figure.layout.xaxis.title.text == static.axes[0].get_xlabel() == "Gap"
    assert figure.layout.legend.title.text == static.axes[0].get_legend().get_title().get_text() == "Rule"
    assert curves().interactive().layout.xaxis.title.text == "Step"


def test_a_line_keeps_its_colour_in_all_figures():
    given = curves(lines=(line("a", colour=4), line("b"), line("c", colour=0)))
    expected = [style.colour(i) for i in (4, 1, 0)]
    assert [trace.line.color for trace in drawn(given.interactive())] == expected
    assert [one.get_color() for one in given.static().axes[0].lines] == expected
    assert [trace.fillcolor for trace in bands(given.interactive())] == [style.faded(c, 0.18) for c in expected]


@pytest.mark.parametrize("log", [False, True])
def test_marks(log):
    given = curves(marks=(Mark(0.2, "left"), Mark(40.0, "critical")), log=log)
    figure, static = given.interactive(), given.static()
    assert [shape.x0 for shape in figure.layout.shapes] == [0.2, 40]
    at = [annotation.x for annotation in figure.layout.annotations]
    assert at == pytest.approx(np.log10([0.2, 40]) if log else [0.2, 40])
    assert [annotation.xanchor for annotation in figure.layout.annotations] == ["left", "right"]
    axes = static.axes[0]
    assert [text.get_text() for text in axes.texts] == ["left", "critical"]
    end = axes.get_xlim()[1]
    assert end == pytest.approx(40) or end > 40  # a mark beyond the lines is visible
    assert [one.get_xdata()[0] for one in axes.lines[3:]] == [0.2, 40]
    assert len(static.legends) == 1  # below, where it hides no label


def test_logarithmic_axes_leave_out_what_has_no_place_there():
    middle = np.where(X < 5, 0.0, X)
    given = curves(lines=(Line("a", middle, middle - 6, middle + 1),), log=True, log_y=True, marks=(Mark(0.0, "none"),))
    figure, axes = given.interactive(), given.static().axes[0]
    assert not figure.layout.shapes
    (trace,), (band,) = drawn(figure), bands(figure)
    np.testing.assert_array_equal(trace.x, X[1:])
    np.testing.assert_array_equal(trace.y, np.where(X < 5, np.nan, X)[1:])
    np.testing.assert_array_equal(trace.customdata[:, 0], (middle - 6)[1:])  # the numbers as they are
    floor = axes.get_ylim()[0]
    assert floor > 0
    assert band.y.min() == pytest.approx(floor)
    assert figure.layout.yaxis.range == pytest.approx(np.log10(axes.get_ylim()))
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), trace.y)
    assert (
        (axes.get_xscale(), axes.get_yscale()) == ("log", "log") == (figure.layout.xaxis.type, figure.layout.yaxis.type)
    )
    assert curves(lines=(Line("a", 0 * X, 0 * X, 0 * X),), log_y=True).static().axes[0].get_ylim()[0] > 0


def test_a_band_has_gaps_where_it_is_not_a_number():
    low = X.copy()
    low[10:12] = np.nan
    (band,) = bands(curves(lines=(Line("a", X, low, X + 1),)).interactive())
    assert len(band.x) == 2 * 10 + 1 + 2 * 18
    np.testing.assert_array_equal(band.x[:20], [*X[:10], *X[:10][::-1]])
    assert np.isnan(band.x[20])
    assert np.isnan(band.y[20])
    np.testing.assert_array_equal(band.y[21:39], X[12:] + 1)
    without = curves(lines=(Line("a", X, NONE, NONE),))
    assert not bands(without.interactive())
    assert drawn(without.interactive())[0].hovertemplate == "%{y:.4g}"
    assert not without.static().axes[0].collections


def test_few_points_are_marked():
    few = curves(x=X[:3], lines=tuple(Line(name, X[:3], X[:3], X[:3]) for name in "ab"))
    assert [one.get_marker() for one in few.static().axes[0].lines] == ["o", "s"]
    assert [trace.marker.symbol for trace in drawn(few.interactive())] == ["circle", "square"]
    assert all(one.get_marker() == "" for one in curves().static().axes[0].lines)
    single = curves(x=X[1:2], lines=(Line("a", X[1:2], X[1:2], X[1:2]),))
    assert single.static().axes[0].get_xlim() == (0.5, 1.5)


@pytest.mark.parametrize(("count", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (3, 1, 3), (4, 2, 2), (5, 2, 3)])
def test_panels_share_their_legend(count, rows, columns):
    panels = Panels("title", "subtitle", tuple(curves(title=f"panel {i}", y_label=f"y {i}") for i in range(count)))
    static = panels.static()
    assert len(static.axes) == count
    grid = static.axes[0].get_subplotspec().get_gridspec()
    assert (grid.nrows, grid.ncols) == (rows, columns)
    assert [axes.get_title("left") for axes in static.axes] == [f"panel {i}" for i in range(count)]
    assert [axes.get_ylabel() for axes in static.axes] == [f"y {i}" for i in range(count)]
    (legend,) = static.legends
    assert len(legend.get_texts()) == 3
    figures = panels.interactive()
    assert [figure.layout.yaxis.title.text for figure in figures] == [f"y {i}" for i in range(count)]
    assert all(figure.layout.showlegend for figure in figures)


def test_references_of_panels_are_told_once():
    reference = Reference("bound", "note", X, (6, 2))
    panels = Panels("t", "s", (curves(references=(reference,)), curves(references=(reference,)), curves()))
    assert [text.get_text() for text in panels.static().legends[0].get_texts()][3:] == ["bound: note"]


def test_data_of_panels():
    one, two = curves(title="one", y_label="regret"), curves(title="two", x=X + 10, y_label="share")
    data = Panels("t", "s", (one, one)).data()
    assert dict(data.sizes) == {"panel": 2, "policy": 3, "step": 30}
    data = Panels("title", "subtitle", (one, two)).data()
    assert dict(data.sizes) == {"panel": 2, "policy": 3, "step": 40}
    assert list(data.panel.values) == ["one", "two"]
    assert list(data.quantity.values) == ["regret", "share"]
    assert data.attrs == {"title": "title", "subtitle": "subtitle"}
    np.testing.assert_array_equal(data.middle.sel(panel="two", step=X + 10)[1], 2 * X)
    assert data.middle.sel(panel="two", step=X[:10]).isnull().all()
    mixed = Panels("t", "s", (one, curves(title="two", x_label="Rho", x=X / 30))).data()
    assert mixed.middle.dims == ("panel", "policy", "x")


def test_panels_of_different_lines_are_told():
    with pytest.raises(ParameterError, match=r"same order, got .* and \['a'\] in 'other'"):
        Panels("t", "s", (curves(), curves(title="other", lines=(line("a"),))))
    with pytest.raises(ParameterError, match="got none"):
        Panels("t", "s", ())


@pytest.mark.parametrize(("count", "rows", "columns"), [(1, 1, 1), (2, 1, 2), (5, 3, 2), (50, 25, 2)])
def test_a_grid_is_one_figure(count, rows, columns):
    figure = Grid("title", "subtitle", tuple(curves(title=f"panel {i}") for i in range(count))).interactive()
    axes = [(figure.layout[f"xaxis{i or ''}"], figure.layout[f"yaxis{i or ''}"]) for i in [0, *range(2, count + 1)]]
    assert len({x.domain for x, _ in axes}) == columns
    assert len({y.domain for _, y in axes}) == rows
    assert {x.matches for x, _ in axes[1:]} <= {"x"}
    assert axes[0][0].matches is None  # an axis that matches itself is none
    assert [x.title.text == "Step" for x, _ in axes] == [i >= count - columns for i in range(count)]
    assert [y.showticklabels is not False for _, y in axes] == [i % columns == 0 for i in range(count)]
    for (_, y), name in zip(axes, figure.layout.annotations, strict=True):
        assert name.y == pytest.approx(y.domain[1])


def test_a_framed_picture_need_not_hold_zero():
    reference = Reference("above", "", X * 0 + 50, (6, 2))
    given = curves(lines=(Line("a", X + 20, NONE, NONE),), references=(reference,), framed=True)
    low, high = given.static().axes[0].get_ylim()
    assert 15 < low < 20
    assert 50 < high < 55
    assert given.interactive().layout.yaxis.rangemode is None  # "normal"
    assert curves().interactive().layout.yaxis.rangemode == "tozero"
    assert given.interactive().layout.yaxis.range is None


def test_steps_stay_level_up_to_the_next_point():
    given = curves(x=X[:3], lines=(Line("a", X[:3], *np.full((2, 3), np.nan)),), stepped=True)
    (trace,), (drawn_line,) = drawn(given.interactive()), given.static().axes[0].lines
    assert trace.line.shape == "hv"
    assert drawn_line.get_drawstyle() == "steps-post"
    assert trace.mode == "lines"
    assert drawn_line.get_marker() == ""
    assert given.static().axes[0].get_xlim() == (0, 2)
    assert drawn(curves().interactive())[0].line.shape is None


def test_joined_lines_continue_over_points_that_are_no_numbers():
    middle = np.array([1.0, np.nan, 2.0])
    lines = (Line("a", middle, middle - 1, middle + 1), Line("b", *np.ones((3, 3)), level=True))
    given = curves(x=X[:3], lines=lines, joined=True)
    figure, axes = given.interactive(), given.static().axes[0]
    joined, level = drawn(figure)
    np.testing.assert_array_equal(joined.x, [0, 2])
    np.testing.assert_array_equal(joined.customdata, [[0, 2], [1, 3]])
    np.testing.assert_array_equal(bands(figure)[0].x, [0, 2, 2, 0])
    np.testing.assert_array_equal(axes.lines[0].get_ydata(), [1, 2])
    assert (joined.mode, level.mode) == ("lines+markers", "lines")
    assert [line.get_marker() for line in axes.lines] == ["o", ""]
    assert given.data().middle.isnull().sum() == 1


def test_panels_with_vertical_scales_of_their_own():
    panels = tuple(curves(title=str(i)) for i in range(3))
    own, same = (Grid("t", "s", panels, own=own).interactive().layout for own in (True, False))
    assert (own.yaxis2.matches, own.yaxis2.showticklabels) == (None, True)
    assert (same.yaxis2.matches, same.yaxis2.showticklabels) == ("y", False)
    assert own.xaxis2.matches == "x"
    assert own.xaxis2.domain[0] - own.xaxis.domain[1] > 0.1  # room for the numbers

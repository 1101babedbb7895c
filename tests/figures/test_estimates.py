"""Forests, bars and dots."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from primum.figures import Bars, Cloud, Dots, Forest, Line, Row, style

NAN = float("nan")
ROWS = (
    Row("first", 1.0, 0.5, 2.0, "ours"),
    Row("first", 1.5, NAN, NAN, "theirs"),
    Row("second", 3.0, 2.5, 4.0, "ours"),
    Row("x" * 100, 3.0, -1.0, 4.0, "ours"),
)


def forest(**more):
    return Forest(**{"title": "t", "subtitle": "s", "x_label": "Ratio", "rows": ROWS, "reference": 2.0} | more)


def whiskers(axes):
    return [segment for collection in axes.collections for segment in collection.get_segments()]


def test_a_forest_shows_each_row():
    figure, static = forest().interactive(), forest().static()
    axes = static.axes[0]
    ours, theirs = figure.data
    assert (ours.name, theirs.name) == ("ours", "theirs")
    np.testing.assert_array_equal(ours.x, [1, 3, 3])
    np.testing.assert_array_equal(ours.error_x.array, [1, 1, 1])
    np.testing.assert_array_equal(ours.error_x.arrayminus, [0.5, 0.5, 4])
    assert np.isnan(theirs.error_x.array).all()
    assert next(iter(ours.hovertext)) == "first<br>1 [0.5, 2]"
    assert list(theirs.hovertext) == ["first<br>1.5"]
    # neighbours with the same label share a line, and are apart
    assert -0.5 < ours.y[0] < 0 < theirs.y[0] < 0.5
    np.testing.assert_array_equal(ours.y[1:], [1, 2])
    assert len(figure.layout.yaxis.ticktext) == 3
    assert figure.layout.yaxis.range[0] > figure.layout.yaxis.range[1]  # from the top
    assert figure.layout.shapes[0].x0 == 2
    np.testing.assert_array_equal(sorted(segment[0][0] for segment in whiskers(axes)), [-1, 0.5, 2.5])
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels[:2] == ["first", "second"]
    assert len(labels[2]) == style.NAME_LETTERS
    assert len(static.legends[0].get_texts()) == 2
    assert len({one.get_marker() for one in axes.lines if one.get_label() in ("ours", "theirs")}) == 2


def test_a_forest_of_one_group_has_no_legend_and_grows_with_its_rows():
    few, many = (forest(rows=tuple(Row(str(i), i, i, i) for i in range(n)), reference=None) for n in (3, 30))
    assert not few.static().legends
    assert not few.interactive().layout.showlegend
    assert not few.interactive().layout.shapes
    assert many.static().get_figheight() > 2 * few.static().get_figheight()
    assert many.interactive().layout.height > 2 * few.interactive().layout.height


def test_a_logarithmic_forest_keeps_intervals_from_zero():
    rows = (*ROWS, Row("nothing", 0.0, 0.0, 1.0, "ours"))
    axes = forest(log=True, rows=rows, reference=0.0).static().axes[0]
    figure = forest(log=True, rows=rows, reference=0.0).interactive()
    assert axes.get_xscale() == figure.layout.xaxis.type == "log"
    assert not figure.layout.shapes
    floor = axes.get_xlim()[0]
    assert floor > 0
    assert min(segment[0][0] for segment in whiskers(axes)) == pytest.approx(floor)
    assert np.isnan(figure.data[0].x[-1])


def test_data_of_a_forest():
    frame = forest().data().to_dataframe()
    for name in ("label", "group", "middle", "low", "high"):
        np.testing.assert_array_equal(frame[name], [getattr(row, name) for row in ROWS])


def bars(**more):
    middle = np.array([0.2, 0.3, 0.5])
    series = (
        Line("standard", middle, middle - 0.1, middle + 0.2),
        Line("test", middle[::-1], np.array([NAN, 0.1, 0.1]), np.array([NAN, 0.4, 0.3]), colour=3),
    )
    given = {"title": "t", "subtitle": "s", "x_label": "Days", "y_label": "Share", "series": series}
    return Bars(**given | {"categories": ("1", "2", "2")} | more)


def test_bars_in_groups():
    figure, axes = bars().interactive(), bars().static().axes[0]
    standard, test = figure.data
    np.testing.assert_array_equal(standard.x, [0, 1, 2])  # equal names stay apart
    assert list(figure.layout.xaxis.ticktext) == ["1", "2", "2"]
    np.testing.assert_allclose(standard.error_y.array, 0.2)
    np.testing.assert_allclose(standard.error_y.arrayminus, 0.1)
    assert np.isnan(test.error_y.array[0])
    assert list(test.hovertext) == ["1<br>0.5", "2<br>0.3 [0.1, 0.4]", "2<br>0.2 [0.1, 0.3]"]
    assert [trace.marker.color for trace in figure.data] == [style.colour(0), style.colour(3)]
    assert standard.marker.pattern.shape != test.marker.pattern.shape
    heights = [[bar.get_height() for bar in container] for container in axes.containers]
    np.testing.assert_array_equal(heights, [one.middle for one in bars().series])
    assert axes.patches[0].get_hatch() != axes.patches[3].get_hatch()
    edges = sorted((bar.get_x(), bar.get_x() + bar.get_width()) for bar in axes.patches)
    assert all(left[1] <= right[0] + 1e-9 for left, right in itertools.pairwise(edges))
    assert len(whiskers(axes)) == 5
    assert [text.get_text() for text in bars().static().legends[0].get_texts()] == ["standard", "test"]


def test_long_categories_are_wrapped_or_slanted():
    def angles(*names):
        labels = bars(categories=names).static().axes[0].get_xticklabels()
        return {label.get_rotation() for label in labels}, [label.get_text() for label in labels]

    assert angles("a", "b", "c")[0] == {0}
    assert "\n" in angles("a", "several short words that are too many for a line", "c")[1][1]
    assert angles("a", "w" * 40, "c")[0] == {35}


def test_data_of_bars():
    data = bars().data()
    assert data.middle.dims == ("series", "category")
    for i, one in enumerate(bars().series):
        for name in ("middle", "low", "high"):
            np.testing.assert_array_equal(data[name][i], getattr(one, name))


def dots(**more):
    series = (Cloud("a", np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0, 8.0])), Cloud("b", np.ones(1), np.ones(1)))
    return Dots(**{"title": "t", "subtitle": "s", "x_label": "BESA+", "y_label": "rival", "series": series} | more)


def test_dots_and_the_diagonal():
    figure, axes = dots().interactive(), dots().static().axes[0]
    assert figure.layout.xaxis.range == figure.layout.yaxis.range == axes.get_xlim() == axes.get_ylim() == (0, 8.4)
    np.testing.assert_array_equal(axes.lines[0].get_xydata(), [[0, 0], [8.4, 8.4]])
    np.testing.assert_array_equal(figure.data[0].y, [0, 8.4])
    np.testing.assert_array_equal(figure.data[1].y, [1, 3, 8])
    np.testing.assert_array_equal(axes.lines[1].get_xydata(), [[0, 1], [2, 3], [4, 8]])
    assert figure.data[1].marker.symbol != figure.data[2].marker.symbol
    free = dots(diagonal=False)
    assert len(free.interactive().data) == 2
    assert [len(line.get_xdata()) for line in free.static().axes[0].lines] == [3, 1]
    assert free.interactive().layout.xaxis.range == (0, 4.2)
    assert not dots(series=dots().series[:1]).static().legends


def test_dots_without_a_place_are_counted():
    figure, static = dots(log=True).interactive(), dots(log=True).static()
    assert [trace.name for trace in figure.data[1:]] == ["a (1 not shown)", "b"]
    np.testing.assert_array_equal(figure.data[1].x, [2, 4])
    assert [text.get_text() for text in static.legends[0].get_texts()] == ["a (1 not shown)", "b"]
    assert static.axes[0].get_xlim()[0] > 0
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == static.axes[0].get_yscale() == "log"


def test_data_of_dots():
    data = dots().data()
    np.testing.assert_array_equal(data.x.sel(series="a"), [0, 2, 4])
    np.testing.assert_array_equal(data.y.sel(series="b"), [1, NAN, NAN])
    assert data.y.attrs["long_name"] == "rival"

"""Heat maps, and estimates by category."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from primum.figures import Grid, style
from primum.figures.kinds import heat_map
from tests.figures import pictures

RNG = np.random.default_rng(3)


def map_of(rows, columns, letters=12):
    numbers = np.exp(RNG.gamma(1.0, 1.0, (rows, columns)))
    names = tuple(tuple(f"{i:>{letters}}" for i in range(count)) for count in (rows, columns))
    return pictures.heat_map(numbers, names)


def overlapping(texts):
    """Whether any two neighbours overlap."""
    boxes = [text.get_window_extent() for text in texts if text.get_text()]
    return any(one.overlaps(other) for one, other in itertools.pairwise(boxes))


def test_data_is_what_was_given():
    given = pictures.heat_map()
    data = given.data()
    np.testing.assert_array_equal(data.ratio, given.numbers)
    assert data.ratio.dims == ("y", "experiment")
    assert list(data.experiment.values) == list(given.columns)


def test_infinite_and_enormous_ratios_are_told():
    given = pictures.heat_map()
    finite, infinite = given.interactive().data
    assert finite.zmax == 3
    np.testing.assert_allclose(finite.z[0], np.log10([1, 2.5, 30]))
    assert np.isnan(finite.z[1][2])
    assert infinite.z[1][2] == 1
    assert [list(row) for row in infinite.text] == [["", "", ""], ["", "", "∞"], ["", "", ""]]
    assert [list(row) for row in finite.text] == [["1", "2.50", "30.0"], ["1.50", "1", ""], ["400k", "12.3", "1"]]
    assert list(finite.colorbar.ticktext) == ["1", "10", "100", "≥ 1,000"]
    static = given.static()
    assert [text.get_text() for text in static.axes[0].texts][:6] == ["1", "2.50", "30.0", "1.50", "1", "∞"]
    (mesh,) = static.axes[0].collections
    static.draw_without_rendering()
    colours = style.matplotlib().colors.to_rgba_array([heat_map.INFINITE_COLOUR, style.SEQUENCE[0], style.SEQUENCE[-1]])
    np.testing.assert_allclose(mesh.get_facecolors()[[5, 0, 6]], colours, atol=0.01)
    assert static.axes[0].get_ylim() == (2.5, -0.5)  # the first row is at the top
    assert static.axes[0].get_ylabel() == given.y_label
    without = pictures.heat_map(np.ones((3, 3)))
    assert len(without.interactive().data) == 1
    assert not without.static().legends


def test_ratios_in_few_letters():
    numbers = (1.0, 1.0001, 9.996, 99.96, 999.6, 12345.0, 3e9, 2e123, np.inf)
    assert [heat_map._written(number) for number in numbers] == [
        "1", "1.00", "10.0", "100", "1k", "12.3k", "3e9", "2e123", "∞",
    ]  # fmt: skip


@pytest.mark.parametrize("shape", [(1, 1), (1, 12), (8, 1), (12, 16), (5, 60), (30, 5), (30, 60), (3, 200)])
@pytest.mark.parametrize("letters", [1, 200])
def test_names_and_numbers_have_room(shape, letters):
    given = map_of(*shape, letters=letters)
    figure = given.static()
    figure.draw_without_rendering()
    axes = figure.axes[0]
    width, height = figure.get_size_inches()
    assert 6.4 <= width < 14
    box = figure.get_tightbbox()
    assert min(box.x0, box.y0) >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01
    assert not overlapping(axes.get_yticklabels())
    labels = axes.get_xticklabels()
    if labels[0].get_rotation() != 35:  # the boxes of askew ones do overlap
        assert not overlapping(labels)
    assert len(axes.texts) == (given.numbers.size if given.numbers.size <= heat_map.CELLS_WITH_NUMBERS else 0)
    assert not overlapping(axes.texts)
    assert len(given.interactive().layout.xaxis.ticktext) <= heat_map.NAMED_COLUMNS


def test_long_names_lose_their_middle():
    assert style.squeezed("short  name\n", 20) == "short name"
    assert style.squeezed("a" * 30 + "b" * 30, 11) == "aaaaa…bbbbb"
    assert len(style.squeezed("x" * 50, 40)) == 40


def test_categories_are_points_beside_each_other():
    given = pictures.categories()
    figure, axes = given.interactive(), given.static().axes[0]
    band, level, first, second = figure.data
    assert band.fill == "toself"
    assert (first.mode, second.mode, level.mode) == ("markers", "markers", "lines")
    np.testing.assert_array_equal(level.x, [-0.5, 2.5])
    np.testing.assert_array_equal(level.y, [2, 2])
    np.testing.assert_allclose(second.x - first.x, 0.12)
    np.testing.assert_allclose((second.x + first.x) / 2, [0, 1, 2])
    np.testing.assert_allclose(first.error_y.array, [0.2, 0.5, 0.3])
    assert first.hovertext[1] == "$x^{<br>0.5 [0.25, 1]"
    assert list(figure.layout.xaxis.ticktext) == [style.for_plotly(name) for name in pictures.HOSTILE]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [
        style.for_matplotlib(name) for name in pictures.HOSTILE
    ]
    data = given.data()
    assert list(data.problem.values) == list(pictures.HOSTILE)
    np.testing.assert_allclose(data.middle[0], [0.2, 0.5, 0.3])


def test_only_the_last_panels_name_their_categories():
    layout = Grid("t", "s", tuple(pictures.categories(title=str(i)) for i in range(3)), own=True).interactive().layout
    assert [layout[f"xaxis{i}"].showticklabels for i in ("", 2, 3)] == [False, None, None]
    assert layout.hovermode == "closest"


def test_many_categories_widen_the_figure():
    names = tuple(f"problem {i}" for i in range(40))
    lines = tuple(pictures.Line(f"p{i}", *np.ones((3, 40))) for i in range(5))
    figure = pictures.categories(x=np.arange(40), lines=lines, names=names).static()
    assert figure.get_figwidth() == 12


def test_where_there_is_no_ratio_the_cell_is_white_with_a_dot():
    given = pictures.heat_map(np.array([[1.0, 2.0, np.nan], [np.nan, 1.0, 3.0], [np.inf, 5.0, 1.0]]))
    figure = given.interactive()
    assert [list(row) for row in figure.data[0].text] == [["1", "2.00", ""], ["", "1", "3.00"], ["", "5.00", "1"]]
    assert np.isnan(figure.data[0].z[0][2])
    assert np.isnan(figure.data[1].z[0][2]), "only what is infinite stands out"
    dots = figure.data[-1]
    assert list(zip(dots.x, dots.y, strict=True)) == [(2, 0), (0, 1)]
    static = given.static()
    (mesh,), (marks,) = static.axes[0].collections, static.axes[0].lines
    static.draw_without_rendering()
    colours = style.matplotlib().colors.to_rgba_array(["white", heat_map.INFINITE_COLOUR, style.SEQUENCE[0]])
    np.testing.assert_allclose(mesh.get_facecolors()[[2, 6, 0]], colours, atol=0.01)
    assert marks.get_xydata().tolist() == [[2, 0], [0, 1]]
    assert [text.get_text() for text in static.axes[0].texts] == ["1", "2.00", "", "", "1", "3.00", "∞", "5.00", "1"]

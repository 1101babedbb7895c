"""What is asked of every picture."""

from __future__ import annotations

import base64
import json

import numpy as np
import plotly.io
import pytest

from primum.figures import ranges, style
from primum.figures.backends import plotly as backend
from tests.figures.pictures import HOSTILE, curves, line, pictures

KINDS = list(pictures())


def shown(picture):
    figures = picture.interactive()
    return figures if isinstance(figures, tuple) else (figures,)


def test_the_template_is_a_part_of_plotly_s():
    def is_part(ours, theirs):
        if isinstance(ours, dict):
            return all(is_part(part, theirs[key]) for key, part in ours.items())
        if isinstance(ours, list):
            return all(map(is_part, ours, theirs))
        return ours == theirs

    assert is_part(backend.TEMPLATE, plotly.io.templates["simple_white"].to_plotly_json())


@pytest.mark.parametrize("kind", KINDS)
def test_equal_pictures_give_equal_files(kind):
    once, again = pictures()[kind].static(), pictures()[kind].static()
    png, svg = style.png(once), style.svg(once)
    assert [style.svg(again), style.png(again)] == [svg, png]  # in another order: earlier writing has no effect
    assert png.startswith(b"\x89PNG")
    assert b"<dc:date>" not in svg
    first, second = (list(map(style.plotly_json, shown(pictures()[kind]))) for _ in range(2))
    assert first == second


def test_different_pictures_give_different_files():
    other = curves(lines=(line("a", 1.5),))
    assert style.svg(other.static()) != style.svg(curves(lines=(line("a", 1.6),)).static())


@pytest.mark.parametrize("kind", KINDS)
def test_names_are_only_names(kind):
    for figure in shown(pictures()[kind]):
        text = figure.to_json()
        assert "<b>bold" not in json.loads(text)["layout"]["title"]["text"]
        for words in ("<b>", "<i>", "<y>"):
            assert words not in json.dumps(json.loads(text)).replace("<br>", "")
        names = [trace.name for trace in figure.data if trace.name] + list(figure.layout.yaxis.ticktext or ())
        assert {style.for_plotly(name) for name in HOSTILE} <= set(names)
    figure = pictures()[kind].static()
    figure.draw_without_rendering()  # a dollar that is not escaped would be a formula, and an error
    legends = [*figure.legends, *(axes.get_legend() for axes in figure.axes if axes.get_legend())]
    texts = {text.get_text() for legend in legends for text in legend.get_texts()}
    texts |= {text.get_text() for text in figure.axes[0].get_yticklabels()}
    assert {style.for_matplotlib(name) for name in HOSTILE} <= texts


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_leaves_the_static_figure(kind):
    figure = pictures()[kind].static()
    figure.draw_without_rendering()
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert box.x0 >= -0.01
    assert box.y0 >= -0.01
    assert box.x1 <= width + 0.01
    assert box.y1 <= height + 0.01


@pytest.mark.parametrize("kind", KINDS)
def test_data_can_be_kept(kind, tmp_path):
    from xarray import load_dataset

    data = pictures()[kind].data()
    assert all(data[name].attrs["long_name"] for name in [*data.data_vars, *data.coords])
    data.to_netcdf(tmp_path / "picture.nc", engine="h5netcdf")
    assert load_dataset(tmp_path / "picture.nc", engine="h5netcdf").identical(data)
    assert len(data.to_dataframe().to_csv().splitlines()) > 3


def test_arrays_on_a_page_are_compact():
    figure = curves(x=np.arange(30)).interactive()
    text = style.plotly_json(figure)
    assert "<" not in text  # it cannot end a script
    plain, compact = json.loads(figure.to_json())["data"], json.loads(text)["data"]
    assert len(text) < len(figure.to_json())
    assert compact[-1]["x"] == plain[-1]["x"]  # whole numbers stay so
    assert compact[-1]["customdata"]["shape"] == "30, 2"
    assert compact[-1]["y"]["dtype"] == "f4"
    numbers = np.frombuffer(base64.b64decode(compact[-1]["y"]["bdata"]), "<f4")
    np.testing.assert_allclose(numbers, figure.data[-1].y, rtol=1e-7)
    huge = curves(lines=(line("a", 1e300),)).interactive()
    assert json.loads(style.plotly_json(huge))["data"][-1]["y"]["dtype"] == "f8"


def test_ranges():
    assert ranges.limits([np.nan]) == (0, 1)
    assert ranges.limits([3.0, 3.0]) == (2.5, 3.5)
    assert ranges.limits([0.0, 1.0, 100.0], log=True, pad=0.0) == pytest.approx((1, 100))
    assert ranges.from_zero([np.nan, 2.0]) == (0, 2.1)
    assert ranges.from_zero([-1.0, -2.0]) == (-2.1, 0)
    assert ranges.from_zero([]) == (0, 1)
    assert ranges.log_floor([0.0, 10.0], [-1.0, 2.0]) == 2
    assert ranges.log_floor([10.0], [1e-9]) == 1
    assert ranges.log_floor([0.0], [0.0]) == 0.1
    assert ranges.log_ticks((1, 100)) is None
    assert ranges.log_ticks((0.3, 3)) == [0.5, 1, 2]
    assert ranges.log_ticks((1.0, 1.35)) == [1, 1.1, 1.2, 1.3]
    assert ranges.log_ticks((1.01, 1.02)) is None


def test_dots_per_inch_change_the_pixels_alone():
    figure = curves().static()
    coarse, fine = style.png(figure), style.png(figure, dpi=300)
    assert size(fine) == tuple(2 * side for side in size(coarse)) == (1920, 1200)


def size(png):
    return int.from_bytes(png[16:20]), int.from_bytes(png[20:24])


def test_colours_can_be_told_apart():
    white = {colour: contrast(colour, "#FFFFFF") for colour in style.COLOURS}
    assert min(white.values()) > 2.2
    assert not set(style.RAMP) & set(style.COLOURS)
    light = [luminance(colour) for colour in style.RAMP]
    assert light == sorted(light)  # also without any colour vision
    assert style.ramp(2) == (style.RAMP[0], style.RAMP[-1])
    assert style.ramp(8) == style.RAMP
    assert style.ramp(1) == style.RAMP[:1]


def test_the_sequence_of_colours_darkens_in_equal_steps():
    light = 116 * np.cbrt([luminance(colour) for colour in style.SEQUENCE]) - 16  # the lightness of CIELAB
    steps = np.diff(light)
    assert ((steps > -11) & (steps < -9.5)).all()


def luminance(colour):
    """As the Web Content Accessibility Guidelines have it."""
    parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def contrast(one, other):
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("ground", ["#14191B", "#1B2224"])  # of the laboratory in the dark, and of its cards
def test_colours_stand_out_on_a_dark_background(ground):
    colours = {style.ON_DARK.get(colour, colour) for colour in (*style.COLOURS, *style.RAMP, style.GREY)}
    assert len(colours) == len(style.COLOURS) + len(style.RAMP) + 1
    assert {colour: contrast(colour, ground) for colour in colours if contrast(colour, ground) < 3} == {}
    assert contrast(style.ON_DARK[style.DARK_GREY], ground) >= 4.5  # it is used for text
    light = [luminance(style.ON_DARK[colour]) for colour in style.RAMP]
    assert light == sorted(light)


def test_text_of_figures_stands_out_on_a_light_background():
    for ground in ("#FFFFFF", "#FBFCFC"):
        assert contrast(style.DARK_GREY, ground) >= 4.5
        assert contrast(style.RAMP[0], ground) >= 4.5

"""Figures: what they show, and that names cannot spoil them."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from primum import PrimumError, Problem, Results, policies, rewards, theory, values
from primum.errors import ParameterError, UnknownNameError
from primum.figures import style

HOSTILE = ["<b>bold</b>", "$x^{", "_hidden", "a" * 200, "two\nlines"]


def make(players=2, arms=3, replications=4, steps=(1, 10, 100), names=None, value=None, unit=1.0):
    rng = np.random.default_rng(5)
    steps = np.array(steps)
    shares = rng.dirichlet(np.ones(arms), (players, replications))
    pulls = (shares[:, :, None] * steps[:, None]).astype(int)
    pulls[..., 0] += steps - pulls.sum(-1)
    named = {
        name: rewards.Constant(unit * i / arms) for i, name in enumerate(names or [f"arm {i}" for i in range(arms)])
    }
    many = [policies.BesaPlus(floor=i + 1) for i in range(players)]
    return Results(Problem(named, value or values.CVaR(0.25)), many, steps[-1], 7, steps, range(replications), pulls)


def lines(figure):
    return [trace for trace in figure.data if trace.showlegend is not False]


def bands(figure):
    return [trace for trace in figure.data if trace.fill == "toself"]


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("kind", ["regret", "best-arm", "choices"])
def test_every_figure_is_drawn_both_ways(kind, log):
    figure = make().figure(kind, log=log)
    assert json.loads(figure.to_json())["data"]
    assert figure.layout.xaxis.type == ("log" if log else "linear")
    static = make().figure(kind, static=True, log=log)
    assert static.axes[0].get_xscale() == ("log" if log else "linear")
    for form, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        buffer = io.BytesIO()
        static.savefig(buffer, format=form)
        assert buffer.getvalue().startswith(begin)


def test_regret_shows_the_mean_and_its_interval():
    results = make()
    regret = results.regret.values
    figure, static = results.figure("regret"), results.figure("regret", static=True)
    assert [line.name for line in lines(figure)] == ["besa-plus", "besa-plus(floor=2)"]
    for i in range(2):
        np.testing.assert_allclose(lines(figure)[i].y, regret[i].mean(axis=0))
        np.testing.assert_allclose(static.axes[0].lines[i].get_ydata(), regret[i].mean(axis=0))
    row = results.summary().iloc[1]
    np.testing.assert_allclose(lines(figure)[1].customdata[-1], [row.regret_low, row.regret_high])
    assert max(bands(figure)[1].y) == pytest.approx(row.regret_high)
    assert len(static.axes[0].collections) == 2
    assert figure.layout.yaxis.title.text == "Accumulated regret"
    assert "Accumulated regret by cvar, alpha 0.25, estimator fractional" in figure.layout.title.text.replace(
        "<br>", " "
    )
    assert static.axes[0].get_ylabel() == figure.layout.yaxis.title.text
    assert "mean of 4 replications; band: 95 % interval of the mean" in figure.layout.title.text


def test_the_median_comes_with_quantiles():
    results = make()
    line = lines(results.figure("regret", statistic="median"))[0]
    np.testing.assert_allclose(line.y, np.median(results.regret[0], axis=0))
    np.testing.assert_allclose(line.customdata.T, np.quantile(results.regret[0], [0.05, 0.95], axis=0))


def test_best_arm_is_a_share():
    results = make()
    figure = results.figure("best-arm")
    np.testing.assert_allclose(lines(figure)[0].y, results.best_arm_share[0].mean("replication"))
    assert figure.layout.yaxis.range == (0, 1)
    assert all(0 <= y <= 1 for band in bands(figure) for y in band.y)


def test_a_single_replication_has_no_band():
    results = make(replications=1)
    assert not bands(results.figure("regret"))
    assert not results.figure("regret", static=True).axes[0].collections
    assert "mean of 1 replication; band: none" in results.figure("regret").layout.title.text


def test_a_policy_keeps_its_colour_and_dash_by_position():
    for kind in ("regret", "best-arm"):
        figure, static = make(players=3).figure(kind), make(players=3).figure(kind, static=True)
        drawn = [line.line.color for line in lines(figure)]
        assert drawn == list(style.COLOURS[:3]) == [line.get_color() for line in static.axes[0].lines]
        assert len({line.line.dash for line in lines(figure)}) == 3
        assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in static.axes[0].lines}) == 3
    assert len({(style.colour(i), style.dash(i)) for i in range(56)}) == 56


def test_choices_add_up_to_one():
    results = make(players=4)
    figure = results.figure("choices")
    for group in "0123":
        stack = [trace.y for trace in figure.data if trace.stackgroup == group]
        np.testing.assert_allclose(np.sum(stack, axis=0), 1)
    assert [line.name for line in lines(figure)] == ["arm 0", "arm 1", "arm 2 (best)"]
    expected = (results.pulls[1] / results.steps[:, None]).mean("replication").sel(arm="arm 1")
    np.testing.assert_allclose(figure.data[5].y, expected)
    static = results.figure("choices", static=True)
    assert [axes.get_title() for axes in static.axes] == results.labels


@pytest.mark.parametrize("arms", [9, 10_000])
def test_rarely_pulled_arms_are_grouped(arms):
    results = make(arms=arms, players=1, replications=2, steps=(50_000, 100_000))
    shown = lines(results.figure("choices"))
    assert len(shown) == 9
    assert shown[-1].name == ("1 other" if arms == 9 else "9,992 others")
    np.testing.assert_allclose(np.sum([trace.y for trace in shown], axis=0), 1)
    final = results.pulls.isel(policy=0, step=-1).mean("replication") / 100_000
    np.testing.assert_allclose(sorted(trace.y[-1] for trace in shown[:-1]), np.sort(final.values)[-8:])
    legend = results.figure("choices", static=True).legends[0]
    assert len(legend.get_texts()) == 9


def test_choices_of_ten_policies_fit_on_a_grid():
    static = make(players=10).figure("choices", static=True)
    assert len(static.axes) == 10


@pytest.mark.parametrize("kind", ["regret", "choices"])
def test_names_are_only_names(kind):
    results = make(arms=5, names=HOSTILE)
    results.figure(kind, static=True).savefig(io.BytesIO(), format="png")
    if kind == "choices":
        drawn = [line.name for line in lines(results.figure(kind))]
        assert drawn[0] == "&lt;b&gt;bold&lt;/b&gt;"
        assert drawn[4] == "two lines (best)"
        assert len(drawn[3]) == style.LONGEST
        legend = [text.get_text() for text in results.figure(kind, static=True).legends[0].get_texts()]
        assert legend[::-1][1:3] == [r"\$x^{", "\u200b_hidden"]


@pytest.mark.parametrize("log", [False, True])
def test_bounds_are_drawn_and_leave_the_policies_readable(log):
    results = make(value=values.Mean())
    upper, lower = theory.upper_bound(results.problem, results.steps), theory.lower_bound(results.problem)
    plain, figure, static = (
        results.figure("regret", log=log),
        results.figure("regret", bounds=True, log=log),
        results.figure("regret", bounds=True, static=True, log=log),
    )
    assert [line.name for line in lines(figure)[:2]] == results.labels
    assert lines(figure)[2].name.replace("<br>", " ") == (
        "Theorem 2 for BESA+: min(bound, gap x T) = gap x T = 66.67 at step 100 (its proof has a gap)"
    )
    assert lines(figure)[3].name.startswith(f"Least growth: {lower.constant:.3g} log T")
    assert "Burnetas and Katehakis; asymptotic" in lines(figure)[3].name.replace("<br>", " ")
    for drawn in (lines(figure)[2].y, static.axes[0].lines[2].get_ydata()):
        np.testing.assert_allclose(drawn, upper.regret)
    for drawn in (lines(figure)[3].y, static.axes[0].lines[3].get_ydata()):
        np.testing.assert_allclose(drawn, lower.regret(results.steps))
    top = max(y for band in bands(plain) for y in band.y)
    assert top < upper.regret[-1]
    for end in (figure.layout.yaxis.range[1], static.axes[0].get_ylim()[1]):
        assert top <= end <= 1.1 * top
    text = [item.get_text() for item in static.legends[0].get_texts()]
    assert text[0].startswith("Theorem 2 for BESA+: min(bound, gap x T) = gap x T = 66.67 at step 100")
    assert [item.get_text() for item in static.axes[0].get_legend().get_texts()] == results.labels
    static.savefig(io.BytesIO(), format="png")


def test_a_value_other_than_the_mean_has_the_upper_bound_only():
    cvar, spread = make(), make(value=values.MeanVariance())
    assert len(lines(cvar.figure(bounds=True))) == len(lines(spread.figure(bounds=True))) == 3
    assert "not well-behaved" in lines(cvar.figure(bounds=True))[-1].name.replace("<br>", " ")
    assert "not well-behaved" not in lines(spread.figure(bounds=True))[-1].name.replace("<br>", " ")


def test_bounds_without_regret_leave_an_ordinary_picture():
    results = make(arms=1, value=values.Mean())
    assert results.figure(bounds=True).layout.yaxis.range == (0, 1)
    assert results.figure(bounds=True, static=True).axes[0].get_ylim() == (0, 1)


def test_bounds_that_cannot_be_drawn_are_told():
    for kind in ("best-arm", "choices"):
        with pytest.raises(ParameterError, match=f"the figure must be 'regret', got '{kind}'"):
            make().figure(kind, bounds=True)
    with pytest.raises(ParameterError, match="no bound to draw: the theorems are about rewards in .* by mean"):
        make(unit=5).figure(bounds=True)
    with pytest.raises(ParameterError, match=r"support \[1.66667, 1.66667\]; arm 'arm 1' can give 1.66667"):
        make(unit=5, value=values.Mean()).figure(bounds=True)


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(UnknownNameError, match="did you mean 'regret'"):
        make().figure("regrets")
    with pytest.raises(UnknownNameError, match="no statistic named 'mode'"):
        make().figure(statistic="mode")
    with pytest.raises(ParameterError, match="add up to one"):
        make().figure("choices", statistic="median")
    with pytest.raises(PrimumError, match="two recorded steps and one replication at least, got 1 and 4"):
        make(steps=(100,)).figure()
    with pytest.raises(PrimumError, match="got 3 and 0"):
        make(replications=0).figure()


def test_a_legend_of_forty_lines_fits_the_static_figure():
    from primum.figures import Curves, Line

    steps = np.array([1, 2])
    lines = tuple(Line(f"policy {i}", steps + i, steps + i, steps + i) for i in range(40))
    figure = Curves("title", "subtitle", "regret", steps, lines).static()
    figure.draw_without_rendering()
    (legend,) = figure.legends
    low, high = legend.get_window_extent().intervaly
    assert low >= 0
    assert high <= figure.bbox.height

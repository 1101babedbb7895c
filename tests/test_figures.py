"""Figures: what they show, and that names cannot spoil them."""

from __future__ import annotations

import io
import json

import numpy as np
import pytest

from primum import PrimumError, Problem, Results, policies, rewards, theory, values
from primum.errors import ParameterError, UnknownNameError
from primum.figures import style
from primum.results.figures import FIGURES, MEASURES

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
@pytest.mark.parametrize("kind", FIGURES)
def test_every_figure_is_drawn_both_ways(kind, log):
    figure = make().figure(kind, log=log)
    assert json.loads(figure.to_json())["data"]
    expected = "log" if log else "linear"
    static = make().figure(kind, static=True, log=log)
    if kind == "final":  # it has no axis of steps
        assert figure.layout.yaxis.type == static.axes[0].get_yscale() == expected
        assert figure.layout.xaxis.type == static.axes[0].get_xscale() == "linear"
    else:
        assert figure.layout.xaxis.type == static.axes[0].get_xscale() == expected
    for form, begin in (("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")):
        buffer = io.BytesIO()
        static.savefig(buffer, format=form)
        assert buffer.getvalue().startswith(begin)


def test_regret_shows_the_mean_and_its_interval():
    results = make()
    regret = results.regret.values
    figure, static = results.figure("regret"), results.figure("regret", static=True)
    assert [line.name for line in lines(figure)] == ["BESA+", "BESA+ (floor 2)"]
    for i in range(2):
        np.testing.assert_allclose(lines(figure)[i].y, regret[i].mean(axis=0))
        np.testing.assert_allclose(static.axes[0].lines[i].get_ydata(), regret[i].mean(axis=0))
    row = results.summary().iloc[1]
    np.testing.assert_allclose(lines(figure)[1].customdata[-1], [max(row.regret_low, 0), row.regret_high])
    assert max(bands(figure)[1].y) == pytest.approx(row.regret_high)
    assert len(static.axes[0].collections) == 2
    assert figure.layout.yaxis.title.text == "Cumulative regret"
    picture = results.picture("regret")
    assert picture.title == "Cumulative regret (value: CVaR 25 %)"
    assert picture.title in figure.layout.title.text.replace("<br>", " ")
    assert static.axes[0].get_ylabel() == figure.layout.yaxis.title.text
    assert picture.subtitle == "rough: mean of only 4 replications; band: pointwise 95 % confidence interval"


@pytest.mark.parametrize("kind", FIGURES)
def test_few_replications_are_called_rough(kind):
    assert make(replications=9).picture(kind).subtitle.startswith("rough: ")
    assert "only 9 replications" in make(replications=9).picture(kind).subtitle
    enough = make(replications=10).picture(kind).subtitle
    assert "10 replications" in enough
    assert "rough" not in enough
    assert "only" not in enough


@pytest.mark.parametrize("kind", [*MEASURES, "arms"])
def test_bands_stay_where_the_numbers_can_be(kind):
    results = make(arms=2, replications=2)
    arms = np.array([arm.mean for arm in results.problem.arms.values()])
    low, high = {"regret": (0, 100 * results.problem.gaps.max()), "reward": (arms.min(), arms.max())}.get(kind, (0, 1))
    for curves in results.picture(kind).panels if kind == "arms" else [results.picture(kind)]:
        for line in curves.lines:
            assert line.low.min() >= low
            assert line.high.max() <= high
            assert (line.low <= line.middle + 1e-12).all()
            assert (line.middle <= line.high + 1e-12).all()
    if kind == "regret":  # by itself the interval would go beyond
        assert results.summary().regret_low.min() < 0


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


def test_worst_arm_is_a_share():
    results = make()
    figure = results.figure("worst-arm")
    np.testing.assert_allclose(lines(figure)[1].y, (results.pulls[1, :, :, 0] / results.steps).mean("replication"))
    assert figure.layout.yaxis.range == (0, 1)
    assert "no worst arm" not in results.picture("worst-arm").subtitle
    same = make(unit=0)
    assert "all arms are equally good, so there is no worst arm" in same.picture("worst-arm").subtitle
    np.testing.assert_array_equal(lines(same.figure("worst-arm"))[0].y, 0)


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_reward_is_what_the_arms_chosen_give(statistic):
    results = make()
    figure, static = (
        results.figure("reward", statistic=statistic),
        results.figure("reward", static=True, statistic=statistic),
    )
    sums = sum(results.pulls[0, :, :, arm].values * arm / 3 for arm in range(3))
    middle = getattr(np, statistic)(sums / results.steps, axis=0)
    np.testing.assert_allclose(lines(figure)[0].y, middle)
    np.testing.assert_allclose(static.axes[0].lines[0].get_ydata(), middle)
    (best,) = lines(figure)[2:]
    np.testing.assert_allclose(best.y, 2 / 3)
    assert best.name.replace("<br>", " ").startswith("Always arm 2: 0.6667; best by CVaR 25 %")
    low, high = static.axes[0].get_ylim()
    assert low < min(middle)
    assert 2 / 3 < high < 1  # the reference is seen
    assert low > -0.1


def test_the_arm_of_the_largest_mean_is_told_if_the_value_prefers_another():
    arms = {"risky": rewards.Bernoulli(0.6), "safe": rewards.Constant(0.5), "poor": rewards.Constant(0.1)}
    plain = make()
    given = [policies.Besa()], 100, 7, plain.steps, range(4), plain.pulls.values[:1]
    drawn = lines(Results(Problem(arms, values.CVaR(0.25)), *given).figure("reward"))[1:]
    assert [line.y[0] for line in drawn] == [0.5, 0.6]
    assert drawn[0].name.startswith("Always safe: 0.5; best by CVaR 25 %")
    assert drawn[1].name == "Always risky: 0.6; the largest mean"
    assert len(lines(Results(Problem(arms, values.Mean()), *given).figure("reward"))) == 2


@pytest.mark.parametrize("replications", [1, 4, 1000])
def test_final_shows_the_replications_in_order(replications):
    results = make(replications=replications)
    figure, static = results.figure("final"), results.figure("final", static=True)
    line, regret = lines(figure)[1], results.regret[1, :, -1].values.round(9)
    np.testing.assert_allclose(line.x, np.arange(201) / 2)
    for share, drawn in zip(range(201), line.y.round(9), strict=True):
        assert 200 * (regret <= drawn).sum() >= share * replications  # so many have at most this regret
        assert 200 * (regret < drawn).sum() < max(share * replications, 1)  # and of no smaller one that is true
    assert set(line.y.round(9)) <= set(regret)
    np.testing.assert_array_equal(static.axes[0].lines[1].get_ydata(), line.y)
    assert figure.layout.xaxis.title.text.replace("<br>", " ") == "Percentage of replications with at most this regret"


@pytest.mark.parametrize("statistic", ["mean", "median"])
def test_arms_show_the_policies_side_by_side(statistic):
    results = make(players=4)
    picture = results.picture("arms", statistic=statistic)
    figure, static = picture.interactive(), picture.static()
    shares = results.pulls.values / results.steps[:, None]
    middles = getattr(np, statistic)(shares, axis=1)
    names = ["arm 2 (best)", "arm 0", "arm 1"]
    assert [text.text for text in figure.layout.annotations] == names
    assert [axes.get_title("left") for axes in static.axes] == names
    for place, (arm, axis) in enumerate(zip((2, 0, 1), ("x", "x2", "x3"), strict=True)):
        drawn = [trace for trace in figure.data if trace.xaxis == axis and trace.fill is None]
        assert [trace.name for trace in drawn] == results.titles
        for policy, trace in enumerate(drawn):
            np.testing.assert_allclose(trace.y, middles[policy, :, arm])
            np.testing.assert_allclose(static.axes[place].lines[policy].get_ydata(), middles[policy, :, arm])
            if statistic == "median":
                ends = np.quantile(shares[policy, :, :, arm], [0.05, 0.95], axis=0)
                np.testing.assert_allclose(trace.customdata.T, ends)
    assert [trace.name for trace in lines(figure)] == results.titles  # each is once in the legend
    assert len(bands(figure)) == 12
    np.testing.assert_allclose(picture.data().middle[2, 2], middles[2, :, 1])
    assert "omitted" not in picture.subtitle
    assert picture.subtitle.startswith(f"rough: {statistic} of only 4")


def test_panels_of_arms_have_a_range_that_shows_them():
    results = make(arms=20, steps=(1, 100, 1000), replications=50)  # the first step is of arm 0 always
    picture = results.picture("arms")
    (top,) = {panel.top for panel in picture.panels}
    late = max(line.high[1:].max() for panel in picture.panels for line in panel.lines)
    assert late < top < 1.1 * late < 0.5
    assert {axis.range for axis in (picture.interactive().layout.yaxis, picture.interactive().layout.yaxis2)} == {
        (0, top)
    }
    assert {axes.get_ylim() for axes in picture.static().axes} == {(0, top)}
    assert "; the first steps exceed the axis" in picture.subtitle
    whole = results.picture("arms", log=True)  # there the first steps have much room
    assert {panel.top for panel in whole.panels} == {1}
    assert "exceed the axis" not in whole.subtitle


def test_rarely_pulled_arms_are_left_out_and_told():
    results = make(arms=20, steps=(50, 1000))
    picture = results.picture("arms")
    total = results.pulls.isel(step=-1).sum(("policy", "replication"))
    best, *shown = [panel.title for panel in picture.panels]
    assert best == "arm 19 (best)"
    assert len(shown) == 7
    others = total.drop_sel(arm=["arm 19", *shown])
    assert total.sel(arm=shown).min() >= others.max()
    assert shown == [name for name in results.problem.names if name in shown]
    told = ", ".join(others.arm.values[:5])
    assert picture.subtitle.endswith(f"; 12 rarely pulled arms omitted: {told}, …")
    assert make(arms=9).picture("arms").subtitle.endswith("; 1 rarely pulled arm omitted: arm 5")


def test_a_best_arm_is_shown_even_if_it_is_never_pulled():
    plain = make(arms=10, steps=(50, 1000))
    pulls = plain.pulls.values.copy()
    pulls[..., 0] += pulls[..., 9]
    pulls[..., 9] = 0
    results = Results(plain.problem, plain.policies, 1000, 7, plain.steps, plain.replications, pulls)
    assert results.picture("arms").panels[0].title == "arm 9 (best)"
    assert results.picture("choices").apart[0] == 9


def test_a_single_replication_has_no_band():
    results = make(replications=1)
    assert not bands(results.figure("regret"))
    assert not results.figure("regret", static=True).axes[0].collections
    assert "rough: mean of only 1 replication; band: none" in results.figure("regret").layout.title.text


def test_a_policy_keeps_its_colour_and_dash_by_position():
    for kind in ("regret", "best-arm"):
        figure, static = make(players=3).figure(kind), make(players=3).figure(kind, static=True)
        drawn = [line.line.color for line in lines(figure)]
        assert drawn == list(style.COLOURS[:3]) == [line.get_color() for line in static.axes[0].lines]
        assert len({line.line.dash for line in lines(figure)}) == 3
        assert len({str(line.get_linestyle()) + str(line._dash_pattern) for line in static.axes[0].lines}) == 3
    assert len({(style.colour(i), style.dash(i)) for i in range(56)}) == 56


@pytest.mark.parametrize("kind", [*MEASURES, "final", "arms"])
def test_hidden_policies_leave_the_others_as_they_are(kind):
    results = make(players=4, arms=20, steps=(50, 1000))
    whole, part = results.figure(kind), results.picture(kind, hidden=["besa-plus", "besa-plus(floor=3)"]).interactive()
    kept = [trace for trace in whole.data if trace.legendgroup in ("1", "3", None)]
    assert [trace.to_json() for trace in part.data] == [trace.to_json() for trace in kept]
    static = results.picture(kind, hidden=["besa-plus", "besa-plus(floor=3)"]).static()
    assert [line.get_color() for line in static.axes[0].lines[:2]] == [style.colour(1), style.colour(3)]
    for trace in whole.data:
        if trace.legendgroup is not None:
            assert trace.name == results.titles[int(trace.legendgroup)]


def test_panels_of_hidden_policies_are_left_out():
    results = make(players=3, arms=20, steps=(50, 1000))
    whole, part = results.picture("choices"), results.picture("choices", hidden=("besa-plus",))
    assert list(part.panels) == results.titles[1:]
    assert part.apart == whole.apart  # so that arms keep their colours
    for label in part.panels:
        np.testing.assert_array_equal(part.panels[label], whole.panels[label])


def test_hidden_must_be_policies_and_leave_one():
    with pytest.raises(UnknownNameError, match="no policy in these results named 'besa'"):
        make().picture(hidden=["besa"])
    with pytest.raises(ParameterError, match="must leave one policy to draw, got all 2"):
        make().picture(hidden=make().labels)


def test_choices_add_up_to_one():
    results = make(players=4)
    figure = results.figure("choices")
    for group in "0123":
        stack = [trace.y for trace in figure.data if trace.stackgroup == group]
        np.testing.assert_allclose(np.sum(stack, axis=0), 1)
    assert [line.name for line in lines(figure)] == ["arm 2 (best)", "arm 0", "arm 1"]
    expected = (results.pulls[1] / results.steps[:, None]).mean("replication").sel(arm="arm 0")
    np.testing.assert_allclose(figure.data[4].y, expected)
    static = results.figure("choices", static=True)
    assert [axes.get_title() for axes in static.axes] == results.titles


@pytest.mark.parametrize("arms", [9, 10_000])
def test_rarely_pulled_arms_are_grouped(arms):
    results = make(arms=arms, players=1, replications=2, steps=(50_000, 100_000))
    shown = lines(results.figure("choices"))
    assert len(shown) == 9
    assert shown[-1].name == ("1 other" if arms == 9 else "9,992 others")
    np.testing.assert_allclose(np.sum([trace.y for trace in shown], axis=0), 1)
    final = results.pulls.isel(policy=0, step=-1).mean("replication") / 100_000
    assert shown[0].name.endswith("(best)")
    np.testing.assert_allclose(sorted(trace.y[-1] for trace in shown[1:-1]), np.sort(final.values[:-1])[-7:])
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
        assert drawn[0] == "two lines (best)"
        assert drawn[1] == "&lt;b&gt;bold&lt;/b&gt;"
        assert len(drawn[4]) == style.NAME_LETTERS
        legend = [text.get_text() for text in results.figure(kind, static=True).legends[0].get_texts()]
        assert legend[::-1][2:4] == [r"\$x^{", "\u200b_hidden"]


@pytest.mark.parametrize("log", [False, True])
def test_bounds_are_drawn_and_leave_the_policies_readable(log):
    results = make(value=values.Mean())
    upper, lower = theory.upper_bound(results.problem, results.steps), theory.lower_bound(results.problem)
    plain, figure, static = (
        results.figure("regret", log=log),
        results.figure("regret", bounds=True, log=log),
        results.figure("regret", bounds=True, static=True, log=log),
    )
    assert [line.name for line in lines(figure)[:2]] == results.titles
    assert lines(figure)[2].name.replace("<br>", " ") == (
        "Theorem 2 for BESA+: min(bound, gap x T) = gap x T = 66.67 at step 100 (its proof has a gap)"
    )
    assert lines(figure)[3].name.startswith(f"Lower bound: {lower.constant:.3g} log T")
    assert "Burnetas and Katehakis; asymptotic" in lines(figure)[3].name.replace("<br>", " ")
    for drawn in (lines(figure)[2].y, static.axes[0].lines[2].get_ydata()):
        np.testing.assert_allclose(drawn, upper.regret)
    for drawn in (lines(figure)[3].y, static.axes[0].lines[3].get_ydata()):
        np.testing.assert_allclose(drawn, lower.regret(results.steps))
    top = max(y for band in bands(plain) for y in band.y)
    assert top < upper.regret[-1]
    for end in (figure.layout.yaxis.range[1], static.axes[0].get_ylim()[1]):
        assert top <= end <= 1.1 * top
    *titles, upper_text, _ = (item.get_text() for item in static.legends[0].get_texts())
    assert titles == results.titles
    assert upper_text.startswith("Theorem 2 for BESA+: min(bound, gap x T) = gap x T = 66.67 at step 100")
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
    for kind in FIGURES[1:]:
        with pytest.raises(ParameterError, match=f"the figure must be 'regret', got '{kind}'"):
            make().figure(kind, bounds=True)
    with pytest.raises(
        ParameterError, match="no bound to draw: the theorems are about rewards in .* the value mean only"
    ):
        make(unit=5).figure(bounds=True)
    with pytest.raises(ParameterError, match=r"support \[1.66667, 1.66667\]; arm 'arm 1' can give 1.66667"):
        make(unit=5, value=values.Mean()).figure(bounds=True)


def test_what_cannot_be_drawn_is_told():
    with pytest.raises(UnknownNameError, match="did you mean 'regret'"):
        make().figure("regrets")
    with pytest.raises(UnknownNameError, match="no statistic named 'mode'"):
        make().figure(statistic="mode")
    for kind, what in (("choices", "add up to one"), ("final", "all replications")):
        with pytest.raises(ParameterError, match=f"{kind}.*{what}.* must be 'mean', got 'median'"):
            make().figure(kind, statistic="median")
    with pytest.raises(PrimumError, match="at least two recorded steps and one replication, got 1 and 4"):
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


def test_a_long_heading_leaves_room_for_the_legend_beside():
    results = make(players=12)
    figure = results.figure("reward", static=True)
    figure.draw_without_rendering()
    legend = figure.legends[0].get_window_extent()
    assert figure._suptitle.get_window_extent().x1 <= legend.x0

"""Draw the figures and compute the numbers that the pages show: python docs/figures.py."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import numpy as np

from primum import Experiment, policies, problem, rewards, simulate, trials, values
from primum.figures import Curves, Line, style
from primum.results.intervals import share_band

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "figures"
MARKS = re.compile(r"(<!-- numbers -->\n).*?(<!-- end of numbers -->)", re.DOTALL)
TRIAL_MARKS = re.compile(r"(<!-- trial numbers -->\n).*?(<!-- end of trial numbers -->)", re.DOTALL)
BLUE, RED = style.colour(0), style.colour(1)

ARMS = {"standard": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}
FAIR = 0.1  # a replication with two arms is stuck if the better one got less than this share of the pulls


def main() -> None:
    results = Experiment.load(ROOT / "examples" / "constant-against-uniform.toml").run()
    draw_example(results)
    write_trial_numbers()
    PAGES.mkdir(exist_ok=True)
    for name, figure in {
        "values": two_arms_three_values(),
        "duel": one_duel(),
        "floor": pulls_of_the_better_arm(),
        "spread": spread_of_regret(results),
        "stuck": stuck_share(),
        "two-keys": two_questions(),
        "trade-off": power_against_patients(),
    }.items():
        save(figure, PAGES / f"{name}.svg")


def save(figure: Any, path: Path) -> None:
    """A figure as SVG, without blanks at the ends of lines."""
    path.write_text("".join(f"{line.rstrip()}\n" for line in style.svg(figure).decode().splitlines()))


def draw_example(results: Any) -> None:
    """The regret of several policies on the two arms, as a figure and as a table, on the page of the ideas."""
    figure = results.figure("regret", backend="matplotlib")
    (ROOT / "docs" / "regret.png").write_bytes(style.png(figure))
    lines = [
        "| policy | mean regret | 95 % interval | median | stuck replications |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in results.summary().itertuples():
        interval = f"{row.regret_low:.1f} to {row.regret_high:.1f}"
        lines.append(
            f"| {row.title} | {row.regret_mean:.1f} | {interval} | {row.regret_median:.1f} | {row.stuck_share:.1%} |"
        )
    fill(ROOT / "docs" / "ideas.md", MARKS, lines)


def fill(page: Path, marks: re.Pattern[str], lines: list[str]) -> None:
    """Write lines between the marks of a page."""
    text = "\n".join(lines)
    page.write_text(marks.sub(lambda match: f"{match[1]}{text}\n{match[2]}", page.read_text()))


Z = trials.PooledZ(alpha=0.05, sided="greater")
CONDITIONAL = trials.ConditionalExact(alpha=0.05, sided="greater")
BESA_PLUS = trials.Design(
    arms=["control", "new"], patients=148, policy=policies.BesaPlus(floor=2), burn_in=5, analysis=Z
)
EQUAL = BESA_PLUS.replace(policy=policies.UniformRandom(), burn_in=0)
P_CONTROL, P_NEW, DRIFT = 0.3, 0.5, 0.3
SQUARE_ROOT = policies.PosteriorBest(exponent=0.5)
PRIOR = [(0.1, 0.3), (0.2, 0.4), (0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 0.8), (0.7, 0.9)]


def write_trial_numbers() -> None:
    """The table of designs and analyses on the page on adaptive trials."""
    randomisation = trials.RandomisationTest(alpha=0.05, sided="greater", runs=199)
    best = trials.optimal(patients=148, alpha=0.05, power=0.75, prior=PRIOR)
    compared = {
        "equal randomisation, Z test": EQUAL,
        "equal randomisation, conditional exact test": EQUAL.replace(analysis=CONDITIONAL),
        "BESA+, Z test": BESA_PLUS,
        "BESA+, conditional exact test": BESA_PLUS.replace(analysis=CONDITIONAL),
        "BESA+, randomisation test": BESA_PLUS.replace(analysis=randomisation),
        "BESA+ with burn-in 40, conditional exact test": BESA_PLUS.replace(burn_in=40, analysis=CONDITIONAL),
        "BESA+ with coin 0.2, conditional exact test": BESA_PLUS.replace(coin=0.2, analysis=CONDITIONAL),
        "BESA+ with coin 0.4, conditional exact test": BESA_PLUS.replace(coin=0.4, analysis=CONDITIONAL),
        "BESA+ with coin 0.4, randomisation test": BESA_PLUS.replace(coin=0.4, analysis=randomisation),
        "square-root RAR, conditional exact test": EQUAL.replace(policy=SQUARE_ROOT, analysis=CONDITIONAL),
        "optimal design, mean power 0.75 over seven pairs": best.design,
    }
    lines = [
        "| design and analysis | type I error, p = 0.3 | largest over p | with drift 0.3 | power, 0.3 against 0.5 | "
        "patients on the better arm | successes |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    lines += [trial_row(name, design) for name, design in compared.items()]
    fill(ROOT / "docs" / "adaptive-trials.md", TRIAL_MARKS, lines)


def trial_row(name: str, design: trials.Design) -> str:
    is_exact = not isinstance(design.analysis, trials.RandomisationTest)
    null = [rewards.Bernoulli(P_CONTROL)] * 2
    scenarios = {
        "null": null,
        "drift": trials.Scenario(null, drift=DRIFT),
        "effect": [rewards.Bernoulli(P_CONTROL), rewards.Bernoulli(P_NEW)],
    }
    if is_exact:
        del scenarios["null"], scenarios["effect"]
    oc = trials.operate({name: design}, scenarios, replications=20_000 if is_exact else 2_000, seed=7)

    def simulated(scenario: str) -> str:
        at = oc.data.sel(design=name, scenario=scenario)
        return f"{float(at['reject']):.1%} ± {1.96 * float(at['reject_error']):.1%}"

    law = trials.exact(design.replace(analysis=Z) if not is_exact else design)
    patients, successes = law.patients(P_CONTROL, P_NEW)[1] / design.patients, law.successes(P_CONTROL, P_NEW)
    if is_exact:
        type_1, largest = f"{law.type_1(P_CONTROL):.1%}", f"{law.largest_type_1().value:.1%}"
        power = f"{law.reject(P_CONTROL, P_NEW):.1%}"
    else:
        type_1, largest, power = simulated("null"), "at most 5%", simulated("effect")
    return f"| {name} | {type_1} | {largest} | {simulated('drift')} | {power} | {patients:.0%} | {successes:.1f} |"


def power_against_patients() -> Any:
    """The trade-off between power and patients on the better arm, with a test that holds its level."""
    designs = {"equal randomisation": EQUAL, "Thompson sampling": EQUAL.replace(policy=policies.Thompson())}
    designs |= {f"BESA+, burn-in {b} per arm": BESA_PLUS.replace(burn_in=b) for b in (5, 20, 40, 60)}
    valid = {name: design.replace(analysis=CONDITIONAL) for name, design in designs.items()}
    effect = [rewards.Bernoulli(P_CONTROL), rewards.Bernoulli(P_NEW)]
    picture = trials.operate(valid, {"effect": effect}, replications=2, seed=7).picture("trade-off")
    said = "148 patients, success probabilities 0.3 and 0.5, conditional exact test of level 5 %; exact"
    return dataclasses.replace(picture, subtitle=said).static()


def blank(width: float, height: float, title: str, rows: int = 1) -> tuple[Any, Any]:
    """A figure in the style of `primum.figures`, and its axes."""
    figure = style.matplotlib().figure.Figure(figsize=(width, height), dpi=150, layout="constrained")
    grid = figure.subplots(rows, 1, sharex=True)
    for axes in np.atleast_1d(grid):
        axes.spines[["top", "right"]].set_visible(False)
    np.atleast_1d(grid)[0].set_title(title, fontsize="medium", loc="left")
    return figure, grid


def two_arms_three_values() -> Any:
    """Two reward densities, and what three values make of them."""
    arms = {
        "steady": rewards.TruncatedNormal(0.5, 0.08),
        "gamble": rewards.TruncatedNormalMixture([0.15, 0.85], [0.08, 0.08], [0.4, 0.6]),
    }
    marked = {
        "mean": (values.Mean(), "o"),
        "mean minus variance": (values.MeanVariance(rho=1), "s"),
        "mean of the worst 10 %": (values.CVaR(alpha=0.1), "^"),
    }
    figure, grid = blank(7.0, 4.0, "Two treatments under three safety values", rows=2)
    x = np.linspace(0, 1, 501)
    for axes, (name, arm), colour in zip(grid, arms.items(), (BLUE, RED), strict=True):
        density = arm.density(x)
        axes.fill_between(x, density, color=colour, alpha=0.18, linewidth=0)
        axes.plot(x, density, color=colour, linewidth=1.6)
        top = density.max()
        for height, (value, mark) in zip((1.5, 1.3, 1.1), marked.values(), strict=True):
            at = value.true_value(arm)
            axes.plot([at, at], [0, height * top], color="black", linewidth=0.8)
            axes.plot(at, height * top, mark, color="black", markersize=6)
            axes.annotate(f"{at:.2f}", (at, height * top), (6, 0), textcoords="offset points", va="center", fontsize=9)
        axes.set_ylim(0, 1.65 * top)
        axes.set_yticks([])
        axes.set_ylabel(name)
    grid[1].set_xlim(0, 1)
    grid[1].set_xlabel("Reward")
    for label, (_, mark) in marked.items():
        grid[0].plot([], [], mark, color="black", markersize=6, label=label)
    grid[0].legend(loc="upper right", fontsize="small", frameon=False)
    return figure


def one_duel() -> Any:
    """The records of two arms, the sub-sample that the duel looks at, and the two values."""
    rng = np.random.default_rng(3)
    few, many = rewards.Uniform(0, 1).quantile(rng.random(6)), rewards.Beta(4, 5).quantile(rng.random(24))
    seen = rng.choice(many.size, few.size, replace=False)
    figure, axes = blank(7.0, 2.7, "One duel by the mean: 6 rewards against 6 of 24")
    axes.plot(few, np.ones(few.size), "o", color=RED, markersize=8)
    axes.plot(np.delete(many, seen), np.zeros(many.size - seen.size), "o", color=BLUE, markersize=8, mfc="none")
    axes.plot(many[seen], np.zeros(seen.size), "o", color=BLUE, markersize=8)
    for height, colour, mean, said in (
        (1, RED, few.mean(), "mean of all 6"),
        (0, BLUE, many[seen].mean(), "mean of the 6 drawn"),
    ):
        axes.plot([mean, mean], [height - 0.3, height + 0.3], color=colour, linewidth=2.5)
        axes.annotate(f"{said}: {mean:.2f}", (mean, height + 0.36), ha="center", fontsize=9, color=colour)
    axes.set_yticks([0, 1], ["old: 24 rewards", "new: 6 rewards"])
    axes.set_ylim(-0.6, 1.7)
    axes.set_xlim(0, 1)
    axes.set_xlabel("Reward (filled: in the duel)")
    return figure


def pulls_of_the_better_arm() -> Any:
    """Pulls of the better arm in single runs: one that learns, two that are stuck, and the floor."""
    horizon = 5_000
    played = simulate(
        problem.Problem(ARMS, values.Mean()),
        [policies.Besa(), policies.BesaPlus()],
        horizon=horizon,
        replications=100,
        seed=7,
        steps="all",
        progress=False,
    )
    pulls = played.pulls.sel(arm="new").values
    stuck = played.best_arm_share.values[:, :, -1] < FAIR
    runs = {
        "BESA+, a replication that learns": (pulls[1, np.flatnonzero(~stuck[1])[0]], BLUE, "solid"),
        "BESA+, a stuck replication": (pulls[1, pulls[1, :, -1].argmin()], RED, "solid"),
        "BESA, a stuck replication": (pulls[0, pulls[0, :, -1].argmin()], style.colour(2), "solid"),
    }
    figure, axes = blank(7.0, 4.2, "Pulls of the better arm so far, in three single runs")
    for label, (line, colour, dashes) in runs.items():
        axes.step(played.steps, line, where="post", color=colour, linestyle=dashes, linewidth=1.8, label=label)
    steps = np.arange(2, horizon + 1)
    axes.plot(
        steps, np.log(steps), color=style.DARK_GREY, linestyle=(0, (4, 2)), linewidth=1.4, label="the floor, log t"
    )
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(2, horizon)
    axes.set_ylim(0.8, horizon)
    axes.set_xlabel("Step")
    axes.set_ylabel("Pulls of the better arm")
    axes.grid(alpha=0.3)
    axes.legend(loc="upper left", fontsize="small", frameon=False)
    return figure


def spread_of_regret(results: Any) -> Any:
    """How the final regret is spread over replications, with mean and median."""
    regret = results.regret.sel(policy="besa-plus").isel(step=-1).values
    title = f"Regret of BESA+ after {results.horizon:,} steps in {regret.size:,} replications"
    figure, axes = blank(7.0, 3.4, title)
    axes.hist(regret, bins=np.arange(0, 205, 5), color=BLUE, alpha=0.6)
    for at, said, dashes in (
        (np.median(regret), "median", "solid"),
        (regret.mean(), "mean", (0, (4, 2))),
    ):
        axes.axvline(at, color="black", linestyle=dashes, linewidth=1.4, label=f"{said}: {at:.1f}")
    axes.set_xlim(0, 205)
    axes.set_xlabel("Cumulative regret")
    axes.set_ylabel("Replications")
    axes.legend(loc="upper center", fontsize="small", frameon=False)
    return figure


def stuck_share() -> Any:
    """The fraction of replications that are stuck so far, over the steps."""
    players = [policies.Besa(), policies.BesaPlus(), policies.BesaPlus(floor=5), policies.TwoKeys()]
    steps = np.unique(np.geomspace(50, 20_000, 60).astype(int))
    played = simulate(
        problem.Problem(ARMS, values.Mean()), players, horizon=20_000, replications=2_000, seed=7, steps=steps.tolist()
    )
    stuck = played.best_arm_share.values < FAIR
    bands = [np.stack([share_band(runs) for runs in one.T], axis=1) for one in stuck]
    picture = Curves(
        title="Stuck replications: the better arm has less than a tenth of the pulls so far",
        subtitle=f"fraction of {len(played.replications):,} replications; band: 95 % interval",
        y_label="Fraction of replications",
        x=played.steps,
        lines=tuple(Line(label, *band) for label, band in zip(played.titles, bands, strict=True)),
        log=True,
        share=True,
    )
    return picture.static()


def two_questions() -> Any:
    """What the two keys compare, for a challenger with an unlucky start, against a sure and a varying leader."""
    rng = np.random.default_rng(1)
    challenger = np.array([0.12, 0.21, 0.27, 0.33, 0.47])
    leaders = {
        "The leader always gives 0.4": (np.full(200, 0.4), 1.0),
        "The leader's rewards vary": (rewards.Beta(2, 3).quantile(rng.random(200)), 0.5),
    }
    figure = style.matplotlib().figure.Figure(figsize=(8.0, 4.6), dpi=150, layout="constrained")
    grid = figure.subplots(2, 2, sharex=True)
    bins = np.linspace(0, 1, 61)
    for (title, (leader, shape)), (first, second) in zip(leaders.items(), grid.T, strict=True):
        weights = rng.exponential(size=(20_000, challenger.size + 1))
        weights[:, -1] = rng.gamma(shape, size=len(weights))
        promise = weights @ np.append(challenger, 1.0) / weights.sum(axis=1)
        luck = rng.permuted(np.tile(leader, (20_000, 1)), axis=1)[:, : challenger.size].mean(axis=1)
        first.set_title(title, fontsize="medium", loc="left")
        for axes, drawn, mark, found, colour, said in (
            (first, luck, challenger.mean(), luck <= challenger.mean(), BLUE, "the challenger's mean"),
            (second, promise, leader.mean(), promise >= leader.mean(), RED, "the leader's mean"),
        ):
            heights, *_ = axes.hist(drawn, bins=bins, color=colour, alpha=0.25)
            axes.set_ylim(0, 1.25 * heights.max())
            axes.hist(drawn[found], bins=bins, color=colour)
            axes.axvline(mark, color="black", linewidth=1.4)
            axes.annotate(said, (mark, 0.95), (4, 0), xycoords=("data", "axes fraction"), textcoords="offset points",
                          fontsize=9, va="top")  # fmt: skip
            axes.annotate(f"key found: {found.mean():.0%}", (0.98, 0.7), xycoords="axes fraction", ha="right",
                          fontsize=10, color=colour)  # fmt: skip
            axes.set_yticks([])
            axes.spines[["top", "right", "left"]].set_visible(False)
    grid[0, 0].set_ylabel("Key 1: means of 5 of\nthe leader's rewards")
    grid[1, 0].set_ylabel("Key 2: re-weighted means\nof the challenger")
    for axes in grid[1]:
        axes.set_xlim(0, 1)
        axes.set_xlabel("Mean reward")
    return figure


if __name__ == "__main__":
    main()

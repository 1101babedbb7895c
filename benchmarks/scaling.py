"""Growth of the cost of BESA+: replications against the horizon, single duels against the sizes of the samples."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import primum
from primum import policies, rewards, values
from primum.kernels.contract import Histories, history_of
from primum.kernels.native import compiling
from primum.kernels.records import value_of_subsample

HORIZONS = (1_000, 10_000, 100_000, 1_000_000)
STEPS = 3_000_000  # played for one point; fewer where steps are slow
MOVES = 300_000  # observations moved for one point
SAMPLED_GAMES, SAMPLED_STEPS = 20, 50

EQUAL, UNEQUAL = "two equal arms, uniform", "two normal arms, 0.5 and 0.6"
TWO_VALUED = "two equal arms, Bernoulli"
SAMPLED = "two equal arms, uniform, sampled duels"


@dataclass(frozen=True)
class Duels:
    """Nanoseconds for a sub-sample of n out of `size`."""

    size: int
    n: Any
    cost: Any

    @property
    def moved(self) -> Any:
        return np.minimum(self.n, self.size - self.n)


@dataclass(frozen=True)
class Scaling:
    """Nanoseconds per step by kind of game and horizon, and the costs of duels."""

    games: dict[str, dict[int, float]]
    duels: list[Duels]

    @property
    def per_move(self) -> float:
        """Nanoseconds for one more observation in min(n, N - n), for records that fit into the processor's cache."""
        small = [duels for duels in self.duels if duels.size <= 10_000]
        return float(np.median(np.concatenate([(d.cost / d.moved)[d.moved >= 100] for d in small])))


def play(arms: list[Any], horizon: int, replications: int, steps: Any) -> tuple[float, Any]:
    """Nanoseconds per step of BESA+ for the mean, and the pulls (game, step, arm)."""
    problem = primum.Problem(arms={str(i): arm for i, arm in enumerate(arms)}, value=values.Mean())
    start = time.process_time()
    results = primum.simulate(
        problem,
        [policies.BesaPlus()],
        horizon=horizon,
        replications=replications,
        seed=7,
        steps=steps,
        threads=1,
        progress=False,
    )
    return (time.process_time() - start) / (horizon * replications) * 1e9, results.pulls.values[0]


def duels(histories: Any, sizes: Any, counts: Any, times: int) -> Any:
    """Values of sub-samples of counts[i] out of the first sizes[i] rewards; sizes ascend, as a record grows."""
    history = history_of(histories, 0)
    total = 0.0
    for i in range(sizes.size):
        history.pulls[0] = sizes[i]
        for _ in range(times):
            total += value_of_subsample(history, 0, counts[i])
    return total


def record(size: int) -> Histories:
    """The history of an arm with `size` different rewards, of which none is known yet."""
    histories = Histories(1, 1, size, size, values.Mean(), policies.BesaPlus())
    compiling.connect(histories)
    histories.begin(7, np.zeros(1, np.int64))
    rng = np.random.default_rng(1)
    histories.arrays["rewards"][0, 0] = rng.random(size)
    histories.arrays["stream"][0] = rng.integers(1, 2**63, 2)  # the engine does this at each step; it must not be zero
    return histories


def cost_of_duels(histories: Histories, sizes: Any, counts: Any, times: int = 1) -> float:
    """Nanoseconds per duel."""
    sizes, counts = np.asarray(sizes, np.int64), np.asarray(counts, np.int64)
    start = time.process_time()
    compiling.compiled(duels)(histories.words, sizes, counts, times)
    return (time.process_time() - start) / (len(sizes) * times) * 1e9


def measure() -> Scaling:
    """All measurements, in about half a minute."""
    games: dict[str, dict[int, float]] = {EQUAL: {}, UNEQUAL: {}, TWO_VALUED: {}, SAMPLED: {}}
    uniform, coin = [rewards.Uniform(0, 1)] * 2, [rewards.Bernoulli(0.5)] * 2
    normal = [rewards.TruncatedNormal(location, 0.25) for location in (0.5, 0.6)]
    play(uniform, 100, 1, [100])  # compile
    cost_of_duels(record(10), [10], [5])
    for horizon in HORIZONS:
        games[UNEQUAL][horizon], _ = play(normal, horizon, max(2, STEPS // horizon), [horizon])
        games[TWO_VALUED][horizon], _ = play(coin, horizon, max(2, STEPS // horizon), [horizon])
        if horizon <= 100_000:
            games[EQUAL][horizon], _ = play(uniform, horizon, STEPS // horizon // 10, [horizon])
    for horizon in HORIZONS[2:]:
        games[SAMPLED][horizon] = sampled_game(coin, horizon)
    return Scaling(games, single_duels())


def sampled_game(arms: list[Any], horizon: int) -> float:
    """Nanoseconds per step of a long game of equal arms, from duels at steps spread evenly over it.

    A million steps with continuous rewards take minutes. How pulls spread over equal arms depends little on what the
    rewards are, so they are taken from games with two-valued rewards, which are quick.
    """
    steps = np.linspace(horizon / SAMPLED_STEPS, horizon, SAMPLED_STEPS).astype(int)
    _, pulls = play(arms, horizon, SAMPLED_GAMES, steps)
    states = pulls.reshape(-1, 2)
    states = np.sort(states[np.argsort(states.max(axis=1))], axis=1)
    return statistics.median(cost_of_duels(record(int(states.max())), states[:, 1], states[:, 0]) for _ in range(3))


def single_duels() -> list[Duels]:
    """Few kept and few left out, for records of several sizes."""
    histories = record(HORIZONS[-1])
    measured = []
    for size in HORIZONS:
        few = np.unique(np.geomspace(1, size // 2, 10).astype(int))
        counts = np.union1d(few, size - few)
        costs = [cost_of_duels(histories, [size], [n], max(3, MOVES // min(n, size - n))) for n in counts.tolist()]
        measured.append(Duels(size, counts, np.array(costs)))
    return measured


def draw(scaling: Scaling, file: Path) -> None:
    """The figure, as file.svg and file.png; readable in grey."""
    import matplotlib

    matplotlib.use("Agg")
    matplotlib.rcParams.update({"svg.hashsalt": "primum", "font.size": 10})
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
    styles = {
        EQUAL: {"marker": "o", "color": "black", "linestyle": "-"},
        SAMPLED: {"marker": "o", "color": "black", "linestyle": "--", "markerfacecolor": "white"},
        UNEQUAL: {"marker": "s", "color": "0.45", "linestyle": "-"},
        TWO_VALUED: {"marker": "^", "color": "0.45", "linestyle": ":"},
    }
    for name, style in styles.items():
        left.plot(*zip(*scaling.games[name].items(), strict=True), label=name, **style)
    left.set(xlabel="horizon T (steps)", ylabel="CPU time per step (ns)", title="BESA+ mean, whole games")
    for drawn, marker, grey in zip(scaling.duels, "os^D", ("0.7", "0.5", "0.3", "0"), strict=True):
        few = 2 * drawn.n <= drawn.size
        common = {"marker": marker, "linestyle": "none", "color": grey, "markersize": 6}
        right.plot(drawn.moved[few], drawn.cost[few], label=f"N = {drawn.size:,}", **common)
        right.plot(drawn.moved[~few], drawn.cost[~few], markerfacecolor="none", **common)
    line = np.geomspace(30, HORIZONS[-1] / 2, 2)
    text = f"{scaling.per_move:.1f} ns x min(n, N - n)"
    right.plot(line, scaling.per_move * line, color="black", linewidth=0.8, label=text)
    right.set(xlabel="min(n, N - n)", ylabel="CPU time (ns)", title="one sub-sample: n of N (hollow: n > N / 2)")
    for axes in (left, right):
        axes.set(xscale="log", yscale="log")
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(file.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(file.with_suffix(".png"), dpi=130)
    plt.close(figure)

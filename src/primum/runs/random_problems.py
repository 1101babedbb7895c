"""bayesian_regret(): policies on many random problems, and their mean regret over these."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import ParameterError, PrimumError, quoted, within
from primum.problem import Problem
from primum.results.intervals import mean_band
from primum.results.measures import REGRET
from primum.runs.executors import run_all
from primum.runs.part import Monitor, Part
from primum.runs.progress import Bar, Progress
from primum.runs.runner import check_threads
from primum.runs.simulation import LARGEST_COUNT, Policies, check_fit, check_policies, check_steps, whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pandas import DataFrame
    from xarray import DataArray

MOST_PROBLEMS = 1_000_000


@dataclass(frozen=True, eq=False)
class BayesianRegret:
    """The regret of policies on random problems: `regret[policy, problem, step]`, a mean over replications."""

    problems: tuple[Problem, ...]
    seed: int
    regret: DataArray

    def summary(self) -> DataFrame:
        """Mean regret over the problems at the last step, with its 95 % interval (Student t); a row for each policy."""
        import pandas

        bands = mean_band(self.regret.values[:, :, -1].T)
        columns = dict(zip(("regret_mean", "regret_low", "regret_high"), bands, strict=True))
        return pandas.DataFrame(columns, index=pandas.Index(self.regret["policy"].values, name="policy"))


def bayesian_regret(
    draw: Callable[[np.random.Generator], Problem],
    policies: Policies,
    *,
    problems: int,
    horizon: int,
    replications: int = 1,
    seed: int | None = None,
    steps: str | Sequence[int] | None = None,
    threads: int | None = None,
    progress: bool | Progress = True,
) -> BayesianRegret:
    """The regret of policies on as many `problems` as wanted, each made by `draw` from a random number generator.

    On each problem, every policy plays `replications` replications, which all differ between problems, so that the
    problems are independent; more problems give a narrower interval than more replications. The first problems of a
    seed are the same whatever their number. Policies, `steps` and `threads` are as in `primum.simulate`; Ctrl-C gives
    the problems that were completed.

    >>> from primum import rewards
    >>> def two_arms(rng):
    ...     return Problem({name: rewards.Bernoulli(rng.random()) for name in "ab"}, "mean")
    >>> found = bayesian_regret(two_arms, ["thompson", "ucb1"], problems=200, horizon=300, seed=1, progress=False)
    >>> found.summary()["regret_mean"].idxmin()
    'thompson'
    """
    if not callable(draw):
        raise ParameterError(f"draw must be a function of a random number generator, got {quoted(draw)}")
    players = check_policies(policies)
    horizon, count = whole("horizon", horizon, 1, LARGEST_COUNT), whole("problems", problems, 1, MOST_PROBLEMS)
    each = whole("replications", replications, 1, LARGEST_COUNT // count)
    seed = secrets.randbits(63) if seed is None else whole("seed", seed, 0, 2**64 - 1)
    recorded, threads = check_steps(steps, horizon), check_threads(threads, None)
    parts = []
    for number in range(count):
        with within("problems", number):
            problem = draw(np.random.default_rng([seed, number]))
            if not isinstance(problem, Problem):
                raise ParameterError(f"draw must return a primum.Problem, got {quoted(problem)}")
            for player in players:
                check_fit(problem, player)
        own = range(number * each, (number + 1) * each)
        parts.append(Part(problem, players, horizon, seed, recorded, own))
    monitor = Monitor(count)

    def play(number: int) -> Any:
        with within("problems", number):
            pulls = parts[number].play(monitor, number)
        return None if pulls is None else REGRET.of(parts[number].problem, recorded, pulls).mean(axis=1)

    with Bar(sum(part.size for part in parts), progress) if isinstance(progress, bool) else progress as bar:
        bar.say("simulating")
        found = run_all(play, count, threads, lambda: bar.update(monitor.steps_played), monitor.stop)
    kept = [number for number, regret in enumerate(found) if regret is not None]
    if not kept:
        raise PrimumError("no problem is complete")
    from xarray import DataArray

    axes = {"policy": [player.label for player in players], "problem": kept, "step": recorded}
    regret = DataArray(np.stack([found[number] for number in kept], axis=1), axes, list(axes), name="regret")
    return BayesianRegret(tuple(parts[number].problem for number in kept), seed, regret)

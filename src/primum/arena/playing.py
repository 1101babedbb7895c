"""Playing policies on pairs: experiments in stored pieces, and the processor time that a step takes."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from primum.arena.roster import CONSISTENT, TITLES, fitted, is_general, roster
from primum.arena.suite import Pair, pairs
from primum.arena.table import FIRST_REPLICATIONS, Cell, PairRow, PolicyRow, Table
from primum.errors import ParameterError
from primum.kernels.contract import MOMENTS
from primum.policies import Policy
from primum.results import Results
from primum.results.measures import BEST_ARM, REGRET, stuck
from primum.runs import Experiment, pieces
from primum.runs.part import Part
from primum.runs.progress import Bar
from primum.runs.simulation import check_different
from primum.store import Store, fingerprints, opened

SEED = 20_190_301
SHORT_HORIZON = 1_000
TIMED_STEPS = 10_000  # at least, for the time that a step takes
LONG_HORIZON = 100_000  # only of the pairs that are marked long


@dataclass(frozen=True)
class Scale:
    """The number of replications by horizon: the usual one, and a smaller one where simulation is costly.

    It is where a step takes longer the more rewards there are: for the policies in `costly`, NPTS and SSMC, and for
    every policy if the value needs more of a sample than its mean and variance. NPTS is not played for 100,000 steps,
    and SSMC, in `too_costly`, for no more than 1,000: under CVaR, one step of 10,000 took 14 milliseconds on average.
    """

    name: str
    replications: Mapping[int, tuple[int, int]]
    timed_horizon: int  # at which the time per step is measured

    costly: ClassVar[frozenset[str]] = frozenset({"npts", "ssmc"})
    too_costly: ClassVar[frozenset[str]] = frozenset({"ssmc"})

    def count(self, policy: Policy, pair: Pair, horizon: int) -> int:
        """The replications of a policy on a pair at a horizon; 0 if it is not played."""
        is_simple = pair.problem.value.kind == MOMENTS
        if horizon == LONG_HORIZON and (not pair.long or policy.name in self.costly):
            return 0
        if horizon > SHORT_HORIZON and policy.name in self.too_costly:
            return 0
        return self.replications[horizon][policy.name in self.costly or not is_simple]


FULL = Scale("full", {SHORT_HORIZON: (200, 50), 10_000: (100, 20), LONG_HORIZON: (20, 10)}, timed_horizon=10_000)
QUICK = Scale("quick", {SHORT_HORIZON: (50, 20)}, timed_horizon=SHORT_HORIZON)


@dataclass(frozen=True)
class Game:
    """An experiment of the arena: policies on a pair at a horizon; `players` gives each the policy that is fitted."""

    pair: Pair
    players: Mapping[str, Policy]  # by label in the table
    experiment: Experiment


def games(played: Sequence[Pair], policies: Sequence[Policy], scale: Scale, seed: int = SEED) -> list[Game]:
    """All experiments: for each pair and horizon, one for each number of replications."""
    return [game for pair in played for game in _games(pair, policies, scale, seed)]


def _games(pair: Pair, policies: Sequence[Policy], scale: Scale, seed: int) -> Iterator[Game]:
    chosen = {policy.label: (policy, fit) for policy in policies if (fit := fitted(policy, pair)) is not None}
    for horizon in scale.replications:
        by_count: dict[int, dict[str, Policy]] = {}
        for label, (policy, fit) in chosen.items():
            by_count.setdefault(scale.count(policy, pair, horizon), {})[label] = fit
        by_count.pop(0, None)
        for count, players in by_count.items():
            distinct = {fit.label: fit for fit in players.values()}
            experiment = Experiment(
                title=f"{pair.title}, {horizon:,} steps",
                horizon=horizon,
                replications=count,
                seed=pair_seed(pair.name, seed),
                steps="last",
                value=pair.problem.value,
                policies=list(distinct.values()),
                arms=pair.problem.arms,
            )
            yield Game(pair, players, experiment)


def pair_seed(name: str, seed: int) -> int:
    """The seed of a pair: those of different pairs have nothing in common, so pairs are independent.

    >>> pair_seed("sure-worse", 1)
    8215999598738168600
    """
    return int.from_bytes(hashlib.sha256(f"{seed} {name}".encode()).digest()[:8], "little") >> 1


def play(
    policies: Sequence[Policy] | None = None,
    *,
    scale: Scale = FULL,
    on: Sequence[Pair] | None = None,
    seed: int = SEED,
    store: Store | str | os.PathLike[str] | None = None,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool = True,
) -> Table:
    """Play policies on all pairs that they fit, and tabulate their regret; pairs that none fits are left out.

    The policies of the roster on the pairs of the suite by default. What the `store` has is not played again; `store`,
    `threads` and `executor` are as in `Study.run`. Ctrl-C raises a KeyboardInterrupt; with a store, the next call
    resumes.
    """
    given = roster() if policies is None else policies
    check_different("policies", [policy.label for policy in given])
    played = pairs() if on is None else on
    kept = opened(store)
    all_games = games(played, given, scale, seed)
    present = {label for game in all_games for label in game.players}
    everyone = {policy.label: policy for policy in given if policy.label in present}
    for policy in policies or ():
        if policy.label not in everyone:
            raise ParameterError(f"{policy.label} fits none of the {len(played)} pairs", ("policies",))
    experiments = (game.experiment for game in all_games)
    if not pieces.run(experiments, kept, threads=threads, executor=executor, progress=progress):
        raise KeyboardInterrupt
    cells = [cell for game in all_games for cell in _cells(game, pieces.results(game.experiment, kept))]
    return Table(
        tuple(_timed(cells, all_games, scale, progress)),
        {game.pair.name: _row(game.pair) for game in all_games},
        {
            label: PolicyRow(TITLES.get(label, policy.display_name), is_general(policy), label in CONSISTENT)
            for label, policy in everyone.items()
        },
        seed,
        dict(fingerprints.versions()),
        fingerprints.results(),
    )


def _row(pair: Pair) -> PairRow:
    return PairRow(pair.title, pair.problem_class.title, pair.family, pair.problem.value.display_name, pair.tuned)


def _cells(game: Game, results: Results) -> Iterator[Cell]:
    steps, pulls = results.steps, results.pulls.values
    regrets = REGRET.of(game.pair.problem, steps, pulls)[:, :, -1]
    stopped = stuck(game.pair.problem, BEST_ARM.of(game.pair.problem, steps, pulls)[:, :, -1])
    places = {label: place for place, label in enumerate(results.labels)}
    for label, policy in game.players.items():
        place = places[policy.label]
        regret = regrets[place]
        yield Cell(
            pair=game.pair.name,
            policy=label,
            horizon=game.experiment.horizon,
            replications=regret.size,
            regret=float(regret.mean()),
            error=float(regret.std(ddof=1) / np.sqrt(regret.size)),
            stuck=int(stopped[place].sum()),
            first=float(regret[:FIRST_REPLICATIONS].mean()),
        )


def _timed(cells: Sequence[Cell], all_games: Sequence[Game], scale: Scale, progress: bool) -> Iterator[Cell]:
    """The cells, those at one horizon with the time that a step takes."""
    players = {(game.pair.name, label): (game.pair, fit) for game in all_games for label, fit in game.players.items()}
    with Bar(len(cells), progress) as bar:
        bar.say("measuring times")
        for done, cell in enumerate(cells):
            if cell.horizon == scale.timed_horizon:
                cell = replace(cell, microseconds=_microseconds(*players[cell.pair, cell.policy], cell.horizon))
            yield cell
            bar.update(done + 1)


def _microseconds(pair: Pair, policy: Policy, horizon: int) -> float:
    """Processor time per step in this thread; what must be compiled is compiled before."""
    part = Part(pair.problem, [policy], horizon, 0, np.array([horizon]), range(max(1, TIMED_STEPS // horizon)))
    replace(part, horizon=1, steps=np.array([1]), replications=range(1)).play()
    began = time.thread_time()
    part.play()
    return (time.thread_time() - began) / part.size * 1e6

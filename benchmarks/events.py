"""The races: problems, contestants and target ratios."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy_bcvts
import sorted_cvar
from hand_written import HandWritten
from peers_environment import Peers
from problems import (
    ALPHA,
    DEVIATION,
    HORIZON,
    MIXTURE_ARMS,
    MIXTURE_SEED,
    RHO,
    TEN_BERNOULLI,
    THREE_NORMAL,
    TWO_BERNOULLI,
    TWO_NORMAL,
)
from racing import Contestant, Turn

import primum
from primum import policies, rewards, values

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests" / "oracle"))
import numpy_besa

Arms = dict[str, Any]
AGREEMENT_HORIZON, AGREEMENT_REPLICATIONS = 500, 400
VARIANTS = {"recursive": "recursive tournament", "non_recursive": "`non_recursive=True`"}


@dataclass(frozen=True)
class Event:
    """A race on one problem at the horizon of 10,000 steps."""

    title: str
    ours: Contestant
    rivals: dict[str, Contestant]
    judged: tuple[str, ...] = ()  # the fastest of these is the one to beat
    target: float | None = None  # smallest ratio of our speed to theirs
    published: float | None = None  # steps per second: the best reported elsewhere
    twins: tuple[Contestant, Contestant] | None = None  # shorter replications, ours and theirs, whose pulls must agree


def bernoulli(chances: tuple[float, ...]) -> Arms:
    return {f"arm {i + 1}": rewards.Bernoulli(chance) for i, chance in enumerate(chances)}


def normal(locations: tuple[float, ...]) -> Arms:
    return {f"arm {i + 1}": rewards.TruncatedNormal(location, DEVIATION) for i, location in enumerate(locations)}


def mixture() -> Arms:
    return dict(rewards.paper_mixture(arms=MIXTURE_ARMS, seed=MIXTURE_SEED))


def primum_plays(arms: Arms, value: Any, policy: Any, replications: int, horizon: int = HORIZON) -> Contestant:
    """Our turn: a whole simulation, its random rewards and its results included."""
    problem = primum.Problem(arms=arms, value=value)
    seeds = itertools.count(1)

    def turn(replications: int = replications) -> Turn:
        start = time.process_time()
        results = primum.simulate(
            problem,
            [policy],
            horizon=horizon,
            replications=replications,
            seed=next(seeds),
            steps=[horizon],
            threads=1,
            progress=False,
        )
        seconds = time.process_time() - start
        return Turn(horizon * replications, seconds, results.pulls.values[0, :, -1, :])

    turn(1)  # compile, or load what is compiled
    return turn


def numpy_plays(
    arms: Arms, game: Callable[[Any, np.random.Generator], Any], replications: int = 1, horizon: int = HORIZON
) -> Contestant:
    """A turn of plain NumPy, its rewards drawn beforehand and not timed."""
    rng = np.random.default_rng(1)

    def turn() -> Turn:
        quantiles = [arm.quantile(rng.random((replications, horizon))) for arm in arms.values()]
        tapes = np.stack(quantiles, axis=1)
        start = time.process_time()
        pulls = np.array([game(tape, rng) for tape in tapes])
        return Turn(horizon * replications, time.process_time() - start, pulls)

    return turn


def c_plays(arms: Arms, replications: int, horizon: int = HORIZON) -> Contestant:
    """A turn of the hand-written C version."""
    version, (locations, deviations), seeds = HandWritten(), tables(arms), itertools.count(1)
    return lambda: version.play(locations, deviations, RHO, horizon, replications, next(seeds))


def sorted_plays(arms: Arms, replications: int, horizon: int = HORIZON) -> Contestant:
    """A turn of the Numba version that sorts."""
    (locations, deviations), seeds = tables(arms), itertools.count(1)
    sorted_cvar.play(locations, deviations, ALPHA, 10, 1, 1)  # compile

    def turn() -> Turn:
        start = time.process_time()
        pulls = sorted_cvar.play(locations, deviations, ALPHA, horizon, replications, next(seeds))
        return Turn(horizon * replications, time.process_time() - start, pulls)

    return turn


def tables(arms: Arms) -> tuple[Any, Any]:
    """Locations and deviations (arm, component) of mixtures of normals."""
    return np.array([arm.locations for arm in arms.values()]), np.array([arm.deviations for arm in arms.values()])


def mean_event(
    title: str, name: str, arms: Arms, replications: int, target: float, published: float, peers: Peers
) -> Event:
    """BESA+ for the mean against BESA."""
    besa = {
        f"SMPyBandits BESA, {text}": lambda variant=variant: peers.play(f"{name} smpybandits-besa-{variant}")
        for variant, text in VARIANTS.items()
    }
    plain = numpy_plays(arms, lambda tape, rng: numpy_besa.besa_plus(tape, numpy_besa.mean, rng))
    return Event(
        title,
        primum_plays(arms, values.Mean(), policies.BesaPlus(), replications),
        besa | {"plain NumPy": plain},
        judged=tuple(besa),
        target=target,
        published=published,
    )


def bernoulli_2(peers: Peers) -> Event:
    arms = bernoulli(TWO_BERNOULLI)
    return mean_event("BESA+ mean, 2 Bernoulli arms", "bernoulli-2", arms, 200, 400, 67_000, peers)


def bernoulli_10(peers: Peers) -> Event:
    arms = bernoulli(TEN_BERNOULLI)
    return mean_event("BESA+ mean, 10 Bernoulli arms", "bernoulli-10", arms, 60, 400, 15_000, peers)


def normal_2(peers: Peers) -> Event:
    arms = normal(TWO_NORMAL)
    return mean_event("BESA+ mean, 2 truncated normal arms", "normal-2", arms, 150, 300, 10_000, peers)


def mean_variance(peers: Peers) -> Event:
    arms, value, policy = mixture(), values.MeanVariance(rho=RHO), policies.BesaPlus()
    plain = numpy_plays(arms, lambda tape, rng: numpy_besa.besa_plus(tape, numpy_besa.mean_variance(RHO), rng))
    short = {"replications": AGREEMENT_REPLICATIONS, "horizon": AGREEMENT_HORIZON}
    return Event(
        "BESA+ mean-variance, 20-arm mixture",
        primum_plays(arms, value, policy, 20),
        {"hand-written C": c_plays(arms, 20), "plain NumPy": plain},
        judged=("hand-written C",),
        target=0.7,
        twins=(primum_plays(arms, value, policy, **short), c_plays(arms, **short)),
    )


def formula(peers: Peers) -> Event:
    arms, policy = mixture(), policies.BesaPlus()
    return Event(
        "BESA+ formula mean - var, 20-arm mixture",
        primum_plays(arms, values.Formula("mean - var"), policy, 20),
        {"the class MeanVariance(1)": primum_plays(arms, values.MeanVariance(1.0), policy, 20)},
        judged=("the class MeanVariance(1)",),
        target=0.67,
    )


def cvar(peers: Peers) -> Event:
    arms, value, policy = mixture(), values.CVaR(ALPHA), policies.BesaPlus()
    plain = numpy_plays(arms, lambda tape, rng: numpy_besa.besa_plus(tape, numpy_besa.cvar(ALPHA), rng))
    short = {"replications": AGREEMENT_REPLICATIONS, "horizon": AGREEMENT_HORIZON}
    return Event(
        "BESA+ CVaR 10 %, 20-arm mixture",
        primum_plays(arms, value, policy, 10),
        {"Numba, shuffling and sorting": sorted_plays(arms, 1), "plain NumPy": plain},
        judged=("Numba, shuffling and sorting",),
        target=5,
        twins=(primum_plays(arms, value, policy, **short), sorted_plays(arms, **short)),
    )


def npts(peers: Peers) -> Event:
    arms, value, policy = normal(THREE_NORMAL), values.CVaR(ALPHA), policies.Npts()
    short = {"replications": AGREEMENT_REPLICATIONS, "horizon": AGREEMENT_HORIZON}

    def game(tape: Any, rng: np.random.Generator) -> Any:
        return numpy_bcvts.b_cvts(tape, ALPHA, rng)

    return Event(
        "NPTS CVaR 10 %, 3 truncated normal arms",
        primum_plays(arms, value, policy, 20),
        {"plain NumPy": numpy_plays(arms, game)},
        judged=("plain NumPy",),
        target=50,
        twins=(primum_plays(arms, value, policy, **short), numpy_plays(arms, game, **short)),
    )


def ucb1(peers: Peers) -> Event:
    arms = bernoulli(TWO_BERNOULLI)
    return Event(
        "UCB1, 2 Bernoulli arms",
        primum_plays(arms, values.Mean(), policies.Ucb1(), 500),
        {
            "SMPyBandits UCB": lambda: peers.play("smpybandits-ucb"),
            "MABWiser UCB1": lambda: peers.play("mabwiser-ucb1"),
            "river UCB": lambda: peers.play("river-ucb"),
            "plain NumPy": numpy_plays(arms, numpy_besa.ucb1),
        },
        judged=("SMPyBandits UCB",),
        target=200,
    )


def thompson(peers: Peers) -> Event:
    return Event(
        "Thompson sampling, 2 Bernoulli arms",
        primum_plays(bernoulli(TWO_BERNOULLI), values.Mean(), policies.Thompson(), 200),
        {
            "MABWiser ThompsonSampling": lambda: peers.play("mabwiser-thompson"),
            "river ThompsonSampling": lambda: peers.play("river-thompson"),
        },
    )


EVENTS: dict[str, Callable[[Peers], Event]] = {
    "bernoulli-2": bernoulli_2,
    "bernoulli-10": bernoulli_10,
    "normal-2": normal_2,
    "mean-variance": mean_variance,
    "formula": formula,
    "cvar": cvar,
    "npts": npts,
    "ucb1": ucb1,
    "thompson": thompson,
}

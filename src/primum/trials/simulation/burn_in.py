"""The burn-in: permuted blocks of random sizes, after which all arms have equally many patients."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError
from primum.kernels.blocks import MOST_ROUNDS, block_continued, block_shares, next_round
from primum.kernels.choosing import drawn_between, drawn_place
from primum.kernels.elementary import log
from primum.kernels.streams import BURN_IN, philox, to_unit
from primum.trials.data import Floats
from primum.trials.design import Design
from primum.trials.pairs import NO_PAIR, Pair
from primum.trials.simulation.arrivals import Ints
from primum.trials.simulation.engine import ASK, TRIAL


def plan(
    design: Design, seed: int, replications: Ints, lanes: Ints, pair: Pair = NO_PAIR
) -> tuple[NDArray[np.int16], Floats]:
    """The arms of the burn-in, and ASK for all other patients: trial x patient, or one row for all trials.

    With a `pair` also the logarithms of the probabilities of what is held fixed, 0 for each trial without.
    """
    rows = len(replications) if design.forced else 1
    arms, log_weights = np.full((rows, design.patients), ASK, np.int16), np.zeros(len(replications))
    if design.forced:
        burn_in = arms[:, : design.forced]
        _go_through(design, seed, replications, lanes, burn_in, np.empty((rows, 0, 0)), pair, log_weights)
    return arms, log_weights


def chances(design: Design, arms: NDArray[np.int16]) -> Floats:
    """The probability of each arm for each patient of the burn-in, given the arms of the patients before.

    `arms` are those of the patients, trial x patient. The sizes of the blocks are unknown to who computes these.
    Patients who were not enrolled have NaN.
    """
    given = np.where(arms[:, : design.forced] >= 0, arms[:, : design.forced], ASK).astype(np.int16)
    enrolled = given != ASK
    found = np.empty((*given.shape, len(design.arms)))
    zeros = np.zeros(len(given), np.int64)
    _go_through(design, 0, zeros, zeros, given, found, NO_PAIR, np.zeros(len(given)))
    if (found.sum(axis=2) < 0.5).any():
        raise ParameterError(
            "allocations are not those of a burn-in: an arm has more patients than a block has room for"
        )
    found[~enrolled] = np.nan
    return found


def _go_through(
    design: Design,
    seed: int,
    replications: Ints,
    lanes: Ints,
    arms: NDArray[np.int16],
    found: Floats,
    pair: Pair,
    log_weights: Floats,
) -> None:
    from primum.kernels.native import compiling

    rounds = -(-design.forced // len(design.arms))
    scratch = np.ones(len(design.arms), np.int64), np.empty(len(design.arms), np.int64), np.empty(len(design.arms))
    allocate = compiling.compiled(_allocate)
    allocate(np.uint64(seed), replications, lanes, rounds, *scratch, arms, found, pair.arm, pair.held, log_weights)


def _allocate(
    seed: Any,
    replications: Any,
    lanes: Any,
    rounds: int,
    in_round: Any,
    assigned: Any,
    shares: Any,
    arms: Any,
    found: Any,
    pair: int,
    held: Any,
    log_weights: Any,
) -> None:
    """Draw the arms that are ASK; `found` receives the probabilities of all, given the arms before, if it has room.

    With a `pair` they are drawn between its arms alone, as in `engine.play`.
    """
    ends, count = np.empty(MOST_ROUNDS), shares.size
    for r in range(replications.size):
        ends[:] = 0.0
        ends[0] = 1.0
        assigned[:] = 0
        for t in range(arms.shape[1]):
            round_end = t // count + 1
            if t % count == 0:
                next_round(ends, MOST_ROUNDS, rounds + 1 - round_end)
            block_shares(ends, in_round, round_end, assigned, count, shares)
            if found.size:
                found[r, t] = shares
            if arms[r, t] == ASK:
                number, _ = philox(t, lanes[r], replications[r], BURN_IN, seed)
                arms[r, t] = drawn_place(shares, count, to_unit(number))
                if pair > 0 and held[t] != ASK:
                    other = pair - held[t] if held[t] == 0 or held[t] == pair else ASK
                    chance = shares[held[t]] + (shares[other] if other != ASK else 0.0)
                    log_weights[r] += log(chance) if chance > 0.0 else -np.inf
                    among = ASK if lanes[r] == TRIAL else other
                    arms[r, t] = drawn_between(shares, held[t], among, to_unit(number), arms[r, t])
            block_continued(ends, in_round, round_end, assigned, count, arms[r, t])
            assigned[arms[r, t]] += 1

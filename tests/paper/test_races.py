"""The rules on BESA+ against BESA can give each verdict; the evidence here is made up."""

from __future__ import annotations

import numpy as np
import pytest

from primum.paper import races
from primum.paper.claims import FAILS, HOLDS, IN_PART, UNDECIDED, verdict
from primum.paper.races import Race

STEPS = np.unique(np.rint(np.geomspace(1, 10_000, 60)).astype(int))
STEPS = np.union1d(STEPS, np.arange(1_000, 10_001, 1_000))
RUNS = 400


def pulls(stuck=0.0, late=None, power=0.0, once=0.0, spread=1.0):
    """Pulls of the better arm: of `once` 1, of `stuck` the floor's, of `late` the floor's before 90 % of that horizon.

    Of the others all but some, whose number grows like t^power, or like a logarithm.
    """
    t = STEPS.astype(float)
    wasted = 5 * np.log(t) if power == 0 else t**power
    noise = 1 + spread * 0.2 * np.random.default_rng(1).standard_normal((RUNS, 1))
    counts = t - np.minimum(t, noise * wasted)
    first, second = int(once * RUNS), int((once + stuck) * RUNS)
    counts[:first] = 1
    counts[first:second] = np.minimum(t, 1 + np.log(t))
    if late is not None:
        until, share = late
        third = second + int(share * RUNS)
        counts[second:third] = np.where(t < until, np.minimum(t, 1 + np.log(t)), t - until + np.log(until))
    return counts


def made_up(plus, besa, rs=(0.4, 0.3, 0.2)):
    return {r: Race(r, STEPS, {"besa-plus": p, "besa": b}) for r, p, b in zip(rs, plus, besa, strict=True)}


GOOD, BAD = pulls(), pulls(stuck=0.3, power=0.9)
LINE = pulls(power=0.999, once=0.3)
SURE = [pulls(once=r, power=0.9) for r in (0.4, 0.3, 0.2)]
LEARNING = pulls(late=(4_000, 0.2))

CASES = [
    (races.ADMISSIBLE, [GOOD] * 3, [GOOD] * 3, HOLDS),
    (races.ADMISSIBLE, [GOOD] * 3, [GOOD, LINE, LINE], IN_PART),
    (races.ADMISSIBLE, [GOOD] * 3, [LINE] * 3, FAILS),
    (races.NEVER_AGAIN, [GOOD] * 3, SURE, UNDECIDED),
    (races.NEVER_AGAIN, [GOOD] * 3, [LINE, LINE, SURE[2]], FAILS),
    (races.NEVER_AGAIN, [GOOD] * 3, [pulls(once=0.9)] * 3, FAILS),
    (races.EVADES, [BAD, LEARNING, LEARNING], [BAD] * 3, IN_PART),
    (races.EVADES, [LEARNING] * 3, [BAD] * 3, HOLDS),
    (races.LINEAR, [GOOD] * 3, [LINE] * 3, HOLDS),
    (races.LINEAR, [GOOD] * 3, [LINE, GOOD, LINE], IN_PART),
    (races.LINEAR, [GOOD] * 3, [GOOD] * 3, FAILS),
    (races.LEARNS, [GOOD] * 3, [BAD] * 3, HOLDS),
    (races.LEARNS, [BAD, GOOD, GOOD], [BAD] * 3, IN_PART),
    (races.LEARNS, [BAD] * 3, [BAD] * 3, FAILS),
    (races.BOUNDED, [GOOD] * 3, [BAD] * 3, HOLDS),
    (races.BOUNDED, [BAD, GOOD, GOOD], [BAD] * 3, IN_PART),
    (races.BOUNDED, [pulls(power=0.5)] * 3, [BAD] * 3, FAILS),
    (races.FASTER, [GOOD] * 3, [BAD] * 3, HOLDS),
    (races.FASTER, [GOOD, GOOD, BAD], [BAD, BAD, GOOD], IN_PART),
    (races.FASTER, [BAD] * 3, [GOOD] * 3, FAILS),
    (races.HARDER, [pulls(stuck=0.6), pulls(stuck=0.2), GOOD], [BAD] * 3, HOLDS),
    (races.HARDER, [pulls(stuck=0.6), GOOD, pulls(stuck=0.2)], [BAD] * 3, IN_PART),
    (races.HARDER, [GOOD, pulls(stuck=0.2), pulls(stuck=0.6)], [BAD] * 3, FAILS),
]


@pytest.mark.parametrize(
    ("claim", "plus", "besa", "expected"),
    CASES,
    ids=[f"{case[0].number}-{case[3].replace(' ', '-')}" for case in CASES],
)
def test_verdicts(claim, plus, besa, expected):
    assert verdict(claim.parts(made_up(plus, besa))) == expected


def test_many_runs_decide_that_the_share_is_r():
    """The share of runs with a single pull is r exactly; with 20,000 runs the interval is narrow enough."""
    counts = np.full((20_000, STEPS.size), 5.0)
    evidence = {}
    for r in (0.4, 0.3):
        once = counts.copy()
        once[: int(r * 20_000)] = 1
        evidence[r] = Race(r, STEPS, {"besa": once})
    assert verdict(races.NEVER_AGAIN.parts(evidence)) == HOLDS


def test_a_run_that_gets_stuck_more_and_more_does_not_evade():
    worse = pulls()
    worse[: RUNS // 5, STEPS > 2_000] = 30
    assert verdict(races.EVADES.parts(made_up([worse] * 3, [BAD] * 3))) == FAILS


@pytest.mark.parametrize(("costs", "expected"), [((0.5, 0.9), HOLDS), ((0.5, 1.2), IN_PART), ((1.3, 1.2), FAILS)])
def test_the_floor(costs, expected):
    assert verdict(races.FLOOR.parts(dict(zip("ab", costs, strict=True)), 1.0)) == expected


def test_that_no_run_differs_decides_nothing():
    """No run is stuck, early or late: whether fewer are stuck late is not known."""
    parts = races.EVADES.parts(made_up([GOOD] * 3, [BAD] * 3))
    assert [part.outcome for part in parts] == ["passes", "open"] * 3


def test_a_cut_race_is_the_beginning_of_it():
    race = made_up([BAD] * 3, [GOOD] * 3)[0.4]
    short = race.cut(replications=7, until=0.3)
    assert short.steps[-1] == 3_000
    assert short.pulls["besa"].shape == (7, short.steps.size)
    np.testing.assert_array_equal(short.regret("besa"), race.regret("besa")[:7, : short.steps.size])


def test_regret_is_the_gap_for_each_pull_of_the_constant_arm():
    race = Race(0.3, np.array([10, 20]), {"besa": np.array([[4, 12]])})
    np.testing.assert_allclose(race.regret("besa"), [[0.2 * 6, 0.2 * 8]])
    np.testing.assert_array_equal(race.stuck("besa"), [[False, False]])
    assert Race(0.3, np.array([10, 20]), {"besa": np.array([[1, 1]])}).stuck("besa").tolist() == [[False, True]]

"""The rules on BESA+ against BESA can give each verdict; the evidence here is made up."""

from __future__ import annotations

import numpy as np
import pytest

from primum.policies import Besa, BesaPlus
from primum.problem import Problem
from primum.results import Results
from primum.rewards import Constant, Uniform
from primum.values import Mean
from reproduction.chapters.constant_against_uniform import _parts, on_named_axes, rules
from reproduction.chapters.constant_against_uniform.figures import first_steps
from reproduction.judgement import FAILS, HOLDS, IN_PART, UNDECIDED, verdict

STEPS = np.unique(np.rint(np.geomspace(1, 10_000, 60)).astype(int))
STEPS = np.union1d(STEPS, np.arange(1_000, 10_001, 1_000))
REPLICATIONS = 400


def pulls(stuck=0.0, late=None, power=0.0, once=0.0, spread=1.0):
    """Pulls of the better arm: of `once` 1, of `stuck` the floor's, of `late` the floor's before 90 % of that horizon.

    Of the others all but some, whose number grows like t^power, or like a logarithm.
    """
    t = STEPS.astype(float)
    wasted = 5 * np.log(t) if power == 0 else t**power
    noise = 1 + spread * 0.2 * np.random.default_rng(1).standard_normal((REPLICATIONS, 1))
    counts = t - np.minimum(t, noise * wasted)
    first, second = int(once * REPLICATIONS), int((once + stuck) * REPLICATIONS)
    counts[:first] = 1
    counts[first:second] = np.minimum(t, 1 + np.log(t))
    if late is not None:
        until, share = late
        third = second + int(share * REPLICATIONS)
        counts[second:third] = np.where(t < until, np.minimum(t, 1 + np.log(t)), t - until + np.log(until))
    return counts


def results(r, plus, besa, steps=STEPS):
    """Results with these pulls of the better arm, for BESA+ and BESA."""
    better = np.rint([plus, besa]).astype(int)
    counts = np.stack([steps - better, better], axis=-1)
    problem = Problem({"constant": Constant(r), "uniform": Uniform(0, 1)}, Mean())
    return Results(problem, [BesaPlus(), Besa()], int(steps[-1]), 1, steps, range(len(plus)), counts)


def made_up(plus, besa, rs=(0.4, 0.3, 0.2)):
    return on_named_axes({r: results(r, p, b) for r, p, b in zip(rs, plus, besa, strict=True)})


GOOD, BAD = pulls(), pulls(stuck=0.3, power=0.9)
LINE = pulls(power=0.999, once=0.3)
SURE = [pulls(once=r, power=0.9) for r in (0.4, 0.3, 0.2)]
LEARNING = pulls(late=(4_000, 0.2))

CASES = [
    (1, [GOOD] * 3, [GOOD] * 3, HOLDS),
    (1, [GOOD] * 3, [GOOD, LINE, LINE], IN_PART),
    (1, [GOOD] * 3, [LINE] * 3, FAILS),
    (7, [GOOD] * 3, SURE, UNDECIDED),
    (7, [GOOD] * 3, [LINE, LINE, SURE[2]], FAILS),
    (7, [GOOD] * 3, [pulls(once=0.9)] * 3, FAILS),
    (8, [BAD, LEARNING, LEARNING], [BAD] * 3, IN_PART),
    (8, [LEARNING] * 3, [BAD] * 3, HOLDS),
    (12, [GOOD] * 3, [LINE] * 3, HOLDS),
    (12, [GOOD] * 3, [LINE, GOOD, LINE], IN_PART),
    (12, [GOOD] * 3, [GOOD] * 3, FAILS),
    (13, [GOOD] * 3, [BAD] * 3, HOLDS),
    (13, [BAD, GOOD, GOOD], [BAD] * 3, IN_PART),
    (13, [BAD] * 3, [BAD] * 3, FAILS),
    (14, [GOOD] * 3, [BAD] * 3, HOLDS),
    (14, [BAD, GOOD, GOOD], [BAD] * 3, IN_PART),
    (14, [pulls(power=0.5)] * 3, [BAD] * 3, FAILS),
    (15, [GOOD] * 3, [BAD] * 3, HOLDS),
    (15, [GOOD, GOOD, BAD], [BAD, BAD, GOOD], IN_PART),
    (15, [BAD] * 3, [GOOD] * 3, FAILS),
    (16, [pulls(stuck=0.6), pulls(stuck=0.2), GOOD], [BAD] * 3, HOLDS),
    (16, [pulls(stuck=0.6), GOOD, pulls(stuck=0.2)], [BAD] * 3, IN_PART),
    (16, [GOOD, pulls(stuck=0.2), pulls(stuck=0.6)], [BAD] * 3, FAILS),
]


@pytest.mark.parametrize(
    ("claim", "plus", "besa", "expected"), CASES, ids=[f"{case[0]}-{case[3].replace(' ', '-')}" for case in CASES]
)
def test_verdicts(claim, plus, besa, expected):
    runs = made_up(plus, besa)
    assert verdict(_parts(runs, rules.growths(runs))[claim]) == expected


def test_many_replications_decide_that_the_fraction_is_r():
    """The fraction with a single pull is r exactly; with 20,000 replications the interval is narrow enough."""
    evidence = {}
    for r in (0.4, 0.3):
        once = np.full((20_000, 1), 5)
        once[: int(r * 20_000)] = 1
        evidence[r] = results(r, once, once, STEPS[-1:])
    assert verdict(rules.tried_once(on_named_axes(evidence))) == HOLDS


def test_a_policy_that_gets_stuck_more_and_more_fails():
    worse = pulls()
    worse[: REPLICATIONS // 5, STEPS > 2_000] = 30
    assert verdict(rules.rarely_stuck(made_up([worse] * 3, [BAD] * 3))) == FAILS


@pytest.mark.parametrize(("costs", "expected"), [((0.5, 0.9), HOLDS), ((0.5, 1.2), IN_PART), ((1.3, 1.2), FAILS)])
def test_the_floor(costs, expected):
    assert verdict(rules.cost_of_floor(dict(zip("ab", costs, strict=True)), 1.0)) == expected


def test_replications_that_do_not_differ_decide_nothing():
    """None is stuck, early or late: whether fewer are stuck late is not known."""
    parts = rules.rarely_stuck(made_up([GOOD] * 3, [BAD] * 3))
    assert [part.outcome for part in parts] == ["passes", "open"] * 3


def test_the_first_steps():
    runs = made_up([BAD] * 3, [GOOD] * 3)
    short = first_steps(runs, 0.3)
    assert short.step.values[-1] == 3_000
    np.testing.assert_array_equal(short.regret, runs.regret.isel(step=slice(short.sizes["step"])))


def test_evidence_is_that_of_the_better_arm():
    steps = np.array([10, 20])
    runs = on_named_axes({0.3: results(0.3, [[4, 12]], [[1, 1]], steps)})
    np.testing.assert_allclose(runs.regret.sel(policy="besa-plus").squeeze(), [0.2 * 6, 0.2 * 8])
    np.testing.assert_array_equal(runs.better_arm_pulls.sel(policy="besa").squeeze(), [1, 1])
    assert runs.stuck.values.squeeze().tolist() == [[False, False], [False, True]]

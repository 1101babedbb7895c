"""The rule by which claims are judged."""

from __future__ import annotations

import json
import math

import pytest

from primum.errors import PrimumError
from reproduction.judgement import FAILS, HOLDS, IN_PART, UNDECIDED, Claim, Part, verdict

PASSES = Part("passes", 1.0, 0.5, 1.5, at_least=0.0)
FAILS_ = Part("fails", -1.0, -1.5, -0.5, at_least=0.0)
OPEN = Part("open", 0.1, -0.5, 0.7, at_least=0.0)


@pytest.mark.parametrize(
    ("part", "outcome"),
    [
        (PASSES, "passes"),
        (FAILS_, "fails"),
        (OPEN, "open"),
        (Part("both", 0.5, 0.4, 0.6, at_least=0.0, at_most=1.0), "passes"),
        (Part("both", 0.5, 0.4, 1.6, at_least=0.0, at_most=1.0), "open"),
        (Part("above", 1.5, 1.4, 1.6, at_least=0.0, at_most=1.0), "fails"),
        (Part.exact("exact", 1.0, at_most=1.0), "passes"),
        (Part.exact("exact", 1.0 + 1e-9, at_most=1.0), "fails"),
    ],
)
def test_a_part_is_decided_by_its_whole_interval(part, outcome):
    assert part.outcome == outcome


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((PASSES, PASSES), HOLDS),
        ((FAILS_, FAILS_), FAILS),
        ((PASSES,), HOLDS),
        ((FAILS_,), FAILS),
        ((OPEN,), UNDECIDED),
        ((OPEN, OPEN), UNDECIDED),
        ((PASSES, FAILS_), IN_PART),
        ((PASSES, OPEN), UNDECIDED),
        ((FAILS_, OPEN), FAILS),
        ((FAILS_, FAILS_, OPEN), FAILS),
        ((PASSES, PASSES, OPEN), UNDECIDED),
        ((PASSES, FAILS_, OPEN), IN_PART),
    ],
)
def test_verdicts(parts, expected):
    assert verdict(parts) == expected


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ((PASSES, PASSES), HOLDS),
        ((PASSES, FAILS_), FAILS),
        ((PASSES, FAILS_, OPEN), FAILS),
        ((FAILS_, OPEN), FAILS),
        ((PASSES, OPEN), UNDECIDED),
        ((OPEN,), UNDECIDED),
    ],
)
def test_parts_that_only_count_together(parts, expected):
    assert verdict(parts, together=True) == expected


def test_a_judgement_is_plain_data():
    claim = Claim(1, "Section 1", "quote", "short", "rule")
    endless = Part("no end", 0.5, 0.1, math.inf, at_most=1.0)
    judgement = claim.judge(
        (PASSES, endless), evidence=("figure-1",), replications=3, seed=4, other_conditions={"there": (FAILS_,)}
    )
    plain = json.loads(json.dumps(judgement.plain(), allow_nan=False))
    assert plain["verdict"] == UNDECIDED
    assert plain["open_parts"] == 1
    assert plain["parts"][1]["interval"] == [0.1, None]
    assert plain["other_conditions"]["there"]["verdict"] == FAILS
    assert (plain["replications"], plain["seed"], plain["evidence"]) == (3, 4, ["figure-1"])


@pytest.mark.parametrize(
    "part",
    [
        Part("no interval", 0.1, math.nan, math.nan, at_least=0.0),
        Part("no number", math.nan, 0.0, 1.0, at_least=0.0),
        Part.exact("not computed", math.nan, at_most=1.0),
    ],
)
def test_what_is_not_a_number_is_an_error_and_no_verdict(part):
    claim = Claim(17, "Section 1", "quote", "short", "rule")
    with pytest.raises(
        PrimumError, match=f"claim 17 cannot be judged: {part.statement} must be a number with an interval"
    ):
        claim.judge((PASSES, part))
    with pytest.raises(PrimumError, match=f"claim 17 cannot be judged: after 10 steps: {part.statement} must be"):
        claim.judge((PASSES,), other_conditions={"after 10 steps": (FAILS_, part)})


def test_what_a_part_needs_is_said():
    assert PASSES.needs == "at least 0"
    assert Part.exact("", 1, at_most=0.05).needs == "at most 0.05"
    assert Part.exact("", 1, at_least=-1, at_most=1).needs == "from -1 to 1"


def test_the_deciding_part_is_the_one_that_says_most():
    claim = Claim(1, "Section 1", "quote", "short", "rule")
    assert claim.judge((PASSES, OPEN, FAILS_)).deciding is FAILS_
    assert claim.judge((PASSES, OPEN)).deciding is OPEN
    assert claim.judge((PASSES, PASSES)).deciding is PASSES


def test_parts_that_only_count_together_do_so_under_other_conditions():
    claim = Claim(1, "Section 1", "quote", "short", "rule", together=True)
    judgement = claim.judge((PASSES,), other_conditions={"after 10 steps": (PASSES, FAILS_)})
    assert judgement.verdicts_elsewhere == {"after 10 steps": FAILS}

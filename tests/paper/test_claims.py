"""The one rule by which claims are judged, and the numbers and places of all claims."""

from __future__ import annotations

import json
import math

import pytest

from primum.errors import PrimumError
from primum.paper.claims import FAILS, HOLDS, IN_PART, UNDECIDED, Claim, Part, verdict
from primum.paper.reproduction import CHAPTERS

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
    claim = Claim(1, "Section 1", "quote", "short", "asks", lambda *parts: parts)
    endless = Part("no end", 0.5, 0.1, math.inf, at_most=1.0)
    judgement = claim.judge(PASSES, endless, exhibits=("figure-1",), runs=3, seed=4, elsewhere={"there": (FAILS_,)})
    assert judgement.open == 1
    plain = json.loads(json.dumps(judgement.plain(), allow_nan=False))
    assert plain["verdict"] == UNDECIDED
    assert plain["parts"][1]["interval"] == [0.1, None]
    assert plain["elsewhere"]["there"]["verdict"] == FAILS
    assert (plain["runs"], plain["seed"], plain["exhibits"]) == (3, 4, ["figure-1"])


@pytest.mark.parametrize(
    "part",
    [
        Part("no interval", 0.1, math.nan, math.nan, at_least=0.0),
        Part("no number", math.nan, 0.0, 1.0, at_least=0.0),
        Part.exact("not computed", math.nan, at_most=1.0),
    ],
)
def test_what_is_not_a_number_is_an_error_and_no_verdict(part):
    claim = Claim(17, "Section 1", "quote", "short", "asks", lambda *parts: parts)
    with pytest.raises(PrimumError, match=f"claim 17 cannot be judged: {part.says} must be a number with an interval"):
        claim.judge(PASSES, part, exhibits=())
    with pytest.raises(PrimumError, match=f"claim 17 cannot be judged: after 10 steps: {part.says} must be"):
        claim.judge(PASSES, exhibits=(), elsewhere={"after 10 steps": (FAILS_, part)})


def test_what_a_part_needs_is_said():
    assert PASSES.needs == "at least 0"
    assert Part.exact("", 1, at_most=0.05).needs == "at most 0.05"
    assert Part.exact("", 1, at_least=-1, at_most=1).needs == "from -1 to 1"


def test_every_claim_has_a_number_a_place_a_quotation_and_a_rule():
    claims = [claim for chapter in CHAPTERS for claim in chapter.CLAIMS]
    assert sorted(claim.number for claim in claims) == list(range(1, 31))
    for claim in claims:
        assert claim.place.startswith(("Section", "Theorem", "Appendix"))
        assert len(claim.quote) > 15
        assert len(claim.short) > 10
        assert claim.asks.endswith(".")

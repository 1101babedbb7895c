"""The first page of the report says what the judgements say."""

from __future__ import annotations

import pytest

from reproduction.claims import CLAIMS
from reproduction.judgement import Part
from reproduction.opening import MAIN_CLAIMS, opening

PASSES = Part("fraction of replications that are stuck", 0.001, 0.0, 0.002, at_most=0.01)
FAILS = Part("fraction of replications that are stuck", 0.194, 0.188, 0.199, at_most=0.01)
OPEN = Part("fraction of replications that are stuck", 0.01, 0.0, 0.02, at_most=0.01)


def judged(**parts):
    """All claims, with a part of its own for some: claim_8=..."""
    return [claim.judge((parts.get(f"claim_{claim.number}", parts["others"]),)) for claim in CLAIMS.values()]


def test_claims_move_with_their_verdicts():
    said = opening(judged(others=PASSES, claim_10=FAILS))
    assert f"Of {len(CLAIMS)} claims, {len(CLAIMS) - 1} hold." in said["What holds"]
    assert f"Of {len(CLAIMS)} claims, 1 fails." in said["What does not"]
    for number in MAIN_CLAIMS:
        assert (f"(claim {number})" in said["What does not"]) == (number == 10)
        assert (f"(claim {number})" in said["What holds"]) == (number != 10)
    assert "does not hold (claim 10)" in said["Why it matters"]


@pytest.mark.parametrize(
    ("part", "words", "number"),
    [(PASSES, "rare", "0.0010"), (FAILS, "not rare", "0.194"), (OPEN, "not excluded", "0.010")],
)
def test_numbers_come_from_the_judgements(part, words, number):
    said = opening(judged(others=PASSES, claim_8=part))
    assert f"On the paper's own example this is {words} (claim 8)" in said["Why it matters"]
    assert f"stuck: {number} (" in said["Why it matters"]


def test_no_claim_in_a_group():
    said = opening(judged(others=PASSES))
    assert said["What does not"] == f"None of the {len(CLAIMS)} claims."

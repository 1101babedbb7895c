"""The index of all claims."""

from __future__ import annotations

from reproduction.claims import CLAIMS


def test_every_claim_has_a_number_a_place_a_quotation_and_a_rule():
    assert list(CLAIMS) == list(range(1, 31))
    for number, claim in CLAIMS.items():
        assert claim.number == number
        assert claim.place.startswith(("Section", "Appendix"))
        assert len(claim.quote) > 15
        assert len(claim.short) > 10
        assert claim.rule.endswith(".")

"""The sentence about a design: it tells differences only where they are clear."""

from __future__ import annotations

import pytest

from primum.lab.trials.schemas import Allocation, Curve, DesignCharacteristics, Estimate, LargestTypeOne
from primum.lab.trials.verdict import sentence

NOTHING = Estimate(value=None, error=None, exact=False)


def number(value, error=0.0):
    return Estimate(value=value, error=error, exact=error == 0)


def design(**given):
    parts = {
        "type_1": number(0.05),
        "type_1_drift": None,
        "largest_type_1": None,
        "power": number(0.8),
        "on_better": number(50.0),
        "patients": [],
        "curve": Curve(p=[], type_1=[], error=[]),
    }
    others = dict.fromkeys(
        ("power_any", "power_all", "best", "on_better_sd", "worse_majority", "successes", "gain", "bias"), NOTHING
    )
    return DesignCharacteristics(
        name="",
        trials=0,
        allocation=Allocation(patients=[], width=1, probability=[]),
        **(others | parts | given),
    )


def told(equal=None, **given):
    return sentence(design(**given), equal or design(), 100, 0.05)


def test_nothing_changes():
    assert told() == (
        "Compared with equal randomisation, as many of the 100 patients get the better treatment; power is about the "
        "same (80.0 %); type I error is 5.0 %, within the nominal 5 %."
    )


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"on_better": number(81.0)}, "31 more of 100 patients get the better treatment"),
        ({"on_better": number(40.0)}, "10 fewer of 100 patients get the better treatment"),
        ({"on_better": number(52.0, 1.5)}, "as many of the 100 patients"),
        ({"power": number(0.63)}, "power falls from 80.0 % to 63.0 %"),
        ({"power": number(0.9)}, "power rises from 80.0 % to 90.0 %"),
        ({"power": number(0.7, 0.06)}, "power is about the same (70.0 %)"),
        ({"type_1": number(0.077)}, "type I error is 7.7 % instead of the nominal 5 %"),
        ({"type_1": number(0.08, 0.02)}, "type I error is 8.0 %, close to the nominal 5 %"),
        ({"type_1": number(0.01)}, "type I error is 1.0 %, within the nominal 5 %"),
        ({"largest_type_1": LargestTypeOne(value=0.134, p=0.99)}, "and up to 13.4 % at other success probabilities"),
        ({"curve": Curve(p=[0.5, 0.9], type_1=[0.07, 0.092], error=[0.002] * 2)}, "the nominal 5 %, and 9.2 % at 0.9."),
        ({"curve": Curve(p=[0.5, 0.9], type_1=[0.05, 0.07], error=[0.01] * 2)}, "within the nominal 5 %."),
        ({"type_1_drift": number(0.25, 0.01)}, "with the drift it is 25.0 %."),
        ({"on_better": NOTHING}, "All arms are equally good; type I error"),
    ],
)
def test_a_change_is_told_if_it_is_clear(given, words):
    assert words in told(**given)


def test_power_of_several_arms_leaves_out_false_claims():
    three = {"patients": [number(30.0)] * 3, "power": number(0.95), "power_any": number(0.6)}
    assert "power falls from 70.0 % to 60.0 %" in told(design(**three | {"power_any": number(0.7)}), **three)

"""What is wrong is said for each place, with what was given and what is allowed."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from primum.lab.http.errors import faults
from primum.lab.http.schemas import Question

from .questions import data


def said(**changes):
    with pytest.raises(ValidationError) as caught:
        Question.model_validate(data(**changes))
    return faults([error | {"loc": ("body", *error["loc"])} for error in caught.value.errors()], Question)


ARM = {"name": "a", "distribution": "uniform"}
CASES = [
    ({"horizon": 0}, {"horizon": "horizon must be a whole number in [2, 1000000], got 0"}),
    ({"horizon": 1.5}, {"horizon": "horizon must be a whole number in [2, 1000000], got 1.5"}),
    ({"seed": "x" * 500}, {"seed": "seed must be a whole number in [0, 2^53 - 1], got 'xxxxxxxxxxxx...xxxxxxxxxxxxx'"}),
    ({"arms": []}, {"arms": "arms must be a list of 1 to 50 arms, got []"}),
    ({"arms": [ARM, ARM]}, {"arms": "arms must differ, got 'a' twice"}),
    ({"policies": ["ucb1", "ucb1"]}, {"policies": "policies must differ, got 'ucb1' twice"}),
    ({"polices": []}, {"polices": "no key named 'polices'; did you mean 'policies'?"}),
    (
        {"arms": [{"name": " ", "distribution": "uniform"}]},
        {"arms[0].name": "arms[0].name must be a text of 1 to 100 characters on one line, got ' '"},
    ),
    (
        {"arms": [{"name": "a\nb", "distribution": "uniform"}]},
        {"arms[0].name": "arms[0].name must be a text of 1 to 100 characters on one line, got 'a\\nb'"},
    ),
    (
        {"arms": [{"name": "a"}]},
        {
            "arms[0].distribution": "arms[0].distribution is missing; it must be a reward distribution by its name, "
            "for example 'uniform(low=0, high=1)'"
        },
    ),
    (
        {"arms": [ARM, {"name": "b", "distribution": {"name": "bernoulli", "probability": 2}}]},
        {"arms[1].distribution.probability": "bernoulli: probability must be in [0, 1], got 2"},
    ),
    ({"value": {"name": "cvar", "alpha": 0}}, {"value.alpha": "cvar: alpha must be in (0, 1], got 0"}),
    ({"policies": ["ucb1", "besa+"]}, {"policies[1]": "no policy named 'besa+'; did you mean 'besa-plus'?"}),
]


@pytest.mark.parametrize(("changes", "expected"), CASES, ids=[str(i) for i in range(len(CASES))])
def test_a_sentence_for_each_place(changes, expected):
    assert said(**changes) == expected


def test_several_places_have_a_sentence_each():
    assert set(said(horizon=0, seed=-1, value="meen")) == {"horizon", "seed", "value"}

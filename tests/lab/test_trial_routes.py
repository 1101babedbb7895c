"""Exact operating characteristics over HTTP: those of `primum.trials`, and nothing that costs much."""

from __future__ import annotations

import pytest

from primum import policies, trials
from primum.lab.http.trial_routes import MOST_PATIENTS

ADDRESS = "/api/trials/characteristics"
ASKED = {"policy": "thompson", "analysis": "pooled-z", "p_control": 0.3, "p_new": 0.5, "patients": 60, "burn_in": 3}


def test_they_are_those_of_the_package(client):
    told = client.get(ADDRESS, params=ASKED).json()
    test = trials.PooledZ(alpha=0.05, sided="greater")
    design = trials.Design(arms=["a", "b"], patients=60, policy=policies.Thompson(), burn_in=3, analysis=test)
    law = trials.exact(design, progress=False)
    assert told == pytest.approx(
        {
            "type_1": law.type_1(0.3),
            "largest_type_1": law.largest_type_1().value,
            "power": law.reject(0.3, 0.5),
            "patients_on_control": law.patients(0.3, 0.5)[0],
            "patients_on_new": law.patients(0.3, 0.5)[1],
            "successes": law.successes(0.3, 0.5),
        }
    )


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("policy", "gittins"),
        ("policy", "__import__('os')"),
        ("analysis", "none"),
        ("p_control", "nan"),
        ("p_control", "1.01"),
        ("p_new", "-1"),
        ("p_new", "1e999"),
        ("patients", MOST_PATIENTS + 1),
        ("patients", "1"),
        ("patients", "9" * 400),
        ("burn_in", "-1"),
        ("burn_in", MOST_PATIENTS),
    ],
)
def test_anything_else_is_refused_with_a_sentence(client, name, given):
    told = client.get(ADDRESS, params=ASKED | {name: given})
    assert told.status_code == 422
    assert all(told.json()["errors"].values())


@pytest.mark.parametrize("p", [0, 1])
def test_certain_outcomes_are_possible(client, p):
    assert client.get(ADDRESS, params=ASKED | {"p_control": p, "p_new": p}).status_code == 200

"""Small questions for the tests of the laboratory."""

from __future__ import annotations

from typing import Any

from primum.lab.http.schemas import Question


def question(**changes: Any) -> Question:
    """A question that takes a moment."""
    return Question.model_validate(data(**changes))


def data(**changes: Any) -> dict[str, Any]:
    """The same as a page sends it."""
    return {
        "arms": [
            {"name": "standard", "distribution": {"name": "constant", "value": 0.4}},
            {"name": "new", "distribution": "uniform(low=0, high=1)"},
        ],
        "value": "mean",
        "policies": ["besa-plus", "ucb1"],
        "horizon": 100,
        "replications": 20,
        "seed": 3,
    } | changes

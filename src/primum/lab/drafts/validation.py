"""Questions to the laboratory: an experiment as data, its arms in a list, within limits."""

from __future__ import annotations

import re
from typing import Any

from primum.errors import Collector, ParameterError, Path, quoted
from primum.lab.drafts.time_limit import refuse_deep, refuse_long
from primum.lab.shared_arms import shared
from primum.plugins.parameters import Parameter
from primum.problem import check_name
from primum.rewards.reward_distribution import check_interval
from primum.runs.validation import Listed, Made, Single, Table

MOST_ARMS = 50
MOST_POLICIES = 12
LONGEST_HORIZON = 1_000_000  # steps
MOST_REPLICATIONS = 100_000
LARGEST_SEED = 2**53 - 1  # the largest whole number that a page holds exactly
LONGEST_NAME = 100  # characters
LONGEST_TITLE = 200  # characters
NAME_PATTERN = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"  # a visible character, no control characters

LONGEST_UNIT = 30  # characters

DEFAULTS: dict[str, Any] = {"title": "", "unit": None, "horizon": 2000, "replications": 500, "seed": 1}


class _Name:
    """The name of an arm."""

    allowed = f"a text of at most {LONGEST_NAME} characters on one line"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        with errors.at(*path):
            name = check_name(given)
            if len(name) > LONGEST_NAME or not re.fullmatch(NAME_PATTERN, name):
                raise ParameterError(f"an arm's name must be {self.allowed}, got {quoted(name)}")
            return name


class _Unit:
    """The unit of rewards of 0 to 1 that outcomes from `low` to `high` were rescaled to."""

    allowed = "a table with a name, low and high"
    _parts = Table(
        allowed,
        {
            "name": Single(Parameter("", string=True), LONGEST_UNIT),
            "low": Single(Parameter("")),
            "high": Single(Parameter("")),
        },
    )

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        parts = self._parts.read(given, path, errors)
        if parts is None or None in parts.values():
            return None
        with errors.at(*path):
            check_interval("unit", parts["low"], parts["high"])
        return parts


RULES = Table(
    "a table with arms, a value and policies",
    {
        "title": Single(Parameter("", string=True), LONGEST_TITLE),
        "unit": _Unit(),
        "arms": Listed(
            "arms",
            Table(
                "a table with a name and a distribution",
                {
                    "name": _Name(),
                    "distribution": Made("rewards", before=refuse_deep, after=shared),
                },
            ),
            name=lambda arm: arm["name"],
            named=("name",),
            most=MOST_ARMS,
            before=lambda arms: refuse_long([arm.get("distribution") for arm in arms if isinstance(arm, dict)]),
        ),
        "value": Made("values"),
        "policies": Listed("policies by their names", Made("policies"), lambda policy: policy.label, MOST_POLICIES),
        "horizon": Single(Parameter("", 2, LONGEST_HORIZON, integer=True)),
        "replications": Single(Parameter("", 1, MOST_REPLICATIONS, integer=True)),
        "seed": Single(Parameter("", 0, LARGEST_SEED, integer=True)),
    },
    DEFAULTS,
)
EMPTY_QUESTION: dict[str, Any] = {"arms": [], "value": None, "policies": []}


def read(given: Any) -> tuple[dict[str, Any], Collector]:
    """The parts of a question by key, None where one is invalid, and the errors."""
    errors = Collector()
    parts = RULES.read(given, (), errors) or {}
    return EMPTY_QUESTION | {key: part for key, part in parts.items() if part is not None}, errors

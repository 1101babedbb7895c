"""Lists of thousands of names: they are compared with as many comparisons, not with their square."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import numpy as np
import pytest

from primum import Study, policies, rewards, values
from primum.errors import Collector, ParameterError
from primum.results.results import titles
from primum.rewards.from_csv import Table, from_csv
from primum.runs.experiment import Experiment
from primum.runs.part import pack_pulls
from primum.runs.pieces import ExperimentPieces
from primum.runs.simulation import check_different
from primum.runs.validation import Listed, Made
from primum.store import Store
from primum.trials import Scenario

MANY = 2_000


class Name(str):
    """A text that counts how often it is compared."""

    comparisons = 0

    def __eq__(self, other: object) -> bool:
        Name.comparisons += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.fixture(autouse=True)
def at_most_a_few_for_each() -> Iterator[None]:
    Name.comparisons = 0
    yield
    assert Name.comparisons <= 10 * MANY


def names():
    return [Name(f"a{i}") for i in range(MANY)]


def test_the_count_counts():
    assert names()[-1] in names()
    assert Name.comparisons == MANY


def test_policies_of_a_simulation():
    check_different("policies", names())
    with pytest.raises(ParameterError, match="policies must differ, got 'a7' twice") as refused:
        check_different("policies", [*names(), Name("a7"), Name("a8")])
    assert refused.value.path == ("policies", MANY)


def test_policies_of_an_experiment():
    errors, listed = Collector(), [*names(), None, None, Name("a7"), Name("a7")]
    rule = Listed("policies", Made("policies"), name=lambda item: item)
    with patch.object(Made, "read", lambda self, given, path, errors: given):
        rule.read(listed, ("policies",), errors)
    assert [error.path[-1] for error in errors.errors] == [MANY + 2, MANY + 3]


def test_titles():
    class Titled:
        def __init__(self, label: str, display_name: str) -> None:
            self.label, self.display_name = label, display_name

    players = [Titled(f"label {i}", name) for i, name in enumerate([*names(), Name("a7")])]
    shown = titles(players)
    assert shown[6:9] == ["a6", "label 7", "a8"]
    assert shown[-1] == f"label {MANY}"


def test_arms_of_a_scenario():
    arms = {name: rewards.Constant(float(i)) for i, name in enumerate(names())}
    scenario = Scenario(arms)
    scenario.names = tuple(arms)  # as they were given
    ordered = scenario.ordered(names()[::-1])
    assert [arm.value for arm in ordered.arms] == list(range(MANY))[::-1]


def test_columns_of_a_csv_file(tmp_path):
    class Columns(list):
        """Columns in which nothing is searched one by one."""

        count = index = __contains__ = None

    table = Table(",".join(names()) + "\n" + ",".join("1" * MANY) + "\n", "the file")
    table.columns = Columns(table.columns)
    places = [table.place(name) for name in names()]
    assert places == list(range(MANY))

    class Places(tuple):
        """Places of which none is compared with all before it."""

        def __getitem__(self, key):
            assert not isinstance(key, slice)
            return super().__getitem__(key)

    assert len(list(table.wide(table.rows(), Places(places)))) == MANY
    path = tmp_path / "twice.csv"
    path.write_text("a,b,a\n1,2,3\n")
    with pytest.raises(ParameterError, match="column 'a' appears twice"):
        from_csv(path, arms="all")
    with pytest.raises(ParameterError, match="column 'b' is given twice"):
        from_csv(path, arms=["b", "b"])


def test_policies_of_a_piece(tmp_path):
    players = [policies.EpsilonGreedy(epsilon=i / 300) for i in range(300)]
    arms = {"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.8)}
    experiment = Experiment(horizon=1, replications=1, seed=1, value=values.Mean(), policies=players, arms=arms)
    pieces = ExperimentPieces(experiment, Store(tmp_path))
    (part,) = pieces.missing(range(1))
    compared = 0

    def equal(one: object, other: object) -> bool:
        nonlocal compared
        compared += 1
        return one is other

    with patch.object(policies.EpsilonGreedy, "__eq__", equal):
        pieces.receive(part, [pack_pulls(np.array([[[1, 0]]], np.int32))] * len(players))
    assert compared <= len(players)
    assert len(pieces.results().replications) == 1


def test_problems_and_cases_of_a_study():
    class Counted(dict):
        """A table that counts the entries that are taken out of it one by one."""

        taken = 0

        def values(self):
            Counted.taken += len(self)
            return super().values()

    arms = {"a": rewards.Bernoulli(0.2), "b": rewards.Bernoulli(0.8)}
    study = Study(
        problems={f"problem {i}": {"arms": arms, "value": "mean"} for i in range(30)},
        cases={f"case {i}": {"horizon": i + 1} for i in range(30)},
        policies=["ucb1"],
        horizon=10,
        replications=1,
        seed=1,
    )
    study.problems, study.cases = Counted(study.problems), Counted(study.cases)
    assert [study.experiment(number).horizon for number in (0, 1, 30, 899)] == [1, 2, 1, 30]
    assert Counted.taken == 0

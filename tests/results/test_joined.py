"""Results.joined: parts of one run as a whole, with what was requested and the versions that computed it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from primum import Problem, Results, policies, rewards, simulate, values
from primum.errors import ParameterError, PrimumError
from primum.store import fingerprints

PROBLEM = Problem({"a": rewards.Constant(0.4), "b": rewards.Uniform(0, 1)}, values.Mean())


def part(numbers, requested=None, versions=None):
    """Made-up results of some replications."""
    numbers = list(numbers)
    pulls = np.full((1, len(numbers), 1, 2), 5)
    return Results(PROBLEM, [policies.Ucb1()], 10, 1, [10], numbers, pulls, versions, requested=requested)


def test_only_parts_of_one_run_join():
    def run(numbers, seed=1):
        return simulate(PROBLEM, ["ucb1"], horizon=20, replications=numbers, seed=seed, progress=False)

    with pytest.raises(PrimumError, match="results to join must have the same"):
        Results.joined([run(range(2)), run(range(2, 4), seed=2)])
    with pytest.raises(PrimumError, match="none of them twice"):
        Results.joined([run(range(2)), run(range(1, 4))])
    with pytest.raises(PrimumError, match="no results"):
        Results.joined([])
    for wrong in (range(0), range(3, 1), range(0, 9, 2), range(-1, 2)):
        with pytest.raises(ParameterError, match="replications must be an ascending range"):
            run(wrong)


@pytest.mark.parametrize(
    ("parts", "requested"),
    [
        ([part(range(3)), part(range(3, 9))], 9),
        ([part(range(5, 10)), part(range(20, 30))], 15),
        ([part(range(312), 20_000), part(range(312, 362))], 20_000),  # stopped, then continued for a while
        ([part(range(312), 20_000), part(range(312, 20_000))], 20_000),  # or to the end
        ([part(range(312), 20_000), part(range(312, 400), 19_688)], 20_000),  # or stopped again
        ([part(range(312), 400), part(range(312, 500))], 500),  # or further
        ([part(range(100)), part(range(100, 160), 100)], 200),
        ([part(range(100)), part(range(100, 160), 100), part(range(200, 300))], 300),
        ([part([0, 1, 5, 6], 8), part([7, 9], 4)], 11),  # 0 to 7, and 7 to 10
        ([part([], 50), part(range(50))], 50),  # stopped before a replication was complete
        ([part(range(3))], 3),
    ],
)
def test_each_requested_replication_counts_once(parts, requested):
    whole = Results.joined(parts)
    assert whole.requested == requested
    assert len(whole.replications) == sum(len(one.replications) for one in parts)
    assert Results.joined(parts, requested=77_777).requested == 77_777


def test_a_stopped_run_that_is_joined_says_what_was_requested():
    whole = Results.joined([part(range(312), 20_000), part(range(312, 362))])
    assert "362 of 20000 replications" in repr(whole)


def test_parts_of_different_versions_say_so():
    first, second = {"python": "3.11.7", "numpy": "2.4.1"}, {"python": "3.11.7", "numpy": "2.4.6", "scipy": "1.17.0"}
    said = "different versions: numpy 2.4.1, 2.4.6; scipy unknown, 1.17.0"
    with pytest.warns(UserWarning, match=said):
        whole = Results.joined([part([0], versions=first), part([1], versions=second)])
    assert whole.versions == {"python": "3.11.7", "numpy": "2.4.1, 2.4.6", "scipy": "unknown, 1.17.0"}
    with pytest.warns(UserWarning, match=said):  # again, with each version named once
        again = Results.joined([whole, part([2], versions=second)])
    assert again.versions == whole.versions
    assert Results.from_bytes(whole.to_bytes()).versions == whole.versions


def test_parts_of_the_same_versions_join_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        whole = Results.joined([part([0]), part([1])])
    assert whole.versions == part([0]).versions == fingerprints.versions()
    assert set(whole.versions) == {"python", "primum", "numpy", "scipy", "numba"}

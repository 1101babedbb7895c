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


def run(*players, seed=1, replications=range(6), horizon=20, problem=PROBLEM, **options):
    given = {"horizon": horizon, "replications": replications, "seed": seed, "progress": False} | options
    return simulate(problem, players, **given)


def test_policies_that_ran_apart_equal_those_that_ran_together():
    players = policies.Ucb1(), policies.BesaPlus(floor=2), policies.Npts()
    whole = Results.joined([run(players[0]), run(*players[1:])])
    together = run(*players)
    assert whole == together
    assert whole.fingerprint == together.fingerprint
    assert whole.compare("npts", "ucb1") == together.compare("npts", "ucb1")


def test_policies_and_replications_join_at_once():
    parts = [run("ucb1", replications=range(2)), run("besa", replications=range(6))]
    whole = Results.joined([*parts, run("ucb1", replications=range(2, 6))])
    assert whole == run("ucb1", "besa")
    assert (whole.requested, whole.labels) == (6, ["ucb1", "besa"])


def test_a_stopped_run_of_one_policy_leaves_the_whole_incomplete():
    def stopped(player, requested):
        return Results(PROBLEM, [player], 10, 1, [10], [0, 1], np.full((1, 2, 1, 2), 5), requested=requested)

    assert Results.joined([stopped(policies.Ucb1(), 2), stopped(policies.Besa(), 9)]).requested == 9


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (lambda: run("besa", seed=2), "results to join must have the same seed, got 1 and 2"),
        (lambda: run("besa", horizon=30), "results to join must have the same horizon, got 20 and 30"),
        (lambda: run("besa", steps="last"), "must have the same recorded steps, got 20 steps and 1"),
        (
            lambda: run("besa", problem=Problem(PROBLEM.arms, values.CVaR())),
            "must have the same problem: the same arms",
        ),
        (
            lambda: run("besa", problem=Problem(dict(reversed(PROBLEM.arms.items())), PROBLEM.value)),
            "must have the same problem: the same arms in the same order, and value",
        ),
        (lambda: run("besa", "ucb1"), "must have the same policies or different ones, got ucb1 twice"),
        (
            lambda: run("besa", "npts", replications=4),
            "results of different policies must have the same replications to be joined, got 6 of ucb1 and 4 of besa "
            "and npts",
        ),
        (lambda: run("besa", replications=range(1, 7)), "must have the same replications to be joined, got 6 of ucb1"),
    ],
)
def test_what_does_not_join_is_a_sentence(other, said):
    with pytest.raises(PrimumError, match=said):
        Results.joined([run("ucb1"), other()])


def test_policies_of_different_versions_say_so():
    def of(player, number):
        return Results(PROBLEM, [player], 10, 1, [10], [0], np.full((1, 1, 1, 2), 5), {"numpy": number})

    with pytest.warns(UserWarning, match=r"different versions: numpy 2\.4\.1, 2\.4\.6"):
        whole = Results.joined([of(policies.Ucb1(), "2.4.1"), of(policies.Besa(), "2.4.6")])
    assert whole.versions == {"numpy": "2.4.1, 2.4.6"}

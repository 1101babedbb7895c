"""Policies under names of one's own: the names are shown, and nothing else depends on them."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from primum import Problem, Results, Study, policies, rewards, simulate, values
from primum.errors import InvalidInput, PrimumError
from primum.runs import Experiment
from primum.runs.part import Part
from primum.store import Store

PROBLEM = Problem({"a": rewards.Bernoulli(0.3), "b": rewards.Bernoulli(0.6)}, values.Mean())
NAMED = {"ours": policies.BesaPlus(floor=2), "theirs": "besa-plus(floor=2)", "Thompson's": policies.Thompson()}
LISTED = [policies.BesaPlus(floor=2), policies.Thompson()]
RUN = {"horizon": 60, "replications": 8, "seed": 4}


@pytest.fixture(scope="module")
def results():
    return simulate(PROBLEM, NAMED, **RUN, progress=False)


def test_results_show_the_names(results):
    names = list(NAMED)
    assert results.labels == results.titles == names
    assert results.regret["policy"].values.tolist() == names
    assert results.summary().index.tolist() == names
    assert results.compare("ours", "theirs").difference == 0
    assert "ours" in repr(results)
    assert {line.label for line in results.picture().lines} == set(names)


def test_decisions_depend_on_the_policy_alone(results):
    plain = simulate(PROBLEM, LISTED, **RUN, progress=False)
    pulls = results.pulls.values
    assert (pulls[0] == pulls[1]).all()
    assert (pulls[[0, 2]] == plain.pulls.values).all()
    assert results.spec()["policies"] == [LISTED[0].spec(), LISTED[0].spec(), LISTED[1].spec()]


def test_results_are_saved_with_the_names(results, tmp_path):
    results.save(tmp_path / "run.nc")
    again = Results.load(tmp_path / "run.nc")
    assert again == results
    assert again.labels == list(NAMED)
    halves = [
        simulate(PROBLEM, NAMED, **RUN | {"replications": part}, progress=False) for part in (range(3), range(3, 8))
    ]
    assert Results.joined(halves).to_bytes() == results.to_bytes()
    assert b'"names": ["ours", ' in results.to_bytes()
    assert b'"names"' not in simulate(PROBLEM, LISTED, **RUN, progress=False).to_bytes()


def test_other_processes_play_them(results):
    with ThreadPoolExecutor(2) as pool:  # it gets what a process would get
        for threads in (1, 2):
            assert simulate(PROBLEM, NAMED, **RUN, executor=pool, threads=threads, progress=False) == results
    part = Part(PROBLEM, results.policies, 60, 4, results.steps, range(2))
    assert [policy.label for policy in Part.from_spec(part.spec()).policies] == list(NAMED)


def test_a_policy_keeps_its_name():
    ours = LISTED[0].named("ours")
    assert ours == LISTED[0]
    assert hash(ours) == hash(LISTED[0])
    assert (LISTED[0].label, str(ours)) == ("besa-plus(floor=2)", "ours")
    assert [copy.deepcopy(ours).label, pickle.loads(pickle.dumps(ours)).label] == ["ours", "ours"]


def test_experiments_and_their_files(results, tmp_path):
    experiment = Experiment(arms=PROBLEM.arms, value=PROBLEM.value, policies=NAMED, **RUN)
    again = Experiment.from_toml(experiment.to_toml())
    assert [policy.label for policy in again.policies] == list(NAMED)
    assert again == experiment
    assert experiment.replace(horizon=50).policies[0].label == "ours"
    assert again.run(progress=False).to_bytes() == results.to_bytes()


def test_studies_and_their_store(results, tmp_path, monkeypatch):
    store = Store(tmp_path)
    same = {"problems": {"one": PROBLEM}} | RUN
    Study(policies=LISTED, **same).run(store=store, progress=False)
    study = Study(policies=NAMED, **same)
    assert Study.from_toml(study.to_toml()) == study
    with monkeypatch.context() as patch:  # the store has them under any name
        patch.setattr("primum.runs.part.Part.play", None)
        found = study.run(store=store, progress=False)
    assert found.results.to_bytes() == results.to_bytes()
    assert found.regret["policy"].values.tolist() == list(NAMED)
    assert set(found.table()["policy"]) == set(NAMED)
    floors = {"gentle": "besa-plus(floor=1)", "bold": "besa-plus(floor=5)"}
    found = study.replace(policies=floors | {"one": "thompson", "another": "thompson"}).run(store=store, progress=False)
    lines = [line.label for line in found.picture(x="floor").lines]
    assert lines == ["BESA+", "one", "another"]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({}, "policies must"),
        ({"": "ucb1"}, "a policy's name must be a text that is not empty, got ''"),
        ({3: "ucb1"}, "a policy's name must be a text that is not empty, got 3"),
        ({"mine": "ucb"}, "no policy named 'ucb'; did you mean 'ucb1'?"),
    ],
    ids=str,
)
def test_what_is_refused(given, sentence):
    with pytest.raises(PrimumError) as caught:
        simulate(PROBLEM, given, **RUN, progress=False)
    assert sentence in str(caught.value)
    with pytest.raises(InvalidInput) as refused:
        Experiment(arms=PROBLEM.arms, value=PROBLEM.value, policies=given, **RUN)
    assert sentence in str(refused.value)
    assert refused.value.errors[0].path[0] == caught.value.path[0] == "policies"

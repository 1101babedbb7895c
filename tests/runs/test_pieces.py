"""Experiments in pieces: they join to the whole run, a stopped run continues, and keys tell apart what matters."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from primum import policies, rewards, values
from primum.errors import ParameterError
from primum.runs import Experiment, pieces, runner
from primum.runs.part import Part, pack_pulls, unpack_pulls
from primum.runs.pieces import ExperimentPieces
from primum.store import Store, fingerprints

TEXT = """
horizon = 60
replications = 10
seed = 5
value = "mean"
policies = ["besa-plus", "ucb1"]
[arms]
old = "constant(value=0.4)"
new = "uniform"
"""
LOCK = threading.Lock()


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE_STEPS", 60 * 3)
    monkeypatch.setattr(runner, "PARTS_PER_THREAD", 0)  # pieces are not cut


def files(store):
    return sorted(path for path in store.folder.rglob("*") if path.is_file())


def key_of(experiment, first=0):
    return ExperimentPieces(experiment, Store("never written")).key(first, 0, is_whole=True)


def run(experiment, store, **options):
    """Whether it is complete, and the results."""
    complete = pieces.run([experiment], store, **{"progress": False} | options)
    return complete, ExperimentPieces(experiment, store).results()


@pytest.mark.usefixtures("small_pieces")
def test_a_run_that_cannot_be_stored_says_so_and_goes_on(tmp_path, caplog):
    (tmp_path / "file").write_text("")
    experiment = Experiment.from_toml(TEXT)
    assert run(experiment, Store(tmp_path / "file")) == (True, experiment.run(progress=False))
    (warning,) = caplog.records
    assert "cannot write to the store" in warning.message
    assert "what is computed is not stored" in warning.message


@pytest.mark.usefixtures("small_pieces")
def test_pieces_join_to_the_whole_run(store):
    experiment = Experiment.from_toml(TEXT)
    whole = experiment.run(progress=False)
    assert [len(piece) for piece in ExperimentPieces(experiment, store)] == [3, 3, 3, 1]
    for _ in range(2):
        complete, joined = run(experiment, store)
        assert complete
        assert joined == whole
        assert joined.requested == 10
    assert len(files(store)) == 4 * 2


@pytest.mark.usefixtures("small_pieces")
def test_only_what_is_new_is_computed(store):
    experiment = Experiment.from_toml(TEXT)
    run(experiment, store)
    before = files(store)

    def added(**changes):
        changed = experiment.replace(**changes)
        parts = [
            part
            for piece in ExperimentPieces(changed, store)
            for part in ExperimentPieces(changed, store).missing(piece)
        ]
        assert run(changed, store) == (True, changed.run(progress=False))
        return [([policy.name for policy in part.policies], part.replications) for part in parts]

    assert added(replications=8) == []
    assert added(replications=4) == []
    assert added(title="another", policies=["ucb1"]) == []
    assert files(store) == before
    assert added(replications=14) == [
        (["besa-plus", "ucb1"], range(10, 12)),  # the last piece had one replication
        (["besa-plus", "ucb1"], range(12, 14)),
    ]
    assert added(replications=5, policies=["besa", "ucb1"]) == [(["besa"], range(3)), (["besa"], range(3, 5))]
    assert added(replications=11, policies=["besa", "ucb1"]) == [
        (["besa"], range(5, 6)),
        (["besa"], range(6, 9)),
        (["besa"], range(9, 11)),
    ]


class Stopping:
    """A progress that presses Ctrl-C when it is time."""

    def __init__(self, is_time):
        self.is_time = is_time

    def __enter__(self):
        return self

    def say(self, text):
        pass

    def update(self, done):
        if self.is_time():
            raise KeyboardInterrupt

    def __exit__(self, *error):
        pass


@pytest.mark.usefixtures("small_pieces")
def test_a_stopped_run_continues_where_it_was(store, monkeypatch):
    experiment = Experiment.from_toml(TEXT)
    original, played = Part.play, []

    def slowly(part, monitor, *given):
        played.append(part.replications.start)
        while len(played) == 3 and not monitor.stopped[0]:  # the third waits to be stopped
            time.sleep(0.001)
        return original(part, monitor, *given)

    monkeypatch.setattr(Part, "play", slowly)
    complete, results = run(experiment, store, threads=1, progress=Stopping(lambda: len(played) == 3))
    assert not complete
    assert (len(results.replications), results.requested) == (6, 10)
    assert len(files(store)) == 2 * 2
    monkeypatch.setattr(Part, "play", original)
    assert run(experiment, store) == (True, experiment.run(progress=False))


@pytest.mark.usefixtures("small_pieces")
def test_a_damaged_piece_is_computed_again(store, caplog):
    experiment = Experiment.from_toml(TEXT)
    whole = experiment.run(progress=False)
    run(experiment, store)
    files(store)[0].write_bytes(b"damaged")
    assert pieces.results(experiment, store) == whole
    assert "damaged or was removed" in caplog.text
    assert len(files(store)) == 7, "the damaged file is gone"
    assert run(experiment, store) == (True, whole)
    assert len(files(store)) == 8


def test_what_cannot_be_read_as_pulls_is_computed_again(store):
    experiment = Experiment.from_toml(TEXT)
    parts = ExperimentPieces(experiment, store)
    for content in (b"no pulls", pack_pulls(np.ones((10, 2, 2), np.int32))):
        store.put(parts.key(0, 0, is_whole=False), content)
        assert parts.get(range(10)) is None
    assert run(experiment, store) == (True, parts.get(range(10))) == (True, experiment.run(progress=False))


@given(hnp.arrays(np.int32, st.tuples(*[st.integers(1, 5)] * 3), elements=st.integers(0, 2**31 - 1)))
def test_packed_pulls_are_the_same_pulls(pulls):
    assert (unpack_pulls(pack_pulls(pulls)) == pulls).all()


def test_the_key_tells_all_apart_that_matters():
    experiment = Experiment.from_toml(TEXT)
    key = key_of(experiment)
    assert key == key_of(experiment.replace(title="another name"))
    swapped = experiment.replace(arms=dict(reversed(experiment.arms.items())))
    for other in (
        experiment.replace(seed=6),
        experiment.replace(horizon=61),
        experiment.replace(value="cvar(alpha=0.1)"),
        experiment.replace(policies=["besa-plus(floor=2)", "ucb1"]),
        experiment.replace(steps="last"),
        swapped,
    ):
        assert key_of(other) != key
    with pytest.raises(ParameterError, match="needs a seed"):
        key_of(experiment.replace(seed=None))


@pytest.mark.parametrize("package", ["python", "primum", "numpy", "scipy", "numba"])
def test_versions_are_part_of_the_key(monkeypatch, package):
    experiment = Experiment.from_toml(TEXT)
    key, versions = key_of(experiment), fingerprints.versions()
    monkeypatch.setattr(fingerprints, "versions", lambda: versions | {package: versions[package] + ".post1"})
    assert key_of(experiment) != key


@pytest.mark.usefixtures("fresh_registry")
def test_a_foreign_plugin_is_part_of_the_key_wherever_it_takes_part():
    def made(number):
        @dataclass(frozen=True)
        class _Lowest(values.SafetyValue):
            name = "lowest"

            @staticmethod
            def estimate(sample):
                return np.min(sample) + number

        @dataclass(frozen=True)
        class _Low(rewards.Uniform):
            name = "low"

            def quantile(self, u):
                return super().quantile(u) / number

        @dataclass(frozen=True)
        class _First(policies.Policy):
            name = "first"

            @staticmethod
            def choose(history):
                return 0 * number

        experiment = Experiment.from_toml(TEXT)
        return [
            experiment.replace(value=_Lowest()),
            experiment.replace(arms={"a": rewards.Clipped(_Low(0, 2), 0, 1)}),
            experiment.replace(arms={"a": rewards.Mixture((rewards.Uniform(), _Low()), (0.5, 0.5))}),
            experiment.replace(policies=[_First()]),
        ]

    ones, again, twos = ([key_of(one) for one in made(number)] for number in (1, 1, 2))
    assert ones == again
    for one, two in zip(ones, twos, strict=True):
        assert one.pop("fingerprint") != two.pop("fingerprint")
        assert one == two


@pytest.mark.usefixtures("fresh_registry")
def test_the_own_value_of_a_policy_is_part_of_the_key():
    def made(number):
        @dataclass(frozen=True)
        class Inner(values.SafetyValue):
            @staticmethod
            def estimate(sample):
                return np.min(sample) + number

        return key_of(Experiment.from_toml(TEXT).replace(policies=[_Tied()]))

    assert made(1) == made(1) != made(2)


@dataclass(frozen=True)
class _Tied(policies.Policy):
    name = "tied"
    own_value = "inner"

    @staticmethod
    def choose(history):
        return 0


@pytest.mark.usefixtures("fresh_registry")
def test_a_plugin_that_cannot_be_determined_is_not_stored():
    scope = {"dataclass": dataclass, "SafetyValue": values.SafetyValue, "LOCK": LOCK, "__name__": "nowhere"}
    exec(
        "@dataclass(frozen=True)\nclass Nowhere(SafetyValue):\n    '''v'''\n    @staticmethod\n"
        "    def estimate(sample):\n        with LOCK: return sample[0]\n",
        scope,
    )
    experiment = Experiment.from_toml(TEXT).replace(value=scope["Nowhere"]())
    with pytest.raises(ParameterError, match=r"Nowhere.estimate > LOCK cannot be stored: what a _thread.lock holds is"):
        key_of(experiment)


def test_an_experiment_with_a_store_is_computed_once(tmp_path, monkeypatch):
    experiment = Experiment.from_toml(TEXT)
    first = experiment.run(store=tmp_path, threads=2, progress=False)
    assert first == experiment.run(progress=False)
    monkeypatch.setattr(Part, "play", None)  # nothing is played again
    assert experiment.run(store=tmp_path, progress=False) == first
    with pytest.raises(ParameterError, match="not stored on their own"):
        experiment.run(store=tmp_path, replications=range(1), progress=False)

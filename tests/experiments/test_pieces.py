"""Experiments in pieces: they join to the whole run, a stopped run continues, and keys tell apart what matters."""

from __future__ import annotations

import threading
from dataclasses import dataclass

import numpy as np
import pytest

from primum import policies, rewards, values
from primum.errors import ParameterError
from primum.experiments import Experiment, pieces
from primum.experiments.pieces import Pieces
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
    monkeypatch.setattr(pieces, "PIECE_STEPS", 60 * 2 * 3)


def files(store):
    return sorted(path for path in store.folder.rglob("*") if path.is_file())


def key_of(experiment, piece=range(3)):
    return Pieces(experiment, Store("never written")).key(piece)


@pytest.mark.usefixtures("small_pieces")
def test_pieces_join_to_the_whole_run(store):
    experiment = Experiment.from_toml(TEXT)
    whole = experiment.run(progress=False)
    assert [len(piece) for piece in Pieces(experiment, store)] == [3, 3, 3, 1]
    for _ in range(2):
        joined = pieces.run(experiment, store)
        assert joined == whole
        assert joined.requested == 10
    assert len(files(store)) == 4
    pieces.run(experiment.replace(replications=9), store)
    assert len(files(store)) == 4, "fewer replications are in the store already"


@pytest.mark.usefixtures("small_pieces")
def test_a_stopped_run_continues_where_it_was(store):
    experiment = Experiment.from_toml(TEXT)
    computed = []

    def stop_at_the_third(piece):
        computed.append(piece.start)
        if len(computed) == 3:
            raise KeyboardInterrupt
        return False

    with pytest.raises(KeyboardInterrupt):
        pieces.run(experiment, store, stop_at_the_third)
    assert len(files(store)) == 2
    files(store)[0].write_bytes(b"damaged")
    results = pieces.run(experiment, store, lambda piece: computed.append(piece.start) or False)
    assert len(computed) == 3 + 3, "the damaged piece and the two that were missing"
    assert results == experiment.run(progress=False)


def test_what_cannot_be_read_as_results_is_computed_again(store):
    experiment = Experiment.from_toml(TEXT)
    parts = Pieces(experiment, store)
    store.put(parts.key(range(10)), b"no results")
    assert parts.has(range(10))
    assert parts.get(range(10)) is None
    assert pieces.run(experiment, store) == parts.get(range(10)) == experiment.run(progress=False)


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

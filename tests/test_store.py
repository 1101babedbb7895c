"""The store: what is kept comes back, what is damaged does not, and a stopped run goes on."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest

from primum import Results, rewards, simulate, values
from primum.errors import ParameterError, PrimumError
from primum.experiments import Experiment, pieces
from primum.store import Store

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


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "store")


def files(store):
    return sorted(path for path in store.folder.rglob("*") if path.is_file())


def test_bytes_come_back_by_any_equal_key(store):
    store.put({"a": 1, "b": [1.5, "x"]}, b"content")
    assert store.get({"b": [1.5, "x"], "a": 1}) == b"content"
    assert store.get({"a": 1, "b": [1.5, "y"]}) is None
    assert Store(store.folder).get({"a": 1, "b": [1.5, "x"]}) == b"content"


def test_what_is_there_is_not_made_again(store):
    made = []
    for _ in range(2):
        assert store.made("key", lambda: made.append(1) or b"") == b""
    assert len(made) == 1


@pytest.mark.parametrize("damage", ["cut", "flip", "empty", "swap"])
def test_a_damaged_file_counts_as_missing(store, damage):
    store.put("key", b"content" * 100)
    store.put("other", b"other content")
    path = store._path(store_name("key"))
    whole = bytearray(path.read_bytes())
    if damage == "cut":
        whole = whole[:-1]
    elif damage == "flip":
        whole[len(whole) // 2] ^= 1
    elif damage == "empty":
        whole = bytearray()
    else:  # a sound file in the wrong place
        whole = store._path(store_name("other")).read_bytes()
    path.write_bytes(whole)
    assert store.get("key") is None
    assert store.made("key", lambda: b"again") == b"again"
    assert store.get("key") == b"again"


def store_name(key):
    from primum.store.content_store import _name

    return _name(key)


def test_a_store_that_cannot_be_written_is_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(PrimumError, match="cannot write to the store .*file"):
        Store(tmp_path / "file").put("key", b"")


def test_processes_share_a_folder(tmp_path):
    program = "from primum.store import Store\nfor i in range(50): Store('store').put(i, bytes(10_000 + i))"
    workers = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) for _ in range(2)]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert all(Store(tmp_path / "store").get(i) == bytes(10_000 + i) for i in range(50))
    assert len(files(Store(tmp_path))) == 50, "nothing partial is left"


def test_pieces_join_to_the_whole_run(store, monkeypatch):
    experiment = Experiment.from_toml(TEXT)
    whole = experiment.run(progress=False)
    monkeypatch.setattr(pieces, "PIECE", 60 * 2 * 3)
    assert [len(piece) for piece in pieces.pieces(experiment)] == [3, 3, 3, 1]
    for _ in range(2):
        assert pieces.run(experiment, store) == whole
    assert len(files(store)) == 4
    pieces.run(experiment.replace(replications=9), store)
    assert len(files(store)) == 4, "fewer replications are in the store already"


def test_a_stopped_run_goes_on_where_it_was(store, monkeypatch):
    experiment = Experiment.from_toml(TEXT)
    monkeypatch.setattr(pieces, "PIECE", 60 * 2 * 3)
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


def test_the_key_tells_all_apart_that_matters():
    experiment = Experiment.from_toml(TEXT)
    key = pieces.key_of(experiment, range(10))
    assert key == pieces.key_of(experiment.replace(title="another name"), range(10))
    swapped = experiment.replace(arms=dict(reversed(experiment.arms.items())))
    for other in (
        experiment.replace(seed=6),
        experiment.replace(horizon=61),
        experiment.replace(value="cvar(alpha=0.1)"),
        experiment.replace(policies=["besa-plus(floor=2)", "ucb1"]),
        experiment.replace(steps="last"),
        swapped,
    ):
        assert pieces.key_of(other, range(10)) != key
    with pytest.raises(ParameterError, match="needs a seed"):
        pieces.key_of(experiment.replace(seed=None), range(10))


@pytest.mark.usefixtures("fresh_registry")
def test_a_plugin_whose_source_is_unknown_is_not_kept():
    scope = {"dataclass": dataclass, "SafetyValue": values.SafetyValue, "__name__": "nowhere"}
    exec(
        "@dataclass(frozen=True)\nclass Nowhere(SafetyValue):\n    '''v'''\n    @staticmethod\n"
        "    def estimate(sample):\n        return sample[0]\n",
        scope,
    )
    experiment = Experiment.from_toml(TEXT).replace(value=scope["Nowhere"]())
    with pytest.raises(ParameterError, match="source of Nowhere is not known"):
        pieces.key_of(experiment, range(3))


@pytest.mark.usefixtures("fresh_registry")
def test_the_source_of_another_package_is_part_of_the_key():
    @dataclass(frozen=True)
    class Lowest(values.SafetyValue):
        """The lowest."""

        @staticmethod
        def estimate(sample):
            return np.min(sample)

    ours = pieces.key_of(Experiment.from_toml(TEXT), range(3))["sources"]
    arms = {"a": rewards.Clipped(rewards.Uniform(0, 2), 0, 1)}
    theirs = pieces.key_of(Experiment.from_toml(TEXT).replace(value=Lowest(), arms=arms), range(3))["sources"]
    assert len(ours) == 1
    assert theirs[:1] == ours
    assert len(theirs) == 2


def test_only_pieces_of_one_run_join():
    problem = Experiment.from_toml(TEXT).problem()

    def run(numbers, seed=1):
        return simulate(problem, ["ucb1"], horizon=20, replications=numbers, seed=seed, progress=False)

    with pytest.raises(PrimumError, match="do not join"):
        Results.joined([run(range(2)), run(range(2, 4), seed=2)])
    with pytest.raises(PrimumError, match="none of them twice"):
        Results.joined([run(range(2)), run(range(1, 4))])
    with pytest.raises(PrimumError, match="no results"):
        Results.joined([])
    for wrong in (range(0), range(3, 1), range(0, 9, 2), range(-1, 2)):
        with pytest.raises(ParameterError, match="replications must be an ascending range"):
            run(wrong)


def test_trimming_keeps_what_was_used_last(store):
    for age, key in enumerate("abcd"):
        store.put(key, bytes(1000))
        path = store._path(store_name(key))
        os.utime(path, ns=(0, age))
    assert store.get("a") is not None, "now it is the one used last"
    store.trim(2 * (1000 + 32))
    assert [store.has(key) for key in "abcd"] == [True, False, False, True]
    store.trim(10_000)
    assert len(files(store)) == 2
    store.trim(0)
    assert files(store) == []


def test_trimming_leaves_alone_what_is_being_written(store):
    store.put("key", b"content")
    partial = store._path(store_name("key")).with_name(".0.partial")
    partial.write_bytes(b"half")
    store.trim(0)
    assert files(store) == [partial]
    Store(store.folder / "nowhere").trim(0)


def test_processes_trim_while_others_write(tmp_path):
    program = (
        "from primum.store import Store\n"
        "for i in range(100):\n    Store('store').put(i, bytes(1000))\n    Store('store').trim(5000)"
    )
    workers = [subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path) for _ in range(2)]
    assert [worker.wait() for worker in workers] == [0, 0]
    assert 1 <= len(files(Store(tmp_path))) <= 5

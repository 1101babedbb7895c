"""Results say which code made them: in files, tables, arrays and words, and when they are put together."""

from __future__ import annotations

import io
import json
import shutil
import threading
import warnings
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas
import pytest
import xarray

import primum
from primum import Problem, Results, Study, policies, rewards, simulate, trials, values
from primum.arena.table import Cell, PairRow, PolicyRow, Table
from primum.errors import PrimumError
from primum.results import side_by_side
from primum.results.formats.netcdf import pack
from primum.store import fingerprints
from primum.text import csv_of

ARMS = {"a": rewards.Constant(0.4), "b": rewards.Uniform(0, 1)}
PROBLEM = Problem(ARMS, values.Mean())
OLDER = "0123456789abcdef" * 4


def made(numbers=(0, 1), problem=PROBLEM, **changes):
    """Made-up results; with a fingerprint, they are of that code."""
    numbers = list(numbers)
    pulls = np.full((1, len(numbers), 1, 2), 5)
    if "fingerprint" in changes:
        changes = {"versions": fingerprints.versions()} | changes
    return Results(problem, [policies.Ucb1()], 10, 1, [10], numbers, pulls, **changes)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A copy of the package that a test may change, as that of a new process."""
    copy = tmp_path / "primum"
    shutil.copytree(fingerprints.PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__", "static"))
    monkeypatch.setattr(fingerprints, "PACKAGE", copy)
    fingerprints._sources.cache_clear()
    yield copy
    fingerprints._sources.cache_clear()


def rewritten(package, old, new):
    file = package / "kernels/streams.py"
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    fingerprints._sources.cache_clear()


def test_the_code_of_a_kernel_changes_the_fingerprint_and_a_comment_does_not(package):
    before = made().fingerprint
    rewritten(package, "\n\n", "\n# a comment\n\n\n")
    assert made().fingerprint == before
    rewritten(package, "53", "52")
    assert made().fingerprint != before


def own_value(weight, held=None):
    @dataclass(frozen=True)
    class Weighted(values.SafetyValue):
        by: ClassVar = weight
        lock: ClassVar = held

        @staticmethod
        def estimate(sample):
            return sample.mean()

    return Weighted()


def test_the_code_of_a_plug_in_counts():
    first, again, other = (made(problem=Problem(ARMS, own_value(weight))).fingerprint for weight in (1, 1, 2))
    assert first == again
    assert len({first, other, made().fingerprint}) == 3


def test_a_plug_in_whose_source_is_not_known_makes_the_fingerprint_unknown():
    results = made(problem=Problem(ARMS, own_value(1, threading.Lock())))
    assert results.fingerprint == "unknown"
    assert repr(results).endswith(f"Primum {primum.__version__}, code unknown>")


def test_a_simulation_says_what_made_it_wherever_it_goes(tmp_path):
    results = simulate(PROBLEM, ["ucb1"], horizon=20, replications=2, seed=1, progress=False)
    assert results.fingerprint == fingerprints.results()
    marks = {"primum_version": primum.__version__, "fingerprint": results.fingerprint}
    for array in (results.pulls, results.regret, results.stuck):
        assert marks.items() <= array.attrs.items()
    assert results.summary().attrs == marks
    row = pandas.read_csv(io.StringIO(csv_of(results.summary().reset_index()))).iloc[0]
    assert dict(row[list(marks)]) == marks
    results.save(tmp_path / "run.nc")
    assert marks.items() <= xarray.load_dataset(tmp_path / "run.nc")["pulls"].attrs.items()
    assert Results.load(tmp_path / "run.nc").fingerprint == results.fingerprint


def test_results_of_other_code_load_in_silence_and_keep_its_fingerprint():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        loaded = Results.from_bytes(made(fingerprint=OLDER).to_bytes())
    assert loaded == made()
    assert loaded.fingerprint == OLDER
    assert repr(loaded).endswith("code 0123456789ab>")


def test_files_without_a_fingerprint_load():
    older = pack(made().pulls, {"spec": made().spec(), "versions": {"primum": "0.1.0"}})
    loaded = Results.from_bytes(older)
    assert loaded == made()
    assert loaded.regret.attrs["primum_version"] == "0.1.0"
    assert loaded.fingerprint == "unknown"


@pytest.mark.parametrize("wrong", ["", "0123", OLDER + ",", OLDER.upper(), "unknown unknown", None, 7])
def test_a_fingerprint_that_is_none_is_refused(wrong):
    about = {"spec": made().spec(), "versions": {}, "fingerprint": wrong}
    with pytest.raises(PrimumError, match=r"the content does not fit .* the fingerprint must have 64 hexadecimal"):
        Results.from_bytes(pack(made().pulls, about))


def test_joining_results_of_different_code_says_so():
    said = f"joined results were computed by different code: fingerprints 0123456789ab, {made().fingerprint[:12]}"
    with pytest.warns(UserWarning, match=said):
        whole = Results.joined([made([0], fingerprint=OLDER), made([1])])
    assert whole.fingerprint == f"{OLDER}, {made().fingerprint}"
    assert Results.from_bytes(whole.to_bytes()).fingerprint == whole.fingerprint
    with pytest.warns(UserWarning, match=said):
        again = Results.joined([whole, made([2])])
    assert again.fingerprint == whole.fingerprint
    with pytest.warns(UserWarning, match="different code: fingerprints unknown, 0123456789ab"):
        Results.joined([made([0], fingerprint="unknown"), made([1], fingerprint=OLDER)])


def test_results_of_different_code_side_by_side_say_so():
    with pytest.warns(UserWarning, match="results side by side were computed by different code: fingerprints 0123"):
        regret = side_by_side({"old": made(fingerprint=OLDER), "new": made()}, lambda one: one.regret)
    assert regret.attrs["fingerprint"] == f"{OLDER}, {made().fingerprint}"


def test_a_plug_in_in_one_of_two_environments_is_no_different_code():
    other = made(problem=Problem(ARMS, own_value(1)))
    assert other.fingerprint != made().fingerprint
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        side_by_side({"own": other, "ours": made()}, lambda one: one.regret)


def test_a_study_says_what_made_it(tmp_path):
    arms = {"a": rewards.Constant(0.4), "b": rewards.Bernoulli(0.5)}
    study = Study(
        problems={"own": Problem(arms, own_value(1)), "ours": Problem(arms, values.Mean())},
        policies=["ucb1"],
        horizon=5,
        replications=2,
        seed=1,
    )
    found = study.run(store=tmp_path, progress=False)
    fingerprint = ", ".join(one.fingerprint for _, one in found)
    assert fingerprint.count(",") == 1
    marks = {"primum_version": primum.__version__, "fingerprint": fingerprint}
    assert found.regret.attrs == found.table().attrs == marks


def test_operating_characteristics_say_what_made_them():
    design = trials.Design(
        arms=["control", "new"],
        patients=6,
        policy=policies.UniformRandom(),
        analysis=trials.PooledZ(sided="greater", critical=1.645),
    )
    scenario = [rewards.Bernoulli(0.3), rewards.Bernoulli(0.5)]
    oc = trials.operate({"equal": design}, {"effect": scenario}, replications=2, seed=7, progress=False)
    fingerprint = fingerprints.results((), fingerprints.TRIAL_PATHS)
    assert oc.data.attrs == oc.table().attrs == {"primum_version": primum.__version__, "fingerprint": fingerprint}
    assert repr(oc).endswith(f"seed 7; Primum {primum.__version__}, code {fingerprint[:12]}>")


def test_the_table_of_the_arena_keeps_its_fingerprint():
    cell = Cell("pair", "ucb1", 10, 2, 1.0, 0.1, 0, 1.0)
    pair, policy = PairRow("Pair", "Class", "Mean", "mean"), PolicyRow("UCB1", False)
    table = Table((cell,), {"pair": pair}, {"ucb1": policy}, 1, {"primum": "0.2.0"}, OLDER)
    assert Table.from_json(table.to_json()) == table
    older = json.loads(table.to_json())
    del older["fingerprint"]
    assert Table.from_json(json.dumps(older)).fingerprint == "unknown"

"""Native code of users' functions: kept where all that it depends on is known, and never that of other code."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from primum.kernels.native import native_cache
from primum.store.compiled_code import code_digest

PROGRAM = """
import numpy as np
import primum
from primum import rewards, values
from primum.kernels.native import compiling

SHARE = {share}


class WorstShare(values.SafetyValue):
    @staticmethod
    def estimate(sample):
        return np.sort(sample)[: max(1, int(sample.size * SHARE))].mean(){more}


problem = primum.Problem({{"a": rewards.Uniform(0, 1), "b": rewards.Constant(0.4)}}, WorstShare())
results = primum.simulate(problem, ["ucb1", "besa-plus"], horizon=60, replications=4, seed=1, progress=False)
native = compiling.native(WorstShare.estimate, "estimate", 0, "worst-share")
print(native._cache_hits, results.pulls.values[1].sum(axis=(0, 1)).tolist())
"""


@pytest.fixture
def run(tmp_path):
    """Run the program with a cache of its own, that has our own functions if they are in the common one."""
    ours, folder = native_cache.folder(), tmp_path / "cache" / "native-code"
    if ours.exists():
        shutil.copytree(ours, folder / ours.name)

    def program(share=0.3, more=""):
        file = tmp_path / "own.py"
        file.write_text(PROGRAM.format(share=share, more=more))
        environment = {**os.environ, "PRIMUM_CACHE": str(tmp_path / "cache")}
        done = subprocess.run([sys.executable, file], capture_output=True, text=True, env=environment, check=True)
        assert not done.stderr
        hits, pulls = done.stdout.strip().split(" ", 1)
        return int(hits), pulls

    return program


def test_a_second_process_does_not_compile_and_a_change_is_never_served_old_code(run):
    first, again = run(), run()
    assert (first[0], again[0]) == (0, 1)
    assert again[1] == first[1]
    other = run(share=0.9)  # a global that it uses
    assert other[0] == 0
    assert other[1] != first[1]
    changed = run(more=" + 2 * sample.std()")  # its own source
    assert changed[0] == 0
    assert changed[1] != first[1]
    assert run() == (1, first[1])


LEVEL, TABLE = 0.5, np.array([1.0, 2.0])


def helper(x):
    return x


def plain(sample):
    return sample[0] * LEVEL


def of_array(sample):
    return TABLE[0] * sample.mean()


def calls_another(sample):
    return helper(sample[0])


def has_inner(sample):
    def inner(x):
        return x

    return inner(sample[0])


def unknown_name(sample):
    return nowhere(sample)  # noqa: F821


def test_what_a_function_uses_is_in_its_digest(monkeypatch):
    for function, name, other in (
        (plain, "LEVEL", 0.6),
        (plain, "LEVEL", 1),
        (of_array, "TABLE", np.array([1.0, 3.0])),
    ):
        before = code_digest(function)
        assert before == code_digest(function)
        with monkeypatch.context() as changed:
            changed.setitem(function.__globals__, name, other)
            assert code_digest(function) not in (None, before)
    assert code_digest(plain) != code_digest(of_array)


@pytest.mark.parametrize("function", [calls_another, has_inner, unknown_name], ids=lambda one: one.__name__)
def test_what_depends_on_anything_else_is_not_kept(function):
    assert code_digest(function) is None


def test_what_has_no_source_or_a_list_is_not_kept(monkeypatch):
    scope = {}
    exec("def made(sample):\n    return sample[0]", scope)
    assert code_digest(scope["made"]) is None
    monkeypatch.setitem(plain.__globals__, "LEVEL", [1])
    assert code_digest(plain) is None


def test_variables_of_scopes_around_count():
    def make(weight):
        def estimate(sample):
            return weight * sample[0]

        return estimate

    assert code_digest(make(1.0)) not in (None, code_digest(make(2.0)))
    assert code_digest(make(1.0)) == code_digest(make(1.0))

"""Where native code is kept: under its fingerprint, in few folders, and in a temporary one if need be."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from primum import policies, values
from primum.kernels import compiling, value_of_subsample
from primum.kernels.contract import Histories, history_of

RUN = """
import primum
problem = primum.Problem({"a": "bernoulli(probability=0.5)", "b": "constant(value=0.4)"}, "mean")
results = primum.simulate(problem, ["uniform-random"], horizon=50, replications=2, seed=1, progress=False)
from primum.kernels import compiling
print(compiling._prepare(), results.pulls.values[0, 0, -1].tolist())
"""


def run(cache):
    environment = os.environ | {"PRIMUM_CACHE": str(cache)}
    done = subprocess.run([sys.executable, "-c", RUN], capture_output=True, text=True, check=True, env=environment)
    assert done.stderr == ""
    folder, pulls = done.stdout.split(maxsplit=1)
    return folder, pulls


@pytest.mark.slow
def test_native_code_is_kept_for_the_next_process(tmp_path):
    folder, first = run(tmp_path)
    assert folder.startswith(str(tmp_path))
    kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")}
    assert kept
    assert run(tmp_path) == (folder, first)
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")} == kept, "compiled again"


@pytest.mark.slow
def test_few_folders_of_other_fingerprints_are_kept(tmp_path):
    for i in range(15):
        (tmp_path / "native" / f"old{i}").mkdir(parents=True)
    folder, _ = run(tmp_path)
    left = [path.name for path in (tmp_path / "native").iterdir()]
    assert len(left) == 10
    assert os.path.basename(folder) in left


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    folder, pulls = run(blocked)
    assert not folder.startswith(str(tmp_path))
    assert pulls == run(tmp_path / "fine")[1]


def look(histories, out):
    out[0] = value_of_subsample(history_of(histories, 0), 0, 2)


def test_a_function_that_was_not_connected_is_a_fault_and_no_crash():
    """uniform-random looks at no value, so nothing that evaluates one is compiled for it."""
    histories = Histories(1, 1, 5, 5, values.Mean(), policies.UniformRandom())
    compiling.connect(histories)
    histories.begin(0, [0])
    histories.arrays["rewards"][0, 0] = 0.5
    histories.arrays["pulls"][0, 0] = 5
    out = np.zeros(1)
    compiling.compiled(look)(histories.words, out)
    assert np.isnan(out[0])
    assert histories[0].fault == -1

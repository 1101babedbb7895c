"""The same seed and versions give the same numbers on every processor."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import primum
from primum import policies, values
from tests.campaigns import processors
from tests.problems import POLICIES, VALUES

PACKAGE = Path(primum.__file__).parent
OLD = "x86-64 without AVX and FMA"
ROUNDED_ANYHOW = {"log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "pow", "sin", "cos", "tan", "tanh", "cbrt"}
REPRESENTATIVE = [
    (policies.KlUcb(), values.Mean()),  # logarithms and exponentials at each decision
    (policies.RaUcb(), values.Entropic(theta=1.0)),
    (policies.Npts(), values.Spectral(aversion=5.0)),  # exponential variates
    (policies.EpsilonGreedy(), values.LowerPartialMoment(target=0.8, order=0.5, weight=2.0)),  # powers
    (policies.BesaPlus(), values.Formula("gini - std * entropic(1)")),
]


@pytest.mark.slow
def test_an_old_processor_gives_the_same_numbers():
    pairs = [(POLICIES.index(policy), VALUES.index(value)) for policy, value in REPRESENTATIVE]
    processors.compare(pairs, [OLD])


def test_an_old_processor_draws_the_same_rewards():
    source = "import sys; from tests.test_processors import drawn; sys.stdout.buffer.write(drawn())"
    environment = {**os.environ, **processors.KINDS[OLD][1]}
    root = Path(__file__).parents[1]
    done = subprocess.run([sys.executable, "-c", source], cwd=root, env=environment, capture_output=True, check=True)
    ours, theirs = (np.frombuffer(numbers).reshape(len(processors.ARMS), -1) for numbers in (drawn(), done.stdout))
    different = (ours != theirs).any(axis=1)
    assert not different.any(), [name for name, is_other in zip(processors.ARMS, different, strict=True) if is_other]


def drawn() -> bytes:
    """Rewards of every arm."""
    uniforms = np.random.default_rng(3).random(20_000)
    return b"".join(np.asarray(arm.quantile(uniforms), np.float64).tobytes() for arm in processors.ARMS.values())


@pytest.mark.parametrize("folder", ["kernels", "policies", "values"])
def test_nothing_native_uses_functions_of_the_c_library(folder):
    files = sorted((PACKAGE / folder).glob("*.py"))
    assert files
    for file in files:
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
                where = f"{file.name}, line {node.lineno}"
                assert node.attr not in ROUNDED_ANYHOW, f"{where}: take {node.attr} from primum.kernels.elementary"

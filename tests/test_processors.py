"""The same seed and versions give the same numbers on every processor."""

from __future__ import annotations

import math
import operator
import os
import subprocess
import sys
from math import log as natural_logarithm
from pathlib import Path

import numpy as np
import numpy as numbers
import pytest

from primum import policies, values
from primum.kernels import engine, exp, log
from primum.trials.simulation import engine as trial_engine
from tests.campaigns import processors
from tests.problems import POLICIES, VALUES
from tests.rounding import native_functions, unlike

OLD = "x86-64 without AVX and FMA"
FUNCTIONS = (math.tanh,)
REPRESENTATIVE = [
    (policies.KlUcb(), values.LowerPartialMoment(target=0.8, order=0.5, weight=2.0)),  # logarithms and powers
    (policies.RaUcb(), values.Entropic(theta=1.0)),  # logarithms and exponentials at each decision
    (policies.Npts(), values.Spectral(aversion=5.0)),  # exponential variates
    (policies.EpsilonGreedy(), values.Mean()),
    (policies.BesaPlus(), values.Formula("gini - std * entropic(1)")),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    "compared", [REPRESENTATIVE[:1], pytest.param(REPRESENTATIVE[1:], marks=pytest.mark.long)], ids=["short", "long"]
)
def test_an_old_processor_gives_the_same_numbers(compared):
    pairs = [(POLICIES.index(policy), VALUES.index(value)) for policy, value in compared]
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


def test_native_code_uses_only_functions_that_all_processors_round_alike():
    """Those of C libraries differ in the last digit; log, exp and power are in primum.kernels.elementary."""
    functions = native_functions()
    assert {policies.KlUcb.choose, values.Entropic.estimate, exp, engine.play, trial_engine.play} <= set(functions)
    assert list(unlike(functions)) == []


def with_inner(x):
    def inner(y):
        return np.log(y)

    return inner(x)


@pytest.mark.parametrize(
    ("function", "found"),
    [
        (lambda x: math.log(x), math.log),
        (lambda x: np.log(x), np.log),
        (lambda x: natural_logarithm(x), math.log),
        (lambda x: numbers.exp(x), np.exp),
        (lambda x: FUNCTIONS[0](x), math.tanh),
        (with_inner, np.log),
        (lambda x: np.dot(x, x), np.dot),
        (lambda x: x @ x, operator.matmul),
        (lambda x, f=math.log: f(x), math.log),
        (lambda x: x**0.5, pow),
        (lambda x, y: x**y, pow),
        (lambda x: pow(x, 0.5), pow),
    ],
)
def test_other_functions_are_found_by_what_names_stand_for(function, found):
    assert list(unlike([function])) == [(function.__qualname__, found)]


@pytest.mark.parametrize("other", [math.log, np.log])
def test_another_logarithm_in_a_policy_is_found_under_the_same_name(other, monkeypatch):
    monkeypatch.setattr(sys.modules["primum.policies.ucb1"], "log", other)
    assert list(unlike(native_functions())) == [("Ucb1.choose", other)]


def test_square_roots_and_squares_are_not_reported():
    assert list(unlike([lambda x: math.sqrt(x) + np.floor(x) ** 2 + log(x)])) == []

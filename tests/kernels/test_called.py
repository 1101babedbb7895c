"""The functions that native code calls are objects: what a user's function is called breaks nothing."""

from __future__ import annotations

import random
import types
from collections import namedtuple
from random import random as draw

import numba
import numpy as np
import pytest
from numpy.random import normal

import primum
from primum import checks, policies
from primum.errors import CompilationError
from primum.kernels import below, best_score, kernel, opening, value_of, value_of_subsample

ARMS = {"a": "uniform", "b": "bernoulli(probability=0.3)"}
HELPER = """
from primum import policies
from primum.kernels import best_score, kernel, opening, value_of, value_of_subsample


@kernel
def index(history, arm):
    return {index}


class {name}(policies.Policy):
    @staticmethod
    def choose(history):
        arm = opening(history, 1)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            history.scores[k] = index(history, k)
        return best_score(history)
"""


def simulate(policy, value="mean"):
    problem = primum.Problem(ARMS, value)
    return primum.simulate(problem, [policy], horizon=30, replications=4, seed=1, progress=False)


def player(choice, **attributes):
    return type("_Player", (policies.Policy,), {"name": "player", "choose": staticmethod(choice)} | attributes)()


@pytest.mark.parametrize("policy", ["besa", "besa-plus"])
def test_a_users_kernel_may_have_the_name_of_one_of_ours(policy):
    before = simulate(policy)

    @kernel
    def duel(x):
        return x

    @kernel
    def value_of_subsample(x):
        return x

    assert simulate(policy) == before


@pytest.mark.parametrize("value", ["mean", "cvar"])
def test_a_users_kernel_that_is_refused_is_refused_where_it_is_called_only(value):
    before = simulate("npts", value)

    @kernel
    def weighted(x):
        return x + np.random.random()  # noqa: NPY002

    assert simulate("npts", value) == before
    with pytest.raises(CompilationError, match=r"player\.choose cannot be compiled: it uses `random`"):
        simulate(player(lambda history: int(weighted(0.0) > 0.5)))


def certain(history):
    arm = opening(history, 1)
    if arm >= 0:
        return arm
    for k in range(history.arms):
        history.scores[k] = value_of(history, k)
    return best_score(history)


def sampling(history):
    arm = opening(history, 1)
    if arm >= 0:
        return arm
    for k in range(history.arms):
        history.scores[k] = value_of_subsample(history, k, 1)
    return best_score(history)


def test_two_files_may_have_helpers_of_the_same_name(tmp_path):
    written = {"sampling": "value_of_subsample(history, arm, 1)", "certain": "value_of(history, arm)"}
    for name, index in written.items():
        (tmp_path / f"{name}.py").write_text(HELPER.format(name=name.title(), index=index))
    (first,), (second,) = (checks.load(str(tmp_path / f"{name}.py")) for name in written)
    assert (simulate(first).pulls.values == simulate(player(sampling)).pulls.values).all()
    assert (simulate(second).pulls.values == simulate(player(certain)).pulls.values).all()


@kernel
def scored(history, arm, score=value_of_subsample):
    return score(history, arm, 1)


def test_a_helper_may_have_a_kernel_as_default():
    def choose(history):
        arm = opening(history, 1)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            history.scores[k] = scored(history, k)
        return best_score(history)

    assert (simulate(player(choose)).pulls.values == simulate(player(sampling)).pulls.values).all()


def test_a_function_inside_a_function_may_call_kernels():
    def choose(history):
        arm = opening(history, 1)
        if arm >= 0:
            return arm

        def score(k):
            return value_of_subsample(history, k, 1)

        for k in range(history.arms):
            history.scores[k] = score(k)
        return best_score(history)

    assert (simulate(player(choose)).pulls.values == simulate(player(sampling)).pulls.values).all()


def with_inner(history):
    def flip(k):
        return np.random.random() + k  # noqa: NPY002

    return int(flip(0.0) > 0.5)


@kernel
def own_number():
    return np.random.random()  # noqa: NPY002


@kernel
def by_default(draw=own_number):
    return draw()


def by_another_name(history):
    module = np
    return int(module.random.random() > 0.5)


@pytest.mark.parametrize(
    "choose",
    [
        lambda history: int(normal() > 0),  # noqa: NPY002
        lambda history: int(draw() > 0.5),
        lambda history: random.randint(0, 1),
        lambda history: int(getattr(np, "random").normal() > 0),  # noqa: B009
        with_inner,
        by_another_name,
        lambda history: int(by_default() > 0.5),
    ],
)
def test_random_numbers_of_their_own_are_found_by_what_they_are(choose):
    with pytest.raises(CompilationError, match=r"player\.choose cannot be compiled: it uses `random`"):
        simulate(player(choose))


def test_a_function_may_be_called_random(monkeypatch):
    own = types.ModuleType("own")
    own.random = below
    monkeypatch.setitem(globals(), "own", own)
    pulls = simulate(player(lambda history: own.random(history.stream, 2))).pulls.values
    assert (pulls == simulate(player(lambda history: below(history.stream, 2))).pulls.values).all()


@numba.njit
def unchecked(x):
    return x


@numba.vectorize
def vectorised(x):
    return x


@numba.extending.register_jitable
def registered(x):
    return x


def plain(x):
    return x


FUNCTIONS = (unchecked, unchecked)
NAMED = namedtuple("Functions", "first second")(unchecked, unchecked)


def in_an_inner_function(history):
    def call(x):
        return unchecked(x)

    return call(0)


@pytest.mark.parametrize(
    ("choose", "named"),
    [
        (lambda history: int(vectorised(0.0)), "vectorised"),
        (lambda history: registered(0), "registered"),
        (lambda history: plain(0), "plain"),
        (lambda history: FUNCTIONS[0](0), "unchecked"),
        (lambda history: NAMED.first(0), "unchecked"),
        (in_an_inner_function, "unchecked"),
    ],
    ids=["vectorised", "registered", "plain", "tuple", "named tuple", "inner function"],
)
def test_helpers_without_checks_are_found_wherever_they_are(choose, named):
    said = f"it calls {named}, whose indices are not checked; mark {named} with @kernel"
    with pytest.raises(CompilationError, match=rf"player\.choose cannot be compiled: {said}"):
        simulate(player(choose))

"""SciPy in processes that can be stopped: the same numbers, and an end to whatever takes too long."""

from __future__ import annotations

import os
import signal
import threading
import time
from functools import partial

import numpy as np
import pytest

from primum import Problem, policies, rewards, simulate
from primum.errors import InvalidInput, ParameterError
from primum.lab import shared_arms
from primum.lab.drafts import preview
from primum.lab.drafts.preview import preview as previewed
from primum.lab.http.schemas import Question
from primum.lab.sandbox import sandbox as module
from primum.lab.sandbox.sandbox import NUMBERS_PER_REQUEST, Sandbox, allowance
from primum.lab.sandbox.trial import needs_trial, try_out
from primum.plugins import registry
from primum.rewards import Scipy
from primum.rewards.scipy import Frozen, evaluate_here, evaluated_by
from primum.runs.processor_time import processor_seconds
from primum.store.lru_cache import LruCache

from .questions import data

pytestmark = pytest.mark.slow

NORMAL = Frozen("norm", (), 0.0, 1.0)
NEVER_ENDS = Frozen("nct", (1.0, 1e9), 0.0, 1.0)
TAKES_GIGABYTES = Frozen("zipf", (1.01,), 0.0, None)


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(processes=1) as sandbox:
        sandbox.evaluate(NORMAL, "mean")
        yield sandbox


@pytest.fixture
def short(monkeypatch):
    monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 0.2)
    monkeypatch.setattr(preview, "_looks", LruCache(5))
    monkeypatch.setattr(preview, "_values", LruCache(5))


def process_of(sandbox: Sandbox) -> int:
    worker = sandbox._idle.get()
    sandbox._idle.put(worker)
    return worker._process.pid


@pytest.mark.parametrize(
    "arm",
    [
        Scipy("norm", location=0.5, scale=0.1),
        Scipy("gamma", [2.5]),
        Scipy("poisson", [3]),
        rewards.Mixture([Scipy("beta", [0.7, 3]), Scipy("expon")]),
        rewards.Scaled(Scipy("binom", [10, 0.3]), 0, 1),
    ],
    ids=str,
)
def test_rewards_are_the_same_bytes(sandbox, arm):
    run = partial(simulate, policies=[policies.EpsilonGreedy()], horizon=300, replications=20, seed=1, progress=False)
    here = run(Problem({"a": arm, "b": rewards.Uniform()}, "mean-variance"))
    with evaluated_by(sandbox.evaluate):
        twin = registry.build("rewards", arm.spec())
        there = run(Problem({"a": twin, "b": rewards.Uniform()}, "mean-variance"))
        u = np.random.default_rng(2).random((3, NUMBERS_PER_REQUEST))
        assert twin.quantile(u).tobytes() == arm.quantile(u).tobytes()
    assert there.pulls.values.tobytes() == here.pulls.values.tobytes()
    assert there.regret.values.tobytes() == here.regret.values.tobytes()


def test_any_shape_of_array(sandbox):
    for u in (0.3, [], [0.3], np.full((2, 1, 3), 0.3), np.full(2 * NUMBERS_PER_REQUEST + 1, 0.3)):
        np.testing.assert_array_equal(sandbox.evaluate(NORMAL, "ppf", u), evaluate_here(NORMAL, "ppf", np.array(u)))


def test_what_scipy_raises_is_the_same_sentence(sandbox):
    sentences = []
    for evaluate in (sandbox.evaluate, evaluate_here):
        with pytest.raises(ParameterError) as caught:
            evaluate(Frozen("irwinhall", (1e300,), 0.0, 1.0), "ppf", 0.5)
        sentences.append(str(caught.value))
    assert sentences[0] == sentences[1]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("frozen", [NEVER_ENDS, TAKES_GIGABYTES], ids=["time", "memory"])
def test_what_takes_too_much_is_stopped_and_others_go_on(sandbox, frozen, monkeypatch):
    if frozen is TAKES_GIGABYTES:
        monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 60.0)
    before = process_of(sandbox)
    with pytest.raises(ParameterError) as caught:
        sandbox.evaluate(frozen, "ppf", 1 - 2.0**-53)
    assert f"'{frozen.name}' with shapes={list(frozen.shapes)}" in str(caught.value)
    assert " s or more than 1 GB of memory to evaluate; use less extreme parameters, or fewer parts" in str(
        caught.value
    )
    with pytest.raises(ProcessLookupError):
        os.kill(before, 0)
    assert sandbox.evaluate(NORMAL, "mean") == 0


def test_a_process_that_somebody_ended_is_replaced(sandbox):
    os.kill(process_of(sandbox), signal.SIGKILL)
    os.waitid(os.P_PID, process_of(sandbox), os.WEXITED | os.WNOWAIT)
    assert sandbox.evaluate(NORMAL, "mean") == 0


def test_a_crash_is_a_sentence(sandbox):
    stopped = threading.Timer(0.3, lambda: os.kill(process, signal.SIGSEGV))
    process = process_of(sandbox)
    stopped.start()
    with pytest.raises(ParameterError, match="'nct' with shapes=.* makes SciPy crash"):
        sandbox.evaluate(NEVER_ENDS, "ppf", 0.5)


def test_one_that_only_waits_is_ended_too(sandbox, monkeypatch):
    monkeypatch.setattr(module, "REPLY_LIMIT_SECONDS", 0.3)
    os.kill(process_of(sandbox), signal.SIGSTOP)
    with pytest.raises(ParameterError, match="'norm' with .* takes longer than"):
        sandbox.evaluate(NORMAL, "mean")
    monkeypatch.undo()
    assert sandbox.evaluate(NORMAL, "mean") == 0


def test_the_limit_holds_for_all_requests_of_an_allowance(sandbox, monkeypatch):
    slow, u = Frozen("argus", (1.0,), 0.0, 1.0), np.linspace(0.1, 0.9, 20)
    monkeypatch.setattr(module, "TIME_LIMIT_SECONDS", 0.5)
    began = processor_seconds()

    def forever():
        with allowance():
            while True:
                sandbox.evaluate(slow, "ppf", u)  # some hundredths of a second each

    with pytest.raises(ParameterError, match="takes longer than 0.5 s"):
        forever()
    assert processor_seconds() - began >= 0.4
    assert sandbox.evaluate(NORMAL, "mean") == 0


def test_an_allowance_in_another_is_part_of_it(sandbox):
    with allowance():
        module._allowance.left = 0.0
        with allowance(), pytest.raises(ParameterError, match="takes longer than 2 s"):
            sandbox.evaluate(NORMAL, "mean")
        assert module._allowance.left == 0
    assert sandbox.evaluate(NORMAL, "mean") == 0


def test_an_arm_after_others_that_took_long_is_not_refused_for_good(sandbox, monkeypatch):
    monkeypatch.setattr(module, "_current", sandbox)
    large = registry.build("rewards", {"name": "mixture", "components": ["uniform"] * 12})
    with allowance():
        module._allowance.left = 0.0
        with pytest.raises(ParameterError, match="was not evaluated, because earlier arms used up the 2 s limit"):
            shared_arms.shared(large)
    assert shared_arms.shared(large) is large


def test_no_place_is_lost_when_a_process_cannot_be_started(monkeypatch):
    with Sandbox(processes=1) as sandbox:
        with monkeypatch.context() as patch:
            patch.setattr(module, "_Worker", lambda _: (_ for _ in ()).throw(OSError("no more processes")))
            with pytest.raises(OSError, match="no more processes"):
                sandbox.evaluate(NORMAL, "mean")
        assert sandbox.evaluate(NORMAL, "mean") == 0


def test_processor_time_of_other_processes_counts(sandbox):
    began = processor_seconds()
    sandbox.evaluate(Frozen("argus", (1.0,), 0.0, 1.0), "ppf", np.linspace(0.1, 0.9, 200))
    assert processor_seconds() - began > 0.02


LARGE = {"name": "mixture", "components": [{"name": "beta", "a": 0.01 * (1 + i), "b": 0.02} for i in range(100)]}
LARGE_MIXTURES = {
    "betas": LARGE,
    "normals": {
        "name": "truncated-normal-mixture",
        "locations": [i / 5000 for i in range(5000)],
        "deviations": [1e-6 * (1 + i) for i in range(5000)],
    },
    "in another": {"name": "clipped", "distribution": LARGE},
}


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("name", LARGE_MIXTURES)
def test_a_mixture_of_too_many_is_refused_before_it_is_tabulated(sandbox, name, monkeypatch):
    monkeypatch.setattr(module, "_current", sandbox)
    monkeypatch.setattr(shared_arms, "_refusals", LruCache(5))
    began = time.thread_time()
    found = previewed(data(arms=[{"name": "a", "distribution": LARGE_MIXTURES[name]}]))
    assert "takes longer than 0.2 s or more than 1 GB" in found.errors["arms[0].distribution"]
    monkeypatch.setattr(sandbox, "check", lambda arm: pytest.fail("its refusal is known"))
    with pytest.raises(InvalidInput, match="takes longer than 0.2 s"):
        Question.model_validate(data(arms=[{"name": "a", "distribution": LARGE_MIXTURES[name]}]))
    assert time.thread_time() - began < 5, "this process tabulated nothing"


def test_what_is_tried_out():
    small = {"name": "mixture", "components": ["uniform", "constant(value=0.5)", "beta(a=2, b=3)"]}
    for spec, tried in [
        (small, False),
        ("beta(a=2, b=3)", False),
        ("scipy(distribution='gausshyper', shapes=[13.8, 3.1, 2.5, 5.2])", False),
        ({"name": "empirical", "data": [0.5] * 100}, False),
        (LARGE, True),
        ({"name": "mixture", "components": [small] * 4}, True),
    ]:
        assert needs_trial(registry.build("rewards", spec)) == tried


@pytest.mark.parametrize(
    "spec", [LARGE | {"components": LARGE["components"][:3]}, "scipy(distribution='cauchy')", "no"]
)
def test_a_trial_leaves_faults_to_others(spec):
    assert try_out(spec) is None


# from thousands of extreme parameters of all families (tests/campaigns/scipy_parameters.py): those that hang, take
# gigabytes, hold the interpreter's lock or raise; each a name, shapes, and perhaps location and scale
WORST = [
    ("zipf", [1.01]),
    ("zipf", [1.0 + 1e-9]),
    ("zipfian", [1.01, 1e9]),
    ("zipfian", [1e9, 1e9]),
    ("betabinom", [1e9, 1e-9, 1e9]),
    ("betabinom", [1e9, 1e9, 1e9]),
    ("betabinom", [5, 1e-300, 1e-300]),
    ("betanbinom", [1, 0.5, 1e9]),
    ("betanbinom", [1e9, 1e9, 1e9]),
    ("betanbinom", [5, 1e-9, 1]),
    ("nct", [1, 1e9]),
    ("nct", [14, 1e3]),
    ("nct", [1e9, 1e9]),
    ("ncx2", [1, 1e9]),
    ("ncf", [27, 27, 1e9]),
    ("skewnorm", [4], 1e9),
    ("skewnorm", [1e300]),
    ("invgauss", [0.1], 1e9),
    ("invgauss", [1e-300]),
    ("recipinvgauss", [1e9]),
    ("levy_stable", [1.8, -0.5]),
    ("studentized_range", [3, 10]),
    ("genhyperbolic", [0.5, 1.5, -0.5]),
    ("geninvgauss", [1e3, 1e-9]),
    ("gausshyper", [13.8, 3.1, 2.5, 5.2]),
    ("norminvgauss", [1e9, 1]),
    ("exponnorm", [1e-9]),
    ("kstwo", [1e9]),
    ("ksone", [1e9]),
    ("irwinhall", [1e3]),
    ("vonmises", [1e9]),
    ("argus", [1e-9]),
    ("kappa4", [0, 0]),
    ("dpareto_lognorm", [3, 1.2, 1.5, 2]),
    ("rel_breitwigner", [36.5], 0.0, 1e9),
    ("nchypergeom_fisher", [140, 80, 60, 1e-9]),
    ("nchypergeom_wallenius", [140, 80, 60, 1e9]),
    ("hypergeom", [1e9, 1e8, 1e8]),
    ("skellam", [1e9, 1e-9]),
    ("logser", [1 - 1e-12]),
    ("planck", [1e-300]),
    ("poisson", [1e300]),
]


@pytest.mark.usefixtures("short")
@pytest.mark.parametrize("worst", WORST, ids=str)
def test_the_worst_of_scipy_gets_an_answer(sandbox, worst):
    arm = dict(zip(("distribution", "shapes", "location", "scale"), worst, strict=False)) | {"name": "scipy"}
    draft = data(arms=[{"name": "a", "distribution": arm}], value="cvar")
    with evaluated_by(sandbox.evaluate):
        found = previewed(draft)
    sentence = found.errors.get("arms[0].distribution", found.errors.get("value", ""))
    assert found.arms[0] is not None or sentence
    if worst in (("zipf", [1.01]), ("nct", [1, 1e9]), ("betanbinom", [1, 0.5, 1e9])):
        assert "takes longer than 0.2 s or more than 1 GB" in sentence

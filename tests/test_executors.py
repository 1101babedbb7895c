"""Any executor gives the results of threads: process pools, and a real Dask scheduler with workers that die."""

from __future__ import annotations

import json
import multiprocessing
import pickle
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest

import primum
from primum import policies, rewards, values
from primum.errors import ParameterError, PrimumError
from primum.kernels import kernel, opening, value_of
from primum.plugins.parameters import parameter
from primum.runs import Study, executors, runner, simulation
from primum.runs import wire as transport
from primum.runs.part import Part
from primum.runs.wire import Message

ARMS = {"a": rewards.Uniform(0.2, 0.7), "b": rewards.Uniform(0, 1)}
SETTINGS = {"horizon": 60, "replications": 50, "seed": 3, "progress": False}


@kernel
def doubled(x):
    return 2.0 * x


@dataclass(frozen=True)
class Cautious(policies.Policy):
    """A policy in a test file, with a helper."""

    bonus: float = parameter(0.1, "width of the bonus", low=0.0)

    @staticmethod
    def choose(history, bonus):
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        best = 0
        for k in range(1, history.arms):
            if value_of(history, k) - doubled(bonus) > value_of(history, best):
                best = k
        return best


@dataclass(frozen=True)
class Middling(values.SafetyValue):
    """The mean, in a test file."""

    @staticmethod
    def estimate(sample):
        return sample.mean()


def both(**options):
    problem = primum.Problem(ARMS, Middling())
    players = [Cautious(bonus=0.05), policies.BesaPlus(), policies.Ucb1()]
    return primum.simulate(problem, players, **SETTINGS | options)


@pytest.fixture
def small_messages(monkeypatch):
    monkeypatch.setattr(runner, "MESSAGE_STEPS", 3 * 60 * 7)


class Backwards(Executor):
    """Completes tasks in the reverse order of their submission, when it is asked for the first result."""

    def __init__(self):
        self.waiting = []

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        if len(self.waiting) == self.count:
            for each, function, arguments in reversed(self.waiting):
                each.set_result(function(*arguments))
        return future


@pytest.mark.usefixtures("small_messages")
@pytest.mark.parametrize("threads", [None, 2])
def test_threads_and_any_order_of_completion_give_equal_results(threads):
    backwards = Backwards()
    backwards.count = 8  # messages of seven replications each
    for executor in (ThreadPoolExecutor(2), backwards):
        assert both(executor=executor, threads=threads) == both()


@pytest.mark.slow
@pytest.mark.usefixtures("small_messages")
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_give_equal_results_with_plugins_of_this_file(method):
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        assert both(executor=executor) == both()


SCRIPT = """
import sys
from dataclasses import dataclass
from concurrent.futures import ProcessPoolExecutor
import multiprocessing
import primum
from primum import policies
from primum.kernels import kernel

@kernel
def last(history):
    return history.arms - 1

@dataclass(frozen=True)
class Stubborn(policies.Policy):
    @staticmethod
    def choose(history):
        return last(history)

if __name__ == "__main__":
    problem = primum.Problem({"a": "uniform", "b": "uniform"}, "mean")
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as executor:
        results = primum.simulate(
            problem, [Stubborn()], horizon=9, replications=3, seed=1, executor=executor, progress=False
        )
    print(results.pulls.values[0, :, -1].tolist())
"""


@pytest.mark.slow
def test_plugins_of_a_script_reach_the_workers(tmp_path):
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=False)
    assert done.stdout == "[[0, 9], [0, 9], [0, 9]]\n", done.stderr


def test_workers_of_other_versions_are_refused():
    part = Part(primum.Problem(ARMS, "mean"), [policies.Ucb1()], 10, 1, simulation.check_steps(None, 10), range(3))
    message = Message.of([part], 1)
    here = message.environment["numpy"]
    for name, other in (("numpy", "1.0"), ("numba", "0.1"), ("primum", "9"), ("Primum's sources", "abc")):
        answer = runner.compute(replace(message, environment=message.environment | {name: other}))
        assert answer.startswith("the worker on ")
        assert f"has {name} {message.environment[name]}, and this run needs {other}" in answer
    assert isinstance(runner.compute(message), list), here


def test_a_worker_that_refuses_stops_the_run(monkeypatch):
    monkeypatch.setattr(runner, "compute", lambda message: "the worker on x has numpy 1, and this run needs 2")
    with pytest.raises(PrimumError, match="has numpy 1, and this run needs 2"):
        both(executor=ThreadPoolExecutor(1))


def test_an_error_on_a_worker_is_a_sentence(monkeypatch):
    def die(message):
        raise MemoryError("gone")

    monkeypatch.setattr(runner, "compute", die)
    with pytest.raises(PrimumError, match="a task failed on its worker: MemoryError: gone"):
        both(executor=ThreadPoolExecutor(1))
    closed = ThreadPoolExecutor(1)
    closed.shutdown()
    with pytest.raises(PrimumError, match="the executor takes no tasks: RuntimeError"):
        both(executor=closed)
    with pytest.raises(ParameterError, match="executor must be a concurrent.futures.Executor, got 3"):
        both(executor=3)


def test_what_cannot_be_sent_is_said():
    @dataclass(frozen=True)
    class _Locked(policies.Policy):
        name = "locked"
        lock = sys.stdout.buffer
        choose = staticmethod(lambda history: 0)

    with pytest.raises(PrimumError, match="_Locked cannot be sent to another process: TypeError"):
        transport.packed_classes(frozenset({_Locked}))


def test_a_package_that_a_worker_lacks_is_named():
    part = Part(primum.Problem(ARMS, "mean"), [policies.Ucb1()], 10, 1, simulation.check_steps(None, 10), range(3))
    message = replace(Message.of([part], 1), plugins=pickle.dumps((["no_such_package"], b"")))
    said = runner.compute(message)
    assert "cannot import a plug-in: No module named 'no_such_package'; install its package there" in said


# a real cluster


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory):
    """The address of a Dask scheduler, and a function that starts a worker."""
    started, folder = [], tmp_path_factory.mktemp("dask")

    def start(program, *arguments):
        command = [sys.executable, "-m", f"distributed.cli.{program}", *arguments, "--no-dashboard"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        started.append(subprocess.Popen(command, cwd=folder, **quiet))
        return started[-1]

    about = folder / "scheduler.json"
    start("dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(about))
    address = ""
    while not address:
        assert started[0].poll() is None, "the scheduler has ended"
        time.sleep(0.05)
        with suppress(OSError, ValueError):  # it is not there, or not complete
            address = json.loads(about.read_text())["address"]

    def worker():
        return start("dask_worker", address, "--nthreads", "1", "--no-nanny", "--local-directory", str(folder))

    yield address, worker
    for process in started:
        process.kill()
        process.wait()


def study(**changes):
    parts = {"problems": {"own": primum.Problem(ARMS, Middling()), "usual": primum.Problem(ARMS, "mean")}}
    parts |= {"policies": [Cautious(), "besa-plus(floor=[0, 2])"], "horizon": 300, "replications": 400, "seed": 5}
    return Study(**parts | changes)


def regret(results):
    return results.regret.values.tobytes()


@pytest.mark.slow
def test_a_cluster_gives_equal_results_though_a_worker_is_killed(scheduler, tmp_path, monkeypatch):
    monkeypatch.setattr(runner, "MESSAGE_STEPS", 3 * 300 * 25)
    address, worker = scheduler
    first, _ = worker(), worker()
    seen = []

    class Killing:
        def __enter__(self):
            return self

        def say(self, text):
            pass

        def update(self, done):
            if done and not seen:
                seen.append(done)
                first.send_signal(signal.SIGKILL)

        def __exit__(self, *error):
            pass

    with executors.cluster(address) as executor:
        results = study().run(store=tmp_path / "cluster", executor=executor, progress=Killing())
        assert seen, "a worker was killed in the middle"
        assert results.is_complete
        whole = primum.simulate(primum.Problem(ARMS, Middling()), [Cautious()], **SETTINGS)
        assert primum.simulate(primum.Problem(ARMS, Middling()), [Cautious()], **SETTINGS, executor=executor) == whole
    assert regret(results) == regret(study().run(store=tmp_path / "threads", progress=False))


CLIENT = """
import sys
from primum.runs import executors
from primum.runs import Study
import primum.runs.runner
primum.runs.runner.MESSAGE_STEPS = 300 * 25
class Telling:
    def __enter__(self): return self
    def say(self, text): pass
    def update(self, done):
        if done: print("some", flush=True)
    def __exit__(self, *error): pass
study = Study.from_toml(sys.argv[1])
with executors.cluster(sys.argv[2]) as executor:
    study.run(store=sys.argv[3], executor=executor, progress=Telling())
"""


@pytest.mark.slow
def test_a_client_that_is_killed_goes_on_where_it_was(scheduler, tmp_path):
    address, worker = scheduler
    worker()
    usual = study(problems={"usual": primum.Problem(ARMS, "mean")}, policies=["besa-plus", "npts"], replications=4000)
    command = [sys.executable, "-c", CLIENT, usual.to_toml(), address, str(tmp_path / "store")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as client:
        assert client.stdout.readline() == "some\n"
        client.send_signal(signal.SIGKILL)
    stored = [path for path in (tmp_path / "store").rglob("*") if path.is_file()]
    assert stored
    with executors.cluster(address) as executor:
        results = usual.run(store=tmp_path / "store", executor=executor, progress=False)
    assert regret(results) == regret(usual.run(store=tmp_path / "other", progress=False))


def test_an_address_where_nothing_listens_is_told(monkeypatch):
    monkeypatch.setattr(executors, "CONNECTION_SECONDS", 0.5)
    for address in ("tcp://127.0.0.1:9", "nonsense", "http://127.0.0.1:1"):
        said = f"no Dask scheduler answers at '{address}', such as tcp://host:8786: "
        with pytest.raises(PrimumError, match=said), executors.cluster(address):
            pass
    assert both().to_bytes(), "netCDF is still written, though xarray asks Dask for a scheduler"


def test_without_dask_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    said = r"a cluster needs Dask: pip install 'primum\[cluster\]'"
    with pytest.raises(PrimumError, match=said), executors.cluster("tcp://127.0.0.1:8786"):
        pass

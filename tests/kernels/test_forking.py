"""A process may fork while one of its threads compiles or looks for plug-ins."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

# Each child has a time limit of its own: one that hangs is ended, and the exit code of the parent is 1.
FORK = """
import os, signal, sys, threading, time

def fork(task):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        try:
            task()
            os._exit(0)
        finally:
            os._exit(1)
    return os.waitpid(child, 0)[1]
"""
WHILE_COMPILING = """
import primum
from primum.kernels.native import compiling

def function(power):
    scope = {}
    exec(f"def function(x):\\n    y = 0.0\\n    for i in range(x):\\n        y += i ** {power}\\n    return y", scope)
    return compiling.compiled(scope["function"])

def simulate():
    problem = primum.Problem({"a": "bernoulli(probability=0.5)", "b": "constant(value=0.4)"}, "mean")
    primum.simulate(problem, ["uniform-random"], horizon=50, replications=20, seed=1, threads=2, progress=False)

def in_child():
    simulate()
    assert function(1)(3) == 3.0

compiled, done = [], threading.Event()

def compile_all():
    while not done.is_set():
        compiled.append(function(2 + len(compiled))(3))

simulate()
thread = threading.Thread(target=compile_all)
thread.start()
failed = []
for _ in range(20):
    time.sleep(0.02)
    failed += [fork(in_child)]
    if failed[-1]:
        break
done.set()
thread.join()
print(len(failed), any(failed), len(compiled) > 1)
"""
WHILE_IMPORTING = """
import primum.kernels

def load():
    from primum.kernels.native import compiling
    compiling.compiled

thread = threading.Thread(target=load)
thread.start()
while "numba" not in sys.modules:
    time.sleep(0.001)
assert not hasattr(sys.modules["primum.kernels.native.compiling"], "compiled"), "too late"
print(fork(load))
"""

WHILE_DISCOVERING = """
import primum
from primum.plugins import registry

started = threading.Event()

def slow(family):
    started.set()
    time.sleep(0.5)

def build():
    primum.Problem({"a": "uniform", "b": "uniform"}, "mean")

registry._import_entry_points = slow
thread = threading.Thread(target=build)
thread.start()
started.wait()
print(fork(build))
"""


def run(program):
    # newer versions of Python warn about any fork of a process with threads
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", FORK + program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    return done.stdout.split()


pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")]


def test_children_of_a_process_that_compiles_can_compile_and_simulate():
    assert run(WHILE_COMPILING) == ["20", "False", "True"]


def test_a_child_of_a_process_that_imports_the_compiler_can_import_it():
    assert run(WHILE_IMPORTING) == ["0"]


def test_a_child_of_a_process_that_looks_for_plug_ins_can_use_them():
    assert run(WHILE_DISCOVERING) == ["0"]

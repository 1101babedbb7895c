"""Compile the native code that most tests use, so that processes that start together need not all compile it.

Run as a program, before the tests: it is kept in the folder where every process looks for it.
"""

from __future__ import annotations

import primum
from tests.problems import ARMS, POLICIES, VALUES, suited


def compile_all() -> None:
    """Play one replication of every policy under every value."""
    for value in VALUES:
        problem = primum.Problem({"a": ARMS[0], "b": ARMS[4]}, value)
        players = [suited(policy, value) for policy in POLICIES]
        primum.simulate(problem, players, horizon=1, replications=1, seed=0, threads=1, progress=False)


if __name__ == "__main__":
    compile_all()

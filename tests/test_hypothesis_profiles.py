"""The two profiles of Hypothesis in conftest.py: the same examples each time, or new ones that a seed repeats."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = """
from hypothesis import given, settings
from hypothesis import strategies as st

@settings(max_examples=6)
@given(st.integers(0, 10**9))
def test_numbers(number):
    print("drawn", number)

@given(st.integers())
def test_that_fails(number):
    assert number < 100
"""


@pytest.fixture
def drawn(tmp_path):
    (tmp_path / "test_examples.py").write_text(TEXT)

    def run(*options):
        """The numbers drawn, and the output."""
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-s",
            "-c",
            "pyproject.toml",
            "-p",
            "conftest",
            *options,
            str(tmp_path),
        ]
        env = os.environ | {"CI": "true"}  # where Hypothesis has another profile of its own
        done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
        return re.findall(r"drawn (\d+)", done.stdout), done.stdout

    return run


def test_every_run_has_the_same_examples(drawn):
    numbers, _ = drawn()
    assert len(numbers) == 6
    assert drawn()[0] == numbers


def test_the_random_profile_has_more_examples_and_a_seed_repeats_them(drawn):
    random = ("--hypothesis-profile", "random", "--hypothesis-seed")
    numbers, told = drawn(*random, "1")
    assert len(numbers) == 120
    assert "@reproduce_failure(" in told
    assert drawn(*random, "1")[0] == numbers
    assert drawn(*random, "2")[0] != numbers

"""Classes of notebooks and scripts by what they are made of."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
import types

import pytest

from primum.errors import ParameterError
from primum.store.objects import object_digest

CELL = '''
import functools, math
from dataclasses import dataclass, field
import numba
import numpy as np
from primum import policies, values
from primum.kernels import kernel, value_of
from primum.plugins.parameters import parameter

TABLE = np.array([0.5, 1.0])
NAMES = {"a": [1, 2], "b": {3, 4}}
UNUSED = 1

def deep(x):
    """Words."""
    return x * TABLE[0]

@kernel
def helper(x, scale=2.0):
    return deep(x) * scale

@numba.njit
def by_hand(x):
    return helper(x) + 1

@functools.lru_cache
def remembered(x):
    return by_hand(x) + len(NAMES)

def factor(k):
    def times(x):
        return k * x
    return times

THREE = factor(3)

class Setting:
    def __init__(self, number):
        self.number = number

SETTING = Setting(4)

@dataclass(frozen=True)
class Cell(values.SafetyValue):
    """Words."""

    c: float = parameter(0.5, "a number", low=0.0)
    memory = 1

    @staticmethod
    def estimate(sample, c):
        """More words."""
        # a comment
        return np.sort(sample)[0] + by_hand(c) * math.pi

    @property
    def gamma(self):
        return super().gamma or remembered(2)

    @functools.cached_property
    def other(self):
        return [THREE(x) + SETTING.number for x in range(3)]
'''


def digest(text=CELL):
    notebook = types.ModuleType("notebook")  # without a file, as __main__
    sys.modules["notebook"] = notebook
    exec(compile(text, "<cell>", "exec", dont_inherit=True), notebook.__dict__)
    return object_digest(notebook.Cell)


@pytest.fixture(autouse=True)
def _fresh(fresh_registry, monkeypatch):
    """Each digest defines the class anew."""
    monkeypatch.setitem(sys.modules, "notebook", None)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('    """Words."""\n\n    c:', '    """Other words."""\n\n    c:'),
        ('        """More words."""\n', ""),
        ('    """Words."""\n    return x *', "    return x *"),
        ("        # a comment\n", "\n\n"),
        ("UNUSED = 1", "UNUSED = 2"),
        ("def helper(x, scale=2.0):\n", 'def helper(x, scale=2.0):\n    """Words."""\n'),
        ("def times(x):\n", 'def times(x):\n        """Words."""\n'),
    ],
)
def test_words_and_what_is_not_used_do_not_count(old, new):
    assert old in CELL
    assert digest(CELL.replace(old, new)) == digest()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[0] + by_hand", "[1] + by_hand"),
        ("parameter(0.5", "parameter(0.6"),
        ("memory = 1", "memory = 2"),
        ("math.pi", "math.e"),
        ("[0.5, 1.0]", "[0.5, 1.5]"),
        ("x * TABLE[0]", "x + TABLE[0]"),
        ("scale=2.0", "scale=3.0"),
        ("helper(x) + 1", "helper(x) + 2"),
        ("or remembered(2)", "or remembered(3)"),
        ('"a": [1, 2]', '"a": [2, 1]'),
        ("{3, 4}", "{3, 5}"),
        ("factor(3)", "factor(4)"),
        ("k * x", "k + x"),
        ("Setting(4)", "Setting(5)"),
        ("self.number = number", "self.number = number + 1"),
        ("range(3)", "range(4)"),
        ("values.SafetyValue", "values.MomentValue"),
        ("deep(x) * scale", "deep(x) * scale if x else len(repr(x))"),
    ],
)
def test_all_that_a_class_refers_to_counts(old, new):
    assert old in CELL
    assert digest(CELL.replace(old, new)) != digest()


def test_equal_constants_count_the_same_whether_they_are_one_object_or_two():
    one = CELL.replace("UNUSED = 1", "A = B = (1, frozenset({2}))").replace("len(NAMES)", "len(A) + len(B)")
    two = one.replace("A = B = (1, frozenset({2}))", "A, B = (1, frozenset({2})), tuple([1, frozenset({2})])")
    assert digest(one) == digest(two)


def test_a_global_that_hides_a_builtin_counts():
    hidden = CELL.replace("UNUSED = 1", "len = lambda x: 7")
    assert digest(hidden) != digest()
    assert digest(hidden) != digest(hidden.replace("7", "8"))


def test_a_module_that_a_function_uses_counts_by_its_source(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = CELL.replace("UNUSED = 1", "import helping").replace("math.pi", "helping.number")
    lazy = CELL.replace("        # a comment\n", "        import helping\n")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    seen = set()
    for number in (1, 2, 1):
        (tmp_path / "helping.py").write_text(f"number = {number}")
        monkeypatch.delitem(sys.modules, "helping", raising=False)
        seen.add((digest(text), digest(lazy)))
    assert len({first for first, _ in seen}) == len({second for _, second in seen}) == 2


def test_what_cannot_be_determined_is_a_sentence():
    text = CELL.replace("UNUSED = 1", "import threading\nLOCK = threading.Lock()").replace("x * TABLE[0]", "LOCK and x")
    said = r"Cell.estimate > by_hand > helper > deep > LOCK cannot be stored: what a _thread.lock holds is not known"
    with pytest.raises(ParameterError, match=said):
        digest(text)


def test_what_refers_to_itself_ends():
    circle = CELL.replace("UNUSED = 1", "LOOP = []\nLOOP.append(LOOP)").replace("len(NAMES)", "len(LOOP)")
    assert digest(circle) == digest(circle)
    nested = CELL.replace("UNUSED = 1", "LOOP = ()\nfor _ in range(100_000): LOOP = (LOOP,)")
    with pytest.raises(ParameterError, match="nested too deeply"):
        digest(nested.replace("len(NAMES)", "len(LOOP)"))


def test_local_classes_count_with_the_variables_around_them():
    def made(number):
        class Local:
            def get(self):
                return number

        return Local

    assert object_digest(made(1)) == object_digest(made(1)) != object_digest(made(2))
    with pytest.raises(ParameterError, match="made.<locals>.Local.get > number cannot be stored"):
        object_digest(made(threading.Lock()))


@pytest.mark.slow
@pytest.mark.parametrize("way", ["script", "input"])
def test_the_digest_of_a_class_in_main_is_the_same_in_every_process(tmp_path, way):
    program = CELL + textwrap.dedent("""
    from primum.store.objects import object_digest
    print(object_digest(Cell))
    """)
    (tmp_path / "script.py").write_text(program)
    command = {"script": [str(tmp_path / "script.py")], "input": ["-"]}[way]
    printed = set()
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, *command], input=program, capture_output=True, text=True, check=True, env=environment
        )
        printed.add(done.stdout)
    assert len(printed) == 1

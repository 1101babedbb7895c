"""Modules by what they are made of: sources of files and of what they import, versions of what is installed."""

from __future__ import annotations

import gc
import importlib
import sys
import time
import types
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from primum.errors import ParameterError
from primum.store import modules

FILES = {
    "foreign/__init__.py": "",
    "foreign/plugin.py": '''"""A plug-in."""
from __future__ import annotations
import math
import numpy as np
from . import near
from .inner.deep import constant
import beside


class Plug:
    """Words."""

    def estimate(self, sample, c=1.0):
        """More words."""
        import lazily  # only now

        return near.helper(sample) + math.pi
''',
    "foreign/near.py": "from foreign.inner import deep\n\n\ndef helper(x):\n    return x * deep.constant\n",
    "foreign/inner/__init__.py": "",
    "foreign/inner/deep.py": "constant = 2\n",
    "foreign/unrelated.py": "number = 1\n",
    "beside.py": "import further\n",
    "further.py": "def far(y=3):\n    return y\n",
    "lazily.py": "number = 1\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.syspath_prepend(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    yield tmp_path
    forget()


def forget():
    for name in list(sys.modules):
        if name.split(".")[0] in ("foreign", "beside", "further", "lazily"):
            del sys.modules[name]


def identities():
    """As a new process sees it."""
    forget()
    importlib.invalidate_caches()
    importlib.import_module("foreign.plugin")
    return modules.identities("foreign.plugin")


def edit(project, file, old, new):
    text = (project / file).read_text()
    assert old in text
    (project / file).write_text(text.replace(old, new))


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("foreign/plugin.py", '"""Words."""', '"""Other words."""'),
        ("foreign/plugin.py", '        """More words."""\n', ""),
        ("foreign/plugin.py", "# only now", "# a comment"),
        ("foreign/plugin.py", "math.pi", "(\n            math.pi\n        )"),
        ("foreign/near.py", "x):\n", 'x):\n    """Words."""\n\n'),
        ("further.py", "def", "\n\n# comment\ndef"),
        ("foreign/unrelated.py", "1", "2"),
    ],
)
def test_words_formatting_and_what_is_not_imported_do_not_count(project, file, old, new):
    before = identities()
    edit(project, file, old, new)
    assert identities() == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("foreign/plugin.py", "c=1.0", "c=2.0"),
        ("foreign/plugin.py", "math.pi", "math.e"),
        ("foreign/__init__.py", "", "import math"),
        ("foreign/near.py", "x *", "x +"),
        ("foreign/inner/deep.py", "2", "3"),
        ("foreign/inner/__init__.py", "", "number = 1"),
        ("beside.py", "further", "further as renamed"),
        ("further.py", "y=3", "y=4"),
        ("lazily.py", "1", "2"),
    ],
)
def test_the_code_of_a_module_and_of_all_that_it_imports_counts(project, file, old, new):
    before = identities()
    edit(project, file, old, new)
    assert identities() != before


def test_what_is_installed_counts_by_its_version(project, monkeypatch):
    import numpy as np

    before = identities()
    assert f"numpy {np.__version__}" in before
    assert not any(one.startswith("math") for one in before), "the standard library goes with Python's version"
    modules._contents.clear()
    monkeypatch.setattr("importlib.metadata.version", lambda name: "99")
    assert "numpy 99" in identities()


@pytest.mark.parametrize("kind", ["installed", "development"])
def test_a_package_counts_by_its_version_only_if_its_files_were_installed(project, monkeypatch, kind):
    """Of a development install Python knows a version, but not what was changed since."""
    monkeypatch.setattr(modules, "_distributions", lambda: {"foreign": ["Foreign"], "numpy": ["numpy"]})
    monkeypatch.setattr("importlib.metadata.version", lambda name: "1.0")
    if kind == "installed":
        (project / "site-packages").mkdir()
        (project / "foreign").rename(project / "site-packages" / "foreign")
        monkeypatch.syspath_prepend(project / "site-packages")
        assert identities() == ["Foreign 1.0"]
    else:
        assert "Foreign 1.0" not in identities()
        assert any(one.startswith("foreign.plugin ") for one in identities())


def test_a_file_that_belongs_to_no_distribution_counts_by_its_source(project, monkeypatch):
    (project / "site-packages").mkdir()
    (project / "further.py").rename(project / "site-packages" / "further.py")
    monkeypatch.syspath_prepend(project / "site-packages")
    before = identities()
    edit(project, "site-packages/further.py", "y=3", "y=4")
    assert identities() != before


def test_an_edit_counts_once_the_module_is_loaded_again(project):
    """The code that runs is that of the import, whatever the file says since."""
    before = identities()
    edit(project, "foreign/inner/deep.py", "2", "3")
    assert modules.identities("foreign.plugin") == before
    importlib.reload(sys.modules["foreign.inner.deep"])
    assert modules.identities("foreign.plugin") != before


def test_a_module_without_a_source_is_a_sentence(project, monkeypatch):
    identities()
    made_up = types.ModuleType("further")
    monkeypatch.setitem(sys.modules, "further", made_up)
    with pytest.raises(ParameterError, match="the source of the module further is not known"):
        modules.identities("foreign.plugin")


def test_what_cannot_be_imported_counts_by_its_bytes(project):
    (project / "lazily.py").write_text("from .. import nothing\nimport broken, binary\n")
    (project / "broken.py").write_text("print 1")
    (project / "binary.py").write_bytes(b"\0\xff")
    seen = [identities()]
    for file in ("broken.py", "binary.py"):
        (project / file).write_bytes(b"\0\1")
        seen.append(identities())
    assert len(set(map(tuple, seen))) == 3


def test_what_is_known_is_not_read_again(project, monkeypatch):
    import lazily  # noqa: F401  # what was not imported yet is looked for each time

    before = modules.identities("lazily")
    monkeypatch.setattr(modules, "_read", lambda name, spec: pytest.fail(f"{name} is read again"))
    assert modules.identities("lazily") == before


def test_threads_can_read_sources_at_the_same_time():
    """In CPython 3.11, two threads that parse at once may meet a SystemError; a pause in collections makes them."""
    files = sorted(Path(modules.__file__).parent.glob("*.py"))
    gc.callbacks.append(lambda phase, info: time.sleep(0.0005))
    try:
        with ThreadPoolExecutor(4) as pool:
            read = list(pool.map(lambda _: [modules.source_digest(file) for file in files], range(4)))
    finally:
        gc.callbacks.pop()
    assert read == [read[0]] * 4

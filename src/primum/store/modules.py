"""Identities of modules: the source of a file and of all it imports, or the version of an installed package."""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import os
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

from primum.errors import ParameterError

INSTALLED_FOLDERS = {"site-packages", "dist-packages"}
STANDARD_LIBRARY = tuple(Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib"))

# CPython 3.11 counts the depth of a tree for all threads together, and two that parse at once may raise a SystemError
_parsing = threading.Lock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_parsing.acquire, after_in_parent=_parsing.release, after_in_child=_parsing.release)


@dataclass(frozen=True)
class _Content:
    """What identifies a module, and the names of the modules it may import."""

    identity: str = ""
    imports: tuple[str, ...] = ()


_contents: dict[str, tuple[ModuleSpec, _Content]] = {}


def is_known(name: str) -> bool:
    """Whether a module of this name was imported from a file, or is built in."""
    module = sys.modules.get(name)
    return name != "__main__" and module is not None and getattr(module, "__spec__", None) is not None


def is_installed(file: str | Path) -> bool:
    """Whether a file belongs to an installed package."""
    return not INSTALLED_FOLDERS.isdisjoint(Path(file).parts)


def is_standard(file: str | Path) -> bool:
    """Whether a file belongs to the standard library."""
    path = Path(file).resolve()
    return not is_installed(path) and any(path.is_relative_to(folder) for folder in STANDARD_LIBRARY)


def identities(name: str) -> list[str]:
    """The identities of a module and of all that it imports.

    A module of the standard library and of Primum adds nothing: their versions are part of every fingerprint. One of an
    installed distribution adds the name and version of the distribution. Any other (a file beside a script, a
    development install) adds the hash of its source, without comments, docstrings and formatting, and what it imports.
    """
    found: dict[str, str] = {}
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found:
            content = _content(name)
            found[name] = content.identity
            waiting += content.imports
    return sorted(identity for identity in found.values() if identity)


def local_modules(name: str) -> set[str]:
    """A module and those it imports, directly or not, that are files but no installed packages: a script's own.

    Those that are imported by name only when a function runs are not found.
    """
    found: set[str] = set()
    waiting = [name]
    while waiting:
        name = waiting.pop()
        if name not in found and name in sys.modules and _is_local(name):
            found.add(name)
            waiting += _content(name).imports
    return found


def _is_local(name: str) -> bool:
    spec = None if name == "__main__" or name.partition(".")[0] == "primum" else _spec(name)
    if spec is None or not spec.has_location or spec.origin is None:
        return False
    path = Path(spec.origin).resolve()
    return not is_installed(path) and not is_standard(path)


def loaded(name: str) -> ModuleType:
    """A module that was imported."""
    return sys.modules[name]


def source_digest(path: Path) -> str:
    """A hash of Python source; comments, docstrings and formatting do not change it."""
    return _tree_digest(_parsed(path.read_bytes()))


def _parsed(source: bytes) -> ast.Module:
    with _parsing:
        return ast.parse(source)


def _tree_digest(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and _has_docstring(node):
            del node.body[0]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


def _content(name: str) -> _Content:
    if name.partition(".")[0] == "primum":
        return _Content()
    spec = _spec(name)
    if spec is None:
        if name in sys.modules:
            raise ParameterError(f"results cannot be stored: the source of the module {name} is not known")
        return _Content(f"{name} missing")  # an optional import, or something else than a module
    known = _contents.get(name)
    if known is None or known[0] is not spec:  # a reload makes a new spec
        _contents[name] = known = spec, _read(name, spec)
    return known[1]


def _spec(name: str) -> ModuleSpec | None:
    """Where a module comes from; nothing is imported to find out."""
    if name in sys.modules:
        return getattr(sys.modules[name], "__spec__", None)
    parent = name.rpartition(".")[0]
    inside = None
    if parent:
        above = _spec(parent)
        if above is None or above.submodule_search_locations is None:
            return None
        inside = list(above.submodule_search_locations)
    for finder in sys.meta_path:
        spec = finder.find_spec(name, inside)
        if spec is not None:
            return spec
    return None


def _read(name: str, spec: ModuleSpec) -> _Content:
    if not spec.has_location or spec.origin is None:
        return _Content()  # built in, or a folder without code
    path = Path(spec.origin).resolve()
    if is_standard(path):
        return _Content()
    if is_installed(path) and (versions := _versions(name.partition(".")[0])):
        return _Content("; ".join(versions))
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ParameterError(f"results cannot be stored: {path}: {error.strerror or error}") from None
    try:
        tree = _parsed(content)
    except (SyntaxError, ValueError):  # native code, or source that Python cannot import
        return _Content(f"{name} {hashlib.sha256(content).hexdigest()}")
    imports = *_parents(name), *_imports(tree, spec.parent or "")
    return _Content(f"{name} {_tree_digest(tree)}", tuple(dict.fromkeys(imports)))


@functools.cache
def _distributions() -> Mapping[str, list[str]]:
    from importlib.metadata import packages_distributions  # a third of a second, with the import

    return packages_distributions()


def _versions(package: str) -> list[str]:
    """Name and version of each distribution that an installed package belongs to."""
    from importlib.metadata import version

    return [f"{name} {version(name)}" for name in sorted(set(_distributions().get(package, ())))]


def _parents(name: str) -> Iterator[str]:
    while name := name.rpartition(".")[0]:
        yield name


def _imports(tree: ast.Module, package: str) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                yield one.name
                yield from _parents(one.name)
        elif isinstance(node, ast.ImportFrom):
            try:
                base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            except ImportError:  # it would fail
                continue
            yield base
            yield from _parents(base)
            for one in node.names:
                yield f"{base}.{one.name}"  # it may be a module

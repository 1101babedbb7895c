"""Hashes of Python objects, for classes that are not in a file but in a notebook or a running script."""

from __future__ import annotations

import dis
import functools
import hashlib
import inspect
from collections.abc import Mapping
from types import CodeType, FunctionType, MappingProxyType, ModuleType
from typing import Any

from primum.errors import ParameterError
from primum.store import modules

PLAIN = (type(None), bool, int, float, complex, str, bytes, type(...), type(NotImplemented))
LOADS_OF_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
SIGNATURE_FLAGS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS | inspect.CO_GENERATOR | inspect.CO_COROUTINE
WITHOUT_EFFECT = {  # attributes of a class that its objects do not behave by
    "__abstractmethods__",
    "__annotate__",
    "__annotate_func__",
    "__annotations__",
    "__annotations_cache__",
    "__dataclass_params__",
    "__dict__",
    "__doc__",
    "__firstlineno__",
    "__match_args__",
    "__module__",
    "__qualname__",
    "__static_attributes__",
    "__weakref__",
    "_abc_impl",
}


def object_digest(value: Any) -> str:
    """A hash of an object and, transitively, of all that it refers to.

    What a module in a file defines is known by that module (`modules.identities`). Other functions and classes are
    known by their compiled code, without docstrings and line numbers, their defaults, the variables of the scopes
    around them and the globals they name; other objects by what pickle would keep. A ParameterError names what cannot
    be determined, such as a lock or an open file.
    """
    path = getattr(value, "__qualname__", type(value).__name__)
    try:
        return _Walk().digest(value, path)
    except RecursionError:
        raise ParameterError(f"results with {path} cannot be stored: what it refers to is nested too deeply") from None


class _Walk:
    """Serialises an object; an object met again is written as a reference, so that cycles end."""

    def __init__(self) -> None:
        self._hash = hashlib.sha256()
        self._met: dict[int, tuple[int, Any]] = {}  # with the object, or another could get its id

    def digest(self, value: Any, path: str) -> str:
        self._visit(value, path)
        return self._hash.hexdigest()

    def _tell(self, *words: object) -> None:
        text = " ".join(map(str, words)).encode()
        self._hash.update(b"%d %b\n" % (len(text), text))

    def _visit(self, value: Any, path: str) -> None:
        if type(value) in PLAIN:
            self._tell(type(value).__name__, repr(value))
        elif type(value) in (tuple, frozenset):  # whether equal constants are one object is up to the compiler
            self._visit_new(value, path)
        elif id(value) in self._met:
            self._tell("met", self._met[id(value)][0])
        else:
            self._met[id(value)] = len(self._met), value
            self._visit_new(value, path)

    def _visit_new(self, value: Any, path: str) -> None:
        if type(value) in (tuple, list):
            self._sequence(value, path)
        elif type(value) in (dict, MappingProxyType):
            self._mapping(value, path)
        elif type(value) in (set, frozenset):
            self._tell(type(value).__name__, *sorted(_Walk().digest(item, path) for item in value))
        elif isinstance(value, ModuleType):
            self._module(value.__name__, path)
        elif isinstance(value, type):
            self._class(value, path)
        elif isinstance(value, FunctionType):
            self._function(value, path)
        elif isinstance(value, property):
            self._sequence((value.fget, value.fset), path)
        elif isinstance(value, (staticmethod, classmethod)):
            self._tell(type(value).__name__)
            self._visit(value.__func__, path)
        elif isinstance(value, functools.cached_property):
            self._visit(value.func, path)
        elif inner := getattr(value, "py_func", None) or getattr(value, "__wrapped__", None):
            self._visit(inner, path)  # compiled by Numba, or cached
        elif isinstance(getattr(value, "__qualname__", None), str) and getattr(value, "__module__", None):
            self._module(value.__module__, path)  # a function that is not written in Python
            self._tell(value.__qualname__)
        else:
            self._reduced(value, path)

    def _sequence(self, values: tuple[Any, ...] | list[Any], path: str) -> None:
        self._tell(type(values).__name__, len(values))
        for value in values:
            self._visit(value, path)

    def _mapping(self, values: Mapping[Any, Any], path: str) -> None:
        self._tell("mapping", len(values))
        for key, value in values.items():
            self._visit(key, path)
            self._visit(value, path)

    def _module(self, name: str, path: str) -> None:
        if not modules.is_known(name):
            raise ParameterError(f"results with {path} cannot be stored: the source of the module {name} is not known")
        self._tell("module", name, *modules.identities(name))

    def _class(self, cls: type, path: str) -> None:
        self._tell("class", cls.__qualname__)
        if modules.is_known(cls.__module__):
            self._module(cls.__module__, path)
            if "<locals>" not in cls.__qualname__:
                return
        self._sequence((type(cls), *cls.__bases__), path)
        for name, value in sorted(vars(cls).items()):
            if name not in WITHOUT_EFFECT:
                self._tell(name)
                self._visit(value, f"{path}.{name}")

    def _function(self, function: FunctionType, path: str) -> None:
        code, module = function.__code__, function.__globals__.get("__name__", "")
        self._tell("function")
        if modules.is_known(module):
            self._tell(code.co_qualname)
            self._module(module, path)
            if "<locals>" not in code.co_qualname:
                return
        else:
            self._code(code, function.__globals__, path)
        self._visit(function.__defaults__, path)
        self._visit(function.__kwdefaults__, path)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            self._tell(name)
            try:
                content = cell.cell_contents
            except ValueError:  # it is not set yet
                continue
            self._visit(content, f"{path} > {name}")

    def _code(self, code: CodeType, scope: Mapping[str, Any], path: str) -> None:
        self._tell("code", code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_exceptiontable)
        self._tell(code.co_flags & SIGNATURE_FLAGS, code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])
        for instruction in dis.get_instructions(code):
            name = instruction.argval
            self._tell(instruction.opname)
            if isinstance(name, CodeType):
                self._code(name, scope, path)
            elif instruction.opname == "IMPORT_NAME":
                self._tell(*modules.identities(name))
            else:
                self._visit(name, path)
            if instruction.opname in LOADS_OF_GLOBALS and name in scope:
                self._visit(scope[name], f"{path} > {name}")

    def _reduced(self, value: Any, path: str) -> None:
        """As pickle takes objects apart: a name, or a function with arguments, a state, items and pairs."""
        try:
            parts = value.__reduce_ex__(4)
            taken = [parts] if isinstance(parts, str) else [*parts[:3], *(list(items or ()) for items in parts[3:5])]
        except Exception:  # whatever the object's class raises
            kind = f"{type(value).__module__}.{type(value).__qualname__}"
            raise ParameterError(f"results with {path} cannot be stored: what a {kind} holds is not known") from None
        self._visit(type(value), path)
        for part in taken:
            self._visit(part, path)

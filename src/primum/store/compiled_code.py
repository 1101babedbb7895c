"""Hashes of users' functions that Numba compiles: their code, and all that native code takes from elsewhere."""

from __future__ import annotations

import builtins
import dis
import hashlib
import inspect
from collections.abc import Iterator
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.store import modules
from primum.store.objects import LOADS_OF_GLOBALS

NUMBERS = (bool, int, float, complex, np.generic)
PLAIN = (*NUMBERS, str, bytes, type(None))
INLINED = ("<listcomp>",)  # code inside a function that is not compiled as one of its own


def code_digest(function: FunctionType) -> str | None:
    """A hash of a function's source, its code and what it refers to; None if that cannot be known.

    What it refers to may be numbers, texts, tuples and arrays, as they are now, and modules and functions of Primum, of
    the standard library and of installed packages, by their versions. A function that refers to anything else, such as
    another function of the user, is not known: in native code, that would be a symbol which another version of it may
    have too.
    """
    try:
        parts = [inspect.getsource(function), *_parts(function)]
    except (OSError, TypeError, ValueError, AttributeError, ParameterError):  # a source or a module that is not known
        return None
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _parts(function: FunctionType) -> Iterator[object]:
    code = function.__code__
    yield from _code(code, function.__globals__)
    yield from map(_known, function.__defaults__ or ())
    for cell in function.__closure__ or ():
        yield _known(cell.cell_contents)


def _code(code: CodeType, scope: dict[str, Any]) -> Iterator[object]:
    yield code.co_varnames, code.co_freevars, code.co_exceptiontable
    for instruction in dis.get_instructions(code):
        if isinstance(instruction.argval, CodeType):
            if instruction.argval.co_name not in INLINED:
                raise ParameterError(f"{instruction.argval.co_name} is compiled as a function of its own")
            yield from _code(instruction.argval, scope)
            continue
        yield instruction.opname, repr(instruction.argval)
        if instruction.opname in LOADS_OF_GLOBALS:
            name = instruction.argval
            yield _known(scope[name]) if name in scope else _known(getattr(builtins, name))


def _known(value: Any) -> object:
    """What identifies something that a function refers to."""
    if isinstance(value, tuple) and type(value) is tuple:
        return [_known(part) for part in value]
    if isinstance(value, PLAIN):
        return type(value).__name__, repr(value)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return value.dtype.str, value.shape, hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
    name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
    is_code = isinstance(value, ModuleType | FunctionType | BuiltinFunctionType | type | np.ufunc)
    if not is_code and not hasattr(value, "__wrapped__"):
        raise ParameterError(f"what a {type(value).__name__} holds is not known")
    if isinstance(value, np.ufunc):
        name = "numpy"
    if not name or not modules.is_known(name) or modules.local_modules(name):
        raise ParameterError(f"{value!r} is not of an installed package")
    return name, getattr(value, "__qualname__", ""), modules.identities(name)

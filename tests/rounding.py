"""What native code uses of other packages: only what every processor and every C library rounds alike."""

from __future__ import annotations

import ast
import dis
import importlib
import inspect
import itertools
import math
import operator
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum
from pathlib import Path
from types import FunctionType
from typing import Any

import numpy as np

import primum
from primum.kernels import contract
from primum.kernels.native import called
from primum.plugins import registry

PACKAGE = Path(primum.__file__).parent
# IEEE 754 leaves them one result, or they compute nothing; functions such as log, exp and dot have several
ALIKE = {math.ceil, math.floor, math.isfinite, math.isinf, math.isnan, math.sqrt, np.floor, np.sort}
ALIKE |= {np.arange, np.empty, np.zeros, np.float64, np.int32, np.int64, np.uint32, np.uint64}
COMPILERS = {"compiled", "_native"}  # what compiles a function of the engine


def unlike(functions: Iterable[Callable[..., Any]]) -> Iterator[tuple[str, Any]]:
    """What is not known to be rounded alike in functions and all of ours that they call, by what names stand for."""
    waiting, met = list(functions), set()
    while waiting:
        function = inspect.unwrap(waiting.pop())
        if function in met:
            continue
        met.add(function)
        things = [*called._referred_to(function), *operations(function)]
        while things:
            thing = things.pop()
            plain = inspect.unwrap(thing) if callable(thing) else thing
            if isinstance(plain, tuple):
                things += plain
            elif isinstance(plain, FunctionType) and called.is_ours(plain):
                waiting.append(plain)
            elif callable(thing) and thing not in ALIKE and not _is_enumeration(thing):
                yield function.__qualname__, thing


def _is_enumeration(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, IntEnum)  # whole numbers, known when it is compiled


def operations(function: FunctionType) -> Iterator[Any]:
    """`matmul` for `@`, and `pow` for each power but those to a constant whole number, which are products."""
    for code in called._with_inner(function.__code__):
        if "pow" in code.co_names:
            yield pow
        for before, operation in itertools.pairwise(dis.get_instructions(code)):
            if operation.opname != "BINARY_OP":
                continue
            if operation.argrepr.startswith("@"):
                yield operator.matmul
            elif operation.argrepr.startswith("**"):
                is_constant = before.opname.startswith("LOAD_") and isinstance(before.argval, int)
                if not is_constant:
                    yield pow


def native_functions() -> list[Callable[..., Any]]:
    """All of ours that native code begins with: kernels, plug-ins, crossings, and what is compiled for the engines."""
    found = [*contract.KERNELS, *contract.LARGE_KERNELS]
    crossings = contract.CROSSINGS.items()
    found += [getattr(called.OURS[rule.owner], name) for name, rule in crossings if rule.owner in called.OURS]
    for family in ("values", "policies"):
        for name in registry.names(family):
            found += native_functions_of(registry.find(family, name))
    return [function for function in [*found, *compiled()] if called.is_ours(inspect.unwrap(function))]


def native_functions_of(plugin: type) -> list[Callable[..., Any]]:
    """Those of one class."""
    declared = [inspect.getattr_static(plugin, name, None) for name in contract.CROSSINGS]
    return [each.__func__ for each in declared if isinstance(each, staticmethod)]


def compiled() -> Iterator[Callable[..., Any]]:
    """What is given to the compiler anywhere in the package."""
    for file in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(("primum", *file.relative_to(PACKAGE).with_suffix("").parts))
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in COMPILERS:
                given = ast.unparse(node.args[0])
                if given != "function":  # inside of _native
                    yield eval(given, vars(importlib.import_module(module)))

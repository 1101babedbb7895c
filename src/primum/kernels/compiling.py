"""Compilation of plain functions to native code, the only use of Numba; imported when a run starts."""

from __future__ import annotations

import functools
import math
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import NumbaError
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, overload, register_jitable, register_model
from numba.np import arrayobj

from primum.errors import CompilationError
from primum.kernels import contract, records, weighting
from primum.kernels.contract import ARRAYS, CROSSINGS, NUMBERS, ONE_ARRAY, WORDS
from primum.store import fingerprints
from primum.store.files import cache_folder

OURS = {"records": records, "weighting": weighting}  # owners of crossings that are neither value nor policy
OPTIONS = {"error_model": "numpy"}  # a division by zero gives inf or nan, which the guard in records.py reports
NATIVE_FOLDERS = 10  # folders of native code that are kept, each for one fingerprint
_lock = threading.RLock()


class HistoryType(types.Type):
    def __init__(self) -> None:
        super().__init__("History")


@register_model(HistoryType)
class _HistoryModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, ir.IntType(64))


HISTORY = HistoryType()
TYPES = {
    "int": types.int64,
    "float": types.float64,
    "none": types.void,
    "history": HISTORY,
    # read-only, so that a value that writes to its sample does not compile
    "sample": types.Array(types.float64, 1, "C", readonly=True),
}


@intrinsic
def _history_at(typingctx: Any, address: Any) -> Any:
    """The History whose row of words is at an address."""
    return HISTORY(types.int64), lambda context, builder, signature, arguments: arguments[0]


@intrinsic(prefer_literal=True)
def _set_word(typingctx: Any, history: Any, index: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _slot(builder, arguments[0], index.literal_value))
        return context.get_dummy_value()

    return types.void(HISTORY, index, types.int64), code


def _slot(builder: Any, address: Any, index: int) -> Any:
    word = ir.IntType(64)
    return builder.inttoptr(builder.add(address, ir.Constant(word, 8 * index)), word.as_pointer())


def _array_type(name: str) -> Any:
    dtype, dims = ARRAYS[name]
    return types.Array(numba.from_dtype(np.dtype(dtype)), len(dims), "C")


@infer_getattr
class _HistoryAttributes(AttributeTemplate):
    """history.step, history.pulls and all the others."""

    key = HistoryType

    def generic_resolve(self, history: Any, name: str) -> Any:
        if name in NUMBERS or name in CROSSINGS:
            return types.int64
        return _array_type(name) if name in ARRAYS else None


@lower_getattr_generic(HistoryType)
def _read_attribute(context: Any, builder: Any, history: Any, address: Any, name: str) -> Any:
    """A word, or an array whose address and extents are words: no memory management, no copy."""
    word = builder.load(_slot(builder, address, WORDS[name]))
    if name not in ARRAYS:
        return word
    kind, shape = _array_type(name), [builder.load(_slot(builder, address, WORDS[dim])) for dim in ARRAYS[name][1]]
    data = builder.inttoptr(word, context.get_data_type(kind.dtype).as_pointer())
    return _array(context, builder, kind, data, shape)


def _array(context: Any, builder: Any, kind: Any, data: Any, shape: list[Any]) -> Any:
    width = ir.Constant(ir.IntType(64), 8)  # all our numbers have 8 bytes
    strides = [width] if len(shape) == 1 else [builder.mul(shape[1], width), width]
    array = context.make_array(kind)(context, builder)
    arrayobj.populate_array(array, data, shape, strides, itemsize=width, meminfo=None)
    return array._getvalue()


def _invoker(name: str) -> Any:
    """Native code for one crossing: call the function in the history's words with the arguments and the parameters."""
    crossing = CROSSINGS[name]
    result, heads = TYPES[crossing.result], [TYPES[head] for head in crossing.arguments]

    @intrinsic
    def invoke(typingctx: Any, history: Any, arguments: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            def word(name: str) -> Any:
                return builder.load(_slot(builder, values[0], WORDS[name]))

            given = [
                context.cast(builder, builder.extract_value(values[1], i), have, want)
                for i, (have, want) in enumerate(zip(arguments.types, heads, strict=True))
            ]
            head_types = [context.get_value_type(head) for head in heads]
            back = ir.VoidType() if result is types.void else context.get_value_type(result)
            out = None if result is types.void else cgutils.alloca_once(builder, back)

            def call(parameters: list[Any]) -> None:
                kind = ir.FunctionType(back, head_types + [parameter.type for parameter in parameters])
                answer = builder.call(builder.inttoptr(word(name), kind.as_pointer()), given + parameters)
                if out is not None:
                    builder.store(answer, out)

            if crossing.owner == "recorder":
                with builder.if_then(builder.icmp_unsigned("!=", word(name), word(name).type(0)), likely=False):
                    call([])
            elif crossing.owner in OURS:
                call([])
            else:
                data = builder.inttoptr(word(f"{crossing.owner}_parameters"), ir.DoubleType().as_pointer())
                done = builder.append_basic_block("called")
                switch = builder.switch(word(f"{crossing.owner}_form"), done)
                for form in range(ONE_ARRAY + 1):
                    case = builder.append_basic_block(f"parameters_{form}")
                    switch.add_case(ir.Constant(ir.IntType(64), form), case)
                    builder.position_at_end(case)
                    if form == ONE_ARRAY:
                        call([_array(context, builder, TYPES["sample"], data, [word(f"{crossing.owner}_count")])])
                    else:
                        call([builder.load(builder.gep(data, [ir.Constant(ir.IntType(64), i)])) for i in range(form)])
                    builder.branch(done)
                builder.position_at_end(done)
            return context.get_dummy_value() if out is None else builder.load(out)

        return result(HISTORY, arguments), code

    return invoke


def _declare_crossings() -> None:
    """contract.choose, contract.from_moments and the others."""

    def crossing(name: str) -> Any:  # Numba wants the arguments spelt out
        invoke = _invoker(name)
        match len(CROSSINGS[name].arguments), CROSSINGS[name].arguments[0] == "history":
            case 1, True:
                return lambda history: lambda history: invoke(history, (history,))
            case 2, True:
                return lambda history, a: lambda history, a: invoke(history, (history, a))
            case 3, True:
                return lambda history, a, b: lambda history, a, b: invoke(history, (history, a, b))
            case 4, True:
                return lambda history, a, b, c: lambda history, a, b, c: invoke(history, (history, a, b, c))
            case 6, True:
                return lambda history, a, b, c, d, e: (
                    lambda history, a, b, c, d, e: invoke(history, (history, a, b, c, d, e))
                )
            case 1, False:
                return lambda history, a: lambda history, a: invoke(history, (a,))
            case 2, False:
                return lambda history, a, b: lambda history, a, b: invoke(history, (a, b))
            case _:
                return lambda history, a, b, c: lambda history, a, b, c: invoke(history, (a, b, c))

    for name, rule in CROSSINGS.items():
        overload(getattr(OURS.get(rule.owner, contract), name), strict=False)(crossing(name))

    @overload(contract.history_of, strict=False)
    def history_of(histories: Any, row: Any) -> Any:
        return lambda histories, row: _history_at(np.int64(histories.ctypes.data) + row * histories.strides[0])

    step, fault = WORDS["step"], WORDS["fault"]

    @overload(contract.set_step, strict=False)
    def set_step(history: Any, value: Any) -> Any:
        return lambda history, value: _set_word(history, step, value)

    @overload(contract.set_fault, strict=False)
    def set_fault(history: Any, value: Any) -> Any:
        def set_first(history: Any, value: Any) -> None:
            if history.fault == 0:
                _set_word(history, fault, value)

        return set_first


@functools.cache
def _prepare() -> Path:
    """Make the crossings known to Numba, once, and give the folder of native code."""
    _declare_crossings()
    # Numba checks only the caller's own file: a fingerprint of all sources tells when a helper has changed
    return _folder(cache_folder("native") / fingerprints.native_code()[:16])


def _folder(wanted: Path) -> Path:
    """A folder to write to, or a temporary one where that is not possible; of the others, those used last are kept."""
    try:
        wanted.mkdir(parents=True, exist_ok=True)
        (wanted / "used").touch()
        os.utime(wanted)  # the folders used last are kept
        others = sorted(wanted.parent.iterdir(), key=lambda folder: folder.stat().st_mtime, reverse=True)
    except OSError:
        return Path(tempfile.mkdtemp(prefix="primum-"))
    for old in others[NATIVE_FOLDERS:]:
        shutil.rmtree(old, ignore_errors=True)
    return wanted


@functools.cache
def _register(function: Callable[..., Any], inlined: bool) -> None:
    """Make a kernel known to Numba, once."""
    register_jitable(**OPTIONS, **({"forceinline": True} if inlined else {}))(function)


class _cached:
    """While active, functions declared to Numba keep their native code in our directory, and every kernel is known."""

    def __enter__(self) -> None:
        self.before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_prepare())
        for function in contract.KERNELS:
            _register(function, True)
        for function in contract.LARGE_KERNELS:
            _register(function, False)

    def __exit__(self, *_: object) -> None:
        numba.config.CACHE_DIR = self.before


def _is_ours(function: Callable[..., Any]) -> bool:
    """Only our own functions are kept on disk: a user's may change without its file changing."""
    return _is_in_package(function.__code__.co_filename)


@functools.cache
def _is_in_package(file: str) -> bool:
    return Path(file).resolve().is_relative_to(fingerprints.PACKAGE)


@functools.cache
def compiled(function: Callable[..., Any]) -> Any:
    """A function of the engine, callable from Python, that releases the GIL."""
    with _lock, _cached():
        return numba.njit(nogil=True, cache=_is_ours(function), **OPTIONS)(function)


@functools.cache
def native(function: Callable[..., Any], crossing: str, form: int, owner: str) -> Any:
    """The native form of a plug-in's function; `.address` is what crosses into the engine."""
    rule = CROSSINGS[crossing]
    parameters = [TYPES["sample"]] if form == ONE_ARRAY else [types.float64] * form
    arguments = *(TYPES[name] for name in rule.arguments), *parameters
    with _lock, _cached():
        try:
            safe = function if _is_ours(function) else _guarded(function, rule.result, arguments)
            return numba.cfunc(TYPES[rule.result](*arguments), cache=_is_ours(function), **OPTIONS)(safe)
        except Exception as error:  # Numba has more errors than those it calls its own
            raise CompilationError(_explain(crossing, owner, str(error))) from None


def _guarded(function: Callable[..., Any], result: str, arguments: tuple[Any, ...]) -> Any:
    """A user's function with its indices checked, that gives nan, -1 or a fault where the function raises.

    Numba would print an exception in a native callback and continue with an arbitrary number.
    """
    _refuse_random(function)
    names = ", ".join(f"a{i}" for i in range(len(arguments)))
    failed = {"float": "return nan", "int": "return -1", "none": "set_fault(a0, -1)"}[result]
    source = (
        f"def guarded({names}):\n    try:\n        return function({names})\n    except Exception:\n        {failed}"
    )
    checked = numba.njit(TYPES[result](*arguments), boundscheck=True, **OPTIONS)(function)
    scope = {"function": checked, "nan": math.nan, "set_fault": contract.set_fault}
    exec(source, scope)
    return scope["guarded"]


def _refuse_random(function: Callable[..., Any]) -> None:
    if "random" in function.__code__.co_names:
        raise NumbaError("it uses `random`; draw from history.stream (primum.kernels), so that runs can be repeated")


def _explain(crossing: str, owner: str, message: str) -> str:
    """One sentence on why a plug-in's function does not compile."""
    message = re.sub(r"\x1b\[[0-9;]*m", "", message)  # where colorama is installed, Numba writes in bold
    if "readonly array" in message or "immutable" in message or "read-only" in message.lower():
        return f"{owner}.{crossing} writes to its sample; work on a copy: np.sort(sample), sample.copy()"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    reason = next((line for line in lines if not line.startswith(("Failed in", "During", "- "))), "unknown reason")
    where = next((line for line in lines if line.startswith("File ")), "").removesuffix(":")
    return f"{owner}.{crossing} cannot be compiled: {reason}" + (f" ({where})" if where else "")


def connect(histories: contract.Histories) -> None:
    """Put the native functions of the value, the policy and the records into the histories' words.

    Of the records only what the policy calls, so that nothing unused is compiled.
    """
    value, policy = histories.value, histories.policy
    _check_called(value)
    called = _check_called(policy)
    for name, rule in CROSSINGS.items():
        if rule.owner in OURS:
            function = getattr(OURS[rule.owner], name)
            if function not in called:
                function = records.UNCONNECTED[len(rule.arguments)]
            histories.words[:, WORDS[name]] = native(function, name, 0, rule.owner).address
    for plugin in (value, policy):
        for name in plugin.crossings():
            function = native(plugin.function(name), name, contract.form(plugin), plugin.name)
            histories.words[:, WORDS[name]] = function.address


def _check_called(plugin: Any) -> set[Any]:
    """All functions that a plug-in calls in native code; a CompilationError if one that is not ours is random."""
    called: set[Any] = set()
    for name in plugin.crossings():
        _gather(plugin.function(name), called)
        for function in called:
            if not _is_ours(function):
                try:
                    _refuse_random(function)
                except NumbaError as error:
                    raise CompilationError(_explain(name, plugin.name, str(error))) from None
    return called


def _gather(function: Any, called: set[Any]) -> None:
    """All kernels that a function calls, directly or through others."""
    function = getattr(function, "py_func", function)  # of what a user compiled
    code = getattr(function, "__code__", None)
    if code is None or function in called:
        return
    called.add(function)
    captured = dict(zip(code.co_freevars, (cell.cell_contents for cell in function.__closure__ or ()), strict=True))
    crossings = [getattr(OURS[rule.owner], name) for name, rule in CROSSINGS.items() if rule.owner in OURS]
    known = {kernel.__name__: kernel for kernel in (*contract.KERNELS, *contract.LARGE_KERNELS, *crossings)}
    for name in (*code.co_names, *code.co_freevars):  # as a global, from a scope around, or as an attribute of a module
        for used in (function.__globals__.get(name), captured.get(name), known.get(name)):
            if callable(used) and (used in known.values() or hasattr(used, "py_func")):
                _gather(used, called)


def has_native_code() -> bool:
    """Whether an earlier process has left native code of these sources on disk."""
    return any(_prepare().rglob("*.nbi"))

"""From plain functions to native ones: the only place that says how Numba is used. Imported when a run starts."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
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
from numba.np import arrayobj
from numba.extending import intrinsic, models, overload, overload_attribute, register_jitable, register_model

from primum.errors import CompilationError
from primum.kernels import contract
from primum.kernels.contract import ARRAYS, CROSSINGS, NUMBERS, WORDS, Crossing
from primum.parameters import MOST_PARAMETERS

PACKAGE = Path(__file__).resolve().parent.parent
OPTIONS = {"error_model": "numpy"}  # a division by zero gives inf or nan, which the guard in records.py reports
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
def _word(typingctx: Any, history: Any, index: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.load(_slot(builder, arguments[0], index.literal_value))

    return types.int64(HISTORY, index), code


@intrinsic(prefer_literal=True)
def _set_word(typingctx: Any, history: Any, index: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _slot(builder, arguments[0], index.literal_value))
        return context.get_dummy_value()

    return types.void(HISTORY, index, types.int64), code


def _slot(builder: Any, address: Any, index: int) -> Any:
    word = ir.IntType(64)
    return builder.inttoptr(builder.add(address, ir.Constant(word, 8 * index)), word.as_pointer())


def _array(index: int, dtype: Any, dims: list[int]) -> Any:
    """Native code for an array attribute: its address and extents are words; no memory management, no copy."""
    kind = types.Array(numba.from_dtype(np.dtype(dtype)), len(dims), "C")
    size = np.dtype(dtype).itemsize

    @intrinsic
    def view(typingctx: Any, history: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address, *shape = (builder.load(_slot(builder, arguments[0], word)) for word in (index, *dims))
            width = ir.Constant(ir.IntType(64), size)
            strides = [width] if len(dims) == 1 else [builder.mul(shape[1], width), width]
            array = context.make_array(kind)(context, builder)
            data = builder.inttoptr(address, context.get_data_type(kind.dtype).as_pointer())
            arrayobj.populate_array(array, data, shape, strides, itemsize=width, meminfo=None)
            return array._getvalue()

        return kind(HISTORY), code

    return view


def _invoker(crossing: Crossing) -> Any:
    """Native code for one crossing: call the function at an address with the arguments and the owner's parameters."""
    result, heads = TYPES[crossing.result], [TYPES[name] for name in crossing.arguments]

    @intrinsic
    def invoke(typingctx: Any, address: Any, parameters: Any, arguments: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            array = context.make_array(parameters)(context, builder, values[1])
            given = [
                context.cast(builder, builder.extract_value(values[2], i), have, want)
                for i, (have, want) in enumerate(zip(arguments.types, heads, strict=True))
            ]
            back = ir.VoidType() if result is types.void else context.get_value_type(result)
            out = None if result is types.void else cgutils.alloca_once(builder, back)
            done = builder.append_basic_block("called")
            switch = builder.switch(builder.trunc(array.nitems, ir.IntType(32)), done)
            double = ir.DoubleType()
            for count in range(MOST_PARAMETERS + 1):
                case = builder.append_basic_block(f"parameters_{count}")
                switch.add_case(ir.Constant(ir.IntType(32), count), case)
                builder.position_at_end(case)
                more = [
                    builder.load(builder.gep(array.data, [ir.Constant(ir.IntType(64), i)])) for i in range(count)
                ]
                head_types = [context.get_value_type(head) for head in heads]
                kind = ir.FunctionType(back, head_types + [double] * count)
                answer = builder.call(builder.inttoptr(values[0], kind.as_pointer()), given + more)
                if out is not None:
                    builder.store(answer, out)
                builder.branch(done)
            builder.position_at_end(done)
            return context.get_dummy_value() if out is None else builder.load(out)

        return result(types.int64, parameters, arguments), code

    return invoke


def _declare_attributes() -> None:
    """history.step, history.pulls and all the others."""

    def number(index: int) -> Any:
        return lambda history: lambda history: _word(history, index)

    def array(view: Any) -> Any:
        return lambda history: lambda history: view(history)

    for name in NUMBERS:
        overload_attribute(HistoryType, name)(number(WORDS[name]))
    for name, (dtype, dims) in ARRAYS.items():
        overload_attribute(HistoryType, name)(array(_array(WORDS[name], dtype, [WORDS[dim] for dim in dims])))


def _declare_crossings() -> None:
    """contract.choose, contract.from_moments and the others."""

    def crossing(name: str) -> Any:
        invoke, index = _invoker(CROSSINGS[name]), WORDS[name]
        if CROSSINGS[name].owner == "policy":
            if CROSSINGS[name].arguments == ("history",):
                return lambda history: lambda history: invoke(
                    _word(history, index), history.policy_parameters, (history,)
                )
            return lambda history, a, b: lambda history, a, b: invoke(
                _word(history, index), history.policy_parameters, (history, a, b)
            )
        count = len(CROSSINGS[name].arguments)
        if count == 1:
            return lambda history, a: lambda history, a: invoke(_word(history, index), history.value_parameters, (a,))
        if count == 2:
            return lambda history, a, b: lambda history, a, b: invoke(
                _word(history, index), history.value_parameters, (a, b)
            )
        return lambda history, a, b, c: lambda history, a, b, c: invoke(
            _word(history, index), history.value_parameters, (a, b, c)
        )

    for name in CROSSINGS:
        overload(getattr(contract, name), strict=False)(crossing(name))

    @overload(contract.history_of, strict=False)
    def history_of(histories: Any, row: Any) -> Any:
        return lambda histories, row: _history_at(np.int64(histories.ctypes.data) + row * histories.strides[0])

    def setter(index: int) -> Any:
        return lambda history, value: lambda history, value: _set_word(history, index, value)

    overload(contract.set_step, strict=False)(setter(WORDS["step"]))
    overload(contract.set_fault, strict=False)(setter(WORDS["fault"]))


@functools.cache
def _prepare() -> Path:
    """Make every kernel known to Numba, once, and say where native code is kept between processes."""
    _declare_attributes()
    _declare_crossings()
    for function in contract.KERNELS:
        register_jitable(**OPTIONS)(function)
    # Numba checks only the caller's own file: key the directory by all sources, or a changed helper goes unnoticed.
    digest = hashlib.sha256(f"{numba.__version__} {np.__version__} {sys.version}".encode())
    for source in sorted(PACKAGE.rglob("*.py")):
        digest.update(source.read_bytes())
    root = os.environ.get("PRIMUM_CACHE") or Path.home() / ".cache" / "primum"
    return Path(root) / "native" / digest.hexdigest()[:16]


class _cached:
    """While active, functions declared to Numba keep their native code in our directory."""

    def __enter__(self) -> None:
        self.before = numba.config.CACHE_DIR
        numba.config.CACHE_DIR = str(_prepare())

    def __exit__(self, *_: object) -> None:
        numba.config.CACHE_DIR = self.before


def _is_ours(function: Callable[..., Any]) -> bool:
    """Only our own functions are kept on disk: a user's may change without its file changing."""
    return Path(function.__code__.co_filename).resolve().is_relative_to(PACKAGE)


@functools.cache
def compiled(function: Callable[..., Any]) -> Any:
    """A function of the engine, callable from Python, that releases the GIL."""
    with _lock, _cached():
        return numba.njit(nogil=True, cache=True, **OPTIONS)(function)


@functools.cache
def native(function: Callable[..., Any], crossing: str, parameters: int, owner: str) -> Any:
    """The native form of a plug-in's function; `.address` is what crosses into the engine."""
    rule = CROSSINGS[crossing]
    signature = TYPES[rule.result](*(TYPES[name] for name in rule.arguments), *[types.float64] * parameters)
    with _lock, _cached():
        try:
            return numba.cfunc(signature, nopython=True, cache=_is_ours(function), **OPTIONS)(function)
        except NumbaError as error:
            raise CompilationError(_explain(function, crossing, owner, str(error))) from None


def _explain(function: Callable[..., Any], crossing: str, owner: str, message: str) -> str:
    """One sentence on why a plug-in's function does not compile."""
    if "readonly array" in message or "immutable" in message or "read-only" in message.lower():
        return f"{owner}.{crossing} writes to its sample, which must stay as it is; work on a copy: np.sort(sample), sample.copy()"
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    said = next((line for line in lines if not line.startswith(("Failed in", "During", "- "))), "unknown reason")
    where = next((line for line in lines if line.startswith("File ")), "").removesuffix(":")
    return f"{owner}.{crossing} cannot be compiled: {said}" + (f" ({where})" if where else "")

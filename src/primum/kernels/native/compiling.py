"""Compilation of plain functions to native code; imported when a run starts.

No other file uses Numba, except `native_cache`.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from llvmlite.binding import ffi
from numba import types
from numba.core import callconv, cgutils
from numba.core.ccallback import CFunc
from numba.core.compiler_lock import global_compiler_lock
from numba.core.errors import NumbaError
from numba.core.imputils import lower_getattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, models, overload, register_jitable, register_model
from numba.np import arrayobj

from primum.errors import CompilationError
from primum.kernels import contract, records
from primum.kernels.contract import ARRAYS, CROSSINGS, NUMBERS, ONE_ARRAY, WORDS, WRITABLE
from primum.kernels.native import native_cache
from primum.kernels.native.called import OURS, called_by, explain, is_ours
from primum.store.compiled_code import code_digest

OPTIONS = {"error_model": "numpy"}  # a division by zero gives inf or nan, which the guard in records.py reports
FOREIGN_OPTIONS = {"error_model": "foreign", "boundscheck": True}  # for functions of plug-ins that are not ours
RESULTS = {"int": (types.Integer, types.Boolean), "float": (types.Float, types.Integer, types.Boolean)}
_lock = threading.RLock()
LOCKS = (_lock, global_compiler_lock, ffi.lib._lock)  # of ours, Numba and LLVM, in the order in which they are taken


class HistoryType(types.Type):
    """A pointer to a History; a policy's can write only to the arrays that are the policy's own."""

    def __init__(self, of_policy: bool = False) -> None:
        self.of_policy = of_policy
        super().__init__("PolicyHistory" if of_policy else "History")


@register_model(HistoryType)
class _HistoryModel(models.PrimitiveModel):
    def __init__(self, manager: Any, fe_type: Any) -> None:
        super().__init__(manager, fe_type, ir.IntType(64))


class _ForeignErrors(callconv.NumpyErrorModel):
    """NumPy's rules, but // and % of whole numbers by zero raise: native code would give 0."""

    def fp_zero_division(self, builder: Any, exc_args: Any = None, loc: Any = None) -> bool:
        if not exc_args or not exc_args[0].startswith("integer "):
            return False
        self.call_conv.return_user_exc(builder, ZeroDivisionError, exc_args, loc)
        return True


callconv.error_models["foreign"] = _ForeignErrors
HISTORY, POLICY_HISTORY = HistoryType(), HistoryType(of_policy=True)
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
    """The History whose row of words is at an address, or that another history points to."""
    return HISTORY(address), lambda context, builder, signature, arguments: arguments[0]


@intrinsic(prefer_literal=True)
def _set_word(typingctx: Any, history: Any, index: Any, value: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        builder.store(arguments[2], _slot(builder, arguments[0], index.literal_value))
        return context.get_dummy_value()

    return types.void(history, index, types.int64), code


def _slot(builder: Any, address: Any, index: int) -> Any:
    word = ir.IntType(64)
    return builder.inttoptr(builder.add(address, ir.Constant(word, 8 * index)), word.as_pointer())


def _array_type(history: Any, name: str) -> Any:
    dtype, dims = ARRAYS[name]
    readonly = history.of_policy and name not in WRITABLE
    return types.Array(numba.from_dtype(np.dtype(dtype)), len(dims), "C", readonly=readonly)


@infer_getattr
class _HistoryAttributes(AttributeTemplate):
    """history.step, history.pulls and all the others."""

    key = HistoryType

    def generic_resolve(self, history: Any, name: str) -> Any:
        if name in NUMBERS or name in CROSSINGS:
            return types.int64
        return _array_type(history, name) if name in ARRAYS else None


@lower_getattr_generic(HistoryType)
def _read_attribute(context: Any, builder: Any, history: Any, address: Any, name: str) -> Any:
    """A word, or an array whose address and extents are words: no memory management, no copy."""
    word = builder.load(_slot(builder, address, WORDS[name]))
    if name not in ARRAYS:
        return word
    kind = _array_type(history, name)
    shape = [builder.load(_slot(builder, address, WORDS[dim])) for dim in ARRAYS[name][1]]
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
                _cast(context, builder, builder.extract_value(values[1], i), have, want)
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

        return result(history, arguments), code

    return invoke


def _cast(context: Any, builder: Any, value: Any, have: Any, want: Any) -> Any:
    return value if isinstance(have, HistoryType) else context.cast(builder, value, have, want)


@functools.cache
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

    @overload(contract.whole_history, strict=False)
    def whole_history(history: Any) -> Any:
        return lambda history: _history_at(history)

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
def _register(function: Callable[..., Any], inlined: bool) -> None:
    """Make a kernel known to Numba, once; those of plug-ins with their indices checked."""
    if is_ours(function):
        register_jitable(**OPTIONS, **({"forceinline": True} if inlined else {}))(function)
    else:
        register_jitable(**FOREIGN_OPTIONS)(function)


def _prepare() -> None:
    """Make the crossings and all kernels known to Numba."""
    _declare_crossings()
    for function in contract.KERNELS:
        _register(function, True)
    for function in contract.LARGE_KERNELS:
        _register(function, False)


@functools.cache
def compiled(function: Callable[..., Any]) -> Any:
    """A function of the engine, callable from Python, that releases the GIL."""
    with _lock:
        _prepare()
        dispatcher = numba.njit(nogil=True, **OPTIONS)(function)
        if is_ours(function):
            dispatcher._cache = native_cache.NativeCache(function)
        return dispatcher


@functools.cache
def native(function: Callable[..., Any], crossing: str, form: int, owner: str) -> Any:
    """The native form of a plug-in's function; `.address` is what crosses into the engine."""
    rule = CROSSINGS[crossing]
    ours = is_ours(function)
    parameters = [TYPES["sample"]] if form == ONE_ARRAY else [types.float64] * form
    known = TYPES | {"history": POLICY_HISTORY} if rule.owner == "policy" else TYPES
    arguments = *(known[name] for name in rule.arguments), *parameters
    with _lock:
        _prepare()
        try:
            signature = arguments, TYPES[rule.result]
            callback: Any = CFunc(function, signature, locals={}, options=OPTIONS)
            cache: Any = native_cache.NativeCache(function) if ours else _foreign_cache(function)
            if not ours and (cache is None or not _is_kept(cache, callback)):
                callback = CFunc(
                    _guarded(function, rule.result, arguments, cache), signature, locals={}, options=OPTIONS
                )
            if cache is not None:
                callback._cache = cache
            callback.compile()
            return callback
        except Exception as error:  # Numba has more errors than those it calls its own
            raise CompilationError(explain(crossing, owner, str(error))) from None


def _is_kept(cache: native_cache.ForeignCache, callback: Any) -> bool:
    return cache.load_overload(callback._sig, callback._targetdescr.target_context) is not None


def _foreign_cache(function: Callable[..., Any]) -> native_cache.ForeignCache | None:
    """Where native code of a user's function is kept; None if it is not known what it depends on."""
    digest = code_digest(function) if isinstance(function, FunctionType) else None
    return native_cache.ForeignCache(function, digest) if digest else None


def _guarded(
    function: Callable[..., Any], result: str, arguments: tuple[Any, ...], cache: native_cache.ForeignCache | None
) -> Any:
    """A user's function with its indices checked, that gives nan, -1 or a fault where the function raises.

    Numba would print an exception in a native callback and continue with an arbitrary number, and round a result that
    is not a whole number where one is needed. Functions that are kept get names of their own, because in another
    process no symbol may have the name of other code.
    """
    name = "guarded"
    if cache is not None:
        function, name = _renamed(function, cache.digest), f"guarded_{cache.digest}"
    names = ", ".join(f"a{i}" for i in range(len(arguments)))
    failed = {"float": "return nan", "int": "return -1", "none": "set_fault(a0, -2)"}[result]
    source = (
        f"def {name}({names}):\n    try:\n        return function({names})\n    except Exception:\n        {failed}"
    )
    checked = numba.njit(arguments, **FOREIGN_OPTIONS)(function)
    (returned,) = (native.signature.return_type for native in checked.overloads.values())
    if result in RESULTS and not isinstance(returned, RESULTS[result]):
        wanted = {"int": "a whole number", "float": "a number"}[result]
        raise NumbaError(f"it must return {wanted} in all cases, and returns {returned}")
    scope = {"__name__": __name__, "function": checked, "nan": math.nan, "set_fault": contract.set_fault}
    exec(source, scope)
    return scope[name]


def _renamed(function: Any, digest: str) -> Any:
    """A copy of a function whose native symbol has a digest in its name."""
    copy = FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__qualname__ = f"{function.__qualname__}_{digest}"
    copy.__module__ = function.__module__
    return copy


def connect(histories: contract.Histories) -> None:
    """Put the native functions of the value, the policy and the records into the histories' words.

    Of the records only what the policy calls, so that nothing unused is compiled.
    """
    value, policy = histories.value, histories.policy
    called_by(type(value), value._crossings(), len(contract.KERNELS) + len(contract.LARGE_KERNELS))
    called = called_by(type(policy), policy._crossings(), len(contract.KERNELS) + len(contract.LARGE_KERNELS))
    for name, rule in CROSSINGS.items():
        if rule.owner in OURS:
            function = getattr(OURS[rule.owner], name)
            if function not in called:
                function = records.UNCONNECTED[len(rule.arguments)]
            histories.words[:, WORDS[name]] = native(function, name, 0, rule.owner).address
    for plugin in (value, policy):
        for name in plugin._crossings():
            function = native(plugin.function(name), name, contract.form(plugin), plugin.name)
            histories.words[:, WORDS[name]] = function.address


def has_native_code() -> bool:
    """Whether an earlier process has left native code of these sources on disk."""
    return any(native_cache.folder().glob(f"*{native_cache.SUFFIX}"))

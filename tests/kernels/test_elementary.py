"""Logarithm, exponential and power against decimal arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest

from primum.kernels import elementary
from primum.kernels.contract import log_factorials
from primum.kernels.elementary import exp, exp_of_array, expm1, log, log1p, power
from primum.kernels.native import compiling

ERROR = 0.6  # units in the last place
RNG = np.random.default_rng(6)
COUNT = 300
NEAR_1 = np.concatenate([1 + size * RNG.standard_normal(COUNT) for size in (1e-15, 1e-9, 1e-6, 1e-3, 1e-2, 0.1)])
POSITIVE = np.concatenate([RNG.random(COUNT), 10 ** RNG.uniform(-307, 308, COUNT), NEAR_1])
SMALL = RNG.standard_normal(COUNT) * 10.0 ** RNG.uniform(-15, 0, COUNT)
EXPONENTS = np.concatenate([RNG.uniform(-700, 709, COUNT), RNG.uniform(-0.1, 0.1, COUNT), RNG.uniform(-5, 5, COUNT)])
FUNCTIONS = {
    log: (POSITIVE, Decimal.ln),
    log1p: (np.concatenate([SMALL[SMALL > -1], NEAR_1 - 1, POSITIVE[POSITIVE > 1e-30]]), lambda x: (1 + x).ln()),
    exp: (np.concatenate([EXPONENTS, SMALL]), Decimal.exp),
    expm1: (np.concatenate([EXPONENTS, SMALL]), lambda x: x.exp() - 1),
}


def error_in_last_place(found, exact):
    """The error of a float, relative to the distance of floats at the exact number."""
    return float(abs(Decimal(found) - exact) / Decimal(math.ulp(float(exact))))


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_functions_are_accurate(function):
    arguments, exact = FUNCTIONS[function]
    with localcontext() as context:
        context.prec = 80
        for x in arguments[arguments != 0.0].tolist():
            assert error_in_last_place(function(x), exact(Decimal(x))) < ERROR, x


def test_powers_are_accurate():
    wide = 10 ** RNG.uniform(-5, 5, COUNT), RNG.standard_normal(COUNT) * 20
    near_1 = NEAR_1, np.repeat([1e12, 1e7, 1e5, 1e3, 100, 10], COUNT) * RNG.standard_normal(NEAR_1.size)
    with localcontext() as context:
        context.prec = 60
        for bases, exponents in (wide, near_1):
            for x, y in zip(bases.tolist(), exponents.tolist(), strict=True):
                assert error_in_last_place(power(x, y), (Decimal(x).ln() * Decimal(y)).exp()) < ERROR, (x, y)
    assert [power(x, 3.0) for x in (0.5, 3.0, -3.0, 10.0)] == [0.125, 27.0, -27.0, 1000.0]


def test_special_arguments():
    inf, nan = math.inf, math.nan
    assert [log(x) for x in (0.0, 1.0, inf)] == [-inf, 0.0, inf]
    assert [log1p(x) for x in (-1.0, 0.0, 5e-324, inf)] == [-inf, 0.0, 5e-324, inf]
    assert [exp(x) for x in (-inf, -746.0, 0.0, 709.79, inf)] == [0.0, 0.0, 1.0, inf, inf]
    assert [expm1(x) for x in (-inf, -50.0, 0.0, 5e-324, 710.0, inf)] == [-1.0, -1.0, 0.0, 5e-324, inf, inf]
    assert [power(0.0, y) for y in (-1.0, 0.0, 2.0)] == [inf, 1.0, 0.0]
    assert [power(x, inf) for x in (0.5, 1.0, 2.0, -2.0)] == [0.0, 1.0, inf, inf]
    assert [power(inf, y) for y in (-1.0, 0.0, 1e-9)] == [0.0, 1.0, inf]
    undefined = (
        log(-1.0),
        log(nan),
        log1p(-2.0),
        exp(nan),
        expm1(nan),
        power(-2.0, 0.5),
        power(nan, 1.0),
        power(2.0, nan),
    )
    assert all(map(math.isnan, undefined))
    for x in (5e-324, 1e-310, 1.7976931348623157e308):
        assert math.isclose(log(x), math.log(x), rel_tol=1e-15)
        assert math.isclose(exp(math.log(x)), math.exp(math.log(x)), rel_tol=1e-15, abs_tol=5e-324)
        assert math.isclose(power(x, 0.5), math.sqrt(x), rel_tol=1e-15)


def test_native_code_gives_the_same_numbers():
    for function, (arguments, _) in FUNCTIONS.items():
        values = np.empty(arguments.size)
        compiling.compiled(_each(function))(arguments, values)
        np.testing.assert_array_equal(values, [function(x) for x in arguments.tolist()])
    native = compiling.compiled(lambda x, y: elementary.power(x, y))
    assert [native(x, 0.37) for x in POSITIVE.tolist()] == [power(x, 0.37) for x in POSITIVE.tolist()]


def _each(function):
    def each(arguments, values):
        for i in range(arguments.size):
            values[i] = function(arguments[i])

    return each


def test_arrays_of_exponents():
    exponents = -np.abs(np.append(EXPONENTS, [0.0, 745.0, 746.0, math.inf]))
    assert exp_of_array(exponents).tolist() == [exp(x) for x in exponents.tolist()]


def test_logarithms_of_factorials_are_accurate():
    table = log_factorials()
    with localcontext() as context:
        context.prec = 40
        exact = Decimal(0)
        for k in range(1, 2_000):
            exact += Decimal(k).ln()
            assert exact == 0 or error_in_last_place(table[k], exact) < 1, k
    assert math.isclose(table[-1], math.lgamma(table.size), rel_tol=1e-15)

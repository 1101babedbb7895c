"""Logarithm, exponential and power from additions and multiplications, which every processor rounds alike.

The functions of C libraries differ in the last digit between versions, and between processors with and without fused
multiply-add; near a tie that digit decides. These are as accurate, with errors below 0.6 units in the last place (1
where an argument or a result is below 1e-307), and give inf or nan where `math` raises an exception.

Both use tables, as Tang's do (ACM TOMS 15(2), 1989, and 16(4), 1990). log x = k log 2 - log c + log(1 + r), where
x = 2^k z with z between 0.69 and 1.38, c is near 1 / z and has few digits, and r = c z - 1 is exact in two
parts. exp x = 2^m 2^(i/128) exp(r) with |r| below log(2) / 256.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from typing import Any

import numpy as np

from primum.kernels.contract import kernel, large_kernel

CELLS = 128  # between z and 2 z
LOWEST = 0x3FE6100000000000  # the bits of the smallest z; so 1 is in the middle of a cell
UPPER, HALF = -(1 << 32), 1 << 31  # the bits of a number's exponent and first 21 digits; half of the last of them
NORMAL = 2.0**-1022  # smaller numbers have fewer digits
ROUNDING = 1.5 * 2.0**52  # adding and subtracting it rounds to a whole number
LARGEST_EXPONENT, SMALLEST_EXPONENT = 709.782712893384, -745.1332191019412  # beyond, exp is inf or 0


def _parts(x: Decimal) -> tuple[float, float]:
    """A multiple of 2^-42, so that sums of such numbers are exact, and the rest."""
    high = (x * 2**42).to_integral_value() / 2**42
    return float(high), float(x - high)


def _tables() -> tuple[Any, Any, tuple[float, float], tuple[float, float]]:
    """(c, -log c in two parts) for each cell, (2^(i/128), its relative rest) for each i, log 2 and log(2) / 128."""
    with localcontext() as context:
        context.prec = 50
        log_2 = Decimal(2).ln()
        middles = (LOWEST + (np.arange(CELLS) << 45) + (1 << 44)).view(np.float64)
        inverses = [Decimal(round(1024 / z)) / 1024 for z in middles.tolist()]
        roots = [(log_2 * i / CELLS).exp() for i in range(CELLS)]
        logs = np.array([(float(c), *_parts(-c.ln())) for c in inverses])
        powers = np.array([(float(root), float(root / Decimal(float(root)) - 1)) for root in roots])
        return logs, powers, _parts(log_2), _parts(log_2 / CELLS)


LOGS, POWERS, (LOG_2, LOG_2_REST), (STEP, STEP_REST) = _tables()


@kernel
def two_to(k: int) -> float:
    """2^k for k from -1022 to 1023."""
    return np.int64((k + 1023) << 52).view(np.float64)


@kernel
def reduced(x: float, rest: float) -> tuple[float, float, float, float]:
    """r in two parts and k log 2 - log c in two parts, for log_of_sum; the first parts are multiples of 2^-42."""
    bits = np.float64(x).view(np.int64)
    k = (bits - LOWEST) >> 52
    i = ((bits - LOWEST) >> 45) & (CELLS - 1)
    c = LOGS[i, 0]
    z_bits = bits - (k << 52)
    z, upper = np.int64(z_bits).view(np.float64), np.int64((z_bits + HALF) & UPPER).view(np.float64)
    second = (z - upper) * c
    if rest != 0.0:
        second += rest * two_to(-k) * c
    return upper * c - 1.0, second, k * LOG_2 + LOGS[i, 1], k * LOG_2_REST + LOGS[i, 2]


@large_kernel
def log_of_sum(x: float, rest: float) -> float:
    """log(x + rest), for NORMAL <= x < inf and a rest below its last digit."""
    first, second, whole, lower = reduced(x, rest)
    r = first + second
    square = r * r
    tail = (-0.5 + r * (1.0 / 3.0)) + square * (
        (-0.25 + r * 0.2) + square * ((-1.0 / 6.0 + r * (1.0 / 7.0)) - square * 0.125)
    )
    if whole == 0.0:  # next to 1, where r is exact
        return float(r + square * tail)
    return float((whole + first) + ((second + lower) + square * tail))


@large_kernel
def log_parts(x: float) -> tuple[float, float]:
    """log x in two parts, for NORMAL <= x < inf, with 68 digits or more; x may be an array."""
    first, second, whole, lower = reduced(x, 0.0)
    r = first + second
    half_square = 0.5 * first * first  # exact
    total = whole + r
    high = total - half_square
    lower += ((whole - total) + r) + (second - (r - first)) + ((total - high) - half_square)
    lower -= second * (first + 0.5 * second)
    series = 1.0 / 3.0 + r * (-0.25 + r * (0.2 + r * (-1.0 / 6.0 + r * (1.0 / 7.0 + r * (-0.125 + r * (1.0 / 9.0))))))
    return high, lower + r * r * r * series


@kernel
def log(x: float) -> float:
    """The natural logarithm; -inf at 0 and nan below."""
    if NORMAL <= x < math.inf:
        return log_of_sum(float(x), 0.0)
    return special_log(float(x))


@large_kernel
def special_log(x: float) -> float:
    if 0.0 < x < NORMAL:
        return log_of_sum(x * 2.0**54, 0.0) - 54.0 * (LOG_2 + LOG_2_REST)
    if x == 0.0:
        return -math.inf
    return x if x > 0.0 else math.nan


@kernel
def log1p(x: float) -> float:
    """log(1 + x), accurate near 0."""
    if not -1.0 < x < 2.0**60:
        return log(1.0 + x)
    if abs(x) < 2.0**-54:
        return x
    total = 1.0 + x
    most = total - 1.0
    return log_of_sum(total, (1.0 - (total - most)) + (x - most))


@kernel
def exp_parts(x: float, rest: float) -> tuple[int, float, float]:
    """m, f and e with exp(x + rest) = 2^m f (1 + e), where 1 <= f < 2 and |e| < 0.003; x may be an array."""
    steps = (x * (1.0 / (STEP + STEP_REST)) + ROUNDING) - ROUNDING
    r = (x - steps * STEP) - steps * STEP_REST + rest
    number = np.int64(steps)
    i = number & (CELLS - 1)
    square = r * r
    e = r + square * ((0.5 + r * (1.0 / 6.0)) + square * (1.0 / 24.0 + r * (1.0 / 120.0)))
    return number >> 7, POWERS[i, 0], POWERS[i, 1] + e


@large_kernel
def exp_of_sum(x: float, rest: float) -> float:
    """exp(x + rest)."""
    if not x <= LARGEST_EXPONENT:
        return x if x != x else math.inf
    if x < SMALLEST_EXPONENT:
        return 0.0
    m, f, e = exp_parts(x, rest)
    half = m >> 1  # 2^m itself may be too small or too large
    scale = f * two_to(half)
    return float((scale + scale * e) * two_to(m - half))


@kernel
def exp(x: float) -> float:
    """The exponential function; inf where it is too large."""
    return exp_of_sum(x, 0.0)


def exp_of_array(x: Any) -> Any:
    """The exponential of an array of numbers up to 0, not in native code."""
    m, f, e = exp_parts(np.maximum(x, SMALLEST_EXPONENT), 0.0)
    half = m >> 1
    return np.where(x < SMALLEST_EXPONENT, 0.0, (f + f * e) * two_to(half) * two_to(m - half))


@large_kernel
def expm1(x: float) -> float:
    """exp(x) - 1, accurate near 0."""
    if abs(x) < 0.0625:
        square = x * x
        low = (0.5 + x * (1.0 / 6.0)) + square * (1.0 / 24.0 + x * (1.0 / 120.0))
        high = (1.0 / 720.0 + x * (1.0 / 5040.0)) + square * (1.0 / 40320.0 + x * (1.0 / 362880.0))
        return x + square * (low + square * square * high)
    if not abs(x) <= 40.0:
        return exp_of_sum(x, 0.0) if not x < 0.0 else -1.0
    m, f, e = exp_parts(x, 0.0)
    scale = f * two_to(m)
    high = scale - 1.0
    most = high - scale
    return float(high + ((scale - (high - most)) + (-1.0 - most) + scale * e))


@large_kernel
def power(x: float, y: float) -> float:
    """x to the power y; nan for x < 0 unless y is a whole number."""
    if y == 0.0 or x == 1.0:
        return 1.0
    y = min(max(y, -1e20), 1e20)  # beyond, x^y is 0, 1 or inf
    if x != x or y != y or (x < 0.0 and y != np.floor(y)):
        return math.nan
    sign = -1.0 if x < 0.0 and 0.5 * y != np.floor(0.5 * y) else 1.0
    x = abs(x)
    if x == 0.0 or x == math.inf:
        return 0.0 if (x == 0.0) == (y > 0.0) else sign * math.inf
    k = 0.0
    if x < NORMAL:
        x, k = x * 2.0**54, -54.0
    high, low = log_parts(x)
    high, low = high + k * LOG_2, low + k * LOG_2_REST
    product = y * high
    y_upper, high_upper = upper_half(y), upper_half(high)
    y_lower, high_lower = y - y_upper, high - high_upper
    rest = ((y_upper * high_upper - product) + y_upper * high_lower + y_lower * high_upper) + y_lower * high_lower
    return sign * exp_of_sum(product, rest + y * low)


@kernel
def upper_half(x: float) -> float:
    """The first 26 digits (Dekker 1971): products of halves are exact."""
    t = 134217729.0 * x
    return t - (t - x)

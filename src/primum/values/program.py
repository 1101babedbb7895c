"""A formula as a row of numbers that one compiled function carries out, so that a new formula compiles nothing.

A program holds the place where its main part begins, then instructions of three numbers: a code and two arguments. The
first part, if any, computes the feature of one reward. An instruction pushes a number onto a stack or replaces the one
or two topmost; the stack is eight local variables, which costs nothing and allocates nothing.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from primum.kernels.contract import kernel, large_kernel
from primum.values.expression import Functional, Number, Operation, Tree

REGISTERS = 8  # enough for the longest formula, because operands that need more of them go first
CODES = {
    name: code
    for code, name in enumerate((
        "+", "-", "*", "/", "**", "minimum", "maximum", "negative", "sqrt", "exp", "log", "abs", "number", "reward",
        "mean", "var", "std", "gini", "cvar", "quantile", "min", "max", "prob", "lpm", "entropic",
    ))
}  # fmt: skip
ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER, MINIMUM, MAXIMUM = range(7)
NEGATIVE, SQRT, EXP, LOG, ABS, NUMBER, REWARD, MEAN, VAR, STD, GINI, CVAR, QUANTILE, MIN, MAX, PROB, LPM, ENTROPIC = (
    range(7, 25)
)


def assemble(feature: Tree | None, main: Tree) -> np.ndarray[Any, Any]:
    """The program of a feature, if there is one, and of a formula."""
    assert registers(main) <= REGISTERS
    first = _instructions(feature) if feature is not None else []
    numbers = [1.0 + len(first), *first, *_instructions(main)]
    program = np.array(numbers, np.float64)
    program.flags.writeable = False
    return program


def _instructions(tree: Tree) -> list[float]:
    if isinstance(tree, Number):
        return [NUMBER, tree.number, 0.0]
    if isinstance(tree, Functional):
        return [CODES[tree.name], *tree.arguments, *[0.0] * (2 - len(tree.arguments))]
    assert isinstance(tree, Operation)
    code = CODES[tree.name]
    if len(tree.operands) == 1:
        return [*_instructions(tree.operands[0]), code, 0.0, 0.0]
    first, second = tree.operands
    swapped = registers(second) > registers(first)
    if swapped:
        first, second = second, first
    return [*_instructions(first), *_instructions(second), code, float(swapped), 0.0]


def registers(tree: Tree) -> int:
    """How many numbers are on the stack at most (Sethi, Ullman, J. ACM 17(4), 1970)."""
    if not isinstance(tree, Operation):
        return 1
    needs = [registers(operand) for operand in tree.operands]
    return max(needs) if len(set(needs)) == len(needs) else needs[0] + 1


@kernel
def run(program: Any, start: int, end: int, n: int, mean: float, variance: float, sample: Any, weights: Any) -> float:
    """Carry out part of a program on a reward (as `mean`), on moments or on a sample, weighted if there are weights."""
    a = b = c = d = e = f = g = h = 0.0
    for i in range(start, end, 3):
        code = int(program[i])
        if code <= MAXIMUM:
            x, y = b, a
            if program[i + 1] != 0.0:
                x, y = a, b
            a = combined(code, x, y)
            b, c, d, e, f, g = c, d, e, f, g, h
        elif code <= ABS:
            a = changed(code, a)
        else:
            b, c, d, e, f, g, h = a, b, c, d, e, f, g
            if code == NUMBER:
                a = program[i + 1]
            elif code <= MEAN and sample.size == 0:
                a = mean
            elif code == VAR and sample.size == 0:
                a = variance
            elif code == STD and sample.size == 0:
                a = math.sqrt(variance)
            elif sample.size == 0:
                a = of_reward(code, program[i + 1], program[i + 2], mean)
            else:
                a = of_sample(code, program[i + 1], program[i + 2], n, sample, weights)
    return a


@kernel
def combined(code: int, x: float, y: float) -> float:
    if code == ADD:
        return x + y
    if code == SUBTRACT:
        return x - y
    if code == MULTIPLY:
        return x * y
    if code == DIVIDE:
        return x / y if y != 0.0 else math.nan
    if code == MINIMUM:
        return min(x, y)
    if code == MAXIMUM:
        return max(x, y)
    return power(x, y)


@kernel
def power(x: float, y: float) -> float:
    if (x < 0.0 and y % 1.0 != 0.0) or (x == 0.0 and y < 0.0):
        return math.nan
    if x != 0.0 and y * math.log(abs(x)) > 709.0:
        return math.inf
    return x**y


@kernel
def changed(code: int, x: float) -> float:
    if code == NEGATIVE:
        return -x
    if code == ABS:
        return abs(x)
    if code == SQRT:
        return math.sqrt(x) if x >= 0.0 else math.nan
    if code == LOG:
        return math.log(x) if x > 0.0 else math.nan
    return math.exp(x) if x < 709.0 else math.inf


@kernel
def of_reward(code: int, first: float, second: float, reward: float) -> float:
    """What a functional is the expectation of, at one reward."""
    if code == PROB:
        return 1.0 if reward >= first else 0.0
    return shortfall(first, second, reward)


@kernel
def shortfall(target: float, order: float, reward: float) -> float:
    below = target - reward
    if below <= 0.0:
        return 0.0
    if order == 1.0:
        return below
    return below * below if order == 2.0 else power(below, order)


@large_kernel
def of_sample(code: int, first: float, second: float, n: int, sample: Any, weights: Any) -> float:
    """A functional of observations, each of weight 1/n unless there are weights.

    In ascending order, the lowest of n; for var, prob, lpm and entropic all of them, in any order.
    """
    size = sample.size
    plain = weights.size == 0
    unbiased = n / (n - 1.0) if plain and n > 1 else 1.0
    if code in (MEAN, VAR, STD):
        mean, variance = moments(sample, weights)
        if code == MEAN:
            return mean
        return variance * unbiased if code == VAR else math.sqrt(variance * unbiased)
    if code == CVAR:
        return lower_mean(first, n, sample, weights)
    if code == QUANTILE:
        return sample[max(0, math.ceil(first * n - 1e-9) - 1)] if plain else weighted_quantile(first, sample, weights)
    if code == GINI:
        return mean_difference(sample, weights) * unbiased
    if code in (PROB, LPM):
        total = 0.0
        for i in range(size):
            total += of_reward(code, first, second, sample[i]) * (1.0 / n if plain else weights[i])
        return total
    if code == ENTROPIC:
        return certain(first, sample, weights)
    i, step = (0, 1) if code == MIN else (size - 1, -1)
    while not plain and weights[i] == 0.0:
        i += step
    return sample[i]


@kernel
def moments(sample: Any, weights: Any) -> tuple[float, float]:
    """Mean and variance, from what exceeds the first observation, so that nothing cancels."""
    start, total, squares = sample[0], 0.0, 0.0
    if weights.size == 0:
        for i in range(sample.size):
            x = sample[i] - start
            total += x
            squares += x * x
        total /= sample.size
        squares /= sample.size
    else:
        for i in range(sample.size):
            x = sample[i] - start
            total += weights[i] * x
            squares += weights[i] * x * x
    variance = squares - total * total
    return start + total, variance if variance > 1e-13 * squares else 0.0


@kernel
def lower_mean(share: float, n: int, sample: Any, weights: Any) -> float:
    """The mean of the lowest share."""
    total, left = 0.0, share
    if weights.size == 0:  # all but the last count in full
        last = max(0, math.ceil(share * n - 1e-9) - 1)
        for i in range(last):
            total += sample[i]
        return (total + sample[last] * (share * n - last)) / (share * n)
    for i in range(sample.size):
        weight = min(weights[i], left)
        total += weight * sample[i]
        left -= weight
    return (total + left * sample[sample.size - 1]) / share  # what is left is rounding


@kernel
def weighted_quantile(level: float, sample: Any, weights: Any) -> float:
    """The lowest observation at which the weights reach a level."""
    mass = 0.0
    for i in range(sample.size):
        mass += weights[i]
        if mass >= level - 1e-12:
            return sample[i]
    return sample[sample.size - 1]


@kernel
def mean_difference(sample: Any, weights: Any) -> float:
    """Gini's mean difference of two draws: twice the integral of F (1 - F)."""
    total, size = 0.0, sample.size
    if weights.size == 0:
        for i in range(1, size):  # i are below the gap
            total += float(i) * (size - i) * (sample[i] - sample[i - 1])
        return 2.0 * total / (float(size) * size)
    below = weights[0]
    for i in range(1, size):
        total += below * (1.0 - below) * (sample[i] - sample[i - 1])
        below += weights[i]
    return 2.0 * total


@kernel
def certain(theta: float, sample: Any, weights: Any) -> float:
    """The entropic value, by exponents from the lowest observation on, of which none is positive."""
    lowest, total = sample[0], 0.0
    for i in range(sample.size):
        lowest = min(lowest, sample[i])
    if weights.size == 0:
        for i in range(sample.size):
            total += math.expm1(-theta * (sample[i] - lowest))
        total /= sample.size
    else:
        for i in range(sample.size):
            total += weights[i] * math.expm1(-theta * (sample[i] - lowest))
    return lowest - math.log1p(total) / theta


@kernel
def lowest_needed(program: Any, n: int) -> int:
    """How many of the lowest of n observations a program looks at."""
    needed = 1
    for i in range(int(program[0]), program.size, 3):
        code = int(program[i])
        if code in (CVAR, QUANTILE):
            needed = max(needed, math.ceil(program[i + 1] * n - 1e-9))
        elif code > NUMBER and code != MIN:
            needed = n
    return min(n, needed)

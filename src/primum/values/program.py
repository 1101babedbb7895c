"""A formula as a row of numbers that one compiled function executes, so that new formulas need no compilation.

A program holds the place where its main part begins, then instructions of three numbers: a code and two arguments. The
first part, if any, computes the feature of one reward. An instruction pushes a number onto a stack or replaces the one
or two topmost; the stack is eight local variables, which costs nothing and allocates nothing.
"""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Any

import numpy as np

from primum.kernels.contract import kernel, large_kernel
from primum.kernels.elementary import exp, log, power
from primum.values.cvar import CVaR
from primum.values.entropic import Entropic
from primum.values.expression import Functional, Number, Operation, Tree
from primum.values.mean_gini import mean_difference, weighted_mean_difference
from primum.values.quantile import Quantile

REGISTERS = 8  # enough for the longest formula, because operands that need more of them go first

# `run` tells these apart by their order: instructions on two numbers, on one, and those that push one
Code = IntEnum(
    "Code",
    "ADD SUBTRACT MULTIPLY DIVIDE POWER MINIMUM MAXIMUM "
    "NEGATIVE SQRT EXP LOG ABS "
    "NUMBER REWARD MEAN VAR STD GINI CVAR QUANTILE MIN MAX PROB LPM ENTROPIC",
    start=0,
)
SIGNS = {"+": Code.ADD, "-": Code.SUBTRACT, "*": Code.MULTIPLY, "/": Code.DIVIDE, "**": Code.POWER}

# the estimators of the classes serve formulas too
cvar_size, plain_cvar, weighted_cvar = kernel(CVaR.tail_size), kernel(CVaR.from_tail), kernel(CVaR.weighted)
quantile_size, weighted_quantile = kernel(Quantile.tail_size), kernel(Quantile.weighted)
plain_entropic, weighted_entropic = kernel(Entropic.estimate), kernel(Entropic.weighted)


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
        return [Code.NUMBER, tree.number, 0.0]
    if isinstance(tree, Functional):
        return [code_of(tree.name), *tree.arguments, *[0.0] * (2 - len(tree.arguments))]
    assert isinstance(tree, Operation)
    code = code_of(tree.name)
    if len(tree.operands) == 1:
        return [*_instructions(tree.operands[0]), code, 0.0, 0.0]
    first, second = tree.operands
    swapped = registers(second) > registers(first)
    if swapped:
        first, second = second, first
    return [*_instructions(first), *_instructions(second), code, float(swapped), 0.0]


def code_of(name: str) -> Code:
    """The instruction of an operator, a function or a functional."""
    return SIGNS[name] if name in SIGNS else Code[name.upper()]


def registers(tree: Tree) -> int:
    """How many numbers are on the stack at most (Sethi, Ullman, J. ACM 17(4), 1970)."""
    if not isinstance(tree, Operation):
        return 1
    needs = [registers(operand) for operand in tree.operands]
    return max(needs) if len(set(needs)) == len(needs) else needs[0] + 1


@kernel
def run(program: Any, start: int, end: int, n: int, mean: float, variance: float, sample: Any, weights: Any) -> float:
    """Execute part of a program on a reward (as `mean`), on moments or on a sample, weighted if there are weights."""
    a = b = c = d = e = f = g = h = 0.0
    for i in range(start, end, 3):
        code = int(program[i])
        if code <= Code.MAXIMUM:
            x, y = b, a
            if program[i + 1] != 0.0:
                x, y = a, b
            a = combined(code, x, y)
            b, c, d, e, f, g = c, d, e, f, g, h
        elif code <= Code.ABS:
            a = changed(code, a)
        else:
            b, c, d, e, f, g, h = a, b, c, d, e, f, g
            if code == Code.NUMBER:
                a = program[i + 1]
            elif code <= Code.MEAN and sample.size == 0:
                a = mean
            elif code == Code.VAR and sample.size == 0:
                a = variance
            elif code == Code.STD and sample.size == 0:
                a = math.sqrt(variance)
            elif sample.size == 0:
                a = of_reward(code, program[i + 1], program[i + 2], mean)
            else:
                a = of_sample(code, program[i + 1], program[i + 2], n, sample, weights)
    return a


@kernel
def combined(code: int, x: float, y: float) -> float:
    if code == Code.ADD:
        return x + y
    if code == Code.SUBTRACT:
        return x - y
    if code == Code.MULTIPLY:
        return x * y
    if code == Code.DIVIDE:
        return x / y if y != 0.0 else math.nan
    if code == Code.MINIMUM:
        return min(x, y)
    if code == Code.MAXIMUM:
        return max(x, y)
    return defined_power(x, y)


@kernel
def defined_power(x: float, y: float) -> float:
    return math.nan if x == 0.0 and y < 0.0 else power(x, y)


@kernel
def changed(code: int, x: float) -> float:
    if code == Code.NEGATIVE:
        return -x
    if code == Code.ABS:
        return abs(x)
    if code == Code.SQRT:
        return math.sqrt(x) if x >= 0.0 else math.nan
    if code == Code.LOG:
        return log(x) if x > 0.0 else math.nan
    return exp(x)


@kernel
def of_reward(code: int, first: float, second: float, reward: float) -> float:
    """The function of one reward whose expectation is the functional."""
    if code == Code.PROB:
        return 1.0 if reward >= first else 0.0
    return shortfall(first, second, reward)


@kernel
def shortfall(target: float, order: float, reward: float) -> float:
    below = target - reward
    if below <= 0.0:
        return 0.0
    if order == 1.0:
        return below
    return below * below if order == 2.0 else defined_power(below, order)


@large_kernel
def of_sample(code: int, first: float, second: float, n: int, sample: Any, weights: Any) -> float:
    """A functional of observations, each of weight 1/n unless there are weights.

    In ascending order, the lowest of n; for var, prob, lpm and entropic all of them, in any order.
    """
    size = sample.size
    plain = weights.size == 0
    unbiased = n / (n - 1.0) if plain and n > 1 else 1.0
    if code in (Code.MEAN, Code.VAR, Code.STD):
        mean, variance = moments(sample, weights)
        if code == Code.MEAN:
            return mean
        return variance * unbiased if code == Code.VAR else math.sqrt(variance * unbiased)
    if code == Code.CVAR:
        if plain:
            return plain_cvar(sample[: cvar_size(n, first, 0.0)], n, first, 0.0)
        return weighted_cvar(sample, weights, first, 0.0)
    if code == Code.QUANTILE:
        return sample[quantile_size(n, first) - 1] if plain else weighted_quantile(sample, weights, first)
    if code == Code.GINI:
        return mean_difference(sample) if plain else weighted_mean_difference(sample, weights)
    if code == Code.ENTROPIC:
        return plain_entropic(sample, first) if plain else weighted_entropic(sample, weights, first)
    if code in (Code.PROB, Code.LPM):
        total = 0.0
        for i in range(size):
            total += of_reward(code, first, second, sample[i]) * (1.0 / n if plain else weights[i])
        return total
    i, step = (0, 1) if code == Code.MIN else (size - 1, -1)
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
def lowest_needed(program: Any, n: int) -> int:
    """How many of the lowest of n observations a program looks at."""
    needed = 1
    for i in range(int(program[0]), program.size, 3):
        code = int(program[i])
        if code == Code.CVAR:
            needed = max(needed, cvar_size(n, program[i + 1], 0.0))
        elif code == Code.QUANTILE:
            needed = max(needed, quantile_size(n, program[i + 1]))
        elif code > Code.NUMBER and code != Code.MIN:
            needed = n
    return min(n, needed)

"""Formulas over functionals of a distribution: from text to tree to linear combination."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass

from primum.errors import ParameterError, UnknownNameError
from primum.kernels.elementary import exp, log, power

MOST_CHARACTERS, MOST_TOKENS, MOST_FUNCTIONALS = 500, 200, 20
DEEPEST_NESTING = 50  # parentheses and signs within each other
LARGEST_NUMBER = 1e9


@dataclass(frozen=True)
class Number:
    """A number in a formula."""

    number: float


@dataclass(frozen=True)
class Functional:
    """A property of a distribution, such as ``cvar(0.1)``."""

    name: str
    arguments: tuple[float, ...] = ()


@dataclass(frozen=True)
class Operation:
    """An operator or a function on one or two terms."""

    name: str
    operands: tuple[Tree, ...]


Tree = Number | Functional | Operation


def _power(x: float, y: float) -> float:
    return math.nan if x == 0 and y < 0 else power(x, y)


def _divide(x: float, y: float) -> float:
    return x / y if y else math.nan


OPERATORS: dict[str, Callable[[float, float], float]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": _divide,
    "**": _power,
    "minimum": min,
    "maximum": max,
}
FUNCTIONS: dict[str, Callable[[float], float]] = {
    "negative": operator.neg,
    "sqrt": lambda x: math.sqrt(x) if x >= 0 else math.nan,
    "exp": exp,
    "log": lambda x: log(x) if x > 0 else math.nan,
    "abs": abs,
}
CALLABLE = dict.fromkeys(("minimum", "maximum"), 2) | dict.fromkeys(("sqrt", "exp", "log", "abs"), 1)


@dataclass(frozen=True)
class Range:
    """The allowed range of an argument of a functional."""

    text: str
    low: float
    high: float
    open_low: bool = False

    def __contains__(self, number: float) -> bool:
        return (self.low < number if self.open_low else self.low <= number) and number <= self.high


_SHARE = Range("(0, 1]", 0.0, 1.0, open_low=True)
_ANY = Range(f"[-{LARGEST_NUMBER:g}, {LARGEST_NUMBER:g}]", -LARGEST_NUMBER, LARGEST_NUMBER)
FUNCTIONALS: dict[str, tuple[Range, ...]] = {
    "mean": (),
    "var": (),
    "std": (),
    "min": (),
    "max": (),
    "median": (),
    "gini": (),
    "cvar": (_SHARE,),
    "quantile": (Range("(0, 1)", 0.0, 1.0 - 2.0**-53, open_low=True),),
    "prob": (_ANY,),
    "lpm": (_ANY, Range("[0, 10]", 0.0, 10.0)),
    "entropic": (Range("(0, 100]", 0.0, 100.0, open_low=True),),
}

# other common names, and the names used here
ALIASES = {
    "average": "mean", "avg": "mean", "e": "mean", "expectation": "mean", "mu": "mean", "sd": "std", "stdev": "std",
    "stddev": "std", "sigma": "std", "variance": "var", "ln": "log", "p": "prob", "probability": "prob", "es": "cvar",
    "percentile": "quantile", "worst": "min", "best": "max",
}  # fmt: skip
HINTS = {
    "^": "a power is written **",
    "%": "write 5 % as 0.05",
    "[": "use round parentheses",
    "{": "use round parentheses",
    "=": "write the number alone: cvar(0.1)",
    ">": "prob(c) is the probability of a reward of c or more",
    "<": "1 - prob(c) is the probability of a reward below c",
    "\N{MINUS SIGN}": "a difference is written -",
    "\N{EN DASH}": "a difference is written -",
    "\N{MULTIPLICATION SIGN}": "a product is written *",
    "\N{MIDDLE DOT}": "a product is written *",
}

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z_0-9]*)"
    r"|(?P<sign>\*\*|[-+*/(),])|(?P<end>$))"
)


def parse(text: str) -> Tree:
    """The tree of a formula; a ParameterError names the position of a syntax error.

    >>> parse("mean - 0.5 * var")
    Operation(name='-', operands=(Functional(name='mean', arguments=()), Operation(name='*', operands=(Number(number=0.5), Functional(name='var', arguments=())))))
    """  # noqa: E501
    if len(text) > MOST_CHARACTERS:
        raise ParameterError(f"a formula has at most {MOST_CHARACTERS} characters, got {len(text)}")
    return _Reader(text).read()


class _Reader:
    """Recursive descent, with the precedence of Python: ``-a ** b`` is ``-(a ** b)``."""

    def __init__(self, text: str) -> None:
        self.text, self.depth, self.functionals = text, 0, 0
        self.tokens: list[tuple[str, str, int]] = []  # kind, token, position from 1
        place = 0
        while not self.tokens or self.tokens[-1][0] != "end":
            match = _TOKEN.match(text, place)
            if match is None:
                at = place + len(text[place:]) - len(text[place:].lstrip())
                hint = f"; {HINTS[text[at]]}" if text[at] in HINTS else ""
                raise ParameterError(f"{text[at]!r} at position {at + 1} is not part of a formula{hint}")
            kind = str(match.lastgroup)
            self.tokens.append((kind, match[kind], match.start(kind) + 1))
            place = match.end()
        if len(self.tokens) > MOST_TOKENS:
            raise ParameterError(
                f"a formula has at most {MOST_TOKENS - 1} numbers, names and signs, got {len(self.tokens) - 1}"
            )
        self.next = 0

    @property
    def token(self) -> str:
        kind, token, _ = self.tokens[self.next]
        return token if kind == "sign" else kind

    @property
    def here(self) -> str:
        kind, token, position = self.tokens[self.next]
        shown = token if len(token) <= 24 else token[:23] + "…"
        return "the end" if kind == "end" else f"{shown!r} at position {position}"

    def take(self) -> str:
        self.next += 1
        return self.tokens[self.next - 1][1]

    def expect(self, sign: str) -> None:
        if self.token != sign:
            raise ParameterError(f"expected {sign!r} but found {self.here}")
        self.take()

    def read(self) -> Tree:
        tree = self.sum()
        if self.token != "end":
            before = self.tokens[self.next - 1][0]
            hint = "; a product is written *" if before == "number" and self.token in ("name", "(") else ""
            hint = "; numbers have a decimal point" if self.token == "," else hint
            raise ParameterError(f"expected an operator or the end but found {self.here}{hint}")
        return tree

    def sum(self) -> Tree:
        tree = self.product()
        while self.token in ("+", "-"):
            where = self.here
            tree = combine(where, self.take(), tree, self.product())
        return tree

    def product(self) -> Tree:
        tree = self.signed()
        while self.token in ("*", "/"):
            where = self.here
            tree = combine(where, self.take(), tree, self.signed())
        return tree

    def signed(self) -> Tree:
        self.depth += 1
        where = self.here
        if self.depth > DEEPEST_NESTING:
            raise ParameterError(f"parentheses and signs can be nested {DEEPEST_NESTING} deep, and {where} is deeper")
        if self.token == "-":
            self.take()
            tree = combine(where, "negative", self.signed())
        elif self.token == "+":
            self.take()
            tree = self.signed()
        else:
            tree = self.atom()
            if self.token == "**":
                where = self.here
                tree = combine(where, self.take(), tree, self.signed())
        self.depth -= 1
        return tree

    def atom(self) -> Tree:
        if self.token == "number":
            where, number = self.here, float(self.take())
            if number > LARGEST_NUMBER:
                raise ParameterError(f"{where} is too large; numbers are at most {LARGEST_NUMBER:g}")
            return Number(number)
        if self.token == "name":
            return self.named()
        if self.token != "(":
            raise ParameterError(f"expected a number, a name or '(' but found {self.here}")
        self.take()
        tree = self.sum()
        self.expect(")")
        return tree

    def named(self) -> Tree:
        where, name = self.here, self.take()
        if name in CALLABLE:
            operands = self.arguments()
            if len(operands) != CALLABLE[name]:
                raise ParameterError(f"{where} takes {_count(CALLABLE[name])}, got {len(operands)}")
            return combine(where, name, *operands)
        if name not in FUNCTIONALS:
            meant = "quantile" if name == "VaR" else ALIASES.get(name.lower(), name)
            if meant in FUNCTIONALS or meant in CALLABLE:
                raise ParameterError(f"{where}: no function named {name!r}; did you mean {meant!r}?")
            raise ParameterError(f"{where}: {UnknownNameError('function', name, [*FUNCTIONALS, *CALLABLE])}")
        self.functionals += 1
        if self.functionals > MOST_FUNCTIONALS:
            raise ParameterError(f"{where} is one too many: a formula has at most {MOST_FUNCTIONALS} of its kind")
        ranges = FUNCTIONALS[name]
        if not ranges and self.token == "(":
            other = {"min": "; the smaller of two is minimum(...)", "max": "; the larger of two is maximum(...)"}
            raise ParameterError(f"{where} takes no argument: write {name} alone{other.get(name, '')}")
        if ranges and self.token != "(":
            example = {"cvar": "0.1", "quantile": "0.25", "prob": "0.5", "lpm": "0.5, 2", "entropic": "1"}[name]
            raise ParameterError(f"{where} takes {_count(len(ranges))}: write {name}({example})")
        operands = self.arguments() if ranges else []
        if len(operands) != len(ranges):
            hint = "; numbers have a decimal point" if len(operands) > len(ranges) else ""
            raise ParameterError(f"{where} takes {_count(len(ranges))}, got {len(operands)}{hint}")
        numbers = []
        for operand, allowed in zip(operands, ranges, strict=True):
            if not isinstance(operand, Number):
                raise ParameterError(f"{where} takes numbers in its parentheses, not functions of rewards")
            if operand.number not in allowed:
                raise ParameterError(f"{where} takes a number in {allowed.text}, got {operand.number:g}")
            numbers.append(operand.number)
        return Functional("quantile", (0.5,)) if name == "median" else Functional(name, tuple(numbers))

    def arguments(self) -> list[Tree]:
        self.expect("(")
        found = [self.sum()]
        while self.token == ",":
            self.take()
            found.append(self.sum())
        self.expect(")")
        return found


def _count(number: int) -> str:
    return ("no argument", "one argument", "two arguments")[number]


def combine(where: str, name: str, *operands: Tree) -> Tree:
    """An operation; one on numbers is done at once."""
    numbers = [operand.number for operand in operands if isinstance(operand, Number)]
    if len(numbers) < len(operands):
        return Operation(name, operands)
    result = operate(name, numbers)
    if not abs(result) <= LARGEST_NUMBER:
        of = " and ".join(f"{number:g}" for number in numbers)
        raise ParameterError(f"{where} gives no number, or one beyond {LARGEST_NUMBER:g}, on {of}")
    return Number(result)


def operate(name: str, numbers: list[float]) -> float:
    """The result of an operation on numbers; nan where there is none."""
    if any(math.isnan(number) for number in numbers):
        return math.nan
    try:
        return float((FUNCTIONS.get(name) or OPERATORS[name])(*numbers))
    except OverflowError:
        return math.inf


def functionals(tree: Tree) -> set[Functional]:
    """All functionals in a tree."""
    if isinstance(tree, Operation):
        return set().union(*(functionals(operand) for operand in tree.operands))
    return {tree} if isinstance(tree, Functional) else set()


def linear(tree: Tree) -> dict[Functional | None, float] | None:
    """The coefficients of the functionals, and of None for the constant, if the tree is a linear combination."""
    if isinstance(tree, Number):
        return {None: tree.number}
    if isinstance(tree, Functional):
        return {tree: 1.0}
    parts = [linear(operand) for operand in tree.operands]
    first, second = parts[0], parts[-1]
    if first is None or second is None:
        return None
    match tree.name:
        case "+":
            return _added(first, second, 1.0)
        case "-":
            return _added(first, second, -1.0)
        case "negative":
            return _added({}, first, -1.0)
        case "*" if set(first) == {None}:
            return _added({}, second, first[None])
        case "*" if set(second) == {None}:
            return _added({}, first, second[None])
        case "/" if set(second) == {None} and second[None]:
            return _added({}, first, 1.0 / second[None])
    return None


def _added(
    first: dict[Functional | None, float], second: dict[Functional | None, float], factor: float
) -> dict[Functional | None, float]:
    return first | {key: first.get(key, 0.0) + factor * number for key, number in second.items()}


def evaluate(tree: Tree, of: Callable[[Functional], float]) -> float:
    """The value of a tree, given that of its functionals; nan where it has none."""
    if isinstance(tree, Number):
        return tree.number
    if isinstance(tree, Functional):
        return of(tree)
    return operate(tree.name, [evaluate(operand, of) for operand in tree.operands])

"""Errors of Primum: each has a sentence that a person can act on, and the path to its cause."""

from __future__ import annotations

import difflib
import importlib
import json
import logging
import numbers
import re
import reprlib
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType, ModuleType
from typing import Any, Self

LONGEST_SENTENCE = 400  # characters; it may quote what an untrusted user sent
LONGEST_LIST = 300  # characters of the names that are known
LONGEST_QUOTATION = 80  # characters
MOST_COMPARED = 1000  # known names that an unknown one is compared with: a few milliseconds

Path = tuple[str | int, ...]  # keys and positions, from the outside in: ("arms", 2, "distribution", "low")

_BARE = re.compile(r"[\w+-]{1,60}")  # a key that needs no quotation marks


class PrimumError(Exception):
    """An error that the caller can correct.

    `sentence` says what is wrong, and `path` where, relative to what was given. The sentence names the last part of the
    path itself; `str` puts the rest in front of it, without repetition.

    >>> error = ParameterError("cvar: alpha must be in (0, 1], got 2", ("alpha",))
    >>> str(error), place(error.path)
    ('cvar: alpha must be in (0, 1], got 2', 'alpha')
    >>> str(error.at("value")), place(error.path)
    ('value: cvar: alpha must be in (0, 1], got 2', 'value.alpha')
    """

    def __init__(self, sentence: str, path: Path = ()) -> None:
        super().__init__(sentence)
        self.sentence, self.path = sentence, path
        self.outer: Path = ()  # the part of the path that the sentence does not name

    def at(self, *outer: str | int) -> Self:
        """The same error, with a path that begins further outside."""
        self.path, self.outer = (*outer, *self.path), (*outer, *self.outer)
        return self

    def __str__(self) -> str:
        return f"{place(self.outer)}: {self.sentence}" if self.outer else self.sentence

    @property
    def by_place(self) -> dict[str, str]:
        """The sentence by the place that it is about."""
        return {place(self.path): self.sentence}


class ParameterError(PrimumError, ValueError):
    """A parameter has a value that is not allowed."""


class UnknownNameError(PrimumError, LookupError):
    """An unknown name."""

    def __init__(self, what: str, name: object, known: Iterable[str], path: Path = ()) -> None:
        names = sorted(known)
        given = (name if isinstance(name, str) else quoted(name))[:LONGEST_SENTENCE]
        short = {each.lower(): each for each in names[:MOST_COMPARED] if len(each) <= LONGEST_SENTENCE}
        close = difflib.get_close_matches(given.lower().replace("+", "-plus"), short, n=1, cutoff=0.5)
        hint = f"did you mean {short[close[0]]!r}?" if close else f"known: {shortened(', '.join(names), LONGEST_LIST)}"
        super().__init__(f"no {what} named {shortened(repr(given), 100)}; {hint}", path)


class UnknownAttributeError(UnknownNameError, AttributeError):
    """An unknown name in a module."""


def offer_nearest_names(module: str, lazy: Mapping[str, str] = MappingProxyType({})) -> None:
    """Let a module offer the nearest of its public names where it has none of a name.

    `lazy` are names that are imported when they are first used: each is the module that is given for it, or is in it.
    `__getattr__` is set here, out of sight of type checkers, which would take any name for one that there is.
    """
    names = vars(sys.modules[module])

    def find(name: str) -> Any:
        if name in lazy:
            home = importlib.import_module(lazy[name])
            return home if lazy[name] == f"{module}.{name}" else getattr(home, name)
        public = [each for each, found in names.items() if each[0] != "_" and not isinstance(found, ModuleType)]
        raise UnknownAttributeError(f"attribute of {module}", name, names.get("__all__", [*public, *lazy]))

    names["__getattr__"] = find
    if lazy:
        shown = names.get("__all__", [*names, *lazy])
        names["__dir__"] = lambda: sorted({*shown, *(name for name in names if name[:2] == "__")})


class InvalidInput(PrimumError):
    """One or more errors in the input; `errors` lists them.

    It is not a ValueError, because pydantic would catch it.
    """

    def __init__(self, errors: Sequence[PrimumError], source: str = "") -> None:
        self.errors, self.source = errors, source
        super().__init__("")

    def at(self, *outer: str | int) -> Self:
        """The same errors, with paths that begin further outside."""
        for error in self.errors:
            error.at(*outer)
        return self

    def __str__(self) -> str:
        prefix = f"{self.source}: " if self.source else ""
        return "\n".join(f"{prefix}{error}" for error in self.errors)

    @property
    def by_place(self) -> dict[str, str]:
        """The first sentence for each place with errors."""
        sentences: dict[str, str] = {}
        for error in self.errors:
            sentences.setdefault(place(error.path), error.sentence)
        return sentences


class CompilationError(PrimumError):
    """A plug-in's source could not be turned into native code."""


class ValueFault(PrimumError):
    """A safety value gave something that is not a number."""


class Collector:
    """Errors, gathered instead of raised."""

    def __init__(self) -> None:
        self.errors: list[PrimumError] = []

    def add(self, error: PrimumError) -> None:
        """Keep an error; an InvalidInput is split into its errors."""
        self.errors += error.errors if isinstance(error, InvalidInput) else [error]

    @contextmanager
    def ours(self) -> Iterator[None]:
        """Keep a PrimumError that is raised inside the block, and continue after it."""
        try:
            yield
        except PrimumError as error:
            self.add(error)

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Keep any exception that is raised inside the block, as a PrimumError at this path, and continue after it."""
        try:
            yield
        except Exception as error:  # plug-ins of other authors may raise anything
            self.add(as_primum_error(error).at(*path))

    def raise_any(self) -> None:
        """Raise the error if there is one, all in one if there are several."""
        if self.errors:
            raise self.errors[0] if len(self.errors) == 1 else InvalidInput(self.errors)

    @property
    def by_place(self) -> dict[str, str]:
        """A sentence for each place with errors."""
        return InvalidInput(self.errors).by_place


@contextmanager
def within(*path: str | int) -> Iterator[None]:
    """Add this path to any PrimumError raised inside the block."""
    try:
        yield
    except PrimumError as error:
        error.at(*path)
        raise


@contextmanager
def needing_extra(extra: str, what: str) -> Iterator[None]:
    """Turn a package that the block imports and that is missing into a sentence with the command that installs it."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package == "primum":
            raise
        raise PrimumError(f"{what} needs the package {package}: pip install 'primum[{extra}]'") from None


def as_primum_error(error: Exception) -> PrimumError:
    """The error as a PrimumError of bounded length; any other exception is logged with its traceback."""
    if not isinstance(error, PrimumError):
        logging.getLogger("primum").error("%s, reported as a sentence", type(error).__name__, exc_info=error)
        error = ParameterError(f"{type(error).__name__}: {error}")
    for each in error.errors if isinstance(error, InvalidInput) else [error]:
        each.sentence = shortened(each.sentence, LONGEST_SENTENCE)
    return error


def place(path: Path) -> str:
    """A path as text.

    >>> place(("arms", "new drug", "components", 1, "low"))
    'arms."new drug".components[1].low'
    """
    return "".join(f"[{part}]" if isinstance(part, int) else f".{_key(part)}" for part in path).removeprefix(".")


def quoted(given: Any) -> str:
    """What was given, as an error quotes it: not too long."""
    try:
        shown = str(given) if isinstance(given, numbers.Number) else reprlib.repr(given)
    except ValueError:  # a whole number of thousands of digits
        return "a number of thousands of digits"
    return shortened(shown, LONGEST_QUOTATION)


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else json.dumps(shortened(name, 60), ensure_ascii=not name.isprintable())


def shortened(text: str, most: int = LONGEST_SENTENCE) -> str:
    """The text, cut if it is too long."""
    return text if len(text) <= most else text[: most - 1] + "…"

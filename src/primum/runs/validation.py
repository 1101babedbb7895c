"""Validation rules of experiments: for Python, for files, and with tighter limits for the laboratory.

A rule reads one part of an experiment. Errors go into a `Collector` with their paths, and the rule returns None in
place of an invalid part, so that the valid parts can be used.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol, Self

from primum.errors import Collector, InvalidInput, ParameterError, Path, UnknownNameError, place, quoted
from primum.plugins.parameters import NOUNS, Parameter, with_article
from primum.plugins.registry import Plugin, build
from primum.problem import check_name
from primum.text import repeats

EXAMPLES = {
    "values": "cvar(alpha=0.1)",
    "rewards": "uniform(low=0, high=1)",
    "policies": "besa-plus(floor=2)",
    "environments": "paper-mixture(arms=20)",
    "analyses": "pooled-z(alpha=0.05)",
    "stopping": "posterior-limits(superiority=0.99)",
    "accruals": "poisson(rate=2)",
    "delays": "after-patients(patients=20)",
    "drifts": "linear(by=0.3)",
}


class Rule(Protocol):
    """A rule for one part: the allowed values in words, and a method that reads the part."""

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        """The part as an object; None, and errors with this path, if it is invalid."""


@dataclass(frozen=True)
class Single:
    """A number or a text; None if that is the default."""

    rule: Parameter
    most: int = 0  # characters of a text, if they are limited

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"{self.rule.allowed} of at most {self.most} characters" if self.most else self.rule.allowed

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        """The number or the text."""
        if self.most and isinstance(given, str) and len(given) > self.most:
            refuse(self, given, path, errors)
            return None
        with errors.at(*path[:-1]):
            return self.rule.check(str(path[-1]), given)


@dataclass(frozen=True)
class Made:
    """A plug-in of a family, by its name or its spec."""

    family: str
    before: Callable[[Any], None] | None = None  # checks the input before anything is built from it
    after: Callable[[Any], Any] | None = None

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"{with_article(NOUNS[self.family])} by its name, for example {EXAMPLES[self.family]!r}"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        """The plug-in."""
        with errors.at(*path):
            if self.before:
                self.before(given)
            made = build(self.family, given)
            return self.after(made) if self.after else made


@dataclass(frozen=True)
class Listed:
    """A list; `name` gives that of an item, by which items must differ, and `named` where in the item it is."""

    noun: str
    item: Rule
    name: Callable[[Any], str | None]
    most: int | None = None
    named: Path = ()
    before: Callable[[Any], None] | None = None

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"a non-empty list of {self.noun}" if self.most is None else f"a list of 1 to {self.most} {self.noun}"

    def read(self, given: Any, path: Path, errors: Collector) -> list[Any]:
        """Its items; none if it is not a list, or has too many."""
        if not isinstance(given, list | tuple) or not 1 <= len(given) <= (self.most or len(given)):
            refuse(self, given, path, errors)
            return []
        count = len(errors.errors)
        with errors.at(*path):
            if self.before:
                self.before(given)
        if len(errors.errors) > count:
            return [None] * len(given)
        items = [self.item.read(item, (*path, i), errors) for i, item in enumerate(given)]
        names = [None if item is None else self.name(item) for item in items]
        for i in repeats(names):
            if names[i] is not None:
                sentence = f"{path[-1]} must differ, got {names[i]!r} twice"
                errors.add(ParameterError(sentence, (*path, i, *self.named)))
        return items


@dataclass(frozen=True)
class Arms:
    """Reward distributions by name."""

    allowed = "a non-empty table of arms, each a reward distribution by its name"

    def read(self, given: Any, path: Path, errors: Collector) -> dict[str, Any] | None:
        """The arms; None in place of an invalid one."""
        if not isinstance(given, Mapping) or not given:
            refuse(self, given, path, errors)
            return None
        for name in given:
            with errors.at(*path, str(name)):
                check_name(name)
        return {name: Made("rewards").read(arm, (*path, str(name)), errors) for name, arm in given.items()}


@dataclass(frozen=True)
class Table:
    """A mapping with known keys; those that have a default may be left out."""

    allowed: str
    rules: Mapping[str, Rule]
    defaults: Mapping[str, Any] = field(default_factory=dict)
    noun: str = "the experiment"

    def read(self, given: Any, path: Path, errors: Collector) -> dict[str, Any] | None:
        """All its keys; None if it is not a mapping."""
        if not isinstance(given, Mapping):
            refuse(self, given, path, errors)
            return None
        for key in given:
            if key not in self.rules:
                unknown = UnknownNameError("key", key, self.rules)
                errors.add(ParameterError(unknown.sentence, (str(key),)).at(*path))
        return {key: self._part(key, given, path, errors) for key in self.rules}

    def _part(self, key: str, given: Mapping[str, Any], path: Path, errors: Collector) -> Any:
        if key in self.defaults and given.get(key, self.defaults[key]) is self.defaults[key]:
            return self.defaults[key]
        if key not in given:
            errors.add(ParameterError(f"{key} is missing; it must be {self.rules[key].allowed}", (key,)).at(*path))
            return None
        return self.rules[key].read(given[key], (*path, key), errors)


def by(rule: Rule) -> dict[str, Any]:
    """The metadata of a field of a `Validated` class: its rule."""
    return {"rule": rule}


@dataclass(frozen=True, kw_only=True)
class Validated:
    """Fields that are validated together; each is declared once: ``horizon: int = field(metadata=by(rule))``."""

    _noun: ClassVar[str]  # such as "the experiment"
    _allowed: ClassVar[str]  # the keys that must be given, in words
    _always_in_a_list: ClassVar[bool] = False  # whether an InvalidInput is raised for a single error too

    def __post_init__(self) -> None:
        vars(self).update(self._checked(self._parts()))

    @classmethod
    @functools.cache
    def _table(cls) -> Table:
        """The rules of the fields, and their defaults."""
        rules, defaults = {}, {}
        for each in dataclasses.fields(cls):
            rules[each.name] = each.metadata["rule"]
            if each.default is not dataclasses.MISSING:
                defaults[each.name] = each.default
            elif each.default_factory is not dataclasses.MISSING:
                defaults[each.name] = each.default_factory()
        return Table(cls._allowed, rules, defaults, cls._noun)

    @classmethod
    def _checked(cls, given: Any, source: str = "") -> dict[str, Any]:
        """The fields that plain data describes, or all errors in them; `source` names the data in errors."""
        errors = Collector()
        parts = cls._table().read(given, (), errors)
        if parts is not None:
            cls._check_together(parts, given, errors)
        if parts is None or errors.errors:
            is_alone = len(errors.errors) == 1 and not source and not cls._always_in_a_list
            raise errors.errors[0] if is_alone else InvalidInput(errors.errors, source)
        return parts

    @classmethod
    def _check_together(cls, parts: dict[str, Any], given: Any, errors: Collector) -> None:
        """Check, and complete in place, what concerns several fields."""

    @classmethod
    def from_spec(cls, spec: Any, source: str = "") -> Self:
        """What plain data with the keys of a file describes; `source` names the data in errors."""
        return cls.of_checked(**cls._checked(spec, source))

    @classmethod
    def of_checked(cls, **parts: Any) -> Self:
        """What has these fields, to which its rules or stricter ones have been applied already."""
        made = object.__new__(cls)
        vars(made).update(parts)
        return made

    def _parts(self) -> dict[str, Any]:
        """The fields by name."""
        return {each.name: getattr(self, each.name) for each in dataclasses.fields(self)}

    def _changed(self) -> dict[str, Any]:
        """The fields that differ from their defaults."""
        defaults = self._table().defaults
        return {key: part for key, part in self._parts().items() if key not in defaults or part != defaults[key]}

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return self.from_spec(self._parts() | changes)


def table_of(cls: type[Validated]) -> Table:
    """The rules of the fields of a class, and their defaults."""
    return cls._table()


def refuse(rule: Rule, given: Any, path: Path, errors: Collector) -> None:
    """Report an invalid part and the allowed values."""
    names = [i for i, part in enumerate(path) if isinstance(part, str)]
    outer, own = path[: names[-1]] if names else (), path[names[-1] :] if names else ()
    noun = rule.noun if isinstance(rule, Table) else ""
    sentence = f"{place(own) or noun} must be {rule.allowed}, got {quoted(given)}"
    errors.add(ParameterError(sentence, own).at(*outer))


def plain(part: Any) -> Any:
    """A part of an experiment as plain data, which is read as an equal part."""
    if isinstance(part, Plugin):
        spec = part.spec()
        return spec if len(spec) > 1 else part.name
    if isinstance(part, Mapping):
        return {name: plain(item) for name, item in part.items()}
    return [plain(item) for item in part] if isinstance(part, list) else part

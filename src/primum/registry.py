"""Plug-ins by name: class <-> name, object <-> spec (plain data) <-> text."""

from __future__ import annotations

import dataclasses
import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.parameters import MOST_PARAMETERS, Parameter, declared

# family -> the word for it in messages; the plural is the name of the sub-package and of the entry-point group
FAMILIES = {"values": "value", "rewards": "reward distribution", "policies": "policy"}

_classes: dict[str, dict[str, type[Plugin]]] = {family: {} for family in FAMILIES}
_discovered: set[str] = set()


@dataclass(frozen=True)
class Plugin:
    """A frozen set of declared parameters with a name: the base of values, reward distributions and policies."""

    family: ClassVar[str] = ""
    name: ClassVar[str] = ""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "family" in cls.__dict__ or cls.__name__.startswith("_") or cls.__dict__.get("abstract"):
            return  # the head of a family, or a base inside one
        if "name" not in cls.__dict__:
            cls.name = re.sub(r"(?<=[a-z0-9])(?=[A-Z](?!$))", "-", cls.__name__).lower()  # CVaR is cvar
        known = _classes[cls.family]
        other = known.get(cls.name)
        if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise PrimumError(
                f"a {FAMILIES[cls.family]} named {cls.name!r} exists already "
                f"({other.__module__}.{other.__qualname__}); rename the class or set its `name`"
            )
        known[cls.name] = cls

    @classmethod
    def reference(cls) -> str:
        """The source that the class names in its docstring, in a paragraph that begins with `Reference: `; else ''."""
        paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(cls.__doc__ or ""))
        found = [text for text in paragraphs if text.startswith("Reference: ")]
        return " ".join(found[0].split()[1:]) if found else ""

    def __post_init__(self) -> None:
        for name, rule in declared(self).items():
            object.__setattr__(self, name, rule.check(f"{self.name}: {name}", getattr(self, name)))

    def spec(self) -> dict[str, Any]:
        """Plain data from which `build` makes an equal object."""
        return {"name": self.name} | {
            name: list(value) if isinstance(value, tuple) else value
            for name in declared(self)
            for value in [getattr(self, name)]
        }

    @property
    def label(self) -> str:
        """The spec as text, with the parameters that differ from their defaults: ``besa-plus(floor=2)``."""
        told = []
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.init and value != field.default:
                told.append(f"{field.name}={_as_text(value)}")
        return f"{self.name}({', '.join(told)})" if told else self.name

    def __str__(self) -> str:
        return self.label

    def check_static(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """The names of functions for native code; each must be a static method."""
        for name in names:
            if not isinstance(inspect.getattr_static(type(self), name, None), staticmethod):
                raise ParameterError(
                    f"{type(self).__name__} needs a static method `{name}`: @staticmethod def {name}(...)"
                )
        return names

    def function(self, name: str) -> Callable[..., Any]:
        """The plain source of a function for native code."""
        found: Callable[..., Any] = getattr(type(self), name)
        return found

    def packed(self) -> tuple[Any, ...]:
        """The parameters as kernels receive them: up to six numbers, or a single read-only array."""
        rules = declared(self)
        if len(rules) > MOST_PARAMETERS:
            raise PrimumError(f"{self.name} declares {len(rules)} parameters; kernels take at most {MOST_PARAMETERS}")
        for name, rule in rules.items():
            if rule.many:
                raise PrimumError(f"{self.name}: {name} is a list, and kernels take single numbers only")
        return tuple(rule.pack(getattr(self, name)) for name, rule in rules.items())


def _as_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(_as_text(item) for item in value) + "]"
    return repr(value).removesuffix(".0")  # all digits of a number, so that the text gives an equal object


def names(family: str) -> list[str]:
    """All registered names of a family, those of installed third-party packages included."""
    _discover(family)
    return sorted(_classes[family])


def find(family: str, name: str) -> type[Plugin]:
    """The class that a name stands for."""
    _discover(family)
    try:
        return _classes[family][name]
    except (KeyError, TypeError):
        raise UnknownNameError(FAMILIES[family], name, _classes[family]) from None


def build(family: str, spec: Any) -> Any:
    """The object that a spec (a mapping, or text such as ``besa-plus(floor=2)``) describes."""
    if isinstance(spec, Plugin):
        if spec.family != family:
            raise ParameterError(f"expected a {FAMILIES[family]}, got the {FAMILIES[spec.family]} {spec.label}")
        return spec
    if isinstance(spec, str):
        spec = parse(spec)
    if not isinstance(spec, Mapping) or "name" not in spec:
        raise ParameterError(f"a {FAMILIES[family]} is given by its name and parameters, got {spec!r}")
    cls = find(family, spec["name"])
    rules = declared(cls)
    for key in spec:
        if key != "name" and key not in rules:
            raise ParameterError(f"{cls.name}: {UnknownNameError('parameter', key, rules or ['(it has none)'])}")
    given = {key: value for key, value in spec.items() if key != "name"}
    for field in dataclasses.fields(cls):
        if field.init and field.default is dataclasses.MISSING and field.name not in given:
            raise ParameterError(f"{cls.name}: {field.name} is missing; it must be {rules[field.name].allowed}")
    return cls(**given)


_CALL = re.compile(r"\s*([A-Za-z][\w+-]*)\s*(?:\((.*)\))?\s*", re.DOTALL)
_ARGUMENT = re.compile(r"\s*(\w+)\s*=\s*(\[[^\]]*\]|'[^']*'|\"[^\"]*\"|[^,\[\]'\"]+?)\s*(?:,|$)")


def parse(text: str) -> dict[str, Any]:
    """The spec written as text.

    >>> parse("cvar(alpha=0.1, estimator='ceil')")
    {'name': 'cvar', 'alpha': 0.1, 'estimator': 'ceil'}
    """
    match = _CALL.fullmatch(text)
    if match is None:
        raise ParameterError(f"cannot read {text!r}; write a name, or a name with parameters: besa-plus(floor=2)")
    spec: dict[str, Any] = {"name": match[1]}
    rest, position = match[2] or "", 0
    while rest[position:].strip():
        argument = _ARGUMENT.match(rest, position)
        if argument is None:
            raise ParameterError(
                f"cannot read {rest[position:].strip()!r} in {text!r}; write each parameter with its name: name=value"
            )
        if argument[1] in spec:
            raise ParameterError(f"cannot read {text!r}: {argument[1]} is given twice, or no parameter")
        spec[argument[1]] = _read(argument[2])
        position = argument.end()
    return spec


def _read(word: str) -> Any:
    word = word.strip()
    if word.startswith("["):
        return [_read(item) for item in word[1:-1].split(",") if item.strip()]
    if word[:1] in "'\"":
        return word[1:-1]
    try:
        return float(word)
    except ValueError:
        return word


def parameters_of(cls: type[Plugin]) -> dict[str, tuple[Parameter, Any]]:
    """Declaration and default of each parameter of a class."""
    defaults = {field.name: field.default for field in dataclasses.fields(cls)}
    return {name: (rule, defaults[name]) for name, rule in declared(cls).items()}


def _discover(family: str) -> None:
    """Import what other packages publish under the entry-point group ``primum.<family>``, once."""
    if family in _discovered:
        return
    _discovered.add(family)
    from importlib.metadata import entry_points  # takes a tenth of a second

    for entry in entry_points(group=f"primum.{family}"):
        entry.load()

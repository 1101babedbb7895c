"""Plug-ins by name: class <-> name, object <-> spec (plain data) <-> text."""

from __future__ import annotations

import dataclasses
import inspect
import re
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from primum.errors import Collector, ParameterError, PrimumError, UnknownNameError, quoted
from primum.plugins.parameters import FAMILIES as FAMILIES
from primum.plugins.parameters import MOST_PARAMETERS, NOUNS, Parameter, declared, with_article
from primum.plugins.spec_text import DEEPEST_NESTING, TOO_DEEP, write
from primum.plugins.spec_text import parse as parse

_classes: dict[str, dict[str, type[Plugin]]] = {family: {} for family in NOUNS}
_discovered: set[str] = set()
# by family: makes a plug-in of an object of another library, and gives None for anything else
adapters: dict[str, Callable[[Any], Plugin | None]] = {}
discovering = threading.RLock()  # of `_discovered`; a package may ask for names while it is imported


class _Receiving(threading.local):
    """Whether this thread is unpickling classes, which get their attributes, `name` among them, after their making."""

    on = False


_receiving = _Receiving()
MOST_LISTED = 3  # items of a list that a display name writes out


@dataclass(frozen=True)
class Plugin:
    """A frozen set of declared parameters with a name: the base of values, reward distributions and policies."""

    family: ClassVar[str] = ""
    name: ClassVar[str] = ""  # for files, specs and code: besa-plus
    title: ClassVar[str] = ""  # for people: BESA+
    group: ClassVar[str] = ""  # the heading in lists; if empty, `groups.group` finds one

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        slug = re.sub(r"(?<=[a-z0-9])(?=[A-Z](?!$))", "-", cls.__name__).lower()  # CVaR is cvar
        if "title" not in cls.__dict__:
            cls.title = cls.__dict__.get("name", slug).strip("_").replace("-", " ").capitalize()
        if "family" in cls.__dict__ or cls.__name__.startswith("_") or cls.__dict__.get("abstract"):
            return  # the head of a family, or a base inside one
        if _receiving.on:
            return
        if "name" not in cls.__dict__:
            cls.name = slug
        known = _classes[cls.family]
        other = known.get(cls.name)
        if other is not None and (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise PrimumError(
                f"{with_article(NOUNS[cls.family])} named {cls.name!r} exists already "
                f"({other.__module__}.{other.__qualname__}); rename the class or set its `name`"
            )
        known[cls.name] = cls

    @classmethod
    def reference(cls) -> str:
        """The source that the class names in its docstring, in a paragraph that begins with `Reference: `; else ''."""
        paragraphs = re.split(r"\n\s*\n", inspect.cleandoc(cls.__doc__ or ""))
        found = [text for text in paragraphs if text.startswith("Reference: ")]
        return " ".join(found[0].split()[1:]) if found else ""

    def __new__(cls, *given: Any, **named: Any) -> Self:
        for name in named:
            if name not in declared(cls):
                raise _unknown_parameter(cls, name)
        return super().__new__(cls)

    def __post_init__(self) -> None:
        for name, rule in declared(self).items():
            object.__setattr__(self, name, rule.check(name, getattr(self, name), build, self.name))
        if _depth(self) > DEEPEST_NESTING:
            raise ParameterError(f"{self.name}: {TOO_DEEP}")

    def spec(self) -> dict[str, Any]:
        """Plain data from which `build` makes an equal object."""
        return {"name": self.name} | {name: as_data(getattr(self, name)) for name in declared(self)}

    @property
    def label(self) -> str:
        """The spec as text, with the parameters that differ from their defaults: ``besa-plus(floor=2)``.

        `build` reads it as an equal object, unless it has a list too long to be shown; use the spec for those.
        """
        changed = [f"{name}={write(value)}" for name, value in self._changed()]
        return f"{self.name}({', '.join(changed)})" if changed else self.name

    @property
    def display_name(self) -> str:
        """The title and the parameters that differ from their defaults, for people: ``BESA+ (floor 2)``."""
        changed = [f"{name.replace('_', ' ')} {_for_people(value)}" for name, value in self._changed()]
        return f"{self.title} ({', '.join(changed)})" if changed else self.title

    def _changed(self) -> Iterator[tuple[str, Any]]:
        """The parameters that differ from their defaults."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if field.init and value != field.default:
                yield field.name, value

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


def _for_people(value: Any) -> str:
    if isinstance(value, tuple):
        return f"{len(value)} items" if len(value) > MOST_LISTED else ", ".join(map(_for_people, value))
    if isinstance(value, Plugin):
        return value.display_name
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _depth(plugin: Plugin) -> int:
    parts = [(getattr(plugin, name), rule.many) for name, rule in declared(plugin).items() if rule.family]
    return 1 + max((_depth(inner) for part, many in parts for inner in (part if many else [part])), default=0)


def as_data(value: Any) -> Any:
    """The value of a parameter as plain data."""
    if isinstance(value, tuple):
        return [as_data(item) for item in value]
    return value.spec() if isinstance(value, Plugin) else value


def classes(plugins: Iterable[Plugin]) -> Iterator[type[Plugin]]:
    """The classes of plug-ins and of those among their parameters."""
    for plugin in plugins:
        yield type(plugin)
        for field in dataclasses.fields(plugin):
            inner = getattr(plugin, field.name)
            parts = inner if isinstance(inner, tuple) else (inner,)
            yield from classes(part for part in parts if isinstance(part, Plugin))


@contextmanager
def receiving() -> Iterator[None]:
    """Register no class that is made in this block; `register` does so when they are complete."""
    _receiving.on = True
    try:
        yield
    finally:
        _receiving.on = False


def register(cls: type[Plugin]) -> None:
    """Make a class known by its name, in place of any other of that name."""
    _classes[cls.family][cls.name] = cls


def names(family: str) -> list[str]:
    """All registered names of a family, those of installed third-party packages included."""
    _discover(family)
    return sorted(_classes[family])


def find(family: str, name: str) -> type[Plugin]:
    """The class with this name."""
    _discover(family)
    try:
        return _classes[family][name]
    except (KeyError, TypeError):
        raise UnknownNameError(NOUNS[family], name, _classes[family]) from None


def adapted(family: str, given: Any) -> Any:
    """The plug-in that stands for an object of another library, such as SciPy's; anything else as it is."""
    return (adapters[family](given) if family in adapters else None) or given


def build(family: str, spec: Any, depth: int = 1) -> Any:
    """The object that a spec (a mapping, or text such as ``besa-plus(floor=2)``) describes.

    `depth` is its level of nesting, from 1.
    """
    spec = adapted(family, spec)
    if isinstance(spec, Plugin):
        if spec.family != family:
            raise ParameterError(f"expected {with_article(NOUNS[family])}, got the {NOUNS[spec.family]} {spec.label}")
        return spec
    if isinstance(spec, type) and issubclass(spec, Plugin):
        raise ParameterError(
            f"{with_article(NOUNS[family])} is an object, got the class {spec.__name__}: write {spec.__name__}()"
        )
    if depth > DEEPEST_NESTING:
        raise ParameterError(TOO_DEEP)
    if isinstance(spec, str):
        spec = parse(spec)
    if not isinstance(spec, Mapping) or "name" not in spec:
        raise ParameterError(f"{with_article(NOUNS[family])} is given by its name and parameters, got {quoted(spec)}")
    cls = find(family, spec["name"])
    return _made(cls, {key: value for key, value in spec.items() if key != "name"}, depth)


def _made(cls: type[Plugin], given: dict[Any, Any], depth: int) -> Plugin:
    """An object of the class; if several parameters are wrong, the error lists all of them."""
    rules, errors = declared(cls), Collector()

    def deeper(family: str, spec: Any) -> Any:
        return build(family, spec, depth + 1)

    for key in given:
        if key not in rules:
            errors.add(_unknown_parameter(cls, key))
        elif rules[key].family:
            with errors.ours():
                given[key] = rules[key].check(key, given[key], deeper, cls.name)
    for field in dataclasses.fields(cls):
        if field.init and field.default is dataclasses.MISSING and field.name not in given:
            sentence = f"{cls.name}: {field.name} is missing; it must be {rules[field.name].allowed}"
            errors.add(ParameterError(sentence, (field.name,)))
    if not errors.errors:
        try:
            return cls(**given)
        except PrimumError as error:
            first = error
    for key in given:
        if key in rules and not rules[key].family:
            with errors.ours():
                rules[key].check(key, given[key], of=cls.name)
    errors.raise_any()
    raise first


def _unknown_parameter(cls: type[Plugin], name: Any) -> ParameterError:
    if name in inspect.get_annotations(cls):
        sentence = f"{cls.name}: {name} is no parameter yet; put @dataclass(frozen=True) above class {cls.__name__}"
        return ParameterError(sentence, (name,))
    unknown = UnknownNameError("parameter", name, declared(cls) or ["(it has none)"])
    return ParameterError(f"{cls.name}: {unknown}", (str(name),))


def parameters_of(cls: type[Plugin]) -> dict[str, tuple[Parameter, Any]]:
    """Declaration and default of each parameter of a class."""
    defaults = {field.name: field.default for field in dataclasses.fields(cls)}
    return {name: (rule, defaults[name]) for name, rule in declared(cls).items()}


def _discover(family: str) -> None:
    """Import what other packages publish under the entry-point group ``primum.<family>``, once."""
    with discovering:  # so that other threads wait until all of it is there
        if family not in _discovered:
            _discovered.add(family)
            _import_entry_points(family)


def _import_entry_points(family: str) -> None:
    from importlib.metadata import entry_points  # takes a tenth of a second

    for entry in entry_points(group=f"primum.{family}"):
        try:
            entry.load()
        except Exception as error:  # another author's package must not take everything down
            what = f"the {NOUNS[family]} {entry.name!r} ({entry.value})"
            warnings.warn(f"{what} cannot be loaded: {type(error).__name__}: {error}", stacklevel=4)

"""Load plug-ins by location: ``my_values.py:WorstThird(share=0.2)``."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.plugins import registry


def plugin_classes(place: str) -> list[type[registry.Plugin]]:
    """The classes of plug-ins that a module defines; importing it makes them known by their names.

    A module is a dotted name or the path of a .py file; of a package, what its modules define counts too.
    """
    module = _module(place)
    own = [
        cls
        for cls in _found(module).values()
        if f"{cls.__module__}.".startswith(f"{module.__name__}.") and _concrete(cls)
    ]
    if not own:
        raise PrimumError(f"{place} defines no value, no reward distribution and no policy")
    return own


def load(text: str) -> list[Any]:
    """The plug-in of ``MODULE:CLASS`` or ``MODULE:CLASS(name=value)``, or all that are defined in ``MODULE``.

    A module is a dotted name or the path of a .py file. A registered name is accepted too: ``cvar(alpha=0.3)``.
    """
    name = text.partition("(")[0].strip()
    for family in registry.FAMILIES:
        if name in registry.names(family):
            return [registry.build(family, text)]
    place, _, call = text.partition(":")
    if call:
        module, spec = _module(place), registry.parse(call)
        return [_build(_choose(module, spec["name"]), spec)]
    try:
        return [_build(cls, {}) for cls in plugin_classes(place)]
    except ParameterError as error:  # some are made with parameters only
        raise PrimumError(f"{error}; check the classes of {place} one by one: {place}:CLASS(parameter=...)") from None


def _module(place: str) -> ModuleType:
    try:
        if not place.endswith(".py"):
            sys.path.insert(0, "")  # the current folder, as with python -m
            return importlib.import_module(place)
        path = Path(place).resolve()
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None or not path.is_file():
            raise PrimumError(f"there is no file {place}")
        known = sys.modules.get(path.stem)
        if known is not None:
            return _same(known, path)
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module  # where dataclasses look up types
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[path.stem]
            raise
        return module
    except PrimumError as error:
        raise PrimumError(f"cannot import {place}: {error}") from None
    except (Exception, SystemExit) as error:
        raise PrimumError(f"cannot import {place}: {type(error).__name__}: {error}") from None
    finally:
        sys.path.pop(0)


def _same(known: ModuleType, path: Path) -> ModuleType:
    """A module that was imported before, if that was from the same file."""
    origin = getattr(known, "__file__", None)
    if origin is None or Path(origin).resolve() != path:
        raise PrimumError(f"another module named {path.stem} is loaded already; rename the file")
    return known


def _found(module: ModuleType) -> dict[str, type[registry.Plugin]]:
    return {
        name: cls
        for name, cls in vars(module).items()
        if isinstance(cls, type) and issubclass(cls, registry.Plugin) and cls.family
    }


def _choose(module: ModuleType, name: str) -> type[registry.Plugin]:
    found = _found(module)
    if name in vars(module) and name not in found:
        raise PrimumError(f"{name} in {module.__name__} is not a value, a reward distribution or a policy")
    for known, cls in found.items():
        if name in (known, cls.name):
            if not _concrete(cls):
                raise PrimumError(f"{name} is a base class; check a class derived from it")
            return cls
    raise UnknownNameError(f"plug-in in {module.__name__}", name, found)


def _concrete(cls: type[registry.Plugin]) -> bool:
    return "family" not in cls.__dict__ and not cls.__dict__.get("abstract") and not cls.__name__.startswith("_")


def _build(cls: type[registry.Plugin], spec: dict[str, Any]) -> Any:
    return registry.build(cls.family, spec | {"name": cls.name})

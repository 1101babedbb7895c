"""What made results: the versions of packages, and the fingerprint of the code."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from primum.errors import ParameterError
from primum.plugins.registry import Plugin, classes
from primum.store import fingerprints

if TYPE_CHECKING:
    from primum.results.results import Results

UNKNOWN = "unknown"
SHOWN_DIGITS = 12  # of a fingerprint, to people


def fingerprint(plugins: Iterable[Plugin]) -> str:
    """The fingerprint of the running code with these plug-ins; "unknown" if the source of one cannot be read."""
    try:
        return fingerprints.results(set(classes(plugins)))
    except ParameterError:
        return UNKNOWN


def marks(versions: Mapping[str, str], *fingerprints: str) -> dict[str, str]:
    """What tables and arrays say about the code that made them: `primum_version` and `fingerprint`."""
    return {"primum_version": versions.get("primum", UNKNOWN), "fingerprint": together(fingerprints)}


def described(marks: Mapping[str, str]) -> str:
    """The same, short, for people.

    >>> described({"primum_version": "0.2.0", "fingerprint": "3f9a0c1d2e4b" + 52 * "0"})
    'Primum 0.2.0, code 3f9a0c1d2e4b'
    """
    return f"Primum {marks['primum_version']}, code {_short(marks['fingerprint'])}"


def together(texts: Iterable[str]) -> str:
    """Different versions or fingerprints of something as one text, in order."""
    return ", ".join(dict.fromkeys(one for text in texts for one in text.split(", ")))


def joined(parts: Sequence[Results], what: str) -> tuple[dict[str, str], str]:
    """The versions and the fingerprints of all parts; a warning says if `what` was computed with different ones."""
    names = dict.fromkeys(name for part in parts for name in part.versions)
    versions = {name: together(part.versions.get(name, UNKNOWN) for part in parts) for name in names}
    if different := [f"{name} {numbers}" for name, numbers in versions.items() if ", " in numbers]:
        warnings.warn(f"{what} were computed with different versions: {'; '.join(different)}", stacklevel=3)
    by_plugins: dict[frozenset[str], list[str]] = {}  # without a plug-in, the fingerprint is another one
    for part in parts:
        by_plugins.setdefault(_foreign(part), []).append(part.fingerprint)
    found = [together(each) for each in by_plugins.values()]
    if not different and (various := [each for each in found if ", " in each]):
        warnings.warn(f"{what} were computed by different code: fingerprints {_short(various[0])}", stacklevel=3)
    return versions, together(found)


def _short(fingerprint: str) -> str:
    return ", ".join(each[:SHOWN_DIGITS] for each in fingerprint.split(", "))


def _foreign(results: Results) -> frozenset[str]:
    """The names of the classes of plug-ins that are not ours."""
    used: set[type[Any]] = set(classes(results.plugins))
    return frozenset(f"{each.__module__}.{each.__qualname__}" for each in used if not fingerprints.is_ours(each))

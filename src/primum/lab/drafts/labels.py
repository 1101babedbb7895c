"""Plug-ins in words, short enough for a line of the page."""

from __future__ import annotations

from typing import Any

from primum.plugins.registry import Plugin, parameters_of

MOST_LISTED = 3  # of a list that is written out
NOUNS = {"data": "observations"}  # what a list holds, where its name does not say it


def in_words(plugin: Plugin) -> str:
    """Name and parameters: ``cvar (alpha 0.1)``, ``empirical (43 observations)``; a formula is itself.

    One of a few ways to do the same, such as an estimator, is told only if it is not the usual one.
    """
    if plugin.name == "formula":
        return str(plugin.spec()["text"])
    parts = []
    for name, (rule, default) in parameters_of(type(plugin)).items():
        item = getattr(plugin, name)
        if item != () and not (rule.choices and item == default):
            parts.append(_part(name.replace("_", " "), item))
    return f"{plugin.name} ({', '.join(parts)})" if parts else plugin.name


def _part(name: str, item: Any) -> str:
    if isinstance(item, Plugin):
        return in_words(item)
    if not isinstance(item, tuple):
        return f"{name} {_plain(item)}"
    if len(item) > MOST_LISTED or name in NOUNS or isinstance(item[0], Plugin):
        noun = NOUNS.get(name, name)
        return f"{len(item)} {noun.removesuffix('s') if len(item) == 1 else noun}"
    return f"{name} {' '.join(map(_plain, item))}"


def _plain(item: Any) -> str:
    return f"{item:.4g}" if isinstance(item, float) else str(item)

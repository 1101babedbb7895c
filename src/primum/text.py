"""Words for numbers and values."""

from __future__ import annotations

from collections.abc import Sequence

from primum.plugins.registry import Plugin


def counted(number: int, noun: str) -> str:
    """The number with its noun: ``1 arm``, ``2,000 arms``."""
    return f"{number:,} {noun}" + "s" * (number != 1)


def listed(words: Sequence[str], join: str = "and") -> str:
    """Words as a sentence has them.

    >>> listed(["UCB1", "BESA", "ExpExp"]), listed(["a", "b"], "or"), listed([])
    ('UCB1, BESA and ExpExp', 'a or b', '')
    """
    return f" {join} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def in_words(value: Plugin) -> str:
    """The value with all its parameters, the default ones too: ``cvar, alpha 0.1, estimator fractional``."""
    given = {key: f"{item:g}" if isinstance(item, float) else item for key, item in value.spec().items()}
    return ", ".join(f"{key} {item}" if key != "name" else str(item) for key, item in given.items())

"""Counting and listing in English."""

from __future__ import annotations

from collections.abc import Sequence


def counted(number: int, noun: str) -> str:
    """A number with its noun: ``1 arm``, ``2,000 arms``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(words: Sequence[str], join: str = "and") -> str:
    """Words as a list in a sentence.

    >>> listed(["UCB1", "BESA", "ExpExp"]), listed(["a", "b"], "or"), listed([])
    ('UCB1, BESA and ExpExp', 'a or b', '')
    """
    return f" {join} ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))

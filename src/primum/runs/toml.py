"""TOML: read with errors that a person can act on, and written."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import tomllib
from collections.abc import Mapping
from typing import Any

from primum.errors import PrimumError

LARGEST_FILE = 16 * 2**20  # bytes
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_UNPRINTABLE = re.compile(r'[\x00-\x1f\x7f"\\]')


def read(path: str | os.PathLike[str]) -> str:
    """The text of a file; that of standard input if the path is ``-``."""
    source = "standard input" if path == "-" else str(path)
    if path == "-" and sys.stdin is None:
        raise PrimumError("cannot read standard input: it is closed")
    try:
        with contextlib.nullcontext(sys.stdin.buffer) if path == "-" else open(path, "rb") as file:
            content = file.read(LARGEST_FILE + 1)
    except (OSError, ValueError) as error:  # a ValueError: a null character in the path
        raise PrimumError(f"cannot read {source}: {getattr(error, 'strerror', None) or error}") from None
    return _decoded(content, source)


def _decoded(content: bytes, source: str) -> str:
    if len(content) > LARGEST_FILE:
        raise PrimumError(f"{source} has more than {LARGEST_FILE // 2**20} MiB, too much for an experiment file")
    try:
        return content.decode("utf-8-sig")  # some editors put a mark in front
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise PrimumError(f"{source} is not a text file in UTF-8 (at line {line}: {error.reason})") from None


def parse(text: str, source: str) -> dict[str, Any]:
    """The data that a text describes; `source` names the text in errors."""
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a plain ValueError: a number of thousands of digits
        raise PrimumError(f"{source} is not valid TOML: {error}") from None


def key(name: str) -> str:
    """A name as a key, in quotes if need be."""
    return name if _BARE.fullmatch(name) else value(name)


def value(given: Any) -> str:
    """Plain data as the right side of an assignment, on one line.

    >>> value({"name": "cvar", "alpha": 0.1, "levels": [1, 2]})
    '{ name = "cvar", alpha = 0.1, levels = [1, 2] }'
    """
    if isinstance(given, bool):
        return str(given).lower()
    if isinstance(given, str):
        return (
            '"'
            + _UNPRINTABLE.sub(
                lambda match: f"\\u{ord(match[0]):04x}" if match[0] not in '"\\' else "\\" + match[0], given
            )
            + '"'
        )
    if isinstance(given, Mapping):
        return "{ " + ", ".join(f"{key(name)} = {value(item)}" for name, item in given.items()) + " }"
    if isinstance(given, list | tuple):
        return "[" + ", ".join(map(value, given)) + "]"
    return repr(given)  # whole and floating numbers are written alike in Python and TOML

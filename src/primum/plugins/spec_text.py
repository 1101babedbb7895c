"""Specs as text that people write and read: ``clipped(distribution=truncated-normal(location=0.4, deviation=0.3))``."""

from __future__ import annotations

import re
from typing import Any

from primum.errors import ParameterError

DEEPEST_NESTING = 16  # plug-ins within plug-ins; Python's stack overflows at about 100
TOO_DEEP = f"plug-ins and lists can be nested at most {DEEPEST_NESTING} deep"
LONGEST_LIST = 12  # items that are written; of a longer list only the first few are

_NAME = re.compile(r"[A-Za-z][\w+-]*")
_TOKEN = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()\[\],=]|[^()\[\],='"\s][^()\[\],='"]*""", re.DOTALL)
_SPACE = re.compile(r"\s*")


def parse(text: str) -> dict[str, Any]:
    """The spec written as text; parameters may be lists, and plug-ins with their own parameters.

    >>> parse("cvar(alpha=0.1, estimator='ceil')")
    {'name': 'cvar', 'alpha': 0.1, 'estimator': 'ceil'}
    >>> parse("mixture(components=[uniform, constant(value=1)])")
    {'name': 'mixture', 'components': ['uniform', {'name': 'constant', 'value': 1.0}]}
    """
    reader = _Reader(text)
    name = reader.take()
    spec = reader.call(name, 1) if reader.next == "(" else {"name": name}
    if reader.next or not _NAME.fullmatch(name):
        raise ParameterError(f"cannot read {_shown(text)}; write a name, or a name with parameters: besa-plus(floor=2)")
    return spec


def split(text: str) -> list[str]:
    """The specs in a text, between commas that no parentheses or quotation marks enclose.

    >>> split("besa-plus(floor=2, order='index'), ucb1")
    ["besa-plus(floor=2, order='index')", 'ucb1']
    """
    parts, depth = [""], 0
    for piece in re.findall(f"{_TOKEN.pattern}|.", text, re.DOTALL):
        depth += (piece in ("(", "[")) - (piece in (")", "]"))
        if piece == "," and depth <= 0:
            parts.append("")
        else:
            parts[-1] += piece
    return [part.strip() for part in parts if part.strip()]


def write(value: Any) -> str:
    """The value of a parameter as text; anything but a list, a text or a number is written as it is.

    >>> write((0.5, 2.0, "it's"))
    "[0.5, 2, 'it\\\\'s']"
    """
    if isinstance(value, tuple):
        shown = [write(item) for item in (value if len(value) <= LONGEST_LIST else value[:3])]
        more = [f"... {len(value) - len(shown)} more"] if len(shown) < len(value) else []
        return "[" + ", ".join(shown + more) + "]"
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    if isinstance(value, float):
        return repr(value).removesuffix(".0")  # all digits, so that the text gives an equal object
    return str(value)


class _Reader:
    """A text, read from left to right; `next` is the token to come, nothing at the end."""

    def __init__(self, text: str) -> None:
        self.text, self.position, self.next = text, 0, ""
        self.take()

    def take(self, wanted: str = "") -> str:
        """The next token, and go on to the one after it."""
        token = self.next
        if wanted and token != wanted:
            self.refuse(f"a {wanted!r} is missing")
        start = _SPACE.match(self.text, self.position).end()  # type: ignore[union-attr]  # it always matches
        match = _TOKEN.match(self.text, start)
        if match is None and start < len(self.text):
            raise ParameterError(f"cannot read {_shown(self.text)}: a quotation mark is missing")
        self.next = match[0].rstrip() if match else ""
        self.position = match.end() if match else start
        return token

    def call(self, name: str, depth: int) -> dict[str, Any]:
        """The spec with that name, from its opening parenthesis on."""
        spec: dict[str, Any] = {"name": name}
        self.take("(")
        while self.next != ")":
            key = self.take()
            if self.next != "=":
                self.refuse("write each parameter with its name: name=value", key)
            self.take("=")
            if key in spec:
                raise ParameterError(f"cannot read {_shown(self.text)}: {key} is given twice, or no parameter")
            spec[key] = self.value(depth)
            self.separate(")")
        self.take(")")
        return spec

    def value(self, depth: int) -> Any:
        """A list, a text, a number, a name, or a spec."""
        if depth > 2 * DEEPEST_NESTING:  # a list in a plug-in in a list ...
            raise ParameterError(f"cannot read {_shown(self.text)}: {TOO_DEEP}")
        token = self.take()
        if token == "[":
            items = []
            while self.next != "]":
                items.append(self.value(depth + 1))
                self.separate("]")
            self.take("]")
            return items
        if token.startswith("..."):
            self.refuse("this list was abbreviated for display; write it in full, or give a spec", token)
        if token in ("", *"()],="):
            self.refuse("a value is missing", token)
        if token[0] in "'\"":
            return re.sub(r"\\(.)", r"\1", token[1:-1], flags=re.DOTALL)
        if self.next == "(":
            return self.call(token, depth + 1)
        try:
            return float(token)
        except ValueError:
            return token

    def separate(self, end: str) -> None:
        """Past the comma between two items, or to the end of them."""
        if not self.next:
            self.refuse(f"a {end!r} is missing")
        if self.next != end:
            self.take(",")

    def refuse(self, why: str, token: str | None = None) -> None:
        found = self.next if token is None else token
        part = f"{_shown(found)} in " if found else ""
        raise ParameterError(f"cannot read {part}{_shown(self.text)}; {why}")


def _shown(text: str) -> str:
    return repr(text if len(text) <= 100 else text[:99] + "…")

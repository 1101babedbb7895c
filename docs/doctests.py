"""An extension of Griffe, which reads the docstrings for the API reference: doctests are code, not quotations."""

from __future__ import annotations

import re
from typing import Any

from griffe import Extension, Object

DOCTEST = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)  # up to the next blank line


class Doctests(Extension):
    """Fences doctests, as Markdown wants them."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        if obj.docstring:
            obj.docstring.value = DOCTEST.sub(lambda match: f"```pycon\n{match[0]}\n```", obj.docstring.value)

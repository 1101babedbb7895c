"""Errors in a request: a sentence for each place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import BaseModel

from primum.errors import place, quoted


class Errors(BaseModel):
    """The errors in a request: a sentence for each place, such as ``arms[2].distribution.low``."""

    errors: dict[str, str]


def parameter_errors(errors: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """A sentence for each parameter of a path or a query that FastAPI refuses."""
    sentences: dict[str, str] = {}
    for error in errors:
        where = place(error["loc"][1:])  # the first part says path or query
        if error["type"] == "extra_forbidden":
            sentences.setdefault(where, f"no field named {quoted(where)}")
            continue
        # pydantic's sentence begins with its subject: "Input should be ..."
        rule = error["msg"].split(" ", 1)[-1]
        sentences.setdefault(where, f"{where or 'the request'} {rule}, got {quoted(error.get('input'))}")
    return sentences

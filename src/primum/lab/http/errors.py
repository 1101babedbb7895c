"""What is wrong with what was sent: a sentence for each place."""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, get_args

from pydantic import BaseModel

from primum.errors import UnknownNameError

Place = Sequence[int | str]


def faults(errors: Iterable[Mapping[str, Any]], model: type[BaseModel] | None = None) -> dict[str, str]:
    """A sentence for each place of what pydantic found; `model` is what was asked for, whose descriptions say it."""
    said: dict[str, str] = {}
    for error in errors:
        where, sentence = _told(error, model)
        said.setdefault(where, sentence)
    return said


def _told(error: Mapping[str, Any], model: type[BaseModel] | None) -> tuple[str, str]:
    loc, kind, context = list(error["loc"])[1:], error["type"], error.get("ctx", {})  # the first says body or query
    where = path(loc)
    if kind == "plugin":
        inner = context["parameter"]
        return path([*loc, inner]) if inner else where, context["sentence"]
    if kind == "together":
        return path([*loc, context["place"]]), context["sentence"]
    if kind == "json_invalid":
        return "", f"this is not JSON: {context['error']} at character {loc[0] if loc else 0}"
    if kind == "extra_forbidden":
        known = _fields(model, loc[:-1])
        return where, str(UnknownNameError("key", loc[-1], known)) if known else f"no key named {loc[-1]!r}"
    must = _description(model, loc)
    if kind == "missing":
        return where, f"{where or 'the body'} is missing" + (f"; it must be {must}" if must else "")
    # pydantic's words begin with what it looked at: "Input should be ..."
    rule = f"must be {must}" if must else error["msg"].split(" ", 1)[-1]
    return where, f"{where or 'the body'} {rule}, got {_shown(error.get('input'))}"


def path(loc: Place) -> str:
    """A place as one would write it: ``policies[2].floor``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc).removeprefix(".")


def _fields(model: type[BaseModel] | None, loc: Place) -> dict[str, Any]:
    """The fields of the model at a place, none if there is no model."""
    for part in loc:
        if isinstance(part, str) and model is not None:
            field = model.model_fields.get(part)
            inner = [field.annotation, *get_args(field.annotation)] if field else []
            model = next((each for each in inner if isinstance(each, type) and issubclass(each, BaseModel)), None)
    return model.model_fields if model is not None else {}


def _description(model: type[BaseModel] | None, loc: Place) -> str:
    names = [i for i, part in enumerate(loc) if isinstance(part, str)]
    if not names:
        return ""
    field = _fields(model, loc[: names[-1]]).get(str(loc[names[-1]]))
    return (field.description or "") if field else ""


def _shown(given: Any) -> str:
    shown = reprlib.repr(given).encode("utf-8", "replace").decode()
    return shown if len(shown) <= 80 else shown[:79] + "…"

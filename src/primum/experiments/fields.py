"""Values, reward distributions and policies as fields of a model: by name, by text, by table or as objects."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator
from pydantic_core import PydanticCustomError

from primum.errors import PrimumError
from primum.plugins.registry import Plugin, build
from primum.policies import Policy
from primum.rewards import RewardDistribution
from primum.values import SafetyValue

LONGEST = 400  # characters of a sentence that quotes what was given


def _reader(family: str) -> Callable[[Any], Any]:
    def read(given: Any) -> Any:
        try:
            return build(family, given)
        except Exception as error:
            told = sentence(error)
            raise PydanticCustomError(
                "plugin", "{sentence}", {"sentence": told, "parameter": parameter_of(given, told)}
            ) from None

    return read


def sentence(error: Exception) -> str:
    """What went wrong while a plug-in was built, in a sentence that is not too long.

    What is not a PrimumError comes of numbers of hundreds of digits, tables nested a thousand deep, and plug-ins that
    check less than they should.
    """
    told = str(error) if isinstance(error, PrimumError) else f"{type(error).__name__}: {error}"
    return told if len(told) <= LONGEST else told[:LONGEST] + "…"


def parameter_of(given: Any, sentence: str) -> str:
    """Which parameter of a table the sentence of the registry is about, or nothing."""
    if not isinstance(given, Mapping):
        return ""
    match = re.match(r"[\w+-]+: (?:no parameter named '(.*?)'|(\w+))", sentence)
    found = (match[1] or match[2]) if match else ""
    return found if found in given else ""


def _plain(plugin: Plugin) -> dict[str, Any] | str:
    spec = plugin.spec()
    return spec if len(spec) > 1 else plugin.name


_given = {"json_schema_input_type": str | dict[str, Any]}
Value = Annotated[SafetyValue, PlainValidator(_reader("values"), **_given), PlainSerializer(_plain)]
Reward = Annotated[RewardDistribution, PlainValidator(_reader("rewards"), **_given), PlainSerializer(_plain)]
AnyPolicy = Annotated[Policy, PlainValidator(_reader("policies"), **_given), PlainSerializer(_plain)]

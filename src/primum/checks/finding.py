"""The finding of a check."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import PrimumError

Check = Callable[[Any], str]  # takes a plug-in and returns what it observed; raises a Counterexample if that is wrong


@dataclass(frozen=True)
class Finding:
    """The outcome of one check: its name, whether it passed, and a sentence about the observation."""

    check: str
    passed: bool
    sentence: str


class Counterexample(Exception):
    """An observation that refutes a property; the message describes it."""


def carry_out(check: Check, plugin: Any) -> Finding:
    """The finding of a check, whatever the plug-in does."""
    name = check.__name__.replace("_", " ")
    try:
        with np.errstate(all="ignore"):  # random numbers rely on integer overflow; nan and inf are checked
            return Finding(name, True, check(plugin))
    except (Counterexample, PrimumError) as error:
        return Finding(name, False, str(error))
    except Exception as error:
        return Finding(name, False, f"{type(error).__name__}: {error}")


def shown(sample: Any) -> str:
    """Some of a sample, for a sentence."""
    numbers = [f"{x:.6g}" for x in np.asarray(sample, np.float64).ravel()[:6]]
    more = f", ... {np.size(sample) - 6} more" if np.size(sample) > 6 else ""
    return f"[{', '.join(numbers)}{more}]"

"""The value that a policy learns, where that is not the value in which regret is measured."""

from __future__ import annotations

from typing import Any

from primum.plugins.registry import build
from primum.values import SafetyValue


def other_value(policy: Any, value: SafetyValue) -> SafetyValue | None:
    """The policy's own value if it differs from the one given; None if the policy learns that one.

    >>> from primum import policies, values
    >>> other_value(policies.Ucb1(), values.CVaR()), other_value(policies.Ucb1(), values.Mean())
    (Mean(), None)
    """
    own: SafetyValue | None = None if policy.own_value is None else build("values", policy.own_value)
    return None if own is None or own.means_the_same(value) else own


def in_words(value: SafetyValue | None) -> str:
    """A value as the object of a sentence: ``the mean``, ``CVaR 10 %``; empty for None."""
    if value is None:
        return ""
    name = value.display_name
    return f"the {name}" if name.isalpha() and name.islower() else name

"""The groups in which lists show plug-ins, such as policies by the value that they learn."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from primum.errors import ParameterError, quoted
from primum.plugins.parameters import declared
from primum.plugins.registry import Plugin, build

OTHER = "Other"
# in the order of lists; groups that plug-ins of other packages declare follow these
ORDER = {
    "values": (
        "Average outcome",
        "Mean against variability",
        "Emphasis on bad outcomes",
        "Probability of a good outcome",
        "Your own formula",
    ),
    "rewards": ("Continuous", "Discrete", "Made from other distributions"),
    "policies": (
        "Any value",
        "Mean",
        "Mean-variance",
        "Conditional value at risk",
        "Entropic risk",
        "Worst outcome",
        "Allocation rules of trials",
        "Baselines",
    ),
}


def group(plugin: Plugin) -> str:
    """The group that the class declares.

    Otherwise a policy is in that of the value it learns, a distribution in that of its kind.

    >>> from primum import policies
    >>> group(policies.BesaPlus()), group(policies.MvLcb()), group(policies.RoundRobin())
    ('Any value', 'Mean-variance', 'Baselines')
    """
    given = plugin.group
    if not isinstance(given, str):
        raise ParameterError(f"{type(plugin).__name__}: group must be a text, got {quoted(given)}")
    return given or {"values": _of_value, "rewards": _of_rewards, "policies": _of_policy}[plugin.family](plugin)


def in_order(family: str, groups: Iterable[str]) -> list[str]:
    """Each group once: the usual ones first, then others by their names, and the rest."""
    usual, found = ORDER[family], set(groups)
    others = sorted(found - {*usual, OTHER})
    return [name for name in (*usual, *others, OTHER) if name in found]


def _of_value(value: Any) -> str:
    return OTHER


def _of_rewards(distribution: Any) -> str:
    if any(rule.family == "rewards" for rule in declared(distribution).values()):
        return "Made from other distributions"
    return "Continuous" if distribution.atoms is None else "Discrete"


def _of_policy(policy: Any) -> str:
    own = policy.own_value
    return "Any value" if own is None else build("values", own).title

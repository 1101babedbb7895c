"""A public conformance suite for values, reward distributions and policies.

>>> from primum import checks, values
>>> for finding in checks.run(values.Mean())[:2]:
...     print(finding.passed, finding.check)
True compiles
True is known by its name
>>> checks.assert_conforms(values.Mean())
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from primum.checks import claims, declarations, policies, rewards, values
from primum.checks.finding import Finding, carry_out
from primum.checks.loading import load
from primum.errors import ParameterError
from primum.plugins.registry import Plugin

__all__ = ["Finding", "assert_conforms", "findings", "load", "run"]

CHECKS = {
    "values": (values.compiles, *declarations.CHECKS, *values.CHECKS, *claims.CHECKS),
    "rewards": (*declarations.CHECKS, *rewards.CHECKS),
    "policies": (policies.compiles, *declarations.CHECKS, *policies.CHECKS),
}
FIRST = (values.compiles, policies.compiles)  # the other checks need native code


def findings(plugin: Any) -> Iterator[Finding]:
    """The findings on a value, a reward distribution or a policy, as they come; some take a second to compile."""
    if not isinstance(plugin, Plugin) or not plugin.family:
        raise ParameterError(f"a value, a reward distribution or a policy can be checked, got {plugin!r}")
    for check in CHECKS[plugin.family]:
        finding = carry_out(check, plugin)
        yield finding
        if check in FIRST and not finding.passed:
            return


def run(plugin: Any) -> list[Finding]:
    """All findings; if a plug-in cannot be compiled, that is the only one."""
    return list(findings(plugin))


def assert_conforms(plugin: Any) -> None:
    """Raise an AssertionError that lists the failed checks, if any."""
    failed = [f"{finding.check}: {finding.sentence}" for finding in findings(plugin) if not finding.passed]
    if failed:
        raise AssertionError(f"{plugin} fails {len(failed)} of its checks\n" + "\n".join(failed))

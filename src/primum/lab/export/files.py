"""Exports of a run: the summary, and a script and a command that reproduce its numbers."""

from __future__ import annotations

import dataclasses
import math
import shlex
from typing import Any

from primum.lab.http.schemas import Summary
from primum.lab.sandbox.sandbox import allowance
from primum.plugins.registry import Plugin
from primum.results import Results
from primum.runs import Experiment
from primum.store.modules import local_modules


@allowance()  # the verdict may need the true values of arms under the policies' own values
def summary(results: Results) -> Summary:
    """The summary of a run, with each pair of policies compared."""
    pairs = [(a, b) for i, a in enumerate(results.labels) for b in results.labels[i + 1 :]]
    return Summary(
        step=int(results.steps[-1]),
        replications=len(results.replications),
        verdict=str(results.verdict()),
        equivariant=bool(results.problem.value.equivariant),
        rows=[
            _numbers(row) | {"learns": learns}
            for row, learns in zip(results.summary().reset_index().to_dict("records"), results.learns, strict=True)
        ],
        comparisons=[
            _numbers(dataclasses.asdict(each)) | {"is_clear": each.is_clear, "sentence": str(each)}
            for each in (results.compare(a, b) for a, b in pairs)
        ],
    )


def _numbers(row: dict[Any, Any]) -> dict[str, Any]:
    """A row in which NaN, such as the interval of a single replication, becomes null: JSON has no NaN."""
    return {key: None if isinstance(x, float) and not math.isfinite(x) else x for key, x in row.items()}


def python(experiment: Experiment) -> str:
    """A Python script that reproduces the numbers."""
    arms = [f"        {name!r}: {_code(arm)}," for name, arm in (experiment.arms or {}).items()]
    players = [f"        {_code(policy)}," for policy in experiment.policies]
    plugins = [*(experiment.arms or {}).values(), experiment.value, *experiment.policies]
    foreign = sorted({f"from {type(each).__module__} import {type(each).__name__}" for each in _all(plugins, False)})
    families = sorted({each.family for each in _all(plugins, True)})
    lines = [
        "import primum",
        *([f"from primum import {', '.join(families)}"] if families else []),
        *foreign,
        "",
        "problem = primum.Problem(",
        "    arms={",
        *arms,
        "    },",
        f"    value={_code(experiment.value)},",
        ")",
        "results = primum.simulate(",
        "    problem,",
        "    [",
        *players,
        "    ],",
        f"    horizon={experiment.horizon},",
        f"    replications={experiment.replications},",
        f"    seed={experiment.seed},",
        ")",
        "print(results.summary().to_string())",
    ]
    return "\n".join(lines) + "\n"


def command(experiment: Experiment) -> str:
    """A shell command that reproduces the numbers; it loads plug-ins that are no installed package by their modules."""
    plugins = _all([*(experiment.arms or {}).values(), experiment.value, *experiment.policies], False)
    own = sorted({name for name in (type(each).__module__ for each in plugins) if local_modules(name)})
    options = "".join(f" --plugins {shlex.quote(name)}" for name in own)
    text, end = experiment.to_toml(), "END"
    while end in text:
        end += "D"
    return f"primum simulate - --out run.nc{options} <<'{end}'\n{text}{end}\n"


def _code(value: Any) -> str:
    """A parameter or a plug-in as Python source; parameters at their defaults are left out."""
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_code, value)) + "]"
    if not isinstance(value, Plugin):
        return repr(value)
    given = [
        f"{field.name}={_code(getattr(value, field.name))}"
        for field in dataclasses.fields(value)
        if field.init and getattr(value, field.name) != field.default
    ]
    prefix = f"{value.family}." if _ours(value) else ""
    return f"{prefix}{type(value).__name__}({', '.join(given)})"


def _ours(plugin: Plugin) -> bool:
    return type(plugin).__module__.startswith("primum.")


def _all(parts: Any, ours: bool) -> list[Plugin]:
    """All plug-ins in some parameters, nested ones included: either ours, or those of other packages."""
    found = []
    for part in parts:
        if isinstance(part, tuple):
            found += _all(part, ours)
        elif isinstance(part, Plugin):
            if _ours(part) == ours:
                found.append(part)
            found += _all([getattr(part, field.name) for field in dataclasses.fields(part)], ours)
    return found

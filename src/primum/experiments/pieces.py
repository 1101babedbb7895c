"""Experiments through a store: in pieces, each computed once, so that little is lost when a run is stopped."""

from __future__ import annotations

import dataclasses
import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from typing import Any

from primum.errors import ParameterError
from primum.experiments.experiment import Experiment
from primum.plugins.registry import Plugin
from primum.progress import Progress
from primum.results import Results
from primum.results.netcdf import FORMAT
from primum.simulation import check_steps
from primum.store import Store, fingerprints

PIECE = 20_000_000  # steps of all policies in a piece: some seconds of work


def run(
    experiment: Experiment, store: Store, progress: Callable[[range], bool | Progress] = lambda piece: False
) -> Results:
    """The results of an experiment that has a seed, as `Experiment.run` gives them.

    `progress` gives the bar for a piece that must be computed. Ctrl-C raises KeyboardInterrupt; the pieces that are
    complete are in the store.
    """
    parts = []
    for piece in pieces(experiment):
        key = key_of(experiment, piece)
        content = store.get(key)
        if content is not None:
            parts.append(Results.from_bytes(content, "the store"))
            continue
        results = experiment.run(replications=piece, progress=progress(piece))
        if len(results.replications) < len(piece):
            raise KeyboardInterrupt
        store.put(key, results.to_bytes())
        parts.append(results)
    return Results.joined(parts)


def pieces(experiment: Experiment) -> Iterator[range]:
    """The replications of an experiment, piece by piece; but for the last, more replications leave them as they are."""
    size = max(1, PIECE // (experiment.horizon * len(experiment.policies)))
    for first in range(0, experiment.replications, size):
        yield range(first, min(first + size, experiment.replications))


def key_of(experiment: Experiment, piece: range) -> dict[str, Any]:
    """All that the results of a piece depend on; its title is not among it."""
    if experiment.seed is None:
        raise ParameterError("an experiment needs a seed to be kept in a store")
    problem = experiment.problem()
    return {
        "what": FORMAT,
        "problem": problem.spec() | {"arms": [[name, arm.spec()] for name, arm in problem.arms.items()]},
        "policies": [policy.spec() for policy in experiment.policies],
        "horizon": experiment.horizon,
        "seed": experiment.seed,
        "steps": check_steps(experiment.steps, experiment.horizon).tolist(),
        "replications": [piece.start, piece.stop],
        "version": version("primum"),
        "sources": [fingerprints.sources(), *_foreign([*problem.arms.values(), problem.value, *experiment.policies])],
    }


def _foreign(plugins: Iterable[Plugin]) -> list[str]:
    """Hashes of the sources of plug-ins that are not ours: they may change without our version changing."""
    found: set[str] = set()
    for plugin in plugins:
        cls = type(plugin)
        if not cls.__module__.startswith("primum."):
            module = inspect.getmodule(cls)
            try:
                text = inspect.getsource(module if module and hasattr(module, "__file__") else cls)
            except (OSError, TypeError):
                raise ParameterError(
                    f"{plugin.label} cannot be kept in a store: the source of {cls.__name__} is not known"
                ) from None
            found.add(hashlib.sha256(text.encode()).hexdigest())
        for field in dataclasses.fields(cls):
            inner = getattr(plugin, field.name)
            found.update(
                _foreign(part for part in (inner if isinstance(inner, tuple) else (inner,)) if isinstance(part, Plugin))
            )
    return sorted(found)

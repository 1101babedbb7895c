"""Stored experiments: computed in pieces, each once, so that little is lost when a run is stopped."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from primum.errors import ParameterError, PrimumError
from primum.experiments.experiment import Experiment
from primum.plugins.registry import Plugin
from primum.progress import Progress
from primum.results import Results
from primum.results.netcdf import FORMAT
from primum.simulation import check_steps, inner_value
from primum.store import Store, fingerprints

PIECE_STEPS = 20_000_000  # steps of all policies in a piece: some seconds of work


class Pieces:
    """The replications of an experiment that has a seed, as ranges of numbers, and their results in a store.

    All pieces but the last are the same for more replications.
    """

    def __init__(self, experiment: Experiment, store: Store) -> None:
        self.store = store
        size = max(1, PIECE_STEPS // (experiment.horizon * len(experiment.policies)))
        count = experiment.replications
        self._ranges = [range(first, min(first + size, count)) for first in range(0, count, size)]
        self._common = _key(experiment)

    def __iter__(self) -> Iterator[range]:
        return iter(self._ranges)

    def key(self, piece: range) -> dict[str, Any]:
        """All that the results of a piece depend on; the title of the experiment is not part of it."""
        return self._common | {"replications": [piece.start, piece.stop]}

    def has(self, piece: range) -> bool:
        """Whether there is a file with this piece; `get` checks its content."""
        return self.store.has(self.key(piece))

    def get(self, piece: range) -> Results | None:
        """The results of a piece, or None if they must be computed."""
        content = self.store.get(self.key(piece))
        try:
            return None if content is None else Results.from_bytes(content, "the store")
        except PrimumError:  # written by other versions of the libraries that read it
            return None

    def put(self, results: Results) -> None:
        """Store the results of a piece."""
        first, last = int(results.replications[0]), int(results.replications[-1])
        self.store.put(self.key(range(first, last + 1)), results.to_bytes())


def run(
    experiment: Experiment, store: Store, progress: Callable[[range], bool | Progress] = lambda piece: False
) -> Results:
    """The results of an experiment that has a seed, as `Experiment.run` gives them.

    `progress` gives the bar for a piece that must be computed. Ctrl-C raises KeyboardInterrupt; the pieces that are
    complete are in the store.
    """
    pieces = Pieces(experiment, store)
    parts = []
    for piece in pieces:
        results = pieces.get(piece)
        if results is None:
            results = experiment.run(replications=piece, progress=progress(piece))
            if len(results.replications) < len(piece):
                raise KeyboardInterrupt
            pieces.put(results)
        parts.append(results)
    return Results.joined(parts, requested=experiment.replications)


def _key(experiment: Experiment) -> dict[str, Any]:
    """All that the results of any piece depend on."""
    if experiment.seed is None:
        raise ParameterError("an experiment needs a seed to be stored")
    problem = experiment.problem()
    inner = (inner_value(policy, problem.value) for policy in experiment.policies)
    plugins = [*problem.arms.values(), problem.value, *experiment.policies, *inner]
    return {
        "what": FORMAT,
        "problem": problem.spec() | {"arms": [[name, arm.spec()] for name, arm in problem.arms.items()]},
        "policies": [policy.spec() for policy in experiment.policies],
        "horizon": experiment.horizon,
        "seed": experiment.seed,
        "steps": check_steps(experiment.steps, experiment.horizon).tolist(),
        "fingerprint": fingerprints.results(set(_classes(plugins))),
    }


def _classes(plugins: Iterable[Plugin]) -> Iterator[type[Plugin]]:
    """The classes of plug-ins and of those among their parameters."""
    for plugin in plugins:
        yield type(plugin)
        for field in dataclasses.fields(plugin):
            inner = getattr(plugin, field.name)
            parts = inner if isinstance(inner, tuple) else (inner,)
            yield from _classes(part for part in parts if isinstance(part, Plugin))

"""Several results together: parts of one run, and environments side by side."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.errors import PrimumError
from primum.results import provenance
from primum.text import counted, listed, repeats

if TYPE_CHECKING:
    from xarray import DataArray

    from primum.results.results import Results

Array = np.ndarray[Any, Any]


def side_by_side(results: Mapping[Any, Results], measure: Callable[[Results], DataArray]) -> DataArray:
    """A measure of several environments, by name: environment x the axes of the measure, the same in all of them.

    A warning says where they were computed with different versions of a package, or by different code.

    >>> from functools import partial
    >>> from primum import Problem, rewards, simulate, values
    >>> run = partial(simulate, policies=["ucb1"], horizon=50, replications=3, seed=1, progress=False)
    >>> arms = {p: {"a": rewards.Bernoulli(p), "b": rewards.Constant(0.5)} for p in (0.2, 0.8)}
    >>> results = {p: run(Problem(both, values.Mean())) for p, both in arms.items()}
    >>> regret = side_by_side(results, lambda one: one.regret)
    >>> dict(regret.isel(step=-1).sizes)
    {'environment': 2, 'policy': 1, 'replication': 3}
    """
    import pandas
    import xarray

    if not results:
        raise PrimumError("there are no results to put side by side")
    names = pandas.Index(list(results), name="environment")
    made_by = provenance.joined(list(results.values()), "results side by side")
    try:
        whole = xarray.concat(map(measure, results.values()), names, join="exact", coords="minimal", compat="equals")
        return whole.assign_attrs(provenance.marks(*made_by))
    except ValueError as error:
        raise PrimumError(
            f"results go side by side if policies, replications and steps are the same in all: {error}"
        ) from error


def check_alike(parts: Sequence[Results]) -> None:
    """Refuse parts that differ in anything but policies and replications, or have a policy in two sets of policies."""
    first = parts[0]
    for part in parts[1:]:
        for name in ("horizon", "seed"):
            mine, theirs = getattr(first, name), getattr(part, name)
            if mine != theirs:
                raise PrimumError(f"results to join must have the same {name}, got {mine} and {theirs}")
        # as text, because the order of arms counts
        if json.dumps(part.problem.spec()) != json.dumps(first.problem.spec()):
            raise PrimumError("results to join must have the same problem: the same arms in the same order, and value")
        if not np.array_equal(part.steps, first.steps):
            raise PrimumError(
                "results to join must have the same recorded steps, got "
                f"{counted(len(first.steps), 'step')} and {len(part.steps):,}"
            )
    sets = {json.dumps(part.spec()["policies"]): part.labels for part in parts}
    labels = [label for each in sets.values() for label in each]
    for place in repeats(labels):
        raise PrimumError(f"results to join must have the same policies or different ones, got {labels[place]} twice")


def replications_of(runs: Sequence[Sequence[Results]]) -> Array:
    """The replications of runs of different policies, each in parts."""
    numbers = [np.concatenate([part.replications for part in run]) for run in runs]
    if any((np.diff(one) <= 0).any() for one in numbers):
        raise PrimumError("results to join must have ascending replications, none of them twice")
    for run, other in zip(runs, numbers, strict=True):
        if not np.array_equal(numbers[0], other):
            have = (f"{len(each):,} of {listed(one[0].labels)}" for one, each in ((runs[0], numbers[0]), (run, other)))
            raise PrimumError(
                f"results of different policies must have the same replications to be joined, got {' and '.join(have)}"
            )
    return numbers[0]


def requested_of(parts: Sequence[Results]) -> int:
    """How many different replications were requested of the parts, which are in ascending order."""
    count = stop = 0  # replications requested up to this number
    for part in parts:
        numbers = part.replications
        if len(numbers) == part.requested:
            count += int((numbers >= stop).sum())
            stop = max(stop, int(numbers[-1]) + 1) if len(numbers) else stop
        else:
            first = int(numbers[0]) if len(numbers) else stop
            count += max(0, first + part.requested - max(first, stop))
            stop = max(stop, first + part.requested)
    return count

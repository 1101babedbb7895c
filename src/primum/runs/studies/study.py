"""A study: many experiments as one object and as a TOML file."""

from __future__ import annotations

import itertools
import json
import math
import os
import secrets
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from typing import Any, Never

import numpy as np

from primum.errors import Collector, InvalidInput, ParameterError, PrimumError, UnknownNameError, quoted, within
from primum.plugins import registry
from primum.plugins.parameters import declared
from primum.plugins.registry import Plugin
from primum.policies import Policy
from primum.problem import Problem
from primum.results.results import titles
from primum.runs import pieces, toml
from primum.runs.environments import Environment
from primum.runs.experiment import Experiment, simulate_all
from primum.runs.part import Part
from primum.runs.progress import Progress
from primum.runs.simulation import check_fit
from primum.runs.studies.results import StudyResults
from primum.runs.validation import plain, table_of
from primum.store import Store, opened
from primum.text import MOST_ROWS, counted, html_table, listed
from primum.values import SafetyValue

MOST_EXPERIMENTS = 100_000
NO_STEPS = np.zeros(0, np.int64)
Spec = str | Mapping[str, Any]  # of a plug-in: its name, with parameters or without
EXPERIMENT_KEYS = tuple(table_of(Experiment).rules)
KEYS = (*EXPERIMENT_KEYS, "problems", "grid", "cases")
PROBLEM_KEYS = ("value", "arms", "arms_from")
TAKEN = ("problem", "case", "policy", "title", "replication", "step", "arm")  # names that a dimension cannot have


class Study:
    """Experiments that differ in problems, in the parameters of a grid, or in cases.

    `problems` are named; each is a Problem, or a table with `arms` or `arms_from` and with `value` unless all have the
    same. `grid` maps paths such as ``"horizon"``, ``"value.alpha"`` or ``"arms.new.probability"`` to lists of values,
    and all combinations are run. `cases` are named tables of such paths, whose changes are made together. Policies are
    varied by listing them, and in specs a parameter may be a list: ``"besa-plus(floor=[0, 1, 2])"``. A mapping of
    policies gives the names under which they are shown.

    >>> from primum import rewards, values
    >>> arms = {"sure": rewards.Constant(0.4), "gamble": rewards.Bernoulli(0.5)}
    >>> study = Study(
    ...     problems={"mean": Problem(arms, values.Mean()), "cautious": Problem(arms, values.CVaR(0.5))},
    ...     policies=["ucb1", "besa-plus(floor=[0, 1])"], horizon=100, replications=20, seed=7,
    ...     grid={"arms.gamble.probability": [0.5, 0.9]},
    ... )
    >>> len(study), study.dims
    (4, {'problem': ['mean', 'cautious'], 'probability': [0.5, 0.9]})
    """

    def __init__(
        self,
        *,
        title: str | None = None,
        horizon: int | None = None,
        replications: int | None = None,
        seed: int | None = None,
        steps: str | Sequence[int] | None = None,
        value: SafetyValue | Spec | None = None,
        policies: Sequence[Policy | Spec] | Mapping[str, Policy | Spec] | None = None,
        arms: Mapping[str, Any] | None = None,
        arms_from: Environment | Spec | None = None,
        problems: Mapping[str, Problem | Mapping[str, Any]] | None = None,
        grid: Mapping[str, Sequence[Any]] | None = None,
        cases: Mapping[str, Mapping[str, Any]] | None = None,
        **unknown: Never,
    ) -> None:
        for key in unknown:
            raise ParameterError(UnknownNameError("key", key, KEYS).sentence, (key,))
        given: dict[str, Any] = {
            "title": title,
            "horizon": horizon,
            "replications": replications,
            "seed": seed,
            "steps": steps,
            "value": value,
            "policies": policies,
            "arms": arms,
            "arms_from": arms_from,
        }
        self.base = {key: part for key, part in given.items() if part is not None}
        if isinstance(self.base.get("policies"), list | tuple):
            self.base["policies"] = [
                each for number, given in enumerate(self.base["policies"]) for each in _expanded(given, number)
            ]
        if "arms" in self.base:
            self.base["arms"] = _arms(self.base["arms"])
        self.problems = _problems(problems)
        self.grid = _grid(grid)
        self.cases = _cases(cases)
        self.dims: dict[str, list[Any]] = _dims(self.problems, self.grid, self.cases)
        self._check()

    @classmethod
    def load(cls, path: str | os.PathLike[str], **changes: Any) -> Study:
        """The study in a file, or in standard input for ``-``; an experiment file is a study of one.

        `changes` replace parts of the file, such as ``policies=["ucb1"]``, before any is checked.
        """
        return cls.from_toml(toml.read(path), "standard input" if path == "-" else os.fspath(path), **changes)

    @classmethod
    def from_toml(cls, text: str, source: str = "the study", **changes: Any) -> Study:
        """The study that a text describes, with some parts changed; `source` names the text in errors."""
        data = toml.parse(text, source)
        if changes:
            source = f"{source} with other {listed(list(changes))}"
        try:
            return cls(**data | changes)
        except InvalidInput as error:
            error.source = error.source or source
            raise
        except PrimumError as error:
            raise InvalidInput([error], source) from None

    def replace(self, **changes: Any) -> Study:
        """A copy of the study with some parts changed."""
        varied = {"problems": self.problems or None, "grid": self.grid, "cases": self.cases or None}
        return Study(**{**self.base, **varied, **changes})

    def to_toml(self) -> str:
        """A text that `from_toml` reads as an equal study."""
        data = {key: plain(part) for key, part in self.base.items()}
        tables = {"policies": data.pop("policies")} if isinstance(data.get("policies"), Mapping) else {}
        tables |= {"arms": data.pop("arms", None), "grid": plain(self.grid)}
        tables |= {f"problems.{toml.key(name)}": plain(part) for name, part in self.problems.items()}
        tables |= {f"cases.{toml.key(name)}": plain(part) for name, part in self.cases.items()}
        lines = [f"{key} = {toml.value(part)}" for key, part in data.items()]
        for name, table in tables.items():
            if table:
                lines += ["", f"[{name}]", *(f"{toml.key(key)} = {toml.value(part)}" for key, part in table.items())]
        return "\n".join(lines) + "\n"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Study) and self.to_toml() == other.to_toml()

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return math.prod(map(len, self.dims.values()))

    @property
    def title(self) -> str:
        """Its title, or nothing."""
        return str(self.base.get("title", ""))

    def __iter__(self) -> Iterator[Experiment]:
        return (self.experiment(number) for number in range(len(self)))

    def position(self, number: int) -> tuple[int, ...]:
        """The place of an experiment along each dimension; the last one varies fastest."""
        places = []
        for size in reversed([len(coordinates) for coordinates in self.dims.values()]):
            number, place = divmod(number, size)
            places.append(place)
        return tuple(reversed(places))

    def coordinates(self, number: int) -> dict[str, Any]:
        """The coordinates of an experiment, by dimension."""
        return {name: along[i] for (name, along), i in zip(self.dims.items(), self.position(number), strict=True)}

    def experiment(self, number: int) -> Experiment:
        """One of the experiments."""
        spec, places = dict(self.base), list(self.position(number))
        changes: dict[str, Any] = {}
        if self.problems:
            spec = {**spec, **self.problems[self.dims["problem"][places.pop(0)]]}
        for path, along in self.grid.items():
            changes[path] = along[places.pop(0)]
        if self.cases:
            changes |= self.cases[self.dims["case"][places.pop(0)]]
        try:
            for path, part in changes.items():
                spec = _changed(spec, _steps(path), part)
            experiment = Experiment.from_spec(spec)
            problem = experiment.problem()
            for policy in experiment.policies:
                check_fit(problem, policy)
        except PrimumError as error:
            if not self.dims:
                raise
            where = ", ".join(f"{name} {quoted(part)}" for name, part in self.coordinates(number).items())
            raise PrimumError(f"{where}: {error}") from None
        return experiment

    def _check(self) -> None:
        """Refuse what is wrong with the study: each coordinate of each dimension once, not all combinations."""
        if len(self) > MOST_EXPERIMENTS:
            first = self.experiment(0)
            part = Part(first.problem(), first.policies, first.horizon, 0, NO_STEPS, range(first.replications))
            duration = _duration(part.cost / 1e6 * len(self))
            raise ParameterError(
                f"the study has {counted(len(self), 'experiment')}, which take about {duration}; "
                f"a study can have at most {MOST_EXPERIMENTS:,}"
            )
        stride, errors = 1, Collector()
        for size in [1, *(len(along) for along in reversed(self.dims.values()))]:
            for place in range(size):
                with errors.ours():
                    self.experiment(place * stride)
            if errors.errors:
                break
            stride *= size
        errors.raise_any()

    def run(
        self,
        *,
        store: Store | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        executor: Executor | None = None,
        progress: bool | Progress = True,
    ) -> StudyResults:
        """Simulate all experiments, and open the results.

        With a `store`, or its folder, what is complete is kept there, and only what it does not have is computed;
        without one, all results are in memory. Ctrl-C stops the run: the results have what is complete, and with a
        store and a seed the same call goes on from there. Without a seed a fresh one is drawn, that of the `study` of
        the results. `threads` and `executor` are as in `primum.simulate`.
        """
        study = self.replace(seed=secrets.randbits(63)) if self.base.get("seed") is None else self
        options: dict[str, Any] = {"threads": threads, "executor": executor, "progress": progress}
        if store is None:
            found = simulate_all(study, **options)
            is_complete = all(len(each.replications) == each.requested for each in found)
            return StudyResults(study, found.__getitem__, is_complete)
        kept = opened(store)
        is_complete = pieces.run(study, kept, **options)
        read = lambda number: pieces.results(study.experiment(number), kept, is_complete=is_complete)  # noqa: E731
        return StudyResults(study, read, is_complete)

    def __repr__(self) -> str:
        varied = ", ".join(f"{len(along)} x {name}" for name, along in self.dims.items())
        seed = f"; seed {self.base['seed']}" if "seed" in self.base else ""
        return f"<Study: {counted(len(self), 'experiment')}{f' ({varied})' if varied else ''}{seed}>"

    def _repr_html_(self) -> str:
        first = self.experiment(0)
        rows = [(name, ", ".join(map(str, along[:MOST_ROWS]))) for name, along in self.dims.items()]
        rows.append(("policies", ", ".join(titles(first.policies))))
        settings = {key: getattr(first, key) for key in ("horizon", "replications", "seed") if key not in self.dims}
        rows += [(key, part) for key, part in settings.items() if part is not None]
        return html_table(f"Study of {counted(len(self), 'experiment')}", rows)


def _expanded(given: Any, number: int) -> list[Any]:
    """A policy, or several where a parameter that is not a list is given as one."""
    if isinstance(given, Plugin):
        return [given]
    with within("policies", number):
        spec = registry.parse(given) if isinstance(given, str) else given
        if not isinstance(spec, Mapping) or "name" not in spec:
            return [given]  # what is wrong with it is said where it is built
        rules = declared(registry.find("policies", spec["name"]))
    varied = {
        key: part for key, part in spec.items() if isinstance(part, list) and key in rules and not rules[key].many
    }
    if not varied:
        return [given]
    return [{**spec, **dict(zip(varied, some, strict=True))} for some in itertools.product(*varied.values())]


def _problems(given: Any) -> dict[str, dict[str, Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not given:
        raise ParameterError(f"problems must be a non-empty table of problems, got {quoted(given)}", ("problems",))
    found = {}
    for name, problem in given.items():
        if isinstance(problem, Problem):
            problem = {"arms": problem.arms, "value": problem.value}
        if not isinstance(problem, Mapping):
            raise ParameterError(
                f"{name} must be a primum.Problem, or a table with {', '.join(PROBLEM_KEYS)}, got {quoted(problem)}",
                ("problems", str(name)),
            )
        for key in problem:
            if key not in PROBLEM_KEYS:
                raise ParameterError(UnknownNameError("key", key, PROBLEM_KEYS).sentence, ("problems", str(name)))
        found[str(name)] = dict(problem) | ({"arms": _arms(problem["arms"])} if "arms" in problem else {})
    return found


def _arms(given: Any) -> Any:
    """Arms that can be written to a file: those of other libraries as plug-ins."""
    return {name: registry.adapted("rewards", arm) for name, arm in given.items()} if isinstance(given, dict) else given


def _grid(given: Any) -> dict[str, list[Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise ParameterError(f"grid must be a table of paths, each with a list, got {quoted(given)}", ("grid",))
    for path, along in given.items():
        if not isinstance(along, list | tuple | range) or not along:
            raise ParameterError(f"{path} must be a non-empty list of values, got {quoted(along)}", ("grid", str(path)))
        _steps(path)
    return {str(path): list(along) if len(along) <= MOST_EXPERIMENTS else along for path, along in given.items()}


def _cases(given: Any) -> dict[str, dict[str, Any]]:
    if given is None:
        return {}
    if not isinstance(given, Mapping) or not all(isinstance(part, Mapping) for part in given.values()):
        raise ParameterError(f"cases must be a table of tables, each with paths, got {quoted(given)}", ("cases",))
    for part in given.values():
        for path in part:
            _steps(path)
    return {str(name): dict(part) for name, part in given.items()}


def _steps(path: Any) -> list[str]:
    """The keys of a path such as ``arms."new drug".mean``, as in TOML."""
    try:
        inner = tomllib.loads(f"{path} = 0")
        steps = []
        while isinstance(inner, dict):
            ((key, inner),) = inner.items()
            steps.append(key)
    except (tomllib.TOMLDecodeError, ValueError):
        raise ParameterError(f"{quoted(path)} is no path; write horizon, value.alpha or arms.new.mean") from None
    if steps[0] == "policies":
        raise ParameterError('policies are varied in their list: policies = ["besa-plus(floor=[0, 1])"]')
    if steps[0] not in EXPERIMENT_KEYS:
        raise UnknownNameError("part of an experiment", steps[0], EXPERIMENT_KEYS)
    return steps


def _changed(spec: Any, steps: list[str], part: Any) -> dict[str, Any]:
    """A copy of plain data with one part changed."""
    key, rest = steps[0], steps[1:]
    if isinstance(spec, str):
        spec = registry.parse(spec)
    changed: dict[str, Any] = dict(spec.spec() if isinstance(spec, Plugin) else spec)
    if rest:
        if key not in changed:
            raise UnknownNameError("part", key, changed)
        part = _changed(changed[key], rest, part)
    return changed | {key: part}


def _dims(problems: Mapping[str, Any], grid: Mapping[str, Any], cases: Mapping[str, Any]) -> dict[str, Any]:
    lasts = [_steps(path)[-1] for path in grid]
    times = Counter(lasts)
    names = [last if times[last] == 1 and last not in TAKEN else path for path, last in zip(grid, lasts)]
    dims: dict[str, Any] = {"problem": list(problems)} if problems else {}
    for name, along in zip(names, grid.values(), strict=True):
        dims[name] = along if isinstance(along, range) else [_coordinate(part) for part in along]
    return dims | ({"case": list(cases)} if cases else {})


def _coordinate(part: Any) -> Any:
    if isinstance(part, Plugin):
        return part.label
    return part if isinstance(part, str | int | float) else json.dumps(plain(part))


def _duration(seconds: float) -> str:
    for unit, size in (("year", 31_557_600), ("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size:
            return counted(round(seconds / size), unit)
    return counted(max(1, round(seconds)), "second")

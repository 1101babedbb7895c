"""An experiment: all inputs of a simulation, as one object and as a TOML file."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

from primum.errors import Collector, ParameterError, Path, PrimumError
from primum.plugins.parameters import Parameter
from primum.policies import Policy
from primum.problem import Problem
from primum.results import Results
from primum.rewards import RewardDistribution
from primum.rewards.paper_mixture import LARGEST_SEED
from primum.runs import runner, toml
from primum.runs.environments import Environment
from primum.runs.part import Part, physical_memory
from primum.runs.progress import Progress
from primum.runs.simulation import LARGEST_COUNT, PullsInMemory, check_steps, simulate, work_of
from primum.runs.validation import Arms, Listed, Made, Single, Validated, by, plain, refuse
from primum.store import Store, opened
from primum.values import SafetyValue


class _Steps:
    allowed = "'all', 'last' or a list of whole numbers in [1, horizon]"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        if given in ("all", "last") if isinstance(given, str) else isinstance(given, list | tuple) and given:
            return given if isinstance(given, str) else list(given)
        return refuse(self, given, path, errors)


class _Policies(Listed):
    """A list of policies, or a table of policies by the names under which they are shown."""

    def read(self, given: Any, path: Path, errors: Collector) -> list[Any]:
        if not isinstance(given, Mapping) or not given:
            return super().read(given, path, errors)
        named = []
        for name, policy in given.items():
            made = self.item.read(policy, (*path, str(name)), errors)
            with errors.at(*path):
                named.append(made and made.named(name))
        return named


COUNT = Single(Parameter("", 1, LARGEST_COUNT, integer=True))
POLICIES = _Policies("policies by their names", Made("policies"), name=lambda policy: policy.label)


@dataclass(frozen=True, kw_only=True)
class Experiment(Validated):
    """The arguments of `primum.simulate`, validated together.

    >>> experiment = Experiment.from_toml('''
    ... horizon = 2000
    ... replications = 100
    ... value = { name = "cvar", alpha = 0.1 }
    ... policies = ["besa-plus", "besa-plus(floor=2)"]
    ... [arms]
    ... standard = { name = "constant", value = 0.4 }
    ... new = "uniform(low=0, high=1)"
    ... ''')
    >>> [policy.label for policy in experiment.policies]
    ['besa-plus', 'besa-plus(floor=2)']
    """

    _noun = "the experiment"
    _allowed = "a table with the keys horizon, replications, value, policies and arms"
    _always_in_a_list = True

    title: str = field(default="", metadata=by(Single(Parameter("", string=True))))
    horizon: int = field(metadata=by(COUNT))
    replications: int = field(metadata=by(COUNT))
    seed: int | None = field(default=None, metadata=by(Single(Parameter("", 0, LARGEST_SEED, integer=True))))
    steps: str | Sequence[int] | None = field(default=None, metadata=by(_Steps()))
    value: SafetyValue = field(metadata=by(Made("values")))
    policies: Sequence[Policy] = field(metadata=by(POLICIES))  # a mapping of names becomes a list of named policies
    arms: Mapping[str, RewardDistribution] | None = field(default=None, metadata=by(Arms()))
    arms_from: Environment | None = field(default=None, metadata=by(Made("environments")))

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Experiment:
        """The experiment in a file, or in standard input for ``-``."""
        return cls.from_toml(toml.read(path), "standard input" if path == "-" else os.fspath(path))

    @classmethod
    def from_toml(cls, text: str, source: str = "the experiment") -> Experiment:
        """The experiment that a text describes; `source` names the text in errors."""
        return cls.from_spec(toml.parse(text, source), source)

    @classmethod
    def _check_together(cls, parts: dict[str, Any], given: Any, errors: Collector) -> None:
        if isinstance(given, Mapping) and (given.get("arms") is None) == (given.get("arms_from") is None):
            number = "neither" if given.get("arms") is None else "both"
            errors.add(ParameterError(f"either arms or arms_from must be given, got {number}", ("arms",)))
        if isinstance(parts.get("steps"), list) and parts["horizon"] is not None:
            with errors.at():
                check_steps(parts["steps"], parts["horizon"])

    def to_toml(self) -> str:
        """A text that `from_toml` reads as an equal experiment."""
        data = {key: plain(part) for key, part in self._parts().items() if part is not None}
        arms, policies = data.pop("arms", None), data.pop("policies")
        lines = [f"{key} = {toml.value(item)}" for key, item in data.items()]
        if any(policy.given_name for policy in self.policies):
            lines += ["", "[policies]"]
            lines += [f"{toml.key(each.label)} = {toml.value(plain(each))}" for each in self.policies]
        else:
            lines += ["policies = [", *(f"    {toml.value(policy)}," for policy in policies), "]"]
        if arms:
            lines += ["", "[arms]", *(f"{toml.key(name)} = {toml.value(arm)}" for name, arm in arms.items())]
        return "\n".join(lines) + "\n"

    def problem(self) -> Problem:
        """Its arms and its value."""
        return Problem(self.arms or self.arms_from.build(), self.value)  # type: ignore[union-attr]  # one is given

    def run(
        self,
        *,
        replications: range | None = None,
        store: Store | str | os.PathLike[str] | None = None,
        threads: int | None = None,
        executor: Executor | None = None,
        progress: bool | Progress = True,
    ) -> Results:
        """Simulate it, or some of its replications.

        With a `store`, or its folder, what is complete is kept there, and only what it does not have is computed;
        the experiment then needs a seed.
        """
        if store is not None:
            from primum.runs import pieces  # which is made of this module

            if replications is not None:
                raise ParameterError("some of the replications are not stored on their own", ("replications",))
            kept = opened(store)
            is_complete = pieces.run([self], kept, threads=threads, executor=executor, progress=progress)
            return pieces.results(self, kept, is_complete=is_complete)
        return simulate(
            self.problem(),
            self.policies,
            horizon=self.horizon,
            replications=self.replications if replications is None else replications,
            seed=self.seed,
            steps=self.steps,
            threads=threads,
            executor=executor,
            progress=progress,
        )


def part_of(
    experiment: Experiment, policies: Sequence[Policy], replications: range, problem: Problem | None = None
) -> Part:
    """Some replications of some policies of an experiment; `problem` is its own, if that is made already."""
    steps = check_steps(experiment.steps, experiment.horizon)
    made = problem or experiment.problem()
    return Part(made, policies, experiment.horizon, experiment.seed or 0, steps, replications)


def simulate_all(
    experiments: Iterable[Experiment],
    *,
    threads: int | None = None,
    executor: Executor | None = None,
    progress: bool | Progress = True,
) -> list[Results]:
    """The results of experiments that have seeds, all in memory and played together; Ctrl-C leaves some incomplete."""
    threads = runner.check_threads(threads, executor)
    wholes = [part_of(experiment, experiment.policies, range(experiment.replications)) for experiment in experiments]
    needed = sum(4.0 * math.prod(whole.shape) for whole in wholes)
    if needed > 0.8 * physical_memory():
        raise PrimumError(
            f"the recorded pulls of all experiments need {needed / 1e9:.0f} GB; give a store, for example "
            "store='results', or record fewer steps, for example steps='last'"
        )
    runs = [PullsInMemory(whole) for whole in wholes]
    work = [(part, run) for run in runs for part in work_of(run.whole, threads, executor)]
    runner.run(work, threads=threads, executor=executor, progress=progress)
    return [run.results() for run in runs]

"""An experiment: all that a simulation is given, as one object and as a TOML file."""

from __future__ import annotations

import os
import reprlib
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from primum.errors import ParameterError, UnknownNameError
from primum.experiments import toml
from primum.experiments.environments import ENVIRONMENTS, LARGEST_SEED, AnyEnvironment
from primum.experiments.fields import AnyPolicy, Reward, Value
from primum.problem import Problem
from primum.progress import Progress
from primum.results import Results
from primum.simulation import LARGEST_COUNT, check_steps, simulate


class Experiment(BaseModel):
    """What `primum.simulate` takes, checked as a whole.

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

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)

    title: str = Field(default="", description="a text")
    horizon: int = Field(ge=1, le=LARGEST_COUNT, description=f"a whole number in [1, {LARGEST_COUNT}]")
    replications: int = Field(ge=1, le=LARGEST_COUNT, description=f"a whole number in [1, {LARGEST_COUNT}]")
    seed: int | None = Field(default=None, ge=0, le=LARGEST_SEED, description="a whole number in [0, 2^64 - 1]")
    steps: Literal["all", "last"] | Annotated[list[int], Field(min_length=1)] | None = Field(
        default=None, description="'all', 'last' or a list of whole numbers in [1, horizon]"
    )
    value: Value = Field(description="a value by its name, for example 'cvar(alpha=0.1)'")
    policies: list[AnyPolicy] = Field(min_length=1, description="a list of policies by their names, one at least")
    arms: dict[str, Reward] | None = Field(
        default=None, min_length=1, description="a table of arms, each a reward distribution by its name, one at least"
    )
    arms_from: AnyEnvironment | None = Field(
        default=None, description="a table with the name " + " or ".join(map(repr, ENVIRONMENTS))
    )

    @model_validator(mode="after")
    def _fits_together(self) -> Experiment:
        labels = [policy.label for policy in self.policies]
        if twice := [label for i, label in enumerate(labels) if label in labels[:i]]:
            _refuse(f"policies must differ, got {twice[0]!r} twice")
        if (self.arms is None) == (self.arms_from is None):
            _refuse("either arms or arms_from must be given, got " + ("neither" if self.arms is None else "both"))
        if isinstance(self.steps, list):
            try:
                check_steps(self.steps, self.horizon)
            except ParameterError as error:
                _refuse(str(error))
        return self

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Experiment:
        """The experiment in a file, or in standard input for ``-``."""
        return cls.from_toml(toml.read(path), "standard input" if path == "-" else os.fspath(path))

    @classmethod
    def from_toml(cls, text: str, source: str = "the experiment") -> Experiment:
        """The experiment that a text describes; `source` names the text in errors."""
        return cls._checked(toml.parse(text, source), f"{source}: ")

    def replace(self, **changes: Any) -> Experiment:
        """The same experiment but for the changes."""
        return self._checked(dict(self) | changes, "")

    @classmethod
    def _checked(cls, data: dict[str, Any], source: str) -> Experiment:
        try:
            return cls.model_validate(data)
        except ValidationError as error:
            raise ParameterError("\n".join(source + sentence for sentence in sentences(error))) from None

    def to_toml(self) -> str:
        """A text that `from_toml` reads as an equal experiment."""
        plain = self.model_dump(exclude_none=True)
        arms, policies = plain.pop("arms", None), plain.pop("policies")
        lines = [f"{key} = {toml.value(item)}" for key, item in plain.items()]
        lines += ["policies = [", *(f"    {toml.value(policy)}," for policy in policies), "]"]
        if arms:
            lines += ["", "[arms]", *(f"{toml.key(name)} = {toml.value(arm)}" for name, arm in arms.items())]
        return "\n".join(lines) + "\n"

    def problem(self) -> Problem:
        """Its arms and its value."""
        return Problem(self.arms or self.arms_from.build(), self.value)  # type: ignore[union-attr]  # one is given

    def run(
        self, *, replications: range | None = None, threads: int | None = None, progress: bool | Progress = True
    ) -> Results:
        """Simulate it, or some of its replications."""
        return simulate(
            self.problem(),
            self.policies,
            horizon=self.horizon,
            replications=self.replications if replications is None else replications,
            seed=self.seed,
            steps=self.steps,
            threads=threads,
            progress=progress,
        )


def sentences(error: ValidationError) -> list[str]:
    """What is wrong with an experiment, one sentence for each key."""
    said: dict[str, str] = {}
    for fault in error.errors(include_url=False):
        place, kind = fault["loc"], fault["type"]
        known, outer = Experiment.model_fields, ""
        if place[:1] == ("arms_from",) and len(place) > 1:  # within an environment, which the place names
            known, outer, place = ENVIRONMENTS[str(place[1])].model_fields, "arms_from", place[2:]
        if kind == "plugin":
            context = fault["ctx"]
            path = _path((*place, context["parameter"]) if context["parameter"] else place)
            said.setdefault(path, f"{path}: {context['sentence']}")
        elif kind == "together":
            said.setdefault("", fault["msg"])
        elif kind == "union_tag_invalid":
            name = fault["ctx"]["tag"]
            said.setdefault("arms_from", f"arms_from: {UnknownNameError('environment', name, ENVIRONMENTS)}")
        elif kind == "extra_forbidden":
            prefix = f"{outer}: " if outer else ""
            said.setdefault(f"{outer} {place}", f"{prefix}{UnknownNameError('key', place[-1], known)}")
        else:
            path = _path((outer, place[0]) if outer else place[:1])
            must = f"must be {known[str(place[0])].description}"
            told = f"is missing; it {must}" if kind == "missing" else f"{must}, got {_shown(fault['input'])}"
            said.setdefault(path, f"{path} {told}")
    return list(said.values())


def _refuse(sentence: str) -> None:
    raise PydanticCustomError("together", "{sentence}", {"sentence": sentence})


def _path(place: tuple[int | str, ...]) -> str:
    """A place as one would write it: ``policies[2].floor``."""
    first, *rest = place
    return str(first) + "".join(f"[{part}]" if isinstance(part, int) else f".{toml.key(part)}" for part in rest)


def _shown(given: Any) -> str:
    shown = reprlib.repr(given)
    return shown if len(shown) <= 80 else shown[:79] + "…"

"""A plan: several designs and scenarios side by side, as one object and as a TOML file."""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from primum.errors import Collector, ParameterError, Path, UnknownNameError
from primum.plugins.parameters import Parameter
from primum.runs import toml
from primum.runs.simulation import LARGEST_COUNT
from primum.runs.validation import Single, Table, Validated, by, refuse, table_of
from primum.trials.design import Design
from primum.trials.live_settings import LiveSettings
from primum.trials.operating.operate import check_designs, operate
from primum.trials.scenario import Scenario
from primum.trials.simulation.running import check_fit

if TYPE_CHECKING:
    from primum.trials.operating.operating_characteristics import OperatingCharacteristics

SCENARIO_KEYS = ("arms", "drift")
ALONE: dict[str, Any] = {"design": {}}  # the table [design] alone is one design


@dataclass(frozen=True)
class _Shared:
    """What all designs have in common."""

    allowed = "a table of what all designs share"

    def read(self, given: Any, path: Path, errors: Collector) -> dict[str, Any]:
        if not isinstance(given, Mapping):
            refuse(self, given, path, errors)
            return {}
        rules = table_of(Design).rules
        for key in given:
            if key not in rules:
                errors.add(ParameterError(UnknownNameError("key", key, rules).sentence, (str(key),)).at(*path))
        return {key: rule.read(given[key], (*path, key), errors) for key, rule in rules.items() if key in given}


@dataclass(frozen=True)
class _Named:
    noun: str
    may_be_empty: bool = False

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        return f"a {'' if self.may_be_empty else 'non-empty '}table of {self.noun}s by name"

    def read(self, given: Any, path: Path, errors: Collector) -> dict[str, Any]:
        """What is given by each name."""
        if not isinstance(given, Mapping) or not (given or self.may_be_empty):
            refuse(self, given, path, errors)
            return {}
        for name in given:
            if not isinstance(name, str) or not name.strip():
                errors.add(ParameterError(f"a {self.noun} needs a name that is not empty, got {name!r}", path))
        return dict(given)


@dataclass(frozen=True)
class _Live:
    allowed = "a table of how a live trial is conducted"

    def read(self, given: Any, path: Path, errors: Collector) -> LiveSettings | None:
        if isinstance(given, LiveSettings):
            return given
        with errors.at(*path):
            return LiveSettings.from_spec(given)
        return None


TEXT = Single(Parameter("", string=True))
SCENARIOS = _Named("scenario", may_be_empty=True)


@dataclass(frozen=True, kw_only=True, eq=False)
class Plan(Validated):
    """Designs and scenarios by name, and how often to simulate each.

    In a file, ``[design]`` has what all designs share, and each ``[designs.NAME]`` what differs; without any of these,
    ``[design]`` is the only one. Scenarios are needed to operate the designs, and `live` says how a trial of one of
    them is conducted.

    >>> plan = Plan.from_toml('''
    ... replications = 1000
    ... seed = 7
    ... [design]
    ... arms = ["control", "new"]
    ... patients = 60
    ... analysis = "pooled-z(sided='greater')"
    ... [designs."BESA+"]
    ... policy = "besa-plus(floor=2)"
    ... burn_in = 5
    ... [designs.equal]
    ... policy = "uniform-random"
    ... [scenarios.effect]
    ... arms = ["bernoulli(probability=0.3)", "bernoulli(probability=0.5)"]
    ... ''')
    >>> plan.designs["BESA+"].burn_in, plan.designs["equal"].patients
    (5, 60)
    """

    _noun = "the plan"
    _allowed = "a table with the keys designs and scenarios"

    title: str = field(default="", metadata=by(TEXT))
    purpose: str = field(default="", metadata=by(TEXT))
    replications: int = field(default=10_000, metadata=by(Single(Parameter("", 2, LARGEST_COUNT, integer=True))))
    seed: int | None = field(default=None, metadata=by(Single(Parameter("", 0, 2**63 - 1, integer=True))))
    designs: Mapping[str, Design] = field(metadata=by(_Named("design")))
    scenarios: Mapping[str, Scenario] = field(default_factory=dict, metadata=by(SCENARIOS))
    live: LiveSettings | None = field(default=None, metadata=by(_Live()))

    @classmethod
    @functools.cache
    def _table(cls) -> Table:
        """The rules of the fields and of ``[design]``, which is in files alone."""
        fields = super()._table()
        defaults = {**fields.defaults, "design": {}, "designs": ALONE}
        return Table(cls._allowed, {**fields.rules, "design": _Shared()}, defaults, cls._noun)

    @classmethod
    def _check_together(cls, parts: dict[str, Any], given: Any, errors: Collector) -> None:
        shared = parts.pop("design")
        if parts["designs"] is ALONE and not shared:
            missing = f"designs is missing; it must be {cls._table().rules['designs'].allowed}"
            errors.add(ParameterError(missing, ("designs",)))
        if not errors.errors:
            parts["designs"] = {name: _design(name, own, shared, errors) for name, own in parts["designs"].items()}
            parts["scenarios"] = {name: _scenario(name, own, errors) for name, own in parts["scenarios"].items()}
        if not errors.errors:
            with errors.ours():
                check_designs(parts["designs"])
                for name, scenario in parts["scenarios"].items():
                    parts["scenarios"][name] = _fitting(name, scenario, parts["designs"], errors)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Plan:
        """The plan in a file, or in standard input for ``-``."""
        return cls.from_toml(toml.read(path), "standard input" if path == "-" else os.fspath(path))

    @classmethod
    def from_toml(cls, text: str, source: str = "the plan") -> Plan:
        """The plan that a text describes; `source` names the text in errors."""
        return cls.from_spec(toml.parse(text, source), source)

    def replace(self, **changes: Any) -> Plan:
        """A copy of the plan with some parts changed."""
        return Plan(**self._parts() | changes)

    def to_toml(self) -> str:
        """A text that `from_toml` reads as an equal plan."""
        specs = {name: design.spec() for name, design in self.designs.items()}
        first, *others = specs.values()
        shared = {key: part for key, part in first.items() if all(other.get(key) == part for other in others)}
        tables = {"design": shared} if others else {}
        for name, spec in specs.items():
            own = {key: part for key, part in spec.items() if not (others and key in shared)}
            tables[f"designs.{toml.key(name)}"] = own
        tables |= {f"scenarios.{toml.key(name)}": scenario.spec() for name, scenario in self.scenarios.items()}
        tables |= {"live": self.live.spec()} if self.live is not None else {}
        about = {key: part for key, part in self._parts().items() if key not in ("designs", "scenarios", "live")}
        lines = [f"{key} = {toml.value(part)}" for key, part in about.items() if part not in ("", None)]
        for name, table in tables.items():
            lines += ["", f"[{name}]", *(f"{key} = {toml.value(part)}" for key, part in table.items())]
        return "\n".join(lines) + "\n"

    def operate(self, **options: Any) -> OperatingCharacteristics:
        """The operating characteristics of all designs in all scenarios; `options` are those of `trials.operate`."""
        return operate(self.designs, self.scenarios, **{"replications": self.replications, "seed": self.seed} | options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Plan) and self.to_toml() == other.to_toml()

    __hash__ = None  # type: ignore[assignment]


def _design(name: str, own: Any, shared: Mapping[str, Any], errors: Collector) -> Design | None:
    if isinstance(own, Design):
        return own
    if not isinstance(own, Mapping):
        refuse(table_of(Design), own, ("designs", name), errors)
        return None
    with errors.at("designs", name):
        return Design.from_spec({**shared, **own})
    return None


def _scenario(name: str, given: Any, errors: Collector) -> Scenario | None:
    path = "scenarios", name
    if isinstance(given, Mapping):
        for key in given:
            if key not in SCENARIO_KEYS:
                errors.add(ParameterError(UnknownNameError("key", key, SCENARIO_KEYS).sentence, (str(key),)).at(*path))
                return None
        if "arms" not in given:
            missing = "arms is missing; it must be a list or table of outcome distributions"
            errors.add(ParameterError(missing, ("arms",)).at(*path))
            return None
    with errors.at(*path):
        return Scenario.of(given)
    return None


def _fitting(name: str, scenario: Scenario, designs: Mapping[str, Design], errors: Collector) -> Scenario | None:
    """The scenario with its arms in the order of the designs'."""
    with errors.at("scenarios", name):
        for design in designs.values():
            ordered = scenario.ordered(design.arms)
            check_fit(design, ordered)
        return ordered
    return None

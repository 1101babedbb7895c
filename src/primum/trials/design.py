"""A design: how a trial is run."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import Collector, ParameterError, Path, quoted
from primum.plugins.parameters import Parameter
from primum.plugins.registry import Plugin
from primum.policies import Policy
from primum.problem import check_name
from primum.runs.part import inner_value
from primum.runs.validation import Made, Single, Validated, by, plain, refuse
from primum.text import counted, html_table, listed
from primum.trials.analyses import Analysis, Boundary
from primum.trials.monitoring import Monitoring, numbers_of
from primum.trials.stopping import StoppingRule
from primum.trials.timing import Accrual, Delay, Regular
from primum.values import Mean, SafetyValue

MOST_PATIENTS = 100_000
MOST_ARMS = 1_000
ESTIMATORS = ("naive", "inverse-probability", "adaptively-weighted")
MEAN, REGULAR = Mean(), Regular()


@dataclass(frozen=True)
class _Names:
    allowed = "a list of at least two different names"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        named = isinstance(given, Sequence) and not isinstance(given, str) and 2 <= len(given) <= MOST_ARMS
        if not named or len(set(map(str, given))) < len(given):
            return refuse(self, given, path, errors)
        with errors.at(*path):
            return tuple(check_name(name) for name in given)


@dataclass(frozen=True)
class _Ascending:
    """Numbers of patients in ascending order."""

    or_one: bool = False  # a single number is kept as such
    or_fractions: bool = False  # of all patients; an integer is never one, so 1 is a patient, and 1.0 all of them

    @property
    def allowed(self) -> str:
        """The allowed values, in words."""
        fractions = ", or of fractions in (0, 1]" if self.or_fractions else ""
        return f"a list of whole numbers from 1 in ascending order{fractions}"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        rule = Parameter("", 1, MOST_PATIENTS, integer=True)
        if self.or_one and not isinstance(given, Sequence | range):
            return Single(rule).read(given, path, errors)
        if not isinstance(given, Sequence) or isinstance(given, str):
            return refuse(self, given, path, errors)
        if self.or_fractions and given and _is_fraction(given[0]):
            rule = Parameter("", 0.0, 1.0, open_low=True)
        with errors.at(*path[:-1]):
            ascending = tuple(rule.check(str(path[-1]), each) for each in given)
            if any(b <= a for a, b in itertools.pairwise(ascending)):
                return refuse(self, given, path, errors)
            return ascending


@dataclass(frozen=True)
class _Coin:
    allowed = "a number in [0, 1], or two of them: for the first patient and for the last"

    def read(self, given: Any, path: Path, errors: Collector) -> Any:
        rule = Parameter("", 0.0, 1.0)
        if not isinstance(given, Sequence) or isinstance(given, str):
            return Single(rule).read(given, path, errors)
        if len(given) != 2:
            return refuse(self, given, path, errors)
        with errors.at(*path[:-1]):
            first, last = (rule.check(str(path[-1]), each) for each in given)
            return first if first == last else (first, last)


def _is_fraction(given: Any) -> bool:
    return isinstance(given, numbers.Real) and not isinstance(given, numbers.Integral) and given <= 1


@dataclass(frozen=True, kw_only=True)
class Design(Validated):
    """How a trial is run: who is treated how, when outcomes are known, when to look, and how to analyse.

    The first arm is the control. The first `burn_in` patients of each arm are allocated by permuted blocks of one,
    two or three patients per arm, a random number, the last one cut to what is left; all others by the `policy`,
    which learns by the `value`. With a `coin` each of these others is allocated with that probability at random
    among the arms that are left, all alike, and by the policy otherwise; two numbers are those of the first such
    patient and of the last, with a straight line between. With `blocks` the policy sees new data only after each so
    many patients beyond the burn-in, or after the numbers of patients in a list. At each of `looks`, a number of
    patients enrolled or, with ``looks_count="outcomes"``, of known outcomes, the `stopping` rule may drop arms or
    stop the trial; a look at the last patient is the final one, which waits for all outcomes. Looks can also be
    fractions of all patients, such as ``[0.5, 1.0]``, which move when `patients` changes; they are rounded to the
    nearest patient. The `analysis` is made of all outcomes at the end, early or not. A stopping rule that declares
    differences, such as `GroupSequential`, is itself the analysis (`Boundary`), because two tests would spend the
    level twice. The `estimator` gives the difference between each arm and the control: ``"naive"``, or
    ``"inverse-probability"`` or ``"adaptively-weighted"``, which take the allocation probabilities into account.

    >>> from primum import policies, trials
    >>> design = Design(
    ...     arms=["control", "new"], patients=148, policy=policies.BesaPlus(floor=2),
    ...     burn_in=5, delay=trials.after_patients(20), analysis=trials.PooledZ(alpha=0.05, sided="greater"),
    ... )
    >>> design.replace(delay=None).delay is None
    True
    """

    _noun = "the design"
    _allowed = "a table with the keys arms, patients and policy"

    arms: Sequence[str] = field(metadata=by(_Names()))
    patients: int = field(metadata=by(Single(Parameter("", 1, MOST_PATIENTS, integer=True))))
    policy: Policy = field(metadata=by(Made("policies")))
    value: SafetyValue = field(default=MEAN, metadata=by(Made("values")))
    burn_in: int = field(default=0, metadata=by(Single(Parameter("", 0, MOST_PATIENTS, integer=True))))
    coin: float | Sequence[float] = field(default=0.0, metadata=by(_Coin()))
    blocks: int | Sequence[int] = field(default=1, metadata=by(_Ascending(or_one=True)))
    accrual: Accrual = field(default=REGULAR, metadata=by(Made("accruals")))
    delay: Delay | None = field(default=None, metadata=by(Made("delays")))
    looks: Sequence[float] = field(default=(), metadata=by(_Ascending(or_fractions=True)))
    looks_count: str = field(default="patients", metadata=by(Single(Parameter("", choices=("patients", "outcomes")))))
    stopping: StoppingRule | None = field(default=None, metadata=by(Made("stopping")))
    analysis: Analysis = field(default=None, metadata=by(Made("analyses")))  # type: ignore[assignment]  # completed below
    estimator: str = field(default="naive", metadata=by(Single(Parameter("", choices=ESTIMATORS))))

    @classmethod
    def _check_together(cls, parts: dict[str, Any], given: Any, errors: Collector) -> None:
        if not errors.errors:
            with errors.ours():
                parts["analysis"] = _analysis(parts["analysis"], parts["stopping"])
                _check_parts(parts)

    def resized(self, patients: int) -> Design:
        """A copy with another number of patients; looks stay at the same fractions of them."""
        looks = [look / self.patients if isinstance(look, int) else look for look in self.looks]
        return self.replace(patients=patients, looks=looks)

    def spec(self, *, complete: bool = False) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal design; with all defaults if it is to be `complete`."""
        given = self._parts() if complete else self._changed()
        return {key: plain(list(part) if isinstance(part, tuple) else part) for key, part in given.items()}

    @property
    def inner_value(self) -> SafetyValue:
        """The value that the policy uses inside: its own if it is tied to one."""
        return inner_value(self.policy, self.value)

    @cached_property
    def monitoring(self) -> Monitoring:
        """The looks at the data."""
        return Monitoring(self)

    @property
    def test(self) -> Analysis | StoppingRule:
        """What declares a difference, and has the level and the alternative: the analysis or the stopping rule."""
        return self.stopping if self.stopping is not None and self.stopping.claims else self.analysis

    @property
    def needs_chances(self) -> bool:
        """Whether something in it is computed from the allocation probabilities."""
        parts = (self.analysis, self.stopping)
        return self.estimator != "naive" or any(part is not None and part.needs_chances for part in parts)

    @property
    def plugins(self) -> list[Plugin]:
        """The plug-ins that take part."""
        used = (self.policy, self.value, self.inner_value, self.accrual, self.delay, self.stopping, self.analysis)
        return [plugin for plugin in used if plugin is not None]

    @property
    def forced(self) -> int:
        """Patients of the burn-in, of all arms together."""
        return min(self.burn_in * len(self.arms), self.patients)

    def coins(self) -> NDArray[np.float64]:
        """The probability that each patient is allocated at random instead of by the policy; 0 in the burn-in."""
        share = np.zeros(self.patients)
        first, last = self._coin_ends
        share[self.forced :] = np.linspace(first, last, self.patients - self.forced)
        return share

    @property
    def _coin_ends(self) -> tuple[float, float]:
        first, last = self.coin if isinstance(self.coin, Sequence) else (self.coin, self.coin)
        return first, last

    def updates(self) -> NDArray[np.bool_]:
        """Before which patients the policy sees new data: one flag for each patient, the first of them without data."""
        if isinstance(self.blocks, int):
            since = np.arange(self.patients) - self.forced
            return np.asarray((since >= 0) & (since % self.blocks == 0))
        flags = np.zeros(self.patients + 1, np.bool_)
        flags[[number for number in self.blocks if number <= self.patients]] = True
        return flags[: self.patients]

    @property
    def display_name(self) -> str:
        """The policy and what is special about its use, for people."""
        parts = [self.policy.display_name]
        if self.burn_in:
            parts.append(f"burn-in {self.burn_in}")
        if self.coin:
            first, last = self._coin_ends
            parts.append(f"coin {first:g}" if first == last else f"coin {first:g} to {last:g}")
        if self.blocks != 1:
            parts.append(f"blocks of {self.blocks}" if isinstance(self.blocks, int) else "in blocks")
        if self.delay is not None:
            parts.append(self.delay.display_name.lower())
        return ", ".join(parts)

    def _repr_html_(self) -> str:
        rows = []
        for key, part in self._changed().items():
            parts = part if isinstance(part, tuple | list) else [part]
            shown = [each.display_name if isinstance(each, Plugin) else str(each) for each in parts]
            rows.append((key.replace("_", " ").capitalize(), ", ".join(shown)))
        return html_table("Design", rows)


def _analysis(given: Analysis | None, rule: StoppingRule | None) -> Analysis:
    """The analysis, such that one rule alone declares a difference."""
    claims = rule is not None and rule.claims
    if given is None:
        if not claims:
            raise ParameterError("analysis must be given, such as pooled-z(alpha=0.05)", ("analysis",))
        return Boundary()
    if claims and not isinstance(given, Boundary):
        assert rule is not None
        raise ParameterError(
            f"{rule.display_name} declares differences at its looks and at the end, and {given.display_name} would "
            "declare them once more, so that the level would be spent twice; leave the analysis out, or use a stopping "
            "rule that only drops arms, such as drop-losers",
            ("analysis",),
        )
    if isinstance(given, Boundary) and not claims:
        what = "no stopping rule" if rule is None else f"{rule.display_name}, which declares none"
        raise ParameterError(
            "boundary is the final test of a stopping rule that declares differences, such as group-sequential, and "
            f"this design has {what}",
            ("analysis",),
        )
    return given


def _check_parts(parts: Mapping[str, Any]) -> None:
    if parts["policy"].needs_truth:
        raise ParameterError(
            f"{parts['policy'].display_name} knows the true values, so no trial can be run with it", ("policy",)
        )
    parts["policy"].check_arms(len(parts["arms"]))
    parts["policy"].check_value(inner_value(parts["policy"], parts["value"]))
    if parts["looks"] and parts["stopping"] is None:
        raise ParameterError("looks need a stopping rule, got none", ("looks",))
    if parts["stopping"] is not None and not parts["looks"]:
        raise ParameterError("a stopping rule needs looks: numbers of patients, got none", ("stopping",))
    looks, patients = parts["looks"], parts["patients"]
    at = numbers_of(looks, patients)
    if at and at[-1] > patients:
        raise ParameterError(f"looks must be at most the {patients} patients, got {quoted(at[-1])}", ("looks",))
    if any(b <= a for a, b in itertools.pairwise((0, *at))):
        raise ParameterError(
            f"looks must be after different numbers of patients, got {listed([f'{each:g}' for each in looks])} of "
            f"{counted(patients, 'patient')}, which are {listed([*map(str, at)])}",
            ("looks",),
        )

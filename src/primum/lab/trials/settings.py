"""The settings of the page *Trials*: a design beside equal randomisation, with its scenarios."""

from __future__ import annotations

from math import comb, sqrt
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import from_json

from primum.errors import InvalidInput, ParameterError, PrimumError, as_primum_error, quoted, within
from primum.plugins.registry import build, find
from primum.policies import UniformRandom
from primum.rewards import Bernoulli, Beta, RewardDistribution
from primum.trials import Boundary, Design, Plan, PosteriorSuperiority, RandomisationTest, Scenario, after_patients
from primum.trials.analyses.exact_test import ExactTest
from primum.trials.exact_law.feasible import check, states
from primum.trials.operating.exact_characteristics import is_feasible
from primum.trials.simulation.running import check_fit

MOST_ARMS = 5
MOST_PATIENTS = 2_000
MOST_EXACT_STATES = 25_000_000  # over the whole recursion, as for 150 patients: about half a second
MOST_SLOW_ENDS = 30_000  # ends of a trial for which an analysis integrates, as for 54 patients: about a second
MOST_RE_RUN = 500  # patients of a randomisation test, each trial of which is run again many times
LONGEST_SPEC = 2_000  # characters of a policy or a value
RUNS = 199  # re-runs of a randomisation test
SEED = 1
REPLICATIONS = 10_000  # in a file
EQUAL = "equal"  # the name of equal randomisation among the designs of a plan


class TrialSettings(BaseModel):
    """A design, the truth, and the analysis; with several new treatments, all but the first are as the control."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    arms: int = Field(default=2, ge=2, le=MOST_ARMS, description="the control, and the new treatments")
    outcome: Literal["binary", "numeric"] = Field(
        default="binary", description="0 and 1, or numbers from 0 to 1 with beta distributions"
    )
    control: float = Field(default=0.3, ge=0, le=1, description="success probability, or mean, of the control")
    effect: float = Field(
        default=0.2,
        ge=-1,
        le=1,
        description="success probability, or mean, of the first new treatment minus that of the control",
    )
    deviation: float = Field(default=0.2, ge=0.001, lt=0.5, description="standard deviation of numeric outcomes")
    patients: int = Field(default=100, ge=2, le=MOST_PATIENTS, description="in all")
    policy: str = Field(
        default="besa-plus",
        max_length=LONGEST_SPEC,
        description="allocates patients after the burn-in; a name, text such as besa-plus(floor=2), or JSON",
    )
    value: str = Field(
        default="mean", max_length=LONGEST_SPEC, description="the safety value that the policy learns by"
    )
    burn_in: int = Field(
        default=5, ge=0, le=MOST_PATIENTS, description="patients of each arm before the policy decides"
    )
    coin: float = Field(
        default=0.0,
        ge=0,
        le=1,
        description="probability that another patient is allocated at random, not by the policy",
    )
    delay: int = Field(
        default=0, ge=0, le=MOST_PATIENTS, description="further patients who are allocated before an outcome is known"
    )
    drift: float = Field(
        default=0.0,
        ge=-1,
        le=1,
        description="change of all success probabilities, or outcomes, from the first patient to the last",
    )
    analysis: str = Field(default="pooled-z", max_length=100, description="the test at the end, by its name")
    alpha: float = Field(default=0.05, gt=0, lt=1, description="its level")
    sided: Literal["greater", "less", "two-sided"] = Field(
        default="greater",
        description="the alternative: a new treatment is better than the control, worse, or different",
    )


class Trial:
    """The designs and scenarios that settings describe; a PrimumError with the places of what is wrong."""

    def __init__(self, settings: TrialSettings) -> None:
        self.settings = settings
        self.names = ["control", "new"] if settings.arms == 2 else ["control", *_numbered(settings.arms - 1)]
        self.scenarios = {"null": self.null(settings.control), "effect": self._effect(_checked_effect(settings))}
        if settings.drift:
            self.scenarios["drift"] = Scenario(self.scenarios["null"].arms, drift=settings.drift)
        self.chosen = self._design()
        self.equal = self.chosen.replace(policy=UniformRandom(), coin=0.0)
        _refuse_costly(self.chosen)

    @property
    def title(self) -> str:
        """What the design is called beside equal randomisation."""
        return self.chosen.policy.display_name

    @property
    def designs(self) -> dict[str, Design]:
        """Both designs by the names that a file has for them."""
        return {self.title: self.chosen, EQUAL: self.equal}

    def plan(self, replications: int = REPLICATIONS) -> Plan:
        """The plan of both designs, for a file and for the report."""
        return Plan(
            title=f"{self.title} and equal randomisation",
            replications=replications,
            seed=SEED,
            designs=self.designs,
            scenarios=self.scenarios,
        )

    @property
    def is_binary(self) -> bool:
        """Whether outcomes are 0 and 1."""
        return self.settings.outcome == "binary"

    def is_possible(self, mean: float) -> bool:
        """Whether an arm can have this success probability, or mean."""
        return self.is_binary or self.settings.deviation**2 < mean * (1 - mean)

    def null(self, mean: float) -> Scenario:
        """The scenario in which all arms have the same success probability, or mean."""
        return Scenario([self._arm(mean)] * len(self.names))

    def _effect(self, effect: float) -> Scenario:
        control = self._arm(self.settings.control)
        new = self._arm(self.settings.control + effect)
        return Scenario([control, new, *[control] * (len(self.names) - 2)])

    def _arm(self, mean: float) -> RewardDistribution:
        mean = round(mean, 12)  # so that arms without an effect are equal
        if self.is_binary:
            return Bernoulli(mean)
        deviation = self.settings.deviation
        if not self.is_possible(mean):
            raise ParameterError(
                f"deviation must be less than {sqrt(mean * (1 - mean)):.4g} for outcomes in [0, 1] with mean "
                f"{mean:.4g}, got {deviation:g}",
                ("deviation",),
            )
        size = mean * (1 - mean) / deviation**2 - 1
        return Beta(mean * size, (1 - mean) * size)

    def _design(self) -> Design:
        given, errors = self.settings, list[PrimumError]()
        parts: dict[str, Any] = {}
        for key, make in {"policy": _policy, "value": _value, "analysis": _analysis}.items():
            try:
                with within(key):
                    parts[key] = make(given)
            except PrimumError as error:
                errors += error.errors if isinstance(error, InvalidInput) else [error]
        if errors:
            raise InvalidInput(errors)
        delay = after_patients(given.delay) if given.delay else None
        try:
            sizes = {key: getattr(given, key) for key in ("patients", "burn_in", "coin")}
            design = Design(arms=self.names, delay=delay, **sizes, **parts)
            check_fit(design, self.scenarios["effect"])
        except PrimumError as error:
            needs_binary = parts["analysis"].binary and not self.is_binary
            # all else is right: one of them does not fit
            raise ParameterError(error.sentence, ("analysis" if needs_binary else "policy",)) from None
        return design


def is_exact(design: Design) -> bool:
    """Whether exact operating characteristics of a design take a moment only."""
    return is_feasible(design) and sum(states(design)) <= MOST_EXACT_STATES and not is_slow(design)


def is_slow(design: Design) -> bool:
    """Whether the analysis of all ends of a trial takes long, though the recursion may not."""
    return isinstance(design.analysis, PosteriorSuperiority) and comb(design.patients + 3, 3) > MOST_SLOW_ENDS


def _numbered(count: int) -> list[str]:
    return [f"new {number}" for number in range(1, count + 1)]


def _checked_effect(settings: TrialSettings) -> float:
    low, high = -settings.control, 1 - settings.control
    if not low - 1e-9 <= settings.effect <= high + 1e-9:
        raise ParameterError(
            f"effect must be in [{low:.4g}, {high:.4g}], so that the new treatment stays in [0, 1], "
            f"got {settings.effect:g}",
            ("effect",),
        )
    return min(max(settings.effect, low), high)


def _policy(settings: TrialSettings) -> Any:
    return build("policies", _spec(settings.policy))


def _value(settings: TrialSettings) -> Any:
    return build("values", _spec(settings.value))


def _analysis(settings: TrialSettings) -> Any:
    cls = find("analyses", settings.analysis)
    if issubclass(cls, Boundary):
        raise ParameterError(
            f"{settings.analysis} is the final test of a stopping rule, and trials of the laboratory have none",
            ("analysis",),
        )
    own = {"runs": RUNS} if issubclass(cls, RandomisationTest) else {}
    try:
        return cls(alpha=settings.alpha, sided=settings.sided, **own)
    except Exception as error:  # another author's class may have parameters without defaults
        raise as_primum_error(error) from None


def _spec(text: str) -> Any:
    """A spec as JSON or as text."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return from_json(text)
    except ValueError:
        raise ParameterError(f"this is not JSON: {quoted(text)}") from None


def _refuse_costly(design: Design) -> None:
    """An exact test needs the exact distribution of the design, and a randomisation test many trials for each."""
    if isinstance(design.analysis, RandomisationTest) and design.patients > MOST_RE_RUN:
        raise ParameterError(
            f"{design.analysis.title}: the laboratory allows at most {MOST_RE_RUN} patients, got {design.patients}",
            ("analysis",),
        )
    if not isinstance(design.analysis, ExactTest):
        return
    try:
        check(design)
    except ParameterError as error:
        raise ParameterError(f"{design.analysis.title}: {error.sentence}", ("analysis",)) from None
    if (count := sum(states(design))) > MOST_EXACT_STATES:
        raise ParameterError(
            f"{design.analysis.title} would need {count:,} states, and the laboratory allows {MOST_EXACT_STATES:,}, as "
            "for 150 patients without delay; choose fewer patients or another analysis",
            ("analysis",),
        )

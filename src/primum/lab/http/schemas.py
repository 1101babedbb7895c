"""What the laboratory is asked and what it answers, as typed data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from primum.errors import ParameterError
from primum.experiments import Experiment
from primum.experiments.fields import AnyPolicy, Reward, Value
from primum.lab.drafts.time_limit import refuse_deep, refuse_long
from primum.lab.shared_arms import shared
from primum.rewards import RewardDistribution

MOST_ARMS = 50
MOST_POLICIES = 12
LONGEST_HORIZON = 1_000_000
MOST_REPLICATIONS = 100_000
LARGEST_SEED = 2**53 - 1  # the largest that a page can hold
LONGEST_NAME = 100
LARGEST_BODY = 2_000_000  # bytes of a request
NAME = r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$"  # something to see, and no control characters


class Given(BaseModel):
    """Something that a person or a script sends."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


def _at_once(check: Callable[[Any], None]) -> BeforeValidator:
    """A check of what was given, before anything is built of it."""

    def checked(given: Any) -> Any:
        try:
            check(given)
        except ParameterError as error:
            raise PydanticCustomError("plugin", "{sentence}", {"sentence": str(error), "parameter": ""}) from None
        return given

    return BeforeValidator(checked)


def _shared(arm: RewardDistribution) -> RewardDistribution:
    try:
        return shared(arm)
    except ParameterError as error:
        raise PydanticCustomError("plugin", "{sentence}", {"sentence": str(error), "parameter": ""}) from None


class Arm(Given):
    """A named reward distribution."""

    name: str = Field(
        max_length=LONGEST_NAME, pattern=NAME, description=f"a text of 1 to {LONGEST_NAME} characters on one line"
    )
    distribution: Annotated[Reward, _at_once(refuse_deep), AfterValidator(_shared)] = Field(
        description="a reward distribution by its name, for example 'uniform(low=0, high=1)'"
    )


class Question(Given):
    """An experiment that the laboratory can run: an experiment file as data, its arms in a list."""

    title: str = Field("", max_length=200, description="a text of at most 200 characters")
    arms: Annotated[list[Arm], _at_once(refuse_long)] = Field(
        min_length=1, max_length=MOST_ARMS, description=f"a list of 1 to {MOST_ARMS} arms"
    )
    value: Value = Field(description="a value by its name, for example 'cvar(alpha=0.1)'")
    policies: list[AnyPolicy] = Field(
        min_length=1, max_length=MOST_POLICIES, description=f"a list of 1 to {MOST_POLICIES} policies by their names"
    )
    horizon: int = Field(2000, ge=2, le=LONGEST_HORIZON, description=f"a whole number in [2, {LONGEST_HORIZON}]")
    replications: int = Field(
        500, ge=1, le=MOST_REPLICATIONS, description=f"a whole number in [1, {MOST_REPLICATIONS}]"
    )
    seed: int = Field(1, ge=0, le=LARGEST_SEED, description="a whole number in [0, 2^53 - 1]")

    @model_validator(mode="after")
    def _differ(self) -> Question:
        for what, names in (
            ("arms", [arm.name for arm in self.arms]),
            ("policies", [policy.label for policy in self.policies]),
        ):
            if twice := [name for i, name in enumerate(names) if name in names[:i]]:
                sentence = f"{what} must differ, got {twice[0]!r} twice"
                raise PydanticCustomError("together", "{sentence}", {"sentence": sentence, "place": what})
        return self

    def experiment(self, replications: int | None = None) -> Experiment:
        """The same as an experiment file has it, or with fewer replications."""
        return Experiment(
            title=self.title,
            horizon=self.horizon,
            replications=self.replications if replications is None else replications,
            seed=self.seed,
            value=self.value,
            policies=self.policies,
            arms={arm.name: arm.distribution for arm in self.arms},
        )


class DraftArm(Given):
    """An arm as it is being typed."""

    name: str = Field("", max_length=LONGEST_NAME, description=f"a text of at most {LONGEST_NAME} characters")
    distribution: Any = Field(None, description="a reward distribution, or what may become one")


class Draft(Given):
    """A question as it is being typed: any part may be wrong or missing."""

    title: str = Field("", max_length=200, description="a text of at most 200 characters")
    arms: list[DraftArm] = Field([], max_length=MOST_ARMS, description=f"a list of at most {MOST_ARMS} arms")
    value: Any = Field(None, description="a value, or what may become one")
    policies: list[Any] = Field(
        [], max_length=MOST_POLICIES, description=f"a list of at most {MOST_POLICIES} policies, or what may become one"
    )
    horizon: Any = Field(None, description="a horizon, or what may become one")
    replications: Any = Field(None, description="a number of replications, or what may become one")
    seed: Any = Field(None, description="a seed, or what may become one")


class Faults(BaseModel):
    """What is wrong with what was sent: a sentence for each place, such as ``arms[2].distribution.low``."""

    errors: dict[str, str]


class Density(BaseModel):
    """The part of a distribution that has a density, as points of a curve; none if there is no such part."""

    x: list[float]
    y: list[float]


class Atom(BaseModel):
    """A reward, or the middle of a narrow interval of rewards, that has a probability of its own."""

    reward: float
    probability: float


class ArmAppraisal(BaseModel):
    """An arm, looked at through the value."""

    label: str
    low: float | None = Field(description="the smallest reward, None if there is none")
    high: float | None = Field(description="the largest reward, None if there is none")
    mean: float
    deviation: float = Field(description="the standard deviation")
    value: float | None = None
    gap: float | None = Field(None, description="how much worse than the best arm it is")
    rank: int | None = Field(None, description="1 for the best; arms that are equally good share a rank")
    best: bool = False
    density: Density
    atoms: list[Atom]


class ValueAppraisal(BaseModel):
    """The value, in words."""

    label: str
    well_behaved: bool
    sentence: str


class Alternative(BaseModel):
    """Another value, and the arms that are best under it."""

    value: str
    best: list[str]
    differs: bool = Field(description="whether it would choose other arms")


class PolicyAppraisal(BaseModel):
    """A policy, and what it needs."""

    label: str
    facts: list[str]
    fault: str = Field("", description="why it cannot play here, if it cannot")


class Cost(BaseModel):
    """What a run is expected to take, in seconds of one processor."""

    seconds: float
    limit: float
    memory: int = Field(description="bytes of recorded pulls")
    fits: bool
    sentence: str = Field(description="the cost in words; if it does not fit, by how much, and what to reduce")


class Appraisal(BaseModel):
    """All that can be said of a draft before it is run."""

    errors: dict[str, str] = Field(description="a sentence for each place that is wrong")
    arms: list[ArmAppraisal | None] = Field(description="one for each arm; None where the arm is wrong")
    value: ValueAppraisal | None = None
    best: list[str] = []
    verdict: str = Field("", description="which arm is best, and whether other values agree, in a sentence or two")
    alternatives: list[Alternative] = []
    policies: list[PolicyAppraisal | None] = []


class ParameterForm(BaseModel):
    """A parameter of a plug-in, with all that a form needs."""

    name: str
    text: str
    allowed: str
    kind: Literal["number", "integer", "choice", "text", "plugin"]
    many: bool = Field(description="whether it is a list of such")
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: list[str] = []
    family: str = ""
    default: Any = Field(None, description="None if it must be given")
    start: Any = Field(description="what a new form begins with")
    slider: tuple[float, float] | None = Field(None, description="the ends of a slider, for single numbers")
    logarithmic: bool = Field(False, description="whether equal distances on the slider are equal ratios")


class PluginForm(BaseModel):
    """A plug-in in words, with its parameters."""

    name: str
    summary: str
    details: str
    reference: str
    facts: list[str]
    parameters: list[ParameterForm]
    start: dict[str, Any] = Field(description="a spec that a new form begins with; it can be built")
    fault: str = ""


class Catalogue(BaseModel):
    """Everything that can be picked, built from the registry."""

    version: str
    values: list[PluginForm]
    rewards: list[PluginForm]
    policies: list[PluginForm]
    colours: list[str] = Field(description="of the policies, in order; after the last the first comes again")
    limits: dict[str, float]


class PresetOption(BaseModel):
    """A whole number that a preset is drawn with."""

    name: str
    text: str
    low: int
    high: int
    default: int


class Preset(BaseModel):
    """A question to begin with."""

    name: str
    title: str
    text: str
    options: list[PresetOption] = []


class CsvArms(BaseModel):
    """Arms made of a CSV file, and how."""

    arms: list[dict[str, Any]] = Field(description="name, distribution and the number of outcomes of each")
    columns: list[str]
    arm: str = Field(description="the column that names the arms")
    outcome: str = Field(description="the column of outcomes")
    smallest: float = Field(description="the smallest outcome in the file")
    largest: float
    low: float = Field(description="the outcome that becomes a reward of 0")
    high: float = Field(description="the outcome that becomes a reward of 1")
    sentence: str = Field(description="what was done, in words")


State = Literal["unstarted", "waiting", "running", "finished", "cancelled", "failed"]


class Run(BaseModel):
    """How far a run is."""

    id: str
    state: State
    replications: int = Field(description="complete ones, that figures show")
    of: int
    share: float = Field(description="how much of the work is done, from 0 to 1")
    seconds_left: float | None = None
    sentence: str = Field("", description="what is going on, or what went wrong")


class Reopened(BaseModel):
    """A question that was asked before, and its run."""

    question: Question
    run: Run


class Summary(BaseModel):
    """The table: one row for each policy, and each pair of policies compared."""

    step: int
    replications: int
    rows: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]


class Figure(BaseModel):
    """A picture for Plotly, and the words around it."""

    title: str
    subtitle: str
    replications: int
    data: list[dict[str, Any]]
    layout: dict[str, Any]

"""Requests and responses of the laboratory, as typed data."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    PlainSerializer,
    PlainValidator,
    model_validator,
)
from pydantic.functional_validators import ModelWrapValidatorHandler

from primum.errors import InvalidInput
from primum.lab.drafts.validation import DEFAULTS, LONGEST_TITLE, LONGEST_UNIT, NAME_PATTERN, RULES, read
from primum.lab.drafts.validation import LARGEST_SEED as LARGEST_SEED
from primum.lab.drafts.validation import LONGEST_HORIZON as LONGEST_HORIZON
from primum.lab.drafts.validation import LONGEST_NAME as LONGEST_NAME
from primum.lab.drafts.validation import MOST_ARMS as MOST_ARMS
from primum.lab.drafts.validation import MOST_POLICIES as MOST_POLICIES
from primum.lab.drafts.validation import MOST_REPLICATIONS as MOST_REPLICATIONS
from primum.policies import Policy
from primum.rewards import RewardDistribution
from primum.runs import Experiment
from primum.runs.validation import plain
from primum.values import SafetyValue

# a plug-in as a field: `read` has built it, and pydantic only describes and writes it
_built = PlainValidator(lambda plugin: plugin, json_schema_input_type=str | dict[str, Any])
_written = PlainSerializer(plain)
_ALLOWED = {key: rule.allowed for key, rule in RULES.rules.items()}  # in words


class Arm(BaseModel):
    """A named reward distribution."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=LONGEST_NAME, pattern=NAME_PATTERN)
    distribution: Annotated[RewardDistribution, _built, _written]


class Unit(BaseModel):
    """The unit of outcomes that were rescaled from [low, high] to rewards in [0, 1]."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str = Field(max_length=LONGEST_UNIT)
    low: float
    high: float


class Question(BaseModel):
    """An experiment that the laboratory can run: an experiment file as data, its arms in a list."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    title: str = Field("", max_length=LONGEST_TITLE, description=_ALLOWED["title"])
    unit: Unit | None = Field(None, description="that of the outcomes, if they were rescaled; the page shows it")
    arms: list[Arm] = Field(min_length=1, max_length=MOST_ARMS, description=_ALLOWED["arms"])
    value: Annotated[SafetyValue, _built, _written] = Field(description=_ALLOWED["value"])
    policies: list[Annotated[Policy, _built, _written]] = Field(
        min_length=1, max_length=MOST_POLICIES, description=_ALLOWED["policies"]
    )
    horizon: int = Field(DEFAULTS["horizon"], ge=2, le=LONGEST_HORIZON, description=_ALLOWED["horizon"])
    replications: int = Field(
        DEFAULTS["replications"], ge=1, le=MOST_REPLICATIONS, description=_ALLOWED["replications"]
    )
    seed: int = Field(DEFAULTS["seed"], ge=0, le=LARGEST_SEED, description=_ALLOWED["seed"])

    @model_validator(mode="wrap")
    @classmethod
    def _checked(cls, given: Any, handler: ModelWrapValidatorHandler[Question]) -> Question:
        """All checks are those of `read`; pydantic's own describe the fields."""
        if isinstance(given, cls):
            return given
        parts, errors = read(given)
        if errors.errors:
            raise InvalidInput(errors.errors)
        return handler(parts)

    def experiment(self, replications: int | None = None) -> Experiment:
        """The question as an experiment, or one with fewer replications."""
        return Experiment.of_checked(
            title=self.title,
            horizon=self.horizon,
            replications=self.replications if replications is None else replications,
            seed=self.seed,
            value=self.value,
            policies=self.policies,
            arms={arm.name: arm.distribution for arm in self.arms},
        )


class Density(BaseModel):
    """The part of a distribution that has a density, as points of a curve; none if there is no such part."""

    x: list[float]
    y: list[float]


class Atom(BaseModel):
    """A reward, or the middle of a narrow interval of rewards, with its probability."""

    reward: float
    probability: float


class ArmPreview(BaseModel):
    """An arm, and its value."""

    label: str
    low: float | None = Field(description="the smallest reward, null if unbounded")
    high: float | None = Field(description="the largest reward, null if unbounded")
    mean: float
    deviation: float = Field(description="the standard deviation")
    value: float | None = None
    gap: float | None = Field(None, description="the value of the best arm minus that of this arm")
    rank: int | None = Field(None, description="1 for the best; arms that are equally good share a rank")
    best: bool = False
    density: Density
    atoms: list[Atom]


class ValuePreview(BaseModel):
    """The value, in words."""

    label: str
    well_behaved: bool
    equivariant: bool = Field(description="whether it is rescaled with the rewards, and so has their unit")
    sentence: str


class Alternative(BaseModel):
    """Another value, and the arms that are best under it."""

    value: str
    best: list[str]
    differs: bool = Field(description="whether it would choose other arms")


class PolicyPreview(BaseModel):
    """A policy, and its requirements."""

    label: str
    learns: str = Field("", description="the value that it learns if that is not the value of the question: 'the mean'")
    facts: list[str]
    fault: str = Field("", description="why it cannot play this problem; empty if it can")


class Cost(BaseModel):
    """The expected cost of a run, in seconds of one processor."""

    seconds: float
    limit: float
    memory: int = Field(description="bytes of recorded pulls")
    fits: bool
    sentence: str = Field(description="the cost in words; if it does not fit, by how much, and what to reduce")


class Preview(BaseModel):
    """The preview of a draft: its errors, and what can be computed from its valid parts."""

    errors: dict[str, str] = Field(description="a sentence for each invalid place")
    arms: list[ArmPreview | None] = Field(description="one for each arm; null where the arm is invalid")
    value: ValuePreview | None = None
    best: list[str] = []
    verdict: str = Field("", description="the best arm, and whether other values agree, in a sentence or two")
    alternatives: list[Alternative] = []
    policies: list[PolicyPreview | None] = []


class ParameterForm(BaseModel):
    """A parameter of a plug-in, with everything that a form needs."""

    name: str
    text: str
    allowed: str
    kind: Literal["number", "integer", "choice", "text", "plugin"]
    many: bool = Field(description="whether it is a list")
    low: float | None = None
    high: float | None = None
    open_low: bool = False
    open_high: bool = False
    choices: list[str] = []
    family: str = ""
    default: Any = Field(None, description="null if it must be given")
    start: Any = Field(description="the initial value in a form")
    slider: tuple[float, float] | None = Field(None, description="the ends of a slider, for single numbers")
    logarithmic: bool = Field(False, description="whether equal distances on the slider are equal ratios")


class PluginForm(BaseModel):
    """A plug-in in words, with its parameters."""

    name: str
    title: str
    summary: str
    details: str
    reference: str
    facts: list[str]
    parameters: list[ParameterForm]
    start: dict[str, Any] = Field(description="the initial spec in a form; it can be built")
    fault: str = ""
    group: str = Field(description="the heading under which lists show it")
    needs: list[str] = Field([], description="what a policy must know, and the rewards that it can learn from")


class Catalogue(BaseModel):
    """All plug-ins of the registry."""

    version: str
    values: list[PluginForm]
    rewards: list[PluginForm]
    policies: list[PluginForm]
    groups: dict[str, list[str]] = Field(description="the groups of each family, in order")
    colours: list[str] = Field(description="of the policies, in order; repeated if there are more policies")
    on_dark: dict[str, str] = Field(description="what stands for a colour of a figure on a dark background")
    limits: dict[str, float]


class PresetOption(BaseModel):
    """A whole number that a preset depends on."""

    name: str
    text: str
    low: int
    high: int
    default: int


class Preset(BaseModel):
    """An example of a question."""

    name: str
    title: str
    text: str
    options: list[PresetOption] = []


Layout = Literal["long", "wide"]  # of a CSV file: a row for each outcome, or a column for each arm


class CsvArms(BaseModel):
    """Arms from a CSV file, and how they were made."""

    arms: list[dict[str, Any]] = Field(description="name, distribution and the number of outcomes of each")
    columns: list[str]
    layout: Layout = Field(description="long: a row for each outcome; wide: a column for each arm")
    arm: str | None = Field(description="the column that names the arms, in a long file")
    outcome: str | None = Field(description="the column of outcomes, in a long file")
    arm_columns: list[str] = Field(description="the columns that are arms, in a wide file")
    smallest: float = Field(description="the smallest outcome in the file")
    largest: float
    low: float = Field(description="the outcome that becomes a reward of 0")
    high: float = Field(description="the outcome that becomes a reward of 1")
    missing: int = Field(description="missing outcomes that were left out")
    sentence: str = Field(description="a description of the import")


State = Literal["unstarted", "waiting", "running", "finished", "cancelled", "failed"]


class Run(BaseModel):
    """The progress of a run."""

    id: str
    state: State
    replications: int = Field(description="the complete ones, which figures show")
    of: int
    share: float = Field(description="the fraction of the work that is done")
    seconds_left: float | None = None
    sentence: str = Field("", description="the state in words, or an error")


class Reopened(BaseModel):
    """An earlier question, and its run."""

    question: Question
    run: Run


class Summary(BaseModel):
    """The table: one row for each policy, and each pair of policies compared."""

    step: int
    replications: int
    verdict: str = Field(description="the policy with the lowest regret, if it can be told, and what to beware of")
    equivariant: bool = Field(description="whether value and regret have the unit of the rewards")
    rows: list[dict[str, Any]]
    comparisons: list[dict[str, Any]]


class Figure(BaseModel):
    """A figure for Plotly, with its title and subtitle."""

    title: str
    subtitle: str
    replications: int
    data: list[dict[str, Any]]
    layout: dict[str, Any]


class Characteristics(BaseModel):
    """What a trial of two arms does, exactly; patients and successes are expected numbers."""

    type_1: float = Field(description="the probability to declare a difference if both arms are as the control")
    largest_type_1: float = Field(description="the largest such probability, whatever both arms are")
    power: float = Field(description="the probability to declare a difference if the arms are as given")
    patients_on_control: float
    patients_on_new: float
    successes: float = Field(description="of both arms together")

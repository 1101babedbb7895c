"""What the laboratory says about a trial, as typed data."""

from __future__ import annotations

from pydantic import BaseModel, Field, JsonValue

FEWEST_REPLICATIONS, MOST_REPLICATIONS = 10, 30_000


class Estimate(BaseModel):
    """An operating characteristic, exact or with its Monte Carlo standard error; null where it has no meaning."""

    value: float | None
    error: float | None = Field(
        description="the standard error; 0 if the value is exact, and that of Agresti and Coull if none or all count"
    )
    exact: bool


class LargestTypeOne(BaseModel):
    """The largest type I error, whatever success probability all arms share."""

    value: float
    p: float = Field(description="the success probability with it")


class Curve(BaseModel):
    """The type I error over the success probability that all arms share."""

    p: list[float]
    type_1: list[float]
    error: list[float] = Field(description="standard errors; 0 where exact")


class Allocation(BaseModel):
    """The distribution of the number of patients on the better treatment, in intervals of equal width."""

    patients: list[int] = Field(description="the first number of each interval")
    width: int
    probability: list[float]


class FrontierPoint(BaseModel):
    """A design for the same patients, with a test that holds its level."""

    name: str
    policy: dict[str, JsonValue] = Field(description="a spec")
    coin: float
    burn_in: int
    analysis: str
    share: float = Field(description="of the patients on the better treatment, averaged over which one that is")
    power: float
    dominated: bool = Field(description="whether another design has at least as much of both")
    own: bool = Field(description="whether it is the design of the settings, with a valid test")
    shown: bool = Field(description="whether it is one of the few that are proposed")


class CeilingCurve(BaseModel):
    """No design has a larger share at a power than this."""

    share: list[float]
    power: list[float]


class TrialFrontier(BaseModel):
    """Other designs, and the ceiling above all; no points where that takes long, as the sentence says."""

    sentence: str
    points: list[FrontierPoint]
    ceiling: CeilingCurve


class DesignCharacteristics(BaseModel):
    """What a design does; patients and successes are expected numbers."""

    name: str
    trials: int = Field(description="simulated in each scenario; 0 if all is exact")
    type_1: Estimate = Field(description="the probability to declare a difference if all arms are as the control")
    type_1_drift: Estimate | None = Field(description="the same with the drift; null without one")
    largest_type_1: LargestTypeOne | None = Field(description="null unless exact")
    power: Estimate = Field(description="the probability to declare a difference with the effect, also a false one")
    power_any: Estimate = Field(description="to declare at least one of the arms better that are; null if none is")
    power_all: Estimate = Field(description="to declare all arms better that are; null if none is")
    best: Estimate = Field(description="that a best arm has the highest estimated value in the end")
    patients: list[Estimate] = Field(description="on each arm")
    on_better: Estimate = Field(description="patients on the better treatment")
    on_better_sd: Estimate = Field(description="their standard deviation between trials")
    worse_majority: Estimate = Field(description="the probability that a worse arm gets more than half of the patients")
    successes: Estimate = Field(description="or the sum of all outcomes")
    gain: Estimate = Field(description="the same minus that of equal randomisation of the same patients")
    bias: Estimate = Field(description="of the estimated difference between the first new treatment and the control")
    curve: Curve
    allocation: Allocation


class TrialCharacteristics(BaseModel):
    """Operating characteristics of a design beside equal randomisation."""

    sentence: str = Field(description="the comparison in words")
    arms: list[str]
    better: list[str] = Field(description="the arms with the highest true value; empty if all are equal")
    designs: list[DesignCharacteristics] = Field(description="the chosen one, and equal randomisation")
    warning: str = Field(description="why the analysis may not hold its level if allocation adapts; empty if it does")
    next: int | None = Field(description="replications to ask for next, for more precision; null at the end")
    commands: list[str] = Field(description="for the shell, with design.toml")


class AnalysisForm(BaseModel):
    """An analysis in words."""

    name: str
    title: str
    summary: str
    binary: bool = Field(description="whether it needs outcomes 0 and 1")


class TrialCatalogue(BaseModel):
    """What trials can be made of."""

    policies: list[str] = Field(description="names of the policies that can run a trial")
    analyses: list[AnalysisForm]
    most_arms: int
    most_patients: int

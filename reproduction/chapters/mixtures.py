"""The paper's twenty arms, drawn many times: experiments and evidence that the chapters on them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.results import Results, side_by_side
from primum.results.intervals import Array
from primum.rewards import paper_mixture
from primum.runs import Experiment, PaperMixture
from primum.text import listed
from reproduction.chapters import environments
from reproduction.chapters.environments import in_group, spread_ratio
from reproduction.claims import CLAIMS
from reproduction.judgement import Judgement, Part, Parts
from reproduction.report.numbers import number, percent, with_interval
from reproduction.scale import Scale

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray, Dataset

ARMS = 20
REPETITIONS = 10  # of the paper
BESA_PLUS = "besa-plus"
QUANTITIES = {"regret": "final regret", "best_arm_share": "fraction of best-arm pulls"}
Bands = tuple[Array, ...]

UNSTATED = (
    "The paper leaves three things unstated. It does not give the horizon: here it is {horizon:,} steps, and other "
    "horizons are shown beside it. It does not say whether its ten repetitions are of one environment or of ten: both "
    "are examined. And a mixture of normals can be truncated as a whole, so that each normal is weighted by its "
    "probability inside [0, 1], or normal by normal, so that all four have equal weights: the first decides and the "
    "second is shown beside it."
)


def recorded_steps(horizon: int) -> list[int]:
    """About 40 steps: each twentieth of the horizon, and before that as many in geometric progression."""
    early = np.geomspace(min(ARMS, horizon), max(1, horizon // 20), 20)
    linear = np.linspace(0, horizon, 21)[1:]
    return [int(step) for step in np.unique(np.rint(np.concatenate([early, linear]))) if step >= 1]


def in_environments(
    name: str, count: int, seed: int, truncate: str = "mixture", **others: Any
) -> dict[str, Experiment]:
    """An experiment ``name/environment-01``, ``name/environment-02`` ... for each draw of the arms.

    Environment k is the same in all experiments, and is simulated with the seed `seed` + k.
    """
    made = {}
    for k in range(1, count + 1):
        arms: dict[str, Any] = {"arms_from": PaperMixture(arms=ARMS, seed=k)}
        if truncate != "mixture":
            arms = {"arms": {key: replace(arm, truncate=truncate) for key, arm in paper_mixture(ARMS, k).items()}}
        made[f"{name}/environment-{k:02d}"] = Experiment(
            seed=seed + k, steps=recorded_steps(others["horizon"]), **arms, **others
        )
    return made


def on_named_axes(results: Mapping[str, Results], name: str) -> Dataset:
    """Measures of the environments of this name: environment x policy x replication x step."""
    from xarray import Dataset

    group = in_group(results, name)
    return Dataset(
        {
            "regret": side_by_side(group, lambda one: one.regret),
            "best_arm_share": side_by_side(group, lambda one: one.best_arm_share),
            "favourite_share": side_by_side(group, lambda one: one.pulls.max("arm") / one.pulls.step),
        }
    )


def final(runs: Dataset) -> Dataset:
    """The measures at the last step."""
    return runs.isel(step=-1)


def spreads(
    samples: Dataset,
    others: Sequence[str],
    spread: str = "within",
    measures: Sequence[str] = ("regret", "best_arm_share"),
) -> Bands:
    """The standard deviations of BESA+ divided by those of each other policy, for each measure at one step."""
    return tuple(spread_ratio(samples[measure], BESA_PLUS, other, spread) for other in others for measure in measures)


def smaller_spread(bands: Bands, others: Sequence[str]) -> Parts:
    """Claims 19 and 20, from the bands of `spreads` against policies of these names."""
    pairs = [(quantity, other) for other in others for quantity in QUANTITIES.values()]
    return tuple(
        Part.estimate(f"standard deviation of the {quantity}, BESA+ / {other}", band, at_most=1)
        for (quantity, other), band in zip(pairs, bands, strict=True)
    )


def smaller_spreads(conditions: Mapping[str, Bands], others: Sequence[str]) -> dict[str, Parts]:
    """The same under all conditions that have every number: few replications without variation have no ratio."""
    return {name: smaller_spread(bands, others) for name, bands in conditions.items() if np.isfinite(bands).all()}


def clipped_mean(samples: DataArray, policy: str) -> Array:
    """The mean of a fraction."""
    return np.clip(environments.mean(samples, policy), 0, 1)


def describe_deviations(samples: Dataset, names: Mapping[str, str]) -> str:
    """A sentence on the standard deviations over the replications in an environment; none if these are too few."""
    regrets, shares = (
        {name: environments.standard_deviation(samples[measure], policy) for policy, name in names.items()}
        for measure in QUANTITIES
    )
    if not np.isfinite([*regrets.values(), *shares.values()]).all():
        return ""
    return (
        "Over replications in the same environment, the standard deviation of the final regret is "
        f"{listed([f'{number(one)} for {name}' for name, one in regrets.items()])}, and that of the fraction of "
        f"best-arm pulls is {listed([f'{percent(one, 1)} for {name}' for name, one in shares.items()])}."
    )


def describe_choice(quantities: Sequence[str], averaged: Bands, typical: Bands) -> str:
    """Why variances are averaged, and what the other statistic gives."""
    ratios = [
        f"{with_interval(other)} instead of {with_interval(one)} for the {quantity}"
        for quantity, one, other in zip(quantities, averaged, typical, strict=True)
        if np.isfinite([one[0], other[0]]).all()
    ]
    gives = f"It gives {listed(ratios)}." if ratios else "It gives no number here, as there are too few replications."
    return (
        "Two statistics were considered: variances averaged over environments and then divided, which decides, and the "
        "geometric mean of the ratios in each environment. The choice was made after pilot runs, because the second is "
        f"biased if an environment has few replications. {gives}"
    )


@dataclass(frozen=True)
class Study:
    """A chapter on the twenty arms: a value, the paper's two figures of it, and the policies compared with BESA+."""

    name: str  # of the chapter, and of its experiments in many environments
    short: str  # the value, in titles of figures
    value: str  # the same, in pictures
    first_figure: int  # of the paper: the regret; best-arm pulls are in the next
    seed: int
    rivals: Mapping[str, str]  # the paper's, by label
    names: Mapping[str, str]  # of all policies, by label
    variants: Mapping[str, str]  # words for experiments of fewer environments, by the end of their names

    @property
    def figures(self) -> tuple[str, str]:
        """The names of the paper's two figures; the first is also that of the ten repetitions."""
        return f"figure-{self.first_figure}", f"figure-{self.first_figure + 1}"

    @property
    def ratios(self) -> list[str]:
        """The names of the bands of `spreads`."""
        alone = len(self.rivals) == 1
        pairs = [(quantity, title) for title in self.rivals.values() for quantity in QUANTITIES.values()]
        return [quantity if alone else f"{quantity}, against {title}" for quantity, title in pairs]

    def experiments(self, scale: Scale, title: str, played: Any, **changed: Any) -> dict[str, Experiment]:
        """Ten repetitions of the first environment, many environments, and fewer with what is changed in a variant.

        `played` are the fields of all experiments. Variants decide nothing: they have a third of the environments, with
        two replications or more, since there must be a standard deviation.
        """
        every = {"horizon": scale.mixture_horizon} | played
        first: dict[str, Any] = {
            "title": f"Figures {self.first_figure} and {self.first_figure + 1}, ten repetitions",
            "arms_from": PaperMixture(arms=ARMS, seed=1),
            "replications": REPETITIONS,
            "steps": recorded_steps(scale.mixture_horizon),
            "seed": self.seed + 800,
        }
        many = every | {"title": title, "replications": scale.mixture_replications}
        named = {self.figures[0]: Experiment(**first | every)}
        named |= in_environments(self.name, scale.environments, self.seed, **many)
        for i, (name, words) in enumerate(self.variants.items(), 1):
            variant = {"title": f"{title}, {words}", "replications": 2 * scale.long_replications} | changed[name]
            fewer = max(2, scale.environments // 3)
            named |= in_environments(f"{self.name}-{name}", fewer, self.seed + 200 * i, **every | variant)
        return named


class Evidence:
    """What a chapter shows and is judged by: each Dataset is environment x policy x replication x step."""

    def __init__(self, study: Study, results: Mapping[str, Results]) -> None:
        self.study, self.results = study, results
        self.ten, self.many = (on_named_axes(results, name) for name in (study.figures[0], study.name))
        self.variants = {name: on_named_axes(results, f"{study.name}-{name}") for name in study.variants}
        self.final = final(self.many)
        self.horizon, self.count = int(self.final.step), self.many.sizes["environment"]
        self.gaps = np.array([np.sort(one.problem.gaps) for one in in_group(results, study.name).values()])
        # final regret of uniformly random choice: in the one environment, and in many
        self.random = tuple(
            float(gaps.mean()) * self.horizon for gaps in (results[study.figures[0]].problem.gaps, self.gaps)
        )

    def files(self, *variants: str, ten: bool = False) -> tuple[str, ...]:
        """The names of the experiments in many environments and of these variants."""
        study = self.study
        groups = [*([study.figures[0]] if ten else []), study.name, *(f"{study.name}-{name}" for name in variants)]
        return tuple(key for name in groups for key in in_group(self.results, name))

    def spreads_elsewhere(self, others: Mapping[str, Bands]) -> dict[str, Bands]:
        """Ratios of standard deviations, BESA+ to its rivals, under conditions that decide nothing."""
        rivals = list(self.study.rivals)
        return {
            f"{REPETITIONS} repetitions of one environment": spreads(final(self.ten), rivals),
            "one replication in each of many environments": spreads(self.final, rivals, "total"),
            "geometric mean of the environments' ratios": spreads(self.final, rivals, "typical"),
            **others,
            self.study.variants["component"]: spreads(final(self.variants["component"]), rivals),
        }

    def text(self, question: str, choice: str) -> str:
        """The introduction: what the paper asks, how difficult the environments are, and what was chosen."""
        second, middle, worst = (number(gap, 2) for gap in np.median(self.gaps[:, [1, ARMS // 2, -1]], axis=0))
        return (
            f"{question} In the median of {self.count} draws, the second best of {ARMS} arms is worse than the best by "
            f"{second}, the middle arm by {middle} and the worst by {worst}. Uniformly random choice pulls the best "
            f"arm {percent(1 / ARMS)} of the time, and has a mean regret of {number(self.random[1])} after "
            f"{self.horizon:,} steps.\n\n{UNSTATED.format(horizon=self.horizon)} {choice}\n\n"
            "Replications in the same environment are alike, so an environment is one observation: intervals are over "
            f"the {self.count} environments, each with {self.many.sizes['replication']} replications."
        )

    def judge(
        self, claim: int, parts: Parts, shown: Sequence[str], note: str, others: Mapping[str, Parts]
    ) -> Judgement:
        """The judgement on a claim by many environments."""
        return CLAIMS[claim].judge(
            parts,
            evidence=tuple(shown),
            replications=self.count * self.many.sizes["replication"],
            seed=self.study.seed,
            note=f"{note} Environment k is simulated with the seed {self.study.seed} + k.",
            other_conditions=others,
        )

    def judge_spread(self, claim: int, described: str, elsewhere: Mapping[str, Bands]) -> Judgement:
        """Claims 19 and 20."""
        study, titles = self.study, list(self.study.rivals.values())
        deciding, typical = (spreads(self.final, list(study.rivals), spread) for spread in ("within", "typical"))
        return self.judge(
            claim,
            smaller_spread(deciding, titles),
            (f"{study.name}-spread", *study.figures),
            f"{described} {describe_choice(study.ratios, deciding, typical)}".strip(),
            smaller_spreads(elsewhere, titles),
        )

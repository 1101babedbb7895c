"""The paper's twenty arms, drawn many times: experiments and figures that the chapters on them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.experiments import Experiment, PaperMixture
from primum.figures import Cloud, Curves, Dots, Forest, Line, Panels, Reference
from primum.paper.chapters import environments
from primum.paper.chapters.environments import Array, difference, in_group, spread_ratio
from primum.paper.chapters.lines import row
from primum.paper.judgement import Part, Parts
from primum.paper.report import Table
from primum.paper.report.numbers import number, percent, percent_with_interval, with_interval
from primum.paper.scale import Scale
from primum.results import Results, side_by_side
from primum.results.intervals import mean_band
from primum.rewards import paper_mixture
from primum.text import listed

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


@dataclass(frozen=True)
class SmallerSize:
    """The size of experiments that decide nothing."""

    environments: int
    replications: int

    @classmethod
    def of(cls, scale: Scale) -> SmallerSize:
        """A third of the environments, with two replications or more: there must be a standard deviation."""
        return cls(max(2, scale.environments // 3), 2 * scale.long_replications)


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


def one_environment(seed: int, **others: Any) -> Experiment:
    """The first environment, with the paper's number of repetitions."""
    first: dict[str, Any] = {"arms_from": PaperMixture(arms=ARMS, seed=1), "replications": REPETITIONS}
    return Experiment(seed=seed, steps=recorded_steps(others["horizon"]), **first, **others)


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


def gaps(results: Mapping[str, Results], name: str) -> Array:
    """The gaps in ascending order, environment x arm."""
    return np.array([np.sort(one.problem.gaps) for one in in_group(results, name).values()])


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


def experiment_names(results: Mapping[str, Results], *names: str) -> tuple[str, ...]:
    """The experiments of these names, and of the groups of these names."""
    return tuple(key for name in names for key in in_group(results, name))


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


def describe_environments(all_gaps: Array, horizon: int) -> str:
    """How difficult the environments are."""
    second, middle, worst = (number(gap, 2) for gap in np.median(all_gaps[:, [1, ARMS // 2, -1]], axis=0))
    return (
        f"In the median of {len(all_gaps)} draws, the second best of {ARMS} arms is worse than the best by {second}, "
        f"the middle arm by {middle} and the worst by {worst}. Uniformly random choice pulls the best arm "
        f"{percent(1 / ARMS)} of the time, and has a mean regret of {number(all_gaps.mean() * horizon)} after "
        f"{horizon:,} steps."
    )


def as_in_the_paper(
    title: str, measure: str, ten: Dataset, many: Dataset, random: tuple[float, float], names: Mapping[str, str]
) -> Panels:
    """The paper's figure with its ten repetitions, beside the mean over all environments.

    `random` is the final level of uniformly random choice, in the one environment and in all.
    """
    panels = []
    label = "Cumulative regret" if measure == "regret" else "Fraction of best-arm pulls so far"
    for runs, level, repetitions in ((ten, random[0], True), (many, random[1], False)):
        x = runs.step.values
        lines = []
        for policy, name in names.items():
            samples = environments.of_policy(runs[measure], policy)
            band = mean_band(environments.observations(samples))
            if measure != "regret":
                band = np.clip(band, 0, 1)
            if repetitions:
                spread = samples[0].std(axis=0, ddof=1)
                band = np.stack([band[0], np.maximum(0.0, band[0] - spread), band[0] + spread])
            lines.append(Line(name, *band))
        curve = level * x / x[-1] if measure == "regret" else np.full(len(x), level)
        panels.append(
            Curves(
                f"{REPETITIONS} repetitions of one environment"
                if repetitions
                else f"{runs.sizes['environment']} environments",
                "band: one standard deviation, clipped at 0" if repetitions else "band: 95 % interval of the mean",
                label,
                x,
                tuple(lines),
                references=(Reference("Uniformly random", "", curve, (1, 1.5)),),
            )
        )
    bands = "band left: one standard deviation, clipped at 0; right: 95 % interval of the mean"
    return Panels(title, bands, tuple(panels))


def by_environment(samples: Dataset, title: str, names: Mapping[str, str]) -> Dots:
    """A dot for each environment: the mean final regret of BESA+ against that of each other policy."""
    environments_, replications = samples.sizes["environment"], samples.sizes["replication"]
    return Dots(
        title,
        f"each dot is one of {environments_} environments, {replications} replications in each; below the line BESA+ "
        "has lower regret",
        "Mean final regret of the other policy",
        "Mean final regret of BESA+",
        tuple(Cloud(name, *(_means(samples, one) for one in (policy, BESA_PLUS))) for policy, name in names.items()),
    )


def lower_in(samples: Dataset, other: str) -> int:
    """In how many environments BESA+ has the lower mean final regret."""
    return int((_means(samples, BESA_PLUS) < _means(samples, other)).sum())


def _means(samples: Dataset, policy: str) -> Array:
    return np.asarray(environments.of_policy(samples.regret, policy).mean(axis=1))


def spread_forest(title: str, conditions: Mapping[str, Bands], groups: Sequence[str]) -> Forest:
    """Ratios of standard deviations under all conditions; the groups name the bands of each."""
    rows = [
        row(condition, band, group)
        for condition, bands in conditions.items()
        for group, band in zip(groups, bands, strict=True)
    ]
    subtitle = "below 1, BESA+ varies less; 95 % intervals"
    return Forest(title, subtitle, "Standard deviation, BESA+ / other", tuple(rows), reference=1.0, log=True)


def difference_forest(title: str, conditions: Mapping[str, Dataset], names: Mapping[str, str]) -> Forest:
    """The mean regret of BESA+ minus that of each other policy, paired over environments, under each condition."""
    rows = [
        row(name, difference(samples.regret, BESA_PLUS, policy) * 1000 / int(samples.step), condition)
        for policy, name in names.items()
        for condition, samples in conditions.items()
        if policy in samples.policy
    ]
    subtitle = "left of 0, BESA+ has lower regret; paired over environments, 95 % intervals"
    return Forest(title, subtitle, "Difference in mean regret per 1,000 steps", tuple(rows), reference=0.0)


def final_table(
    name: str, title: str, text: str, samples: Dataset, random: float, names: Mapping[str, str], **others: Any
) -> Table:
    """The final numbers of each policy; `random` is the mean final regret of uniformly random choice."""
    header = (
        "policy",
        "mean final regret, 95 % interval",
        "relative to uniformly random choice",
        "standard deviation of the regret",
        "best-arm pulls, 95 % interval",
        "standard deviation of best-arm pulls",
        "pulls of the most pulled arm",
    )
    rows = []
    for policy, shown in names.items():
        regret = environments.mean(samples.regret, policy)
        deviations = [environments.standard_deviation(samples[measure], policy) for measure in QUANTITIES]
        rows.append(
            (
                shown,
                with_interval(regret),
                percent(regret[0] / random),
                number(deviations[0]) if np.isfinite(deviations[0]) else "none",
                percent_with_interval(clipped_mean(samples.best_arm_share, policy)),
                percent(deviations[1], 1) if np.isfinite(deviations[1]) else "none",
                percent(float(clipped_mean(samples.favourite_share, policy)[0])),
            )
        )
    return Table(name, title, text, header, tuple(rows), **others)

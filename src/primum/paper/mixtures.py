"""The paper's twenty arms, drawn many times: what the chapters on them share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from primum.experiments import Experiment, PaperMixture
from primum.figures import Cloud, Curves, Dots, Forest, Line, Panels, Reference, Row
from primum.paper.chapter import Table
from primum.paper.ensemble import Array, Ensemble
from primum.paper.scale import Scale
from primum.paper.showing import number, triple, with_interval
from primum.results import Results
from primum.rewards import paper_mixture
from primum.text import listed

ARMS = 20
REPETITIONS = 10  # of the paper
BESA_PLUS = "besa-plus"
QUANTITIES = {"regret": "final regret", "best-arm": "share of best-arm play"}
Evidence = tuple[Array, ...]  # estimates with intervals

LEFT_OPEN = (
    "The paper leaves three things open. It does not give the horizon: here it is {horizon:,} steps, with others "
    "beside it. It does not say whether its ten runs repeat one environment or draw ten: both are looked at. And "
    "a truncated mixture can be cut as a whole, so that a normal counts by the probability that it has inside [0, 1], "
    "or normal by normal, so that all four count alike: the first decides and the second stands beside it."
)


@dataclass(frozen=True)
class Fewer:
    """How large what decides nothing is."""

    environments: int
    replications: int

    @classmethod
    def than(cls, scale: Scale) -> Fewer:
        """A third of the environments, with twice `scale.longer` replications: there must be a standard deviation."""
        return cls(max(2, scale.environments // 3), 2 * scale.longer)


def recorded(horizon: int) -> list[int]:
    """About 40 steps: each twentieth of the horizon, and before that as many in geometric progression."""
    early = np.geomspace(min(ARMS, horizon), max(1, horizon // 20), 20)
    linear = np.linspace(0, horizon, 21)[1:]
    return [int(step) for step in np.unique(np.rint(np.concatenate([early, linear]))) if step >= 1]


def in_environments(
    name: str, count: int, seed: int, truncate: str = "mixture", **others: Any
) -> dict[str, Experiment]:
    """An experiment ``name/environment-01``, ``name/environment-02`` ... for each draw of the arms.

    The k-th environment is the same whatever the experiment, and is played with the seed `seed` + k.
    """
    made = {}
    for k in range(1, count + 1):
        arms: dict[str, Any] = {"arms_from": PaperMixture(arms=ARMS, seed=k)}
        if truncate != "mixture":
            arms = {"arms": {key: replace(arm, truncate=truncate) for key, arm in paper_mixture(ARMS, k).items()}}
        made[f"{name}/environment-{k:02d}"] = Experiment(
            seed=seed + k, steps=recorded(others["horizon"]), **arms, **others
        )
    return made


def repeated(seed: int, **others: Any) -> Experiment:
    """The first environment, as often as in the paper."""
    first: dict[str, Any] = {"arms_from": PaperMixture(arms=ARMS, seed=1), "replications": REPETITIONS}
    return Experiment(seed=seed, steps=recorded(others["horizon"]), **first, **others)


def gaps(results: Mapping[str, Results], name: str) -> Array:
    """The gaps in ascending order, environment x arm."""
    return np.array([np.sort(results[key].problem.gaps) for key in sorted(results) if key.startswith(f"{name}/")])


def spreads(
    ensemble: Ensemble,
    rivals: Sequence[str],
    step: int | None = None,
    spread: str = "within",
    measures: Sequence[str] = ("regret", "best-arm"),
) -> Evidence:
    """The standard deviations of BESA+ over those of each rival, of the final regret and of best-arm play."""
    return tuple(
        ensemble.spread_ratio(BESA_PLUS, rival, measure, step, spread) for rival in rivals for measure in measures
    )


def with_numbers(conditions: Mapping[str, Evidence]) -> dict[str, Evidence]:
    """The conditions with a number for every part: without variation between few runs there is no ratio of it."""
    return {name: bands for name, bands in conditions.items() if np.isfinite(bands).all()}


def files(results: Mapping[str, Results], *names: str) -> tuple[str, ...]:
    """The experiments of these names, and of the groups of these names."""
    return tuple(key for name in names for key in sorted(results) if key == name or key.startswith(f"{name}/"))


def per_cent(share: float, decimals: int = 0) -> str:
    """A share in per cent."""
    return f"{number(100 * share, decimals=decimals)} %"


def shares_with_interval(band: Array) -> str:
    """A share with its interval, in per cent."""
    return f"{with_interval(*triple(100 * band))} %"


def deviations(ensemble: Ensemble, names: Mapping[str, str]) -> str:
    """A sentence on the standard deviations over the runs in an environment; none if these are too few."""
    told = {
        "the final regret has a standard deviation of": [
            (ensemble.deviation(policy), f"{number(ensemble.deviation(policy))} for {name}")
            for policy, name in names.items()
        ],
        "the share of best-arm play one of": [
            (share, f"{per_cent(share, 1)} for {name}")
            for share, name in ((ensemble.deviation(policy, "best-arm"), name) for policy, name in names.items())
        ],
    }
    if not all(np.isfinite(deviation) for pairs in told.values() for deviation, _ in pairs):
        return ""
    both = [f"{what} {listed([text for _, text in pairs])}" for what, pairs in told.items()]
    return f"Over runs in the same environment {both[0]}, and {both[1]}."


def of_the_choice(parts: Sequence[str], averaged: Evidence, typical: Evidence) -> str:
    """Why variances are averaged, and what the other statistic gives; `parts` name the ratios."""
    ratios = [
        f"{with_interval(*triple(other))} instead of {with_interval(*triple(one))} for the {part}"
        for part, one, other in zip(parts, averaged, typical, strict=True)
        if np.isfinite([one[0], other[0]]).all()
    ]
    return (
        "Two statistics were at hand: variances averaged over environments and then divided, which decides, and the "
        "geometric mean of the ratios in each environment. The choice was made after trial runs, because the second is "
        "biased if an environment has few runs. "
        + (f"It gives {listed(ratios)}." if ratios else "Here the second gives no number, as the runs are too few.")
    )


def describe(all_gaps: Array, horizon: int) -> str:
    """How hard the environments are."""
    second, middle, worst = (number(gap, 2) for gap in np.median(all_gaps[:, [1, ARMS // 2, -1]], axis=0))
    return (
        f"By the median of {len(all_gaps)} draws, the second best of {ARMS} arms is {second} worse than the best, the "
        f"arm in the middle {middle} and the worst {worst}. Random choice plays the best arm {per_cent(1 / ARMS)} of "
        f"the time, and has a mean regret of {number(all_gaps.mean() * horizon)} after {horizon:,} steps."
    )


def as_in_the_paper(
    title: str, measure: str, ten: Ensemble, many: Ensemble, random: tuple[float, float], names: Mapping[str, str]
) -> Panels:
    """The paper's figure with its ten repetitions, beside the mean of all environments.

    `random` is what random choice has at the last step, in the one environment and in all; `names` are the policies.
    """
    panels = []
    label = "Accumulated regret" if measure == "regret" else "Share of best-arm play so far"
    for ensemble, level, repetitions in ((ten, random[0], True), (many, random[1], False)):
        x = ensemble.steps
        lines = []
        for policy, name in names.items():
            line = ensemble.line(policy, measure, name)
            if repetitions:
                spread = ensemble.samples[measure][policy][0].std(axis=0, ddof=1)
                line = Line(name, line.middle, np.maximum(0.0, line.middle - spread), line.middle + spread)
            lines.append(line)
        curve = level * x / x[-1] if measure == "regret" else np.full(len(x), level)
        panels.append(
            Curves(
                f"{REPETITIONS} repetitions of one environment"
                if repetitions
                else f"{ensemble.environments} environments",
                "band: one standard deviation, cut at 0" if repetitions else "band: 95 % interval of the mean",
                label,
                x,
                tuple(lines),
                references=(Reference("Random choice", "", curve, (1, 1.5)),),
            )
        )
    bands = "band left: one standard deviation, cut at 0; right: 95 % interval of the mean"
    return Panels(title, bands, tuple(panels))


def _count(ensemble: Ensemble) -> str:
    return f"{ensemble.environments} environments, {ensemble.replications} runs in each"


def against(ensemble: Ensemble, title: str, names: Mapping[str, str]) -> Dots:
    """A dot for each environment: the mean final regret of BESA+ against that of each rival."""
    own = ensemble.means(BESA_PLUS)
    return Dots(
        title,
        f"each dot is one of {_count(ensemble)}; below the line BESA+ has less regret",
        "Mean final regret of the other policy",
        "Mean final regret of BESA+",
        tuple(Cloud(name, ensemble.means(policy), own) for policy, name in names.items()),
    )


def spread_forest(title: str, conditions: Mapping[str, Evidence], groups: Sequence[str]) -> Forest:
    """Ratios of standard deviations under all conditions; the groups name the estimates of each."""
    rows = [
        Row(condition, *triple(band), group)
        for condition, evidence in conditions.items()
        for group, band in zip(groups, evidence, strict=True)
    ]
    subtitle = "below 1 BESA+ is the steadier one; 95 % intervals"
    return Forest(title, subtitle, "Standard deviation, BESA+ / other", tuple(rows), reference=1.0, log=True)


def difference_forest(
    title: str, ensembles: Mapping[str, tuple[Ensemble, int | None]], names: Mapping[str, str]
) -> Forest:
    """The mean regret of BESA+ less that of each rival, paired over environments; ensembles with the step looked at."""
    rows = []
    for policy, name in names.items():
        for group, (ensemble, step) in ensembles.items():
            if policy in ensemble.policies:
                band = ensemble.paired(BESA_PLUS, policy, step=step) * 1000 / (step or ensemble.steps[-1])
                rows.append(Row(name, *triple(band), group))
    subtitle = "left of 0 BESA+ has less regret; paired over environments, 95 % intervals"
    return Forest(title, subtitle, "Difference in mean regret for each 1,000 steps", tuple(rows), reference=0.0)


def table_of(
    name: str, title: str, text: str, ensemble: Ensemble, random: float, names: Mapping[str, str], **others: Any
) -> Table:
    """The final numbers of each policy; `random` is the mean final regret of random choice."""
    header = (
        "policy",
        "mean final regret, 95 % interval",
        "as a share of the regret of random choice",
        "its standard deviation",
        "best-arm play, 95 % interval",
        "its standard deviation",
        "pulls of the favourite arm",
    )
    rows = []
    for policy, shown in names.items():
        final, share = ensemble.mean(policy), ensemble.mean(policy, "best-arm")
        deviation, spread = ensemble.deviation(policy), ensemble.deviation(policy, "best-arm")
        rows.append(
            (
                shown,
                with_interval(*triple(final)),
                per_cent(final[0] / random),
                number(deviation) if np.isfinite(deviation) else "none",
                shares_with_interval(share),
                per_cent(spread, 1) if np.isfinite(spread) else "none",
                per_cent(float(ensemble.mean(policy, "favourite")[0])),
            )
        )
    return Table(name, title, text, header, tuple(rows), **others)

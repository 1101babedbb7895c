"""The figures and tables that the chapters on the paper's twenty arms share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from primum.figures import Cloud, Curves, Dots, Forest, Line, Panels, Reference
from primum.results.intervals import Array, mean_band
from primum.text import listed
from reproduction.chapters.environments import difference, mean, observations, of_policy, standard_deviation
from reproduction.chapters.lines import row
from reproduction.chapters.mixtures import (
    ARMS,
    BESA_PLUS,
    QUANTITIES,
    REPETITIONS,
    Bands,
    Evidence,
    clipped_mean,
    spreads,
)
from reproduction.report import Figure, Table
from reproduction.report.numbers import number, percent, percent_with_interval, with_interval

if TYPE_CHECKING:  # takes half a second
    from xarray import Dataset


def figures(
    evidence: Evidence,
    compared: Mapping[str, str],
    conditions: Mapping[str, Dataset],
    elsewhere: Mapping[str, Bands],
    notes: Mapping[str, str],
) -> list[Figure | Table]:
    """Both figures of the paper, final numbers, environments one by one, differences and standard deviations.

    `compared` are the names of the policies met in each environment; `conditions` are those of the differences,
    `elsewhere` those of the standard deviations. `notes` are added to the texts, by the end of the figure's name.
    """
    study, samples, horizon = evidence.study, evidence.final, evidence.horizon
    name, short, value, rivals = study.name, study.short, study.value, list(study.rivals)
    shown = {policy: study.names[policy] for policy in (BESA_PLUS, *rivals)}
    regrets = [f"{with_interval(mean(samples.regret, policy))} for {title}" for policy, title in shown.items()]
    shares = [
        f"{percent_with_interval(clipped_mean(samples.best_arm_share, policy))} for {title}"
        for policy, title in shown.items()
    ]
    lower = [
        f"{with_interval(difference(samples.regret, BESA_PLUS, policy))} from {title}"
        for policy, title in compared.items()
    ]
    wins = [f"{title} in {_lower_in(samples, policy)}" for policy, title in compared.items()]
    deciding = {f"in {evidence.count} environments (decides)": spreads(samples, rivals)}
    other_horizons = [variant for variant in study.variants if variant in ("longer", "shorter")]
    return [
        Figure(
            study.figures[0],
            f"Figure {study.first_figure}: cumulative regret under {short}",
            f"Left as in the paper, right the mean over {evidence.count} environments. After {horizon:,} steps the "
            f"mean regret is {listed(regrets)}; that of uniformly random choice is {number(evidence.random[1])}.",
            _as_in_the_paper(f"Cumulative regret, {value}", "regret", evidence, shown),
            evidence.files(ten=True),
        ),
        Figure(
            study.figures[1],
            f"Figure {study.first_figure + 1}: best-arm pulls under {short}",
            f"The fraction of best-arm pulls is {listed(shares)}; under uniformly random choice {percent(1 / ARMS)}."
            + notes.get("best-arm", ""),
            _as_in_the_paper(f"Best arm, {value}", "best_arm_share", evidence, shown),
            evidence.files(ten=True),
        ),
        Table(
            f"{name}-table",
            f"After {horizon:,} steps under {short}",
            "Standard deviations are over the replications in one environment; their squares are averaged over "
            "environments." + notes.get("table", ""),
            TABLE_HEADER,
            tuple((title, *_final_numbers(evidence, policy)) for policy, title in study.names.items()),
            evidence.files(),
        ),
        Figure(
            f"{name}-environments",
            f"Environment by environment: {short}",
            f"BESA+ has lower mean regret than {listed(wins)} of {evidence.count} environments.",
            Dots(
                f"Mean final regret, {value}",
                f"each dot is one of {evidence.count} environments, {samples.sizes['replication']} replications in "
                "each; below the line BESA+ has lower regret",
                "Mean final regret of the other policy",
                "Mean final regret of BESA+",
                tuple(
                    Cloud(title, _means(samples, policy), _means(samples, BESA_PLUS))
                    for policy, title in compared.items()
                ),
            ),
            evidence.files(),
        ),
        Figure(
            f"{name}-differences",
            f"Mean regret of BESA+ minus that of {listed(list(study.rivals.values()))}",
            f"After {horizon:,} steps the difference is {listed(lower)}." + notes.get("differences", ""),
            Forest(
                f"Mean regret: BESA+ minus {study.rivals[rivals[0]] if len(rivals) == 1 else 'the others'}",
                "left of 0, BESA+ has lower regret; paired over environments, 95 % intervals",
                "Difference in mean regret per 1,000 steps",
                tuple(
                    row(title, difference(runs.regret, BESA_PLUS, policy) * 1000 / int(runs.step), condition)
                    for policy, title in study.names.items()
                    for condition, runs in conditions.items()
                    if policy != BESA_PLUS and policy in runs.policy
                ),
                reference=0.0,
            ),
            evidence.files(*other_horizons),
        ),
        Figure(
            f"{name}-spread",
            f"How much does BESA+ vary under {short}?",
            notes["spread"],
            Forest(
                f"Standard deviations, {value}",
                "below 1, BESA+ varies less; 95 % intervals",
                "Standard deviation, BESA+ / other",
                tuple(
                    row(condition, band, ratio)
                    for condition, bands in (deciding | dict(elsewhere)).items()
                    for ratio, band in zip(study.ratios, bands, strict=True)
                ),
                reference=1.0,
                log=True,
            ),
            evidence.files(*study.variants, ten=True),
        ),
    ]


def _as_in_the_paper(title: str, measure: str, evidence: Evidence, names: Mapping[str, str]) -> Panels:
    """The paper's figure with its ten repetitions, beside the mean over all environments."""
    share = measure == "best_arm_share"
    label = "Fraction of best-arm pulls so far" if share else "Cumulative regret"

    def panel(runs: Dataset, random: float, heading: str, subtitle: str, band: Callable[[Array], Array]) -> Curves:
        x = runs.step.values
        lines = tuple(Line(name, *band(of_policy(runs[measure], policy))) for policy, name in names.items())
        uniform = np.full(len(x), 1 / ARMS) if share else random * x / x[-1]
        return Curves(
            heading, subtitle, label, x, lines, references=(Reference("Uniformly random", "", uniform, (1, 1.5)),)
        )

    def deviation(samples: Array) -> Array:
        middle, spread = samples[0].mean(axis=0), samples[0].std(axis=0, ddof=1)
        return np.stack([middle, np.maximum(0.0, middle - spread), middle + spread])

    def interval(samples: Array) -> Array:
        band = mean_band(observations(samples))
        return np.clip(band, 0, 1) if share else band

    one, many = f"{REPETITIONS} repetitions of one environment", f"{evidence.count} environments"
    left, right = "one standard deviation, clipped at 0", "95 % interval of the mean"
    return Panels(
        title,
        f"band left: {left}; right: {right}",
        (
            panel(evidence.ten, evidence.random[0], one, f"band: {left}", deviation),
            panel(evidence.many, evidence.random[1], many, f"band: {right}", interval),
        ),
    )


def _lower_in(samples: Dataset, other: str) -> int:
    """In how many environments BESA+ has the lower mean final regret."""
    return int((_means(samples, BESA_PLUS) < _means(samples, other)).sum())


def _means(samples: Dataset, policy: str) -> Array:
    return np.asarray(of_policy(samples.regret, policy).mean(axis=1))


TABLE_HEADER = (
    "policy",
    "mean final regret, 95 % interval",
    "relative to uniformly random choice",
    "standard deviation of the regret",
    "best-arm pulls, 95 % interval",
    "standard deviation of best-arm pulls",
    "pulls of the most pulled arm",
)


def _final_numbers(evidence: Evidence, policy: str) -> tuple[str, ...]:
    samples = evidence.final
    regret = mean(samples.regret, policy)
    regret_deviation, share_deviation = (standard_deviation(samples[measure], policy) for measure in QUANTITIES)
    return (
        with_interval(regret),
        percent(regret[0] / evidence.random[1]),
        number(regret_deviation) if np.isfinite(regret_deviation) else "none",
        percent_with_interval(clipped_mean(samples.best_arm_share, policy)),
        percent(share_deviation, 1) if np.isfinite(share_deviation) else "none",
        percent(float(clipped_mean(samples.favourite_share, policy)[0])),
    )

"""The recorded trial: the paper's Figure 8, and its claims about the two treatments."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from primum.figures import Bars, Curves, Line, Reference
from primum.results.intervals import Array, share_band
from primum.text import listed
from reproduction.chapters.lines import plain_line
from reproduction.chapters.lung_cancer import rules
from reproduction.chapters.lung_cancer.survival import (
    BY_HUNDRED,
    CATEGORISATIONS,
    RESAMPLES,
    SCALES,
    Patients,
    Statistic,
    category,
    critical_rho,
    each,
    equal_at,
    in_days,
    mean_variance,
    patients,
    resampled,
    unit,
    worst_tenth,
)
from reproduction.claims import CLAIMS, LONG_SURVIVAL
from reproduction.judgement import HOLDS, Judgement, Parts
from reproduction.report import Figure, Table
from reproduction.report.numbers import number, percent, with_interval

TREATMENTS = ("Treatment 1 (standard)", "Treatment 2 (test)")
OTHER_CATEGORIES = "categories: "
STATISTICS: dict[str, Statistic] = {
    "Survival in days, mean": lambda days: days.mean(axis=-1),
    "Survival in days, median": lambda days: np.asarray(np.median(days, axis=-1)),
    "Survival in days, CVaR 10 % (mean of the worst tenth)": worst_tenth,
    "Category, mean": lambda days: category(days).mean(axis=-1),
    "Category, variance": lambda days: category(days).var(axis=-1),
    "Category, standard deviation": lambda days: category(days).std(axis=-1),
    "Fraction of patients in category 1": lambda days: (category(days) == 1).mean(axis=-1),
    "Mean minus variance of the category": lambda days: mean_variance(category(days)),
    "Mean minus variance of the category rescaled to [0, 1]": lambda days: mean_variance(unit(days)),
}


def judgements() -> tuple[Judgement, ...]:
    """Claims 21 to 24, with categories of 100 days, and under the other conditions with other categories."""
    one, two = patients()

    def parts(cut: Statistic) -> dict[int, Parts]:
        both = each(cut)
        rewards = {name: (scale(both[0]), scale(both[1])) for name, scale in SCALES.items()}
        return {
            21: rules.higher_mean(*both, cut(one.short), cut(two.short)),
            22: rules.larger_spread(*both),
            23: rules.early_deaths(*both),
            24: rules.preferred(rewards | ({"days / 1000": each(in_days)} if cut is category else {})),
        }

    decided = parts(category)
    others = {f"{OTHER_CATEGORIES}{name}": parts(cut) for name, cut in CATEGORISATIONS.items() if cut is not category}
    gap, spread, fraction = (
        with_interval(_difference(STATISTICS[name]))
        for name in ("Category, mean", "Category, variance", "Fraction of patients in category 1")
    )
    values = _differences_of_value(np.ones(1))[2][0]
    notes = {
        21: f"{len(two.days) - len(two.short)} patients, all on treatment 2, survived {LONG_SURVIVAL} days. The claim "
        "is about the recorded patients. The data say less about the treatments themselves: resampling the patients "
        f"gives a difference in means of {gap}.",
        22: f"Resampling the patients gives a difference in variance of {spread}. Without those who "
        f"survived {LONG_SURVIVAL} days, the variance of treatment 2 falls from {number(category(two.days).var())} to "
        f"{number(category(two.short).var())}, while that of treatment 1 is {number(category(one.days).var())}.",
        23: f"{_count(two)} against {_count(one)}; resampling the patients gives a difference in fractions of "
        f"{fraction}. Some patients in the first category did not die but were censored. If this is "
        "taken into account (Kaplan and Meier), the probability of death within 99 days is "
        f"{two.dead_within(99):.3f} against {one.dead_within(99):.3f}.",
        24: "For patients in general it is less certain: treatment 1 has the larger mean minus variance of the "
        f"category rescaled to [0, 1] in {percent((values > 0).mean(), 1)} of {RESAMPLES:,} bootstrap resamples of the "
        "patients. The sign depends on rho and on the unit of the reward, see the critical rho.",
    }
    evidence = {24: ("figure-8-values", "figure-8-difference", "table-8-categories")}
    return tuple(
        CLAIMS[claim].judge(
            decided[claim],
            evidence=evidence.get(claim, ("figure-8", "table-8", "table-8-categories")),
            note=notes[claim],
            other_conditions={name: other[claim] for name, other in others.items()},
        )
        for claim in decided
    )


def figures() -> tuple[Figure | Table, ...]:
    """Figure 8, its numbers, and the values of the treatments against rho."""
    return _figure_8(), _table_8(), _table_of_categories(), _figure_of_values(), _figure_of_difference()


def text(judged: Sequence[Judgement]) -> str:
    """The introduction of the chapter, with the judgements on the recorded patients."""
    one, two = patients()
    held = {
        one.claim.number: {name for name, verdict in one.verdicts_elsewhere.items() if verdict == HOLDS}
        for one in judged
    }
    always = [
        f'"{name}"' for name in CATEGORISATIONS if all(f"{OTHER_CATEGORIES}{name}" in one for one in held.values())
    ]
    counts = listed([f"claim {claim} holds with {len(names)}" for claim, names in held.items()])
    return (
        f"The trial gave a standard treatment to {len(one.days)} men with inoperable lung cancer, and a test treatment "
        f"to {len(two.days)}. The paper sorts their survival into ten categories and does not say how. Here the "
        "categories are of 100 days: ten categories of equal width over the range of the data, from 0 to 1000 days. "
        "Every statement of the paper about its Figure 8 holds with them, as it does with "
        f"{listed(always)}. Of the {len(CATEGORISATIONS) - 1} other categorisations that were tried, {counts}.\n\n"
        "Nor does the paper say how a category becomes a reward; here category c is the reward (c - 1) / 9, which lies "
        "in [0, 1] as most policies require, unless another scale is named. "
        f"Censoring of {np.sum(~one.died) + np.sum(~two.died)} survival times is ignored, as in the paper."
    )


def _figure_8() -> Figure:
    one, two = patients()
    bars = tuple(
        Line(f"{name}, {len(arm)} patients", *np.array([share_band(arm == c) for c in range(1, 11)]).T)
        for name, arm in zip(TREATMENTS, each(category), strict=True)
    )
    return Figure(
        "figure-8",
        "Figure 8: how long patients survived",
        f"{_count(one)} on treatment 1 and {_count(two)} on treatment 2 are in the first category: they died or were "
        f"censored within 100 days. {len(two.days) - len(two.short)} on treatment 2, and "
        f"{len(one.days) - len(one.short) or 'none'} on treatment 1, survived {LONG_SURVIVAL} days. With these, the "
        f"mean category of treatment 2 is {category(two.days).mean():.3f}, without them "
        f"{category(two.short).mean():.3f}; that of treatment 1 is {category(one.days).mean():.3f}.",
        Bars(
            "Survival of the recorded patients",
            "fraction of the patients on a treatment; 95 % interval (Wilson)",
            "Survival category, days",
            "Fraction of patients",
            tuple(f"{100 * c} to {100 * c + 99}" for c in range(10)),
            bars,
        ),
    )


def _table_8() -> Table:
    one, two = patients()
    rows = [
        ("Patients", *(f"{len(arm.days)}" for arm in (one, two)), ""),
        ("Deaths", *(f"{arm.died.sum()}" for arm in (one, two)), ""),
        ("Censored (alive when last seen)", *(f"{(~arm.died).sum()}" for arm in (one, two)), ""),
    ]
    for name, statistic in STATISTICS.items():
        each = ((float(statistic(arm.days)), *resampled(statistic, arm.days)[0]) for arm in (one, two))
        rows.append((name, *map(with_interval, each), with_interval(_difference(statistic))))
    return Table(
        "table-8",
        "The two treatments in numbers",
        f"In brackets: 95 % percentile bootstrap interval, with {RESAMPLES:,} resamples of the patients on each "
        "treatment. It shows how far the numbers may be from those of all such patients; with so few patients and such "
        "outliers it is rough, and probably too narrow for variances. The variance is that of the recorded patients, "
        "from whom the simulations sample.",
        ("", *TREATMENTS, "Treatment 2 minus 1"),
        tuple(rows),
    )


def _table_of_categories() -> Table:
    unscaled = {f"{name}, rescaled to [0, 1]": each(cut) for name, cut in CATEGORISATIONS.items()}
    samples = {name: ((one - 1) / 9, (two - 1) / 9) for name, (one, two) in unscaled.items()}
    samples |= {
        f"{BY_HUNDRED}, in tenths": each(lambda days: category(days) / 10),
        f"{BY_HUNDRED}, from 1 to 10": each(category),
        "days / 1000, no categories": each(in_days),
    }
    rows = []
    for name, pair in samples.items():
        statistics = (np.mean, np.var, mean_variance)
        cells = [" / ".join(number(float(statistic(arm))) for arm in pair) for statistic in statistics]
        rows.append((name, *cells, _preferred_when(*pair)))
    return Table(
        "table-8-categories",
        "The same patients with other categories and scales",
        "Treatment 1 / treatment 2. Which treatment has the higher mean depends on the categories. The last column "
        "says for which rho treatment 1 is preferred. rho depends on the scale: with rewards ten times as large, a rho "
        "ten times as small means the same.",
        ("Categories and reward", "Mean", "Variance", "Mean minus variance", "Treatment 1 preferred"),
        tuple(rows),
    )


def _preferred_when(one: Array, two: Array) -> str:
    """For which rho the first sample has the larger mean minus rho times variance."""
    above, wider = one.mean() > two.mean(), one.var() > two.var()
    if above and not wider:
        return "at every rho"
    if wider and not above:
        return "at no rho"
    return f"at rho {'below' if above else 'above'} {number(critical_rho(one, two))}"


def _figure_of_values() -> Figure:
    one, two = each(unit)
    rho, critical = np.linspace(0, 1, 101), critical_rho(one, two)
    lines = tuple(
        plain_line(name, arm.mean() - rho * arm.var()) for name, arm in zip(TREATMENTS, (one, two), strict=True)
    )
    gap = float(mean_variance(one) - mean_variance(two))
    test = patients()[1]
    (low, raised), (high, lowered) = (
        [number(float(mean_variance(reward(days)))) for days in (test.short, test.days)] for reward in (unit, category)
    )
    return Figure(
        "figure-8-values",
        "Which treatment is better depends on rho",
        "By mean minus rho times variance, the two treatments are equally good at rho = (difference in means) / "
        f"(difference in variances) = {two.mean() - one.mean():.5f} / {two.var() - one.var():.5f} = "
        f"{critical:.4f}. Below it the test treatment is better, above it the standard one; at the paper's rho = 1 by "
        f"{gap:.4f}.\n\n"
        "Variance treats deviations above and below the mean alike, so long survival may count against a treatment. At "
        f"rho = 1, those who survived {LONG_SURVIVAL} days raise the value of treatment 2 from {low} to {raised} on "
        f"the scale from 0 to 1, and lower it from {high} to {lowered} on the scale from 1 to 10.",
        Curves(
            "Value of the two treatments",
            "mean minus rho times variance of the recorded patients, category rescaled to [0, 1]",
            "Value",
            rho,
            lines,
            x_label="rho, the weight of the variance",
            legend="Treatment",
            marks=(equal_at(critical),),
        ),
    )


def _figure_of_difference() -> Figure:
    one, two = each(unit)
    rho = np.linspace(0, 2, 101)
    middle, (low, high), drawn = _differences_of_value(rho)
    sure = rho[low > 0][0]
    at_zero, at_one = ((drawn[i] > 0).mean() for i in (0, int(np.argmin(abs(rho - 1)))))
    return Figure(
        "figure-8-difference",
        "How certain the data are",
        "For the simulations the recorded patients are the population. For a doctor they are a sample. The bootstrap "
        f"band shows the uncertainty: it lies entirely on the side of treatment 1 only from rho = {sure:.2g} on. "
        f"Treatment 1 is the better one in {percent(at_zero)} of the resamples at rho = 0 and in {percent(at_one)} at "
        "rho = 1.",
        Curves(
            "Value of treatment 1 minus that of treatment 2",
            f"category rescaled to [0, 1]; band: 95 % interval over {RESAMPLES:,} resamples of the patients",
            "Difference in value",
            rho,
            (Line("Treatment 1 minus treatment 2", middle, low, high),),
            x_label="rho, the weight of the variance",
            legend="",
            references=(Reference("Equally good", "", np.zeros(len(rho)), (4, 2)),),
            marks=(equal_at(critical_rho(one, two)),),
        ),
    )


def _difference(statistic: Statistic) -> tuple[float, float, float]:
    """Treatment 2 minus treatment 1, with its bootstrap interval."""
    one, two = each(np.asarray)
    low, high = resampled(lambda first, second: statistic(second) - statistic(first), one, two)[0]
    return float(statistic(two) - statistic(one)), float(low), float(high)


def _differences_of_value(rho: Array) -> tuple[Array, Array, Array]:
    """Treatment 1 minus treatment 2 for each rho: of the patients, the ends of its interval, and of each resample."""
    one, two = each(unit)

    def difference(first: Array, second: Array) -> Array:
        mean = first.mean(axis=-1) - second.mean(axis=-1)
        variance = first.var(axis=-1) - second.var(axis=-1)
        return np.asarray(mean - np.multiply.outer(rho, variance))

    return difference(one, two), *resampled(difference, one, two)


def _count(arm: Patients) -> str:
    return f"{np.sum(category(arm.days) == 1)} of {len(arm.days)}"

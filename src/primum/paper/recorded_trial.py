"""What the clinical trial recorded: the paper's Figure 8 and what it says of the two treatments."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from primum.figures import Bars, Curves, Line, Mark, Reference
from primum.paper.chapter import Figure, Table
from primum.paper.claims import HOLDS, Claim, Judgement, Part, verdict
from primum.paper.patients import (
    BY_HUNDRED,
    CATEGORISATIONS,
    LONG,
    RESAMPLES,
    SCALES,
    Patients,
    critical_rho,
    interval,
    mean_difference,
    mean_variance,
    patients,
    unit,
    worst_tenth,
)
from primum.paper.showing import line, number, with_interval
from primum.results.intervals import share_band
from primum.text import listed

Array = np.ndarray[Any, Any]

PLACE = "Section 5.4, Figure 8"
TREATMENTS = ("Treatment 1 (standard)", "Treatment 2 (test)")
ELSEWHERE = "categories: "
LARGEST_RHO = 2.0  # of the figure of differences
category = CATEGORISATIONS[BY_HUNDRED]


def _means(one: Array, two: Array, one_short: Array, two_short: Array) -> tuple[Part, ...]:
    return (
        Part.exact("mean of treatment 2 less that of treatment 1", two.mean() - one.mean(), at_least=0),
        Part.exact(f"the same without those who survived {LONG} days", two_short.mean() - one_short.mean(), at_most=0),
    )


def _spreads(one: Array, two: Array) -> tuple[Part, ...]:
    return (
        Part.exact("variance of treatment 2 less that of treatment 1", two.var() - one.var(), at_least=0),
        Part.exact(
            "mean absolute difference between two patients, treatment 2 less treatment 1",
            float(mean_difference(two) - mean_difference(one)),
            at_least=0,
        ),
    )


def _early(one: Array, two: Array) -> tuple[Part, ...]:
    one, two = one == 1, two == 1
    return (
        Part.exact("patients in the first category, treatment 2 less treatment 1", two.sum() - one.sum(), at_least=1),
        Part.exact("share of patients in it, treatment 2 less treatment 1", two.mean() - one.mean(), at_least=0),
    )


def _preferred(rewards: Mapping[str, tuple[Array, Array]]) -> tuple[Part, ...]:
    return tuple(
        Part.exact(
            f"value of treatment 1 less that of treatment 2, rewards as {scale}",
            float(mean_variance(one) - mean_variance(two)),
            at_least=0,
        )
        for scale, (one, two) in rewards.items()
    )


CLAIMS = (
    Claim(
        21,
        PLACE,
        "while treatment 2 has a higher mean than treatment 1 due to the effect of outliers",
        "Treatment 2 has the higher mean because of outliers",
        "Of the recorded patients, the mean category of treatment 2 is above that of treatment 1, and below it once "
        f"those who survived {LONG} days or more, the tenth category, are left out.",
        _means,
    ),
    Claim(
        22,
        PLACE,
        "it has a higher level of variance compared to treatment 1 [...] treatment 1 has a more consistent behavior "
        "than treatment 2",
        "Treatment 2 has the higher variance, treatment 1 is more consistent",
        "Of the recorded patients, the category has a larger variance under treatment 2, and two patients differ more "
        "under treatment 2 (mean absolute difference, which does not square what is far away).",
        _spreads,
    ),
    Claim(
        23,
        PLACE,
        "a higher number of patients who received treatment 2 died early",
        "More patients on treatment 2 died early",
        "More of the recorded patients are in the first category under treatment 2, by number and by share.",
        _early,
    ),
    Claim(
        24,
        PLACE,
        "by setting rho=1, treatment 1 has less expected mean-variance regret than treatment 2",
        "At rho = 1, treatment 1 is preferred",
        "The mean less the variance of the recorded patients' rewards is larger under treatment 1, on each scale that "
        "the paper may have used: the category from 0 to 1, in tenths, from 1 to 10, and days / 1000.",
        _preferred,
    ),
)


def judgements() -> tuple[Judgement, ...]:
    """Claims 21 to 24, under the categories of a hundred days and elsewhere under others."""
    one, two = patients()
    means, spreads, early, preferred = CLAIMS
    others = {name: cut for name, cut in CATEGORISATIONS.items() if name != BY_HUNDRED}

    def elsewhere(evidence: Callable[[Callable[[Array], Array]], tuple[Any, ...]]) -> dict[str, tuple[Any, ...]]:
        return {f"{ELSEWHERE}{name}": evidence(cut) for name, cut in others.items()}

    def both(cut: Callable[[Array], Array]) -> tuple[Array, Array]:
        return cut(one.days), cut(two.days)

    def four(cut: Callable[[Array], Array]) -> tuple[Array, ...]:
        return *both(cut), cut(one.short), cut(two.short)

    def scaled(cut: Callable[[Array], Array]) -> dict[str, tuple[Array, Array]]:
        return {name: (scale(cut(one.days)), scale(cut(two.days))) for name, scale in SCALES.items()}

    in_days = {"days / 1000": (one.days / 1000, two.days / 1000)}
    gap = _difference(lambda days: category(days).mean(axis=-1))
    spread = _difference(lambda days: category(days).var(axis=-1))
    share = _difference(lambda days: (category(days) == 1).mean(axis=-1))
    value = _differences_of_value(np.ones(1))[1][:, 0]
    return (
        means.judge(
            *four(category),
            exhibits=("figure-8", "table-8", "table-8-categories"),
            note=f"{len(two.days) - len(two.short)} patients, all on treatment 2, survived {LONG} days. The claim is "
            "about the recorded patients. Of the treatments themselves the data say less: resampling the patients "
            f"gives a difference in mean category of {with_interval(*gap)}"
            + (", so that either may have the higher mean." if gap[1] < 0 < gap[2] else "."),
            elsewhere=elsewhere(four),
        ),
        spreads.judge(
            *both(category),
            exhibits=("figure-8", "table-8", "table-8-categories"),
            note=f"Resampling the patients gives a difference in variance of {with_interval(*spread)}. Without those "
            f"who survived {LONG} days, the variance of treatment 2 falls from {number(category(two.days).var())} to "
            f"{number(category(two.short).var())}, that of treatment 1 being {number(category(one.days).var())}.",
            elsewhere=elsewhere(both),
        ),
        early.judge(
            *both(category),
            exhibits=("figure-8", "table-8", "table-8-categories"),
            note=f"{_count(two)} against {_count(one)}; resampling the patients gives a difference in share of "
            f"{with_interval(*share)}. Some in the first category did not die but were lost from sight. With these "
            "taken into account (Kaplan and Meier), the probability of death within 99 days is "
            f"{two.dead_within(99):.3f} against {one.dead_within(99):.3f}.",
            elsewhere=elsewhere(both),
        ),
        preferred.judge(
            scaled(category) | in_days,
            exhibits=("figure-8-values", "figure-8-difference", "table-8-categories"),
            note="Beyond these patients it is less sure: by resampling them, treatment 1 has the larger mean less "
            f"variance of the category from 0 to 1 in {(value > 0).mean():.1%} of {RESAMPLES:,} resamples. The sign "
            "depends on rho and on the unit of the reward, see the critical rho.",
            elsewhere=elsewhere(lambda cut: (scaled(cut),)),
        ),
    )


def exhibits() -> tuple[Figure | Table, ...]:
    """Figure 8, its numbers, and the values of the treatments against rho."""
    return _figure_8(), _table_8(), _table_of_categories(), _figure_of_values(), _figure_of_difference()


def text(judged: Sequence[Judgement]) -> str:
    """What one should know of the data, with the judgements on them."""
    one, two = patients()
    held = {one.claim.number: _divisions(one) for one in judged}
    all_hold = [name for name in CATEGORISATIONS if all(name in names for names in held.values())]
    counts = listed([f"claim {claim} holds under {len(names)}" for claim, names in held.items()])
    return (
        f"The trial gave a standard treatment to {len(one.days)} men with lung cancer that could not be operated on, "
        f"and a test treatment to {len(two.days)}. The paper sorts their survival into ten categories and does not say "
        "how. Here they are of 100 days: ten categories of equal width over the range of the data, from 0 to 1000 "
        f"days. {_agreement(all_hold)} Of the {len(CATEGORISATIONS)} divisions that were tried, {counts}."
        "\n\n"
        "Neither does the paper say how a category becomes a reward; here category c is the reward (c - 1) / 9, which "
        "is between 0 and 1 as most policies need it, unless another scale is named. "
        f"That {np.sum(~one.died) + np.sum(~two.died)} of the men were alive when last seen is ignored, as in the "
        "paper."
    )


def _divisions(judged: Judgement) -> list[str]:
    """The ways of sorting under which a claim holds."""
    others = {name.removeprefix(ELSEWHERE): parts for name, parts in judged.elsewhere.items()}
    together = judged.claim.together
    return [name for name, parts in {BY_HUNDRED: judged.parts, **others}.items() if verdict(parts, together) == HOLDS]


def _agreement(all_hold: list[str]) -> str:
    """Under which ways of sorting all that the paper says of its Figure 8 holds."""
    if all_hold == [BY_HUNDRED]:
        return (
            "It is the only division tried that agrees with all that the paper says of its figure 8, which speaks for "
            "its being the paper's; so these claims are tested less hard than they would be by a division known "
            "beforehand."
        )
    if BY_HUNDRED in all_hold:
        others = [f'"{name}"' for name in all_hold if name != BY_HUNDRED]
        return f"All that the paper says of its figure 8 holds with it, as it does with {listed(others)}."
    return "Not all that the paper says of its figure 8 holds with it."


def _figure_8() -> Figure:
    one, two = patients()
    bars = []
    for name, arm in zip(TREATMENTS, (one, two), strict=True):
        shares = [share_band(category(arm.days) == c) for c in range(1, 11)]
        bars.append(Line(f"{name}, {len(arm.days)} patients", *np.array(shares).T))
    return Figure(
        "figure-8",
        "Figure 8: how long patients survived",
        f"{_count(one)} on treatment 1 and {_count(two)} on treatment 2 are in the first category: they died, or were "
        f"lost from sight, within 100 days. {len(two.days) - len(two.short)} on treatment 2, and "
        f"{len(one.days) - len(one.short) or 'none'} on treatment 1, survived {LONG} days. With these, the mean "
        f"category of treatment 2 is {category(two.days).mean():.3f}, without them {category(two.short).mean():.3f}; "
        f"that of treatment 1 is {category(one.days).mean():.3f}. The variance is {category(two.days).var():.2f} with "
        f"them and {category(two.short).var():.2f} without, against {category(one.days).var():.2f}.",
        Bars(
            "Survival of the recorded patients",
            "share of a treatment's patients; 95 % interval (Wilson)",
            "Category of survival, days",
            "Share of patients",
            tuple(f"{100 * c} to {100 * c + 99}" for c in range(10)),
            tuple(bars),
        ),
    )


def _table_8() -> Table:
    one, two = patients()
    statistics: dict[str, Callable[[Array], Array]] = {
        "Survival in days, mean": lambda days: days.mean(axis=-1),
        "Survival in days, median": lambda days: np.asarray(np.median(days, axis=-1)),
        "Survival in days, mean of the worst tenth (CVaR 10 %)": worst_tenth,
        "Category, mean": lambda days: category(days).mean(axis=-1),
        "Category, variance": lambda days: category(days).var(axis=-1),
        "Category, standard deviation": lambda days: category(days).std(axis=-1),
        "Share of patients in category 1": lambda days: (category(days) == 1).mean(axis=-1),
        "Mean less variance of the category": lambda days: mean_variance(category(days)),
        "Mean less variance of the category from 0 to 1": lambda days: mean_variance(unit(days)),
    }
    rows = [
        ("Patients", *(f"{len(arm.days)}" for arm in (one, two)), ""),
        ("Deaths", *(f"{arm.died.sum()}" for arm in (one, two)), ""),
        ("Alive when last seen (censored)", *(f"{(~arm.died).sum()}" for arm in (one, two)), ""),
    ]
    for name, statistic in statistics.items():
        each = (with_interval(float(statistic(arm.days)), *interval(statistic(arm.resampled))) for arm in (one, two))
        rows.append((name, *each, with_interval(*_difference(statistic))))
    return Table(
        "table-8",
        "The two treatments in numbers",
        "In brackets: 95 % interval by resampling each treatment's patients "
        f"{RESAMPLES:,} times. It says how far the numbers may be from those of all such patients; with so few "
        "patients and such outliers it is rough, and rather too narrow for variances. The variance is that of the "
        "recorded patients, from whom the simulations draw.",
        ("", *TREATMENTS, "Treatment 2 less 1"),
        tuple(rows),
    )


def _table_of_categories() -> Table:
    one, two = patients()
    rewards = {f"{name}, from 0 to 1": cut for name, cut in CATEGORISATIONS.items()}
    samples = {name: tuple(SCALES["unit"](cut(arm.days)) for arm in (one, two)) for name, cut in rewards.items()}
    samples |= {
        f"{BY_HUNDRED}, in tenths": tuple(SCALES["tenths"](category(arm.days)) for arm in (one, two)),
        f"{BY_HUNDRED}, from 1 to 10": tuple(category(arm.days) for arm in (one, two)),
        "days / 1000, no categories": tuple(arm.days / 1000 for arm in (one, two)),
    }
    rows = []
    for name, (first, second) in samples.items():
        pairs = [
            f"{number(a)} / {number(b)}"
            for a, b in (
                (first.mean(), second.mean()),
                (first.var(), second.var()),
                (float(mean_variance(first)), float(mean_variance(second))),
            )
        ]
        rows.append((name, *pairs, _change_of_mind(first, second)))
    return Table(
        "table-8-categories",
        "The same patients, sorted and scaled in other ways",
        "Treatment 1 / treatment 2. Which treatment has the higher mean depends on how survival is sorted. The last "
        "column says for which rho treatment 1 is preferred: rho is not free of scale, as with rewards ten times as "
        "large a rho ten times smaller means the same.",
        ("Categories and reward", "Mean", "Variance", "Mean less variance", "Treatment 1 preferred"),
        tuple(rows),
    )


def _change_of_mind(one: Array, two: Array) -> str:
    """For which rho the first sample has the larger mean less rho times variance."""
    above, wider = one.mean() > two.mean(), one.var() > two.var()
    rho = critical_rho(one, two)
    if above and not wider:
        return "at every rho"
    if wider and not above:
        return "at no rho"
    return f"at rho {'below' if above else 'above'} {number(rho)}"


def _figure_of_values() -> Figure:
    one, two = (unit(arm.days) for arm in patients())
    rho, critical = np.linspace(0, 1, 101), critical_rho(one, two)
    lines = tuple(line(name, arm.mean() - rho * arm.var()) for name, arm in zip(TREATMENTS, (one, two), strict=True))
    gap = float(mean_variance(one) - mean_variance(two))
    return Figure(
        "figure-8-values",
        "Which treatment is better depends on rho",
        "By mean less rho times variance the two treatments are equally good at rho = (difference of the means) / "
        f"(difference of the variances) = {two.mean() - one.mean():.5f} / {two.var() - one.var():.5f} = "
        f"{critical:.4f}. Below, the test treatment is better, above it the standard one; at the paper's rho = 1 by "
        f"{gap:.4f}.\n\n"
        "Variance counts what is far above the mean like what is far below, so a long life may count against a "
        f"treatment. At rho = 1, those who survived {LONG} days {_effect(unit)} on the scale from 0 to 1, and they "
        f"{_effect(category)} on the scale from 1 to 10.",
        Curves(
            "Value of the two treatments",
            "mean less rho times variance of the recorded patients, category from 0 to 1",
            "Value",
            rho,
            lines,
            x_label="rho, the weight of the variance",
            legend="Treatment",
            marks=(Mark(critical, f"equal at {critical:.3f}"),),
        ),
    )


def _figure_of_difference() -> Figure:
    one, two = (unit(arm.days) for arm in patients())
    rho = np.linspace(0, LARGEST_RHO, 101)
    middle, resampled = _differences_of_value(rho)
    low, high = np.quantile(resampled, (0.025, 0.975), axis=0)
    sure = rho[low > 0]
    when = f"only from rho = {sure[0]:.2g} on" if sure.size else f"at no rho up to {LARGEST_RHO:g}"
    at_zero, at_one = ((resampled[:, i] > 0).mean() for i in (0, int(np.argmin(abs(rho - 1)))))
    return Figure(
        "figure-8-difference",
        "How sure the data are",
        "For the simulations the recorded patients are the whole truth. For a doctor they are a sample. The band shows "
        "what resampling the patients leaves open: its whole width is on the side of treatment 1 "
        f"{when}. Treatment 1 is the better one in {at_zero:.0%} of the resamples at rho = 0 and in {at_one:.0%} at "
        "rho = 1.",
        Curves(
            "Value of treatment 1 less that of treatment 2",
            f"category from 0 to 1; band: 95 % interval over {RESAMPLES:,} resamples of the patients",
            "Difference in value",
            rho,
            (Line("Treatment 1 less treatment 2", middle, low, high),),
            x_label="rho, the weight of the variance",
            legend="",
            references=(Reference("Equally good", "", np.zeros(len(rho)), (4, 2)),),
            marks=(Mark(critical_rho(one, two), f"equal at {critical_rho(one, two):.3f}"),),
        ),
    )


def _difference(statistic: Callable[[Array], Array]) -> tuple[float, float, float]:
    """Treatment 2 less treatment 1, with the interval over resamples of the patients."""
    one, two = patients()
    middle = float(statistic(two.days) - statistic(one.days))
    return middle, *interval(statistic(two.resampled) - statistic(one.resampled))


def _effect(reward: Callable[[Array], Array]) -> str:
    """What those who survived very long do to the value of treatment 2."""
    _, two = patients()
    with_them, without = float(mean_variance(reward(two.days))), float(mean_variance(reward(two.short)))
    raised = "raise" if with_them > without else "lower"
    return f"{raised} the value of treatment 2 from {number(without)} to {number(with_them)}"


def _differences_of_value(rho: Array) -> tuple[Array, Array]:
    """Treatment 1 less treatment 2 for each rho: of the patients, and of each resample."""
    one, two = patients()

    def difference(first: Array, second: Array) -> Array:
        mean = first.mean(axis=-1) - second.mean(axis=-1)
        variance = first.var(axis=-1) - second.var(axis=-1)
        return np.asarray(mean[..., None] - rho * variance[..., None])

    return difference(unit(one.days), unit(two.days)), difference(unit(one.resampled), unit(two.resampled))


def _count(arm: Patients) -> str:
    return f"{np.sum(category(arm.days) == 1)} of {len(arm.days)}"

"""Figures 6 and 7: mean-variance on twenty truncated normal mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.experiments import Experiment
from primum.paper.chapter import Chapter, Figure
from primum.paper.claims import Claim, Part
from primum.paper.ensemble import MEASURES, Array, Ensemble, regret
from primum.paper.mixtures import (
    ARMS,
    BESA_PLUS,
    LEFT_OPEN,
    QUANTITIES,
    REPETITIONS,
    Fewer,
    against,
    as_in_the_paper,
    describe,
    deviations,
    difference_forest,
    files,
    gaps,
    in_environments,
    of_the_choice,
    per_cent,
    repeated,
    shares_with_interval,
    spread_forest,
    spreads,
    table_of,
    with_numbers,
)
from primum.paper.scale import Scale
from primum.paper.showing import number, triple, with_interval
from primum.results import Results
from primum.text import listed

RHO = 1.0
VALUE = f"mean-variance(rho={RHO:g})"
MV_LCB, EXP_EXP = "mv-lcb", "exp-exp"
RIVALS = (MV_LCB, EXP_EXP)
ALIKE = 2.0  # of its share; a favourite arm with less is played much like the others
NAMES = {BESA_PLUS: "BESA+", MV_LCB: "MV-LCB", EXP_EXP: "ExpExp"}
SEED, LONGER_SEED, SHORTER_SEED, COMPONENT_SEED, TEN_SEED = 53_000, 53_200, 53_400, 53_600, 53_800

TEN, MANY = "figure-6", "mixtures-mean-variance"
LONGER, SHORTER, COMPONENT = f"{MANY}-longer", f"{MANY}-shorter", f"{MANY}-component"


def experiments(scale: Scale) -> dict[str, Experiment]:
    """All that this chapter needs, by the names of their files."""
    horizon, fewer, title = scale.mixture_horizon, Fewer.than(scale), "Mean-variance on random mixtures"
    played: dict[str, Any] = {"value": VALUE, "policies": [BESA_PLUS, *RIVALS]}
    some = played | {"replications": fewer.replications}
    return {
        TEN: repeated(TEN_SEED, title="Figures 6 and 7, ten repetitions", horizon=horizon, **played),
        **in_environments(
            MANY, scale.environments, SEED, title=title, horizon=horizon, replications=scale.mixture, **played
        ),
        **in_environments(
            LONGER,
            fewer.environments,
            LONGER_SEED,
            title=f"{title}, four times the horizon",
            horizon=4 * horizon,
            **some,
        ),
        **in_environments(
            SHORTER,
            fewer.environments,
            SHORTER_SEED,
            title=f"{title}, a fifth of the horizon",
            horizon=max(ARMS, horizon // 5),
            **some,
        ),
        **in_environments(
            COMPONENT,
            fewer.environments,
            COMPONENT_SEED,
            "component",
            title=f"{title}, each normal cut by itself",
            horizon=horizon,
            **some,
        ),
    }


def stream_regret(results: Results) -> Array:
    """What Sani, Lazaric and Munos (NIPS 2012, section 2) call regret, times the step, in the paper's unit.

    Of arms pulled with the shares w_k the stream of rewards has the mean m = sum of w_k m_k and the variance
    sum of w_k (s_k^2 + (m_k - m)^2). So to our regret comes rho t times the variance of the means: switching between
    arms with different means costs, even if both are best.
    """
    means = np.array([arm.mean for arm in results.problem.arms.values()])
    shares = np.asarray(results.pulls) / results.steps[:, None]
    between = shares @ means**2 - (shares @ means) ** 2
    return np.asarray(regret(results) + RHO * results.steps * between)


def small_variance(regret_lcb: Array, best_arm_lcb: Array, regret_exp: Array, best_arm_exp: Array) -> tuple[Part, ...]:
    """Claim 20: the ratios of standard deviations, BESA+ over each of the two others."""
    pairs = [(quantity, NAMES[rival]) for rival in RIVALS for quantity in QUANTITIES.values()]
    return tuple(
        Part(f"standard deviation of the {quantity}, BESA+ / {rival}", *triple(band), at_most=1)
        for (quantity, rival), band in zip(pairs, (regret_lcb, best_arm_lcb, regret_exp, best_arm_exp), strict=True)
    )


CLAIMS = (
    Claim(
        20,
        "Section 5.3, Figures 6 and 7",
        "Again, we can see that BESA+ has a relatively small variance over 10 experiments.",
        "Under mean-variance, BESA+ has a relatively small variance",
        "The standard deviation over runs in the same environment, that of BESA+ divided by that of MV-LCB and by that "
        "of ExpExp, is at most 1, for the final regret and for the share of best-arm play. Variances are averaged over "
        "environments.",
        small_variance,
    ),
)


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """Figures, numbers and verdicts."""
    horizon = scale.mixture_horizon
    measures = {**MEASURES, "stream": stream_regret}
    ten, many = Ensemble.of([results[TEN]]), Ensemble.named(results, MANY, measures)
    longer, shorter, component = (Ensemble.named(results, name) for name in (LONGER, SHORTER, COMPONENT))
    all_gaps = gaps(results, MANY)
    random = float(results[TEN].problem.gaps.mean()) * horizon, float(all_gaps.mean()) * horizon

    deciding, typical = spreads(many, RIVALS), spreads(many, RIVALS, spread="typical")
    ratios = [f"{quantity}, against {NAMES[rival]}" for rival in RIVALS for quantity in QUANTITIES.values()]
    at = {f"horizon {int(one.steps[-1]):,}": one for one in (shorter, longer)}
    elsewhere = {
        f"{REPETITIONS} repetitions of one environment": spreads(ten, RIVALS),
        "one run in each of many environments": spreads(many, RIVALS, spread="total"),
        "geometric mean of the environments' ratios": typical,
        **{name: spreads(one, RIVALS) for name, one in at.items()},
        "the regret of Sani and others": spreads(many, RIVALS, measures=("stream", "best-arm")),
        "each normal cut by itself": spreads(component, RIVALS),
    }
    finals = {policy: many.mean(policy) for policy in NAMES}
    shares = {policy: many.mean(policy, "best-arm") for policy in NAMES}
    less = {rival: many.paired(BESA_PLUS, rival) for rival in RIVALS}
    streams = {policy: many.mean(policy, "stream") for policy in NAMES}
    exhibits = (
        Figure(
            "figure-6",
            "Figure 6: accumulated regret under mean-variance",
            f"Left as in the paper, right the mean over {many.environments} environments. After {horizon:,} steps the "
            f"mean regret is {_each(finals)}; that of random choice is {number(random[1])}.",
            as_in_the_paper("Accumulated regret, mean less variance", "regret", ten, many, random, NAMES),
            files(results, TEN, MANY),
        ),
        Figure(
            "figure-7",
            "Figure 7: best-arm play under mean-variance",
            f"The share of pulls of the best arm is {_each(shares, share=True)}; at random {per_cent(1 / ARMS)}.",
            as_in_the_paper("Best arm, mean less variance", "best-arm", ten, many, (1 / ARMS, 1 / ARMS), NAMES),
            files(results, TEN, MANY),
        ),
        table_of(
            "mixtures-mean-variance-table",
            f"Mean-variance: after {horizon:,} steps",
            "Standard deviations are those over the runs in one environment, of which the variances are averaged. In "
            "the regret of Sani, Lazaric and Munos, which also charges for switching between arms of different means, "
            f"the mean is {_each(streams)}.",
            many,
            random[1],
            NAMES,
            experiments=files(results, MANY),
        ),
        Figure(
            "mixtures-mean-variance-environments",
            "Environment by environment: mean-variance",
            "BESA+ has less mean regret than "
            + " and ".join(
                f"{NAMES[rival]} in {int((many.means(BESA_PLUS) < many.means(rival)).sum())}" for rival in RIVALS
            )
            + f" of {many.environments} environments.",
            against(many, "Mean final regret, mean less variance", {rival: NAMES[rival] for rival in RIVALS}),
            files(results, MANY),
        ),
        Figure(
            "mixtures-mean-variance-differences",
            "Mean regret of BESA+ less that of MV-LCB and ExpExp",
            f"At the horizon {horizon:,} the difference is "
            + listed([f"{with_interval(*triple(band))} to {NAMES[rival]}" for rival, band in less.items()])
            + ". MV-LCB and ExpExp know the horizon, so each horizon has runs of its own.",
            difference_forest(
                "Mean regret: BESA+ less the others",
                {f"horizon {int(one.steps[-1]):,}": (one, None) for one in (shorter, many, longer)},
                {rival: NAMES[rival] for rival in RIVALS},
            ),
            files(results, MANY, LONGER, SHORTER),
        ),
        Figure(
            "mixtures-mean-variance-spread",
            "How steady is BESA+? Mean-variance",
            _on_spread(many, random[1]),
            spread_forest(
                "Standard deviations, mean less variance",
                {f"in {many.environments} environments (decides)": deciding} | elsewhere,
                ratios,
            ),
            files(results, TEN, MANY, LONGER, SHORTER, COMPONENT),
        ),
    )
    judgement = CLAIMS[0].judge(
        *deciding,
        exhibits=("mixtures-mean-variance-spread", "figure-6", "figure-7"),
        runs=many.environments * many.replications,
        seed=SEED,
        note=f"{_on_spread(many, random[1])} {of_the_choice(ratios, deciding, typical)} Environment k is played with "
        f"the seed {SEED} + k.",
        elsewhere=with_numbers(elsewhere),
    )
    text = (
        "Section 5.3 of the paper compares BESA+ with MV-LCB and ExpExp by the mean less the variance (rho = 1), with "
        f"the same {ARMS} arms as before. {describe(all_gaps, horizon)}\n\n"
        f"{LEFT_OPEN.format(horizon=horizon)} The text says that the regret of Sani, Lazaric and Munos was used, and "
        "the captions name the safety value: the safety-aware regret decides, theirs stands beside it.\n\n"
        "Runs in the same environment are alike, so an environment is one observation: intervals are over the "
        f"{many.environments} environments, each with {many.replications} runs."
    )
    return Chapter("mixtures-mean-variance", "Mean-variance on mixtures", text, exhibits, (judgement,))


def _each(bands: Mapping[str, Array], share: bool = False) -> str:
    told = shares_with_interval if share else lambda band: with_interval(*triple(band))
    return listed([f"{told(band)} for {NAMES[policy]}" for policy, band in bands.items()])


def _on_spread(many: Ensemble, random: float) -> str:
    favourite, best, regret_ = (float(many.mean(MV_LCB, measure)[0]) for measure in ("favourite", "best-arm", "regret"))
    alike = favourite < ALIKE / ARMS
    sentences = (
        deviations(many, NAMES),
        "A policy that plays all arms nearly alike is steady whatever it finds, and MV-LCB does so here:" * alike
        or "What is steady need not be good:",
        f"MV-LCB gives {per_cent(favourite, 1)} of {int(many.steps[-1]):,} pulls to its favourite arm and "
        f"{per_cent(best, 1)} to the best one (random choice {per_cent(1 / ARMS)}), and has "
        f"{per_cent(regret_ / random)} of the regret of random choice; BESA+ has "
        f"{per_cent(many.mean(BESA_PLUS)[0] / random)}. ExpExp stays with one arm after its exploration, right or "
        "wrong.",
    )
    return " ".join(filter(None, sentences))

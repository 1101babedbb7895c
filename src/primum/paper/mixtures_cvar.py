"""Figures 4 and 5: conditional value at risk on twenty truncated normal mixtures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from primum.experiments import Experiment
from primum.figures import Curves, Line, Mark
from primum.paper.chapter import Chapter, Figure
from primum.paper.claims import Claim, Part
from primum.paper.ensemble import Array, Ensemble
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
    spread_forest,
    spreads,
    table_of,
    with_numbers,
)
from primum.paper.scale import Scale
from primum.paper.showing import number, triple, with_interval
from primum.results import Results
from primum.text import listed

ALPHA = 0.1
CHOSEN = 1.0  # the paper's C
GRID = (0.001, 0.01, 0.1, CHOSEN, 10.0)
VALUE = f"cvar(alpha={ALPHA}, estimator='chen')"
SEED, LONGER_SEED, ESTIMATOR_SEED, COMPONENT_SEED, TEN_SEED = 52_000, 52_200, 52_400, 52_600, 52_800

TEN, MANY = "figure-4", "mixtures-cvar"
LONGER, ESTIMATOR, COMPONENT = f"{MANY}-longer", f"{MANY}-estimator", f"{MANY}-component"


def marab(penalty: float) -> str:
    """The label of MARAB with this C."""
    return "marab" if penalty == CHOSEN else f"marab(penalty={penalty:g})"


MARAB = marab(CHOSEN)
NAMES = {BESA_PLUS: "BESA+"} | {marab(penalty): f"MARAB, C = {penalty:g}" for penalty in GRID}


def experiments(scale: Scale) -> dict[str, Experiment]:
    """All that this chapter needs, by the names of their files."""
    horizon, fewer = scale.mixture_horizon, Fewer.than(scale)
    two, all_ = [BESA_PLUS, MARAB], [BESA_PLUS, *map(marab, GRID)]
    title = "CVaR on random mixtures"
    some: dict[str, Any] = {"replications": fewer.replications, "policies": two}
    return {
        TEN: repeated(TEN_SEED, title="Figures 4 and 5, ten repetitions", horizon=horizon, value=VALUE, policies=all_),
        **in_environments(
            MANY,
            scale.environments,
            SEED,
            title=title,
            horizon=horizon,
            replications=scale.mixture,
            value=VALUE,
            policies=all_,
        ),
        **in_environments(
            LONGER,
            fewer.environments,
            LONGER_SEED,
            title=f"{title}, four times the horizon",
            horizon=4 * horizon,
            value=VALUE,
            **some | {"policies": all_},
        ),
        **in_environments(
            ESTIMATOR,
            fewer.environments,
            ESTIMATOR_SEED,
            title=f"{title}, the estimator that is exact for a sample",
            horizon=horizon,
            value=f"cvar(alpha={ALPHA})",
            **some,
        ),
        **in_environments(
            COMPONENT,
            fewer.environments,
            COMPONENT_SEED,
            "component",
            title=f"{title}, each normal cut by itself",
            horizon=horizon,
            value=VALUE,
            **some,
        ),
    }


def best_of_grid(other: float, difference: Array) -> tuple[Part, ...]:
    """Claim 18: the mean regret with C = 1 less that with the best other C."""
    says = f"mean regret with C = {CHOSEN:g} less that with the best other C, {other:g}"
    return (Part(says, *triple(difference), at_most=0),)


def lower_variance(regret: Array, best_arm: Array) -> tuple[Part, ...]:
    """Claim 19: the ratios of standard deviations, BESA+ over MARAB, one for each figure."""
    return tuple(
        Part(f"standard deviation of the {quantity}, BESA+ / MARAB", *triple(band), at_most=1)
        for quantity, band in zip(QUANTITIES.values(), (regret, best_arm), strict=True)
    )


CLAIMS = (
    Claim(
        18,
        "Section 5.2",
        "For MARAB algorithm, we have used grid search and set the value C=1.",
        "C = 1 is the best choice for MARAB",
        f"The mean final regret of MARAB with C = 1 less that with the best other C of "
        f"{', '.join(f'{c:g}' for c in GRID)} is at most 0, paired over environments. The other C is chosen in every "
        "second environment and judged in the rest, so that it cannot win by luck.",
        best_of_grid,
    ),
    Claim(
        19,
        "Section 5.2, Figures 4 and 5",
        "It is noticeable that in both figures BESA+ has a lower variance in experiments.",
        "Under CVaR, BESA+ has a lower variance than MARAB",
        "The standard deviation over runs in the same environment, that of BESA+ divided by that of MARAB (C = 1), is "
        "at most 1, for the final regret and for the share of best-arm play. Variances are averaged over environments.",
        lower_variance,
    ),
)


def grid_search(ensemble: Ensemble, step: int | None = None) -> tuple[float, Array]:
    """The best C but 1 in one half of the environments, and what C = 1 loses to it in the other."""
    first, second = ensemble.halves()
    others = (penalty for penalty in GRID if penalty != CHOSEN)
    best = min(others, key=lambda penalty: float(first.mean(marab(penalty), step=step)[0]))
    return best, second.paired(MARAB, marab(best), step=step)


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """Figures, numbers and verdicts."""
    horizon = scale.mixture_horizon
    ten, many = Ensemble.of([results[TEN]]), Ensemble.named(results, MANY)
    longer, estimator, component = (Ensemble.named(results, name) for name in (LONGER, ESTIMATOR, COMPONENT))
    all_gaps = gaps(results, MANY)
    random = float(results[TEN].problem.gaps.mean()) * horizon, float(all_gaps.mean()) * horizon
    best = min(GRID, key=lambda penalty: float(many.means(marab(penalty)).mean()))
    early = {f"after {step:,} steps": step for step in (horizon // 10, 3 * horizon // 10)}
    late = f"after {4 * horizon:,} steps"

    deciding, typical = spreads(many, [MARAB]), spreads(many, [MARAB], spread="typical")
    elsewhere = {
        f"{REPETITIONS} repetitions of one environment": spreads(ten, [MARAB]),
        "one run in each of many environments": spreads(many, [MARAB], spread="total"),
        "geometric mean of the environments' ratios": typical,
        **{name: spreads(many, [MARAB], step) for name, step in early.items()},
        late: spreads(longer, [MARAB]),
        "the estimator that is exact for a sample": spreads(estimator, [MARAB]),
        "each normal cut by itself": spreads(component, [MARAB]),
    }
    if best != CHOSEN:
        elsewhere[f"against MARAB with the best C, {best:g}"] = spreads(many, [marab(best)])
    grid_elsewhere = {
        f"{REPETITIONS} repetitions of one environment": grid_search(ten),
        **{name: grid_search(many, step) for name, step in early.items()},
        late: grid_search(longer),
    }

    pair = {policy: NAMES[policy] for policy in (BESA_PLUS, MARAB)}
    both = {policy: NAMES[policy] for policy in dict.fromkeys((MARAB, marab(best)))}
    regrets, less = (
        {policy: with_interval(*triple(band(policy))) for policy in (BESA_PLUS, MARAB, marab(best))}
        for band in (many.mean, lambda policy: many.paired(BESA_PLUS, policy))
    )
    shares = {policy: many.mean(policy, "best-arm")[0] for policy in (BESA_PLUS, MARAB, marab(best))}
    exhibits = (
        Figure(
            "figure-4",
            "Figure 4: accumulated regret under CVaR",
            f"Left as in the paper, right the mean over {many.environments} environments. After {horizon:,} steps "
            f"BESA+ has a mean regret of {regrets[BESA_PLUS]} and MARAB with C = 1 of {regrets[MARAB]}; random choice "
            f"has {number(random[1])}.",
            as_in_the_paper("Accumulated regret, CVaR at 10 %", "regret", ten, many, random, pair),
            files(results, TEN, MANY),
        ),
        Figure(
            "figure-5",
            "Figure 5: best-arm play under CVaR",
            f"BESA+ plays the best arm {per_cent(shares[BESA_PLUS], 1)} of the time and MARAB (C = 1) "
            f"{per_cent(shares[MARAB], 1)}; random choice {per_cent(1 / ARMS)}. MARAB gives "
            f"{per_cent(many.mean(MARAB, 'favourite')[0])} of its pulls to one arm, and in {per_cent(_settled(many))} "
            f"of the runs most of its pulls to the best: it subtracts its width, so an arm that was tried little looks "
            f"bad and stays untried. BESA+ gives {per_cent(many.mean(BESA_PLUS, 'favourite')[0])} to its favourite.",
            as_in_the_paper("Best arm, CVaR at 10 %", "best-arm", ten, many, (1 / ARMS, 1 / ARMS), pair),
            files(results, TEN, MANY),
        ),
        table_of(
            "mixtures-cvar-table",
            f"CVaR: after {horizon:,} steps",
            "Standard deviations are those over the runs in one environment, of which the variances are averaged.",
            many,
            random[1],
            NAMES,
            experiments=files(results, MANY),
        ),
        Figure(
            "mixtures-cvar-grid",
            "MARAB for each C",
            f"The best C of the grid is {best:g}, with a mean regret of {regrets[marab(best)]}; with C = 1 it is "
            f"{regrets[MARAB]}. After n pulls of an arm MARAB subtracts C sqrt(log(t / 10) / (n / 10)), or "
            f"{number(_width(horizon), 2)} C for an arm with its share of the pulls, while the arms' values lie within "
            f"{number(np.median(all_gaps[:, -1]), 2)}. The paper names neither its grid nor what it went by."
            + " The best C is at the edge of the grid: beyond it may be a better one."
            * (best in (GRID[0], GRID[-1])),
            _over_grid(many, random[1]),
            files(results, MANY),
        ),
        Figure(
            "mixtures-cvar-environments",
            "Environment by environment: CVaR",
            f"BESA+ has less mean regret than MARAB with C = 1 in {_less(many, MARAB)} of {many.environments} "
            f"environments, and less than MARAB with C = {best:g} in {_less(many, marab(best))}.",
            against(many, "Mean final regret, CVaR at 10 %", both),
            files(results, MANY),
        ),
        Figure(
            "mixtures-cvar-differences",
            "Mean regret of BESA+ less that of MARAB",
            f"After {horizon:,} steps the difference to MARAB with C = 1 is {less[MARAB]}, and that to MARAB with C = "
            f"{best:g} is {less[marab(best)]}.",
            difference_forest(
                "Mean regret: BESA+ less MARAB",
                {name: (many, step) for name, step in early.items()}
                | {f"after {horizon:,} steps": (many, None), late: (longer, None)},
                {policy: name for policy, name in NAMES.items() if policy != BESA_PLUS},
            ),
            files(results, MANY, LONGER),
        ),
        Figure(
            "mixtures-cvar-spread",
            "How steady is BESA+? CVaR",
            _on_spread(many),
            spread_forest(
                "Standard deviations, CVaR at 10 %",
                {f"in {many.environments} environments (decides)": deciding} | elsewhere,
                list(QUANTITIES.values()),
            ),
            files(results, TEN, MANY, LONGER, ESTIMATOR, COMPONENT),
        ),
    )
    seeds = f"Environment k is played with the seed {SEED} + k."
    runs = many.environments * many.replications
    judgements = (
        CLAIMS[0].judge(
            *grid_search(many),
            exhibits=("mixtures-cvar-grid", "mixtures-cvar-table"),
            runs=runs,
            seed=SEED,
            note=f"Mean regret with C = 1 less that with each other C, in all environments: {_pairs(many)}. {seeds}",
            elsewhere=grid_elsewhere,
        ),
        CLAIMS[1].judge(
            *deciding,
            exhibits=("mixtures-cvar-spread", "figure-4", "figure-5"),
            runs=runs,
            seed=SEED,
            note=" ".join(
                filter(None, (_on_spread(many), of_the_choice(list(QUANTITIES.values()), deciding, typical), seeds))
            ),
            elsewhere=with_numbers(elsewhere),
        ),
    )
    text = (
        "Section 5.2 of the paper compares BESA+ and MARAB by conditional value at risk: the mean of the worst tenth "
        f"of the outcomes. There are {ARMS} arms, each a mixture of four normals cut to [0, 1]. "
        f"{describe(all_gaps, horizon)}\n\n"
        f"{LEFT_OPEN.format(horizon=horizon)} BESA+ estimates the value as the paper says, after Chen; an estimator "
        "that is exact for a sample stands beside it.\n\n"
        "Runs in the same environment are alike, so an environment is one observation: intervals are over the "
        f"{many.environments} environments, each with {many.replications} runs."
    )
    return Chapter("mixtures-cvar", "Conditional value at risk on mixtures", text, exhibits, judgements)


def _pairs(ensemble: Ensemble) -> str:
    others = {penalty: ensemble.paired(MARAB, marab(penalty)) for penalty in GRID if penalty != CHOSEN}
    return listed([f"{with_interval(*triple(band))} (C = {penalty:g})" for penalty, band in others.items()])


def _less(ensemble: Ensemble, rival: str) -> int:
    return int((ensemble.means(BESA_PLUS) < ensemble.means(rival)).sum())


def _settled(ensemble: Ensemble) -> float:
    """The share of runs in which MARAB gave most of its pulls to the best arm."""
    return float((ensemble.at(MARAB, "best-arm") > 0.5).mean())


def _none_settled(ensemble: Ensemble) -> float:
    """How often one who repeats as often as the paper sees no such run."""
    groups = ensemble.replications // REPETITIONS
    settled = ensemble.at(MARAB, "best-arm")[:, : groups * REPETITIONS] > 0.5
    return float((~settled.reshape(-1, REPETITIONS).any(axis=1)).mean())


def _width(horizon: int) -> float:
    """What MARAB subtracts at the last step from an arm with its share of the pulls, for C = 1."""
    return float(np.sqrt(np.log(ALPHA * horizon) / (ALPHA * horizon / ARMS)))


def _on_spread(many: Ensemble) -> str:
    text = deviations(many, {BESA_PLUS: "BESA+", MARAB: "MARAB"})
    if many.replications < REPETITIONS:
        return text
    both, regret, share = (
        many.looks_steadier(BESA_PLUS, MARAB, measures, REPETITIONS)
        for measures in (("regret", "best-arm"), ("regret",), ("best-arm",))
    )
    return (
        f"{text} Whoever repeats {REPETITIONS} times in one environment, as the paper did, sees a smaller standard "
        f"deviation of BESA+ in the figure of regret {per_cent(regret)} of the time, in that of best-arm play "
        f"{per_cent(share)}, and in both {per_cent(both)}. MARAB settles on the best arm in "
        f"{per_cent(_settled(many))} of the runs; {REPETITIONS} runs in one environment have none of these "
        f"{per_cent(_none_settled(many))} of the time."
    )


def _over_grid(many: Ensemble, random: float) -> Curves:
    x = np.array(GRID)
    ends = np.stack([many.mean(marab(penalty)) for penalty in GRID], axis=1)
    flat = np.repeat(many.mean(BESA_PLUS)[:, None], len(x), axis=1)
    return Curves(
        "MARAB for each C, CVaR at 10 %",
        f"mean final regret in {many.environments} environments; band: 95 % interval; random choice: {number(random)}",
        "Mean final regret",
        x,
        (Line("BESA+", *flat), Line("MARAB", *ends)),
        log=True,
        x_label="C",
        marks=(Mark(CHOSEN, "the paper's C"),),
    )

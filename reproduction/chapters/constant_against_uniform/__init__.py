"""A constant arm against a uniform one: the paper's Figures 1 to 3."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from primum.policies import Besa, BesaPlus
from primum.results import Results, side_by_side
from primum.rewards import Constant, Uniform
from primum.runs import Experiment
from primum.theory import k_inf
from primum.values import Mean
from reproduction.chapters.constant_against_uniform import figures, rules
from reproduction.chapters.constant_against_uniform.figures import FIGURES, FLOORS
from reproduction.chapters.constant_against_uniform.rules import BESA, BESA_PLUS
from reproduction.claims import ALMOST_LINEAR_INDEX, CLAIMS, LOGARITHMIC_INDEX, NEGLIGIBLE_FRACTION, REWARDS
from reproduction.judgement import Judgement, Parts
from reproduction.report import Chapter
from reproduction.report.numbers import number, percent
from reproduction.scale import Scale

if TYPE_CHECKING:  # takes half a second
    from xarray import Dataset

SEED = 1  # the same for every r, so that the uniform arm gives the same rewards and differences between r are paired
EARLIER_HORIZONS = (0.1, 0.3)  # fractions of the horizon at which the claims are examined again


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Figures 1 to 3, and the study of floors."""
    named = {}
    for name, r in zip(FIGURES, REWARDS, strict=True):
        title = f"{name.replace('-', ' ').capitalize()}: constant {r} against uniform"
        named[name] = _experiment(title, r, [BesaPlus(), Besa()], scale.constant_replications, scale)
        floors = [BesaPlus(floor=floor) for floor in FLOORS]
        title = f"Floors: constant {r} against uniform"
        named[f"floors-{r}"] = _experiment(title, r, floors, scale.floor_replications, scale)
    return named


def _experiment(title: str, r: float, policies: list[Any], replications: int, scale: Scale) -> Experiment:
    return Experiment(
        title=title,
        horizon=scale.constant_horizon,
        replications=replications,
        seed=SEED,
        value=Mean(),
        policies=policies,
        arms={"constant": Constant(r), "uniform": Uniform(0, 1)},
    )


def on_named_axes(results: Mapping[float, Results]) -> Dataset:
    """The evidence of the rules, from the results for each r."""
    from xarray import Dataset

    return Dataset(
        {
            "regret": side_by_side(results, lambda one: one.regret),
            "stuck": side_by_side(results, lambda one: one.stuck),
            "better_arm_pulls": side_by_side(results, lambda one: one.pulls.sel(arm="uniform", drop=True)),
        }
    )


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its experiments."""
    runs = on_named_axes({r: results[name] for name, r in zip(FIGURES, REWARDS, strict=True)})
    growths = rules.growths(runs)
    floors = {r: results[f"floors-{r}"] for r in REWARDS}
    return Chapter(
        "constant-against-uniform",
        "A constant arm against a uniform one: Figures 1 to 3",
        "One arm always gives the reward r, the other a reward that is uniform on [0, 1]. The value is the mean, so "
        "the uniform arm is better by 0.5 - r. The paper does not state its horizon; here it is "
        f"{scale.constant_horizon:,} steps, and the claims are examined again at a tenth and at three tenths of "
        "that.\n\nThe mean regret alone is misleading here. A replication either finds the better arm and its regret "
        "stays small, or it is stuck on the constant arm and its regret grows with every step. Each figure therefore "
        "shows the mean, the median, and the fraction of replications that are stuck so far: those in which the better "
        "arm has less than a tenth of the pulls.",
        figures.figures(runs, growths, floors),
        _judgements(runs, growths, scale),
    )


def _judgements(runs: Dataset, growths: rules.Growths, scale: Scale) -> tuple[Judgement, ...]:
    conditions = {
        f"after {fraction * scale.constant_horizon:,.0f} steps": figures.first_steps(runs, fraction)
        for fraction in EARLIER_HORIZONS
    } | {f"with the paper's {figures.REPETITIONS} repetitions": figures.first_replications(runs)}
    decided = _parts(runs, growths)
    elsewhere = {name: _parts(other, rules.growths(other)) for name, other in conditions.items()}
    notes = _notes(runs)
    judged = [
        CLAIMS[claim].judge(
            parts,
            evidence=(*FIGURES, "growth") if claim in (1, 12, 14) else FIGURES,
            replications=scale.constant_replications,
            seed=SEED,
            note=notes.get(claim, ""),
            other_conditions={name: other[claim] for name, other in elsewhere.items()},
        )
        for claim, parts in decided.items()
    ]
    return tuple(sorted([*judged, _floor(scale)], key=lambda one: one.claim.number))


def _parts(runs: Dataset, growths: rules.Growths) -> dict[int, Parts]:
    """The parts of the simulated claims, by number."""
    return {
        1: rules.index_of_growth(growths, BESA, "BESA", at_most=LOGARITHMIC_INDEX),
        7: rules.tried_once(runs),
        8: rules.rarely_stuck(runs),
        12: rules.index_of_growth(growths, BESA, "BESA", at_least=ALMOST_LINEAR_INDEX),
        13: rules.prefers_better_arm(runs),
        14: rules.index_of_growth(growths, BESA_PLUS, "BESA+", at_most=LOGARITHMIC_INDEX),
        15: rules.lower_regret(runs),
        16: rules.harder_near_half(runs),
    }


def _floor(scale: Scale) -> Judgement:
    """A floor of log t costs gap log T; a policy that is good on all problems has at least gap log T / K_inf."""
    log = math.log(scale.constant_horizon)
    forced = {f"forced pulls of an arm in {scale.constant_horizon:,} steps, minus log T": math.ceil(log) - log}
    costs = {r: k_inf(Constant(r), 0.5) for r in REWARDS}
    relative = {f"r = {r}: cost of the floor divided by the smallest possible cost": cost for r, cost in costs.items()}
    return CLAIMS[9].judge(
        rules.cost_of_floor(forced, 1.0),
        evidence=(f"floors-{max(REWARDS)}", "floors"),
        note="The same order does not mean negligible: "
        + ", ".join(f"at r = {r} the floor costs {percent(cost)}" for r, cost in costs.items())
        + " of the least that any policy must pay that is good on all problems.",
        other_conditions={"size instead of order": rules.cost_of_floor(relative, NEGLIGIBLE_FRACTION)},
    )


def _notes(runs: Dataset) -> dict[int, str]:
    r = max(REWARDS)
    final = rules.values(runs, "regret", r, BESA_PLUS)[:, -1]
    stuck = float(rules.values(runs, "stuck", r, BESA_PLUS)[:, -1].mean())
    return {
        1: "The sentence names three policies; BESA is judged because the paper contradicts it in Section 5.1. Where "
        "one arm is constant, all its sub-samples are equal, and an arm that lost once by bad luck meets the same "
        "comparison for ever.",
        13: "In every replication the floor keeps trying the better arm, so each would learn in the end; the rule asks "
        "whether it does within the horizon.",
        14: f"At r = {r} the mean final regret is {number(float(final.mean()))}, the median "
        f"{number(float(np.median(final)))}, and {percent(stuck, 1)} of the replications are stuck: mean and median "
        "describe different replications.",
        16: "The problem is harder although a mistake costs less: the gap is 0.5 - r.",
    }

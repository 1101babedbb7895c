"""Policies that the paper does not have, on the same problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from primum.results import Results, side_by_side
from primum.rewards import Constant, Uniform
from primum.runs import Experiment, VeteransLungCancer
from reproduction.chapters import mixtures
from reproduction.chapters.environments import difference, in_group
from reproduction.chapters.mixtures import BESA_PLUS
from reproduction.chapters.other_policies import figures, rules
from reproduction.claims import CLAIMS, REWARDS
from reproduction.report import Chapter
from reproduction.scale import Scale

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray

SEED = 601
EVERYWHERE = (
    BESA_PLUS,
    "besa-plus(floor=5)",
    "npts",
    "dirichlet-sampling",
    "sda",
    "kl-ucb",
    "mcdiarmid-ucb",
    "explore-then-commit",
    "epsilon-greedy",
    "boltzmann",
    "ucb1",
    "thompson",
    "uniform-random",
)
# Recent policies, each on the problems whose value it optimises.
RECENT = ("npts", "dirichlet-sampling", "sda", "mcdiarmid-ucb", "cvar-ucb", "mts", "mvts")
RECENT_FOR_MEAN = ("kl-ucb",)
CVAR, MEAN_VARIANCE = "other-policies-mixtures-cvar", "other-policies-mixtures-mean-variance"
CLINICAL = "other-policies-lung-cancer"
CONSTANT = {f"other-policies-constant-{r}": f"constant {r}, mean" for r in REWARDS}
PROBLEMS = {
    **CONSTANT,
    CVAR: "20 mixtures, CVaR 10 %",
    MEAN_VARIANCE: "20 mixtures, mean - variance",
    CLINICAL: "lung cancer, mean - variance",
}
# The policies with which the paper compares BESA+, and where.
COMPARISONS = {
    "figure-1": ("Figure 1", ("besa",)),
    "figure-2": ("Figure 2", ("besa",)),
    "figure-3": ("Figure 3", ("besa",)),
    "mixtures-cvar": ("Figures 4 and 5, all environments", ("marab",)),
    "mixtures-mean-variance": ("Figures 6 and 7, all environments", ("mv-lcb", "exp-exp")),
    "figure-9": ("Figure 9", ("besa", "ucb1", "thompson", "mv-lcb", "exp-exp")),
}


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Six problems, each with all policies that can be used on it."""
    two_arms: dict[str, Any] = {"replications": scale.other_replications, "seed": SEED}
    mean: dict[str, Any] = {"value": "mean", "policies": [*EVERYWHERE, "besa"], "horizon": scale.constant_horizon}
    named = {
        name: Experiment(
            title=f"Other policies: constant {r} against uniform",
            arms={"constant": Constant(r), "uniform": Uniform(0, 1)},
            **mean | two_arms,
        )
        for r, name in zip(REWARDS, CONSTANT, strict=True)
    }
    for name, value, others in (
        (CVAR, "cvar(alpha=0.1)", ["cvar-ucb", "marab"]),
        (MEAN_VARIANCE, "mean-variance(rho=1)", ["mvts", "mv-lcb", "exp-exp"]),
    ):
        named |= mixtures.in_environments(
            name,
            scale.environments,
            SEED,
            title="Other policies: random mixtures",
            horizon=scale.mixture_horizon,
            replications=scale.other_mixture_replications,
            value=value,
            policies=[*EVERYWHERE, *others],
        )
    clinical: dict[str, Any] = {
        "title": "Other policies: the lung cancer trial",
        "horizon": scale.clinical_horizon,
        "value": "mean-variance(rho=1)",
        "policies": [*EVERYWHERE, "mts", "mvts", "mv-lcb", "exp-exp", "besa"],
        "arms_from": VeteransLungCancer(scale="unit"),
    }
    named[CLINICAL] = Experiment(**clinical, **two_arms)
    return named


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its own experiments and those of the other chapters."""
    problems = {title: final_regret(results, name) for name, title in PROBLEMS.items()}
    greedy = {
        title: {
            figures.display_name(policy): difference(regret, policy, "ucb1")
            for policy in ("epsilon-greedy", "boltzmann")
        }
        for title, regret in problems.items()
    }
    paper = {
        (place, figures.display_name(other)): difference(final_regret(results, name), BESA_PLUS, other)
        for name, (place, others) in COMPARISONS.items()
        for other in others
    }
    recent = {
        (title, policy): difference(regret, BESA_PLUS, policy)
        for title, regret in problems.items()
        for policy in (*RECENT, *(RECENT_FOR_MEAN if title.endswith("mean") else ()))
        if policy in regret.policy
    }
    simulated = [regret.sizes["environment"] * regret.sizes["replication"] for regret in problems.values()]
    compared = [one for name in COMPARISONS for one in in_group(results, name).values()]
    easy = sum(
        policy in ("mv-lcb", "besa", "ucb1", "thompson") for _, others in COMPARISONS.values() for policy in others
    )
    return Chapter(
        "other-policies",
        "Other policies on the same problems",
        "The same problems with policies that the paper does not have; a policy that cannot beat uniformly random "
        "choice is of no use. All policies meet the same rewards of each arm in the same replication, so differences "
        "are paired. On the mixtures an environment is one observation; elsewhere a replication is.\n\n"
        + "\n\n".join(figures.lower_than_besa_plus(problems)),
        figures.figures(problems, greedy, paper),
        (
            CLAIMS[2].judge(
                rules.better_than_ucb1(greedy),
                evidence=("against-ucb1", "ranks"),
                replications=sum(simulated),
                seed=SEED,
            ),
            CLAIMS[26].judge(
                rules.mostly_better(paper),
                evidence=("against-competitors",),
                replications=sum(len(one.replications) for one in compared),
                note=f"{easy} of the {len(paper)} comparisons are with policies that estimate the mean alone or, like "
                "MV-LCB, explore for longer than the horizon. The other condition compares with recent policies. The "
                "replications are those of Figures 1 to 7 and 9, with the seeds in their experiment files.",
                other_conditions={"against recent policies instead of the paper's": rules.mostly_better(recent)},
            ),
        ),
    )


def final_regret(results: Mapping[str, Results], name: str) -> DataArray:
    """The regret at the last step of the experiment of this name, or of all its environments."""
    return side_by_side(in_group(results, name), lambda one: one.regret.isel(step=-1, drop=True))

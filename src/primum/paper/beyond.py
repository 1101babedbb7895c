"""The chapter beyond the paper: the same problems with the policies of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from primum.errors import PrimumError
from primum.experiments import Experiment, VeteransLungCancer
from primum.figures import Forest, Row
from primum.paper.chapter import Chapter, Figure, Table
from primum.paper.claims import Claim, Part
from primum.paper.ensemble import Ensemble, regret
from primum.paper.mixtures import BESA_PLUS, files, in_environments
from primum.paper.races import REWARDS
from primum.paper.scale import Scale
from primum.paper.showing import number, triple, with_interval
from primum.results import Results
from primum.text import listed

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
# Today's rivals, each on the problems whose value it optimises.
MODERN = ("npts", "dirichlet-sampling", "sda", "mcdiarmid-ucb", "cvar-ucb", "mts", "mvts")
MODERN_BY_MEAN = ("kl-ucb",)
CVAR, MEAN_VARIANCE, CLINICAL = "beyond-mixtures-cvar", "beyond-mixtures-mean-variance", "beyond-lung-cancer"
PROBLEMS = {
    **{f"beyond-constant-{r}": f"constant {r}, mean" for r in REWARDS},
    CVAR: "20 mixtures, CVaR 10 %",
    MEAN_VARIANCE: "20 mixtures, mean - variance",
    CLINICAL: "lung cancer, mean - variance",
}
# What the paper compares BESA+ with, and where.
RIVALS = {
    "figure-1": ("besa",),
    "figure-2": ("besa",),
    "figure-3": ("besa",),
    "mixtures-cvar": ("marab",),
    "mixtures-mean-variance": ("mv-lcb", "exp-exp"),
    "figure-9": ("besa", "ucb1", "thompson", "mv-lcb", "exp-exp"),
}
PLACES = {
    "figure-1": "Figure 1",
    "figure-2": "Figure 2",
    "figure-3": "Figure 3",
    "mixtures-cvar": "Figures 4 and 5, all environments",
    "mixtures-mean-variance": "Figures 6 and 7, all environments",
    "figure-9": "Figure 9",
}
TWICE = 2  # problems: one could be chance


def experiments(scale: Scale) -> dict[str, Experiment]:
    """Six problems, each with all policies that can play it."""
    named: dict[str, Experiment] = {}
    two: dict[str, Any] = {"replications": scale.beyond, "seed": SEED}
    for r in REWARDS:
        constant: dict[str, Any] = {
            "title": f"Beyond the paper: constant {r} against uniform",
            "horizon": scale.constant_horizon,
            "value": "mean",
            "policies": [*EVERYWHERE, "besa"],
            "arms": {"constant": {"name": "constant", "value": r}, "uniform": "uniform"},
        }
        named[f"beyond-constant-{r}"] = Experiment(**constant, **two)
    for name, value, others in (
        (CVAR, "cvar(alpha=0.1)", ["cvar-ucb", "marab"]),
        (MEAN_VARIANCE, "mean-variance(rho=1)", ["mvts", "mv-lcb", "exp-exp"]),
    ):
        named |= in_environments(
            name,
            scale.environments,
            SEED,
            title="Beyond the paper: random mixtures",
            horizon=scale.mixture_horizon,
            replications=scale.beyond_mixture,
            value=value,
            policies=[*EVERYWHERE, *others],
        )
    clinical: dict[str, Any] = {
        "title": "Beyond the paper: the lung-cancer trial",
        "horizon": scale.clinical_horizon,
        "value": "mean-variance(rho=1)",
        "policies": [*EVERYWHERE, "mts", "mvts", "mv-lcb", "exp-exp", "besa"],
        "arms_from": VeteransLungCancer(scale="unit"),
    }
    named[CLINICAL] = Experiment(**clinical, **two)
    return named


def _better_than_ucb1(problems: Mapping[str, Mapping[str, Any]]) -> tuple[Part, ...]:
    """`problems[problem][policy]` is the regret of a policy less that of UCB1, with its interval."""
    parts = []
    for policy in ("epsilon-greedy", "boltzmann"):
        better, worse = _clear([differences[policy] for differences in problems.values()])
        says = f"problems, of {len(problems)}, on which {policy} has clearly less regret than UCB1"
        # what is not clear may turn out either way
        parts.append(Part(says, better, better, len(problems) - worse, at_least=TWICE))
    return tuple(parts)


def _mostly_better(differences: Mapping[str, Any]) -> tuple[Part, ...]:
    """`differences[comparison]` is the regret of BESA+ less the rival's, with its interval."""
    better, worse = _clear(list(differences.values()))
    count = len(differences)
    says = f"comparisons, of {count}, in which BESA+ has clearly less regret ({worse} clearly more)"
    return (Part(says, better, better, count - worse, at_least=count // 2 + 1),)


def _clear(differences: list[Any]) -> tuple[int, int]:
    """How many are clearly below 0 and how many clearly above."""
    if np.isnan(differences).any():
        raise PrimumError(f"a paired difference must be a number with an interval, got {differences}")
    return sum(high < 0 for _, _, high in differences), sum(low > 0 for _, low, _ in differences)


GREEDY = Claim(
    2,
    "Section 2",
    "two algorithms which do not produce admissible policies, epsilon-greedy and Boltzmann exploration, behave better "
    "than UCB1 on certain problems",
    "Epsilon-greedy and Boltzmann exploration beat UCB1 on certain problems",
    f"On at least {TWICE} problems of this report each has clearly less regret than UCB1: the 95 % interval of the "
    "paired difference is below 0.",
    _better_than_ucb1,
)
MOSTLY = Claim(
    26,
    "Section 6, and the abstract",
    "showed that it can have better performance in most cases",
    "BESA+ does better than its rivals in most cases",
    "On the paper's own problems and against its own rivals, BESA+ has clearly less regret in more than half of the "
    "comparisons: the 95 % interval of the paired difference is below 0.",
    _mostly_better,
)
CLAIMS = (GREEDY, MOSTLY)


def chapter(results: Mapping[str, Results], scale: Scale) -> Chapter:
    """The chapter, from the results of its own experiments and of those of the others."""
    problems = {title: _ensemble(results, name) for name, title in PROBLEMS.items()}
    greedy = {
        title: {policy: triple(ensemble.paired(policy, "ucb1")) for policy in ("epsilon-greedy", "boltzmann")}
        for title, ensemble in problems.items()
    }
    paper = {
        (PLACES[name], rival): triple(ensemble.paired(BESA_PLUS, rival))
        for name, rivals in RIVALS.items()
        for ensemble in (_ensemble(results, name),)
        for rival in rivals
    }
    modern = {
        (title, policy): triple(ensemble.paired(BESA_PLUS, policy))
        for title, ensemble in problems.items()
        for policy in (*MODERN, *(MODERN_BY_MEAN if title.endswith("mean") else ()))
        if policy in ensemble.policies
    }
    runs = sum(ensemble.environments * ensemble.replications for ensemble in problems.values())
    slow = sum(rival in ("mv-lcb", "besa", "ucb1", "thompson") for _, rival in paper)
    return Chapter(
        "beyond",
        "Beyond the paper: today's policies on the same problems",
        "The same problems with policies that the paper does not have; a policy that cannot beat uniformly random "
        "choice "
        "is of no use. All policies meet the same rewards of each arm in the same run, so differences are paired. On "
        "the "
        "mixtures an environment is one observation; elsewhere a run is.\n\n" + "\n\n".join(_losses(problems)),
        (
            _ranks(problems),
            _ratios(problems),
            _differences(problems),
            _against_ucb1(greedy),
            _against_its_rivals(paper),
        ),
        (
            GREEDY.judge(greedy, exhibits=("against-ucb1", "ranks"), runs=runs, seed=SEED),
            MOSTLY.judge(
                paper,
                exhibits=("against-its-rivals",),
                runs=sum(_ensemble_runs(results, name) for name in RIVALS),
                note=f"{slow} of the {len(paper)} comparisons are with policies that look at the mean alone or, like "
                "MV-LCB, explore for longer than the horizon. Against today's policies see the other condition. The "
                "runs are those of Figures 1 to 7 and 9, with the seeds that their experiment files name.",
                elsewhere={"against today's policies instead of the paper's": (modern,)},
            ),
        ),
    )


def _against_ucb1(differences: Mapping[str, Mapping[str, tuple[float, float, float]]]) -> Table:
    rows = [
        (title, *(with_interval(*differences[title][policy]) for policy in ("epsilon-greedy", "boltzmann")))
        for title in differences
    ]
    return Table(
        "against-ucb1",
        "UCB1: epsilon-greedy and Boltzmann exploration against it",
        "Final regret less that of UCB1, paired, with 95 % intervals; below 0 is better than UCB1.",
        ("problem", "epsilon-greedy", "boltzmann"),
        tuple(rows),
    )


def _against_its_rivals(differences: Mapping[tuple[str, str], tuple[float, float, float]]) -> Table:
    return Table(
        "against-its-rivals",
        "Rivals: BESA+ against those of the paper, on its problems",
        "Final regret of BESA+ less that of the rival, paired, with 95 % intervals; below 0 BESA+ is better.",
        ("problem", "rival", "difference"),
        tuple((place, rival, with_interval(*band)) for (place, rival), band in differences.items()),
    )


def _ensemble(results: Mapping[str, Results], name: str) -> Ensemble:
    """The results of this name, or of all environments of this name."""
    if name in results:
        return Ensemble.of([results[name]], {"regret": regret})
    return Ensemble.named(results, name, {"regret": regret})


def _ensemble_runs(results: Mapping[str, Results], name: str) -> int:
    return sum(len(results[key].replications) for key in files(results, name))


def _losses(problems: Mapping[str, Ensemble]) -> Iterator[str]:
    """Where BESA+ loses."""
    for title, ensemble in problems.items():
        better = [
            f"{policy} ({with_interval(*triple(ensemble.mean(policy)))})"
            for policy in ensemble.policies
            if policy != BESA_PLUS and ensemble.paired(BESA_PLUS, policy)[1] > 0
        ]
        mine = with_interval(*triple(ensemble.mean(BESA_PLUS)))
        yield (
            f"On {title}: BESA+ has a regret of {mine}; clearly less have {listed(better)}."
            if better
            else f"On {title}: BESA+ has a regret of {mine}, and no policy has clearly less."
        )


def _order(ensemble: Ensemble) -> dict[str, int]:
    """The rank of each policy by its mean regret."""
    means = {policy: float(ensemble.mean(policy)[0]) for policy in ensemble.policies}
    return {policy: rank for rank, policy in enumerate(sorted(means, key=lambda policy: means[policy]), 1)}


def _everyone(problems: Mapping[str, Ensemble]) -> dict[str, float]:
    """The mean rank of each policy over the problems that it plays, the best first."""
    orders = [_order(ensemble) for ensemble in problems.values()]
    names = dict.fromkeys(policy for order in orders for policy in order)
    means = {policy: float(np.mean([order[policy] for order in orders if policy in order])) for policy in names}
    return dict(sorted(means.items(), key=lambda item: item[1]))


def _ranks(problems: Mapping[str, Ensemble]) -> Table:
    orders = {title: _order(ensemble) for title, ensemble in problems.items()}
    rows = []
    for policy, mean in _everyone(problems).items():
        cells = [
            f"{orders[title][policy]} ({number(float(ensemble.mean(policy)[0]))})" if policy in orders[title] else ""
            for title, ensemble in problems.items()
        ]
        rows.append((policy, f"{mean:.1f}", *cells))
    return Table(
        "ranks",
        "Ranks: all policies on all problems",
        "Rank by mean final regret, and the mean regret itself. The mean rank is over the problems that a policy "
        "played; a policy for one value plays few.",
        ("policy", "mean rank", *problems),
        tuple(rows),
    )


def _ratios(problems: Mapping[str, Ensemble]) -> Figure:
    rows = [
        Row(policy, *triple(ensemble.ratio(policy, BESA_PLUS)), title)
        for policy in _everyone(problems)
        if policy != BESA_PLUS
        for title, ensemble in problems.items()
        if policy in ensemble.policies
    ]
    return Figure(
        "against-besa-plus",
        "Ratios: regret relative to BESA+",
        "The mean final regret of each policy over that of BESA+ in the same runs, with 95 % intervals; left of the "
        "line a policy does better than BESA+.",
        Forest(
            "Mean final regret relative to BESA+",
            "95 % intervals; below 1 a policy does better",
            "Regret / regret of BESA+",
            tuple(rows),
            reference=1.0,
            log=True,
        ),
    )


def _differences(problems: Mapping[str, Ensemble]) -> Table:
    rows = []
    for policy in _everyone(problems):
        if policy == BESA_PLUS:
            continue
        cells = [
            with_interval(*triple(ensemble.paired(policy, BESA_PLUS))) if policy in ensemble.policies else ""
            for ensemble in problems.values()
        ]
        rows.append((policy, *cells))
    return Table(
        "differences",
        "Differences: regret less that of BESA+, paired",
        "Mean difference of the final regret with its 95 % interval; below 0 a policy does better than BESA+.",
        ("policy", *problems),
        tuple(rows),
    )

"""Questions to begin with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError, UnknownNameError
from primum.lab.http.schemas import LARGEST_SEED, MOST_ARMS, Preset, PresetOption, Question
from primum.plugins.parameters import Parameter
from primum.rewards import Bernoulli, Constant, RewardDistribution, Uniform, paper_mixture, veterans_lung_cancer

OPENING = "constant-against-uniform"  # what the page opens with
Arms = Mapping[str, RewardDistribution]


@dataclass(frozen=True)
class _Recipe:
    """A preset, how its arms are made from its options, and all else that its question has."""

    preset: Preset
    arms: Callable[..., Arms]
    rest: dict[str, Any]


def presets() -> list[Preset]:
    """All of them."""
    return [recipe.preset for recipe in _RECIPES.values()]


def preset(name: str, options: Mapping[str, int]) -> Question:
    """The question of a preset, drawn with its options; those that are not given are at their defaults."""
    if name not in _RECIPES:
        raise UnknownNameError("preset", name, _RECIPES)
    recipe = _RECIPES[name]
    known = {option.name: option for option in recipe.preset.options}
    for key in options:
        if key not in known:
            unknown = UnknownNameError("option", key, known or ["(it has none)"])
            raise ParameterError(f"{name}: {unknown}", (key,))
    given = {
        key: Parameter(option.text, option.low, option.high, integer=True).check(
            key, options.get(key, option.default), of=name
        )
        for key, option in known.items()
    }
    arms = [{"name": arm, "distribution": distribution} for arm, distribution in recipe.arms(**given).items()]
    return Question.model_validate({"title": recipe.preset.title, "arms": arms} | recipe.rest)


def _arms(default: int) -> PresetOption:
    return PresetOption(name="arms", text="number of arms", low=2, high=MOST_ARMS, default=default)


_SEED = PresetOption(name="seed", text="another number draws other arms", low=0, high=LARGEST_SEED, default=1)


def _coins(arms: int, seed: int) -> Arms:
    raw = np.random.Philox(key=seed).random_raw(arms)
    chances = 0.05 + 0.9 * ((raw >> np.uint64(11)) * 2.0**-53)
    return {f"arm {i + 1}": Bernoulli(round(float(chance), 3)) for i, chance in enumerate(chances)}


_RECIPES = {
    recipe.preset.name: recipe
    for recipe in (
        _Recipe(
            Preset(
                name=OPENING,
                title="A sure thing against a gamble",
                text="One arm always gives 0.4, the other anything from 0 to 1, 0.5 on average. Look at Final "
                "regret: after a bad first reward BESA often takes the sure thing for ever; BESA+ tries again.",
            ),
            lambda: {"sure": Constant(0.4), "gamble": Uniform(0, 1)},
            {
                "value": "mean",
                "policies": ["besa-plus", "besa", "thompson", "ucb1"],
                "horizon": 2000,
                "replications": 300,
            },
        ),
        _Recipe(
            Preset(
                name="paper-mixture",
                title="Many arms, judged by their worst outcomes",
                text="Each arm is a mixture of four wide normals, drawn at random. Good is the mean of the worst tenth "
                "of outcomes, so that one reward in ten tells something: learning is slow. Look at Best arm.",
                options=[_arms(20), _SEED],
            ),
            paper_mixture,
            {
                "value": "cvar(alpha=0.1, estimator='chen')",
                "policies": ["besa-plus", "marab", "cvar-ucb", "epsilon-greedy"],
                "horizon": 1000,
                "replications": 100,
            },
        ),
        _Recipe(
            Preset(
                name="veterans-lung-cancer",
                title="Two treatments of lung cancer",
                text="How long 137 men with lung cancer survived under two treatments. The test treatment is better on "
                "average and more uncertain, so the standard one is better once variance counts. Step 2 shows "
                "how little separates them, and Best arm how long the policies need.",
            ),
            veterans_lung_cancer,
            {
                "value": "mean-variance",
                "policies": ["besa-plus", "mv-lcb", "exp-exp", "mvts"],
                "horizon": 2000,
                "replications": 200,
            },
        ),
        _Recipe(
            Preset(
                name="bernoulli",
                title="Coins of unknown chance",
                text="Each arm is a coin with a chance of its own, drawn at random: the textbook's bandit. Look at "
                "Regret: that of the good policies bends, and that of epsilon-greedy goes on.",
                options=[_arms(5), _SEED],
            ),
            _coins,
            {
                "value": "mean",
                "policies": ["besa-plus", "thompson", "kl-ucb", "ucb1", "epsilon-greedy"],
                "horizon": 2000,
                "replications": 200,
            },
        ),
        _Recipe(
            Preset(
                name="equal-arms",
                title="Nothing to learn",
                text="All arms are the same, so no choice is wrong and regret stays at 0. Look at Allocation, one "
                "panel per arm, by the median: the bands show how unevenly single replications treat equal arms.",
                options=[_arms(3)],
            ),
            lambda arms: {f"arm {i + 1}": Bernoulli(0.5) for i in range(arms)},
            {
                "value": "mean",
                "policies": ["besa-plus", "besa", "thompson", "ucb1"],
                "horizon": 2000,
                "replications": 200,
            },
        ),
    )
}

"""Examples of questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError, UnknownNameError
from primum.lab.http.schemas import LARGEST_SEED, MOST_ARMS, Preset, PresetOption, Question
from primum.plugins.parameters import Parameter
from primum.rewards import Bernoulli, Constant, RewardDistribution, Uniform, paper_mixture, veterans_lung_cancer

OPENING = "constant-against-uniform"  # the preset that the page opens with
Arms = Mapping[str, RewardDistribution]


@dataclass(frozen=True)
class _Recipe:
    """A preset, the function that makes its arms from its options, and the rest of its question."""

    preset: Preset
    arms: Callable[..., Arms]
    rest: dict[str, Any]


def presets() -> list[Preset]:
    """All presets."""
    return [recipe.preset for recipe in _RECIPES.values()]


def preset(name: str, options: Mapping[str, int]) -> Question:
    """The question of a preset; options that are not given have their defaults."""
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


_SEED = PresetOption(name="seed", text="another seed draws other arms", low=0, high=LARGEST_SEED, default=1)


def _bernoulli(arms: int, seed: int) -> Arms:
    raw = np.random.Philox(key=seed).random_raw(arms)
    probabilities = 0.05 + 0.9 * ((raw >> np.uint64(11)) * 2.0**-53)
    return {f"arm {i + 1}": Bernoulli(round(float(probability), 3)) for i, probability in enumerate(probabilities)}


_RECIPES = {
    recipe.preset.name: recipe
    for recipe in (
        _Recipe(
            Preset(
                name=OPENING,
                title="A sure thing against a gamble",
                text="One arm always gives 0.4; the other is uniform on [0, 1], with mean 0.5. Look at Final regret: "
                "after a bad first reward BESA often never leaves the constant arm; BESA+ tries the other again.",
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
                text="Each arm is a random mixture of four wide normal distributions. The value is the mean of the "
                "worst 10 % of outcomes, so that one reward in ten is informative and learning is slow. Look at "
                "Best arm.",
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
                text="Survival of 137 men with lung cancer under two treatments. The test treatment has the higher "
                "mean and the higher variance, so the standard treatment is better once variance counts. Step 2 shows "
                "how small the gap is, and Best arm how long the policies need to find the better arm.",
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
                title="Bernoulli arms",
                text="Each arm has its own probability of success, drawn at random: the textbook bandit problem. "
                "Look at Regret: the curves of the good policies flatten, that of epsilon-greedy keeps rising.",
                options=[_arms(5), _SEED],
            ),
            _bernoulli,
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

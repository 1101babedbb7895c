"""The two treatments, recorded and simulated: the parts that decide the claims."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from primum.policies import BesaPlus
from primum.results.intervals import Array, mean_band
from reproduction.chapters.lung_cancer.survival import mean_difference, mean_variance
from reproduction.claims import LONG_SURVIVAL
from reproduction.judgement import Part, Parts

if TYPE_CHECKING:  # takes half a second
    from xarray import DataArray


def higher_mean(one: Array, two: Array, one_short: Array, two_short: Array) -> Parts:
    """Claim 21."""
    without = f"the same without those who survived {LONG_SURVIVAL} days"
    return (
        Part.exact("mean of treatment 2 minus that of treatment 1", two.mean() - one.mean(), at_least=0),
        Part.exact(without, two_short.mean() - one_short.mean(), at_most=0),
    )


def larger_spread(one: Array, two: Array) -> Parts:
    """Claim 22."""
    spread = float(mean_difference(two) - mean_difference(one))
    between = "mean absolute difference between two patients, treatment 2 minus treatment 1"
    return (
        Part.exact("variance of treatment 2 minus that of treatment 1", two.var() - one.var(), at_least=0),
        Part.exact(between, spread, at_least=0),
    )


def early_deaths(one: Array, two: Array) -> Parts:
    """Claim 23, from categories."""
    first, second, minus = one == 1, two == 1, "treatment 2 minus treatment 1"
    return (
        Part.exact(f"patients in the first category, {minus}", second.sum() - first.sum(), at_least=1),
        Part.exact(f"fraction of patients in it, {minus}", second.mean() - first.mean(), at_least=0),
    )


def preferred(rewards: Mapping[str, tuple[Array, Array]]) -> Parts:
    """Claim 24, from the rewards under both treatments on each scale."""
    return tuple(
        Part.exact(
            f"value of treatment 1 minus that of treatment 2, reward: {scale}",
            float(mean_variance(one) - mean_variance(two)),
            at_least=0,
        )
        for scale, (one, two) in rewards.items()
    )


def besa_plus_minus(samples: DataArray) -> dict[str, Array]:
    """The paired difference of BESA+ from each of the others, by title, with its interval."""
    own = samples.sel(policy=BesaPlus.title).values
    others = [title for title in samples.policy.values.tolist() if title != BesaPlus.title]
    return {title: mean_band(own - samples.sel(policy=title).values) for title in others}


def lower_regret(regret: DataArray) -> Parts:
    """Claim 25, from the regret of each policy, by its title, at one step."""
    return tuple(
        Part.estimate(f"regret of BESA+ minus that of {title}", band, at_most=0)
        for title, band in besa_plus_minus(regret).items()
    )

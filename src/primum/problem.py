"""A problem: named arms and a safety value."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from primum.errors import ParameterError, PrimumError, as_primum_error, within
from primum.plugins import registry
from primum.plugins.parameters import Parameter
from primum.rewards import RewardDistribution
from primum.text import MOST_ROWS, html_table
from primum.values import SafetyValue

ROUNDING_ERROR = 1e-12  # relative to the rewards
LARGEST = 1e60  # of rewards and true values: fourth powers, added up over all steps and replications, are finite
SIZE = Parameter("", -LARGEST, LARGEST)


class Problem:
    """Named arms, each a reward distribution, and the safety value that regret is measured in.

    An arm can also be a frozen distribution of `scipy.stats`, such as ``scipy.stats.gamma(2, scale=0.1)``.

    >>> from primum import rewards, values
    >>> problem = Problem({"old": rewards.Constant(0.4), "new": rewards.Uniform(0, 1)}, values.Mean())
    >>> problem.gaps
    array([0.1, 0. ])
    """

    def __init__(self, arms: Mapping[str, RewardDistribution | str | Mapping[str, Any]], value: Any) -> None:
        if not isinstance(arms, Mapping):
            raise ParameterError(
                f"arms must be a mapping from names to reward distributions, got {type(arms).__name__}"
            )
        if not arms:
            raise ParameterError("a problem needs at least one arm, got none")
        self.arms: dict[str, RewardDistribution] = {
            check_name(name): _build("rewards", arm, "arms", name) for name, arm in arms.items()
        }
        self.value: SafetyValue = _build("values", value, "value")

    @property
    def names(self) -> list[str]:
        """The arms' names, in order."""
        return list(self.arms)

    @cached_property
    def true_values(self) -> NDArray[np.float64]:
        """The true safety value of each arm."""
        known: dict[int, float] = {}  # by identity: a user's class may compare equal and yet differ
        for name, arm in self.arms.items():
            if id(arm) not in known:
                with within("arms", name):
                    known[id(arm)] = true_value(self.value, arm)
        return np.array([known[id(arm)] for arm in self.arms.values()])

    @cached_property
    def gaps(self) -> NDArray[np.float64]:
        """The gap of each arm: the best true value minus its own."""
        gaps = self.true_values.max() - self.true_values
        ends = np.array([arm.support for arm in self.arms.values()])
        unit = np.abs(ends[np.isfinite(ends)]).max(initial=0.0) if self.value.in_reward_units else 1.0
        scale = max(np.abs(self.true_values).max(), unit)
        return np.where(gaps <= ROUNDING_ERROR * scale, 0.0, gaps)

    @property
    def best(self) -> NDArray[np.bool_]:
        """Which arms are best; there may be several."""
        best: NDArray[np.bool_] = self.gaps == 0
        return best

    def spec(self) -> dict[str, Any]:
        """Plain data from which `from_spec` makes an equal problem."""
        return {"arms": {name: arm.spec() for name, arm in self.arms.items()}, "value": self.value.spec()}

    @classmethod
    def from_spec(cls, spec: Mapping[str, Any]) -> Problem:
        """The problem that a spec describes."""
        return cls(spec["arms"], spec["value"])

    def __eq__(self, other: object) -> bool:
        # the order of arms counts: it decides which random numbers an arm gets
        return (
            isinstance(other, Problem)
            and list(self.arms.items()) == list(other.arms.items())
            and self.value == other.value
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [f"{name!r}: {arm}" for name, arm in list(self.arms.items())[:4]]
        more = f", ... {len(self.arms) - 4} more" if len(self.arms) > 4 else ""
        return f"Problem({{{', '.join(shown)}{more}}}, value={self.value})"

    def _repr_html_(self) -> str:
        caption = f"Problem by {self.value.display_name}"
        rows: list[tuple[Any, ...]] = [(name, arm.display_name) for name, arm in self.arms.items()]
        if len(rows) > MOST_ROWS:  # all of them are needed for a gap, which can take long
            return html_table(caption, rows, ("Arm", "Rewards"))
        try:
            numbers = zip(rows, self.true_values, self.gaps, strict=True)
            rows = [(*row, f"{value:.4g}", f"{gap:.4g}") for row, value, gap in numbers]
        except PrimumError as error:
            return html_table(f"{caption}. {error}", rows, ("Arm", "Rewards"))
        return html_table(caption, rows, ("Arm", "Rewards", "True value", "Gap"))


def check_name(name: Any) -> str:
    """The name of an arm, if it can be one."""
    if not isinstance(name, str) or not name.strip():
        raise ParameterError(f"an arm's name must be a text that is not empty, got {name!r}")
    return name


def true_value(value: SafetyValue, arm: RewardDistribution) -> float:
    """The true safety value of an arm, or an error if it is not a number of moderate size."""
    what = f"the true {value.display_name} of {arm.display_name}"
    try:
        check_distribution(arm.display_name, arm)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite in the end is refused
            number = float(value.true_value(arm))
    except PrimumError:
        raise
    except Exception as error:  # a user's class may raise anything
        raise ParameterError(f"{what} cannot be computed: {as_primum_error(error).sentence}") from error
    if not math.isfinite(number):
        raise ParameterError(f"{what} is {number}, not a number")
    if abs(number) > LARGEST:
        raise ParameterError(f"{what} must be in {SIZE.interval}, got {number:g}")
    return number


def check_size(who: str, *rewards: float) -> None:
    """Refuse rewards that are so large that numbers computed from them may not be finite."""
    for reward in rewards:
        if LARGEST < abs(reward) < math.inf:  # an infinite end of a support is never a reward
            raise ParameterError(f"{who}: rewards must be in {SIZE.interval}, got {reward:g}")


def check_distribution(who: str, distribution: RewardDistribution) -> None:
    """Refuse a distribution whose parts do not fit together, as a user's own may not."""
    quantiles = rewards_at(np.linspace(1e-6, 1 - 1e-6, 65), who, distribution)
    if (np.diff(quantiles) < -ROUNDING_ERROR * max(1.0, *np.abs(quantiles))).any():
        raise ParameterError(f"{who}: quantile(u) must not decrease as u grows")
    if distribution.atoms is not None:
        values, probabilities = distribution.atoms
        if (np.diff(values) <= 0).any() or (probabilities < 0).any() or abs(probabilities.sum() - 1) > 1e-9:
            raise ParameterError(f"{who}: atoms must be ascending rewards with probabilities that add up to 1")


def rewards_at(u: NDArray[np.float64], who: str, distribution: RewardDistribution) -> NDArray[np.float64]:
    """The quantiles of a distribution, or an error if they are not numbers of moderate size in its support."""
    try:
        low, high = map(float, distribution.support)
        check_size(who, low, high)
        with np.errstate(over="ignore", invalid="ignore"):  # what is not finite in the end is refused
            found = np.asarray(distribution.quantile(u), np.float64)
    except PrimumError:
        raise
    except Exception as error:  # a user's class may raise anything
        raise ParameterError(f"{who}: quantile(u) or support failed: {as_primum_error(error).sentence}") from error
    if found.shape != u.shape or not np.isfinite(found).all():
        raise ParameterError(f"{who}: quantile(u) must give a finite number for each u")
    least, most = found.min(), found.max()
    check_size(who, least, most)
    slack = ROUNDING_ERROR * max(1.0, *(abs(end) for end in (low, high, least, most) if math.isfinite(end)))
    if not (low - slack <= least and most <= high + slack):
        raise ParameterError(f"{who} has the support [{low:g}, {high:g}], but quantiles from {least:g} to {most:g}")
    return found


def _build(family: str, given: Any, *path: str) -> Any:
    with within(*path):
        return registry.build(family, given)

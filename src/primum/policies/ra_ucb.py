"""RA-UCB."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import best_score, largest, opening, tied
from primum.kernels.contract import kernel, large_kernel, note
from primum.kernels.divergences import exploration_level, lowest_mean
from primum.kernels.elementary import exp, expm1, log, log1p
from primum.kernels.noting import HIGHEST, SCORES, SELECTED
from primum.plugins.parameters import parameter
from primum.policies.policy import Policy

BERNOULLI = 1.0  # position among the divergences
# what is remembered of an arm's harms: how many were counted, their sum, and sums at the shift of the last exact bound
COUNTED, SUM, SHIFT, LOGS, INVERSES = 0, 1, 2, 3, 4
MARGIN = 1e-9  # bounds closer than this leave open which arm is the better one, or whether two are equal


@kernel
def harm(reward: float, theta: float) -> float:
    """(exp(-theta x) - exp(-theta)) / (1 - exp(-theta)), from 1 at x = 0 down to 0 at x = 1, without cancellation."""
    return exp(-theta * reward) * expm1(-theta * (1.0 - reward)) / expm1(-theta)


@kernel
def entropic_value(mean_harm: float, theta: float) -> float:
    """The entropic value by mean harm: -log(exp(-theta) + (1 - exp(-theta)) mean harm) / theta."""
    rise = -expm1(-theta)
    if theta < 1.0:
        return -log1p(rise * (mean_harm - 1.0)) / theta
    return -log(exp(-theta) + rise * mean_harm) / theta


@large_kernel
def count_harms(history: Any, arm: int, theta: float) -> None:
    """Bring what is remembered of an arm up to date."""
    memory = history.memory[arm]
    for i in range(int(memory[COUNTED]), history.pulls[arm]):
        z = harm(history.rewards[arm, i], theta)
        memory[SUM] += z
        shifted = memory[SHIFT] + z
        memory[LOGS] += log(shifted) if shifted > 0.0 else -math.inf
        memory[INVERSES] += 1.0 / shifted if shifted > 0.0 else math.inf
    memory[COUNTED] = history.pulls[arm]


@kernel
def harm_bounds(history: Any, arm: int, divergence: float) -> tuple[float, float]:
    """A number below and one above the lowest mean harm, in constant time, from the sums at the remembered shift.

    The lower one is the dual function (see RaUcb). The upper one is the mean of a distribution within the divergence:
    that proportional to 1 / (shift + z), mixed with the rewards' own as far as needed, for divergences are convex.
    """
    memory, n = history.memory[arm], history.pulls[arm]
    mean, shift = memory[SUM] / n, memory[SHIFT]
    if mean <= 0.0 or divergence <= 0.0:
        return mean, mean
    low = min(mean, max(0.0, exp(memory[LOGS] / n - divergence) - shift))
    if math.isinf(memory[INVERSES]):
        return low, mean
    reached = memory[LOGS] / n + log(memory[INVERSES] / n)
    if reached > divergence:
        return low, mean + divergence / reached * (n / memory[INVERSES] - shift - mean)
    if shift == 0.0:
        return low, low
    return low, n / memory[INVERSES] - shift


@large_kernel
def sums_at(z: Any, n: int, shift: float, centre: float) -> tuple[float, float, float]:
    """The sums of log((shift + z) / centre), of 1 / (shift + z) and of its square over n harms."""
    logs, product, inverses, squares = 0.0, 1.0, 0.0, 0.0
    for i in range(n):
        inverse = 1.0 / (shift + z[i])
        inverses += inverse
        squares += inverse * inverse
        product *= (shift + z[i]) / centre
        if product < 1e-150 or product > 1e150:  # seldom: a logarithm costs as much as ten products
            logs += log(product)
            product = 1.0
    return logs + log(product), inverses, squares


@large_kernel
def lowest_mean_harm(history: Any, arm: int, divergence: float, theta: float) -> float:
    """The exact lowest mean harm within the divergence; the sums at its shift go into the memory."""
    memory, n, z = history.memory[arm], history.pulls[arm], history.points
    mean, least, most = memory[SUM] / n, math.inf, 0.0
    for i in range(n):
        z[i] = harm(history.rewards[arm, i], theta)
        least = min(least, z[i])
        most = max(most, z[i])
    # log E e^W - E W <= d^2 / 8 for W in an interval of width d (Hoeffding), which bounds the shift from above
    low, high = 0.0, most / expm1(math.sqrt(8.0 * divergence))
    shift = memory[SHIFT]
    if shift > 0.0 and least > 0.0:
        shift = 0.0  # whether mass at harm 0 is needed; had the memory been at shift 0, its bounds would have told
    elif not 0.0 < shift < high:
        shift = 0.5 * high
    for _ in range(200):  # five or so are enough, but for extreme parameters
        centre = shift + mean
        logs, inverses, squares = sums_at(z, n, shift, centre)
        reached = logs / n + log(inverses / n * centre)
        if shift == 0.0:
            if reached <= divergence:
                break
            shift = memory[SHIFT] if memory[SHIFT] < high else 0.5 * high
            continue
        if reached > divergence:
            low = shift
        else:
            high = shift
        # Newton's method on reached ** -0.5, which is nearly linear in the shift; at the root the answer is flat in it
        slope = inverses / n - squares / inverses
        step = -2.0 * reached * (math.sqrt(max(0.0, reached) / divergence) - 1.0) / slope if slope < 0.0 else math.inf
        if abs(step) <= 1e-8 * shift or high - low <= 1e-8 * high:
            break
        shift += step
        if not low < shift < high:
            shift = math.sqrt(low * high) if low > 0.0 else 0.1 * high
    memory[SHIFT] = shift
    memory[LOGS] = logs + n * log(centre)
    memory[INVERSES] = inverses
    return max(0.0, mean + centre * expm1(logs / n - divergence))


@large_kernel
def best_empirical_bound(history: Any, level: float, theta: float) -> int:
    """The arm with the largest index. Only arms that bounds in constant time leave in the race are computed exactly.

    So the choice depends on the rewards alone, not on what happens to be remembered of earlier exact computations.
    """
    scores, exact = history.scores, history.order
    floor = -math.inf
    for k in range(history.arms):
        count_harms(history, k, theta)
        low, high = harm_bounds(history, k, level / history.pulls[k])
        scores[k] = entropic_value(low, theta)
        exact[k] = int(low == high)
        floor = max(floor, entropic_value(high, theta))
    while True:
        rivals, last, unknown = 0, 0, -1
        for k in range(history.arms):
            if scores[k] >= floor - MARGIN:
                rivals += 1
                last = k
                if exact[k] == 0 and (unknown < 0 or scores[k] > scores[unknown]):
                    unknown = k
        if rivals == 1:
            note(history, HIGHEST, last, 0, 0.0, 0.0)
            return last
        if unknown < 0:
            break
        low = lowest_mean_harm(history, unknown, level / history.pulls[unknown], theta)
        scores[unknown] = entropic_value(low, theta)
        exact[unknown] = 1
        floor = max(floor, scores[unknown])
    note(history, SCORES, 0, 0, 0.0, 0.0)
    best = scores[last]
    for k in range(history.arms):
        if scores[k] > best:
            best = scores[k]
    for k in range(history.arms):
        if not tied(history, scores[k], best):
            scores[k] = -math.inf
    arm = largest(history)
    note(history, SELECTED, arm, 0, 0.0, 0.0)
    return arm


@dataclass(frozen=True)
class RaUcb(Policy):
    """Upper confidence bounds on the entropic value -(1/theta) log E exp(-theta X).

    Each arm once, then the largest value of a distribution on [0, 1] within the Kullback-Leibler divergence
    (log t + c log log t) / n of the arm's n rewards. In terms of the harm Z = (exp(-theta X) - exp(-theta)) /
    (1 - exp(-theta)), in [0, 1] and falling in X, the value falls in E Z alone, so this is KL-UCB on the mean of 1 - Z.
    Divergences:

    - ``empirical``: between all distributions. By Jensen's inequality the lowest E Z within d of the rewards is the
      largest exp(mean of log(m + Z) - d) - m over m >= 0, and where m = 0, a distribution with mass at Z = 0 (see
      below) attains it.
    - ``bernoulli``: between Bernoulli distributions, on the mean of Z: never less, and a few operations a step.

    Reference: Maillard, "Robust risk-averse stochastic multi-armed bandits", ALT 2013, RA-UCB, not checked against the
    article. The bound is that of Cappé, Garivier, Maillard, Munos, Stoltz, "Kullback-Leibler upper confidence bounds
    for optimal sequential allocation", Ann. Statist. 41(3), 2013, empirical KL-UCB, with m + 1 for its multiplier: the
    distribution has weights proportional to 1 / (m + Z) on the rewards, and at m = 0 what is left of the mass on X = 1.
    The tests check it against convex optimisation.

    >>> RaUcb(theta=2).own_value
    {'name': 'entropic', 'theta': 2.0}
    """

    title = "RA-UCB"

    theta: float = parameter(1.0, "risk aversion", low=0.0, high=100.0, open_low=True)
    exploration: float = parameter(0.0, "c, the weight of log log t", low=0.0)
    divergence: str = parameter("empirical", "class of distributions", choices=("empirical", "bernoulli"))

    memory_width = 5

    @property
    def own_value(self) -> dict[str, Any]:
        return {"name": "entropic", "theta": self.theta}

    reward_bounds = 0.0, 1.0
    decides_by = "upper confidence bound"

    @staticmethod
    def choose(history: Any, theta: float, exploration: float, divergence: float) -> int:
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        level = exploration_level(history, exploration)
        if divergence != BERNOULLI:
            return best_empirical_bound(history, level, theta)
        for k in range(history.arms):
            count_harms(history, k, theta)
            n = history.pulls[k]
            history.scores[k] = entropic_value(lowest_mean(history.memory[k, SUM] / n, level / n), theta)
        return best_score(history)

"""The allocation rules of trials: the probability of each arm, from the outcomes of all arms as lists."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from tests.oracle import blocks

if TYPE_CHECKING:
    from tests.oracle.trial import Trial

Samples = Sequence[Sequence[float]]


def scaled(weights: Sequence[float]) -> list[float]:
    return [weight / math.fsum(weights) for weight in weights]


def complete(samples: Samples, assigned: Sequence[int], horizon: int, weights: Sequence[float]) -> list[float]:
    return scaled([*weights, *[1.0] * len(samples)][: len(samples)])


def permuted_blocks(
    samples: Samples,
    assigned: Sequence[int],
    horizon: int,
    block: int,
    ratio: Sequence[int],
    path: Sequence[int] = (),
) -> list[float]:
    """After a path of arms that the rule chose itself; those before it are `assigned`, and came from another rule."""
    in_ratio = [*ratio, *[1] * len(samples)][: len(samples)]
    times = -(-block // sum(in_ratio)) if block else 1
    sizes = [1] if block else blocks.SIZES
    return blocks.chances([times * share for share in in_ratio], path, sizes, assigned, number=float)


def chances_in_blocks(trial: Trial, block: int, ratio: Sequence[int]) -> list[float]:
    """The path begins anew where another rule has decided."""
    memory = trial.memory
    if memory.get("step") != trial.step:
        memory["before"], memory["path"] = list(trial.assigned), []
    return permuted_blocks(trial.rewards, memory["before"], trial.horizon, block, ratio, memory["path"])


def continue_blocks(trial: Trial, arm: int) -> None:
    trial.memory["path"] = [*trial.memory["path"], arm]
    trial.memory["step"] = trial.step + 1


def draw_in_blocks(trial: Trial, block: int, ratio: Sequence[int]) -> int:
    arm = drawn(trial, chances_in_blocks(trial, block, ratio))
    continue_blocks(trial, arm)
    return arm


@functools.lru_cache(10_000)
def _probabilities_best(a: tuple[float, ...], b: tuple[float, ...]) -> list[float]:
    """The trapezoidal rule on the scale of log odds, with SciPy's distribution functions."""
    modes = [math.log(x / y) for x, y in zip(a, b)]
    widths = [math.sqrt((x + y) / (x * y)) for x, y in zip(a, b)]
    reach = [40 * width if min(x, y) > 50 else 45.0 for x, y, width in zip(a, b, widths)]
    low, high = (min(m - r for m, r in zip(modes, reach)), max(m + r for m, r in zip(modes, reach)))
    points = int((high - low) / min(0.05, 0.15 * min(widths)))
    y, step = np.linspace(low, high, points, retstep=True)
    densities = [np.exp(p * y - (p + q) * np.logaddexp(0.0, y) - special.betaln(p, q)) for p, q in zip(a, b)]
    below = [special.betainc(p, q, special.expit(y)) for p, q in zip(a, b)]
    return [
        float((density * math.prod(below[:k] + below[k + 1 :])).sum() * step) for k, density in enumerate(densities)
    ]


def probabilities_best(successes: Sequence[float], failures: Sequence[float]) -> list[float]:
    """P(each arm has the highest parameter) under Beta(1 + successes, 1 + failures)."""
    return _probabilities_best(tuple(1.0 + s for s in successes), tuple(1.0 + f for f in failures))


def restricted(shares: Sequence[float], total: float, least: float, largest: float) -> list[float]:
    """min(largest, max(least, scale * share)) with the scale that gives the total, by bisection."""
    if least * len(shares) >= total or largest * len(shares) <= total:
        return [total / len(shares)] * len(shares)

    def at(log_scale: float) -> list[float]:
        return [min(largest, max(least, math.exp(min(0.0, log_scale + math.log(share))))) for share in shares]

    low, high = -1000.0, 1000.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(at(middle)) < total else (low, middle)
    return at(high)


def posterior_best(
    samples: Samples,
    assigned: Sequence[int],
    horizon: int,
    exponent: float,
    schedule: str,
    least: float,
    largest: float,
    control_share: float,
    best: str,
) -> list[float]:
    successes = [math.fsum(sample) for sample in samples]
    failures = [len(sample) - s for sample, s in zip(samples, successes)]
    best_of = (successes, failures) if best == "highest" else (failures, successes)
    c = exponent if schedule == "constant" else exponent * (sum(assigned) + 1) / (2 * horizon)
    shares = [max(p, 1e-10) ** c for p in probabilities_best(*best_of)]
    if control_share and len(shares) > 1:
        return [control_share, *restricted(shares[1:], 1 - control_share, least, largest)]
    return restricted(shares, 1, least, largest)


def play_the_winner(samples: Samples, assigned: Sequence[int], horizon: int, u: float, b: float) -> list[float]:
    urn = [u] * len(samples)
    for arm, sample in enumerate(samples):
        for outcome in sample:
            for k in range(len(urn)):
                urn[k] += b * outcome if k == arm else b * (1 - outcome) / (len(urn) - 1)
    return scaled(urn)


def biased_coin(samples: Samples, assigned: Sequence[int], horizon: int, target: str, gamma: float) -> list[float]:
    p = [(sum(sample) + 1) / (len(sample) + 2) for sample in samples]
    aims = {
        "rsihr": lambda p: math.sqrt(p),
        "neyman": lambda p: math.sqrt(p * (1 - p)),
        "urn": lambda p: 1 / (1 - p),
    }
    rho = scaled([aims[target](each) for each in p])
    if gamma == 0:
        return rho
    if 0 in assigned:
        return scaled([n == 0 for n in assigned])
    return scaled([r * (r / (n / sum(assigned))) ** gamma for r, n in zip(rho, assigned)])


PROBABILITIES: dict[str, Callable[..., list[float]]] = {
    "uniform-random": complete,
    "permuted-blocks": permuted_blocks,
    "posterior-best": posterior_best,
    "randomised-play-the-winner": play_the_winner,
    "doubly-adaptive-biased-coin": biased_coin,
}


def drawn(trial: Trial, chances: Sequence[float]) -> int:
    """The first arm at which the cumulative probability exceeds a uniform number."""
    u = trial.stream.uniform()
    return next(k for k in range(trial.arms) if math.fsum(chances[: k + 1]) > u and chances[k] > 0)


def draw(trial: Trial, probabilities: Callable[..., list[float]], **parameters: object) -> int:
    """An arm by its probability."""
    if parameters.get("weights") == []:
        return trial.stream.below(trial.arms)
    return drawn(trial, probabilities(trial.rewards, trial.assigned, trial.horizon, **parameters))


RULES: dict[str, Callable[..., int]] = {
    name: functools.partial(draw, probabilities=probabilities) for name, probabilities in PROBABILITIES.items()
} | {"permuted-blocks": draw_in_blocks}

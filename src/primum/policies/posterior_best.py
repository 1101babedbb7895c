"""Response-adaptive randomisation by the posterior probability of being best."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.kernels.choosing import drawn_arm, restrict
from primum.kernels.contract import kernel
from primum.kernels.elementary import power
from primum.kernels.posteriors import RESULT, WIDTH, A, B, find_lowest
from primum.plugins.parameters import parameter
from primum.policies.counts import Array, Counts
from primum.policies.hypergeometric import larger_posterior
from primum.policies.native_chances import CONSTANT, TEMPERED, NativeChances, Step
from primum.policies.policy import MEAN, Policy

LOWEST = 1.0  # position among the meanings of "best"
# columns of the memory: 1 + the number of outcomes that its probabilities are based on, the shares made of them, and
# the exponent of these
KNOWN, SHARE, EXPONENT = WIDTH, WIDTH + 1, WIDTH + 2
SMALLEST = 1e-10  # probability of being best that is told from 0


@kernel
def update_best(history: Any, best: float) -> bool:
    """Compute the probabilities of being best, if outcomes have come in."""
    memory, known = history.memory, 1.0
    for k in range(history.arms):
        known += history.pulls[k]
    if memory[0, KNOWN] == known:
        return False
    memory[0, KNOWN] = known
    for k in range(history.arms):
        successes, failures = 1.0 + history.sums[k], max(1.0, 1.0 + (history.pulls[k] - history.sums[k]))
        # the highest success rate is the lowest failure rate
        memory[k, A], memory[k, B] = (successes, failures) if best == LOWEST else (failures, successes)
    find_lowest(memory, history.arms)
    return True


@dataclass(frozen=True)
class PosteriorBest(Policy):
    """Response-adaptive randomisation (RAR) by the posterior probability of being best.

    Arm k is chosen with a probability proportional to P_k^c, where P_k is the posterior probability that it has the
    highest mean of all, or the lowest where the event is undesirable. Posteriors are Beta(1 + successes, 1 + failures);
    an outcome x between 0 and 1 is x of a success and 1 - x of a failure. P_k is computed by numerical integration with
    an error below 1e-10, and smaller ones count as 1e-10.

    - c is `exponent`, or with ``schedule="thall-wathen"`` `exponent` times t / (2 N) at patient t of N.
    - With `control_share` the first arm, the control, always has this probability, and the others share the rest.
    - Probabilities below `least` are raised to it, those above `largest` lowered to it, and the others scaled in
      proportion, until all are in bounds. If that is impossible with so many arms, all are equal.

    With exponent 1 and no bounds it is Thompson sampling.

    Reference: Thall, Wathen, "Practical Bayesian adaptive randomisation in clinical trials", European Journal of Cancer
    43(5), 2007.

    >>> PosteriorBest(exponent=0.5, least=0.2, best="lowest").label
    "posterior-best(exponent=0.5, least=0.2, best='lowest')"
    """

    title = "RAR by posterior probability of being best"
    group = "Allocation rules of trials"

    exponent: float = parameter(1.0, "0 is equal randomisation, larger values favour the best arm more", low=0.0)
    schedule: str = parameter(
        "constant", "whether the exponent grows with t / (2 N)", choices=("constant", "thall-wathen")
    )
    least: float = parameter(0.0, "smallest allocation probability", low=0.0, high=1.0)
    largest: float = parameter(1.0, "largest allocation probability", low=0.0, high=1.0)
    control_share: float = parameter(
        0.0, "fixed allocation probability of the first arm; 0: not fixed", low=0.0, high=1.0, open_high=True
    )
    best: str = parameter("highest", "whether the best arm has the highest or the lowest mean",
                          choices=("highest", "lowest"))  # fmt: skip

    memory_width = WIDTH + 3

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.least > self.largest:
            raise ParameterError(
                f"{self.name}: least must be at most largest, got {self.least:g} and {self.largest:g}", ("least",)
            )

    @property
    def needs_horizon(self) -> bool:  # type: ignore[override]
        return self.schedule == "thall-wathen"

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "probability of being best"
    states_probabilities = True

    @staticmethod
    def choose(
        history: Any, exponent: float, schedule: float, least: float, largest: float, control_share: float, best: float
    ) -> int:
        shares, memory, arms = history.scores, history.memory, history.arms
        c = exponent if schedule == 0.0 else exponent * history.step / (2.0 * history.horizon)
        if not update_best(history, best) and memory[0, EXPONENT] == c:
            for k in range(arms):
                shares[k] = memory[k, SHARE]
            return drawn_arm(history)
        most = SMALLEST
        for k in range(arms):
            most = max(most, memory[k, RESULT])
        for k in range(arms):
            shares[k] = power(max(memory[k, RESULT], SMALLEST) / most, c)
        if control_share > 0.0 and arms > 1:
            shares[0] = control_share
            restrict(shares, 1, arms, 1.0 - control_share, least, largest)
        else:
            restrict(shares, 0, arms, 1.0, least, largest)
        memory[0, EXPONENT] = c
        for k in range(arms):
            memory[k, SHARE] = shares[k]
        return drawn_arm(history)

    def chances(self, counts: Counts) -> Array:
        if self.control_share > 0:
            return np.full((1, 1), 1.0 - self.control_share)
        second = larger_posterior(*counts.pulls)
        if self.best == "lowest":
            second = 1.0 - second
        c = self.exponent
        if self.schedule == "thall-wathen":
            c *= counts.step / (2.0 * counts.horizon)
        first, second = np.maximum(1.0 - second, SMALLEST) ** c, np.maximum(second, SMALLEST) ** c
        low, high = max(self.least, 1.0 - self.largest), min(self.largest, 1.0 - self.least)
        return np.clip(second / (first + second), low, high) if low < high else np.full((1, 1), 0.5)

    def native_chances(self, at: Step) -> NativeChances:
        if self.control_share > 0:
            return NativeChances(CONSTANT, share=1.0 - self.control_share)
        least = max(self.least, 1.0 - self.largest)
        if least >= 0.5:
            return NativeChances(CONSTANT, share=0.5)
        c = self.exponent * (1.0 if self.schedule == "constant" else at.step / (2.0 * at.horizon))
        return NativeChances(TEMPERED, exponent=c, smallest=SMALLEST, least=least, reversed=self.best == "lowest")

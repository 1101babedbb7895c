"""The forward-looking Gittins index rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from primum.kernels.choosing import largest
from primum.kernels.contract import kernel
from primum.kernels.streams import below, uniform
from primum.plugins.parameters import parameter
from primum.policies.gittins_index import index, packed_table
from primum.policies.policy import MEAN, Policy

BLOCK, KEEPS_CONTROL = 1, 2  # in the header of a packed table
# successes and outcomes known, at the start of the block, and on the path ahead; 1 + the number of the block
SUCCESSES, OUTCOMES, START_SUCCESSES, START_OUTCOMES, PATH_SUCCESSES, PATH_OUTCOMES, STARTED = range(7)


@kernel
def score_path(history: Any, table: Any) -> None:
    """Score each arm by its index on the path ahead; a control that keeps its share is out of the comparison."""
    memory = history.memory
    for k in range(history.arms):
        history.scores[k] = index(table, memory[k, PATH_SUCCESSES], memory[k, PATH_OUTCOMES])
    if table[KEEPS_CONTROL] != 0.0:
        history.scores[0] = -1.0


@dataclass(frozen=True)
class ForwardLookingGittins(Policy):
    """Randomises each block of patients by the expected allocation of the Gittins index rule over the block.

    At the start of a block, arm k has probability (1 / block) times the expected number of the block's patients that
    the Gittins index rule would give it, outcomes being drawn from the posteriors. Each patient of the block has these
    probabilities, exactly: the rule is followed on one path to a patient of the block drawn at random. With `control`
    fixed, the first of K arms has probability 1/K throughout and the rule chooses among the others, also on the path.
    A block of 1 is the Gittins index rule.

    Bernoulli rewards with uniform priors, and indices, as in `Gittins`; a reward in [0, 1] counts as a success with
    probability equal to the reward. A block uses the outcomes known when its first patient is allocated.

    Reference: Villar, Wason, Bowden, "Response-adaptive randomization for multi-arm clinical trials using the
    forward looking Gittins index rule", Biometrics 71, 2015.

    >>> ForwardLookingGittins(block=20, control="fixed").display_name
    'Forward-looking Gittins index (block 20, control fixed)'
    """

    title = "Forward-looking Gittins index"
    group = "Allocation rules of trials"

    discount: float = parameter(
        0.99, "weight of the next patient relative to this one", low=0.0, high=0.9995, open_low=True
    )
    block: int = parameter(9, "patients in a block", low=1, high=10_000, integer=True)
    control: str = parameter(
        "adaptive", "allocation to the first arm: by the rule, or fixed at 1/K", choices=("adaptive", "fixed")
    )

    memory_width = 7

    own_value = MEAN
    reward_bounds = 0.0, 1.0
    decides_by = "expected allocation over the block"

    def packed(self) -> tuple[Any, ...]:
        return (packed_table(self.discount, self.block, self.control == "fixed"),)

    @staticmethod
    def choose(history: Any, table: Any) -> int:
        memory, stream, arms = history.memory, history.stream, history.arms
        block = int(table[BLOCK])
        number = 1.0 + (history.step - 1) // block
        if memory[0, STARTED] != number:
            memory[0, STARTED] = number
            for k in range(arms):
                memory[k, START_SUCCESSES] = memory[k, SUCCESSES]
                memory[k, START_OUTCOMES] = memory[k, OUTCOMES]
        share = 1.0 / arms if table[KEEPS_CONTROL] != 0.0 else 0.0
        if uniform(stream) < share:
            return 0
        for k in range(arms):
            memory[k, PATH_SUCCESSES] = memory[k, START_SUCCESSES]
            memory[k, PATH_OUTCOMES] = memory[k, START_OUTCOMES]
        for _ in range(below(stream, block)):
            if uniform(stream) >= share:
                score_path(history, table)
                k = largest(history)
                mean = (memory[k, PATH_SUCCESSES] + 1.0) / (memory[k, PATH_OUTCOMES] + 2.0)
                memory[k, PATH_OUTCOMES] += 1.0
                if uniform(stream) < mean:
                    memory[k, PATH_SUCCESSES] += 1.0
        score_path(history, table)
        return largest(history)

    @staticmethod
    def learn(history: Any, arm: int, reward: float, table: Any) -> None:
        memory = history.memory
        memory[arm, OUTCOMES] += 1.0
        if uniform(history.stream) < reward:
            memory[arm, SUCCESSES] += 1.0

"""Your own policy: explore, and permanently drop arms that are clearly worse."""

import math
from dataclasses import dataclass

import primum
from primum import parameter, policies, rewards, values
from primum.kernels import log, opening, value_of


@dataclass(frozen=True)
class Dropping(policies.Policy):
    """Pulls the least tried remaining arm; drops an arm when another is clearly better.

    Clearly: by twice `width` * sqrt(log(t) / n) for two arms tried n times, after successive elimination (Even-Dar,
    Mannor, Mansour, JMLR 7, 2006).
    """

    width: float = parameter(0.5, "how much better is clearly better", low=0.0)

    memory_width = 1  # memory[arm, 0] is 1 for an arm that is dropped
    decides_by = "the fewest pulls among the arms that are not dropped"  # in the explanations of a replay

    @staticmethod
    def choose(history, width):
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            if history.memory[k, 0] == 0.0:
                arm = k if arm < 0 or history.assigned[k] < history.assigned[arm] else arm
        return arm

    @staticmethod
    def learn(history, arm, reward, width):
        for k in range(history.arms):
            if history.pulls[k] == 0:
                return
        scale = log(history.step)
        best = -math.inf
        for k in range(history.arms):
            if history.memory[k, 0] == 0.0:
                best = max(best, value_of(history, k) - width * math.sqrt(scale / history.pulls[k]))
        for k in range(history.arms):
            if value_of(history, k) + width * math.sqrt(scale / history.pulls[k]) < best:
                history.memory[k, 0] = 1.0


problem = primum.Problem(
    {"a": rewards.Uniform(0, 0.7), "b": rewards.Uniform(0.2, 0.8), "c": rewards.Uniform(0.1, 1)}, values.CVaR(alpha=0.2)
)
results = primum.simulate(
    problem, [Dropping(), Dropping(width=0.2), "besa-plus"], horizon=2_000, replications=200, seed=7
)
print(results.summary()[["regret_mean", "regret_low", "regret_high", "stuck_share"]])

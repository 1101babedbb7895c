"""A satisficing policy."""

from dataclasses import dataclass

from primum import parameter, policies
from primum.kernels import best_score, opening, value_of


@dataclass(frozen=True)
class Satisficer(policies.Policy):
    """Pulls the arm with the best estimate if that reaches the target, otherwise the least tried arm.

    After Simon, "Rational choice and the structure of the environment", Psychological Review 63, 1956, who calls it
    satisficing. Under any safety value; each arm once first.
    """

    target: float = parameter(0.5, "the value that is good enough")

    decides_by = "estimate"  # in the explanations of a replay

    @staticmethod
    def choose(history, target):
        arm = opening(history, 1.0)
        if arm >= 0:
            return arm
        for k in range(history.arms):
            history.scores[k] = value_of(history, k)
        best = best_score(history)
        return best if history.scores[best] >= target else opening(history, history.step)

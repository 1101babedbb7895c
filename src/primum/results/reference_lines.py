"""Grey reference lines in figures: bounds on regret, and the rewards of a single arm."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.figures import Reference
from primum.problem import Problem
from primum.results.measures import means
from primum.theory import lower_bound, upper_bound

Array = np.ndarray[Any, Any]
LONG, SHORT = (6, 2), (1, 1.5)  # dashes


def always(problem: Problem, steps: Array) -> tuple[Reference, ...]:
    """The reward of a best arm under the value, and of the arm with the largest mean if that is larger."""
    give = means(problem)
    best, largest = int(np.where(problem.best, give, -np.inf).argmax()), int(give.argmax())
    same = bool(np.isclose(give[best], give[largest], rtol=1e-9, atol=0))

    def reference(arm: int, why: str, dash: tuple[float, float]) -> Reference:
        curve = np.full(len(steps), give[arm])
        return Reference(f"Always {problem.names[arm]}", f"{give[arm]:.4g}; {why}", curve, dash)

    why = f"best by {problem.value.display_name}"
    first = reference(best, f"{why}, and no mean is larger" if same else why, LONG)
    return (first,) if same else (first, reference(largest, "the largest mean", SHORT))


def bounds_on_regret(problem: Problem, steps: Array) -> tuple[Reference, ...]:
    """The known bounds, each with its value at the last step, where it may be far above the axis."""
    drawn, missing = [], []
    last = f"at step {steps[-1]:,}"
    try:
        upper = upper_bound(problem, steps)
        doubt = "its proof has a gap"
        if not upper.is_well_behaved:
            doubt += ", and the value is not well-behaved"
        which = "gap x T" if upper.is_trivial[-1] else "bound"
        note = f"min(bound, gap x T) = {which} = {upper.regret[-1]:,.4g} {last} ({doubt})"
        drawn.append(Reference(f"{upper.theorem} for BESA+", note, upper.regret, LONG))
    except ParameterError as error:
        missing.append(str(error))
    try:
        lower = lower_bound(problem)
        curve = lower.regret(steps)
        note = f"{lower.constant:.3g} log T = {curve[-1]:,.4g} {last} ({lower.source}; asymptotic)"
        drawn.append(Reference("Lower bound", note, curve, SHORT))
    except ParameterError as error:
        missing.append(str(error))
    if not drawn:
        raise ParameterError("there is no bound to draw: " + "; ".join(missing))
    return tuple(drawn)

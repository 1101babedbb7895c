"""What a picture of a simulation is compared with, in grey: bounds on regret, and what a single arm gives."""

from __future__ import annotations

from typing import Any

import numpy as np

from primum.errors import ParameterError
from primum.figures import Reference
from primum.problem import Problem
from primum.results.measures import means
from primum.text import in_words
from primum.theory import lower_bound, upper_bound

Array = np.ndarray[Any, Any]
LONG, SHORT = (6, 2), (1, 1.5)  # dashes


def always(problem: Problem, steps: Array) -> tuple[Reference, ...]:
    """What a best arm by the value gives, and the arm of the largest mean if it gives more."""
    give = means(problem)
    best, largest = int(np.where(problem.best, give, -np.inf).argmax()), int(give.argmax())
    same = bool(np.isclose(give[best], give[largest], rtol=1e-9, atol=0))

    def reference(arm: int, why: str, dash: tuple[float, float]) -> Reference:
        curve = np.full(len(steps), give[arm])
        return Reference(f"Always {problem.names[arm]}", f"{give[arm]:.4g}; {why}", curve, dash)

    first = reference(best, f"best by {in_words(problem.value)}" + ", and no mean is larger" * same, LONG)
    return (first,) if same else (first, reference(largest, "the largest mean", SHORT))


def bounds_on_regret(problem: Problem, steps: Array) -> tuple[Reference, ...]:
    """The bounds that are known, each with its value at the last step, where it may be far above the picture."""
    drawn, missing = [], []
    last = f"at step {steps[-1]:,}"
    try:
        upper = upper_bound(problem, steps)
        doubt = "its proof has a gap" + ", and the value is not well-behaved" * (not upper.is_well_behaved)
        which = "gap x T" if upper.is_trivial[-1] else "bound"
        note = f"min(bound, gap x T) = {which} = {upper.regret[-1]:,.4g} {last} ({doubt})"
        drawn.append(Reference(f"{upper.theorem} for BESA+", note, upper.regret, LONG))
    except ParameterError as error:
        missing.append(str(error))
    try:
        lower = lower_bound(problem)
        curve = lower.regret(steps)
        note = f"{lower.constant:.3g} log T = {curve[-1]:,.4g} {last} ({lower.source}; asymptotic)"
        drawn.append(Reference("Least growth", note, curve, SHORT))
    except ParameterError as error:
        missing.append(str(error))
    if not drawn:
        raise ParameterError("there is no bound to draw: " + "; ".join(missing))
    return tuple(drawn)

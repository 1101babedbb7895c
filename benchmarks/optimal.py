"""Optimal designs: a sweep of the dynamic programme, and searches with the gap between share and bound.

    python benchmarks/optimal.py [PATIENTS ...]

Seconds of processor time of one thread, native code compiled beforehand; the machine should be quiet.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # idle threads of it count as processor time

from primum import trials  # after the number of threads is set
from primum.trials.optimum.cutting_planes import CuttingPlanes
from primum.trials.optimum.lagrangian import Lagrangian, Multipliers
from primum.trials.optimum.question import Question

PRIOR = [
    (0.1, 0.3), (0.2, 0.4), (0.3, 0.5), (0.4, 0.6), (0.5, 0.7), (0.6, 0.8), (0.7, 0.9), (0.3, 0.4), (0.5, 0.6),
    (0.3, 0.6), (0.2, 0.3),
]  # fmt: skip
POWERS = {148: 0.68, 300: 0.85}  # of each number of patients
CONVERGED = 0.002  # the gap between the bounds of the share
ALPHA = 0.0485


def timed(function: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time that a call takes, and what it returns."""
    begin = time.process_time()
    result = function()
    return time.process_time() - begin, result


def bounds(patients: int, power: float) -> tuple[int, float]:
    """The sweeps until the bounds of the share have converged, and their gap."""
    lagrangian = Lagrangian(Question.checked(patients, ALPHA, PRIOR, 0.0, "greater"))
    planes = CuttingPlanes(lagrangian)
    planes.largest_power(ALPHA, CONVERGED, lambda gap: None, enough=power)
    found = planes.largest_share(ALPHA, power, CONVERGED, lambda gap: None)
    return lagrangian.sweeps, found.upper - found.lower


def measured(patients: int) -> dict[str, str]:
    """What is measured for a number of patients, in words."""
    power = POWERS[patients]
    lagrangian = Lagrangian(Question.checked(patients, ALPHA, PRIOR, 0.0, "greater"))
    multipliers = Multipliers(1.0, 0.5, lagrangian.start.error / 2)
    sweep = min(timed(lambda: lagrangian.follow(multipliers))[0] for _ in range(3))
    until, (sweeps, gap) = timed(lambda: bounds(patients, power))
    whole, found = timed(
        lambda: trials.optimal(patients=patients, alpha=ALPHA, power=power, prior=PRIOR, progress=False)
    )
    return {
        "sweep, backward and forward": f"{sweep:.3f} s",
        f"bounds with a gap below {CONVERGED}": f"{until:.1f} s, {sweeps} sweeps, gap {gap:.4f}",
        "trials.optimal": f"{whole:.1f} s, bound minus share {found.bound - found.share:.4f}, power {found.power:.4f}",
    }


def main() -> int:
    for patients in [int(each) for each in sys.argv[1:]] or list(POWERS):
        small = Lagrangian(Question.checked(20, ALPHA, PRIOR, 0.0, "greater"))
        small.best(small.start)  # compiles
        print(f"{patients} patients, eleven pairs, level {ALPHA}, power {POWERS[patients]}")
        for what, figure in measured(patients).items():
            print(f"  {what:<34} {figure}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

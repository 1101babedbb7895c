"""Other designs for the same patients, what they give them, and the ceiling above all of them."""

from __future__ import annotations

import numpy as np

from primum.lab.trials.schemas import CeilingCurve, FrontierPoint, TrialFrontier
from primum.lab.trials.settings import Trial, is_exact
from primum.lab.trials.stopping import Deadline
from primum.policies import UniformRandom
from primum.store import Store
from primum.trials import Frontier
from primum.trials import frontier as frontier_of
from primum.trials.frontiers.points import Point

POLICIES = ("besa-plus(floor=2)", "thompson", "posterior-best(exponent=0.5)", "randomised-play-the-winner")
COINS = (0.0, 0.2, 0.4)
BURN_INS = (0.0, 0.1)  # patients of each arm, as parts of all
MOST_PATIENTS = 150
SECONDS = 60.0
MORE, LESS = 0.1, 0.02  # power: more than that of the settings, and less than the largest
CURVE = 41  # points of the ceiling
UNAVAILABLE = (
    f"Designs are compared here for a control and one new treatment that is better, success or failure known at once, "
    f"no drift and at most {MOST_PATIENTS} patients; primum trial frontier compares others by simulation."
)
TOO_SLOW = "Comparing designs takes too long here; choose fewer patients, or use primum trial frontier."


def frontier(trial: Trial, store: Store, deadline: Deadline) -> TrialFrontier:
    """The frontier around the design of the settings."""
    settings, design = trial.settings, trial.chosen
    is_known = trial.is_binary and len(trial.names) == 2 and settings.effect > 0 and settings.sided != "less"
    if not is_known or settings.drift or settings.patients > MOST_PATIENTS or not is_exact(trial.equal):
        return TrialFrontier(sentence=UNAVAILABLE, points=[], ceiling=CeilingCurve(share=[], power=[]))
    deadline.allow(SECONDS)
    policies = (
        [design.policy, *POLICIES, UniformRandom()] if design.policy.has_chances else [*POLICIES, UniformRandom()]
    )
    sizes = sorted({design.burn_in, *(round(part * design.patients) for part in BURN_INS)})
    base = design if design.policy.has_chances else design.replace(policy=UniformRandom())
    try:
        found = frontier_of(
            base, trial.scenarios["effect"], policies=policies, coins=sorted({settings.coin, *COINS}), burn_ins=sizes,
            store=store, progress=deadline,
        )  # fmt: skip
    except KeyboardInterrupt:
        return TrialFrontier(sentence=TOO_SLOW, points=[], ceiling=CeilingCurve(share=[], power=[]))
    return _told(found, is_own=base is design)


def _told(found: Frontier, *, is_own: bool) -> TrialFrontier:
    dominated, proposed = found.dominated(), _proposed(found)
    points = [
        FrontierPoint(
            name=each.name,
            policy=each.design.policy.spec(),
            coin=float(each.design.coins()[-1]),
            burn_in=each.design.burn_in,
            analysis=each.design.analysis.name,
            share=each.share,
            power=each.power,
            dominated=worse,
            own=is_own and i == 0,
            shown=each in proposed,
        )
        for i, (each, worse) in enumerate(zip(found.points, dominated, strict=True))
    ]
    assert found.ceiling is not None
    low, high = min(each.power for each in found.points), found.ceiling.largest_power
    heights = np.linspace(min(low, high), high, CURVE)
    curve = CeilingCurve(share=found.ceiling.at(heights).tolist(), power=heights.tolist())
    return TrialFrontier(sentence=_sentence(found, proposed), points=points, ceiling=curve)


def _proposed(found: Frontier) -> list[Point]:
    """Up to two designs that are better in one respect and no worse in the other; else two with more power."""
    own = found.points[0]
    better = [each for each in found.points[1:] if each.share >= own.share and each.power >= own.power]
    if better:
        chosen = [max(better, key=lambda each: each.power), max(better, key=lambda each: each.share)]
    else:
        most = max(each.power for each in found.points)
        powers = [power for power in (own.power + MORE, most - LESS) if own.power < power <= most]
        chosen = [found.most_helped(power) for power in powers]
    return [each for i, each in enumerate(chosen) if each not in chosen[:i]]


def _sentence(found: Frontier, proposed: list[Point]) -> str:
    own = found.points[0]
    is_beaten = any(each.share >= own.share and each.power >= own.power for each in proposed)
    if is_beaten:
        end = "; these have more of one and no less of the other:"
    else:
        end = "; no design here has more of both" + (". With more power:" if proposed else ".")
    return (
        f"{own.name}, with a test that holds its level: {_percent(own.share)} of the patients on the better treatment, "
        f"and a power of {_percent(own.power)}{end}"
    )


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"

"""A design beside equal randomisation, in a sentence."""

from __future__ import annotations

import math

from primum.lab.trials.schemas import Curve, DesignCharacteristics, Estimate

CLEAR_ERRORS = 2.0  # standard errors of a difference that can be told from chance
TOLERANCE = 0.005  # above the level: many tests are approximate even with equal randomisation
SAME = 0.005  # probabilities that differ by less are called equal
SAME_PATIENTS = 0.5


def sentence(chosen: DesignCharacteristics, equal: DesignCharacteristics, patients: int, alpha: float) -> str:
    """What the chosen design does to patients, power and type I error, compared with equal randomisation."""
    if chosen.on_better.value is None:
        parts = [f"All arms are equally good; {_type_1(chosen, alpha)}"]
    else:
        more = _patients(chosen.on_better, equal.on_better, patients)
        parts = [f"Compared with equal randomisation, {more}", _power(_found(chosen), _found(equal))]
        parts.append(_type_1(chosen, alpha))
    if chosen.type_1_drift is not None:
        parts.append(f"with the drift it is {_percent(chosen.type_1_drift)}")
    return f"{'; '.join(parts)}."


def _patients(chosen: Estimate, equal: Estimate, patients: int) -> str:
    more = (chosen.value or 0.0) - (equal.value or 0.0)
    if abs(more) < SAME_PATIENTS or not _is_clear(chosen, equal):
        return f"as many of the {patients:,} patients get the better treatment"
    return f"{abs(more):.0f} {'more' if more > 0 else 'fewer'} of {patients:,} patients get the better treatment"


def _found(design: DesignCharacteristics) -> Estimate:
    """Power; of several arms, the probability to declare one of the better ones, since other claims are false."""
    return design.power_any if len(design.patients) > 2 else design.power


def _power(chosen: Estimate, equal: Estimate) -> str:
    change = (chosen.value or 0.0) - (equal.value or 0.0)
    if abs(change) < SAME or not _is_clear(chosen, equal):
        return f"power is about the same ({_percent(chosen)})"
    return f"power {'rises' if change > 0 else 'falls'} from {_percent(equal)} to {_percent(chosen)}"


def _type_1(chosen: DesignCharacteristics, alpha: float) -> str:
    found, largest = chosen.type_1, chosen.largest_type_1
    margin = max(TOLERANCE, CLEAR_ERRORS * (found.error or 0.0))
    value = found.value or 0.0
    how = " instead of" if value > alpha + margin else ", within" if value <= alpha else ", close to"
    text = f"type I error is {_percent(found)}{how} the nominal {100 * alpha:.3g} %"
    if largest is not None and largest.value > max(alpha, value) + TOLERANCE:
        text += f", and up to {100 * largest.value:.1f} % at other success probabilities"
    elif largest is None and (clearly := _clearly_above(chosen.curve, max(alpha, value) + TOLERANCE)):
        text += f", and {100 * clearly[0]:.1f} % at {clearly[1]:g}"
    return text


def _clearly_above(curve: Curve, limit: float) -> tuple[float, float] | None:
    """The largest simulated type I error that is not above a limit by chance, and where it is."""
    found = zip(curve.type_1, curve.p, curve.error, strict=True)
    return max(((each, p) for each, p, error in found if each - CLEAR_ERRORS * error > limit), default=None)


def _percent(given: Estimate) -> str:
    return f"{100 * (given.value or 0.0):.1f} %"


def _is_clear(a: Estimate, b: Estimate) -> bool:
    spread = math.hypot(a.error or 0.0, b.error or 0.0)
    return abs((a.value or 0.0) - (b.value or 0.0)) > CLEAR_ERRORS * spread

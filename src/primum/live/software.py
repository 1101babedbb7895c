"""Which software decides, and whether another version would decide differently."""

from __future__ import annotations

import hashlib
import math
import shlex
from typing import Any

from primum.errors import PrimumError, quoted
from primum.live.course import Course
from primum.live.journal.entries import canonical, digest
from primum.plugins.registry import classes
from primum.store import fingerprints
from primum.trials.design import Design
from primum.trials.live_settings import BINARY, LiveSettings
from primum.trials.simulation.probabilities import given_all_before

REHEARSALS = 4
MOST_PATIENTS = 300  # of a rehearsal
LATEST = 4  # patients after whom its outcomes are known, at most


def software_of(design: Design, settings: LiveSettings) -> dict[str, Any]:
    """The versions in use, a fingerprint of the code that decides, and a hash of what it decides in a rehearsal."""
    return {
        "versions": fingerprints.versions(),
        "fingerprint": _fingerprint(design),
        "rehearsal": rehearsal(design, settings),
    }


def check_form(given: Any) -> dict[str, Any]:
    """What an entry says about software, if it has the form that `software_of` gives it."""
    keys = {"versions": dict, "fingerprint": str, "rehearsal": str}
    if not isinstance(given, dict) or not all(isinstance(given.get(key), kind) for key, kind in keys.items()):
        raise PrimumError(f"its software must have the keys versions, fingerprint and rehearsal, got {quoted(given)}")
    versions = given["versions"]
    if not {"primum", "python"} <= set(versions) or not all(isinstance(each, str) for each in versions.values()):
        raise PrimumError(f"its software must have versions of Primum and of Python, got {quoted(versions)}")
    return given


def _fingerprint(design: Design) -> str:
    return fingerprints.results(frozenset(classes(design.plugins)), fingerprints.TRIAL_PATHS)


def has_changed(design: Design, recorded: dict[str, Any]) -> bool:
    """Whether the code that decides is not the recorded one."""
    return bool(_fingerprint(design) != recorded["fingerprint"])


def check(design: Design, settings: LiveSettings, recorded: dict[str, Any]) -> None:
    """Refuse software that decides differently from the recorded one in a rehearsal."""
    if rehearsal(design, settings) != recorded["rehearsal"]:
        raise PrimumError(different(recorded))


def different(recorded: dict[str, Any]) -> str:
    """What to do if this software decides differently from the recorded one."""
    then, now = recorded["versions"], fingerprints.versions()
    numbers = {"primum[live]" if name == "primum" else name: then[name] for name in then if name != "python"}
    packages = shlex.join(f"{name}=={number}" for name, number in numbers.items())
    return (
        "this software would allocate participants differently from the one that the trial runs with "
        f"(Primum {then['primum']} there, {now['primum']} here), so it does not continue the trial. Go on with the old "
        f"one: with Python {then['python']}, python -m venv old && old/bin/pip install {packages}"
    )


def rehearsal(design: Design, settings: LiveSettings) -> str:
    """A hash of all decisions in some trials with made-up outcomes."""
    courses = [rehearsed(design, settings, seed) for seed in range(REHEARSALS)]
    return digest(canonical([[course.arms, [look.__dict__ for look in course.looks]] for course in courses]))


def rehearsed(design: Design, settings: LiveSettings, seed: int, *, with_looks: bool = True) -> Course:
    """A trial with made-up outcomes."""
    course = Course(design, seed)
    for t in range(min(design.patients, MOST_PATIENTS)):
        while with_looks and course.due_look():
            course.take_look()
        if course.stopped:
            break
        course.allocate()
        lag = _number(seed, t, "lag") % LATEST
        if t >= lag and math.isnan(course.outcomes[t - lag]):
            course.tell(t - lag, _outcome(seed, t - lag, settings))
    return course


def predictable_share(design: Design, settings: LiveSettings) -> float:
    """Of the allocations in a rehearsal, the part that the earlier ones and the data known before determine."""
    course = rehearsed(design, settings, 0, with_looks=False)
    possible = given_all_before(course.trials(chances=True))[0, : course.enrolled] > 0
    return float((possible.sum(axis=1) == 1).mean())


def _outcome(seed: int, patient: int, settings: LiveSettings) -> float:
    """Any outcome in the first rehearsal, then only the lowest, only the highest, and both of them."""
    low, high = settings.range
    number = _number(seed, patient, "outcome")
    share = number / 2**64 if seed == 0 else float(seed == 2 or (seed == 3 and number % 2))
    return low + (high - low) * (share if settings.outcomes != BINARY or seed else float(number % 2))


def _number(seed: int, patient: int, purpose: str) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed} {patient} {purpose}".encode()).digest()[:8], "big")

"""What a live trial starts with: a design of a plan, outcomes that it is made for, and a rehearsal."""

from __future__ import annotations

from typing import Any

from primum.errors import ParameterError, PrimumError, UnknownNameError, quoted
from primum.live import software
from primum.live.blinding import MOST_KITS
from primum.plugins.parameters import Parameter
from primum.text import listed
from primum.trials.design import Design
from primum.trials.live_settings import BINARY, LiveSettings
from primum.trials.plan import Plan

REHEARSAL = "REHEARSAL"  # before the title of one


def chosen(
    plan: Plan | Design, name: str | None, settings: LiveSettings | None, title: str
) -> tuple[Design, LiveSettings, str]:
    """The design to run, how it is conducted, and its title."""
    if isinstance(plan, Design):
        return plan, settings or LiveSettings(), title
    if not isinstance(plan, Plan):
        raise ParameterError(f"a live trial needs a trials.Design or a trials.Plan, got {quoted(plan)}")
    if name is None and len(plan.designs) > 1:
        raise ParameterError(
            f"the plan has {len(plan.designs)} designs; say which one to run: {listed([*plan.designs], 'or')}",
            ("design",),
        )
    name = next(iter(plan.designs)) if name is None else name
    if name not in plan.designs:
        raise UnknownNameError("design", name, plan.designs, ("design",))
    return plan.designs[name], settings or plan.live or LiveSettings(), title or plan.title


def check_outcomes(design: Design, settings: LiveSettings) -> None:
    """Refuse outcomes that the policy or the analysis is not made for."""
    for part in (design.analysis, design.stopping):
        if part is not None and part.binary and settings.outcomes != BINARY:
            raise ParameterError(
                f'{part.display_name} needs outcomes 0 and 1: outcomes must be "binary", '
                f"got {quoted(settings.outcomes)}",
                ("outcomes",),
            )
    low, high = settings.range
    least, most = design.policy.reward_bounds
    if low < least or high > most:
        raise ParameterError(
            f"{design.policy.display_name} needs outcomes in {Parameter('', least, most).interval}, "
            f"got [{low:g}, {high:g}]",
            ("outcomes",),
        )
    if len(design.arms) * design.patients > MOST_KITS:
        raise ParameterError(f"{len(design.arms)} arms of {design.patients} patients are more than there are kit codes")


def rehearsed_software(design: Design, settings: LiveSettings) -> dict[str, Any]:
    """The software, after a rehearsal of the design with all kinds of outcomes."""
    try:
        return software.software_of(design, settings)
    except PrimumError as error:
        low, high = settings.range
        raise ParameterError(
            f"this design fails in a rehearsal with outcomes in [{low:g}, {high:g}]: {error}; choose outcomes, policy, "
            "value and stopping rule that fit each other",
            ("outcomes",),
        ) from error


def title_of(title: str, is_rehearsal: bool) -> str:
    """The title of a trial, which says in every place where it stands if it is a rehearsal."""
    return f"{REHEARSAL}: {title}" if is_rehearsal else title


def check_kind(shown: str, is_rehearsal: bool, wanted: bool) -> None:
    """Refuse a rehearsal in place of a trial, and the other way round."""
    if is_rehearsal and not wanted:
        raise PrimumError(f"the journal {shown} is that of a rehearsal with made-up patients, and no trial")
    if wanted and not is_rehearsal:
        raise PrimumError(f"the journal {shown} is that of a trial, and no rehearsal")

"""How a trial ends: recruitment ends, outcomes are completed, and two people lock it with what is missing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from primum.errors import ParameterError, PrimumError, quoted
from primum.live.conduct.participants import Enrolled
from primum.live.errors import Refused
from primum.live.journal import entries
from primum.live.privacy import key_of
from primum.text import counted, listed

if TYPE_CHECKING:
    from primum.live.state import State

Data = dict[str, Any]
Stage = Literal["open", "paused", "stopped", "full", "recruited", "lock proposed", "locked"]


@dataclass(frozen=True)
class Proposal:
    """That somebody wants to lock the trial, and which outcomes are missing then."""

    who: str
    at: datetime
    reason: str
    missing: list[str]


def stage_of(state: State) -> Stage:
    """Whether participants can be enrolled, or why not."""
    if state.locked:
        return "locked"
    if proposal_of(state) is not None:
        return "lock proposed"
    if state.recruited:
        return "recruited"
    if state.course.stopped:
        return "stopped"
    if state.course.enrolled == state.design.patients:
        return "full"
    return "paused" if state.paused else "open"


def missing_of(state: State) -> list[Enrolled]:
    """All whose outcome is not known, for whatever reason, in the order of enrolment."""
    return [each for each in state.participants.values() if each.outcome is None]


def proposal_of(state: State) -> Proposal | None:
    """The proposal to lock the trial; it lapses when an outcome becomes known that was missing."""
    proposal = state.proposal
    return proposal if proposal is not None and proposal.missing == _codes(state) else None


def recruitment_ended(state: State, given: Data, at: datetime, who: str) -> Data:
    """Nobody is enrolled any more, and outcomes go on."""
    state.check_open("end recruitment")
    if state.recruited:
        raise Refused(f"recruitment has ended already ({state.recruited})")
    state.recruited = given["reason"]
    return {"reason": given["reason"]}


def lock_proposed(state: State, given: Data, at: datetime, who: str) -> Data:
    """Somebody proposes to lock the trial, and accepts what is missing."""
    state.check_open("propose to lock it")
    state.people.check_may(who, "administrator", "propose to lock the trial")
    stage = stage_of(state)
    if stage in ("open", "paused"):
        raise Refused("end recruitment first; the trial is locked when its outcomes are complete")
    if stage == "lock proposed":
        raise Refused("the lock is proposed already; another person approves it")
    missing = check_missing(state, given["missing"])
    state.proposal = Proposal(who, at, given["reason"], missing)
    return {"reason": given["reason"], "missing": missing}


def check_missing(state: State, given: Any) -> list[str]:
    """The codes of all whose outcome is missing, if they are those that somebody accepts."""
    if not isinstance(given, list | tuple) or not all(isinstance(each, str) for each in given):
        raise ParameterError(f"missing must be a list of codes, got {quoted(given)}", ("missing",))
    codes, accepted = _codes(state), {key_of(each) for each in given}
    unaccepted = [code for code in codes if key_of(code) not in accepted]
    surplus = [each for each in given if key_of(each) not in {key_of(code) for code in codes}]
    if unaccepted:
        raise ParameterError(
            f"{counted(len(unaccepted), 'outcome')} missing that missing does not name: {listed(unaccepted)}; ask for "
            "the list again, and accept all of it",
            ("missing",),
        )
    if surplus:
        raise ParameterError(
            f"no outcome is missing of {listed(surplus)}; ask for the list again, and accept all of it", ("missing",)
        )
    return codes


def lock_withdrawn(state: State, given: Data, at: datetime, who: str) -> Data:
    """The proposal to lock the trial is taken back."""
    if proposal_of(state) is None:
        raise Refused("nobody has proposed to lock the trial")
    state.proposal = None
    return {}


def check_lock(state: State, missing: Any, who: str) -> Proposal:
    """The proposal that another person approves, with what is missing."""
    state.check_open("lock it again")
    state.people.check_may(who, "approver", "approve the lock of the trial")
    proposal = proposal_of(state)
    if proposal is None:
        lapsed = ", or it lapsed because an outcome became known" if state.proposal is not None else ""
        raise Refused(f"nobody has proposed to lock the trial{lapsed}")
    if key_of(who) == key_of(proposal.who):
        raise Refused(f"{who!r} has proposed the lock, so another person must approve it")
    check_missing(state, missing)
    return proposal


def locked(state: State, given: Data, at: datetime, who: str) -> Data:
    """Nothing about participants changes any more, and the secret is revealed."""
    proposal = check_lock(state, given["missing"], who)
    if state.course.due_look() or state.course.due_final_look():
        raise PrimumError("a look is due before it")
    state.locked = proposal.reason
    return {
        "reason": proposal.reason,
        "missing": proposal.missing,
        "proposed_by": proposal.who,
        "secret": state.secret.text,
    }


def _codes(state: State) -> list[str]:
    return [each.participant for each in missing_of(state)]


KINDS: dict[str, Callable[[Any, Data, datetime, str], Data]] = {
    entries.RECRUITED: recruitment_ended,
    entries.LOCK_PROPOSED: lock_proposed,
    entries.LOCK_WITHDRAWN: lock_withdrawn,
    entries.LOCKED: locked,
}

"""What people do with participants, and how they end a trial."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from primum.errors import ParameterError
from primum.live.conduct import ending
from primum.live.conduct.participants import Enrolled, check_enrolling, check_scope
from primum.live.conduct.revealing import revealed_by
from primum.live.conduct.times import date_of, day
from primum.live.drafting import Draft, take_looks
from primum.live.journal import entries
from primum.live.journal.folded_journal import FoldedJournal
from primum.live.privacy import check_code, check_text, key_of
from primum.live.state import State
from primum.live.views import (
    Allocation,
    Missing,
    Participant,
    UnblindedArm,
    allocation_of,
    due_of,
    missing_from,
    participant_of,
)


class Conduct(FoldedJournal):
    """The part of a live trial that is about participants and its end."""

    def enrol(
        self,
        participant: str,
        *,
        eligibility: Sequence[str] = (),
        consent: str | None = None,
        who: str | None = None,
        confirm: bool = False,
    ) -> Allocation:
        """Allocate a participant to an arm, or tell again to which one.

        `eligibility` are the criteria that were confirmed, and `consent` is the date of consent, as the trial asks for
        them. A code that looks like a name, a date or an address is questioned, unless it is confirmed.
        """
        key = key_of(participant)
        with self._lock:  # an allocation never changes, so a known one needs no transaction
            self._check_not_exchanged()
            if self._state is not None and key in self._state.participants and self.journal.is_same_file():
                return allocation_of(self._state, self._state.participants[key])

        def steps(draft: Draft) -> Allocation:
            state = draft.state
            if key not in state.participants:
                given = {
                    "participant": check_code(participant, confirm),
                    "eligibility": eligibility,
                    "consent": consent,
                }
                check_enrolling(state)
                take_looks(draft)
                draft.add(entries.ENROLLED, given)
            return allocation_of(state, state.participants[key])

        return self._do(who, steps)

    def allocation(self, participant: str) -> Allocation:
        """Tell again how a participant was allocated, as `enrol` does, and enrol nobody."""
        with self._reading() as state:
            return allocation_of(state, state.find(participant))

    def void(self, participant: str, *, reason: str, who: str | None = None, confirm: bool = False) -> Participant:
        """Declare an enrolment an error: the participant stays in the record, and no outcome is awaited."""

        def steps(draft: Draft) -> Participant:
            found, text = draft.state.find(participant), check_text("reason", reason, confirm)
            if found.void is None or found.void.reason != text:
                draft.add(entries.VOIDED, {"participant": found.participant, "reason": text})
            return self._seen_now(draft.state, found)

        return self._do(who, steps)

    def record(
        self,
        participant: str,
        outcome: float,
        *,
        on: str | None = None,
        who: str | None = None,
        confirm: bool = False,
    ) -> Participant:
        """Record the outcome of a participant, which is of a date; the same outcome again changes nothing.

        One that is dated before it is due, or in the future, is questioned, unless it is confirmed.
        """

        def steps(draft: Draft) -> Participant:
            state = draft.state
            found, number = state.find(participant), state.settings.check(outcome)
            if found.first_outcome is None or number != found.first_outcome:
                dated = on or self._today(state, found).isoformat()
                if found.is_awaited:
                    self._question(state, found, dated, confirm)
                draft.add(entries.OUTCOME, {"participant": found.participant, "outcome": number, "on": dated})
                if state.recruited or state.course.enrolled == state.design.patients:
                    take_looks(draft)  # else the next enrolment does
            return self._seen_now(state, found)

        return self._do(who, steps)

    def correct(
        self,
        participant: str,
        outcome: float,
        *,
        replaces: float,
        reason: str,
        on: str | None = None,
        who: str | None = None,
        confirm: bool = False,
    ) -> Participant:
        """Correct an outcome, which is now `replaces`; decisions made before stay as they were.

        The last correction again changes nothing; an earlier one again, or one of a value that is not the present one,
        is refused.
        """

        def steps(draft: Draft) -> Participant:
            state = draft.state
            found, text = state.find(participant), check_text("reason", reason, confirm)
            dated = on or found.outcome_on or self._today(state, found).isoformat()
            given = {"participant": found.participant, "outcome": outcome, "replaces": replaces, "on": dated}
            given["reason"] = text
            if found.corrected[-1:] != [given]:
                if found.outcome is not None and dated != found.outcome_on:
                    self._question(state, found, dated, confirm)
                draft.add(entries.CORRECTED, given)
            return self._seen_now(state, found)

        return self._do(who, steps)

    def withdraw(
        self, participant: str, *, scope: str, reason: str, who: str | None = None, confirm: bool = False
    ) -> Participant:
        """Note that a participant withdraws: ``"treatment"`` or ``"data"``.

        Who stops the treatment stays in the trial, and the outcome is still collected (intention to treat). Without
        the consent to data no outcome is collected any more, and a known one stays.
        """
        check_scope(scope)

        def steps(draft: Draft) -> Participant:
            found, text = draft.state.find(participant), check_text("reason", reason, confirm)
            before = found.withdrawal
            if before is None or before.scope != scope:
                draft.add(entries.WITHDRAWN, {"participant": found.participant, "scope": scope, "reason": text})
            return self._seen_now(draft.state, found)

        return self._do(who, steps)

    def unblind(self, participant: str, *, reason: str, who: str | None = None, confirm: bool = False) -> UnblindedArm:
        """Tell the arm of one participant in an emergency; the journal, monitors and approvers learn that it was."""

        def steps(draft: Draft) -> UnblindedArm:
            state = draft.state
            found, text = state.find(participant), check_text("reason", reason, confirm)
            if (found.participant, draft.who, text) not in {
                (each.participant, each.who, each.reason) for each in state.unblindings
            }:
                draft.add(entries.UNBLINDED, {"participant": found.participant, "reason": text})
            kit = found.kit if state.settings.blinded else None
            return UnblindedArm(found.participant, found.arm, kit, revealed_by(state, found))

        return self._do(who, steps)

    # the end

    def end_recruitment(self, *, reason: str, who: str | None = None) -> None:
        """Enrol nobody any more; outcomes go on. This cannot be undone."""
        text = check_text("reason", reason, True)

        def steps(draft: Draft) -> None:
            if draft.state.recruited != text:
                draft.add(entries.RECRUITED, {"reason": text})

        self._do(who, steps)

    def missing(self) -> list[Missing]:
        """All whose outcome is not known, and why, without arms."""
        with self._reading() as state:
            return missing_from(state, self._clock())

    def propose_lock(self, *, reason: str, missing: Sequence[str], who: str | None = None) -> None:
        """Propose to lock the trial, and accept which outcomes are `missing`; another person approves it."""
        text = check_text("reason", reason, True)

        def steps(draft: Draft) -> None:
            proposal = ending.proposal_of(draft.state)
            if proposal is None or (proposal.who, proposal.reason) != (draft.who, text):
                draft.add(entries.LOCK_PROPOSED, {"reason": text, "missing": missing})

        self._do(who, steps)

    def withdraw_lock(self, *, who: str | None = None) -> None:
        """Take a proposal to lock the trial back."""
        self._do(who, lambda draft: draft.add(entries.LOCK_WITHDRAWN, {}))

    def lock(self, *, missing: Sequence[str], who: str | None = None) -> None:
        """Approve the lock that another person proposed.

        The final look is taken at the information that there is, nothing about participants changes any more, and the
        secret is revealed in the journal.
        """

        def steps(draft: Draft) -> None:
            ending.check_lock(draft.state, missing, draft.who)
            take_looks(draft, locking=True)
            draft.add(entries.LOCKED, {"missing": missing})

        self._do(who, steps)

    def _seen_now(self, state: State, found: Enrolled) -> Participant:
        return participant_of(state, found, self._clock())

    def _today(self, state: State, found: Enrolled) -> date:
        """Today, or the day of the enrolment if the clock has moved back since."""
        zone = state.settings.time_zone
        return max(day(self._clock(), zone), day(found.at, zone))

    def _question(self, state: State, found: Enrolled, on: str, confirmed: bool) -> None:
        """Question an outcome that comes before it can be."""
        given, due, today = date_of("on", on), due_of(state, found), self._today(state, found)
        if confirmed or ((due is None or due <= given) and given <= today):
            return
        early = f"the outcome is due on {due}, and {given} is before that"
        sentence = f"{given} is in the future" if due is None or due <= given else early
        raise ParameterError(f"{sentence}. If the date is right all the same, confirm it.", ("confirm",))

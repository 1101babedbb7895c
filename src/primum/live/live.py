"""A trial that runs for real: every step is an entry in a journal, and everything else is folded from it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from primum.errors import within
from primum.live import software
from primum.live.analysing import Statistics, statistics_of
from primum.live.blinding import Secret
from primum.live.conduct.doing import Conduct
from primum.live.drafting import Draft, writer_of
from primum.live.exporting import files_of, kits_of, participants_csv, write_files
from primum.live.journal import entries
from primum.live.journal.entries import Entry
from primum.live.journal.folded_journal import journal_at
from primum.live.journal.storage import Journal, Row
from primum.live.people.admission import Admission
from primum.live.people.names import BY_DESIGN
from primum.live.privacy import check_text
from primum.live.starting import check_kind, check_outcomes, chosen, rehearsed_software, title_of
from primum.live.state import FORMAT, State
from primum.live.verifying import Verification, follow, verify
from primum.live.views import Allocation, Participant, Status, allocation_of, participant_of, status_of
from primum.trials.design import Design
from primum.trials.live_settings import LiveSettings
from primum.trials.plan import Plan


class Live(Admission, Conduct):
    """A running trial of a design, in a journal at a path or at an address of PostgreSQL.

    Every method that changes something, or that shows arms, adds an entry with `who` did it. Enrolment is idempotent:
    a participant has one allocation, however often it is asked for. A Live may be used by several threads, and several
    processes may use one journal.

    >>> import tempfile
    >>> from primum import policies, trials
    >>> design = trials.Design(
    ...     arms=["control", "new"], patients=148, policy=policies.BesaPlus(floor=2), burn_in=5,
    ...     analysis=trials.RandomisationTest(sided="greater"),
    ... )
    >>> folder = tempfile.TemporaryDirectory()
    >>> with trials.Live.start(design, f"{folder.name}/trial.db", title="Two doses") as live:
    ...     first = live.enrol("P-001", who="Ward 3")
    ...     again = live.enrol("P-001", who="Ward 5")
    ...     known = live.record("P-001", 1, who="Ward 3")
    ...     print(first == again, known.state, live.status().enrolled, live.verify().ok)
    True known 1 True
    >>> folder.cleanup()
    """

    def __init__(
        self,
        journal: str | os.PathLike[str] | Journal,
        *,
        rehearsal: bool = False,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        super().__init__(journal, clock)
        try:
            with self._reading() as state:  # these never change
                self.title, self.design, self.settings = state.title, state.design, state.settings
                self.commitment = state.secret.commitment
                check_kind(self.journal.shown, state.is_rehearsal, rehearsal)
                has_changed = software.has_changed(state.design, state.software)
            if has_changed:
                self._continue_with_this_software()
        except BaseException:
            self.journal.close()
            raise

    @classmethod
    def start(
        cls,
        plan: Plan | Design,
        journal: str | os.PathLike[str],
        *,
        design: str | None = None,
        settings: LiveSettings | None = None,
        title: str = "",
        rehearsal: bool = False,
        who: str | None = None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> Live:
        """Create the journal of a new trial: of a design, or of one of the designs of a plan, by its name.

        That of a `rehearsal` is opened only by those who say that they rehearse, and decides by other random numbers.
        """
        run, settings, title = chosen(plan, design, settings, title)
        title = check_text("title", title_of(title or run.display_name, rehearsal), True)
        check_outcomes(run, settings)
        with within("analysis"):
            run.analysis.check_design(run)
        writer = writer_of(who)
        secret, store = Secret.new(), journal_at(journal)
        first = {
            "format": FORMAT,
            "rehearsal": rehearsal,
            "title": title,
            "design": run.spec(complete=True),  # defaults may change with the software
            "live": settings.spec(complete=True),
            "software": rehearsed_software(run, settings),
            "commitment": secret.commitment,
        }
        draft = Draft(State(secret), writer, clock)
        draft.add(entries.DESIGN, first)
        store.create(secret.text, draft.entries)
        return cls(store, rehearsal=rehearsal, clock=clock)

    # the trial

    def pause(self, *, reason: str, who: str | None = None) -> None:
        """Enrol nobody until `resume`; outcomes can be recorded."""
        text = check_text("reason", reason, True)

        def steps(draft: Draft) -> None:
            if draft.state.paused != text:
                draft.add(entries.PAUSED, {"reason": text})

        self._do(who, steps)

    def resume(self, *, reason: str, who: str | None = None) -> None:
        """Enrol again after `pause`."""
        text = check_text("reason", reason, True)
        self._do(who, lambda draft: draft.add(entries.RESUMED, {"reason": text}))

    def drop_arm(self, arm: str, *, reason: str, who: str | None = None) -> None:
        """Give no further participants to an arm."""
        text = check_text("reason", reason, True)
        self._do(who, lambda draft: draft.add(entries.DROPPED, {"arm": arm, "reason": text}))

    def note(self, text: str, *, who: str | None = None, confirm: bool = False) -> None:
        """Write a note; the same note again, if it is the writer's last one, changes nothing."""
        writer = writer_of(who)

        def steps(draft: Draft) -> None:
            checked = check_text("text", text, confirm)
            own = [written for by, written in draft.state.notes if by == writer]
            if own[-1:] != [checked]:
                draft.add(entries.NOTE, {"text": checked})

        self._do(writer, steps)

    # what people see

    def participants(self) -> list[Participant]:
        """All participants in the order of enrolment, without arms."""
        with self._reading() as state:
            now = self._clock()
            return [participant_of(state, found, now) for found in state.participants.values()]

    def status(self) -> Status:
        """Where the trial stands, without arms."""
        with self._reading() as state:
            return status_of(state, self._clock())

    def allocations(self, *, who: str | None = None) -> list[Allocation]:
        """All participants with their arms; unblinded, and so an entry in the journal."""
        return self._access(
            "allocations", who, lambda state: [allocation_of(state, each) for each in state.participants.values()]
        )

    def statistics(self, *, who: str | None = None) -> Statistics:
        """Allocation, estimates and the analysis of the design; unblinded, and so an entry in the journal."""
        return statistics_of(self._own(self._access("statistics", who, lambda state: state.number))[0])

    def kits(self, *, who: str | None = None) -> list[tuple[str, str]]:
        """All kits with their arms, in the order of their codes; unblinded, and so an entry in the journal."""
        return self._access("kit list", who, kits_of)

    def entries(
        self, *, after: int = 0, limit: int | None = None, search: str = "", who: str | None = None
    ) -> list[Entry]:
        """Entries of the journal in which a text occurs; unblinded, and so an entry in the journal."""
        last = self._access("journal", who, lambda state: state.number)
        rows = self.journal.after(0)[:last]
        found = [entry for entry in _chained(rows) if entry.number > after and search.lower() in entry.text.lower()]
        return found if limit is None else found[:limit]

    def verify(self, *, expect: str = "") -> Verification:
        """Recompute all hashes and allocations; see `trials.verify`."""
        return verify(self.journal, expect=expect)

    def files(self, *, unblinded: bool = False, who: str | None = None) -> dict[str, bytes]:
        """The trial as files by their names: CSV, JSON lines, TOML."""
        state, rows = self._own(self._access("export", who, lambda state: state.number) if unblinded else None)
        return files_of(state, list(_chained(rows)), unblinded, self._clock())

    def participants_csv(self, *, unblinded: bool = False, who: str | None = None) -> bytes:
        """The file of participants alone: blinded, or with arms and so an entry in the journal."""
        if unblinded:
            return self._access("participants", who, lambda state: participants_csv(state, True, self._clock()))
        with self._reading() as state:
            return participants_csv(state, False, self._clock())

    def export(self, folder: str | os.PathLike[str], *, unblinded: bool = False, who: str | None = None) -> list[Path]:
        """Write the trial to a folder as CSV and JSON lines: blinded, or with arms and the kit list."""
        return write_files(folder, lambda: self.files(unblinded=unblinded, who=who))

    def _own(self, last: int | None = None) -> tuple[State, list[Row]]:
        """A state of its own, folded up to an entry, and the rows: what takes long with it keeps nobody waiting."""
        rows = self.journal.after(0)[:last]
        state = State(Secret(self.journal.secret()))
        for row in rows:
            follow(state, row)
        return state, rows

    # the journal

    def backup(self, path: str | os.PathLike[str]) -> Verification:
        """Copy the journal in SQLite to another file, also while people enrol, and verify the copy."""
        self.journal.copy_to(path)
        copy = journal_at(path)
        try:
            return verify(copy)
        finally:
            copy.close()

    def disconnect(self) -> None:
        """Close all connections to the journal."""
        self.journal.close()

    def __enter__(self) -> Live:
        return self

    def __exit__(self, *_: object) -> None:
        self.disconnect()

    def _continue_with_this_software(self) -> None:
        """Note that other software goes on, if it decides as the old one does."""

        def steps(draft: Draft) -> None:
            state = draft.state
            software.check(state.design, state.settings, state.software)
            if software.has_changed(state.design, state.software):
                now = software.software_of(state.design, state.settings)
                draft.add(entries.SOFTWARE, {"software": now})

        self._do(BY_DESIGN, steps)


def _chained(rows: Sequence[Row]) -> Iterator[Entry]:
    previous = entries.START
    for row in rows:
        entry = entries.parse(row.number, row.text, row.hash, previous)
        previous = row.hash
        yield entry

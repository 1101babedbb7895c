"""Guard rails where something cannot be undone, and attempts to get round each of them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from primum import policies, trials
from primum.errors import ParameterError, PrimumError
from primum.live import Live, LiveSettings
from primum.live.blinding import Secret
from primum.live.conduct.times import after, local
from tests.clocks import Clock
from tests.live.journals import kinds
from tests.live.locking import APPROVES, PROPOSES, lock

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
CRITERIA = ("aged 18 or older", "no earlier treatment")


@pytest.fixture
def clock():
    return Clock(START)


@pytest.fixture
def start(begin, clock):
    def start(settings=None, **options):
        usual = {"arms": ["control", "new"], "patients": 20, "policy": policies.BesaPlus(), "burn_in": 2}
        design = trials.Design(**usual | {"analysis": trials.PooledZ(sided="greater")} | options)
        return begin(design, settings=settings, clock=clock)

    return start


@pytest.fixture
def live(start):
    return start()


def codes(live):
    return [each.participant for each in live.missing()]


# enrolment


@pytest.mark.parametrize(
    ("eligibility", "said"),
    [
        ((), "'aged 18 or older' is not confirmed"),
        (CRITERIA[:1], "'no earlier treatment' is not confirmed"),
        ((*CRITERIA, "rich"), "'rich' is no criterion"),
        ("aged 18 or older", "must be a list"),
        ((*CRITERIA, 7), "must be a list"),
        (None, "must be a list"),
    ],
)
def test_nobody_is_enrolled_without_all_criteria(start, eligibility, said):
    live = start(LiveSettings(eligibility=CRITERIA))
    with pytest.raises(ParameterError, match=said) as caught:
        live.enrol("P-1", eligibility=eligibility, who="ward", confirm=True)
    assert caught.value.path == ("eligibility",)
    assert live.status().enrolled == 0
    found = live.enrol("P-1", eligibility=CRITERIA[::-1], who="ward")
    assert found.eligibility == list(CRITERIA)
    assert live.enrol("P-1", who="ward") == found  # asking again is safe
    assert live.verify().ok


@pytest.mark.parametrize("consent", [None, "2026-03-03", "2026-3-2", "02.03.2026", "20260302", "", 7, "2026-02-30"])
def test_nobody_is_enrolled_without_a_date_of_consent(start, consent):
    live = start(LiveSettings(consent=True))
    with pytest.raises(ParameterError, match="consent") as caught:
        live.enrol("P-1", consent=consent, who="ward", confirm=True)
    assert caught.value.path == ("consent",)
    assert live.enrol("P-1", consent="2026-03-02", who="ward").consent == "2026-03-02"
    assert live.verify().ok


def test_the_date_of_consent_is_one_in_the_time_zone_of_the_trial(start, clock):
    clock.now = datetime(2026, 3, 2, 12, tzinfo=UTC)  # 3 March in Auckland
    live = start(LiveSettings(consent=True, time_zone="Pacific/Auckland"))
    assert live.enrol("P-1", consent="2026-03-03", who="ward").at == "2026-03-03T01:00:00.000+13:00"
    with pytest.raises(ParameterError, match="in the future"):
        live.enrol("P-2", consent="2026-03-04", who="ward")


def test_what_the_trial_does_not_ask_for_is_refused(live):
    with pytest.raises(ParameterError, match="does not ask for the date"):
        live.enrol("P-1", consent="2026-03-02", who="ward")
    with pytest.raises(ParameterError, match="no criterion of this trial"):
        live.enrol("P-1", eligibility=["adult"], who="ward")


def test_a_void_enrolment_stays_in_the_record_and_awaits_no_outcome(live):
    first = live.enrol("P-1", who="ward")
    live.enrol("P-2", who="ward")
    for _ in range(2):
        found = live.void("P-1", reason="another trial", who="ward")
    assert (found.state, found.reason, found.number) == ("void", "another trial", 1)
    assert kinds(live).count("voided") == 1
    assert live.enrol("P-1", who="ward") == first  # the code is not given again
    status = live.status()
    assert (status.enrolled, status.voided, status.waiting, status.withdrawn) == (2, 1, 1, 0)
    with pytest.raises(trials.Refused, match="is void, so no outcome"):
        live.record("P-1", 1, who="ward", confirm=True)
    with pytest.raises(trials.Refused, match="is void"):
        live.withdraw("P-1", scope="data", reason="left", who="ward")
    with pytest.raises(trials.Refused, match="is void already"):
        live.void("P-1", reason="for another reason", who="ward")
    live.record("P-2", 1, who="ward")
    with pytest.raises(trials.Refused, match="is known, so the enrolment cannot be declared void"):
        live.void("P-2", reason="a failure that nobody likes", who="admin")
    assert "1 enrolment in error declared void" in live.statistics(who="statistician").estimand
    assert live.verify().ok


# withdrawal


def test_who_stops_the_treatment_stays_in_the_analysis(live):
    live.enrol("P-1", who="ward")
    found = live.withdraw("P-1", scope="treatment", reason="side effects", who="ward")
    assert (found.state, found.withdrawn, found.reason) == ("waiting", "treatment", "side effects")
    assert found.withdrawn_at == "2026-03-02T09:00:00.000+00:00"
    status = live.status()
    assert (status.waiting, status.withdrawn, status.stopped_treatment) == (1, 0, 1)
    assert live.record("P-1", 0, who="ward").state == "known"
    found = live.statistics(who="statistician")
    assert sum(each.known for each in found.estimates) == 1
    assert "1 participant stopped the treatment" in found.estimand
    assert live.verify().ok


def test_after_a_withdrawal_of_consent_no_outcome_is_collected(live):
    live.enrol("P-1", who="ward")
    live.withdraw("P-1", scope="treatment", reason="side effects", who="ward")
    for _ in range(2):
        found = live.withdraw("P-1", scope="data", reason="wants no contact", who="ward")
    assert (found.state, found.withdrawn) == ("withdrawn", "data")
    with pytest.raises(trials.Refused, match="withdrawn the consent to data, so no outcome"):
        live.record("P-1", 1, who="ward", confirm=True)
    with pytest.raises(trials.Refused, match="has withdrawn already"):
        live.withdraw("P-1", scope="treatment", reason="changed again", who="ward")
    with pytest.raises(ParameterError, match="scope must be"):
        live.withdraw("P-1", scope="everything", reason="x", who="ward")
    assert kinds(live).count("withdrawn") == 2
    assert live.verify().ok


# outcomes


@pytest.fixture
def dated(start):
    live = start(LiveSettings(due_days=28, time_zone="Europe/Zurich"))
    live.enrol("P-1", who="ward")
    return live


def test_an_outcome_before_it_can_be_is_questioned(dated, clock):
    clock.now += timedelta(minutes=3)
    for on in (None, "2026-03-29", "2026-03-02"):
        with pytest.raises(ParameterError, match="due on 2026-03-30") as caught:
            dated.record("P-1", 1, on=on, who="nurse")
        assert caught.value.path == ("confirm",)
    with pytest.raises(ParameterError, match="2026-03-31 is in the future") as caught:
        dated.record("P-1", 1, on="2026-03-31", who="nurse")
    assert caught.value.path == ("confirm",)
    with pytest.raises(ParameterError, match="from the enrolment on") as caught:
        dated.record("P-1", 1, on="2026-03-01", who="nurse", confirm=True)
    assert caught.value.path == ("on",)
    assert dated.participants()[0].outcome is None
    assert dated.record("P-1", 1, on="2026-03-20", who="nurse", confirm=True).outcome_on == "2026-03-20"
    assert dated.verify().ok


def test_an_outcome_in_time_is_not_questioned(dated, clock):
    clock.now = datetime(2026, 3, 29, 22, 30, tzinfo=UTC)  # 30 March in Zurich, where summer has begun
    found = dated.record("P-1", 1, who="nurse")
    assert (found.outcome_on, found.outcome_at) == ("2026-03-30", "2026-03-30T00:30:00.000+02:00")


def test_an_outcome_can_be_recorded_although_the_clock_has_moved_back(dated, live, clock):
    live.enrol("P-1", who="ward")
    clock.now -= timedelta(days=400)
    assert live.record("P-1", 1, who="nurse").outcome_on == "2026-03-02"
    with pytest.raises(ParameterError, match="due on 2026-03-30"):
        dated.record("P-1", 1, who="nurse")
    assert live.verify().ok


def test_a_conflict_says_who_recorded_what_and_when(dated, clock):
    clock.now = datetime(2026, 4, 2, 19, 1, tzinfo=UTC)
    dated.record("P-1", 1, who="nurse-a")
    with pytest.raises(trials.Refused, match=r"^Success is already recorded \(nurse-a, 21:01\). Correct it\?$"):
        dated.record("P-1", 0, who="nurse-b")
    clock.now += timedelta(days=1)
    with pytest.raises(trials.Refused, match=r"\(nurse-a, 2026-04-02 21:01\)"):
        dated.record("P-1", 0, who="nurse-b")


def test_a_late_repeat_of_an_old_correction_cannot_undo_a_newer_one(live):
    """Also when the newer one has brought back the value that the old one replaced."""
    live.enrol("P-1", who="ward")
    live.record("P-1", 1, who="ward")

    def old():
        return live.correct("P-1", 0, replaces=1, reason="wrong form", who="ward")

    assert old() == old()  # of a client that lost its connection
    with pytest.raises(trials.Refused, match="Failure is already recorded"):
        live.correct("P-1", 0, replaces=1, reason="another reason", who="ward")
    assert live.correct("P-1", 1, replaces=0, reason="the form was right", who="ward").outcome == 1
    with pytest.raises(trials.Refused, match="comes too late"):
        old()
    assert live.participants()[0].outcome == 1
    with pytest.raises(trials.Refused, match="Success is already recorded"):
        live.correct("P-1", 1, replaces=1, reason="x", who="ward")
    assert live.correct("P-1", 0, replaces=1, reason="wrong after all", who="ward").corrections == 3
    assert live.verify().ok


def test_the_date_of_an_outcome_is_corrected_like_its_value(dated, clock):
    clock.now = datetime(2026, 4, 2, 19, 1, tzinfo=UTC)
    dated.record("P-1", 1, who="nurse")
    found = dated.correct("P-1", 1, replaces=1, on="2026-03-31", reason="seen then", who="nurse")
    assert (found.outcome, found.outcome_on, found.corrections) == (1, "2026-03-31", 1)
    with pytest.raises(ParameterError, match="is before that"):
        dated.correct("P-1", 1, replaces=1, on="2026-03-20", reason="no, then", who="nurse")


# unblinding


def test_unblinding_tells_one_arm_and_everybody_else_that_it_happened(start):
    live = start()
    arm = live.enrol("P-1", who="ward").arm
    for _ in range(2):
        found = live.unblind("P-1", reason="anaphylaxis", who="Dr Night")
    assert (found.arm, found.participant) == (arm, "P-1")
    assert "Kit codes are random" in found.reveals
    assert "balanced within blocks of the burn-in, the first 4 participants" in found.reveals
    assert not any(each in found.reveals for each in live.design.arms)
    [seen] = live.status().unblindings
    assert (seen.participant, seen.who, seen.reason) == ("P-1", "Dr Night", "anaphylaxis")
    assert arm not in str(live.status())
    assert b"arm" not in live.files()["journal.jsonl"].splitlines()[-2]
    for other in ("P-2", "", None):
        with pytest.raises(PrimumError, match="no participant with the code"):
            live.unblind(other, reason="x", who="Dr Night")
    with pytest.raises(ParameterError, match="reason must be"):
        live.unblind("P-1", reason=" ", who="Dr Night")
    for number in range(2, 7):
        live.enrol(f"P-{number}", who="ward")
    assert "BESA+ favours the arms" in live.unblind("P-6", reason="rash", who="Dr Night").reveals
    live.pause(reason="supply", who="admin")
    assert live.unblind("P-2", reason="rash", who="Dr Night").arm in live.design.arms
    lock(live)
    assert live.unblind("P-3", reason="rash", who="Dr Night").arm in live.design.arms
    assert live.verify().ok


def test_an_arm_drawn_independently_tells_nothing_about_others(start):
    live = start(policy=policies.UniformRandom(), burn_in=0)
    live.enrol("P-1", who="ward")
    found = live.unblind("P-1", reason="anaphylaxis", who="Dr Night")
    assert "this arm tells nothing about them" in found.reveals
    assert "favours" not in found.reveals


# the end


def test_the_end_of_recruitment_loses_no_outcome(live):
    for number in range(1, 5):
        live.enrol(f"P-{number}", who="ward")
    live.end_recruitment(reason="enough", who="admin")
    live.end_recruitment(reason="enough", who="admin")
    assert (live.status().state, live.status().reason) == ("recruited", "enough")
    for attempt in (
        lambda: live.enrol("P-5", who="ward"),
        lambda: live.end_recruitment(reason="again", who="admin"),
        lambda: live.pause(reason="supply", who="admin"),
    ):
        with pytest.raises(trials.Refused, match="recruitment has ended"):
            attempt()
    assert live.record("P-1", 1, who="ward").state == "known"
    assert live.correct("P-1", 0, replaces=1, reason="wrong form", who="ward").outcome == 0
    assert kinds(live).count("recruitment ended") == 1
    assert live.verify().ok


def test_what_is_missing_is_listed_with_the_reason_and_without_arms(start, clock):
    live = start(LiveSettings(due_days=28, grace_days=7))
    for number in range(1, 7):
        live.enrol(f"P-{number}", who="ward")
        clock.now += timedelta(days=14)
    live.record("P-1", 1, who="ward")
    live.withdraw("P-2", scope="treatment", reason="side effects", who="ward")
    live.withdraw("P-3", scope="data", reason="moved", who="ward")
    live.void("P-6", reason="twice", who="ward")
    assert [(each.participant, each.why) for each in live.missing()] == [
        ("P-2", "overdue; stopped the treatment"),
        ("P-3", "withdrew consent to data: moved"),
        ("P-4", "overdue"),
        ("P-5", "due"),
        ("P-6", "void, enrolled in error: twice"),
    ]


def test_a_trial_is_locked_by_two_people_who_accept_what_is_missing(live):
    for number in range(1, 5):
        live.enrol(f"P-{number}", who="ward")
    live.record("P-1", 1, who="ward")
    with pytest.raises(trials.Refused, match="end recruitment first"):
        live.propose_lock(reason="done", missing=codes(live), who=PROPOSES)
    live.end_recruitment(reason="enough", who="admin")
    with pytest.raises(trials.Refused, match="nobody has proposed"):
        live.lock(missing=codes(live), who=APPROVES)
    for missing in ([], ["P-2"], ["P-2", "P-3"], "P-2", ["P-2", "P-3", 4], None):
        with pytest.raises(ParameterError) as caught:
            live.propose_lock(reason="done", missing=missing, who=PROPOSES)
        assert caught.value.path == ("missing",)
    with pytest.raises(ParameterError, match="no outcome is missing of P-1"):
        live.propose_lock(reason="done", missing=["P-1", *codes(live)], who=PROPOSES)
    live.propose_lock(reason="done", missing=codes(live), who=PROPOSES)
    assert (live.status().state, live.status().lock.who) == ("lock proposed", PROPOSES)
    for who in (PROPOSES, PROPOSES.upper().replace("PYTHON", "Python"), f" {PROPOSES} "):
        with pytest.raises(trials.Refused, match="another person must approve"):
            live.lock(missing=codes(live), who=who)
    with pytest.raises(ParameterError, match="does not name: P-4"):
        live.lock(missing=["P-2", "P-3"], who=APPROVES)
    for who in ("ward", "design", "admin"):
        with pytest.raises(ParameterError, match="needs the role approver"):
            live.lock(missing=codes(live), who=who)
        with pytest.raises(ParameterError, match="needs the role administrator"):
            live.propose_lock(reason="done", missing=codes(live), who=who)
    live.lock(missing=codes(live), who=APPROVES)
    locked = next(entry for entry in live.entries(who="auditor") if entry.kind == "locked")
    assert (locked.who, locked.data["proposed_by"], locked.data["missing"]) == (
        APPROVES,
        PROPOSES,
        ["P-2", "P-3", "P-4"],
    )
    assert Secret(locked.data["secret"]).commitment == live.entries(who="auditor")[0].data["commitment"]
    with pytest.raises(trials.Refused, match="is locked"):
        live.record("P-2", 1, who="ward")
    assert live.verify().ok


def test_a_proposal_lapses_with_an_outcome_and_can_be_withdrawn(live):
    for number in range(1, 4):
        live.enrol(f"P-{number}", who="ward")
    live.end_recruitment(reason="enough", who="admin")
    before = codes(live)
    live.propose_lock(reason="done", missing=before, who=PROPOSES)
    with pytest.raises(trials.Refused, match="is proposed already"):
        live.propose_lock(reason="other words", missing=before, who=APPROVES)
    live.record("P-2", 1, who="ward")
    assert (live.status().state, live.status().lock) == ("recruited", None)
    for missing in (before, codes(live)):
        with pytest.raises(trials.Refused, match="lapsed because an outcome became known"):
            live.lock(missing=missing, who=APPROVES)
    live.propose_lock(reason="done", missing=codes(live), who=PROPOSES)
    live.withdraw_lock(who="admin")
    with pytest.raises(trials.Refused, match="nobody has proposed"):
        live.lock(missing=codes(live), who=APPROVES)
    with pytest.raises(trials.Refused, match="nobody has proposed"):
        live.withdraw_lock(who="admin")
    lock(live)
    assert live.verify().ok


# times


def test_due_dates_are_those_of_the_zone_of_the_trial(start, clock):
    clock.now = datetime(2026, 3, 2, 23, 30, tzinfo=UTC)
    live = start(LiveSettings(due_days=1, time_zone="Europe/Zurich"))
    live.enrol("P-1", who="ward")
    found = live.participants()[0]
    assert (found.enrolled, found.due) == ("2026-03-03T00:30:00.000+01:00", "2026-03-04")
    assert (live.status().time_zone, live.status().accrual[0].date) == ("Europe/Zurich", "2026-03-03")
    clock.now = datetime(2026, 3, 3, 22, 59, tzinfo=UTC)
    assert live.participants()[0].state == "waiting"
    clock.now += timedelta(minutes=1)
    assert live.participants()[0].state == "due"


@pytest.mark.parametrize("zone", ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_an_entry_of_a_wrong_clock_breaks_nothing(start, clock, tmp_path, monkeypatch, zone):
    live = start(LiveSettings(due_days=28, time_zone=zone))
    live.enrol("P-1", who="ward")
    clock.now = datetime(9999, 12, 31, 23, 59, tzinfo=UTC)
    with pytest.raises(PrimumError, match="the clock of this machine says 9999-12-31"):
        live.enrol("P-2", who="ward")
    assert live.status().enrolled == 1
    monkeypatch.setattr("primum.live.drafting.check_clock", lambda *_: None)  # as it was written before
    live.enrol("P-2", who="ward")
    assert live.participants()[1].due == "9999-12-31"
    for now in (clock.now, START, datetime(1, 1, 1, tzinfo=UTC)):
        clock.now = now
        assert live.status().enrolled == 2
        assert [each.number for each in live.participants()] == [1, 2]
        assert live.files()
        assert live.export(tmp_path / f"{zone.replace('/', '-')}-{now.year}")
    clock.now = START
    live.record("P-2", 1, on="9999-12-31", who="ward", confirm=True)
    found = live.verify()
    assert found.ok
    assert "moved forward by" in found.notes[0]
    assert "moved back by" in found.notes[1]


def test_dates_at_the_ends_of_the_calendar():
    assert after(START.date(), 1e7) == after(START.date(), 4e6)
    assert local(datetime.max.replace(tzinfo=UTC), "Pacific/Kiritimati").startswith("9999-12-31T23:59")


@pytest.mark.parametrize("zone", ["Europe/Züri", "", "../../etc/passwd", "/etc/localtime", 7, None, "europe", "\0"])
def test_what_is_no_time_zone_is_refused(zone):
    with pytest.raises(PrimumError, match="time_zone must be a time zone"):
        LiveSettings(time_zone=zone)


@pytest.mark.parametrize("eligibility", ["adult", ["a", "a"], [""], [7], ["x" * 301], ["a"] * 51])
def test_what_are_no_criteria_is_refused(eligibility):
    with pytest.raises(PrimumError, match="eligibility must be a list"):
        LiveSettings(eligibility=eligibility)


def test_a_journal_of_another_format_is_refused_with_a_sentence(live, monkeypatch):
    monkeypatch.setattr("primum.live.state.FORMAT", 3)
    with pytest.raises(PrimumError, match="another version of Primum, whose journals have another format"):
        Live(live.journal.place)

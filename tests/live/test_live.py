"""A live trial from Python: who may do what when, what is repeated without effect, and what people see."""

from __future__ import annotations

import itertools
import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pandas
import pytest

from primum import policies, trials, values
from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.live import course as courses
from primum.live import software
from primum.live.blinding import Secret
from primum.live.course import Course
from primum.live.errors import DecisionFailed
from tests.clocks import Clock
from tests.live.journals import kinds
from tests.live.locking import lock
from tests.trials.made_up_looks import Weeding

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)


def ticking():
    return Clock(START, timedelta(seconds=1))


def design_of(**options):
    usual = {"arms": ["control", "new"], "patients": 20, "policy": policies.BesaPlus(), "burn_in": 2}
    if "stopping" not in options:
        usual["analysis"] = trials.RandomisationTest(sided="greater", runs=199)
    return trials.Design(**usual | options)


@pytest.fixture
def start(begin):
    def start(clock=None, settings=None, **options):
        return begin(design_of(**options), settings=settings, clock=clock or ticking())

    return start


@pytest.fixture
def live(start):
    return start()


def test_an_allocation_is_given_once_and_repeated_ever_after(live):
    first = live.enrol("P-1", who="ward")
    assert first == live.enrol("P-1", who="another ward") == live.enrol("  P-1 ", who="ward")
    assert (first.participant, first.number) == ("P-1", 1)
    assert first.arm in live.design.arms
    assert kinds(live) == ["design", "enrolled"]
    reopened = trials.Live(live.journal.place)
    assert reopened.enrol("P-1", who="ward") == first
    reopened.disconnect()


def test_allocations_are_those_of_the_course_with_the_secret_seed(live):
    twin = Course(live.design, Secret(live.journal.secret()).seed)
    for i in range(20):
        assert live.enrol(f"P-{i}", who="ward").arm == live.design.arms[twin.allocate()]
        live.record(f"P-{i}", i % 2, who="ward")
        twin.tell(i, i % 2)
    with pytest.raises(trials.Refused, match="all 20 participants of the design are enrolled"):
        live.enrol("P-20", who="ward")
    assert live.status().state == "full"
    assert live.verify().ok


def test_outcomes_are_recorded_once_and_corrected_with_a_reason(live):
    live.enrol("P-1", who="ward")
    with pytest.raises(ParameterError, match=r"outcome must be 0 \(failure\) or 1 \(success\), got 0.5"):
        live.record("P-1", 0.5, who="ward")
    with pytest.raises(UnknownNameError, match="no participant with the code 'P-2' is enrolled; check the code"):
        live.record("P-2", 1, who="ward")
    with pytest.raises(trials.Refused, match="has no outcome that could be corrected"):
        live.correct("P-1", 1, replaces=0, reason="late result", who="ward")
    assert live.record("P-1", 1, who="ward").state == "known"
    assert live.record("P-1", True, who="ward").outcome == 1
    with pytest.raises(trials.Refused, match=r"Success is already recorded \(ward, 09:00\). Correct it\?"):
        live.record("P-1", 0, who="ward")
    for _ in range(2):
        found = live.correct("P-1", 0, replaces=1, reason="wrong form", who="ward")
    assert (found.outcome, found.corrections) == (0, 1)
    with pytest.raises(ParameterError, match="reason must be a text"):
        live.correct("P-1", 1, replaces=0, reason=" ", who="ward")
    assert kinds(live) == ["design", "enrolled", "outcome", "corrected"]


def test_a_known_outcome_stays_after_withdrawal_and_an_unknown_one_is_not_waited_for(live):
    for code in ("P-1", "P-2"):
        live.enrol(code, who="ward")
    live.record("P-1", 1, who="ward")
    assert live.withdraw("P-1", scope="data", reason="moved away", who="ward").state == "known"
    assert live.withdraw("P-2", scope="data", reason="moved away", who="ward").state == "withdrawn"
    assert live.withdraw("P-2", scope="data", reason="moved away", who="ward").state == "withdrawn"
    with pytest.raises(trials.Refused, match="has withdrawn the consent to data, so no outcome"):
        live.record("P-2", 1, who="ward")
    status = live.status()
    assert (status.known, status.waiting, status.withdrawn) == (1, 0, 1)
    assert kinds(live).count("withdrawn") == 2


def test_nobody_is_enrolled_while_it_is_paused_and_nothing_changes_once_it_is_locked(live):
    live.enrol("P-1", who="ward")
    live.pause(reason="supply", who="admin")
    with pytest.raises(trials.Refused, match="enrolment is paused: supply"):
        live.enrol("P-2", who="ward")
    assert live.enrol("P-1", who="ward").number == 1
    live.record("P-1", 1, who="ward")
    live.resume(reason="supplied", who="admin")
    live.enrol("P-2", who="ward")
    lock(live, "enough")
    for change in (
        lambda: live.enrol("P-3", who="ward"),
        lambda: live.record("P-2", 1, who="ward"),
        lambda: live.correct("P-1", 0, replaces=1, reason="x", who="ward"),
        lambda: live.withdraw("P-2", scope="data", reason="x", who="ward"),
        lambda: live.drop_arm("new", reason="x", who="admin"),
        lambda: live.pause(reason="x", who="admin"),
        lambda: live.end_recruitment(reason="x", who="admin"),
        lambda: live.void("P-2", reason="x", who="ward"),
        lambda: lock(live),
    ):
        with pytest.raises(trials.Refused, match=r"the trial is locked \(enough\)"):
            change()
    live.note("archived", who="admin")
    assert live.verify().ok
    locked = next(entry for entry in live.entries(who="auditor") if entry.kind == "locked")
    assert Secret(locked.data["secret"]).commitment == live.entries(who="auditor")[0].data["commitment"]


def test_a_dropped_arm_gets_nobody_and_the_last_one_stays(live):
    live.drop_arm("new", reason="harm", who="admin")
    with pytest.raises(trials.Refused, match="arm 'new' was dropped already; arms left: control"):
        live.drop_arm("new", reason="harm", who="admin")
    with pytest.raises(trials.Refused, match="is the only one left"):
        live.drop_arm("control", reason="harm", who="admin")
    with pytest.raises(UnknownNameError, match="did you mean 'control'"):
        live.drop_arm("controll", reason="harm", who="admin")
    assert {live.enrol(f"P-{i}", who="ward").arm for i in range(8)} == {"control"}
    assert live.verify().ok


def test_a_look_that_stops_the_trial_is_written_although_enrolment_is_refused(start):
    live = start(looks=[8], stopping=Weeding(behind=9.0, enough=0.9), policy="round-robin", burn_in=0)
    for i in range(8):
        live.enrol(f"P-{i}", who="ward")
        live.record(f"P-{i}", 1, who="ward")
    assert live.status().state == "open"
    for _ in range(2):
        with pytest.raises(trials.Refused, match="the trial has stopped at a look"):
            live.enrol("P-8", who="ward")
    assert kinds(live).count("look taken") == 1
    assert live.status().state == "stopped"
    [look] = live.statistics(who="statistician").looks
    assert (look.look, look.patients, look.known, look.stopped) == (1, 8, 8, "enough")
    assert live.verify().ok


def test_looks_at_the_last_patient_are_taken_when_the_trial_is_locked(start):
    live = start(looks=[20], stopping=Weeding(behind=9.0), policy="round-robin", burn_in=0)
    for i in range(20):
        live.enrol(f"P-{i}", who="ward")
    for i in range(20):
        live.record(f"P-{i}", i % 2, who="ward")
    assert live.status().looks_taken == 0
    lock(live)
    assert live.status().looks_taken == 1
    assert live.verify().ok


def test_the_lock_takes_the_final_look_although_an_outcome_will_never_be_known(start):
    """Withdrawal must not leave the level of the last look unspent."""
    rule = trials.GroupSequential(sided="greater")
    live = start(looks=[10, 20], looks_count="outcomes", stopping=rule, policy="permuted-blocks", burn_in=0)
    for i in range(20):
        live.enrol(f"P-{i}", who="ward")
    for i in range(19):
        live.record(f"P-{i}", i % 2, who="ward")
    live.withdraw("P-19", scope="data", reason="moved away", who="ward")
    assert (live.status().looks_taken, live.status().looks_planned) == (1, 2)
    lock(live)
    first, final = live.statistics(who="statistician").looks
    assert (first.known, final.known, final.patients) == (10, 19, 20)
    assert [entry.data["final"] for entry in live.entries(who="auditor") if entry.kind == "look taken"] == [False, True]
    assert live.verify().ok


def test_looks_at_outcomes_are_taken_when_enrolment_is_complete(start):
    live = start(looks=[10], looks_count="outcomes", stopping=Weeding(behind=9.0), policy="round-robin", burn_in=0)
    for i in range(20):
        live.enrol(f"P-{i}", who="ward")
    for i in range(10):
        assert live.status().looks_taken == 0
        live.record(f"P-{i}", i % 2, who="ward")
    assert live.status().looks_taken == 1
    assert live.verify().ok


def test_outcomes_are_due_and_overdue_by_the_calendar(start):
    clock = ticking()
    live = start(clock, trials.LiveSettings(due_days=28, grace_days=7))
    live.enrol("P-1", who="ward")
    live.enrol("P-2", who="ward")
    seen = []
    for days in (27, 28, 36):
        clock.now = START + timedelta(days=days)
        seen.append([each.state for each in live.participants()])
        live.record("P-2", 1, who="ward", confirm=True)
    assert seen == [["waiting", "waiting"], ["due", "known"], ["overdue", "known"]]
    assert [(day.date, day.enrolled, day.known) for day in live.status().accrual] == [
        ("2026-03-02", 2, 0),
        ("2026-03-29", 2, 1),
    ]
    assert live.participants()[0].due == "2026-03-30"


def test_counts_by_group_do_not_tell_who_is_in_which(start):
    """They are counted in tens, not if one group alone has grown, not after an arm was dropped, not anew at the end."""
    live = start(patients=45, policy="round-robin", burn_in=0)
    for i in range(25):
        live.enrol(f"P-{i}", who="ward")
        status = live.status()
        assert sum(group.enrolled for group in status.groups) == status.groups_after == (i + 1) // 10 * 10
    live.drop_arm("new", reason="harm", who="admin")
    for i in range(25, 45):
        live.enrol(f"P-{i}", who="ward")
        assert live.status().groups_after == 20
    lock(live)
    assert live.status().groups_after == 20
    lopsided = start(patients=40, policy="explore-then-commit(per_arm=1)", burn_in=0)
    for i in range(40):
        arm = lopsided.enrol(f"P-{i}", who="ward").arm
        lopsided.record(f"P-{i}", int(arm == "new"), who="ward")
    assert lopsided.status().groups_after == 0


def test_codes_that_look_alike_are_one_participant(live):
    first = live.enrol("P-1a", who="ward")
    for code in ("p-1A", " P-1a ", "P-\uff11a"):
        assert live.enrol(code, who="ward") == first
    assert live.record("p-1A", 1, who="ward").participant == "P-1a"
    assert live.status().enrolled == 1
    for odd in (["P-1"], 7, None, b"P-1"):
        with pytest.raises(ParameterError, match="participant must be a code"):
            live.enrol(odd, who="ward")
        with pytest.raises(UnknownNameError, match="no participant with the code"):
            live.record(odd, 1, who="ward")
    with pytest.raises(UnknownNameError, match="no role named"):
        live.admit("A", [["enrol"]])


def test_repeated_requests_change_nothing_after_further_ones_either(live):
    live.enrol("P-1", who="ward")
    live.record("P-1", 1, who="ward")
    live.correct("P-1", 0, replaces=1, reason="typing error", who="ward")
    assert live.record("P-1", 1, who="ward").outcome == 0
    live.pause(reason="supply ", who="admin")
    live.pause(reason="supply ", who="admin")
    assert kinds(live) == ["design", "enrolled", "outcome", "corrected", "paused"]


def test_an_error_while_it_catches_up_leaves_no_half_folded_state(live, monkeypatch):
    """Else the next decisions would be made with outcomes that were taken in twice."""
    other = trials.Live(live.journal.place)
    for i in range(6):
        live.enrol(f"P-{i}", who="ward")
        live.record(f"P-{i}", i % 2, who="ward")
    whole = Course.tell

    def interrupted(course, patient, outcome):
        whole(course, patient, outcome)
        raise KeyboardInterrupt

    monkeypatch.setattr(Course, "tell", interrupted)
    with pytest.raises(KeyboardInterrupt):
        other.status()
    monkeypatch.setattr(Course, "tell", whole)
    for i in range(6, 20):
        other.enrol(f"P-{i}", who="ward")
        other.record(f"P-{i}", i % 2, who="ward")
    assert other.verify().ok
    other.disconnect()


def test_a_value_that_fails_is_found_before_the_trial_starts(tmp_path):
    settings = trials.LiveSettings(outcomes=(0, 10))
    design = design_of(value=values.Formula("log(mean)"), analysis="welch-t", burn_in=0)
    with pytest.raises(PrimumError, match="not a number"):
        trials.Live.start(design, tmp_path / "trial.db", settings=settings)
    assert not (tmp_path / "trial.db").exists()


def test_a_value_that_fails_later_refuses_to_decide_and_can_be_mended(live, monkeypatch):
    def fails(course):
        raise PrimumError("not a number on rewards of arm 'new'")

    live.enrol("P-1", who="ward")
    with monkeypatch.context() as patched:
        patched.setattr(Course, "allocate", fails)
        with pytest.raises(DecisionFailed, match="the design cannot decide: not a number"):
            live.enrol("P-2", who="ward")
    assert live.enrol("P-2", who="ward").number == 2
    assert live.verify().ok


@pytest.mark.parametrize(
    ("policy", "low", "high"),
    [
        ("kl-ucb", 0.9, 1.0),
        ("besa-plus", 0.15, 0.9),
        ("uniform-random", 1 / 60, 2 / 60),
        ("posterior-best(least=0.1)", 1 / 60, 2 / 60),
        ("permuted-blocks", 1 / 60, 10 / 60),
        ("permuted-blocks(block=2)", 29 / 60, 30 / 60),
    ],
)
def test_how_far_what_is_known_determines_allocations(policy, low, high):
    """The last patient of the burn-in, of two for each arm, is determined, and perhaps the one before."""
    share = software.predictable_share(design_of(policy=policy, patients=60), trials.LiveSettings())
    assert low <= share <= high


@pytest.mark.parametrize("lag", [1, 3])
def test_an_exact_test_is_given_if_outcomes_are_as_late_as_the_design_has_it(start, lag):
    design = {"analysis": trials.ConditionalExact(), "patients": 12, "policy": "thompson"}
    live = start(**design, delay=trials.after_patients(lag))
    for i in range(12 + lag):
        if i >= lag + 1:
            live.record(f"P-{i - lag - 1}", i % 2, who="ward")
        if i < 12:
            live.enrol(f"P-{i}", who="ward")
    assert [each for each in live.statistics(who="s").warnings if "gives no p-value" in each] != []
    live.record("P-11", 1, who="ward")
    assert len(live.statistics(who="s").analysis) == 1


def test_arms_dropped_by_people_are_part_of_the_analysis(start):
    live = start(analysis=trials.ConditionalExact(sided="greater"), policy="thompson", patients=12, burn_in=3)
    weighted = start(estimator="adaptively-weighted", analysis="pooled-z", policy="thompson", patients=12, burn_in=3)
    for each in (live, weighted):
        for i in range(12):
            each.enrol(f"P-{i}", who="ward")
            each.record(f"P-{i}", i % 2, who="ward")
            if i == 8:
                each.drop_arm("new", reason="harm", who="admin")
        found = each.statistics(who="s")
        if each is live:
            assert found.analysis == []
        else:
            assert [row.estimate for row in found.analysis] == [None], "later patients had no chance of the arm"
        assert len(found.randomisation_test) == 1
        assert any("new got no further participants by a decision of people" in told for told in found.warnings)


def test_a_clock_that_moves_back_is_noted(start):
    clock = ticking()
    live = start(clock)
    live.enrol("P-1", who="ward")
    clock.now -= timedelta(hours=2)
    live.enrol("P-2", who="ward")
    found = live.verify()
    assert found.ok
    assert found.notes == ["the clock moved back by 7199.000 s before entry 3"]
    assert live.status().clock_warnings == 1


@pytest.mark.parametrize("show", ["allocations", "statistics", "kits", "entries"])
def test_whoever_sees_arms_is_in_the_journal(live, show):
    live.enrol("P-1", who="ward")
    getattr(live, show)(who="Dr Who")
    last = live.entries(who="auditor")[-2]
    assert (last.kind, last.who) == ("accessed", "Dr Who")


def test_kits_do_not_tell_arms_and_are_those_of_the_list(live):
    given = [live.enrol(f"P-{i}", who="ward") for i in range(20)]
    kits = live.kits(who="statistician")
    assert len({kit for kit, _ in kits}) == 40
    assert kits == sorted(kits)
    assert all((each.kit, each.arm) in kits for each in given)
    # a sign test of neighbours in the list; the false-alarm rate is below 1e-6
    same = sum(a[1] == b[1] for a, b in itertools.pairwise(kits))
    assert 5 <= same <= 34


def test_the_analysis_is_that_of_a_simulated_trial_with_the_same_data(start):
    """The randomisation test repeats the live trial: the p-value is that of the definition, counted by hand."""
    live = start(patients=24, policy="thompson", value=values.Mean())
    for i in range(24):
        live.enrol(f"P-{i}", who="ward")
        if i % 5 != 4:
            live.record(f"P-{i}", int(i % 3 == 0), who="ward")
    live.correct("P-3", 0, replaces=1, reason="typing error", who="ward")
    arms = [each.arm for each in live.allocations(who="s")]
    outcomes = [each.outcome for each in live.participants()]
    [row] = live.statistics(who="s").analysis
    seed, design = Secret(live.journal.secret()).seed, live.design

    def difference(given):
        known = [(arm, outcome) for arm, outcome in zip(given, outcomes, strict=True) if outcome is not None]
        means = [
            np.mean([o for a, o in known if a == arm]) if any(a == arm for a, _ in known) else np.nan
            for arm in design.arms
        ]
        return np.nan_to_num(means[1] - means[0])

    assert row.estimate == pytest.approx(difference(arms))
    beyond = 0
    for lane in range(1, 200):
        monkey = pytest.MonkeyPatch()
        monkey.setattr(courses, "LANE", lane)
        again = Course(design, seed)
        for i in range(24):
            again.allocate()
            if i % 5 != 4:
                again.tell(i, float(i % 3 == 0))
        monkey.undo()
        beyond += difference([design.arms[arm] for arm in again.arms]) >= difference(arms) - 1e-12
    assert row.p_value == pytest.approx((1 + beyond) / 200)


def test_several_arms_are_compared_where_the_policy_states_its_probabilities(start):
    """Corrections and dropped arms are those of the trial, which is its own first re-run."""
    for policy in ("posterior-best", "besa-plus"):
        live = start(arms=["a", "b", "c"], patients=30, policy=policy, value=values.Mean(), analysis="pooled-z")
        for i in range(30):
            live.enrol(f"P-{i}", who="ward")
            if i % 5 != 4:
                live.record(f"P-{i}", int(i % 3 == 0), who="ward")
            if i == 12:
                live.correct("P-3", 0, replaces=1, reason="typing error", who="ward")
            if i == 20:
                live.drop_arm("c", reason="supply", who="admin")
        found = live.statistics(who="s")
        warnings = " ".join(found.warnings)
        if policy == "besa-plus":
            assert found.randomisation_test == []
            assert "Randomisation test gives no p-value: Randomisation test: with 3 arms it needs" in warnings
        else:
            assert [each.arm for each in found.randomisation_test] == ["b", "c"]
            assert all(0 < each.p_value <= 1 for each in found.randomisation_test)
            assert "Randomisation test, b against a: The trial and its 999 re-runs have unequal weights" in warnings


def test_the_statistician_is_warned(start):
    live = start(analysis=trials.PooledZ(sided="greater"), patients=12)
    first = live.statistics(who="s")
    assert first.analysis == first.randomisation_test == []
    assert any("No outcome is known yet" in each for each in first.warnings)
    for i in range(12):
        live.enrol(f"P-{i}", who="ward")
    for i in range(11):
        live.record(f"P-{i}", i % 2, who="ward")
    live.correct("P-1", 0, replaces=1, reason="typing error", who="ward")
    found = live.statistics(who="s")
    warnings = " ".join(found.warnings)
    for part in (
        "not locked",
        "1 outcome corrected",
        "1 of 12 outcomes not known: 1 not recorded yet, 0 after a withdrawal",
        "takes allocation as fixed",
    ):
        assert part in warnings
    assert found.table()["analysis"].tolist() == ["Pooled Z (sided greater)", "Randomisation test"]
    lock(live)
    assert "not locked" not in " ".join(live.statistics(who="s").warnings)


def test_an_exact_test_is_given_if_the_trial_was_run_as_planned_and_only_then(start):
    options = {"analysis": trials.ConditionalExact(sided="greater"), "patients": 12, "policy": "thompson"}
    planned, late = start(**options), start(**options)
    for i in range(12):
        planned.enrol(f"P-{i}", who="ward")
        planned.record(f"P-{i}", i % 2, who="ward")
        late.enrol(f"P-{i}", who="ward")
    for i in range(12):
        late.record(f"P-{i}", i % 2, who="ward")
    found = planned.statistics(who="s")
    law, (row,) = trials.exact(planned.design, progress=False), found.analysis
    known = [each.known for each in found.estimates]
    interval = law.interval(known, [round((each.mean or 0) * each.known) for each in found.estimates])
    assert (row.median_unbiased, row.interval) == (interval.estimate, "90 % exact interval")
    data = trials.TrialData.from_successes(
        planned.design,
        [[each.known for each in found.estimates]],
        [[round((each.mean or 0) * each.known) for each in found.estimates]],
    )
    assert found.analysis[0].p_value == pytest.approx(planned.design.analysis.p_values(data).item())
    refused = late.statistics(who="s")
    assert refused.analysis == []
    assert len(refused.randomisation_test) == 1
    assert any("11 outcomes came at another time or not at all" in each for each in refused.warnings)


def test_exports_are_blinded_unless_asked_otherwise(live, tmp_path):
    for i in range(8):
        live.enrol(f"P-{i}", who="ward")
        live.record(f"P-{i}", i % 2, who="ward")
    live.statistics(who="s")
    live.export(tmp_path / "blinded", who="monitor")
    live.export(tmp_path / "whole", unblinded=True, who="statistician")
    whole = pandas.read_csv(tmp_path / "whole" / "participants.csv")
    assert whole["arm"].tolist() == [each.arm for each in live.allocations(who="s")]
    blind = pandas.read_csv(tmp_path / "blinded" / "participants.csv")
    assert "arm" not in blind
    assert blind["outcome"].tolist() == whole["outcome"].tolist()
    lines = [json.loads(line) for line in (tmp_path / "blinded" / "journal.jsonl").read_text().splitlines()]
    assert all("salt" not in line and "arm" not in line["data"] for line in lines)
    assert {line["kind"] for line in lines} == {"design", "enrolled", "outcome", "accessed"}
    assert sorted(path.name for path in (tmp_path / "blinded").iterdir()) == [
        "design.toml",
        "journal.jsonl",
        "participants.csv",
    ]
    assert (tmp_path / "whole" / "kits.csv").exists()
    again = trials.Plan.load(tmp_path / "whole" / "design.toml")
    assert next(iter(again.designs.values())) == live.design
    with pytest.raises(PrimumError, match="exists already; export to an empty folder"):
        live.export(tmp_path / "blinded", who="monitor")


def test_other_software_that_decides_as_before_goes_on_with_an_entry(live, monkeypatch):
    live.enrol("P-1", who="ward")
    monkeypatch.setattr(software, "_fingerprint", lambda design: "another")
    again = trials.Live(live.journal.place)
    assert again.enrol("P-2", who="ward").number == 2
    assert kinds(again) == ["design", "enrolled", "software", "enrolled"]
    again.disconnect()
    trials.Live(live.journal.place).disconnect()
    assert kinds(live).count("software") == 1


def test_other_software_that_decides_differently_refuses_and_says_how_to_go_on(live, monkeypatch):
    live.enrol("P-1", who="ward")
    monkeypatch.setattr(software, "_fingerprint", lambda design: "another")
    monkeypatch.setattr(software, "rehearsal", lambda design, settings: "another")
    with pytest.raises(
        PrimumError, match=r"would allocate participants differently.*pip install numba==.* 'primum\[live\]==0.2.0"
    ):
        trials.Live(live.journal.place)
    assert kinds(live) == ["design", "enrolled"]


def test_software_that_decides_differently_only_in_this_trial_is_found_too(start, monkeypatch):
    """The rehearsal agrees, but an allocation of the journal cannot be recomputed; 20 agree once in a million."""
    live = start(policy="uniform-random", burn_in=0)
    for i in range(20):
        live.enrol(f"P-{i}", who="ward")
    monkeypatch.setattr(courses, "LANE", 7)
    with pytest.raises(trials.JournalUnavailable, match="entry .* does not fit: its arm is"):
        trials.Live(live.journal.place)


@pytest.mark.parametrize(
    ("options", "settings", "sentence"),
    [
        ({"analysis": "fisher"}, {"outcomes": (0, 10)}, 'test needs outcomes 0 and 1: outcomes must be "binary"'),
        (
            {"policy": "thompson", "analysis": "welch-t"},
            {"outcomes": (0, 10)},
            r"needs outcomes in \[0, 1\], got \[0, 10\]",
        ),
    ],
)
def test_outcomes_that_the_design_is_not_made_for_are_refused(tmp_path, options, settings, sentence):
    with pytest.raises(ParameterError, match=sentence):
        trials.Live.start(design_of(**options), tmp_path / "t.db", settings=trials.LiveSettings(**settings))
    assert not (tmp_path / "t.db").exists()


def test_numeric_outcomes_and_another_value(start):
    settings = trials.LiveSettings(outcomes=(0, 100))
    live = start(settings=settings, value=values.CVaR(alpha=0.5), burn_in=1)  # one participant on each arm
    live.enrol("P-1", who="ward")
    with pytest.raises(ParameterError, match=r"outcome must be in \[0, 100\], got 101"):
        live.record("P-1", 101, who="ward")
    live.record("P-1", 37.5, who="ward")
    live.enrol("P-2", who="ward")
    live.record("P-2", 12, who="ward")
    found = live.statistics(who="s")
    assert sorted(each.value for each in found.estimates if each.value is not None) == [12, 37.5]
    assert "CVaR" in found.value_title or "value at risk" in found.value_title


@pytest.mark.parametrize("analysis", [trials.RandomisationTest(), trials.ConditionalExact()])
def test_a_design_whose_analysis_can_never_be_given_is_refused(start, analysis):
    with pytest.raises(PrimumError, match="analysis: .*3") as refused:
        start(arms=["control", "new", "other"], analysis=analysis)
    assert refused.value.path == ("analysis",)

"""The commands of live trials: what is printed, what is written, how they end."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing

import pandas
import pytest
from typer.testing import CliRunner

from primum import trials
from primum.cli import app
from primum.errors import PrimumError

TEXT = """
title = "Two doses"
[design]
arms = ["control", "new"]
patients = 30
analysis = { name = "pooled-z", sided = "greater" }
[designs.adaptive]
policy = "thompson"
burn_in = 2
[designs.equal]
policy = "uniform-random"
[live]
due_days = 28
"""
CODE = r"(\w{4}-){3}\w{4}"


def run(*words, code=0):
    result = CliRunner().invoke(app, ["trial", *(str(word) for word in words)], env={"COLUMNS": "120"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    assert "Traceback" not in result.output
    assert result.exit_code == code, result.output
    return result


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "design.toml"
    path.write_text(TEXT)
    return path


@pytest.fixture
def journal(file, tmp_path):
    run("start", file, "--journal", tmp_path / "trial.db", "--design", "adaptive")
    with trials.Live(tmp_path / "trial.db") as live:
        for i in range(12):
            live.enrol(f"P-{i}", who="ward")
            live.record(f"P-{i}", i % 2, who="ward", confirm=True)
    return tmp_path / "trial.db"


def test_starting_prints_one_time_codes_alone_on_their_lines(file, tmp_path):
    names = ["--administrator", "Dr Who", "--approver", "Dr No"]
    started = run("start", file, "--journal", tmp_path / "trial.db", "--design", "equal", *names)
    first, second = started.stdout.splitlines()
    assert re.fullmatch(CODE, first)
    assert "The one-time code of 'Dr Who' (administrator) is on the next line." in " ".join(started.stderr.split())
    assert "started: Two doses; 30 participants; those who enrol see kit codes" in started.stderr
    with trials.Live(tmp_path / "trial.db") as live:
        for code, name, role in ((first, "Dr Who", "administrator"), (second, "Dr No", "approver")):
            found = live.redeem(code, "a good password").person
            assert (found.name, found.roles, found.state) == (name, (role,), "active")
        assert live.settings.due_days == 28
        assert live.design.policy.name == "uniform-random"


def test_starting_a_blinded_trial_whose_allocations_can_be_computed_warns(file, tmp_path):
    def said(policy):
        file.write_text(TEXT.replace('policy = "thompson"', f'policy = "{policy}"'))
        return run("start", file, "--journal", tmp_path / f"{policy}.db", "--design", "adaptive").stderr

    sentence = r"In a rehearsal, (\d+)% of the allocations, burn-in included, were determined by what was known before"
    assert re.search(sentence, said("ucb1"))
    assert re.search(sentence, said("permuted-blocks(block=2)"))[1] in ("47", "50")
    assert "In a rehearsal" not in said("uniform-random")


def test_starting_a_trial_that_is_all_burn_in_warns_of_its_last_allocations(file, tmp_path):
    file.write_text(TEXT.replace("patients = 30", "patients = 4"))
    started = run("start", file, "--journal", tmp_path / "trial.db", "--design", "adaptive")
    assert re.search(r"In a rehearsal, (25|50)% of the allocations, burn-in included", started.stderr)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ([], "the plan has 2 designs; say which one to run: adaptive or equal"),
        (["--design", "adaptiv"], "no design named 'adaptiv'; did you mean 'adaptive'"),
        (["--design", "equal", "--journal", "mysql://a/b"], "journal must be a path or an address such as"),
        (
            ["--design", "equal", "--journal", "/nowhere/trial.db"],
            "cannot create /nowhere/trial.db: the folder /nowhere does not exist",
        ),
    ],
)
def test_what_cannot_be_started_is_refused_in_a_sentence(file, tmp_path, words, sentence):
    place = [] if "--journal" in words else ["--journal", tmp_path / "trial.db"]
    assert sentence in run("start", file, *place, *words, code=2).stderr
    assert not (tmp_path / "trial.db").exists()


def test_a_journal_is_never_overwritten(file, journal):
    before = journal.read_bytes()
    assert "never overwritten" in run("start", file, "--journal", journal, "--design", "equal", code=2).stderr
    assert journal.read_bytes() == before


def test_a_sound_journal_is_verified_and_its_head_can_be_expected(journal):
    said = run("verify", journal).stdout
    assert "sound: 27 entries, all hashes and allocations recomputed" in said
    head = re.search(r"head (27:[0-9a-f]{64})", said)[1]
    assert "sound" in run("verify", journal, "--expect", head).stdout
    assert "sound" in run("verify", journal, "--expect", head[:12]).stdout
    wrong = run("verify", journal, "--expect", "27:00000000", code=1).stdout
    assert "not sound: entry 27: its hash is not 00000000" in wrong
    assert "entry 99 is expected" in run("verify", journal, "--expect", "99:00000000", code=1).stdout
    assert "expect must be the number and the hash" in run("verify", journal, "--expect", "x", code=2).stderr


def test_the_first_entry_that_does_not_fit_is_named(journal):
    with closing(sqlite3.connect(journal)) as connection:
        connection.execute("UPDATE primum_journal SET text = replace(text, 'P-3', 'P-x') WHERE number = 10")
        connection.commit()
    assert "not sound: entry 10: its text does not have the hash" in run("verify", journal, code=1).stdout
    assert "entry 10 of the journal" in run("analyse", journal, code=2).stderr


def test_what_is_no_journal_is_refused(tmp_path):
    (tmp_path / "text.db").write_text("no database")
    sqlite3.connect(tmp_path / "other.db").close()
    for command in ("verify", "analyse"):
        assert "there is no journal" in run(command, tmp_path / "missing.db", code=2).stderr
    for name in ("text.db", "other.db"):
        assert "cannot read the journal" in run("verify", tmp_path / name, code=1).stdout
        assert "cannot read the journal" in run("analyse", tmp_path / name, code=2).stderr


def test_the_analysis_is_printed_with_the_randomisation_test_and_warnings(journal, tmp_path):
    said = run("analyse", journal, "--out", tmp_path / "found.csv")
    for part in ("control", "new against control", "Pooled Z", "90 % score interval", "Randomisation test"):
        assert part in said.stdout
    assert "The trial is not locked" in said.stderr
    table = pandas.read_csv(tmp_path / "found.csv")
    assert table["analysis"].tolist() == ["Pooled Z (sided greater)", "Randomisation test"]
    assert table["interval"].fillna("").tolist() == ["90 % score interval", ""]
    assert table["low"].notna().tolist() == [True, False]
    assert table["significant"].notna().tolist() == [True, False]  # one rule declares a difference
    with trials.Live(journal) as live:
        assert live.entries(search="statistics", who="auditor")[0].who.endswith("(command line)")


def test_exports_and_back_ups(journal, tmp_path):
    run("export", journal, "--to", tmp_path / "blinded")
    assert "arm" not in pandas.read_csv(tmp_path / "blinded" / "participants.csv")
    run("export", journal, "--to", tmp_path / "whole", "--unblinded")
    assert "arm" in pandas.read_csv(tmp_path / "whole" / "participants.csv")
    assert "exists already" in run("export", journal, "--to", tmp_path / "whole", code=2).stderr
    assert "sound" in run("backup", journal, "--to", tmp_path / "copy.db").stdout
    assert "never overwritten" in run("backup", journal, "--to", tmp_path / "copy.db", code=2).stderr
    with trials.Live(tmp_path / "copy.db") as live:
        assert live.enrol("P-12", who="ward").number == 13


def test_people_get_codes_from_the_command_line_and_are_approved_there(journal):
    first = run("person", journal, "Dr Who", "--role", "enrol", "--role", "auditor").stdout.strip()
    second = run("person", journal, "Dr Who").stdout.strip()
    assert re.fullmatch(CODE, first)
    with trials.Live(journal) as live:
        with pytest.raises(PrimumError, match="a newer one replaced it"):
            live.redeem(first, "a good password")
        check = live.redeem(second, "a good password").check
    wrong = run("approve", journal, "Dr Who", "--check", "000000" if check != "000000" else "1", code=2)
    assert "this is not the check number of 'Dr Who'" in " ".join(wrong.stderr.split())
    assert "approved: Dr Who, enrol and auditor" in run("approve", journal, "dr who", "--check", check).stderr
    with trials.Live(journal) as live:
        assert live.by_password("Dr Who", "a good password").person.state == "active"
        kinds = {entry.kind: entry.who for entry in live.entries(who="auditor")}
    for kind in ("admitted", "renewed", "approved", "approval refused"):
        assert kinds[kind].endswith("(command line)")
    assert "did you mean 'enrol'" in run("person", journal, "B", "--role", "enroll", code=2).stderr
    assert "no person with access named 'C'" in run("person", journal, "C", code=2).stderr


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["--administrator", "Ada", "--approver", "ada"], "'Ada' must not be the name of two people"),
        (["--administrator", "design"], "'design' is a name of the system"),
        (["--approver", ""], "name must be a text"),
    ],
)
def test_a_trial_with_wrong_names_is_not_started(file, tmp_path, names, sentence):
    said = run("start", file, "--journal", tmp_path / "trial.db", "--design", "equal", *names, code=2).stderr
    assert sentence in " ".join(said.split())
    assert not (tmp_path / "trial.db").exists()


def test_a_back_up_is_restored_with_what_it_lacks(journal, tmp_path):
    copy = tmp_path / "copy.db"
    run("backup", journal, "--to", copy)
    with trials.Live(journal) as live:
        live.enrol("P-99", who="ward")
    said = " ".join(run("restore", copy, "--journal", journal).output.split())
    assert "entries of the journal before it that the back-up does not have: 1" in said
    assert "Enrolled in these: P-99. They have kits that would be given again" in said
    with trials.Live(journal) as live:
        assert live.status().enrolled == 12
        assert f"--expect {live.status().entries}:{live.status().head[:16]}" in said
    assert len([*tmp_path.glob("trial.db.replaced-*")]) == 1


def test_a_database_address_is_shown_without_its_password(file):
    for address in ("postgresql://u:hun/ter2@127.0.0.1:1/trial", "postgresql://u@127.0.0.1:1/trial?password=hunter2"):
        for code, words in ((2, ("start", file, "--journal", address, "--design", "equal")), (1, ("verify", address))):
            said = run(*words, code=code).output
            assert "hun" not in said
            assert "ter2" not in said

"""A rehearsal: a whole trial against the real service, whose journal can never be taken for a real one."""

from __future__ import annotations

import json
import shutil

import pytest
from typer.testing import CliRunner

from primum import trials
from primum.cli import app
from primum.errors import PrimumError
from primum.live import Live, journal_at, verify
from primum.live.blinding import Secret
from primum.live.journal.entries import canonical, digest
from primum.live.journal.restoring import restore
from primum.live.rehearsing.rehearse import rehearse
from primum.live.service.server import serve
from tests.live import journals

TEXT = """
title = "Two doses"
[designs.adaptive]
arms = ["control", "new"]
patients = 16
policy = "thompson"
burn_in = 3
analysis = { name = "pooled-z", sided = "greater" }
[scenarios.effect]
arms = ["bernoulli(probability=0.2)", "bernoulli(probability=0.8)"]
[live]
due_days = 28
eligibility = ["aged 18 or older"]
consent = true
time_zone = "Pacific/Auckland"
"""


@pytest.fixture(scope="module")
def rehearsed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rehearsal")
    file, journal, steps = folder / "design.toml", folder / "rehearsal.db", []
    file.write_text(TEXT)
    found = rehearse(trials.Plan.load(str(file)), journal, say=steps.append)
    return journal, found, steps


@pytest.mark.slow
def test_a_rehearsal_is_a_whole_trial_up_to_the_lock_and_the_analysis(rehearsed):
    journal, found, steps = rehearsed
    assert found.enrolled == 16
    assert len(steps) == 5
    kinds = {json.loads(text)["kind"] for _, text, _ in journals.rows(str(journal))}
    assert {"approved", "voided", "withdrawn", "unblinded", "corrected", "recruitment ended", "locked"} <= kinds
    assert sum(each.known for each in found.statistics.estimates) == 14
    assert found.statistics.analysis[0].p_value is not None


@pytest.mark.slow
def test_the_journal_of_a_rehearsal_is_never_that_of_a_trial(rehearsed, tmp_path):
    journal, _, _ = rehearsed
    path = str(shutil.copy(journal, tmp_path / "trial.db"))
    with pytest.raises(PrimumError, match="is that of a rehearsal with made-up patients"):
        Live(path)
    with pytest.raises(PrimumError, match="is that of a rehearsal"):
        serve(path, "127.0.0.1", 0, browser=False)
    said = CliRunner().invoke(app, ["trial", "analyse", path])
    assert (said.exit_code, "is that of a rehearsal" in " ".join(said.output.split())) == (2, True)
    with Live(path, rehearsal=True) as live:
        assert live.status().title.startswith("REHEARSAL: ")
        assert b'title = "REHEARSAL: ' in live.files()["design.toml"]
    first = json.loads(journals.rows(path)[0][1])
    assert first["data"]["rehearsal"] is True
    # also after somebody writes that it is none, and computes all hashes anew
    first["data"] |= {"rehearsal": False, "title": "Two doses"}
    previous = "0" * 64
    for number, text, _ in journals.rows(path):
        entry = first if number == 1 else json.loads(text)
        text = canonical({**entry, "previous": previous})
        previous = digest(text)
        journals.execute(path, "UPDATE primum_journal SET text = ?, hash = ? WHERE number = ?", text, previous, number)
    journals.execute(path, "UPDATE primum_head SET hash = ?", previous)
    store = journal_at(path)
    found = verify(store)
    store.close()
    assert not found.ok
    with pytest.raises(PrimumError, match="does not fit"):
        Live(path)


def test_a_trial_is_no_rehearsal_and_decides_by_other_numbers(tmp_path, same_secret):
    path = str(tmp_path / "trial.db")
    kits = []
    for is_rehearsal, place in ((False, path), (True, str(tmp_path / "rehearsal.db"))):
        with journals.start(place, 12, (), rehearsal=is_rehearsal) as live:
            kits.append([live.enrol(f"P-{number}").kit for number in range(6)])
    assert not {*kits[0]} & {*kits[1]}
    with pytest.raises(PrimumError, match="is that of a trial, and no rehearsal"):
        Live(path, rehearsal=True)
    secret = Secret("5c" * 32)
    assert secret.rehearsing().commitment == secret.commitment
    assert secret.rehearsing().seed != secret.seed


def test_a_rehearsal_is_no_back_up_of_a_trial(tmp_path, same_secret):
    """Not even with the same secret."""
    for name in ("trial.db", "rehearsal.db"):
        journals.start(str(tmp_path / name), 12, (), rehearsal=name != "trial.db").disconnect()
    with pytest.raises(PrimumError, match="another trial"):
        restore(tmp_path / "rehearsal.db", tmp_path / "trial.db")

"""The conduct of a trial over HTTP: who learns what from answers, and who has to wait for whom."""

from __future__ import annotations

import re
import shutil
import sqlite3
import threading
from contextlib import closing

from primum.live import Live
from primum.live.service import app as application

from .made_up_trial import served_by

ABOUT = {"scope": "treatment", "reason": "side effects"}


def test_who_enrols_learns_no_outcome_from_a_withdrawal(served):
    """Nor whether one is known."""
    answers = set()
    for code, outcome in (("P-1", 1), ("P-2", 0), ("P-3", None)):
        served.live.enrol(code, who="test")
        if outcome is not None:
            served.live.record(code, outcome, who="test", confirm=True)
    for scope in ("treatment", "data"):
        for code in ("P-1", "P-2", "P-3"):
            for _ in range(2):
                found = served.ask("enrol", "POST", "/api/withdrawals", ABOUT | {"participant": code, "scope": scope})
                text = re.sub(r'"(number|withdrawn_at)":[^,]*', "", found.text.replace(code, ""))
                answers.add((scope, found.status_code, text))
    assert len(answers) == 2
    assert {status for _, status, _ in answers} == {200}


def test_unblinding_is_for_unblinders_and_others_see_that_it_happened(served):
    arm = served.live.enrol("P-1", who="test").arm
    asked = {"participant": "P-1", "reason": "anaphylaxis"}
    for role in ("statistician", "administrator", "approver", "everything blinded"):
        assert served.ask(role, "POST", "/api/unblindings", asked).status_code == 403
    found = served.ask("unblinder", "POST", "/api/unblindings", asked).json()
    assert (found["arm"], found["participant"]) == (arm, "P-1")
    for role in ("monitor", "approver"):
        status = served.ask(role, "GET", "/api/status")
        [seen] = status.json()["unblindings"]
        assert (seen["who"], seen["participant"]) == ("unblinder", "P-1")
        assert f'"{arm}"' not in status.text
    assert ("unblinded", "unblinder") in served.kinds()


def test_a_trial_is_locked_by_two_people_over_http(served):
    def ask(role, method, path, data=None):
        return served.ask(role, method, f"/api/{path}", data)

    for code in ("P-1", "P-2"):
        served.live.enrol(code, who="test")
    served.live.record("P-1", 1, who="test", confirm=True)
    assert ask("administrator", "POST", "lock", {"reason": "done", "missing": ["P-2"]}).status_code == 409
    assert ask("administrator", "POST", "recruitment-end", {"reason": "enough"}).status_code == 204
    [missing] = ask("approver", "GET", "missing").json()
    assert (missing["participant"], missing["why"]) == ("P-2", "not due yet")
    told = ask("administrator", "POST", "lock", {"reason": "done", "missing": []})
    assert (told.status_code, [*told.json()["errors"]]) == (422, ["missing"])
    assert ask("administrator", "POST", "lock", {"reason": "done", "missing": ["P-2"]}).status_code == 204
    assert ask("monitor", "GET", "status").json()["lock"]["who"] == "administrator"
    assert ask("administrator", "POST", "lock/approval", {"missing": ["P-2"]}).status_code == 403
    assert ask("approver", "DELETE", "lock").status_code == 204
    assert ask("approver", "POST", "lock/approval", {"missing": ["P-2"]}).status_code == 409
    assert ask("administrator", "POST", "lock", {"reason": "done", "missing": ["P-2"]}).status_code == 204
    assert ask("approver", "POST", "lock/approval", {"missing": ["P-2"]}).status_code == 204
    assert ask("enrol", "GET", "me").json()["state"] == "locked"
    assert served.live.verify().ok


def test_many_who_wait_for_the_database_keep_nobody_from_logging_in(tmp_path, first_entries, clock):
    """More of them than a web server usually has threads."""
    journal, tokens = first_entries
    path = shutil.copy(journal, tmp_path / "trial.db")
    waiting = 60
    assert waiting < application.MOST_THREADS
    with served_by(Live(path), tokens, clock) as served, closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        threads = [
            threading.Thread(
                target=served.ask, args=("enrol", "POST", "/api/participants", {"participant": f"P-{number}"})
            )
            for number in range(waiting)
        ]
        for thread in threads:
            thread.start()
        seen = []
        reader = threading.Thread(target=lambda: seen.append(served.ask("monitor", "GET", "/api/status").status_code))
        reader.start()
        reader.join(20)
        assert seen == [200]
        assert all(thread.is_alive() for thread in threads)
        other.rollback()
        for thread in threads:
            thread.join()
        assert served.live.status().enrolled == waiting

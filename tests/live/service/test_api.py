"""Each address: what it does, for whom, and what it says if it cannot."""

from __future__ import annotations

import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from primum import trials
from primum.live import ROLES, JournalUnavailable, Live

from .made_up_trial import begun, design, served_by

KIT = re.compile(r"[0-9A-Z]{3}-[0-9A-Z]{3}")

# what each address is for: e enrol, r record, m monitor, s statistician, a auditor, u unblinder, A administrator,
# p approver
EVERYBODY = "ermsauAp"
ALLOWED = {
    ("POST", "/api/logout"): EVERYBODY,
    ("GET", "/api/me"): EVERYBODY,
    ("POST", "/api/notes"): EVERYBODY,
    ("POST", "/api/participants"): "e",
    ("GET", "/api/participants/{participant}"): "e",
    ("GET", "/api/participants"): "r",
    ("POST", "/api/outcomes"): "r",
    ("POST", "/api/corrections"): "r",
    ("POST", "/api/withdrawals"): "er",
    ("POST", "/api/voids"): "eA",
    ("POST", "/api/unblindings"): "u",
    ("GET", "/api/status"): "msaAp",
    ("GET", "/api/participants.csv"): "rmsa",
    ("GET", "/api/statistics"): "s",
    ("GET", "/api/kits.csv"): "s",
    ("GET", "/api/journal"): "a",
    ("GET", "/api/journal.jsonl"): "a",
    ("GET", "/api/verification"): "a",
    ("GET", "/api/people"): "Ap",
    ("POST", "/api/people"): "A",
    ("POST", "/api/people/{name}/renewal"): "A",
    ("POST", "/api/people/{name}/approval"): "p",
    ("GET", "/api/tokens"): EVERYBODY,
    ("POST", "/api/tokens"): EVERYBODY,
    ("DELETE", "/api/tokens/{label}"): EVERYBODY,
    ("DELETE", "/api/people/{name}"): "A",
    ("POST", "/api/pause"): "A",
    ("POST", "/api/resume"): "A",
    ("POST", "/api/recruitment-end"): "A",
    ("GET", "/api/missing"): "Ap",
    ("POST", "/api/lock"): "A",
    ("DELETE", "/api/lock"): "Ap",
    ("POST", "/api/lock/approval"): "p",
    ("POST", "/api/arms/dropped"): "A",
}
LETTERS = dict(zip(EVERYBODY, ROLES, strict=True))
FREE = [("GET", "/api/health"), ("GET", "/api/login"), ("POST", "/api/login"), ("POST", "/api/join")]


OUTCOME = {"participant": "P-1", "outcome": 1, "confirm": True}
CORRECTION = OUTCOME | {"replaces": 0}
WITHDRAWAL = {"participant": "P-1", "scope": "data"}


def errors(response):
    return response.json()["errors"]


def test_the_table_has_all_addresses(served):
    described = served.ask("enrol", "GET", "/openapi.json").json()["paths"]
    assert {(method.upper(), path) for path, methods in described.items() for method in methods} == {*ALLOWED, *FREE}


@pytest.mark.parametrize(("method", "path"), ALLOWED, ids=[" ".join(each) for each in ALLOWED])
def test_each_address_is_for_some_roles(served, method, path):
    allowed = {LETTERS[letter] for letter in ALLOWED[method, path]}
    before = served.live.status().entries
    for role in {*ROLES} - allowed:
        told = served.ask(role, method, path, {} if method == "POST" else None)
        assert told.status_code == 403, role
        assert re.fullmatch(rf"this needs the role .*; {role} has {role}", errors(told)[""])
        assert all(needed in errors(told)[""] for needed in allowed)
    assert served.live.status().entries == before
    for role in allowed:
        assert served.ask(role, method, path, {} if method == "POST" else None).status_code not in (401, 403), role


@pytest.mark.parametrize(("method", "path"), ALLOWED, ids=[" ".join(each) for each in ALLOWED])
def test_nobody_does_anything_without_a_token(served, method, path):
    told = served.client.request(method, path, json={} if method == "POST" else None)
    assert told.status_code == 401
    assert told.headers["www-authenticate"] == "Bearer"
    assert errors(told) == {"": "log in, or send your token in the header Authorization: Bearer TOKEN"}


def test_whoever_has_several_roles_may_do_what_each_allows(served):
    assert served.ask("everything blinded", "POST", "/api/participants", {"participant": "P-1"}).status_code == 200
    assert served.ask("everything blinded", "GET", "/api/people").status_code == 200
    assert served.ask("everything blinded", "GET", "/api/statistics").status_code == 403


def test_enrolment_tells_the_kit_and_is_idempotent(served):
    first = served.ask("enrol", "POST", "/api/participants", {"participant": "P-1"})
    again = served.ask("everything", "POST", "/api/participants", {"participant": " P-1 ", "confirm": True})
    assert first.status_code == again.status_code == 200
    assert first.json() == again.json()
    assert first.json()["arm"] is None
    assert KIT.fullmatch(first.json()["kit"])
    assert served.live.status().enrolled == 1
    assert ("enrolled", "enrol") in served.kinds()


def test_an_allocation_is_told_again_and_nobody_is_enrolled_by_asking(served):
    first = served.ask("enrol", "POST", "/api/participants", {"participant": "P/1"})
    served.live.pause(reason="no kits", who="test")
    assert served.ask("enrol", "GET", "/api/participants/p%2F1").json() == first.json()
    assert served.ask("enrol", "GET", "/api/participants/P-2").status_code == 404
    assert served.live.status().enrolled == 1


def test_in_an_open_trial_enrolment_tells_the_arm(served_open):
    found = served_open.ask("enrol", "POST", "/api/participants", {"participant": "P-1"}).json()
    assert found["arm"] in ("control", "new")
    assert found["kit"] is None


def test_enrolled_many_times_at_once_there_is_one_allocation(served):
    start = threading.Barrier(20)

    def enrol(_):
        start.wait()
        return served.ask("enrol", "POST", "/api/participants", {"participant": "P-1"}).text

    with ThreadPoolExecutor(20) as pool:
        assert len({*pool.map(enrol, range(20))}) == 1
    assert served.live.status().enrolled == 1


def test_from_enrolment_to_the_outcome(served):
    ask = served.ask
    ask("enrol", "POST", "/api/participants", {"participant": "P-1"})
    outcome = {"participant": "P-1", "outcome": 1, "confirm": True}
    known = ask("record", "POST", "/api/outcomes", outcome)
    assert known.json()["state"] == "known"
    assert ask("record", "POST", "/api/outcomes", outcome).json() == known.json()
    other = ask("record", "POST", "/api/outcomes", outcome | {"outcome": 0})
    assert (other.status_code, *errors(other)) == (409, "")
    assert re.fullmatch(r"Success is already recorded \(record, [^)]*\)\. Correct it\?", errors(other)[""])
    corrected = ask(
        "record", "POST", "/api/corrections", outcome | {"outcome": 0, "replaces": 1, "reason": "wrong form"}
    )
    assert (corrected.json()["outcome"], corrected.json()["corrections"]) == (0, 1)
    gone = ask("enrol", "POST", "/api/withdrawals", {"participant": "P-1", "scope": "data", "reason": "moved away"})
    assert gone.status_code == 200
    assert [each["participant"] for each in ask("record", "GET", "/api/participants").json()] == ["P-1"]
    assert served.live.verify().ok


def test_participants_can_be_asked_for_by_their_states(served):
    for code in ("P-1", "P-2", "P-3"):
        served.live.enrol(code, who="test")
    served.live.record("P-2", 1, who="test", confirm=True)
    served.live.withdraw("P-3", scope="data", reason="moved away", who="test")

    def found(states):
        return [each["participant"] for each in served.ask("record", "GET", f"/api/participants?state={states}").json()]

    assert found("waiting") == ["P-1"]
    assert found("known, withdrawn") == ["P-2", "P-3"]
    assert found("due,overdue") == []
    told = served.ask("record", "GET", "/api/participants?state=knwn")
    assert (told.status_code, errors(told)) == (422, {"state": "no state named 'knwn'; did you mean 'known'?"})


@pytest.mark.parametrize(
    ("address", "data", "status", "place", "sentence"),
    [
        ("participants", {"participant": "Anna Smith"}, 422, "confirm", "'Anna Smith' looks like a name"),
        ("participants", {"participant": "?"}, 422, "participant", "must be a code of 1 to 40"),
        ("participants", {"participant": 7}, 422, "participant", "participant should be a valid string, got 7"),
        ("participants", {}, 422, "participant", "required"),
        ("participants", {"participant": "P-1", "arm": "new"}, 422, "arm", "no field named 'arm'"),
        ("outcomes", {"participant": "P-9", "outcome": 1}, 404, "", "no participant with the code 'P-9' is enrolled"),
        (
            "outcomes",
            {"participant": "P-1", "outcome": 2, "confirm": True},
            422,
            "outcome",
            "outcome must be 0 (failure) or 1",
        ),
        ("outcomes", {"participant": "P-1", "outcome": "1"}, 422, "outcome", "should be a valid number, got '1'"),
        ("corrections", CORRECTION | {"reason": "x"}, 409, "", "has no outcome that could be"),
        ("corrections", CORRECTION | {"reason": ""}, 422, "reason", "reason must be a text of"),
        (
            "withdrawals",
            {"participant": "P-1", "scope": "data", "reason": "see a@b.de"},
            422,
            "confirm",
            "an e-mail address",
        ),
        ("notes", {"text": "born 1.2.1960"}, 422, "confirm", "a date, such as one of birth"),
        ("people", {"name": "Ann", "roles": ["enroll"]}, 422, "roles", "no role named 'enroll'; did you mean 'enrol'?"),
        ("people", {"name": "enrol", "roles": ["enrol"]}, 409, "", "'enrol' has access already"),
        ("people/Ann/renewal", {}, 404, "", "no person with access named 'Ann'"),
        ("arms/dropped", {"arm": "nwe", "reason": "x"}, 422, "arm", "no arm named 'nwe'; did you mean 'new'?"),
        ("resume", {"reason": "x"}, 409, "", "enrolment is not paused"),
    ],
)
def test_errors_are_sentences_at_their_places(served, address, data, status, place, sentence):
    served.live.enrol("P-1", who="test")
    before = served.live.status().entries
    told = served.ask("everything", "POST", f"/api/{address}", data)
    assert told.status_code == status
    assert [*errors(told)] == [place]
    assert sentence in errors(told)[place]
    assert served.live.status().entries == before


def test_numbers_that_json_does_not_have_are_refused(served):
    served.live.enrol("P-1", who="test")
    for number in ("NaN", "Infinity", "1" * 5000, "1e999"):
        headers = served.headers("record") | {"content-type": "application/json"}
        sent = f'{{"participant": "P-1", "outcome": {number}}}'
        assert served.client.post("/api/outcomes", content=sent, headers=headers).status_code == 422


def test_what_is_not_sent_as_json_is_refused(served):
    headers = served.headers("enrol") | {"content-type": "text/plain"}
    told = served.client.post("/api/participants", content='{"participant": "P-1"}', headers=headers)
    assert told.status_code == 422
    assert served.live.status().enrolled == 0


def test_a_request_that_is_too_large_is_refused(served):
    told = served.ask("everything", "POST", "/api/notes", {"text": "x" * 200_000})
    assert (told.status_code, errors(told)) == (413, {"": "the request is larger than the limit of 0.1 MB"})


def test_what_was_questioned_can_be_confirmed(served):
    asked = {"participant": "Delta", "confirm": True}
    assert served.ask("enrol", "POST", "/api/participants", asked).json()["participant"] == "Delta"


def test_the_conduct_of_the_trial(served):
    def state():
        return served.ask("enrol", "GET", "/api/me").json()["state"]

    assert state() == "open"
    assert served.ask("administrator", "POST", "/api/pause", {"reason": "a delivery is late"}).status_code == 204
    assert state() == "paused"
    told = served.ask("enrol", "POST", "/api/participants", {"participant": "P-1"})
    assert (told.status_code, errors(told)) == (409, {"": "enrolment is paused: a delivery is late"})
    assert served.ask("administrator", "POST", "/api/resume", {"reason": "it is here"}).status_code == 204
    dropped = {"arm": "new", "reason": "recalled"}
    assert served.ask("administrator", "POST", "/api/arms/dropped", dropped).status_code == 204
    assert served.ask("enrol", "POST", "/api/participants", {"participant": "P-1"}).status_code == 200
    assert served.live.allocations(who="test")[0].arm == "control"
    assert served.ask("administrator", "POST", "/api/recruitment-end", {"reason": "done"}).status_code == 204
    assert state() == "recruited"
    [missing] = served.ask("approver", "GET", "/api/missing").json()
    accepted = {"missing": [missing["participant"]]}
    assert served.ask("administrator", "POST", "/api/lock", accepted | {"reason": "done"}).status_code == 204
    assert state() == "lock proposed"
    assert served.ask("approver", "POST", "/api/lock/approval", accepted).status_code == 204
    assert state() == "locked"
    assert served.ask("record", "POST", "/api/outcomes", OUTCOME).status_code == 409


def test_people(served):
    ask, address = served.ask, "/api/people/Ward%203%2Fnorth"
    invited = ask("administrator", "POST", "/api/people", {"name": "Ward 3/north", "roles": ["enrol"]}).json()
    assert (invited["name"], invited["roles"]) == ("Ward 3/north", ["enrol"])
    renewed = ask("administrator", "POST", f"{address}/renewal").json()
    assert renewed["code"] != invited["code"]
    person = {"name": "Ward 3/north", "roles": ["enrol"], "admitted_by": "administrator", "approved_by": None}
    assert (person | {"state": "invited", "expires": renewed["expires"]}).items() <= last_of(ask).items()
    joined = served.client.post("/api/join", json={"code": renewed["code"], "password": "a good password"})
    assert joined.json()["access"] == "active"
    assert (person | {"state": "active", "expires": None}).items() <= last_of(ask).items()
    told = ask("approver", "POST", f"{address}/approval", {"check": "123456"})
    assert (told.status_code, errors(told)) == (409, {"": "'Ward 3/north' needs no approval"})
    assert ask("administrator", "DELETE", address).status_code == 204
    assert (person | {"state": "dismissed"}).items() <= last_of(ask).items()
    assert served.client.get("/api/me").status_code == 401
    assert invited["code"] not in ask("administrator", "GET", "/api/people").text


def last_of(ask):
    found, same = (ask(role, "GET", "/api/people").json() for role in ("administrator", "approver"))
    assert found == same
    return found[-1]


def test_tokens(served):
    made = served.ask("record", "POST", "/api/tokens", {"label": "data capture/1"}).json()
    assert [each["label"] for each in served.ask("record", "GET", "/api/tokens").json()] == ["tests", "data capture/1"]
    assert served.ask("enrol", "GET", "/api/tokens").json()[1:] == []
    headers = {"authorization": f"Bearer {made['token']}"}
    assert served.client.get("/api/me", headers=headers).json()["name"] == "record"
    assert served.ask("enrol", "DELETE", "/api/tokens/data%20capture%2F1").status_code == 404
    assert served.ask("record", "DELETE", "/api/tokens/data%20capture%2F1").status_code == 204
    assert served.client.get("/api/me", headers=headers).status_code == 401


def test_only_some_roles_get_the_names_of_the_arms(served):
    named = {role for role in ROLES if served.ask(role, "GET", "/api/me").json()["arms"] == ["control", "new"]}
    assert named == {"statistician", "auditor", "administrator"}
    assert served.ask("enrol", "GET", "/api/me").json() == {
        "name": "enrol",
        "roles": ["enrol"],
        "access": "active",
        "check": None,
        "title": "Two doses",
        "blinded": True,
        "state": "open",
        "outcomes": "binary",
        "patients": 60,
        "time_zone": "UTC",
        "eligibility": [],
        "consent": False,
        "arms": None,
    }


def test_outcomes_in_a_range(tmp_path):
    run = design(analysis=trials.RandomisationTest(), policy="uniform-random")
    with served_by(*begun(tmp_path / "range.db", run=run, outcomes=(0, 100))) as served:
        assert served.ask("enrol", "GET", "/api/me").json()["outcomes"] == [0, 100]
        assert served.ask("monitor", "GET", "/api/status").json()["outcomes"] == [0, 100]
        served.live.enrol("P-1", who="test")
        given = {"participant": "P-1", "outcome": 12.5, "confirm": True}
        assert served.ask("record", "POST", "/api/outcomes", given).json()["outcome"] == 12.5
        told = served.ask("record", "POST", "/api/outcomes", given | {"outcome": 101})
        assert (told.status_code, errors(told)) == (422, {"outcome": "outcome must be in [0, 100], got 101.0"})


@pytest.mark.parametrize(
    ("role", "address", "what"),
    [
        ("statistician", "statistics", "statistics"),
        ("statistician", "kits.csv", "kit list"),
        ("statistician", "participants.csv", "participants"),
        ("auditor", "participants.csv", "participants"),
        ("auditor", "journal", "journal"),
        ("auditor", "journal.jsonl", "journal"),
        ("everything", "participants.csv", "participants"),
    ],
)
def test_who_sees_arms_is_in_the_journal_before(served, role, address, what):
    served.live.enrol("P-1", who="test")
    response = served.ask(role, "GET", f"/api/{address}")
    assert response.status_code == 200
    assert '"arm' in response.text or ",arm" in response.text
    accessed = [entry for entry in served.live.entries(who="test") if entry.kind == "accessed"][:-1]
    assert [(entry.who, entry.data) for entry in accessed] == [(role, {"what": what})]


def test_if_the_access_cannot_be_noted_nothing_is_shown(served, monkeypatch):
    served.live.enrol("P-1", who="test")

    def broken(*_, **__):
        raise JournalUnavailable("cannot write to the journal /srv/trial.db: database or disk is full")

    monkeypatch.setattr(Live, "_do", broken)
    told = served.ask("statistician", "GET", "/api/statistics")
    assert told.status_code == 503
    assert "arm" not in told.text


def test_a_journal_that_is_unavailable_is_told_without_its_details(served, monkeypatch, caplog):
    def broken(*_, **__):
        raise JournalUnavailable("entry 7 of the journal /srv/trial.db does not fit: its arm is 'new'")

    monkeypatch.setattr(Live, "enrol", broken)
    told = served.ask("enrol", "POST", "/api/participants", {"participant": "P-1"})
    assert (told.status_code, told.headers["retry-after"]) == (503, "10")
    sentence = "the journal cannot be read or written; details are in the server log; try again in 10 s"
    assert errors(told) == {"": sentence}
    assert "its arm is 'new'" in caplog.text


def test_the_journal_in_pages(served):
    for number in range(12):
        served.live.note(f"note {number}", who="Ward 3")
    whole = served.ask("auditor", "GET", "/api/journal").json()
    assert [entry["number"] for entry in whole["entries"]] == [*range(1, whole["total"] + 1)]
    assert {"number", "at", "who", "kind", "data", "previous", "salt", "hash"} == {*whole["entries"][0]}
    page = served.ask("auditor", "GET", "/api/journal?search=NOTE%20&after=11&limit=5").json()
    assert page["total"] == 12
    assert len(page["entries"]) == 5
    assert all(entry["number"] > 11 and "note " in entry["data"]["text"] for entry in page["entries"])
    assert served.ask("auditor", "GET", "/api/journal?limit=5000").status_code == 422
    lines = served.ask("auditor", "GET", "/api/journal.jsonl").text.splitlines()
    assert [json.loads(line)["number"] for line in lines] == [*range(1, len(lines) + 1)]


def test_verification(served):
    found = served.ask("auditor", "GET", "/api/verification").json()
    assert found["ok"] is True
    assert found["head"] == served.live.status().head


def test_files_are_downloads(served):
    for address, media in (("participants.csv", "text/csv"), ("kits.csv", "text/csv"), ("journal.jsonl", "jsonl")):
        response = served.ask("everything", "GET", f"/api/{address}")
        assert response.headers["content-disposition"] == f'attachment; filename="{address}"'
        assert media in response.headers["content-type"]
    blinded = served.ask("monitor", "GET", "/api/participants.csv").text
    assert "arm" not in blinded
    assert "kit" not in blinded


def test_health_tells_nothing_but_that_the_service_is_up(served):
    assert served.client.get("/api/health").json() == {"up": True}


def test_the_page_needs_no_log_in_and_tells_nothing_of_the_trial(served):
    for address in ("/", "/favicon.ico"):
        told = served.client.get(address)
        assert told.status_code == 200, address
        assert "Two doses" not in told.text
    script = served.client.get("/").text.split('src="')[1].split('"')[0]
    assert served.client.get(script).headers["cache-control"].startswith("public")


def test_the_description_of_the_api_needs_a_log_in(served):
    for address in ("/docs", "/openapi.json"):
        assert served.client.get(address).status_code == 401
        for role in ROLES:
            assert served.ask(role, "GET", address).status_code == 200
    assert served.client.get("/redoc").status_code == 404


def test_all_answers_have_the_security_headers(served):
    for address in ("/", "/docs", "/api/health", "/api/me", "/nothing"):
        headers = served.client.get(address).headers
        policy = headers["content-security-policy"].split("; ")
        assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"} <= {*policy}
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cache-control"] == "no-store"

"""Tokens, sessions, the limit of failed attempts, and requests of other sites."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from primum.live.service import attempts, sessions
from primum.live.service.access import COOKIE
from primum.live.service.attempts import Attempts
from primum.live.service.sessions import Sessions
from primum.web.addresses import network_of

MINUTE = 60
WRONG = f"primum-{'x' * 43}"


def log_in(served, person):
    return served.client.post("/api/login", json={"token": served.tokens[person]})


def errors(response):
    return response.json()["errors"]


def test_log_in_and_out(served):
    told = log_in(served, "monitor")
    assert told.json() == served.client.get("/api/me").json() == served.ask("monitor", "GET", "/api/me").json()
    assert served.client.get("/api/status").status_code == 200
    cookie = served.client.cookies[COOKIE]
    left = served.client.post("/api/logout")
    assert left.status_code == 204
    assert "Max-Age=0" in left.headers["set-cookie"]
    assert COOKIE not in served.client.cookies
    served.client.cookies[COOKIE] = cookie
    told = served.client.get("/api/me")
    assert (told.status_code, errors(told)) == (401, {"": "your session has ended; log in again"})


def test_the_attributes_of_the_cookie(served):
    attributes = log_in(served, "monitor").headers["set-cookie"].split("; ")
    assert attributes[0].startswith(f"{COOKIE}=")
    assert served.tokens["monitor"] not in attributes[0]
    assert {*attributes[1:]} == {"HttpOnly", "Path=/", "SameSite=strict"}
    with TestClient(served.client.app, base_url="https://testserver") as client:
        told = client.post("/api/login", json={"token": served.tokens["monitor"]})
    assert {*told.headers["set-cookie"].split("; ")[1:]} == {"HttpOnly", "Path=/", "SameSite=strict", "Secure"}


def test_the_server_keeps_neither_tokens_nor_keys_of_sessions(served):
    log_in(served, "monitor")
    kept = repr(served.client.app.state.access._sessions._sessions)
    assert "Session(" in kept
    assert served.tokens["monitor"] not in kept
    assert served.client.cookies[COOKIE] not in kept


def test_an_idle_session_ends(served, clock):
    log_in(served, "monitor")
    for _ in range(3):
        clock.now += 29 * MINUTE
        assert served.client.get("/api/me").status_code == 200
    clock.now += 31 * MINUTE
    assert served.client.get("/api/me").status_code == 401


def test_a_session_ends_after_twelve_hours_though_it_is_used(served, clock):
    log_in(served, "monitor")
    for _ in range(4 * 12 - 1):
        clock.now += 15 * MINUTE
        assert served.client.get("/api/me").status_code == 200
    clock.now += 15 * MINUTE
    assert served.client.get("/api/me").status_code == 401


@pytest.mark.parametrize("done", ["renew", "dismiss"])
def test_a_session_ends_with_its_token(served, done):
    log_in(served, "monitor")
    assert served.client.get("/api/me").status_code == 200
    getattr(served.live, done)("monitor", who="test")
    assert served.client.get("/api/me").status_code == 401
    assert served.ask("monitor", "GET", "/api/me").status_code == 401


def test_a_dismissal_by_another_process_counts_at_once(served):
    log_in(served, "monitor")
    with type(served.live)(served.live.journal.place) as other:
        other.dismiss("monitor", who="test")
    assert served.client.get("/api/me").status_code == 401


def test_whoever_logs_in_again_leaves_the_old_session(served):
    log_in(served, "monitor")
    old = served.client.cookies[COOKIE]
    log_in(served, "record")
    assert served.client.get("/api/me").json()["name"] == "record"
    served.client.cookies.clear()
    served.client.cookies[COOKIE] = old
    assert served.client.get("/api/me").status_code == 401


def test_a_token_has_some_sessions_at_most(clock):
    found = Sessions(clock)
    other = found.begin("other")
    keys = [found.begin("hash") for _ in range(sessions.MOST_OF_TOKEN + 3)]
    alive = [found.token_hash(key) is not None for key in keys]
    assert alive == [False] * 3 + [True] * sessions.MOST_OF_TOKEN
    assert found.token_hash(other) == "other"


def test_too_many_failed_attempts(served, clock):
    log_in(served, "monitor")
    for attempt in range(5):
        if attempt % 2:
            told = served.client.get("/api/me", headers={"authorization": f"Bearer {WRONG}"})
        else:
            told = served.client.post("/api/login", json={"token": WRONG})
        assert told.status_code == 401
        assert errors(told) == {"": "token not recognised; it may have been replaced by a new one"}
        clock.now += 2
    wrong = {"authorization": f"Bearer {WRONG}"}
    for told in (served.client.post("/api/login", json={"token": WRONG}), served.client.get("/api/me", headers=wrong)):
        assert (told.status_code, told.headers["retry-after"]) == (429, "50")
        assert errors(told) == {"": "too many failed attempts from your address; try again in 50 s"}
    assert served.client.get("/api/me").json()["name"] == "monitor", "a session goes on"
    assert log_in(served, "record").status_code == 200, "others at this address are not locked out"
    clock.now += 50
    assert served.client.post("/api/login", json={"token": WRONG}).status_code == 401
    assert served.client.post("/api/login", json={"token": WRONG}).status_code == 429, "four of the last minute and one"


def test_other_addresses_are_not_affected(served):
    for _ in range(6):
        served.client.post("/api/login", json={"token": WRONG})
    with TestClient(served.client.app, client=("192.0.2.7", 50_000)) as client:
        assert client.post("/api/login", json={"token": served.tokens["record"]}).status_code == 200


def test_a_success_takes_no_failure_back(served):
    for _ in range(4):
        served.client.post("/api/login", json={"token": WRONG})
    assert log_in(served, "record").status_code == 200
    assert served.client.post("/api/login", json={"token": WRONG}).status_code == 401
    assert served.client.post("/api/login", json={"token": WRONG}).status_code == 429


def test_failed_attempts_take_little_memory(clock, monkeypatch):
    monkeypatch.setattr(attempts, "MOST_ADDRESSES", 10)
    found = Attempts(clock)
    for number in range(100):
        for _ in range(20):
            found.fail(f"192.0.2.{number}")
    assert len(found._failures) == 10
    assert sum(map(len, found._failures.values())) == 50
    assert found.wait_seconds("192.0.2.99") == 60
    assert found.wait_seconds("192.0.2.1") == 0


def test_a_network_of_ipv6_is_one_address(served):
    for number in range(5):
        with TestClient(served.client.app, client=(f"2001:db8::{number}", 50_000)) as client:
            assert client.post("/api/login", json={"token": WRONG}).status_code == 401
    with TestClient(served.client.app, client=("2001:db8::99", 50_000)) as client:
        assert client.post("/api/login", json={"token": WRONG}).status_code == 429
    assert network_of("2001:db8::99") == network_of("2001:db8::1")


@pytest.mark.parametrize("given", ["Basic eA==", "Bearer", "primum-x", ""])
def test_other_kinds_of_authorisation_are_none(served, given):
    assert served.client.get("/api/me", headers={"authorization": given}).status_code == 401


def test_a_token_counts_more_than_a_session(served):
    log_in(served, "monitor")
    assert served.ask("record", "GET", "/api/me").json()["name"] == "record"
    told = served.client.get("/api/me", headers={"authorization": f"Bearer {WRONG}"})
    assert told.status_code == 401


@pytest.mark.parametrize(
    ("site", "status"), [("same-origin", 200), ("none", 200), (None, 200), ("same-site", 403), ("cross-site", 403)]
)
def test_pages_of_other_sites_cannot_use_a_session(served, site, status):
    log_in(served, "monitor")
    headers = {} if site is None else {"sec-fetch-site": site}
    told = served.client.get("/api/me", headers=headers)
    assert told.status_code == status
    if status == 403:
        assert errors(told) == {"": "pages of other sites must not use this service"}
    assert served.client.get("/", headers=headers).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://testserver:3000"])
def test_pages_of_other_sites_change_nothing(served, origin):
    log_in(served, "everything")
    before = served.live.status().entries
    told = served.client.post("/api/notes", json={"text": "hello"}, headers={"origin": origin})
    assert (told.status_code, errors(told)) == (
        403,
        {"": f"pages of {origin!r} must not change anything in this service"},
    )
    login = served.client.post("/api/login", json={"token": served.tokens["record"]}, headers={"origin": origin})
    assert login.status_code == 403
    assert served.live.status().entries == before
    assert (
        served.client.post("/api/notes", json={"text": "hello"}, headers={"origin": "http://testserver"}).status_code
        == 204
    )


@pytest.mark.parametrize("host", ["evil.example", "testserver.evil.example", ""])
def test_a_request_to_another_host_is_refused(served, host):
    told = served.client.get("/api/health", headers={"host": host})
    assert told.status_code == 421
    assert errors(told)[""].startswith(f"this service does not serve the host {host!r}")


@pytest.mark.parametrize(
    "body",
    ['{"token": "%s", "more": 1}', '{"token": ["%s"]}', '["%s"]', '"%s"', '{"token": "%s', "%s", '{"%s": 1}', "{}"],
)
def test_errors_at_the_log_in_quote_nothing(served, body):
    token = served.tokens["record"]
    for media in ("application/json", "text/plain"):
        told = served.client.post("/api/login", content=body.replace("%s", token), headers={"content-type": media})
        assert told.status_code in (415, 422)
        assert token[7:20] not in told.text
        assert token[-10:] not in told.text


def test_a_token_in_a_wrong_place_is_refused(served):
    token = served.tokens["record"]
    before = served.live.status().entries
    for method, address, data in [
        ("GET", f"/api/participants?state={token}", None),
        ("GET", f"/?token={token.replace('-', '%2D')}", None),
        ("GET", f"/static/{token}/main.js", None),
        ("POST", f"/api/people/{token}/token", {}),
        ("POST", "/api/participants", {"participant": token}),
        ("POST", "/api/outcomes", {"participant": "P-1", "token": token}),
        ("POST", "/api/notes", {"text": f"my token is {token}", "confirm": True}),
        ("POST", "/api/people", {"name": token, "roles": ["enrol"]}),
    ]:
        told = served.ask("everything", method, address, data)
        assert told.status_code == 422, address
        assert errors(told)[""].startswith("a token belongs in the header Authorization")
        assert token[7:20] not in told.text
    assert served.live.status().entries == before

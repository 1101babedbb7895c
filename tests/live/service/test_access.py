"""Passwords, codes, sessions, tokens, the limit of failed attempts, and requests of other sites."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from starlette.testclient import TestClient

from primum.live.service import attempts, sessions
from primum.live.service.access import COOKIE
from primum.live.service.attempts import Attempts
from primum.live.service.service_file import ServiceFile
from primum.live.service.sessions import Sessions
from primum.web.addresses import network_of
from tests.live.joining import ON_SERVER, password_of

from .test_api import ALLOWED

MINUTE = 60
WRONG = f"primum-{'x' * 43}"
AWAITS = "your access awaits approval: tell your check number to the approver"


def log_in(served, person):
    return served.client.post("/api/login", json={"name": person, "password": password_of(person)})


def fail(client, name="monitor"):
    return client.post("/api/login", json={"name": name, "password": "a wrong password"})


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
    assert {*attributes[1:]} == {"HttpOnly", "Path=/", "SameSite=strict"}
    with TestClient(served.client.app, base_url="https://testserver") as client:
        told = client.post("/api/login", json={"name": "Monitor ", "password": password_of("monitor")})
    assert {*told.headers["set-cookie"].split("; ")[1:]} == {"HttpOnly", "Path=/", "SameSite=strict", "Secure"}


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
    getattr(served.live, done)("monitor", who=ON_SERVER)
    assert served.client.get("/api/me").status_code == 401
    assert served.ask("monitor", "GET", "/api/me").status_code == 401


def test_a_dismissal_by_another_process_counts_at_once(served):
    log_in(served, "monitor")
    with type(served.live)(served.live.journal.place) as other:
        other.dismiss("monitor", who=ON_SERVER)
    assert served.client.get("/api/me").status_code == 401


def test_whoever_logs_in_again_leaves_the_old_session(served):
    log_in(served, "monitor")
    old = served.client.cookies[COOKIE]
    log_in(served, "record")
    assert served.client.get("/api/me").json()["name"] == "record"
    served.client.cookies.clear()
    served.client.cookies[COOKIE] = old
    assert served.client.get("/api/me").status_code == 401


def test_a_person_has_some_sessions_at_most(clock):
    found = Sessions(ServiceFile(), clock)
    other = found.begin("other")
    keys = [found.begin("hash") for _ in range(sessions.MOST_OF_PERSON + 3)]
    alive = [found.record_hash(key) is not None for key in keys]
    assert alive == [False] * 3 + [True] * sessions.MOST_OF_PERSON
    assert found.record_hash(other) == "other"


# the limit of attempts


def test_too_many_failed_attempts(served, clock):
    for _ in range(5):
        told = fail(served.client)
        assert (told.status_code, errors(told)) == (401, {"": "name or password not recognised"})
        clock.now += 2
    told = fail(served.client)
    assert (told.status_code, told.headers["retry-after"]) == (429, "50")
    assert errors(told) == {"": "too many failed attempts; try again in 50 s"}
    assert log_in(served, "monitor").status_code == 429, "or a guess would be tried all the same"
    assert log_in(served, "record").status_code == 200, "others at this address are not locked out"
    clock.now += 50
    assert log_in(served, "monitor").status_code == 200


def test_attempts_are_limited_before_the_password_is_looked_up(served, monkeypatch):
    asked = []
    original = type(served.live).by_password
    monkeypatch.setattr(type(served.live), "by_password", lambda *given: asked.append(1) or original(*given))
    for _ in range(20):
        fail(served.client)
    assert len(asked) == 5


def test_attempts_at_once_are_counted_before_any_of_them_is_answered(served):
    begin = threading.Barrier(20)

    def attempt(_):
        begin.wait()
        return fail(served.client).status_code

    with ThreadPoolExecutor(20) as pool:
        told = [*pool.map(attempt, range(20))]
    assert (told.count(401), told.count(429)) == (5, 15)


def test_unknown_names_are_limited_and_answered_like_others(served):
    for name in ("nobody", "monitor"):
        told = [fail(served.client, name) for _ in range(6)]
        assert [each.status_code for each in told] == [401] * 5 + [429]
        assert {each.text for each in told[:5]} == {'{"errors":{"":"name or password not recognised"}}'}


def test_names_that_are_the_same_are_limited_together(served):
    told = [fail(served.client, name).status_code for name in ("monitor", "MONITOR", " Monitor ", "ｍonitor") * 2]  # noqa: RUF001
    assert told == [401] * 5 + [429] * 3


def test_a_name_is_limited_from_all_addresses_but_those_of_the_person(served, clock):
    assert log_in(served, "monitor").status_code == 200
    told = []
    for number in range(40):
        with TestClient(served.client.app, client=(f"192.0.2.{number}", 50_000)) as client:
            told.append(fail(client).status_code)
    assert told == [401] * 30 + [429] * 10
    with TestClient(served.client.app, client=("192.0.2.99", 50_000)) as client:
        assert client.post("/api/login", json={"name": "record", "password": password_of("record")}).status_code == 200
    assert log_in(served, "monitor").status_code == 200, "nobody locks a person out of the ward"
    clock.now += 3_600
    with TestClient(served.client.app, client=("192.0.2.7", 50_000)) as client:
        assert fail(client).status_code == 401


def test_an_address_cannot_try_one_password_with_all_names(served):
    told = [fail(served.client, f"person {number}").status_code for number in range(70)]
    assert told == [401] * 60 + [429] * 10


def test_a_success_takes_no_failure_back(clock):
    found = Attempts(clock)
    for _ in range(4):
        assert found.begin("ann", "192.0.2.1") == 0
    assert found.begin("ann", "192.0.2.1") == 0
    found.succeed("ann", "192.0.2.1")
    assert found.begin("ann", "192.0.2.1") == 0
    assert found.begin("ann", "192.0.2.1") == 60


def test_attempts_take_little_memory(clock, monkeypatch):
    monkeypatch.setattr(attempts, "MOST_KEYS", 10)
    found = Attempts(clock)
    for number in range(100):
        for _ in range(20):
            found.begin("ann", f"192.0.2.{number}")
        found.succeed("ann", f"192.0.2.{number}")
    assert len(found._times) <= 10
    assert len(found._known) == 10
    assert sum(map(len, found._times.values())) <= 60 * 10


def test_a_network_of_ipv6_is_one_address(served):
    for number in range(5):
        with TestClient(served.client.app, client=(f"2001:db8::{number}", 50_000)) as client:
            assert fail(client).status_code == 401
    with TestClient(served.client.app, client=("2001:db8::99", 50_000)) as client:
        assert fail(client).status_code == 429
    assert network_of("2001:db8::99") == network_of("2001:db8::1")


def test_tokens_need_no_limit(served):
    """They have 256 random bits; and a program with an old one must not lock out its clinic."""
    wrong = {"authorization": f"Bearer {WRONG}"}
    told = [served.client.get("/api/me", headers=wrong) for _ in range(100)]
    assert {each.status_code for each in told} == {401}
    assert errors(told[0]) == {"": "token not recognised; it may have ended"}
    assert served.ask("monitor", "GET", "/api/me").status_code == 200


# joining


def invited(served, name, *roles):
    return served.ask("administrator", "POST", "/api/people", {"name": name, "roles": [*roles]}).json()


def join(client, code, password):
    return client.post("/api/join", json={"code": code, "password": password})


def test_joining_with_a_code_and_approval(served):
    found = invited(served, "Sue", "statistician")
    assert found == {
        "name": "Sue",
        "roles": ["statistician"],
        "code": found["code"],
        "link": f"http://testserver/#join={found['code']}",
        "expires": found["expires"],
    }
    told = join(served.client, found["code"], "a good password")
    assert told.status_code == 200
    me = told.json()
    assert (me["name"], me["access"], me["arms"]) == ("Sue", "awaiting approval", None)
    assert served.client.get("/api/me").json() == me, "a session has begun"
    for method, path in ALLOWED:
        if path not in ("/api/me", "/api/logout"):
            told = served.client.request(method, path.replace("{", "").replace("}", ""), json={})
            assert (told.status_code, errors(told)) == (403, {"": AWAITS}), path
    for path in ("/docs", "/openapi.json"):
        assert served.client.get(path).status_code == 403
    approved = served.ask("approver", "POST", "/api/people/Sue/approval", {"check": me["check"]})
    assert approved.json()["state"] == "active"
    assert served.client.get("/api/me").json()["check"] is None
    assert served.client.get("/api/statistics").status_code == 200


def test_a_code_that_somebody_else_used_is_told_to_the_person(served):
    code = invited(served, "Ward 3", "enrol")["code"]
    assert join(served.client, code, "a good password").json()["access"] == "active"
    told = join(served.client, code, "another password")
    assert told.status_code == 409
    assert "if that was not you, tell the approver at once" in errors(told)[""]


def test_a_wrong_check_number_is_at_its_place(served):
    join(served.client, invited(served, "Sue", "statistician")["code"], "a good password")
    told = served.ask("approver", "POST", "/api/people/Sue/approval", {"check": "no number"})
    assert (told.status_code, [*errors(told)]) == (422, ["check"])
    assert ("approval refused", "approver") in served.kinds()


def test_of_twenty_who_redeem_a_code_at_once_one_does(served):
    code, begin = invited(served, "Ward 3", "enrol")["code"], threading.Barrier(20)

    def attempt(number):
        begin.wait()
        return number, join(served.client, code, f"password {number} of twenty").status_code

    with ThreadPoolExecutor(20) as pool:
        told = dict(pool.map(attempt, range(20)))
    assert sorted(told.values()) == [200] + [409] * 19
    for number, status in told.items():
        found = served.live.by_password("Ward 3", f"password {number} of twenty")
        assert (found is not None) == (status == 200)


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
    login = served.client.post(
        "/api/login", json={"name": "record", "password": password_of("record")}, headers={"origin": origin}
    )
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


SECRET = "correct-horse-battery"


@pytest.mark.parametrize("address", ["/api/login", "/api/join"])
@pytest.mark.parametrize(
    "body",
    [
        '{"name": "record", "code": "x", "password": "%s", "more": 1}',
        '{"name": ["%s"], "password": "%s"}',
        '{"code": 1, "password": "%s"}',
        '{"code": "x", "password": ["%s"]}',
        '{"name": "%s", "password": ""}',
        '{"code": "%s", "password": "x"}',
        '["%s"]',
        '"%s"',
        '{"name": "%s',
        "%s",
        '{"%s": 1}',
        "{}",
    ],
)
def test_errors_at_the_log_in_quote_nothing(served, address, body):
    for media in ("application/json", "text/plain"):
        told = served.client.post(address, content=body.replace("%s", SECRET), headers={"content-type": media})
        assert told.status_code in (401, 415, 422)
        assert SECRET[2:9] not in told.text


def test_a_token_in_a_wrong_place_is_refused(served):
    token = served.tokens["record"]
    before = served.live.status().entries
    for method, address, data in [
        ("GET", f"/api/participants?state={token}", None),
        ("GET", f"/?token={token.replace('-', '%2D')}", None),
        ("GET", f"/static/{token}/main.js", None),
        ("POST", f"/api/people/{token}/renewal", {}),
        ("POST", "/api/login", {"name": "record", "password": token}),
        ("DELETE", f"/api/tokens/{token}", None),
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

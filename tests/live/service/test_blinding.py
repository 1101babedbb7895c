"""Blinded roles learn nothing: trials that differ only in the arms give them the same answers, byte for byte."""

from __future__ import annotations

import dataclasses
import itertools
import re
from collections.abc import Callable

import pytest

from primum import trials
from primum.live import ROLES, UNBLINDED_ROLES
from primum.live import live as core
from primum.live.people import credentials
from primum.live.service.app import create
from primum.web.hosts import Hosts
from tests.live.joining import password_of, token_of

from .made_up_trial import PEOPLE, Served, begun, design, served_by

ARMS = ("control", "dose 10", "dose of 20")
OTHERS = ("dose of 20", "control", "dose 10")  # all positions differ
SECRETS = "63" * 32, "67" * 32
BLINDED = [name for name, roles in PEOPLE.items() if not {*roles} & {*UNBLINDED_ROLES, "unblinder"}]
DESIGN = {"looks": [12, 24], "stopping": trials.DropLosers(below=0.45), "patients": 40}

ALL = ["all that is missing"]
# what each person asks of each address; $ is a number that is different each time
REQUESTS: dict[tuple[str, str], list[tuple[str, object]]] = {
    ("GET", "/api/health"): [("", None)],
    ("GET", "/api/me"): [("", None)],
    ("POST", "/api/participants"): [
        ("", {"participant": "P-$"}),
        ("", {"participant": "P-1"}),
        ("", {"participant": "Anna Smith"}),
        ("", {"participant": "control", "confirm": True}),
    ],
    ("GET", "/api/participants/{participant}"): [("", None)],
    ("GET", "/api/participants"): [("", None), ("?state=known,waiting", None), ("?state=control", None)],
    ("POST", "/api/outcomes"): [
        ("", {"participant": "P-2", "outcome": 1}),
        ("", {"participant": "P-2", "outcome": 1, "confirm": True}),
        ("", {"participant": "P-2", "outcome": 0, "confirm": True}),
        ("", {"participant": "P-999", "outcome": 0}),
    ],
    ("POST", "/api/corrections"): [
        ("", {"participant": "P-1", "outcome": 1, "replaces": 0, "reason": "wrong form $"}),
        ("", {"participant": "P-1", "outcome": 0, "replaces": 0, "reason": "wrong form $"}),
    ],
    ("POST", "/api/withdrawals"): [
        ("", {"participant": "P-3", "scope": "treatment", "reason": "moved away"}),
        ("", {"participant": "P-3", "scope": "data", "reason": "moved away"}),
    ],
    ("POST", "/api/voids"): [
        ("", {"participant": "P-6", "reason": "wrong form"}),
        ("", {"participant": "P-5", "reason": "wrong form"}),
    ],
    ("POST", "/api/unblindings"): [
        ("", {"participant": "P-1", "reason": "rash $"}),
        ("", {"participant": "P-999", "reason": "rash $"}),
    ],
    ("GET", "/api/status"): [("", None)],
    ("GET", "/api/participants.csv"): [("", None)],
    ("GET", "/api/statistics"): [("", None)],
    ("GET", "/api/kits.csv"): [("", None)],
    ("GET", "/api/journal"): [("", None), ("?search=control", None)],
    ("GET", "/api/journal.jsonl"): [("", None)],
    ("GET", "/api/verification"): [("", None)],
    ("GET", "/api/people"): [("", None)],
    ("POST", "/api/people"): [("", {"name": "Ann $", "roles": ["enrol"]}), ("", {"name": "Bob", "roles": ["control"]})],
    ("POST", "/api/people/{name}/renewal"): [("", {})],
    ("POST", "/api/people/{name}/approval"): [("", {"check": "000000"})],
    ("DELETE", "/api/people/{name}"): [("", None)],
    ("GET", "/api/tokens"): [("", None)],
    ("POST", "/api/tokens"): [("", {"label": "token $"})],
    ("DELETE", "/api/tokens/{label}"): [("", None)],
    ("POST", "/api/notes"): [("", {"text": "note $"})],
    ("POST", "/api/pause"): [("", {"reason": "pause $"})],
    ("POST", "/api/resume"): [("", {"reason": "on $"})],
    ("POST", "/api/arms/dropped"): [("", {"arm": "dose", "reason": "x"}), ("", {"arm": "", "reason": "x"})],
    ("DELETE", "/api/lock"): [("", None)],
    ("GET", "/api/login"): [("", None)],
    ("POST", "/api/login"): [("", {"name": "nobody", "password": "wrong"})],
    ("POST", "/api/join"): [("", {"code": "AAAA-BBBB-CCCC-DDDD", "password": "a good password"})],
    ("POST", "/api/logout"): [("", {})],
}
# after all of these, because allocations are others once an arm is dropped
LAST: dict[tuple[str, str], list[tuple[str, object]]] = {
    ("POST", "/api/arms/dropped"): [
        ("", {"arm": "dose 10", "reason": "recalled"}),
        ("", {"arm": "dose 10", "reason": "again"}),
    ],
    ("GET", "/api/me"): [("", None)],
    ("GET", "/api/status"): [("", None)],
    ("POST", "/api/recruitment-end"): [("", {"reason": "done"})],
    ("GET", "/api/missing"): [("", None)],
    ("POST", "/api/lock"): [("", {"reason": "done", "missing": []}), ("", {"reason": "done", "missing": ALL})],
    ("POST", "/api/lock/approval"): [("", {"missing": []}), ("", {"missing": ALL})],
    ("GET", "/api/participants"): [("", None)],
    ("GET", "/api/participants.csv"): [("", None)],
}
PAGES = ("/", "/docs", "/openapi.json", "/nothing")

Answer = tuple[int, str, bytes]


def driven(served: Served) -> dict[str, list[tuple[str, Answer]]]:
    """All answers of each person, with what was asked."""
    numbers, answers = itertools.count(100), {person: [] for person in PEOPLE}
    for number in range(1, 26):  # so that both looks are taken
        served.live.enrol(f"P-{number}", who="test")
        if number % 4 != 2:
            served.live.record(f"P-{number}", number % 3 == 0, who="test", confirm=True)
    for requests in (REQUESTS, LAST):
        for person in PEOPLE:
            for (method, path), each in requests.items():
                for query, data in each:
                    number = str(next(numbers))
                    address = path.replace("{name}", "monitor" if method == "POST" else f"Nobody {number}") + query
                    address = address.replace("{label}", f"token {number}").replace("{participant}", "P-1")
                    given = {
                        key: part.replace("$", number) if isinstance(part, str) else part
                        for key, part in (data or {}).items()
                    }
                    if given.get("missing") is ALL:
                        given["missing"] = [found.participant for found in served.live.missing()]
                    response = served.ask(person, method, address, None if data is None else given)
                    if address == "/api/people/monitor/renewal" and response.status_code == 200:
                        served.live.redeem(response.json()["code"], password_of("monitor"))
                        served.tokens["monitor"] = token_of(served.live, "monitor")
                    shown = {key: text for key, text in response.headers.items() if key != "content-length"}
                    answer = response.status_code, repr(shown), response.content
                    answers[person].append((f"{method} {address} {given}", answer))
    for page in PAGES:
        response = served.client.get(page)
        for person in PEOPLE:
            answers[person].append((page, (response.status_code, "", response.content)))
    assert len(served.live.status().accrual) == 1
    looks = served.live.statistics(who="test").looks
    assert len(looks) == 2
    assert len(looks[0].dropped + looks[1].dropped) == 1, "an arm that administrators do not know"
    return answers


def hidden(answer: Answer, patterns: list[tuple[str, str]]) -> Answer:
    status, headers, content = answer
    for pattern, shown in patterns:
        content = re.sub(pattern.encode(), shown.encode(), content)
    return status, headers, content


RANDOM = [
    (r"primum-[\w-]{43}", "TOKEN"),
    (r"(\w{4}-){3}\w{4}", "CODE"),
    (r'"head":"[0-9a-f]{64}"', '"head":HASH'),
]
BY_SECRET = [
    *RANDOM,
    (r'"kit":"[0-9A-Z]{3}-[0-9A-Z]{3}"', '"kit":KIT'),
    (r'("label":"Group \d","enrolled":|"groups_after":)\d+', r"\1N"),
]


@pytest.fixture
def drive(tmp_path, monkeypatch) -> Callable[..., dict[str, list[tuple[str, Answer]]]]:
    monkeypatch.setattr("primum.live.service.attempts.OF_NAME_AND_ADDRESS", (1_000, 1))  # each logs in wrongly once
    monkeypatch.setitem(credentials.SCRYPT, "n", 2)
    numbers = itertools.count()

    def one(arms, secret, blinded):
        live, tokens = begun(
            tmp_path / f"{next(numbers)}.db", run=design(arms, **DESIGN), blinded=blinded, secret=secret
        )
        with served_by(live, tokens) as served:
            return driven(served)

    return one


def differing(first, second, people, patterns) -> list[str]:
    """What the answers differ in."""
    found = []
    for person in people:
        for (asked, one), (_, other) in zip(first[person], second[person], strict=True):
            if hidden(one, patterns) != hidden(other, patterns):
                found.append(f"{person}: {asked}: {one} {other}")
    return found


def test_every_address_is_asked():
    described = create(None, Hosts("testserver")).openapi()["paths"]
    operations = {(method.upper(), path) for path, methods in described.items() for method in methods}
    assert {*REQUESTS, *LAST} == operations


def test_people_have_each_role_and_all_that_are_blinded():
    assert {*ROLES} < {*PEOPLE}
    assert {*BLINDED} == {"enrol", "record", "monitor", "administrator", "approver", "everything blinded"}


@pytest.mark.parametrize("blinded", [True, False])
def test_names_of_arms_change_no_answer_of_a_blinded_role(drive, blinded):
    first, second = drive(ARMS, SECRETS[0], blinded), drive(OTHERS, SECRETS[0], blinded)
    in_an_open_trial = () if blinded else ("enrol", "everything blinded")  # they see the arm, and nothing else
    people = [person for person in BLINDED if person not in in_an_open_trial]
    assert differing(first, second, people, RANDOM) == []
    for person in in_an_open_trial:
        others = differing(first, second, [person], RANDOM)
        asked = {each.split(": ")[1].split(" {")[0] for each in others}
        assert asked == {"POST /api/participants", "GET /api/participants/P-1"}
    others = differing(first, second, ["unblinder"], RANDOM)
    assert {each.split(": ")[1].split(" {")[0] for each in others} == {"POST /api/unblindings"}
    for person in ("statistician", "auditor", "everything"):
        assert differing(first, second, [person], RANDOM), "or the comparison sees nothing"


def test_other_allocations_change_no_answer_of_a_blinded_role(drive):
    first, second = drive(ARMS, SECRETS[0], True), drive(ARMS, SECRETS[1], True)
    assert differing(first, second, BLINDED, BY_SECRET) == []
    assert differing(first, second, ["enrol"], RANDOM), "kits are others"
    assert differing(first, second, ["statistician"], BY_SECRET)


def test_the_comparison_sees_an_arm_in_an_answer(drive, monkeypatch):
    original = core.participant_of

    def telling(state, found, now):
        return dataclasses.replace(original(state, found, now), outcome_at=found.arm)

    monkeypatch.setattr(core, "participant_of", telling)
    for secrets, arms in (((SECRETS[0],) * 2, (ARMS, OTHERS)), (SECRETS, (ARMS, ARMS))):
        first, second = (drive(each, secret, True) for each, secret in zip(arms, secrets))
        found = differing(first, second, BLINDED, BY_SECRET)
        assert any(each.startswith("record: GET /api/participants ") for each in found)
        assert not any(each.startswith("monitor: ") for each in found)


@pytest.mark.long
def test_the_comparison_sees_the_order_of_arms(drive, monkeypatch):
    monkeypatch.setattr("primum.live.service.routes.joining.sorted", list, raising=False)
    found = differing(drive(ARMS, SECRETS[0], True), drive(OTHERS, SECRETS[0], True), BLINDED, RANDOM)
    assert {each.split(": ")[0] for each in found} == {"administrator", "everything blinded"}

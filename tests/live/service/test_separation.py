"""Separation of duties: no administrator and no approver gets at an arm alone, whatever chain they try."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import pytest

from primum.live import ROLES
from primum.live.people import credentials, roster
from primum.live.people.roles import APPROVED_ROLES, SEPARATE_ROLES, need_approval
from primum.live.service import attempts
from primum.live.service.access import COOKIE
from tests.live.joining import ON_SERVER, join, password_of, token_of

from .made_up_trial import Served, begun, served_by
from .test_api import ALLOWED

# what an administrator must not reach alone
CLOSED = [operation for operation, letters in ALLOWED.items() if {*letters} <= {*"saup"}]
HONEST = {"Sue": "statistician", "Tom": "auditor", "Bea": "approver", "Una": "unblinder"}  # who wait for their codes
NAMES = (*HONEST, "sue", "ＳＵＥ", "design", "Zoe", "Max", "zoe ", "Approver", "administrator", "x (command line)")  # noqa: RUF001
MOVES = ("invite", "invite", "renew", "dismiss", "approve", "redeem", "redeem", "hand over", "token")


@pytest.fixture
def served(tmp_path, monkeypatch):
    """A trial with participants, an administrator and an approver; passwords cost nothing here."""
    monkeypatch.setitem(credentials.SCRYPT, "n", 2)
    for limit in ("OF_NAME_AND_ADDRESS", "OF_ADDRESS", "OF_NAME"):  # the attacker has many addresses, and time
        monkeypatch.setattr(attempts, limit, (10**6, 1))
    people = {role: [role] for role in SEPARATE_ROLES}
    with served_by(*begun(tmp_path / "trial.db", people=people)) as served:
        for number in range(4):
            served.live.enrol(f"P-{number}", who="test")
        yield served


@dataclass
class Someone:
    """Who asks, with what they show: a session, a token, or nothing."""

    served: Served
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method, address, data=None):
        self.served.client.cookies.clear()
        return self.served.client.request(method, address, json=data, headers=self.headers)

    def invite(self, name, *roles):
        return self.ask("POST", "/api/people", {"name": name, "roles": [*roles]})

    def renew(self, name):
        return self.ask("POST", f"/api/people/{name}/renewal")

    def approve(self, name, check):
        return self.ask("POST", f"/api/people/{name}/approval", {"check": check})

    def join(self, code, password="a good password"):
        """The answer, and who has joined."""
        told = self.ask("POST", "/api/join", {"code": code, "password": password})
        return told, Someone(self.served, {"cookie": f"{COOKIE}={told.cookies.get(COOKIE)}"})

    def reached(self):
        """The closed addresses that do not refuse."""
        return {each for each in CLOSED if self.ask(*filled(each)).status_code not in (401, 403)}


def filled(operation):
    method, path = operation
    return method, path.replace("{name}", "Nobody").replace("{label}", "none"), {} if method == "POST" else None


@pytest.fixture
def administrator(served):
    return Someone(served, served.headers("administrator"))


@pytest.fixture
def approver(served):
    return Someone(served, served.headers("approver"))


def errors(response):
    return response.json()["errors"]


def test_the_closed_addresses_are_those_that_show_arms_or_approve():
    assert ("GET", "/api/statistics") in CLOSED
    assert ("GET", "/api/journal") in CLOSED
    assert ("POST", "/api/people/{name}/approval") in CLOSED
    assert ("GET", "/api/status") not in CLOSED


# chains of an administrator


@pytest.mark.parametrize("role", APPROVED_ROLES)
def test_an_administrator_who_redeems_the_code_of_another_person_gets_nothing(administrator, approver, role):
    code = administrator.invite("Sue", role).json()["code"]
    told, as_sue = administrator.join(code)
    assert told.json()["access"] == "awaiting approval"
    assert as_sue.reached() == administrator.reached() == set()
    truly = as_sue.join(code)[0]  # the true person, who now tells the approver
    assert truly.status_code == 409
    assert "if that was not you, tell the approver" in errors(truly)[""]
    assert approver.approve("Sue", "000000").status_code in (200, 422), "the number cannot be guessed"
    assert administrator.approve("Sue", told.json()["check"]).status_code == 403
    assert as_sue.approve("Sue", told.json()["check"]).status_code == 403


@pytest.mark.parametrize("role", ["statistician", "auditor", "unblinder", "approver"])
def test_an_administrator_who_renews_the_access_of_another_person_gets_nothing(administrator, approver, role, served):
    join(served.live, "Sue", [role])
    sue = Someone(served, {"authorization": f"Bearer {token_of(served.live, 'Sue')}"})
    assert sue.reached()
    code = administrator.renew("Sue").json()["code"]
    assert sue.reached() == set(), "her own token has ended, so she notices"
    told, as_sue = administrator.join(code)
    assert told.json()["access"] == "awaiting approval"
    assert as_sue.reached() == set()
    assert as_sue.ask("POST", "/api/tokens", {"label": "R"}).status_code == 403
    assert ("renewed", "administrator") in served.kinds()
    assert ("redeemed", "Sue") in served.kinds()


@pytest.mark.parametrize("role", APPROVED_ROLES)
def test_invented_people_approve_nobody(administrator, role):
    first, as_first = administrator.join(administrator.invite("Invented", role).json()["code"])
    second, as_second = administrator.join(administrator.invite("Invented too", "approver").json()["code"])
    checks = {"Invented": first.json()["check"], "Invented too": second.json()["check"]}
    for one in (administrator, as_first, as_second):
        for name, check in checks.items():
            assert one.approve(name, check).status_code == 403
        assert one.invite("Further", "statistician").status_code == (200 if one is administrator else 403)
        assert one.reached() == set()


def test_an_administrator_who_replaces_the_approver_gets_nothing(administrator, approver, served):
    told = administrator.renew("approver")
    assert (told.status_code, "is the only approver" in errors(told)[""]) == (409, True)
    assert administrator.ask("DELETE", "/api/people/approver").status_code == 409
    mine = administrator.join(administrator.invite("Mine", "approver").json()["code"])[1]
    assert administrator.ask("DELETE", "/api/people/approver").status_code == 409, "mine does not work"
    assert mine.reached() == set()
    join(served.live, "Bea", ["approver"])  # a true one
    assert administrator.ask("DELETE", "/api/people/approver").status_code == 204
    told, as_bea = administrator.join(administrator.invite("Bea 2", "approver").json()["code"])
    assert as_bea.approve("Mine", "000000").status_code == 403
    assert administrator.renew("Bea").status_code == 409


@pytest.mark.parametrize("name", ["sue", "SUE", "ＳＵＥ", " Sue "])  # noqa: RUF001
def test_a_name_is_nobody_elses_also_after_dismissal(administrator, served, name):
    join(served.live, "Sue", ["statistician"])
    assert administrator.invite(name, "statistician").status_code == 409
    assert administrator.ask("DELETE", "/api/people/Sue").status_code == 204
    told = administrator.invite(name, "enrol")
    assert (told.status_code, errors(told)) == (
        409,
        {"": "'Sue' had access before, and a name is given once; add what tells the two people apart"},
    )


@pytest.mark.parametrize("name", ["design", "Design", "root (command line)", "root (Python)"])
def test_nobody_is_the_system(administrator, name):
    told = administrator.invite(name, "enrol")
    assert (told.status_code, [*errors(told)]) == (422, ["name"])


def test_administrator_and_approver_cannot_be_one(administrator):
    assert administrator.invite("Both", "administrator", "approver").status_code == 422


# chains of an approver


def test_an_approver_alone_makes_nobody(approver, administrator, served):
    assert approver.invite("Mine", "statistician").status_code == 403
    assert approver.renew("administrator").status_code == 403
    assert approver.ask("DELETE", "/api/people/administrator").status_code == 403
    told = approver.approve("approver", "000000")
    assert (told.status_code, errors(told)) == (409, {"": "'approver' needs no approval"})
    administrator.invite("Sue", "statistician")
    told = approver.approve("Sue", "000000")
    assert (told.status_code, errors(told)) == (409, {"": "'Sue' has not redeemed the code yet"})
    assert {each for each in approver.reached() if each[1] not in ("/api/people/{name}/approval",)} == (
        {each for each in CLOSED if "p" in ALLOWED[each]} - {("POST", "/api/people/{name}/approval")}
    )


def test_an_approver_who_does_not_ask_the_person_cannot_guess_the_number(approver, administrator, served):
    code = administrator.invite("Sue", "statistician").json()["code"]
    check = Someone(served).join(code)[0].json()["check"]
    guesses = [f"{(int(check) + step) % 10**6:06}" for step in range(1, roster.MOST_WRONG_CHECKS + 1)]
    assert [approver.approve("Sue", guess).status_code for guess in guesses] == [422] * len(guesses)
    assert approver.approve("Sue", check).status_code == 409, "only a new code helps"
    assert served.kinds().count(("approval refused", "approver")) == len(guesses)


# any chain


class Walk:
    """An administrator, or an approver, who tries at random whatever the service lets them.

    The honest people redeem their codes if they get them; the honest approver asks the true person for the number, and
    types what that person says.
    """

    def __init__(self, served: Served, own: str, seed: int) -> None:
        self.served, self.own, self.chance = served, own, random.Random(seed)
        self.mine = [Someone(served, served.headers(own))]  # all that the attacker can show
        self.codes: list[tuple[str, str]] = []  # names and codes
        self.checks = ["000000"]  # numbers that the attacker saw
        self.told: dict[str, str] = {}  # numbers that honest people say
        self.names = {own}  # of the attacker's people
        self.done = set[str]()

    def step(self) -> None:
        chance = self.chance
        one = chance.choice([self.mine[0], chance.choice(self.mine)])
        present = [each.name for each in self.served.live.people()]
        name = chance.choice(chance.choice([NAMES, present, [f"Invented {chance.random()}"]]))
        move = chance.choice(MOVES)
        if move == "invite":
            told = one.invite(name, *chance.sample([*ROLES], chance.choice([1, 1, 2])))
            self._keep(told)
        elif move in ("renew", "dismiss") and name.casefold() == self.own:
            return  # who renews himself has nothing to try with
        elif move == "renew":
            told = one.renew(name)
            self._keep(told)
        elif move == "dismiss":
            told = one.ask("DELETE", f"/api/people/{name}")
        elif move == "approve":
            told = one.approve(name, chance.choice(self.checks))
        elif move == "token":
            told = one.ask("POST", "/api/tokens", {"label": str(chance.random())})
            if told.status_code == 200:
                self.mine.append(Someone(self.served, {"authorization": f"Bearer {told.json()['token']}"}))
        elif self.codes:
            whose, code = chance.choice([self.codes[-1], chance.choice(self.codes)])
            if move == "hand over" and whose not in HONEST:
                return
            told, joined = one.join(code)
            if told.status_code == 200 and move == "hand over":
                self.told[whose] = told.json()["check"] or ""
            elif told.status_code == 200:
                self.mine.append(joined)
                self.names.add(whose)
                self.checks.append(told.json()["check"] or "")
        else:
            return
        assert told.status_code < 500
        if told.status_code < 300:
            self.done.add(move)

    def _keep(self, told) -> None:
        if told.status_code == 200:
            found = told.json()
            self.codes.append((found["name"], found["code"]))
            self.told.pop(found["name"], None)  # a number that was said is of an older credential

    def honest_approver(self) -> None:
        """Asks each person who waits for approval, and types the number, if that person says one."""
        for each in self.served.live.people():
            if each.state == "awaiting approval" and self.told.get(each.name):
                self.served.live.approve(each.name, self.told[each.name], who=ON_SERVER)
                self.done.add("approved")

    def breaches(self) -> list[str]:
        """What the attacker can do that nobody should do alone."""
        allowed = {each for each in CLOSED if self.own == "approver" and "p" in ALLOWED[each]}
        found = [f"{one.headers} reached {one.reached()}" for one in self.mine if one.reached() - allowed]
        working = [each for each in self.served.live.people() if each.state == "active" and each.name in self.names]
        found += [
            f"{each.name} works as {each.roles}"
            for each in working
            if each.name != self.own and {*each.roles} & {*APPROVED_ROLES} and not self.told.get(each.name)
        ]
        return found


def walked(served, own, seed, steps=150):
    walk = Walk(served, own, seed)
    for number in range(steps):
        walk.step()
        if own == "administrator":
            walk.honest_approver()
        if number % 20 == 19 and walk.breaches():
            break
    return walk


SEEDS = [0, 1, *(pytest.param(seed, marks=pytest.mark.long) for seed in range(2, 12))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("own", ["administrator", "approver"])
def test_no_chain_that_one_person_tries_gets_at_an_arm(served, own, seed):
    walk = walked(served, own, seed)
    assert walk.breaches() == []
    if own == "administrator":
        assert {"invite", "redeem"} <= walk.done
    assert served.live.verify().ok


@pytest.mark.slow
@pytest.mark.parametrize("forgotten", APPROVED_ROLES)
def test_the_walk_finds_a_chain_if_a_role_needs_no_approval(served, monkeypatch, forgotten):
    def forgetful(roles, *, blinded):
        return forgotten not in roles and need_approval(roles, blinded=blinded)

    monkeypatch.setattr(roster, "need_approval", forgetful)
    assert any(walked(served, "administrator", seed).breaches() for seed in range(3))


def test_the_password_of_another_person_is_in_no_answer_to_an_administrator(administrator, served):
    code = administrator.invite("Sue", "statistician").json()["code"]
    served.live.redeem(code, password_of("Sue"))
    for method, path in ALLOWED:
        if method == "GET":
            told = administrator.ask(method, path)
            assert password_of("Sue") not in told.text
            assert served.live.by_password("Sue", password_of("Sue")).check not in told.text

"""People of a trial: codes, passwords, approval, renewal, names, and what the journal and its readers get of them."""

from __future__ import annotations

import itertools
import json
from datetime import timedelta

import pytest

from primum.errors import ParameterError, PrimumError, UnknownNameError
from primum.live import ROLES, Live, LiveSettings, Refused
from primum.live.journal.entries import Entry, canonical, digest, stamp
from primum.live.people import credentials
from primum.live.people.roles import APPROVED_ROLES, SEPARATE_ROLES
from primum.live.people.roster import MOST_TOKENS, MOST_WRONG_CHECKS
from tests.clocks import Clock
from tests.live import journals
from tests.live.joining import ON_SERVER, join, password_of

PASSWORD = "a password of one's own"


@pytest.fixture
def clock():
    return Clock(journals.BEGIN)


@pytest.fixture(autouse=True)
def quick_passwords(monkeypatch):
    """What is tested here does not depend on the cost of a password."""
    monkeypatch.setitem(credentials.SCRYPT, "n", 2)


@pytest.fixture
def place(tmp_path):
    return str(tmp_path / "trial.db")


@pytest.fixture
def live(place, clock):
    """A trial with an administrator, Ada, and an approver, Ben."""
    with journals.start(place, clock=clock) as live:
        join(live, "Ada", ["administrator"])
        join(live, "Ben", ["approver"])
        yield live


def states(live):
    return {each.name: each.state for each in live.people()}


def pending(live, name, role="statistician"):
    """A person who has redeemed the code and awaits approval; the check number."""
    return live.redeem(live.admit(name, [role], who="Ada").code, password_of(name)).check


def kinds(live):
    return [entry.kind for entry in live.entries()][:-1]


# from the code to work


def test_a_person_redeems_the_code_once_with_a_password_of_ones_own(live):
    invited = live.admit("Ward 3", ["enrol", "record"], who="Ada")
    assert states(live)["Ward 3"] == "invited"
    assert live.by_password("Ward 3", PASSWORD) is None
    found = live.redeem(invited.code, PASSWORD)
    assert (found.person.name, found.person.roles, found.check) == ("Ward 3", ("enrol", "record"), None)
    assert states(live)["Ward 3"] == "active"
    assert live.by_password("ward 3", PASSWORD) == live.by_record(found.record_hash) == found
    assert live.by_password("Ward 3", f"{PASSWORD}.") is None
    assert live.by_password("Ward 4", PASSWORD) is None
    with pytest.raises(Refused, match=r"this code was used on 2026-03-01T.*; if that was not you, tell the approver"):
        live.redeem(invited.code, PASSWORD)


@pytest.mark.parametrize("change", [str.lower, lambda code: code.replace("-", " "), lambda code: f" {code}\n"])
def test_a_code_can_be_typed_in_several_ways(live, change):
    assert live.redeem(change(live.admit("Ward 3", ["enrol"], who="Ada").code), PASSWORD)


def test_letters_of_a_code_that_are_misread_are_digits(live, monkeypatch):
    monkeypatch.setattr(credentials, "new_code", lambda: "0110-AAAA-AAAA-AAAA")
    live.admit("Ward 3", ["enrol"], who="Ada")
    assert live.redeem("oLIO-aaaa-aaaa-aaaa", PASSWORD)


def test_a_code_has_eighty_random_bits():
    codes = {credentials.new_code() for _ in range(1_000)}
    assert len(codes) == 1_000
    assert {letter for code in codes for letter in code} == {*credentials.LETTERS, "-"}
    assert {tuple(map(len, code.split("-"))) for code in codes} == {(4, 4, 4, 4)}


def test_a_code_that_nobody_has_is_refused_and_not_told(live):
    for wrong in ("AAAA-BBBB-CCCC-DDDD", "", "é"):
        with pytest.raises(ParameterError, match="nobody was given this code") as caught:
            live.redeem(wrong, PASSWORD)
        assert "AAAA" not in str(caught.value)


def test_a_code_expires_after_seven_days(live, clock):
    first, second = (live.admit(name, ["enrol"], who="Ada") for name in ("Ward 3", "Ward 4"))
    clock.now += timedelta(days=7)
    assert live.redeem(first.code, PASSWORD)
    clock.now += timedelta(seconds=1)
    with pytest.raises(Refused, match=r"this code expired on 2026-03-08T00:00:00.000000Z; ask an administrator"):
        live.redeem(second.code, PASSWORD)
    assert live.redeem(live.renew("Ward 4", who="Ada").code, PASSWORD)


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("short", "password must have 8 to 1,000 characters"),
        ("x" * 1_001, "password must have 8 to 1,000 characters"),
        (None, "password must have 8 to 1,000 characters"),
        (12345678, "password must have 8 to 1,000 characters"),
        ("12345678", "too easy to guess"),
        ("zzzzzzzzz", "too easy to guess"),
        ("WARD 3 north", "too easy to guess"),
    ],
)
def test_passwords_that_are_refused_use_no_code_and_are_not_told(live, password, sentence):
    code = live.admit("Ward 3 north", ["enrol"], who="Ada").code
    with pytest.raises(ParameterError, match=sentence) as caught:
        live.redeem(code, password)
    assert caught.value.path == ("password",)
    assert str(password) not in str(caught.value)
    with pytest.raises(ParameterError, match="too easy"):
        live.redeem(code, code)
    assert live.redeem(code, PASSWORD)


def test_a_password_is_the_same_on_any_keyboard(live):
    live.redeem(live.admit("Ward 3", ["enrol"], who="Ada").code, "Zu\u0308rich nord")
    assert live.by_password("Ward 3", "Z\u00fcrich nord")


# approval


@pytest.mark.parametrize("role", ROLES)
def test_roles_that_show_arms_or_give_roles_need_an_approval(live, role):
    check = pending(live, "Sue", role)
    assert (check is not None) == (role in APPROVED_ROLES)
    assert states(live)["Sue"] == ("awaiting approval" if role in APPROVED_ROLES else "active")
    if check is None:
        with pytest.raises(Refused, match="'Sue' needs no approval"):
            live.approve("Sue", "000000", who="Ben")
        return
    assert live.by_password("Sue", password_of("Sue")).check == check
    approved = live.approve("sue", f"{check[:3]} {check[3:]}", who="Ben")
    assert (approved.state, approved.approved_by) == ("active", "Ben")
    assert live.by_password("Sue", password_of("Sue")).check is None


def test_in_an_open_trial_whoever_enrols_sees_arms_and_needs_an_approval(tmp_path):
    with journals.start(str(tmp_path / "open.db"), settings=LiveSettings(blinded=False)) as live:
        join(live, "Ada", ["administrator"])
        assert pending(live, "Ward 3", "enrol") is not None
        assert pending(live, "Ward 4", "record") is None


def test_the_first_administrator_and_the_first_approver_need_none_and_only_these_two(place):
    with journals.start(place) as live:
        for name, role in (("Ada", "administrator"), ("Ben", "approver")):
            assert live.redeem(live.admit(name, [role]).code, PASSWORD).check is None
            assert live.redeem(live.admit(f"{name} 2", [role]).code, PASSWORD).check is not None
        assert live.redeem(live.renew("Ada").code, PASSWORD).check is not None


def test_a_first_administrator_with_another_role_needs_an_approval(place):
    with journals.start(place) as live:
        assert live.redeem(live.admit("Ada", ["administrator", "auditor"]).code, PASSWORD).check is not None


def test_an_administrator_cannot_admit_the_first_approver_without_approval(place):
    with journals.start(place) as live:
        join(live, "Ada", ["administrator"])
        assert pending(live, "Ben", "approver") is not None


def test_a_wrong_check_number_is_refused_counted_and_in_the_journal(live):
    check = pending(live, "Sue")
    wrong = f"{(int(check) + 1) % 10**6:06}"
    for attempt in range(1, MOST_WRONG_CHECKS + 1):
        with pytest.raises(ParameterError, match="this is not the check number of 'Sue'") as caught:
            live.approve("Sue", wrong, who="Ben")
        assert caught.value.path == ("check",)
        assert kinds(live).count("approval refused") == attempt
        assert {each.name: each.wrong_numbers for each in live.people()}["Sue"] == attempt
    with pytest.raises(Refused, match="5 wrong numbers were given for 'Sue'; only a new code helps"):
        live.approve("Sue", check, who="Ben")
    live.renew("Sue", who="Ada")
    with pytest.raises(Refused, match="'Sue' has not redeemed the code yet"):
        live.approve("Sue", check, who="Ben")


@pytest.mark.parametrize("check", ["", "12345", "1234567", None, 123456, "abcdef"])
def test_what_is_no_check_number_is_wrong(live, check):
    pending(live, "Sue")
    with pytest.raises(ParameterError, match="this is not the check number"):
        live.approve("Sue", check, who="Ben")


def test_a_check_number_belongs_to_one_redemption():
    """The number is of the record with its random salt: the same password gives another one."""
    numbers = {credentials.check_number(credentials.password_record(PASSWORD)) for _ in range(200)}
    assert len(numbers) > 190
    assert all(len(number) == 6 and number.isdigit() for number in numbers)


def test_nobody_else_proposes_or_approves(live):
    check = pending(live, "Sue")
    join(live, "Ward 3", ["enrol", "record", "monitor"])
    for who in ("Ada", "Sue", "Ward 3", "Nobody", "ben", "design"):
        with pytest.raises(PrimumError, match="cannot approve people: this needs the role approver"):
            live.approve("Sue", check, who=who)
    for who in ("Ben", "Sue", "Ward 3", "Nobody", "ada"):
        for attempt in (
            lambda who=who: live.admit("New", ["enrol"], who=who),
            lambda who=who: live.renew("Ward 3", who=who),
            lambda who=who: live.dismiss("Ward 3", who=who),
        ):
            with pytest.raises(PrimumError, match="this needs the role administrator"):
                attempt()
    assert live.approve("Sue", check, who="root (command line)")


def test_nobody_is_administrator_and_approver(live):
    for roles in (SEPARATE_ROLES, [*reversed(SEPARATE_ROLES)], [*ROLES]):
        with pytest.raises(ParameterError, match="nobody can be administrator and approver"):
            live.admit("Sue", roles, who="Ada")


# renewal and dismissal


def test_a_renewal_ends_all_that_was_and_needs_an_approval_again(live):
    live.approve("Sue", pending(live, "Sue"), who="Ben")
    before, token = live.by_password("Sue", password_of("Sue")), live.make_token("R", who="Sue")
    code = live.renew("Sue", who="Ada").code
    assert live.by_password("Sue", password_of("Sue")) is None
    assert live.by_token(token) is None
    assert live.by_record(before.record_hash) is None
    assert live.tokens("Sue") == []
    assert live.redeem(code, PASSWORD).check is not None
    assert states(live)["Sue"] == "awaiting approval"


def test_a_renewal_makes_an_older_code_invalid(live):
    old = live.admit("Ward 3", ["enrol"], who="Ada").code
    new = live.renew("Ward 3", who="Ada").code
    with pytest.raises(ParameterError, match="a newer one replaced it"):
        live.redeem(old, PASSWORD)
    assert live.redeem(new, PASSWORD)


def test_the_only_approver_is_renewed_on_the_server_alone(live):
    with pytest.raises(Refused, match="'Ben' is the only approver, so nobody could approve a renewal"):
        live.renew("Ben", who="Ada")
    pending(live, "Bob", "approver")  # who cannot approve yet
    with pytest.raises(Refused, match="'Ben' is the only approver"):
        live.renew("Ben", who="Ada")
    check = live.redeem(live.renew("Ben", who="root (command line)").code, PASSWORD).check
    live.approve("Ben", check, who="root (command line)")
    assert states(live)["Ben"] == "active"


def test_a_dismissed_person_has_nothing_left_and_the_name_is_gone(live, place):
    live.approve("Sue", pending(live, "Sue"), who="Ben")
    before, token = live.by_password("Sue", password_of("Sue")), live.make_token("R", who="Sue")
    live.dismiss("SUE", who="Ada")
    assert states(live)["Sue"] == "dismissed"
    assert live.by_password("Sue", password_of("Sue")) is live.by_token(token) is None
    assert live.by_record(before.record_hash) is None
    assert len(journals.records(place)) == 4  # of Ada and Ben: code and password
    with pytest.raises(Refused, match="'Sue' had access before, and a name is given once"):
        live.admit("sue", ["enrol"], who="Ada")
    for attempt in (lambda: live.renew("Sue", who="Ada"), lambda: live.dismiss("Sue", who="Ada")):
        with pytest.raises(UnknownNameError, match="no person with access named 'Sue'"):
            attempt()


def test_the_last_administrator_and_the_last_approver_stay(live):
    for name, role in (("Ada", "administrator"), ("Ben", "approver")):
        check = pending(live, f"{name} 2", role)  # who cannot work yet
        with pytest.raises(Refused, match=f"'{name}' is the only {role}; another one must work before"):
            live.dismiss(name, who="Ada")
        live.approve(f"{name} 2", check, who="Ben")
    live.dismiss("Ben", who="Ada")
    live.dismiss("Ada", who="Ada 2")
    assert states(live) == {"Ada": "dismissed", "Ben": "dismissed", "Ada 2": "active", "Ben 2": "active"}


# names


@pytest.mark.parametrize("name", ["ada", "ADA", " Ada ", "Ａｄａ", "A\u0064a"])  # noqa: RUF001
def test_names_that_differ_in_case_or_width_are_the_same(live, name):
    with pytest.raises(Refused, match="'Ada' has access already"):
        live.admit(name, ["enrol"], who="Ada")


@pytest.mark.parametrize(
    "name",
    ["design", "Design", "ＤＥＳＩＧＮ", "root (command line)", "x (Command  Line)", "Ada (python)"],  # noqa: RUF001
)
def test_names_of_the_system_are_given_to_nobody(live, name):
    with pytest.raises(ParameterError, match="is a name of the system") as caught:
        live.admit(name, ["enrol"], who="Ada")
    assert caught.value.path == ("name",)


@pytest.mark.parametrize("name", ["", " ", "A\u200bda", "x" * 81, None, 7, ["Ada"]])
def test_what_is_no_name_is_refused(live, name):
    with pytest.raises(ParameterError, match="name must be"):
        live.admit(name, ["enrol"], who="Ada")


# tokens


def test_tokens_are_made_listed_and_ended_by_the_person(live, clock):
    tokens = [live.make_token(label, who="Ada") for label in ("laptop", "server")]
    assert [each.label for each in live.tokens("Ada")] == ["laptop", "server"]
    assert all(live.by_token(token).person.name == "Ada" for token in tokens)
    with pytest.raises(Refused, match="you have a token 'Laptop' already"):
        live.make_token("Laptop", who="Ada")
    live.end_token("LAPTOP", who="Ada")
    assert live.by_token(tokens[0]) is None
    assert live.by_token(tokens[1]).person.name == "Ada"
    with pytest.raises(UnknownNameError, match="no token named 'laptop'"):
        live.end_token("laptop", who="Ada")
    for number in range(MOST_TOKENS - 1):
        live.make_token(f"token {number}", who="Ada")
    with pytest.raises(Refused, match="you have 20 tokens"):
        live.make_token("one more", who="Ada")


def test_nobody_makes_a_token_who_cannot_work(live):
    live.admit("Ward 3", ["enrol"], who="Ada")
    pending(live, "Sue")
    for name, why in (("Ward 3", "invited"), ("Sue", "awaiting approval")):
        with pytest.raises(Refused, match=why):
            live.make_token("R", who=name)


# what is stored


def test_nothing_secret_is_in_the_journal_or_the_database(live, place):
    code, other = (live.admit(name, ["enrol"], who="Ada").code for name in ("Ward 3", "Ward 4"))
    live.redeem(code, PASSWORD)
    token = live.make_token("R", who="Ward 3")
    check = pending(live, "Sue")
    stored = repr((journals.rows(place), journals.records(place)))
    for secret in (code, other, code.replace("-", ""), PASSWORD, token):
        assert secret not in stored
    assert check not in repr([entry.data for entry in live.entries() if entry.kind != "design"])


def test_whoever_reads_the_whole_journal_cannot_try_passwords(live):
    """With the right password, and all that the journal says, no guess gives a hash that it has."""
    live.redeem(live.admit("Ward 3", ["enrol"], who="Ada").code, PASSWORD)
    journal = [entry for entry in live.entries() if entry.kind in ("admitted", "redeemed")]
    hashes = {entry.data["record_hash"] for entry in journal}
    salts = [entry.salt for entry in journal] + ["", *hashes]
    guesses = {digest(PASSWORD), *(digest(salt + PASSWORD) for salt in salts)}
    for salt in (salt for salt in salts if salt):
        data = {"kind": "password", "salt": salt, **credentials.SCRYPT}
        hash = credentials._scrypt(PASSWORD, salt, credentials.SCRYPT)
        guesses |= {hash, digest(canonical(data | {"hash": hash}))}
    assert not guesses & hashes
    text = canonical([entry.data for entry in live.entries()])
    assert '"salt"' not in text  # of a record: 128 random bits that only the table has
    assert all(json.loads(record)["salt"] not in text for record in live.journal.records().values())


def test_passwords_are_hashed_as_openssl_recommends(monkeypatch):
    monkeypatch.undo()
    record = json.loads(credentials.password_record(PASSWORD))
    assert {key: record[key] for key in ("n", "r", "p")} == {"n": 2**15, "r": 8, "p": 1}
    assert len(record["salt"]) == 32


def test_a_record_keeps_its_own_cost(monkeypatch):
    monkeypatch.setitem(credentials.SCRYPT, "n", 4)
    record = credentials.password_record(PASSWORD)
    monkeypatch.setitem(credentials.SCRYPT, "n", 8)
    assert credentials.is_password(record, PASSWORD)


def test_an_unknown_name_costs_as_much_as_a_wrong_password(live, monkeypatch):
    asked = []
    original = credentials._scrypt
    monkeypatch.setattr(credentials, "_scrypt", lambda *given: asked.append(given[2]["n"]) or original(*given))
    credentials._nobodys()
    live.admit("Ward 3", ["enrol"], who="Ada")
    asked.clear()
    for name in ("Ada", "Nobody", "Ward 3"):
        assert live.by_password(name, "wrong password") is None
    assert len(asked) == 3


def exchange(place, name_of, record):
    """Put another record in the place of a credential."""
    journals.execute(place, "UPDATE primum_access SET record = ? WHERE hash = ?", record, name_of.record_hash)


def test_a_record_that_was_exchanged_is_refused_and_found(live, place, caplog):
    ada, ben = (live.by_password(name, password_of(name)) for name in ("Ada", "Ben"))
    assert live.verify().ok
    exchange(place, ada, credentials.password_record("known to the forger"))
    with Live(place) as again:  # without what the other one remembers
        for password in ("known to the forger", password_of("Ada")):
            assert again.by_password("Ada", password) is None
        assert again.by_password("Ben", password_of("Ben"))
        found = again.verify()
    assert not found.ok
    assert found.problem == "the credential of 'Ada' was removed or changed from outside"
    assert [entry.kind for entry in live.entries() if entry.number == found.problem_entry] == ["redeemed"]
    assert ada.record_hash in caplog.text
    assert ben.record_hash not in caplog.text


def test_records_that_change_places_are_refused(live, place):
    ada, ben = (live.by_password(name, password_of(name)) for name in ("Ada", "Ben"))
    for old, new in ((ada.record_hash, "x"), (ben.record_hash, ada.record_hash), ("x", ben.record_hash)):
        journals.execute(place, "UPDATE primum_access SET hash = ? WHERE hash = ?", new, old)
    with Live(place) as again:
        for name, password in itertools.product(("Ada", "Ben"), repeat=2):
            assert again.by_password(name, password_of(password)) is None
        assert not again.verify().ok


def test_a_record_of_nobody_gives_nobody_access_and_is_found(live, place):
    record = credentials.token_record("primum-forged")
    journals.execute(place, "INSERT INTO primum_access VALUES (?, ?)", digest(record), record)
    with Live(place) as again:
        assert again.by_token("primum-forged") is None
        found = again.verify()
    assert (found.ok, found.problem_entry) == (False, None)
    assert "belongs to nobody" in found.problem


def test_an_approval_forged_into_the_journal_by_somebody_else_does_not_fit(live, monkeypatch):
    """Separation of duties is a rule of the journal, not of the service alone."""
    pending(live, "Sue")
    with monkeypatch.context() as patch:
        patch.setattr("primum.live.people.roster.Roster.check_may", lambda *_: None)
        live._do("Ada", lambda draft: draft.add("approved", {"name": "Sue"}))
    found = live.verify()
    assert "'Ada' cannot approve people" in found.problem
    assert found.problem_entry == found.entries + 1


def test_a_change_by_another_process_counts_at_once(live, place):
    token = live.make_token("R", who="Ada")
    with Live(place) as other:
        other.end_token("R", who="Ada")
        new = other.make_token("R", who="Ada")
    assert live.by_token(token) is None
    assert live.by_token(new).person.name == "Ada"


def test_what_was_refused_leaves_no_record(live, place):
    before = journals.records(place)
    for attempt in (
        lambda: live.admit("Ada", ["enrol"], who="Ada"),
        lambda: live.make_token("", who="Ada"),
        lambda: live.admit("New", ["enrol"], who="Ben"),
        lambda: live.admit("New", ["enrol"], who=f"not {ON_SERVER}x"),
    ):
        with pytest.raises(PrimumError):
            attempt()
    assert journals.records(place) == before
    assert live.verify().ok


@pytest.mark.parametrize(
    ("who", "kind", "given", "sentence"),
    [
        ("Ada", "redeemed", {"name": "Ward 3"}, "nobody redeems the code of another person"),
        ("Ada", "redeemed", {"name": "Ada"}, "this code was used before"),
        ("Late", "redeemed", {"name": "Late"}, "this code has expired"),
        ("Ben", "token made", {"name": "Ada", "label": "R"}, "by the person whose they are"),
        ("Ben", "token ended", {"name": "Ada", "label": "R"}, "by the person whose they are"),
        ("Ada", "admitted", {"name": "New", "roles": ["enrol"], "expires": "2026-03-09"}, "not those of an entry"),
        ("Ada", "renewed", {"name": "Ward 3", "expires": 7}, "not those of an entry"),
    ],
)
def test_an_entry_that_nobody_may_write_fits_into_no_journal(live, clock, who, kind, given, sentence):
    """Whatever the service does: these are rules of the journal."""
    live.admit("Late", ["enrol"], who="Ada")
    clock.now += timedelta(days=8)
    live.admit("Ward 3", ["enrol"], who="Ada")
    state = live._state
    entry = Entry(state.number + 1, stamp(clock.now), who, kind, {**given, "record_hash": "a" * 64}, state.hash, "")
    with pytest.raises(PrimumError, match=sentence):
        state.follow(entry)

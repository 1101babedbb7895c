"""Log in, enrol and outcomes: what people at a clinic do."""

from __future__ import annotations

import re
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from playwright.sync_api import Page, expect

from tests.live.joining import ON_SERVER, password_of

from .conftest import CRITERIA, TITLE
from .visiting import USER_HEADER


def enrol(page: Page, code: str) -> None:
    """Enrol a participant by keyboard alone: the code, then whether it is right."""
    page.get_by_label("Participant code").fill(code)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Enrol", exact=True)).to_be_focused()
    page.keyboard.press("Enter")


def said(page: Page) -> None:
    """The focus is on the answer."""
    expect(page.locator(".answer")).to_be_focused()


def log_in(page: Page, name: str, password: str) -> None:
    """Try to log in by keyboard alone."""
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(password)
    with page.expect_response("**/api/login"):
        page.keyboard.press("Enter")


def test_a_wrong_password(person):
    page = person.open()
    log_in(page, "the-enrol", "the wrong one")
    expect(page.locator("trial-login .fault").filter(has_text="name or password not recognised")).to_be_visible()
    expect(page.get_by_label("Password")).to_have_value("")
    expect(page.get_by_label("Name")).to_have_value("the-enrol")


def test_too_many_wrong_passwords(person):
    person.expect_refusal(429)
    page = person.open()
    for _ in range(12):
        log_in(page, "the-enrol", "the wrong one")
        if page.get_by_text("too many failed attempts").is_visible():
            break
    expect(page.locator("trial-login")).to_contain_text("too many failed attempts")


def test_the_password_is_nowhere_in_the_page(person):
    page = person.log_in("everybody")
    password = password_of("everybody")
    assert password not in page.content() + page.url
    assert password not in page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])")


def test_a_new_person_joins_with_a_code(person):
    person.expect_refusal(409)
    found = person.place.live.admit("nurse", ["enrol"], who=ON_SERVER)
    page = person.open(f"/#join={found.code}")
    expect(page.get_by_label("One-time code")).to_have_value(found.code)
    expect(page.get_by_label("New password", exact=True)).to_be_focused()
    assert found.code not in page.url
    page.keyboard.type("blue sea 17")
    page.keyboard.press("Tab")
    page.keyboard.type("blue sea 17")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Participant code")).to_be_focused()
    page.get_by_role("button", name="Log out").click()
    log_in(page, "Nurse", "blue sea 17")
    expect(page.locator("#person")).to_contain_text("nurse")
    other = person.open(f"/#join={found.code.lower()}")
    for label in ("New password", "New password again"):
        other.get_by_label(label, exact=True).fill("another one")
    other.keyboard.press("Enter")
    expect(other.locator("trial-join")).to_contain_text("this code was used on")


def test_a_new_statistician_waits_for_the_approver(person):
    person.expect_refusal(422)
    found = person.place.live.admit("numbers", ["statistician"], who=ON_SERVER)
    page = person.open("/")
    page.get_by_role("link", name="I have a one-time code").click()
    page.get_by_label("One-time code").fill(found.code.lower().replace("-", " "))
    for label in ("New password", "New password again"):
        page.get_by_label(label, exact=True).fill("blue sea 17")
    page.keyboard.press("Enter")
    number = page.get_by_label("Check number").locator(".large-code").inner_text()
    assert re.fullmatch(r"\d{3} \d{3}", number)
    expect(page.get_by_role("button", name="Add a note to the journal")).to_be_hidden()
    approver = person.log_in("the-approver")
    approver.get_by_role("button", name="Approve: numbers").click()
    dialog = approver.get_by_role("dialog")
    wrong = f"{(int(number.replace(' ', '')) + 1) % 10**6:06}"
    for typed in (wrong, number):
        dialog.get_by_label("Check number that numbers told you").fill(typed)
        dialog.get_by_role("button", name="Approve", exact=True).click()
        if typed == wrong:
            expect(dialog.locator(".fault").filter(has_text="not the check number")).to_be_visible()
    expect(approver.locator("#said")).to_have_text("Approved: numbers.")
    expect(page.get_by_role("link", name="Statistics")).to_be_visible()  # without a reload


def test_whom_a_proxy_identifies_joins_without_a_password(person):
    found = person.place.live.admit("Ada", ["enrol"], who=ON_SERVER)
    page = person.open("/", extra_http_headers={USER_HEADER: "ada"})
    expect(page.locator("trial-join")).to_contain_text("You are ada.")
    expect(page.get_by_label("New password")).to_have_count(0)
    page.get_by_label("One-time code").fill(found.code)
    page.keyboard.press("Enter")
    expect(page.get_by_label("Participant code")).to_be_focused()
    expect(page.get_by_role("button", name="Log out")).to_be_hidden()  # the proxy would log in again
    page.reload()
    expect(page.locator("#person")).to_contain_text("Ada")


def test_whoever_is_logged_in_does_not_redeem_the_code_of_another(person):
    found = person.place.live.admit("nurse", ["enrol"], who=ON_SERVER)
    page = person.log_in("the-administrator")
    page.goto(f"{person.place.address}/#join={found.code}")
    expect(page.locator("trial-join")).to_contain_text("You are logged in as the-administrator")
    expect(page.get_by_label("One-time code")).to_have_count(0)
    page.get_by_role("link", name="Back to the trial").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Monitor")
    assert next(each.state for each in person.place.live.people() if each.name == "nurse") == "invited"


def test_a_session_goes_on_after_a_reload_and_ends_with_log_out(person):
    page = person.log_in("the-enrol")
    page.reload()
    expect(page.get_by_label("Participant code")).to_be_focused()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Name")).to_be_focused()
    page.reload()
    expect(page.get_by_label("Name")).to_be_visible()


def test_enrol_by_keyboard(person):
    page = person.log_in("the-enrol")
    enrol(page, "P-100")
    said(page)
    kit = page.locator(".allocated").inner_text()
    expect(page.locator(".answer")).to_contain_text(re.compile("P-100.*Number.*6"))
    expect(page.locator("main")).not_to_contain_text("verum")
    page.keyboard.press("Escape")
    enrol(page, "P-101")
    said(page)
    expect(page.locator(".allocated")).not_to_have_text(kit)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Participant code")).to_be_focused()
    enrol(page, "P-100")
    said(page)
    expect(page.locator(".allocated")).to_have_text(kit)


def test_a_questioned_code(person):
    person.expect_refusal(422)
    page = person.log_in("the-enrol")
    enrol(page, "ANNA-SMITH")
    expect(page.locator("trial-enrol")).to_contain_text("looks like a name")
    expect(page.get_by_role("button", name="Change the code")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_label("Participant code")).to_be_focused()
    expect(page.get_by_label("Participant code")).to_have_value("ANNA-SMITH")
    enrol(page, "ANNA-SMITH")
    page.get_by_role("button", name="It is a code: enrol").click()
    said(page)
    expect(page.locator(".answer")).to_contain_text("ANNA-SMITH")


def test_a_lost_connection(person):
    page = person.log_in("the-enrol")
    page.route("**/api/participants", lambda route: route.abort())
    enrol(page, "P-100")
    expect(page.locator("trial-enrol")).to_contain_text("The server does not respond. Asking again is safe")
    page.unroute("**/api/participants")
    page.keyboard.press("Enter")
    said(page)
    person.complaints.clear()  # the browser notes that the request was aborted


def test_a_paused_trial(person):
    person.expect_refusal(409)
    page = person.log_in("the-enrol")
    person.place.live.pause(reason="no kits", who="the-administrator")
    enrol(page, "P-100")
    expect(page.locator("trial-enrol")).to_contain_text("enrolment is paused: no kits")
    page.reload()
    expect(page.locator("#state")).to_contain_text("The trial is paused")
    expect(page.get_by_role("heading", level=2)).to_have_text("Enrol")
    expect(page.get_by_label("Participant code")).to_have_count(0)
    page.get_by_role("button", name="Show the confirmation again").click()
    page.get_by_label("Participant code").fill("P-001")
    page.keyboard.press("Enter")
    said(page)
    kit = next(each.kit for each in person.place.live.allocations(who="test") if each.participant == "P-001")
    expect(page.locator(".allocated")).to_have_text(kit)


def test_an_ended_session(person):
    page = person.log_in("the-enrol")
    person.place.live.dismiss("the-enrol", who="the-administrator")
    enrol(page, "P-100")
    expect(page.locator("trial-login")).to_contain_text("Your session has ended")


def test_a_typed_code_survives_an_expired_session(person):
    page = person.log_in("the-enrol")
    page.get_by_label("Participant code").fill("P-100")
    page.context.clear_cookies()
    enrol(page, "P-100")
    expect(page.locator("trial-login")).to_contain_text("Your session has ended")
    log_in(page, "everybody", password_of("everybody"))
    expect(page.get_by_label("Participant code")).to_have_value("")  # it is that of another person
    page.context.clear_cookies()
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    log_in(page, "the-enrol", password_of("the-enrol"))
    expect(page.get_by_label("Participant code")).to_have_value("P-100")
    enrol(page, "P-100")
    said(page)


def test_a_confirmation_prints_without_anything_to_press(person):
    page = person.log_in("the-enrol", timezone_id="Pacific/Auckland")
    enrol(page, "P-100")
    said(page)
    page.emulate_media(media="print")
    expect(page.get_by_role("button").filter(visible=True)).to_have_count(0)
    expect(page.get_by_role("link").filter(visible=True)).to_have_count(0)
    confirmation = page.get_by_role("article", name="Confirmation of enrolment")
    for part in (TITLE, "P-100", page.locator(".allocated").inner_text(), "UTC", "the-enrol"):
        expect(confirmation).to_contain_text(part)
    assert page.locator("body").inner_text().strip() == confirmation.inner_text().strip()
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1


def test_codes_are_on_one_line(person):
    page = person.log_in("everybody", viewport={"width": 390, "height": 800})
    enrol(page, f"P-{'1-' * 15}1")
    said(page)
    codes = page.locator(".large-code .whole")
    for code in codes.all():
        assert code.evaluate("(each) => each.getBoundingClientRect().right <= window.innerWidth")
        lines = "(each) => { each.style.fontSize = '5rem'; return each.getClientRects().length; }"
        assert code.evaluate(lines) == 1  # it is the hyphens that do not break it
    expect(codes).to_have_count(2)
    page.get_by_role("link", name="Outcomes").click()
    row = page.locator(".list.overdue li .code")
    row.evaluate("(each) => { each.parentElement.style.inlineSize = '20px'; }")
    assert row.evaluate("(each) => each.getClientRects().length") == 1


def test_outcomes_are_listed_by_state(person):
    page = person.log_in("the-record")
    for state, code, words in (
        ("overdue", "P-003", r"\d days overdue"),
        ("due", "P-004", r"due \d days? ago"),
        ("waiting", "P-005", r"due in 1\d days"),
    ):
        row = page.locator(f".list.{state} li")
        expect(row).to_contain_text(code)
        expect(row).to_contain_text(re.compile(words))
    page.get_by_label("Find a participant").fill("002")
    expect(page.locator(".list:visible li")).to_have_count(1)
    expect(page.locator(".list.known li")).to_contain_text("Failure")


def test_record_correct_and_withdraw(person):
    person.expect_refusal(422)
    page = person.log_in("the-record")
    page.get_by_role("button", name="Record: P-003").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Success", exact=True).click()
    expect(dialog).to_contain_text("Participant P-003")
    dialog.get_by_role("button", name="Record success").click()
    expect(page.locator("#said")).to_have_text("Recorded for P-003: Success.")
    expect(page.locator(".list.overdue li")).to_have_count(0)

    page.locator(".list.known summary").click()
    page.get_by_role("button", name="Correct: P-003").click()
    dialog.get_by_label("Correct outcome").select_option("Failure")
    dialog.get_by_label("Reason").fill("read as of 01.02.1980")
    dialog.get_by_role("button", name="Save the correction").click()
    expect(dialog).to_contain_text("looks like a date")
    dialog.get_by_role("button", name="Change the reason").click()
    dialog.get_by_label("Reason").fill("read from another form")
    dialog.get_by_role("button", name="Save the correction").click()
    expect(page.locator("#said")).to_have_text("Corrected for P-003: Success is now Failure.")

    for scope in ("Stops treatment", "Withdraws consent to data"):
        page.get_by_role("button", name="Withdraw: P-005").click()
        dialog.get_by_role("radio", name=scope).check()
        dialog.get_by_label("Reason").fill("moved away")
        dialog.get_by_role("button", name="Withdraw", exact=True).click()
        expect(page.locator("#said")).to_have_text(f"Noted for P-005: {scope}.")
        state = "waiting" if scope == "Stops treatment" else "withdrawn"
        expect(page.locator(f".list.{state} li")).to_have_count(1)
    found = {each.participant: (each.state, each.outcome) for each in person.place.live.participants()}
    assert (found["P-003"], found["P-005"]) == (("known", 0.0), ("withdrawn", None))
    assert person.place.live.verify().ok


def test_an_outcome_before_it_is_due_is_questioned(person):
    person.expect_refusal(422)
    page = person.log_in("the-record")
    page.get_by_role("button", name="Record: P-005").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Success", exact=True).click()
    dialog.get_by_role("button", name="Record success").click()
    expect(dialog).to_contain_text("the outcome is due on")
    dialog.get_by_role("button", name="Change the date").click()
    expect(dialog.get_by_label("Date of the outcome")).to_be_focused()
    dialog.get_by_role("button", name="Record success").click()
    dialog.get_by_role("button", name="Record it as it is").click()
    expect(page.locator("#said")).to_have_text("Recorded for P-005: Success.")


def test_what_a_colleague_recorded_is_corrected_from_the_conflict(person):
    person.expect_refusal(409)
    page = person.log_in("the-record")
    page.get_by_role("button", name="Record: P-003").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Success", exact=True).click()
    person.place.live.record("P-003", 0, who="nurse-a")
    dialog.get_by_role("button", name="Record success").click()
    expect(dialog).to_contain_text(re.compile(r"Failure is already recorded \(nurse-a, \d\d:\d\d\)\. Correct it\?"))
    dialog.get_by_role("button", name="Correct it").click()
    expect(dialog).to_contain_text("Recorded outcome: Failure")
    expect(dialog.get_by_label("Correct outcome")).to_have_value("1")
    dialog.get_by_label("Reason").fill("the other form is wrong")
    dialog.get_by_role("button", name="Save the correction").click()
    expect(page.locator("#said")).to_have_text("Corrected for P-003: Failure is now Success.")


def test_a_late_correction_cannot_undo_a_newer_one(person):
    person.expect_refusal(409)
    page = person.log_in("the-record")
    page.locator(".list.known summary").click()
    page.get_by_role("button", name="Correct: P-002").click()
    person.place.live.correct("P-002", 1, replaces=0, reason="misread", who="nurse-a")
    person.place.live.correct("P-002", 0, replaces=1, reason="read again", who="nurse-a")
    person.place.live.correct("P-002", 1, replaces=0, reason="it is a success", who="nurse-a")
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Correct outcome").select_option("Success")
    dialog.get_by_label("Reason").fill("misread")
    dialog.get_by_role("button", name="Save the correction").click()
    expect(dialog).to_contain_text("comes too late")


def test_eligibility_and_consent(person, checked):
    page = person.log_in("the-enrol")
    page.get_by_label("Participant code").fill("P-100")
    page.get_by_role("checkbox", name=CRITERIA[0]).check()
    page.get_by_role("button", name="Continue").click()
    expect(page.get_by_text("A participant must meet every criterion")).to_be_visible()
    expect(page.get_by_role("checkbox", name=CRITERIA[1])).to_be_focused()
    page.keyboard.press("Space")
    page.get_by_label("Date of the written consent").fill("2020-02-01")
    page.keyboard.press("Enter")
    expect(page.locator(".question")).to_contain_text("Consent: 1 Feb 2020")
    page.keyboard.press("Enter")
    said(page)
    for text in (*CRITERIA, "1 Feb 2020", "Pacific/Auckland"):
        expect(page.locator(".answer")).to_contain_text(text)


def test_an_enrolment_in_error_is_declared_void(person):
    page = person.log_in("the-enrol")
    dialog = page.get_by_role("dialog")
    enrol(page, "P-100")
    said(page)
    page.get_by_role("button", name="Enrolled in error").click()
    dialog.get_by_label("Reason").fill("wrong patient")
    dialog.get_by_role("button", name="Declare void").click()
    expect(page.locator("#said")).to_have_text("Declared void: P-100.")
    page.get_by_role("button", name="Enrolled in error").click()  # now by its code
    dialog.get_by_label("Participant code").fill("P-005")
    dialog.get_by_label("Reason").fill("not eligible")
    dialog.get_by_role("button", name="Continue").click()
    expect(dialog.locator(".large-code")).to_have_text("P-005")
    dialog.get_by_role("button", name="Declare void").click()
    expect(page.locator("#said")).to_have_text("Declared void: P-005.")
    states = {each.participant: each.state for each in person.place.live.participants()}
    assert (states["P-100"], states["P-005"]) == ("void", "void")


def test_times_are_the_same_in_every_browser(person, checked):
    texts = []
    for zone in ("Pacific/Auckland", "America/Los_Angeles", "UTC"):
        page = person.log_in("the-record", timezone_id=zone)
        page.locator(".list.known summary").click()
        expect(page.locator("#zone")).to_have_text("Dates and times are those of Pacific/Auckland.")
        page.get_by_role("button", name="Record: P-003").click()
        page.get_by_role("dialog").get_by_role("button", name="Success", exact=True).click()
        day = page.get_by_label("Date of the outcome").input_value()
        assert day == datetime.now(ZoneInfo("Pacific/Auckland")).date().isoformat()
        texts.append(page.locator("main").inner_text())
    assert texts[0] == texts[1] == texts[2]
    due = {each.participant: each.due for each in person.place.live.participants()}["P-004"]
    assert f"due {int(due[8:])} " in texts[0]


def test_escape_leaves_a_dialog_without_an_entry(person):
    page = person.log_in("the-record")
    page.get_by_role("button", name="Record: P-003").click()
    page.get_by_role("button", name="Success", exact=True).click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Record: P-003")).to_be_focused()
    assert person.place.live.status().known == 2


def test_an_open_trial_with_numbers(person, measured):
    person.expect_refusal(422)
    page = person.log_in("everybody")
    enrol(page, "P-100")
    said(page)
    assert page.locator(".allocated").inner_text() in ("placebo", "verum")
    page.get_by_role("link", name="Outcomes").click()
    page.get_by_role("button", name="Record: P-100").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Outcome", exact=True).fill("77")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Record 77").click()
    expect(dialog.locator(".fault").filter(has_text="77")).to_be_visible()
    dialog.get_by_role("button", name="Back").click()
    dialog.get_by_label("Outcome", exact=True).fill("7.25")
    page.keyboard.press("Enter")
    dialog.get_by_role("button", name="Record 7.25").click()
    dialog.get_by_role("button", name="Record it as it is").click()
    expect(page.locator("#said")).to_have_text("Recorded for P-100: 7.25.")


@pytest.mark.parametrize("name", ["the-enrol", "the-record"])
def test_a_clinic_has_only_its_own_view(person, name):
    page = person.log_in(name, "journal")
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    expect(page.get_by_role("heading", level=2)).to_have_text({"the-enrol": "Enrol", "the-record": "Outcomes"}[name])

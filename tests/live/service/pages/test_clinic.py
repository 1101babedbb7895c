"""Log in, enrol and outcomes: what people at a clinic do."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect


def enrol(page: Page, code: str) -> None:
    """Ask for a participant by keyboard alone."""
    page.get_by_label("Participant code").fill(code)
    page.keyboard.press("Enter")


def said(page: Page) -> None:
    """The focus is on the answer."""
    expect(page.locator(".answer")).to_be_focused()


def test_a_wrong_token(person):
    page = person.open()
    page.get_by_label("Token", exact=True).fill("primum-wrong")
    page.get_by_role("button", name="Log in").click()
    expect(page.locator("trial-login .fault").filter(has_text="token not recognised")).to_be_visible()
    expect(page.get_by_label("Token", exact=True)).to_have_value("")


def test_too_many_wrong_tokens(person):
    person.expect_refusal(429)
    page = person.open()
    for _ in range(5):
        page.get_by_label("Token", exact=True).fill("primum-wrong")
        with page.expect_response("**/api/login"):
            page.keyboard.press("Enter")
        expect(page.get_by_label("Token", exact=True)).to_have_value("")
    page.get_by_label("Token", exact=True).fill("primum-wrong")
    page.keyboard.press("Enter")
    expect(page.locator("trial-login")).to_contain_text("too many failed attempts")


def test_the_token_is_nowhere_in_the_page(person):
    page = person.log_in("everybody")
    token = person.place.tokens["everybody"]
    assert token not in page.content() + page.url
    assert page.evaluate("JSON.stringify([localStorage, sessionStorage, document.cookie])").count("primum-") == 0


def test_a_session_goes_on_after_a_reload_and_ends_with_log_out(person):
    page = person.log_in("the-enrol")
    page.reload()
    expect(page.get_by_label("Participant code")).to_be_focused()
    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Token", exact=True)).to_be_focused()
    page.reload()
    expect(page.get_by_label("Token", exact=True)).to_be_visible()


def test_enrol_by_keyboard(person):
    page = person.log_in("the-enrol")
    enrol(page, "P-100")
    said(page)
    kit = page.locator(".allocated").inner_text()
    expect(page.locator(".answer")).to_contain_text("Participant P-100, number 6")
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
    page.keyboard.press("Enter")
    page.get_by_role("button", name="It is a code: enrol").click()
    said(page)
    expect(page.locator(".answer")).to_contain_text("Participant ANNA-SMITH, number 6")


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


def test_an_ended_session(person):
    page = person.log_in("the-enrol")
    person.place.live.dismiss("the-enrol", who="the-administrator")
    enrol(page, "P-100")
    expect(page.locator("trial-login")).to_contain_text("Your session has ended")


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

    page.get_by_role("button", name="Withdraw: P-005").click()
    dialog.get_by_label("Reason").fill("moved away")
    dialog.get_by_role("button", name="Withdraw", exact=True).click()
    expect(page.locator(".list.withdrawn li")).to_have_count(1)
    found = {each.participant: (each.state, each.outcome) for each in person.place.live.participants()}
    assert (found["P-003"], found["P-005"]) == (("known", 0.0), ("withdrawn", None))
    assert person.place.live.verify().ok


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
    expect(page.locator("#said")).to_have_text("Recorded for P-100: 7.25.")


@pytest.mark.parametrize("name", ["the-enrol", "the-record"])
def test_a_clinic_has_only_its_own_view(person, name):
    page = person.log_in(name, "journal")
    expect(page.get_by_role("navigation", name="Views")).to_be_hidden()
    expect(page.get_by_role("heading", level=2)).to_have_text({"the-enrol": "Enrol", "the-record": "Outcomes"}[name])

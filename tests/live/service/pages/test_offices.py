"""Monitor, statistics, journal and administration: what people do elsewhere."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.live.joining import password_of


def test_the_monitor_follows_the_trial(person):
    page = person.log_in("the-monitor")
    tiles = page.locator(".tiles")
    expect(tiles).to_contain_text("5 of 12 planned")
    expect(page.locator("trial-monitor")).not_to_contain_text("verum")
    person.place.live.enrol("P-100", who="the-enrol")
    status = person.place.live.status()
    page.evaluate("window.dispatchEvent(new Event('focus'))")
    expect(tiles).to_contain_text("6 of 12 planned")
    expect(page.locator("trial-monitor .hash")).to_have_text(f"{status.entries}:{status.head}")
    page.get_by_role("button", name="Help: head of the journal").click()
    expect(page.locator(".help-text:popover-open")).to_contain_text("primum trial verify --expect NUMBER:HASH")


def test_unblinded_data_are_shown_on_demand_and_noted(person):
    page = person.log_in("the-statistician", "statistics")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    show = page.get_by_role("button", name="Show unblinded data")
    expect(show).to_be_visible()
    expect(page.locator("trial-statistics")).to_contain_text("written into the journal")
    assert not any("statistics" in url for url in asked)
    before = person.place.live.status().entries
    show.click()
    expect(page.locator("trial-statistics .warnings")).to_contain_text("The trial is not locked")
    expect(page.get_by_role("img", name="Share of each arm after 5 participants")).to_be_visible()
    expect(page.get_by_role("region", name="Outcomes by arm")).to_contain_text("verum")
    expect(page.get_by_role("region", name="Outcomes by arm")).to_contain_text("Interval")
    evidence = page.get_by_role("region", name="Evidence from the outcomes known now")
    expect(evidence).to_contain_text("verum is better than")
    expect(evidence).to_contain_text("verum is worse than")
    picture = page.get_by_role("img", name="Evidence that verum is better than")
    expect(picture).to_be_visible()
    expect(picture).to_contain_text("limit ")
    noted = person.place.live.entries(after=before, who="test")
    assert [(entry.kind, entry.who) for entry in noted][:1] == [("accessed", "the-statistician")]
    with page.expect_download() as download:
        page.get_by_role("link", name="Download the kit list").click()
    assert "verum" in download.value.path().read_text()


def test_the_journal_is_searched_verified_and_downloaded(person):
    page = person.log_in("the-auditor", "journal")
    rows = page.locator(".journal tbody tr")
    expect(rows.first).to_contain_text("accessed")
    expect(rows.last).to_contain_text("design")
    page.get_by_label("Search").fill("P-002")
    page.keyboard.press("Enter")
    expect(rows).to_have_count(2)
    expect(rows.first).to_contain_text("outcome")
    rows.first.locator(".link summary").click()
    entry = person.place.live.entries(search="P-002", who="test")[1]
    expect(rows.first).to_contain_text(entry.hash)
    page.get_by_role("button", name="Verify").click()
    expect(page.locator(".verdict")).to_contain_text("The journal is sound")
    with page.expect_download() as download:
        page.get_by_role("link", name="Download journal.jsonl").click()
    assert entry.hash in download.value.path().read_text()


def test_people_come_and_go(person):
    page = person.log_in("the-administrator", "people")
    page.get_by_role("button", name="Add a person").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Name").fill("b.jones")
    dialog.get_by_role("checkbox", name="enrol").check()
    expect(dialog.locator(".word")).to_be_empty()
    dialog.get_by_role("checkbox", name="auditor").check()
    expect(dialog.locator(".word")).to_contain_text("different people")
    dialog.get_by_role("checkbox", name="auditor").uncheck()
    dialog.get_by_role("button", name="Add", exact=True).click()
    expect(dialog).to_contain_text("It is not shown again")
    code = dialog.locator("p.one-time").inner_text()
    expect(dialog.locator(".token")).to_have_text(f"{person.place.address}/#join={code}")
    dialog.get_by_role("button", name="Done").click()
    expect(page.locator(".people li").filter(has_text="b.jones")).to_contain_text("code valid until")
    assert code not in page.content()

    person.place.live.redeem(code, password_of("b.jones"))
    other = person.log_in("b.jones")
    expect(other.get_by_label("Participant code")).to_be_visible()
    page.get_by_role("button", name="New code: b.jones").click()
    dialog.get_by_role("button", name="Make a new code").click()
    expect(dialog.locator("p.one-time")).not_to_have_text(code)
    dialog.get_by_role("button", name="Done").click()
    other.reload()
    expect(other.get_by_label("Password")).to_be_visible()
    page.get_by_role("button", name="Dismiss: b.jones").click()
    dialog.get_by_role("button", name="Dismiss", exact=True).click()
    expect(page.locator(".people .gone")).to_contain_text("b.jones")


def test_a_person_without_a_role_is_refused_beside_the_roles(person):
    page = person.log_in("the-administrator", "people")
    page.get_by_role("button", name="Add a person").click()
    page.get_by_label("Name").fill("b.jones")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator(".choice .fault")).to_contain_text("role")


def test_the_conduct_of_the_trial(person):
    page = person.log_in("the-administrator", "people")
    dialog = page.get_by_role("dialog")
    before = person.place.live.status().entries
    page.get_by_role("button", name="Pause the trial").click()
    dialog.get_by_label("Reason").fill("no kits")
    dialog.get_by_role("button", name="Pause", exact=True).click()
    expect(page.locator("#state")).to_contain_text("The trial is paused")
    page.get_by_role("button", name="Resume the trial").click()
    dialog.get_by_label("Reason").fill("kits are back")
    dialog.get_by_role("button", name="Resume", exact=True).click()
    expect(page.locator("#state")).to_be_empty()
    page.get_by_role("button", name="Drop an arm").click()
    dialog.get_by_label("Arm", exact=True).select_option("verum")
    dialog.get_by_label("Reason").fill("harm")
    dialog.get_by_role("button", name="Drop the arm").click()
    expect(page.locator("#said")).to_have_text("Dropped: verum.")
    page.get_by_role("button", name="Add a note to the journal").click()
    dialog.get_by_role("textbox", name="Note").fill("the board was told")
    dialog.get_by_role("button", name="Add the note").click()
    expect(page.locator("#said")).to_have_text("The note is in the journal.")
    kinds = [entry.kind for entry in person.place.live.entries(after=before, who="test")]
    assert kinds[:-1] == ["paused", "resumed", "arm dropped", "note"]


def test_two_people_end_the_trial(person):
    page = person.log_in("the-administrator", "people")
    dialog = page.get_by_role("dialog")
    before = person.place.live.status().entries
    page.get_by_role("button", name="End recruitment").click()
    dialog.get_by_label("Reason").fill("enough participants")
    expect(dialog.get_by_role("button", name="End recruitment")).to_be_disabled()
    dialog.get_by_label("Type the word end to confirm").fill("end")
    dialog.get_by_role("button", name="End recruitment").click()
    expect(page.locator("#state")).to_contain_text("Recruitment has ended: outcomes are still recorded")
    page.get_by_role("button", name="Propose to lock the trial").click()
    expect(dialog.get_by_role("region", name="Participants without an outcome")).to_contain_text("P-003")
    dialog.get_by_label("Reason").fill("the last visit is over")
    dialog.get_by_role("checkbox", name="I accept that 3 outcomes will be missing for ever").check()
    dialog.get_by_role("button", name="Propose the lock").click()
    expect(page.locator("trial-people")).to_contain_text("the-administrator proposed on")

    other = person.log_in("the-approver")
    approval = other.get_by_role("dialog")
    expect(other.locator("trial-approvals")).to_contain_text("the last visit is over")
    other.get_by_role("button", name="Reject it").click()
    approval.get_by_role("button", name="Reject the proposal").click()
    expect(other.locator("trial-approvals")).to_contain_text("Nobody has proposed to lock the trial")
    missing = [each.participant for each in person.place.live.missing()]
    person.place.live.propose_lock(reason="it is", missing=missing, who="the-administrator")
    other.reload()
    other.get_by_role("button", name="Look at the proposal").click()
    approval.get_by_role("checkbox", name="I accept").check()
    expect(approval.get_by_role("button", name="Lock the trial")).to_be_disabled()
    approval.get_by_label("Type the word lock to confirm").fill("lock")
    approval.get_by_role("button", name="Lock the trial").click()
    expect(other.locator("#state")).to_have_text("The trial is locked.")
    kinds = [entry.kind for entry in person.place.live.entries(after=before, who="test")]
    assert [kind for kind in kinds[:-1] if kind != "look taken"] == [
        "recruitment ended",
        "lock proposed",
        "lock withdrawn",
        "lock proposed",
        "locked",
    ]
    assert person.place.live.verify().ok


def test_an_outcome_after_the_proposal_is_not_lost(person):
    person.expect_refusal(409)
    person.expect_refusal(422)
    live = person.place.live
    live.end_recruitment(reason="enough", who="the-administrator")
    missing = [each.participant for each in live.missing()]
    live.propose_lock(reason="it is over", missing=missing, who="the-administrator")
    page = person.log_in("the-approver")
    page.get_by_role("button", name="Look at the proposal").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("checkbox", name="I accept").check()
    dialog.get_by_label("Type the word lock to confirm").fill("lock")
    live.record("P-003", 1, who="the-record")
    dialog.get_by_role("button", name="Lock the trial").click()
    expect(dialog.locator(".fault").filter(has_text=re.compile("lapsed|missing"))).to_be_visible()
    assert live.status().state == "recruited"


def test_an_emergency(person):
    page = person.log_in("the-unblinder")
    expect(page.get_by_role("heading", level=2)).to_be_focused()
    page.get_by_label("Participant code").fill("P-004")
    page.get_by_label("Reason").fill("seizure")
    page.get_by_role("button", name="Continue").click()
    assert person.place.live.status().unblindings == []
    page.get_by_role("button", name="Unblind", exact=True).click()
    answer = page.get_by_role("article", name="Allocation")
    expect(answer).to_be_focused()
    arm = answer.locator(".allocated").inner_text()
    assert arm in ("placebo", "verum")
    page.get_by_role("button", name="Hide the arm").click()
    assert arm not in page.locator("main").inner_text()
    for name in ("the-monitor", "the-approver"):
        other = person.log_in(name)
        table = other.get_by_role("region", name="Participants whose arm somebody has learnt")
        expect(table).to_contain_text("the-unblinder")
        expect(table).to_contain_text("seizure")
        expect(other.locator("main")).not_to_contain_text(arm)


def test_a_token_for_a_program(person):
    page = person.log_in("the-monitor")
    page.get_by_role("link", name="the-monitor").click()
    page.get_by_role("button", name="Make a token").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Label").fill("edc export")
    dialog.get_by_role("button", name="Make", exact=True).click()
    token = dialog.locator(".token").inner_text()
    found = person.place.live.by_token(token)
    assert found is not None
    assert found.person.name == "the-monitor"
    dialog.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="End: edc export").click()
    dialog.get_by_role("button", name="End the token").click()
    expect(page.locator("#said")).to_have_text("Ended: edc export.")
    assert person.place.live.by_token(token) is None
    assert token not in page.content()

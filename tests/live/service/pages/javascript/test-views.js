import { shortDate } from "/static/dates.js";
import { Account } from "/static/views/account.js";
import { Approvals } from "/static/views/approvals.js";
import { Join } from "/static/views/join.js";
import { Journal } from "/static/views/journal.js";
import { Login } from "/static/views/login.js";
import { Monitor } from "/static/views/monitor.js";
import { People } from "/static/views/people.js";
import { Statistics } from "/static/views/statistics.js";
import { Unblinding } from "/static/views/unblinding.js";
import { Waiting } from "/static/views/waiting.js";
import { equal, until } from "/tests/assert.js";
import { button, ME, request, shown, text, type } from "./stage.js";

const press = async (name) => (await button(name)).click();
const entry = (number, kind, data = {}) => ({ number, at: "2026-11-18T14:03:22+00:00", who: "a.smith", kind, data, previous: "0".repeat(64), salt: "s", hash: "a".repeat(64) });
const PERSON = { name: "a.smith", roles: ["administrator"], since: "2026-11-18T14:03:22+00:00", state: "active", expires: null };
const STATUS = {
  title: "Two doses", state: "open", reason: "", patients: 20, enrolled: 3, known: 1, waiting: 2, due: 1, overdue: 1, withdrawn: 0, voided: 0, unblindings: [], lock: null,
  accrual: [{ date: "2026-11-18", enrolled: 3, known: 1 }], groups: [{ label: "Group 1", enrolled: 2 }, { label: "Group 2", enrolled: 1 }], groups_after: 3,
  looks_taken: 0, looks_planned: 2, entries: 9, head: "c".repeat(64), blinded: true, outcomes: "binary", clock_warnings: 0,
};

export async function a_wrong_password_is_forgotten() {
  const { requests } = shown(Login, null);
  type("Name", "a.smith");
  type("Password", " secret one ");
  await press("Log in");
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/login", { name: "a.smith", password: " secret one " }]);
  sent.respond({ errors: { "": "name or password not recognised" } }, 401);
  await until(() => text().includes("name or password not recognised"));
  equal([...document.querySelectorAll("input")].map(({ value }) => value), ["a.smith", ""]);
}

export async function a_code_is_redeemed_with_the_same_password_twice() {
  const { requests } = shown(Join, null);
  type("One-time code", "k7m2 9qxd 2htp v4rw");
  type("New password", "long enough");
  type("New password again", "long enouhg");
  await press("Join the trial");
  equal([text().includes("The two passwords differ."), requests.length], [true, 0]);
  type("New password again", "long enough");
  await press("Join the trial");
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/join", { code: "k7m2 9qxd 2htp v4rw", password: "long enough" }]);
  sent.respond({ errors: { code: "this code was used on 2026-11-18; if that was not you, tell the approver at once" } }, 409);
  await until(() => text().includes("tell the approver"));
}

export function whoever_is_logged_in_does_not_redeem_a_code() {
  shown(Join, { ...ME, roles: ["administrator"] });
  equal([document.querySelectorAll("input").length, text().includes("redeemed by the person for whom it was made")], [0, true]);
}

export function the_check_number_is_shown_until_the_approval() {
  shown(Waiting, { ...ME, roles: ["statistician"], check: "012345" });
  equal([document.querySelector(".large-code").innerText, document.querySelectorAll("button").length], ["012 345", 0]);
}

export async function an_approver_types_the_check_number() {
  const { requests } = shown(Approvals, { ...ME, roles: ["approver"] });
  (await request(requests, 1)).respond([PERSON, { ...PERSON, name: "c.brown", roles: ["statistician"], state: "awaiting approval" }]);
  (await request(requests, 2)).respond(STATUS);
  await press("Approve");
  equal(document.querySelector("dialog h2").textContent, "Approve c.brown?");
  type("Check number that c.brown told you", "012 345");
  document.querySelector("dialog [type=submit]").click();
  const sent = await request(requests, 3);
  equal([sent.path, sent.data], ["/api/people/c.brown/approval", { check: "012345" }]);
}

export async function the_arm_of_one_participant_takes_two_steps() {
  const { requests } = shown(Unblinding, { ...ME, roles: ["unblinder"] });
  type("Participant code", "P-017");
  await press("Continue");
  equal(text().includes("Fill in this field."), true);
  type("Reason", "seizure");
  await press("Continue");
  equal([(await button("Unblind")) === document.activeElement, requests.length], [true, 0]);
  await press("Unblind");
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/unblindings", { participant: "P-017", reason: "seizure", confirm: false }]);
  sent.respond({ participant: "P-017", arm: "new dose", kit: "K7M-4711", reveals: "It tells little of others." });
  await until(() => text().includes("new dose"));
  equal(text().includes("It tells little of others."), true);
  await press("Hide the arm");
  equal([text().includes("new dose"), document.querySelector("input").value], [false, ""]);
}

export async function nothing_unblinded_is_asked_for_before_the_button() {
  const { requests } = shown(Statistics, { ...ME, roles: ["statistician"] });
  equal(requests.length, 0);
  await press("Show unblinded data");
  (await request(requests, 1)).respond({
    arms: ["old", "new"], counts: { old: [1, 1], new: [0, 1] }, estimates: [{ arm: "old", patients: 1, known: 1, mean: 0.5, value: null, low: 0.2, high: 0.9, interval: "95 % at all times" }],
    value_title: "worst tenth", analysis_title: "Randomisation test", randomisation_test: [], evidence: [], warnings: ["The trial is not locked."], estimand: "Intention to treat. 1 enrolment in error, not analysed.", looks: [],
    analysis: [{ arm: "new", control: "old", patients: 1, control_patients: 1, estimate: 0.25, median_unbiased: 0.24, low: 0.1, high: 0.4, interval: "90 % score interval", p_value: 0.0001, significant: true, favours: "new" }],
  });
  await until(() => text().includes("The trial is not locked."));
  equal(text().includes("Estimand. Intention to treat. 1 enrolment in error, not analysed."), true);
  equal([...document.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
    [["new against old", "1 and 1", "0.25, median-unbiased 0.24", "0.1 to 0.4", "< 0.001", "new", "Yes"], ["old", "1", "1", "0.5", "–", "0.2 to 0.9"]]);
  equal(document.querySelector("thead").textContent.includes("90 % score interval"), true);
  equal(document.querySelectorAll("thead")[1].innerText.includes("Worst tenth"), true);
  equal(document.querySelector(".chart").getAttribute("aria-label"), "Share of each arm after 2 participants: old 50 %, new 50 %.");
}

export async function the_monitor_shows_counts_and_the_head() {
  const { requests } = shown(Monitor, { ...ME, roles: ["monitor"] });
  (await request(requests, 1)).respond(STATUS);
  await until(() => text().includes(`9:${"c".repeat(64)}`));
  equal(document.querySelector(".alarm").innerText.split(/\s*\n+\s*/), ["Overdue", "1 of those waiting"]);
  equal(document.querySelector(".chart").getAttribute("aria-label"), "Accrual: 3 of 20 planned participants enrolled, 1 outcomes known.");
}

export async function the_monitor_asks_again_when_the_window_gets_the_focus() {
  const { view, requests } = shown(Monitor, { ...ME, roles: ["monitor"] });
  (await request(requests, 1)).respond({ ...STATUS, accrual: [], enrolled: 0 });
  await until(() => text().includes("Nobody is enrolled yet."));
  window.dispatchEvent(new Event("focus"));
  (await request(requests, 2)).respond({ errors: { "": "the journal cannot be read" } }, 503);
  await until(() => text().includes("the journal cannot be read The numbers below may be out of date."));
  view.remove();
  window.dispatchEvent(new Event("focus"));
  equal(requests.length, 2);
}

export async function pages_of_the_journal_begin_with_the_newest_entries() {
  const { requests } = shown(Journal, { ...ME, roles: ["auditor"] });
  const first = await request(requests, 1);
  equal(first.path, "/api/journal?newest_first=true&limit=100&search=");
  first.respond({ entries: Array.from({ length: 100 }, (_, i) => entry(130 - i, "note")), total: 130 });
  await until(() => text().includes("Entries 130 to 31, the newest first. 130 entries in all."));
  await press("Older entries");
  const second = await request(requests, 2);
  equal(second.path, "/api/journal?newest_first=true&limit=100&search=&before=31");
  second.respond({ entries: [entry(30, "enrolled", { participant: "P-1", patient: 4 })], total: 131 });
  await until(() => text().includes("P-1"));
  equal((await button("Older entries")).disabled, true);
  await press("Newer entries");
  equal((await request(requests, 3)).path, "/api/journal?newest_first=true&limit=100&search=");
}

export async function the_verdict_names_the_entry_that_does_not_fit() {
  const { requests } = shown(Journal, { ...ME, roles: ["auditor"] });
  (await request(requests, 1)).respond({ entries: [entry(1, "design")], total: 1 });
  await until(() => text().includes("Entries 1 to 1,"));
  await press("Verify");
  (await request(requests, 2)).respond({ ok: false, entries: 9, head: "c".repeat(64), problem_entry: 5, problem: "its hash is another", notes: ["the clock moved back"] });
  await until(() => text().includes("Entry 5 does not fit. its hash is another"));
  equal(text().includes("the clock moved back"), true);
}

export async function a_one_time_code_is_gone_when_the_dialog_closes() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"] });
  (await request(requests, 1)).respond([PERSON]);
  await press("Add a person");
  type("Name", "b.jones");
  const boxes = document.querySelector("dialog .choice");
  for (const role of ["record", "auditor"]) boxes.querySelector(`[value=${role}]`).click();
  equal(boxes.innerText.includes("see unblinded data (auditor) and work blinded (record)"), true);
  await press("Add");
  const sent = await request(requests, 2);
  equal(sent.data, { name: "b.jones", roles: ["record", "auditor"] });
  sent.respond({ name: "b.jones", roles: ["record", "auditor"], code: "K7M2-9QXD-2HTP-V4RW", link: "/#join=K7M2-9QXD-2HTP-V4RW", expires: "2026-11-25T14:03:22+00:00" });
  await until(() => document.querySelector("dialog .token")?.textContent === `${location.origin}/#join=K7M2-9QXD-2HTP-V4RW`);
  equal(text().includes("As auditor, b.jones also needs an approver"), true);
  await press("Done");
  await until(() => !document.documentElement.outerHTML.includes("K7M2"));
}

export async function nobody_is_administrator_and_approver() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"] });
  await request(requests, 1);
  await press("Add a person");
  for (const role of ["administrator", "approver"]) document.querySelector(`dialog [value=${role}]`).click();
  equal(document.querySelector("dialog").innerText.includes("the one checks the other"), true);
}

export async function the_end_of_recruitment_needs_the_word() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"] });
  await request(requests, 1);
  await press("End recruitment");
  const submit = document.querySelector("dialog [type=submit]");
  type("Reason", "enough participants");
  equal(submit.disabled, true);
  type("Type the word end to confirm", "end");
  submit.click();
  const sent = await request(requests, 2);
  equal([sent.path, sent.data], ["/api/recruitment-end", { reason: "enough participants" }]);
}

export async function missing_outcomes_are_accepted_before_the_lock_is_proposed() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"], state: "recruited" });
  (await request(requests, 1)).respond([PERSON]);
  await press("Propose to lock the trial");
  (await request(requests, 2)).respond([{ participant: "P-003", due: "2026-11-15", why: "overdue" }]);
  await press("Propose the lock");
  equal([document.querySelector("dialog table").innerText.includes("P-003"), text().includes("Tick it, or complete the outcomes first."), requests.length], [true, true, 2]);
  document.querySelector("dialog [type=checkbox]").click();
  type("Reason", "the last visit is over");
  await press("Propose the lock");
  const sent = await request(requests, 3);
  equal([sent.path, sent.data], ["/api/lock", { reason: "the last visit is over", missing: ["P-003"] }]);
}

export async function an_approver_locks_the_trial_with_the_word() {
  const { requests } = shown(Approvals, { ...ME, roles: ["approver"], state: "lock proposed" });
  (await request(requests, 1)).respond([PERSON]);
  (await request(requests, 2)).respond({ ...STATUS, state: "lock proposed", lock: { who: "a.smith", at: "2026-11-18T14:03:22+00:00", reason: "all done" } });
  await press("Look at the proposal");
  (await request(requests, 3)).respond([]);
  await until(() => text().includes("No outcome is missing."));
  type("Type the word lock to confirm", "lock");
  await press("Lock the trial");
  const sent = await request(requests, 4);
  equal([sent.path, sent.data], ["/api/lock/approval", { missing: [] }]);
}

export async function a_token_for_programs_is_shown_once() {
  const { requests } = shown(Account, ME);
  (await request(requests, 1)).respond([]);
  await press("Make a token");
  type("Label", "edc");
  await press("Make");
  const sent = await request(requests, 2);
  equal([sent.path, sent.data], ["/api/tokens", { label: "edc" }]);
  sent.respond({ label: "edc", token: "primum-once" });
  await until(() => text().includes("primum-once"));
  await press("Done");
  (await request(requests, 3)).respond([{ label: "edc", since: "2026-11-18T14:03:22+00:00" }]);
  await until(() => document.querySelector("[aria-label='End: edc']"));
  equal(document.documentElement.outerHTML.includes("primum-once"), false);
}

export async function the_accrual_ends_today() {
  const { requests } = shown(Monitor, { ...ME, roles: ["monitor"] });
  const today = new Date().toISOString().slice(0, 10);
  (await request(requests, 1)).respond({ ...STATUS, accrual: [{ date: today, enrolled: 3, known: 1 }] });
  await until(() => document.querySelectorAll(".chart text").length > 3);
  const labels = [...document.querySelectorAll(".chart text")].map(({ textContent }) => textContent);
  equal(labels.includes(shortDate(today)), true);
  equal(labels.some((label) => label === shortDate(new Date(Date.now() + 86_400_000).toISOString().slice(0, 10))), false);
}

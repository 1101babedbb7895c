import { Journal } from "/static/views/journal.js";
import { Login } from "/static/views/login.js";
import { Monitor } from "/static/views/monitor.js";
import { People } from "/static/views/people.js";
import { Statistics } from "/static/views/statistics.js";
import { equal, until } from "/tests/assert.js";
import { button, ME, request, shown, text, type } from "./stage.js";

const press = async (name) => (await button(name)).click();
const entry = (number, kind, data = {}) => ({ number, at: "2026-11-18T14:03:22+00:00", who: "a.smith", kind, data, previous: "0".repeat(64), salt: "s", hash: "a".repeat(64) });
const STATUS = {
  title: "Two doses", state: "open", reason: "", patients: 20, enrolled: 3, known: 1, waiting: 2, due: 1, overdue: 1, withdrawn: 0,
  accrual: [{ date: "2026-11-18", enrolled: 3, known: 1 }], groups: [{ label: "Group 1", enrolled: 2 }, { label: "Group 2", enrolled: 1 }], groups_after: 3,
  looks_taken: 0, looks_planned: 2, entries: 9, head: "c".repeat(64), blinded: true, outcomes: "binary", clock_warnings: 0,
};

export async function a_wrong_token_is_forgotten() {
  const { requests } = shown(Login, null);
  type("Token", "primum-secret");
  await press("Log in");
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/login", { token: "primum-secret" }]);
  sent.respond({ errors: { token: "no person has this token" } }, 401);
  await until(() => text().includes("no person has this token"));
  equal(document.querySelector("input").value, "");
}

export async function nothing_unblinded_is_asked_for_before_the_button() {
  const { requests } = shown(Statistics, { ...ME, roles: ["statistician"] });
  equal(requests.length, 0);
  await press("Show unblinded data");
  (await request(requests, 1)).respond({
    arms: ["old", "new"], counts: { old: [1, 1], new: [0, 1] }, estimates: [{ arm: "old", patients: 1, known: 1, mean: 0.5, value: null }],
    value_title: "worst tenth", analysis_title: "Randomisation test", randomisation_test: [], warnings: ["The trial is not closed."], looks: [],
    analysis: [{ arm: "new", control: "old", patients: 1, control_patients: 1, estimate: 0.25, low: 0.1, high: 0.4, interval: "90 % score interval", p_value: 0.0001, significant: true, favours: "new" }],
  });
  await until(() => text().includes("The trial is not closed."));
  equal([...document.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent)),
    [["new against old", "1 and 1", "0.25", "0.1 to 0.4", "< 0.001", "new", "Yes"], ["old", "1", "1", "0.5", "–"]]);
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

export async function pages_of_the_journal() {
  const { requests } = shown(Journal, { ...ME, roles: ["auditor"] });
  const first = await request(requests, 1);
  equal(first.path, "/api/journal?after=0&limit=100&search=");
  first.respond({ entries: Array.from({ length: 100 }, (_, i) => entry(i + 1, "note")), total: 130 });
  await until(() => text().includes("Entries 1 to 100. 130 entries in all."));
  await press("Next");
  const second = await request(requests, 2);
  equal(second.path, "/api/journal?after=100&limit=100&search=");
  second.respond({ entries: [entry(101, "enrolled", { participant: "P-1", patient: 4 })], total: 131 });
  await until(() => text().includes("P-1"));
  equal((await button("Next")).disabled, true);
  await press("Previous");
  equal((await request(requests, 3)).path, "/api/journal?after=0&limit=100&search=");
}

export async function the_verdict_names_the_entry_that_does_not_fit() {
  const { requests } = shown(Journal, { ...ME, roles: ["auditor"] });
  (await request(requests, 1)).respond({ entries: [entry(1, "design")], total: 1 });
  await until(() => text().includes("Entries 1 to 1"));
  await press("Verify");
  (await request(requests, 2)).respond({ ok: false, entries: 9, head: "c".repeat(64), problem_entry: 5, problem: "its hash is another", notes: ["the clock moved back"] });
  await until(() => text().includes("Entry 5 does not fit. its hash is another"));
  equal(text().includes("the clock moved back"), true);
}

export async function a_new_token_is_gone_when_the_dialog_closes() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"] });
  (await request(requests, 1)).respond([{ name: "a.smith", roles: ["administrator"], since: "2026-11-18T14:03:22+00:00", active: true }]);
  await press("Add a person");
  type("Name", "b.jones");
  for (const role of ["record", "auditor"]) document.querySelector(`dialog input[value=${role}]`).click();
  equal(document.querySelector("dialog").innerText.includes("see unblinded data (auditor) and work blinded (record)"), true);
  await press("Add");
  const sent = await request(requests, 2);
  equal(sent.data, { name: "b.jones", roles: ["record", "auditor"] });
  sent.respond({ name: "b.jones", roles: ["record", "auditor"], token: "primum-once" });
  await until(() => text().includes("primum-once"));
  await press("Done");
  await until(() => !document.documentElement.outerHTML.includes("primum-once"));
}

export async function closing_needs_the_word() {
  const { requests } = shown(People, { ...ME, roles: ["administrator"], arms: ["old", "new"] });
  await request(requests, 1);
  await press("Close the trial");
  const submit = document.querySelector("dialog [type=submit]");
  type("Reason", "all done");
  equal(submit.disabled, true);
  type("Type the word close to confirm", "close");
  submit.click();
  const sent = await request(requests, 2);
  equal([sent.path, sent.data], ["/api/close", { reason: "all done" }]);
}

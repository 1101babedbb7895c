import { Outcomes } from "/static/views/outcomes.js";
import { dayOf } from "/static/dates.js";
import { equal, until } from "/tests/assert.js";
import { button, ME, request, shown, text, type } from "./stage.js";

const waiting = (participant, number, state = "waiting") =>
  ({ participant, number, enrolled: "2026-11-01T10:00:00+00:00", due: "2026-11-15", state, outcome: null, outcome_on: null, outcome_at: null, corrections: 0, withdrawn: null, withdrawn_at: null, voided_at: null, reason: "" });
const known = (participant, number, outcome) => ({ ...waiting(participant, number, "known"), outcome, outcome_on: "2026-11-15", outcome_at: "2026-11-15T10:00:00+00:00" });
const labelled = (label) => document.querySelector(`[aria-label="${label}"]`);
const press = async (name) => (await button(name)).click();

async function listed(participants, me = ME) {
  const { requests } = shown(Outcomes, me);
  (await request(requests, 1)).respond(participants);
  await until(() => document.querySelectorAll(".rows li").length);
  return requests;
}

export async function lists_by_state() {
  await listed([waiting("P-1", 1, "overdue"), waiting("P-2", 2, "due"), waiting("P-3", 3), known("P-4", 4, 1)]);
  const lists = [...document.querySelectorAll(".list:not([hidden])")].map((list) => [list.querySelector("h3").textContent, list.querySelector(".code")?.textContent]);
  equal(lists, [["Overdue 1", "P-1"], ["Due 1", "P-2"], ["Waiting 1", "P-3"], ["Known 1", "P-4"]]);
}

export async function a_search_finds_any_part_of_the_code() {
  await listed([waiting("P-17", 1), known("Q-170", 2, 1), waiting("P-2", 3)]);
  type("Find a participant", "q-17");
  equal([...document.querySelectorAll(".list[open]:not([hidden]) .code")].map((code) => code.textContent), ["Q-170"]);
  type("Find a participant", "zzz");
  equal(text().includes("No participant has ‘zzz’ in the code."), true);
}

export async function a_long_list_is_shown_in_part() {
  await listed(Array.from({ length: 130 }, (_, i) => waiting(`P-${i}`, i + 1)));
  equal(document.querySelectorAll(".rows li").length, 50);
  await press("Show 80 more");
  equal(document.querySelectorAll(".rows li").length, 130);
}

export async function an_outcome_is_sent_after_it_is_confirmed() {
  const requests = await listed([waiting("P-1", 1)]);
  labelled("Record: P-1").click();
  await press("Failure");
  equal(requests.length, 1);
  await press("Record failure");
  const sent = await request(requests, 2);
  equal([sent.path, sent.data], ["/api/outcomes", { participant: "P-1", outcome: 0, on: dayOf(Date.now()), confirm: false }]);
  sent.respond(known("P-1", 1, 0));
  await until(() => document.querySelector("#said").textContent === "Recorded for P-1: Failure.");
  equal(document.querySelectorAll("dialog").length, 0);
  (await request(requests, 3)).respond([known("P-1", 1, 0)]);
  await until(() => labelled("Correct: P-1"));
}

export async function the_second_of_a_double_click_does_not_confirm() {
  const requests = await listed([waiting("P-1", 1)]);
  labelled("Record: P-1").click();
  await press("Success");
  (await button("Record success")).dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, detail: 2 }));
  equal(requests.length, 1);
}

export async function a_number_in_a_trial_with_numbers() {
  const requests = await listed([waiting("P-1", 1)], { ...ME, outcomes: [-5, 10] });
  labelled("Record: P-1").click();
  equal(document.querySelector("dialog").innerText.includes("A number from −5 to 10"), true);
  type("Outcome", "7.25");
  await press("Next");
  await press("Record 7.25");
  equal((await request(requests, 2)).data, { participant: "P-1", outcome: 7.25, on: dayOf(Date.now()), confirm: false });
}

export async function a_correction_needs_a_reason() {
  const requests = await listed([known("P-1", 1, 1)]);
  labelled("Correct: P-1").click();
  document.querySelector("dialog select").value = "0";
  await press("Save the correction");
  equal(document.querySelector("dialog").innerText.includes("Fill in this field."), true);
  type("Reason", "wrong form");
  await press("Save the correction");
  const sent = await request(requests, 2);
  equal([sent.path, sent.data], ["/api/corrections", { participant: "P-1", outcome: 0, replaces: 1, reason: "wrong form", on: "2026-11-15", confirm: false }]);
  sent.respond({ ...known("P-1", 1, 0), corrections: 1 });
  await until(() => document.querySelector("#said").textContent === "Corrected for P-1: Success is now Failure.");
}

export async function a_withdrawal_with_a_questioned_reason() {
  const requests = await listed([waiting("P-1", 1)]);
  labelled("Withdraw: P-1").click();
  document.querySelector("dialog [value=data]").click();
  type("Reason", "Mrs Smith moved");
  document.querySelector("dialog [type=submit]").click();
  (await request(requests, 2)).respond({ errors: { confirm: "reason has what looks like a name" } }, 422);
  await press("Save it as it is");
  equal((await request(requests, 3)).data, { participant: "P-1", scope: "data", reason: "Mrs Smith moved", confirm: true });
}

export async function an_early_outcome_is_questioned() {
  const requests = await listed([waiting("P-1", 1)]);
  labelled("Record: P-1").click();
  await press("Success");
  type("Date of the outcome", "2026-11-02");
  await press("Record success");
  (await request(requests, 2)).respond({ errors: { confirm: "the outcome is due on 2026-11-15" } }, 422);
  await press("Record it as it is");
  equal((await request(requests, 3)).data, { participant: "P-1", outcome: 1, on: "2026-11-02", confirm: true });
}

export async function an_outcome_that_somebody_else_recorded_can_be_corrected() {
  const requests = await listed([waiting("P-1", 1)]);
  labelled("Record: P-1").click();
  await press("Success");
  await press("Record success");
  (await request(requests, 2)).respond({ errors: { "": "Failure is already recorded (nurse-a, 21:01). Correct it?" } }, 409);
  await press("Correct it");
  (await request(requests, 3)).respond([known("P-1", 1, 0)]);
  await until(() => document.querySelector("dialog select"));
  equal([document.querySelector("dialog select").value, document.querySelector("dialog").innerText.includes("Recorded outcome: Failure")], ["1", true]);
  type("Reason", "the other form is wrong");
  await press("Save the correction");
  equal((await request(requests, 4)).data, { participant: "P-1", outcome: 1, replaces: 0, reason: "the other form is wrong", on: "2026-11-15", confirm: false });
}

export async function lists_show_scope_date_and_reason_of_a_withdrawal() {
  const stopped = { ...waiting("P-1", 1), withdrawn: "treatment", withdrawn_at: "2026-11-10T10:00:00+00:00", reason: "side effects" };
  const gone = { ...waiting("P-2", 2, "withdrawn"), withdrawn: "data", withdrawn_at: "2026-11-11T10:00:00+00:00", reason: "moved" };
  const voided = { ...waiting("P-3", 3, "void"), voided_at: "2026-11-12T10:00:00+00:00", reason: "wrong patient" };
  await listed([stopped, gone, voided]);
  const rows = [...document.querySelectorAll(".rows li")].map((row) => row.textContent);
  equal(rows.map((row) => row.includes("Treatment stopped, the outcome is still collected, 10 Nov 2026: side effects")), [true, false, false]);
  equal(rows.map((row) => row.includes("Consent to data withdrawn, 11 Nov 2026: moved")), [false, true, false]);
  equal(rows.map((row) => row.includes("Void, 12 Nov 2026: wrong patient")), [false, false, true]);
  equal(["P-1", "P-2", "P-3"].map((code) => Boolean(labelled(`Withdraw: ${code}`))), [true, false, false]);
  labelled("Withdraw: P-1").click();
  equal([...document.querySelectorAll("dialog [type=radio]")].map(({ value, checked }) => [value, checked]), [["data", true]]);
}

export async function nothing_can_be_pressed_in_a_locked_trial() {
  await listed([waiting("P-1", 1), known("P-2", 2, 1)], { ...ME, state: "locked" });
  equal(document.querySelectorAll(".rows button").length, 0);
}

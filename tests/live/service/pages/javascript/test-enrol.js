import { Enrol } from "/static/views/enrol.js";
import { equal, until } from "/tests/assert.js";
import { button, ME, request, shown, text, type } from "./stage.js";

const ANSWER = { participant: "P-001", number: 7, at: "2026-11-18T14:03:22+00:00", by: "nurse-b", arm: null, kit: "K7M-4711" };
const CRITERIA = ["Aged 18 or over", "No allergy"];
const press = async (name) => (await button(name)).click();

/** Types a code, and confirms that it is the right one. */
async function asked(code, me = ME) {
  const { view, requests } = shown(Enrol, me);
  type("Participant code", code);
  await press("Continue");
  await press("Enrol");
  return { view, requests, first: await request(requests, 1) };
}

export async function the_code_is_shown_large_before_anything_is_sent() {
  const { requests } = shown(Enrol);
  type("Participant code", "P-001");
  await press("Continue");
  await button("Enrol");
  equal([document.querySelector(".large-code").innerText, requests.length], ["P-001", 0]);
  await press("Back");
  equal(document.activeElement.value, "P-001");
}

export async function the_answer_has_the_kit_and_the_focus() {
  const { first } = await asked(" P-001 ");
  equal(first.path, "/api/participants");
  equal(first.data, { participant: "P-001", confirm: false });
  first.respond(ANSWER);
  await button("Next participant");
  equal(document.activeElement.innerText.split(/\s*\n+\s*/), ["Confirmation of enrolment", "Two doses", "Kit", "K7M-4711", "Participant", "P-001",
    "Number", "7", "Enrolled", "18 Nov 2026, 14:03:22, UTC", "By", "nurse-b"]);
}

export async function every_criterion_and_the_consent_are_needed() {
  const { requests } = shown(Enrol, { ...ME, eligibility: CRITERIA, consent: true });
  type("Participant code", "P-001");
  const [first, second] = document.querySelectorAll("input[type=checkbox]");
  first.click();
  await press("Continue");
  equal([text().includes("must meet every criterion"), document.activeElement === second, second.ariaInvalid, first.ariaInvalid], [true, true, "true", null]);
  second.click();
  await press("Continue");
  equal([text().includes("Fill in this field."), document.activeElement.type], [true, "date"]);
  type("Date of the written consent", "2026-11-17");
  equal(document.querySelector("output").textContent, "17 Nov 2026");
  await press("Continue");
  await press("Enrol");
  equal((await request(requests, 1)).data, { participant: "P-001", eligibility: CRITERIA, consent: "2026-11-17", confirm: false });
}

export async function what_was_typed_is_kept_for_the_page() {
  const kept = [];
  const { view } = shown(Enrol, { ...ME, eligibility: CRITERIA });
  view.addEventListener("draft", ({ detail }) => kept.push(detail));
  type("Participant code", "P-0");
  document.querySelector("input[type=checkbox]").click();
  equal(kept.at(-1), { participant: "P-0", eligibility: [CRITERIA[0]], consent: "" });
}

export async function nobody_is_enrolled_in_a_trial_that_is_not_open() {
  for (const state of ["paused", "stopped", "full", "recruited", "lock proposed", "locked"]) {
    shown(Enrol, { ...ME, state });
    equal([state, document.querySelectorAll("form").length, text().includes("Nobody can be enrolled now.")], [state, 0, true]);
    equal([...document.querySelectorAll("button")].map(({ textContent }) => textContent),
      ["Show the confirmation again", ...(state === "locked" ? [] : ["Withdraw", "Enrolled in error"])]);
  }
}

export async function an_open_trial_tells_the_arm() {
  const { first } = await asked("P-001");
  first.respond({ ...ANSWER, kit: null, arm: "standard of care" });
  await until(() => text().includes("standard of care"));
  equal(text().includes("Kit"), false);
}

export async function the_next_participant_has_an_empty_form() {
  const { first } = await asked("P-001");
  first.respond(ANSWER);
  await press("Next participant");
  equal([document.activeElement.tagName, document.activeElement.value], ["INPUT", ""]);
  equal(text().includes("K7M-4711"), false);
}

export async function one_request_at_a_time() {
  const { requests, first } = await asked("P-001");
  document.querySelector("[type=submit]").click();
  first.respond(ANSWER);
  await button("Next participant");
  equal(requests.length, 1);
}

export async function a_questioned_code_is_sent_only_when_confirmed() {
  const { requests, first } = await asked("Anna Smith");
  first.respond({ errors: { confirm: "'Anna Smith' looks like a name" } }, 422);
  equal((await button("Change the code")) === document.activeElement, true);
  equal(text().includes("'Anna Smith' looks like a name"), true);
  await press("It is a code: enrol");
  equal((await request(requests, 2)).data, { participant: "Anna Smith", confirm: true });
}

export async function a_changed_code_is_not_confirmed() {
  const { requests, first } = await asked("Anna Smith");
  first.respond({ errors: { confirm: "'Anna Smith' looks like a name" } }, 422);
  await press("Change the code");
  equal(document.activeElement.value, "Anna Smith");
  type("Participant code", "Anna Smyth");
  await press("Continue");
  await press("Enrol");
  equal((await request(requests, 2)).data, { participant: "Anna Smyth", confirm: false });
}

export async function a_silent_server_is_asked_again_for_the_same() {
  const { requests, first } = await asked("P-001");
  first.reject(new TypeError("network"));
  await button("Retry");
  equal(text().includes("The server does not respond. Asking again is safe"), true);
  await press("Retry");
  const second = await request(requests, 2);
  equal(second.data, first.data);
  second.respond(ANSWER);
  await until(() => text().includes("K7M-4711"));
}

export async function a_refusal_is_the_sentence_of_the_server() {
  const { first } = await asked("P-001");
  first.respond({ errors: { "": "enrolment is paused: no kits" } }, 409);
  await until(() => text().includes("enrolment is paused: no kits"));
}

export async function text_is_never_markup() {
  const { first } = await asked("P-001");
  first.respond({ errors: { participant: "<img src=x onerror=alert(1)>" } }, 422);
  await until(() => text().includes("<img src=x"));
  equal(document.querySelectorAll("img").length, 0);
}

export async function an_enrolment_in_error_is_checked_before_it_is_void() {
  const { requests } = shown(Enrol);
  await press("Enrolled in error");
  type("Participant code", "P-009");
  type("Reason", "wrong patient");
  document.querySelector("dialog [type=submit]").click();
  await until(() => document.querySelector("dialog .large-code")?.innerText === "P-009");
  equal(requests.length, 0);
  await press("Declare void");
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/voids", { participant: "P-009", reason: "wrong patient", confirm: false }]);
  sent.respond({});
  await until(() => document.querySelector("#said").textContent === "Declared void: P-009.");
}

export async function a_withdrawal_has_a_scope() {
  const { requests } = shown(Enrol);
  await press("Withdraw");
  type("Participant code", "P-009");
  type("Reason", "moved away");
  document.querySelector("dialog [type=submit]").click();
  await until(() => document.querySelector("dialog").innerText.includes("Choose one."));
  document.querySelector("dialog [value=treatment]").click();
  document.querySelector("dialog [type=submit]").click();
  await until(() => document.querySelector("dialog .large-code"));
  document.querySelector("dialog [type=submit]").click();
  equal((await request(requests, 1)).data, { participant: "P-009", scope: "treatment", reason: "moved away", confirm: false });
}

export async function a_confirmation_is_shown_again_without_enrolling() {
  const { requests } = shown(Enrol, { ...ME, state: "full" });
  await press("Show the confirmation again");
  type("Participant code", "P 0/1");
  document.querySelector("dialog [type=submit]").click();
  const sent = await request(requests, 1);
  equal([sent.path, sent.data], ["/api/participants/P%200%2F1", undefined]);
  sent.respond(ANSWER);
  await until(() => document.activeElement.innerText.includes("K7M-4711"));
}

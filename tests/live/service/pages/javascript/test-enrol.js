import { Enrol } from "/static/views/enrol.js";
import { equal, until } from "/tests/assert.js";
import { button, request, shown, text, type } from "./stage.js";

const ANSWER = { participant: "P-001", number: 7, at: "2026-11-18T14:03:22+00:00", arm: null, kit: "K-4711" };
const press = async (name) => (await button(name)).click();

async function asked(code) {
  const { requests } = shown(Enrol);
  type("Participant code", code);
  await press("Enrol");
  return { requests, first: await request(requests, 1) };
}

export async function the_answer_has_the_kit_and_the_focus() {
  const { first } = await asked(" P-001 ");
  equal(first.path, "/api/participants");
  equal(first.data, { participant: "P-001", confirm: false });
  first.respond(ANSWER);
  await button("Next participant");
  equal(document.activeElement.innerText.split(/\s*\n+\s*/), ["Kit", "K-4711", "Participant P-001, number 7"]);
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
  equal(text().includes("K-4711"), false);
}

export async function one_request_at_a_time() {
  const { requests, first } = await asked("P-001");
  await press("Enrol");
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
  await button("It is a code: enrol");
  type("Participant code", "Anna Smyth");
  equal(text().includes("It is a code"), false);
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
  await until(() => text().includes("K-4711"));
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
  equal(document.querySelector("input").ariaInvalid, "true");
}

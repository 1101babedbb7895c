// The conduct of the trial: pause, resume, drop an arm, close; each with a reason.
import { api } from "../api.js";
import { closing, dialog } from "../dialog.js";
import { field, line, reason } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";

const WORD = "close"; // to be typed

/** The actions that the state of the trial allows; `done(sentence)` is called after each. */
export function conduct({ state, arms }, done) {
  const button = (text, action) => h("button", { type: "button", onclick: action }, text);
  const closed = state === "closed";
  return [
    h("h3", {}, "Conduct of the trial"),
    h("p", { class: "hint" }, closed ? "The trial is closed." : "Each of these is an entry in the journal, with your reason."),
    h("div", { class: "buttons" }, !closed && [
      state === "paused" ? button("Resume the trial", () => resume(done)) : button("Pause the trial", () => pause(done)),
      arms?.length > 0 && button("Drop an arm", () => dropArm(arms, done)),
      button("Close the trial", () => close(done)),
    ]),
  ];
}

const pause = (done) => withReason("Pause the trial", "Nobody is enrolled until the trial is resumed. Outcomes can still be recorded.", "Pause", api.pause, "The trial is paused.", done);

const resume = (done) => withReason("Resume the trial", "Participants can be enrolled again.", "Resume", api.resume, "The trial goes on.", done);

function withReason(title, text, submit, action, said, done) {
  const why = reason();
  show(title, { before: [h("p", {}, text)], fields: [why], submit, send: () => action(why.text) }, said, done);
}

function dropArm(arms, done) {
  const arm = field("arm", "Arm", h("select", { required: true }, h("option", { value: "" }, "Choose"), arms.map((name) => h("option", {}, name))));
  const why = reason();
  show("Drop an arm", {
    before: [h("p", {}, "No further participants get this arm. This cannot be undone.")], fields: [arm, why], submit: "Drop the arm",
    send: () => api.dropArm(arm.control.value, why.text),
  }, () => `Dropped: ${arm.control.value}.`, done);
}

function close(done) {
  const why = reason();
  const word = field("word", `Type the word ${WORD} to confirm`, line({ class: "short", autocapitalize: "none" }));
  const box = show("Close the trial", {
    before: [h("p", {}, "Nobody can be enrolled, and no outcome recorded or corrected, from then on. This cannot be undone.")], fields: [why, word], submit: "Close the trial",
    send: () => api.close(why.text),
  }, "The trial is closed.", done);
  const submit = box.querySelector("[type=submit]");
  const check = () => (submit.disabled = word.text.toLowerCase() !== WORD);
  word.control.addEventListener("input", check);
  check();
}

function show(title, options, said, done) {
  const box = dialog(title, form({
    ...options, others: [closing()],
    done: () => {
      box.addEventListener("close", () => done(typeof said === "function" ? said() : said));
      box.close();
    },
  }));
  return box;
}

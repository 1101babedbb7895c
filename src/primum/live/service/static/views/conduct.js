// The conduct of the trial: pause, resume, drop an arm, void, end recruitment, propose the lock; each with a reason.
import { api } from "../api.js";
import { moment } from "../dates.js";
import { closing, dialog, finish } from "../dialog.js";
import { choice, field, reason, typedWord } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { missingTable } from "./missing.js";
import { voidEnrolment } from "./participant-dialogs.js";

const PAUSABLE = ["open", "paused"];
const RECRUITING = ["open", "paused", "stopped", "full"];
const [PROPOSED, LOCKED] = ["lock proposed", "locked"];

/** The actions that the state of the trial allows; `done(sentence)` is called after each, `lock` is a proposal or null. */
export function conduct(me, lock, done) {
  const { state, arms } = me;
  const button = (text, action) => h("button", { type: "button", onclick: action }, text);
  const title = h("h3", {}, "Conduct of the trial");
  if (state === LOCKED) return [title, h("p", { class: "hint" }, "The trial is locked.")];
  if (state === PROPOSED) return [title, proposal(lock), h("div", { class: "buttons" }, button("Withdraw the proposal", () => withdrawLock(done)))];
  const isRecruiting = RECRUITING.includes(state);
  return [
    title,
    h("p", { class: "hint" }, "Each of these is an entry in the journal, with your reason."),
    h("div", { class: "buttons" },
      PAUSABLE.includes(state) && (state === "paused" ? button("Resume the trial", () => resume(done)) : button("Pause the trial", () => pause(done))),
      isRecruiting && arms?.length > 0 && button("Drop an arm", () => dropArm(arms, done)),
      button("Declare an enrolment void", () => voidEnrolment(null, me, done)),
      isRecruiting && button("End recruitment", () => endRecruitment(done)),
      !isRecruiting && button("Propose to lock the trial", () => proposeLock(done))),
    h("p", { class: "hint" }, isRecruiting
      ? "The trial ends in three steps: end recruitment, complete the outcomes, lock. Each has a dialog of its own."
      : "Recruitment has ended. Complete the outcomes, then propose the lock; an approver completes it."),
  ];
}

const proposal = (lock) => h("p", {}, lock
  ? [h("strong", {}, lock.who), ` proposed on ${moment(lock.at)} to lock the trial: ‘${lock.reason}’. An approver completes it under `, h("em", {}, "Approvals"), ". If an outcome is recorded before, the proposal lapses."]
  : "The lock has been proposed; an approver completes it.");

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

function endRecruitment(done) {
  const [why, word] = [reason(), typedWord("end")];
  word.guard(show("End recruitment", {
    before: [h("p", {}, "Nobody can be enrolled from then on. Outcomes are still recorded and corrected until the trial is locked. This cannot be undone.")],
    fields: [why, word], submit: "End recruitment", send: () => api.endRecruitment(why.text),
  }, "Recruitment has ended.", done));
}

/** With the list of what is missing, which whoever proposes the lock accepts. */
async function proposeLock(done) {
  const content = h("div", { class: "steps", "aria-busy": "true" }, h("p", { class: "hint" }, "Asking which outcomes are missing"));
  const box = dialog("Propose to lock the trial", content);
  const why = reason();
  const asked = form({ submit: "Ask again", others: [closing()], send: () => api.missing(), done: ask });
  content.replaceChildren(asked);
  asked.requestSubmit();

  function ask(missing) {
    const accept = missing.length > 0 && choice("missing", "Missing outcomes",
      [["accepted", `I accept that ${counted(missing.length, "outcome")} will be missing for ever`]], { all: true, empty: "Tick it, or complete the outcomes first." });
    content.replaceChildren(form({
      before: [
        h("p", {}, "An approver, who is another person, completes the lock. Then the final analysis is taken, and nothing about participants can change any more."),
        missingTable(missing),
      ],
      fields: [accept, why].filter(Boolean), submit: "Propose the lock", others: [closing()],
      send: () => api.proposeLock(why.text, missing.map(({ participant }) => participant)),
      done: () => finish(box, done, "The lock is proposed. An approver completes it."),
    }));
    content.querySelector("input, textarea").focus();
  }
}

function withdrawLock(done) {
  show("Withdraw the proposal?", {
    before: [h("p", {}, "The trial is not locked, and outcomes can be completed. The lock can be proposed again.")], submit: "Withdraw the proposal", send: api.withdrawLock,
  }, "The proposal is withdrawn.", done);
}

function show(title, options, said, done) {
  const box = dialog(title, form({
    ...options, others: [closing()], done: () => finish(box, done, typeof said === "function" ? said() : said),
  }));
  return box;
}

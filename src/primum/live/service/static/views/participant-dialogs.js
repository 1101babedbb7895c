// Dialogs about one participant: record an outcome, correct it, withdraw the participant, declare the enrolment void.
import { api } from "../api.js";
import { code, largeCode } from "../codes.js";
import { date, dayOf } from "../dates.js";
import { closing, dialog, finish } from "../dialog.js";
import { choice, dayField, field, line, participantField, reason } from "../fields.js";
import { form } from "../form.js";
import { h, unique } from "../lib/dom.js";
import { read, shown } from "../lib/formatting.js";

const BINARY = "binary";
const ALL_DIGITS = 15;
const WORDS = [[1, "Success"], [0, "Failure"]];
const CORRECTABLE = "Correct it?"; // the end of a refusal, if another outcome is recorded already
const REASON = { doubt: ["Change the reason", "Save it as it is"] };
const SCOPES = {
  treatment: ["Stops treatment", "The outcome is still collected and counted in the arm to which the participant was allocated (intention to treat)."],
  data: ["Withdraws consent to data", "No outcome is collected any more. What is known already stays."],
};

/** An outcome as people read it. */
export const written = (outcome, outcomes) =>
  outcomes === BINARY ? WORDS.find(([value]) => value === outcome)?.[1] ?? shown(outcome) : shown(outcome, ALL_DIGITS);

/** A scope of withdrawal as people read it. */
export const scopeWords = (scope) => (scope === "treatment" ? "Treatment stopped, the outcome is still collected" : "Consent to data withdrawn");

const whose = ({ participant, number, enrolled, at }) =>
  h("p", { class: "whose" }, "Participant ", code(participant), `, number ${number}, enrolled ${date(enrolled ?? at)}`);

/** A field for a number in the range of the trial. */
const numeric = ([low, high], label = "Outcome", value = "") =>
  field("outcome", label, line({ inputmode: "decimal", required: true, class: "short", value }), `A number from ${shown(low)} to ${shown(high)}`);

const outcomeDay = (value = dayOf(Date.now())) =>
  dayField("on", "Date of the outcome", { value, latest: dayOf(Date.now()), hint: "The day on which it was observed, not that on which it is entered." });

/** Two steps: the outcome, then its date and whether both are right. */
export function record(participant, me, done) {
  const { outcomes } = me;
  const content = h("div", { class: "steps" });
  const box = dialog("Record the outcome", content);
  const choose = (typed) => {
    content.replaceChildren(whose(participant), outcomes === BINARY ? twoButtons(check) : numberForm(outcomes, typed, check));
    content.querySelector("button, input").focus();
  };
  const check = (outcome) => {
    const word = typeof outcome === "number" ? written(outcome, outcomes) : String(outcome);
    const id = unique("chosen");
    const day = outcomeDay();
    const back = h("button", { type: "button", onclick: () => choose(outcome) }, "Back");
    content.replaceChildren(form({
      before: [h("div", { class: "steps", id }, whose(participant), h("p", { class: "chosen" }, "Outcome ", h("strong", {}, word)))],
      fields: [day], submit: outcomes === BINARY ? `Record ${word.toLowerCase()}` : `Record ${word}`, others: [back],
      doubt: ["Change the date", "Record it as it is"],
      send: (confirm) => api.record({ participant: participant.participant, outcome, on: day.text, confirm }),
      conflict: ({ message }) => message.endsWith(CORRECTABLE) && ["Correct it", () => correctInstead(box, participant, me, outcome, done)],
      done: () => finish(box, done, `Recorded for ${participant.participant}: ${word}.`),
    }));
    const submit = content.querySelector("[type=submit]");
    submit.setAttribute("aria-describedby", id);
    submit.focus();
  };
  choose("");
}

/** Somebody else has recorded an outcome meanwhile: correct that one. */
async function correctInstead(box, { participant }, me, outcome, done) {
  const present = (await api.participants()).find((each) => each.participant === participant);
  box.addEventListener("close", () => correct(present, me, done, outcome));
  box.close();
}

const twoButtons = (chosen) =>
  h("div", {},
    h("div", { class: "two" }, WORDS.map(([value, word]) => h("button", { type: "button", class: `outcome ${word.toLowerCase()}`, onclick: () => chosen(value) }, word))),
    h("div", { class: "buttons" }, closing()));

function numberForm(range, typed, chosen) {
  const outcome = numeric(range);
  outcome.control.value = typed;
  return form({ fields: [outcome], submit: "Next", others: [closing()], send: async () => read(outcome.text), done: chosen });
}

/** A correction names the value that it replaces, so a late one cannot undo a newer one; `wanted` is chosen from the start. */
export function correct(participant, { outcomes }, done, wanted = "") {
  const now = written(participant.outcome, outcomes);
  const options = [h("option", { value: "" }, "Choose"), ...WORDS.map(([value, word]) => h("option", { value, selected: value === wanted }, word))];
  const outcome = outcomes === BINARY ? field("outcome", "Correct outcome", h("select", { required: true }, options)) : numeric(outcomes, "Correct outcome", wanted);
  const day = outcomeDay(participant.outcome_on);
  const why = reason();
  const box = dialog("Correct the outcome", form({
    before: [whose(participant), h("p", {}, "Recorded outcome: ", h("strong", {}, now), ". It stays in the journal, and so do the decisions that used it.")],
    fields: [outcome, day, why], submit: "Save the correction", others: [closing()], ...REASON,
    send: (confirm) => api.correct({ participant: participant.participant, outcome: read(outcome.text), replaces: participant.outcome, reason: why.text, on: day.text, confirm }),
    done: (corrected) => finish(box, done, `Corrected for ${participant.participant}: ${now} is now ${written(corrected.outcome, outcomes)}.`),
  }));
}

/** Whoever has no list of participants types the code, and sees it in large type before it counts. */
export function withdraw(participant, me, done) {
  const before = participant?.withdrawn;
  const scopes = Object.entries(SCOPES).filter(([scope]) => scope !== before).map(([scope, words]) => [scope, ...words]);
  const scope = choice("scope", "What the participant wants", scopes, { type: "radio", chosen: scopes.length === 1 ? [scopes[0][0]] : [] });
  aboutOne("Withdraw the participant", participant, {
    before: h("p", {}, "This cannot be undone."), fields: [scope], submit: "Withdraw",
    check: () => SCOPES[scope.values()[0]][0],
    send: (code, why, confirm) => api.withdraw({ participant: code, scope: scope.values()[0], reason: why, confirm }),
    said: (code) => `Noted for ${code}: ${SCOPES[scope.values()[0]][0]}.`,
  }, done);
}

export function voidEnrolment(participant, me, done) {
  aboutOne("Declare an enrolment void", participant, {
    before: h("p", {}, "For a participant who was enrolled in error. The participant stays in the record with the kit, no outcome is awaited, and the analysis counts the enrolment separately. This cannot be undone."),
    submit: "Declare void", check: () => "Enrolled in error",
    send: (code, why, confirm) => api.void(code, why, confirm),
    said: (code) => `Declared void: ${code}.`,
  }, done);
}

/** A dialog with a reason about one participant, with a second step if the code is typed. */
function aboutOne(title, known, { before, fields = [], submit, check, send, said }, done) {
  const [typed, why] = [!known && participantField(), reason()];
  const all = [typed, ...fields, why].filter(Boolean);
  const whom = () => known?.participant ?? typed.text;
  const content = h("div", { class: "steps" });
  const last = (options) => form({
    submit, ...REASON, ...options, send: (confirm) => send(whom(), why.text, confirm), done: () => finish(box, done, said(whom())),
  });
  const ask = () => {
    content.replaceChildren(known
      ? last({ before: [whose(known), before], fields: all, others: [closing()] })
      : form({ before, fields: all, submit: "Continue", others: [closing()], send: async () => {}, done: sure }));
    content.querySelector("input, textarea").focus();
  };
  const sure = () => {
    const back = h("button", { type: "button", onclick: ask }, "Back");
    content.replaceChildren(last({
      before: [h("div", { class: "answer question" }, h("p", { class: "kind" }, "Participant"), largeCode(whom()), h("p", {}, check()))],
      others: [back], change: ask,
    }));
    content.querySelector("[type=submit]").focus();
  };
  const box = dialog(title, content);
  ask();
}

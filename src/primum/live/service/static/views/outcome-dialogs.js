// Dialogs about one participant: record an outcome, correct it, withdraw the participant.
import { api } from "../api.js";
import { date } from "../dates.js";
import { closing, dialog } from "../dialog.js";
import { field, line, reason } from "../fields.js";
import { form } from "../form.js";
import { h, unique } from "../lib/dom.js";
import { read, shown } from "../lib/formatting.js";

const BINARY = "binary";
const ALL_DIGITS = 15;
const WORDS = [[1, "Success"], [0, "Failure"]];
const REASON = { doubt: ["Change the reason", "Save it as it is"] };

/** An outcome as people read it. */
export const written = (outcome, outcomes) =>
  outcomes === BINARY ? WORDS.find(([value]) => value === outcome)?.[1] ?? shown(outcome) : shown(outcome, ALL_DIGITS);

const whose = ({ participant, number, enrolled }) =>
  h("p", { class: "whose" }, "Participant ", h("strong", { class: "code" }, participant), `, number ${number}, enrolled ${date(enrolled)}`);

/** A field for a number in the range of the trial. */
const numeric = ([low, high], label = "Outcome") =>
  field("outcome", label, line({ inputmode: "decimal", required: true, class: "short" }), `A number from ${shown(low)} to ${shown(high)}`);

/** Two steps: the outcome, then whether it is right. */
export function record(participant, { outcomes }, done) {
  const content = h("div", { class: "steps" });
  const box = dialog("Record the outcome", content);
  const choose = (typed) => {
    content.replaceChildren(whose(participant), outcomes === BINARY ? twoButtons(check) : numberForm(outcomes, typed, check));
    content.querySelector("button, input").focus();
  };
  const check = (outcome) => {
    const word = typeof outcome === "number" ? written(outcome, outcomes) : String(outcome);
    const id = unique("chosen");
    const back = h("button", { type: "button", onclick: () => choose(outcome) }, "Back");
    content.replaceChildren(form({
      before: [h("div", { class: "steps", id }, whose(participant), h("p", { class: "chosen" }, "Outcome ", h("strong", {}, word)))],
      submit: outcomes === BINARY ? `Record ${word.toLowerCase()}` : `Record ${word}`, others: [back],
      send: () => api.record(participant.participant, outcome),
      done: () => finish(box, done, `Recorded for ${participant.participant}: ${word}.`),
    }));
    const submit = content.querySelector("[type=submit]");
    submit.setAttribute("aria-describedby", id);
    submit.focus();
  };
  choose("");
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

export function correct(participant, { outcomes }, done) {
  const now = written(participant.outcome, outcomes);
  const choice = h("select", { required: true }, h("option", { value: "" }, "Choose"), WORDS.map(([value, word]) => h("option", { value }, word)));
  const outcome = outcomes === BINARY ? field("outcome", "Correct outcome", choice) : numeric(outcomes, "Correct outcome");
  const why = reason();
  const box = dialog("Correct the outcome", form({
    before: [whose(participant), h("p", {}, "Recorded outcome: ", h("strong", {}, now), ". It stays in the journal, and so do the decisions that used it.")],
    fields: [outcome, why], submit: "Save the correction", others: [closing()], ...REASON,
    send: (confirmed) => api.correct(participant.participant, read(outcome.text), why.text, confirmed),
    done: (corrected) => finish(box, done, `Corrected for ${participant.participant}: ${now} is now ${written(corrected.outcome, outcomes)}.`),
  }));
}

export function withdraw(participant, me, done) {
  const why = reason();
  const box = dialog("Withdraw the participant", form({
    before: [whose(participant), h("p", {}, "A known outcome stays; an unknown one is no longer waited for, and cannot be recorded. This cannot be undone.")],
    fields: [why], submit: "Withdraw", others: [closing()], ...REASON,
    send: (confirmed) => api.withdraw(participant.participant, why.text, confirmed),
    done: () => finish(box, done, `Withdrawn: ${participant.participant}.`),
  }));
}

/** The dialog says "close" later than this returns: the focus goes on afterwards. */
function finish(box, done, sentence) {
  box.addEventListener("close", () => done(sentence));
  box.close();
}

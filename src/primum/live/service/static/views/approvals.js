// Approvals: new people whose roles need a second person, and the lock of the trial.
import { api } from "../api.js";
import { code } from "../codes.js";
import { date, moment } from "../dates.js";
import { announce, closing, dialog, finish } from "../dialog.js";
import { choice, field, line, typedWord } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { counted, named } from "../lib/formatting.js";
import { table } from "../table.js";
import { View } from "../view.js";
import { missingTable } from "./missing.js";

const [PROPOSED, WAITING] = ["lock proposed", "awaiting approval"];
const EVERY = 15_000; // milliseconds

export class Approvals extends View {
  static title = "Approvals";
  static roles = ["approver"];
  #people = h("section", { class: "panel" });
  #lock = h("section", { class: "panel" });
  #unblinded = h("section", { class: "panel" });
  #timer = 0;

  build() {
    this.append(this.fault, this.#people, this.#lock, this.#unblinded);
    this.#load();
    this.#timer = setInterval(() => document.visibilityState === "visible" && !document.querySelector("dialog[open]") && this.#load(), EVERY);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }

  update() {
    this.#load();
  }

  async #load() {
    const found = await this.attempt(() => Promise.all([api.people(), api.status()]));
    if (!found) return;
    const [people, status] = found;
    this.#showPeople(people.filter(({ state }) => state === WAITING));
    this.#showLock(status);
    this.#showUnblinded(status.unblindings ?? []);
  }

  #showPeople(waiting) {
    this.#people.replaceChildren(
      h("h3", {}, "People who wait for approval"),
      h("p", { class: "hint" }, "Ask each of them for the check number, face to face or on the telephone, and type it here. "
        + "Do not take it from a message, and not from the administrator: it shows that the person, and nobody else, has redeemed the code."),
      waiting.length === 0 ? h("p", {}, "Nobody.") : h("ul", { class: "rows people" }, waiting.map(({ name, roles, since }) =>
        h("li", {}, h("div", {}, h("strong", {}, name), h("p", { class: "hint" }, named(roles, roles.length))),
          h("p", { class: "when hint" }, `since ${date(since)}`),
          h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", "aria-label": `Approve: ${name}`, onclick: () => this.#approve(name, roles) }, "Approve"))))));
  }

  #approve(name, roles) {
    const check = field("check", `Check number that ${name} told you`, line({ class: "short", required: true, inputmode: "numeric", autocomplete: "off" }), "Six digits");
    const box = dialog(`Approve ${name}?`, form({
      before: [h("p", {}, `From then on ${name} works as ${named(roles, roles.length)}. A wrong number is refused, and noted in the journal: `
        + "if the person says that the code was used already, or has no number, do not approve, and tell the sponsor.")],
      fields: [check], submit: "Approve", others: [closing()],
      send: () => api.approve(name, check.text.replace(/\s/g, "")),
      done: () => this.#done(box, `Approved: ${name}.`),
    }));
  }

  #showLock({ state, lock }) {
    const said = state === PROPOSED
      ? [h("p", {}, h("strong", {}, lock.who), ` proposed on ${moment(lock.at)} to lock the trial: ‘${lock.reason}’.`),
        h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", onclick: () => this.#approveLock(lock) }, "Look at the proposal"),
          h("button", { type: "button", onclick: () => this.#reject() }, "Reject it"))]
      : [h("p", {}, state === "locked" ? "The trial is locked." : "Nobody has proposed to lock the trial.")];
    this.#lock.replaceChildren(h("h3", {}, "Lock of the trial"), ...said);
  }

  async #approveLock({ who, reason }) {
    const missing = await this.attempt(() => api.missing());
    if (!missing) return;
    const word = typedWord("lock");
    const accept = missing.length > 0 && choice("missing", "Missing outcomes", [["accepted", `I accept that ${counted(missing.length, "outcome")} will be missing for ever`]], { all: true, empty: "Tick it, or do not approve." });
    const box = dialog("Lock the trial?", word.guard(form({
      before: [
        h("p", {}, `${who} proposed it: ‘${reason}’.`),
        h("p", {}, "The final analysis is taken on the outcomes that are known now, and the secret of the allocation is revealed. Nothing about participants can change afterwards. This cannot be undone."),
        missingTable(missing),
      ],
      fields: [accept, word].filter(Boolean), submit: "Lock the trial", others: [closing()],
      send: () => api.approveLock(missing.map(({ participant }) => participant)),
      done: () => this.#done(box, "The trial is locked."),
    })));
  }

  #reject() {
    const box = dialog("Reject the proposal?", form({
      before: [h("p", {}, "The trial is not locked, and outcomes can be completed. The lock can be proposed again. Say why in a note to the journal.")],
      submit: "Reject the proposal", others: [closing()], send: api.withdrawLock, done: () => this.#done(box, "The proposal is rejected."),
    }));
  }

  #showUnblinded(unblindings) {
    this.#unblinded.hidden = unblindings.length === 0;
    this.#unblinded.replaceChildren(unblindedTable(unblindings));
  }

  #done(box, sentence) {
    finish(box, () => {
      announce(sentence);
      this.heading.focus({ preventScroll: true });
      this.#load();
      this.dispatchEvent(new Event("changed", { bubbles: true }));
    }, sentence);
  }
}

/** Which participants were unblinded in an emergency; never the arm. */
export const unblindedTable = (unblindings) =>
  h("div", { class: "body" }, h("h3", {}, "Unblinded in an emergency"),
    table("Participants whose arm somebody has learnt", ["Participant", "Time", "By", "Reason"],
      unblindings.map(({ participant, at, who, reason }) => [code(participant), moment(at), who, reason])));

customElements.define("trial-approvals", Approvals);

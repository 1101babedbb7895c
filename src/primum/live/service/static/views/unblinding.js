// Unblinding: in an emergency, the arm of one participant; deliberate, with a reason, and noted.
import { api } from "../api.js";
import { code, largeCode } from "../codes.js";
import { fullMoment } from "../dates.js";
import { participantField, reason } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { View } from "../view.js";

export class Unblinding extends View {
  static title = "Unblinding";
  static roles = ["unblinder"];
  #participant = participantField();
  #reason = reason("Why the treatment must be known now. It is kept in the journal. No names, dates of birth or e-mail addresses.");
  #body = h("div", { class: "body" });
  #warning = h("p", { class: "word" }, "For an emergency in which the treatment of a participant must be known. Your name, the reason and the time are written into the journal, "
    + "and the monitor and the approver are told that it happened, without the arm.");

  build() {
    this.append(this.#body);
    this.#ask();
  }

  begin() {
    this.heading.focus({ preventScroll: true }); // nothing here is to be typed by accident
  }

  #ask() {
    this.#body.replaceChildren(this.#warning, form({
      fields: [this.#participant, this.#reason], submit: "Continue", kind: "large",
      send: async () => {}, done: () => this.#check(),
    }));
  }

  #check() {
    const participant = this.#participant.text;
    const back = () => {
      this.#ask();
      this.#participant.control.focus();
    };
    const element = form({
      before: [h("div", { class: "answer question" }, h("p", { class: "kind" }, "Learn the arm of this participant?"), largeCode(participant), h("p", {}, this.#reason.text)),
        h("p", {}, "The arm cannot be forgotten again. Tell it only to those who treat the participant.")],
      submit: "Unblind", others: [h("button", { type: "button", onclick: back }, "Back")], kind: "large", doubt: ["Change the reason", "Go on as it is"], change: back,
      unsure: "Sending it again is safe: the answer is the same.",
      send: (confirm) => api.unblind(participant, this.#reason.text, confirm),
      done: (found) => this.#show(found),
    });
    this.#body.replaceChildren(element);
    element.querySelector("[type=submit]").focus();
  }

  #show({ participant, arm, kit, reveals }) {
    const answer = h("article", { class: "answer confirmation", tabindex: "-1", "aria-label": "Allocation" },
      h("p", { class: "kind" }, "Participant"), largeCode(participant, "whose"), h("p", { class: "kind" }, "Arm"), largeCode(arm, "allocated"),
      kit && h("p", {}, "Kit ", code(kit)), h("p", {}, `Unblinded ${fullMoment(Date.now())}, by ${this.me.name}`));
    const done = h("button", { type: "button", class: "primary", onclick: () => this.#hide() }, "Hide the arm");
    this.#body.replaceChildren(h("div", { class: "sending large" }, answer,
      reveals && h("p", { class: "word" }, reveals), h("div", { class: "buttons" }, done)));
    answer.focus();
  }

  #hide() {
    for (const each of [this.#participant, this.#reason]) each.control.value = "";
    this.#ask();
    this.begin();
  }
}

customElements.define("trial-unblinding", Unblinding);

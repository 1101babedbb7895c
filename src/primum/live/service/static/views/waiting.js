// Waiting: the check number that a new person tells the approver, until the approver has typed it.
import { largeCode } from "../codes.js";
import { h } from "../lib/dom.js";
import { named } from "../lib/formatting.js";
import { View } from "../view.js";

const EVERY = 5_000; // milliseconds

export class Waiting extends View {
  static title = "Waiting for approval";
  #timer = 0;

  build() {
    const answer = h("div", { class: "answer", role: "group", "aria-label": "Check number" },
      h("p", { class: "kind" }, "Your check number"), largeCode(spaced(this.me.check)), h("p", { class: "whose" }, this.me.name));
    this.append(
      h("p", {}, `Your access as ${named(this.me.roles, this.me.roles.length)} begins when an approver of the trial has confirmed that it is you.`),
      answer,
      h("p", {}, "Tell this number to an approver who asks you for it, face to face or on the telephone, and to nobody else. The administrator does not need it."),
      h("p", { class: "hint", role: "status" }, "This page goes on by itself once you are approved."));
    this.#timer = setInterval(() => this.dispatchEvent(new Event("changed", { bubbles: true })), EVERY);
  }

  disconnectedCallback() {
    clearInterval(this.#timer);
  }
}

/** "123 456". */
const spaced = (number) => number.replace(/(\d{3})(?=\d)/g, "$1 ");

customElements.define("trial-waiting", Waiting);

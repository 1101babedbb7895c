// Enrol: a participant's code, then the kit or the arm in large type.
import { api } from "../api.js";
import { field, line } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { View } from "../view.js";

const LONG = 9; // characters that fit on a line in the largest type

export class Enrol extends View {
  static title = "Enrol";
  static roles = ["enrol"];
  #code = null;

  build() {
    this.#ask();
  }

  #ask() {
    const code = (this.#code = field("participant", "Participant code", line({ required: true, enterkeyhint: "go" })));
    this.replaceChildren(this.heading, form({
      fields: [code], submit: "Enrol", kind: "large", doubt: ["Change the code", "It is a code: enrol"],
      unsure: "Asking again is safe: the same participant always gets the same answer, and is enrolled only once.",
      send: (confirmed) => api.enrol(code.text, confirmed),
      done: (enrolled) => this.#answer(enrolled),
    }));
  }

  #answer({ participant, number, kit, arm }) {
    const next = h("button", { type: "button", class: "primary", onclick: () => this.#next() }, "Next participant");
    const answer = h("div", { class: "answer", tabindex: "-1", role: "group", "aria-label": "Allocation" },
      h("p", { class: "kind" }, kit ? "Kit" : "Arm"), h("p", { class: `allocated ${(kit ?? arm).length > LONG ? "long" : ""}` }, kit ?? arm),
      h("p", { class: "whose" }, "Participant ", h("strong", {}, participant), ", ", h("span", {}, `number ${number}`)));
    const shown = h("div", { class: "sending large" }, answer, h("div", { class: "buttons" }, next));
    shown.addEventListener("keydown", ({ key }) => key === "Escape" && this.#next());
    this.replaceChildren(this.heading, shown);
    answer.focus();
  }

  #next() {
    this.#ask();
    this.begin();
    this.dispatchEvent(new Event("changed", { bubbles: true })); // this may have been the last
  }

  begin() {
    this.#code.control.focus();
  }
}

customElements.define("trial-enrol", Enrol);

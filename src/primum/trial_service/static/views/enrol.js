// Enrol: a participant's code, then the kit or the arm in large type.
import { api } from "../api.js";
import { field, line } from "../fields.js";
import { form } from "../form.js";
import { h, unique } from "../lib/dom.js";
import { View } from "../view.js";

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
    const id = unique("answer");
    const next = h("button", { type: "button", class: "primary", onclick: () => this.#next() }, "Next participant");
    const answer = h("div", { class: "answer", id, tabindex: "-1", role: "group", "aria-label": "Allocation" },
      h("p", { class: "kind" }, kit ? "Kit" : "Arm"), h("p", { class: "allocated" }, kit ?? arm),
      h("p", { class: "whose" }, "Participant ", h("strong", {}, participant), `, number ${number}`));
    const shown = h("div", { class: "sending large" }, answer, h("div", { class: "buttons" }, next));
    shown.addEventListener("keydown", ({ key }) => key === "Escape" && this.#next());
    this.replaceChildren(this.heading, shown);
    answer.focus();
  }

  #next() {
    this.#ask();
    this.begin();
  }

  begin() {
    this.#code.control.focus();
  }
}

customElements.define("trial-enrol", Enrol);

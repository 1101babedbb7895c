// Join: a one-time code is exchanged for a password of one's own.
import { api } from "../api.js";
import { field, line, password } from "../fields.js";
import { form } from "../form.js";
import { h } from "../lib/dom.js";
import { View } from "../view.js";

const SHORTEST = 8; // characters of a password

export class Join extends View {
  static title = "Join the trial";
  code = ""; // from the address

  build() {
    this.append(...(this.me ? this.#refusal() : this.#form()));
  }

  /** Whoever hands over a code must not redeem it. */
  #refusal() {
    const leave = h("button", { type: "button", class: "primary", onclick: () => this.dispatchEvent(new Event("leave", { bubbles: true })) }, "Log out");
    return [
      h("p", { class: "word" }, `You are logged in as ${this.me.name}. A one-time code is redeemed by the person for whom it was made, and by nobody else. `
        + "If it was made for you, log out first."),
      h("div", { class: "buttons" }, leave, h("a", { class: "button", href: "#" }, "Back to the trial")),
    ];
  }

  #form() {
    const code = field("code", "One-time code", line({ required: true, class: "one-time", value: this.code, autocapitalize: "characters" }),
      "The administrator of the trial gave it to you. It works once, for 7 days.");
    const chosen = field("password", "New password", password("new-password"), `At least ${SHORTEST} characters. Nobody else learns it, the administrator neither.`);
    const again = field("again", "New password again", password("new-password"), "",
      (typed) => (typed === chosen.control.value ? "" : "The two passwords differ."));
    const element = form({
      fields: [code, chosen, again], submit: "Join the trial", kind: "large",
      unsure: "Try again; if the code no longer works, log in with the password.",
      send: () => api.join({ code: code.text, password: chosen.control.value }),
      done: (me) => this.dispatchEvent(new CustomEvent("login", { detail: me, bubbles: true })),
    });
    return [element, h("p", {}, h("a", { href: "#" }, "I have a password: log in"))];
  }

  begin() {
    const first = this.querySelector("input");
    const target = first?.value ? this.querySelector("input[type=password]") : first;
    (target ?? this.heading).focus();
  }
}

customElements.define("trial-join", Join);

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
  proxyUser = null; // the person whom a proxy has identified, who needs no password

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
    const chosen = field("password", "New password", password("new-password"), `At least ${SHORTEST} characters. Nobody else learns it, not even the administrator.`);
    const again = field("again", "New password again", password("new-password"), "",
      (typed) => (typed === chosen.control.value ? "" : "The two passwords differ."));
    const who = this.proxyUser && h("p", {}, "You are ", h("strong", {}, this.proxyUser), ". To join the trial, type the one-time code that was made for you.");
    return [
      form({
        before: who || [], fields: who ? [code] : [code, chosen, again], submit: "Join the trial", kind: "large",
        unsure: "Try again; if the code no longer works, log in.",
        send: () => api.join({ code: code.text, ...(who ? {} : { password: chosen.control.value }) }),
        done: (me) => this.dispatchEvent(new CustomEvent("login", { detail: me, bubbles: true })),
      }),
      !who && h("p", {}, h("a", { href: "#" }, "I have a password: log in")),
    ].filter(Boolean);
  }

  begin() {
    const next = [...this.querySelectorAll("input, [type=submit]")].find(({ value }) => !value);
    (next ?? this.heading).focus();
  }
}

customElements.define("trial-join", Join);

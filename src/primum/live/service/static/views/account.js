// My access: who is logged in, with which roles, and tokens for programs that work in that name.
import { api } from "../api.js";
import { moment } from "../dates.js";
import { announce, closing, dialog } from "../dialog.js";
import { field, line } from "../fields.js";
import { form } from "../form.js";
import { copyButton } from "../lib/copyable.js";
import { h, say } from "../lib/dom.js";
import { named } from "../lib/formatting.js";
import { View } from "../view.js";

export class Account extends View {
  static title = "My access";
  #list = h("ul", { class: "rows people" });

  build() {
    const { name, roles } = this.me;
    this.append(
      h("p", {}, "You are ", h("strong", {}, name), `, with the ${roles.length > 1 ? "roles" : "role"} ${named(roles, roles.length)}. `,
        "A forgotten password, or one that somebody else may know: ask the administrator for a new one-time code."),
      this.fault,
      h("section", { class: "panel" }, h("h3", {}, "Tokens for programs"),
        h("p", { class: "hint" }, "A token lets a program, such as an electronic data capture system, do what you may do, in your name. People log in with their password. ",
          h("a", { href: "/docs" }, "What programs can do")),
        this.#list, h("div", { class: "buttons" }, h("button", { type: "button", onclick: () => this.#make() }, "Make a token"))));
    this.#load();
  }

  async #load() {
    const tokens = await this.attempt(() => api.tokens());
    if (tokens) this.#list.replaceChildren(...tokens.map((token) => this.#row(token)));
  }

  #row({ label, since }) {
    return h("li", {}, h("strong", {}, label), h("p", { class: "when hint" }, `since ${moment(since)}`),
      h("div", { class: "buttons" }, h("button", { type: "button", "aria-label": `End: ${label}`, onclick: () => this.#end(label) }, "End")));
  }

  #make() {
    const label = field("label", "Label", line({ required: true }), "What the program is, such as edc-export");
    const box = dialog("Make a token", form({
      fields: [label], submit: "Make", others: [closing()], unsure: "If the label is in the list already, end that token and make another one.",
      send: () => api.makeToken(label.text),
      done: (made) => {
        box.close();
        this.#show(made);
      },
    }));
  }

  /** Shows a new token, which exists nowhere else. */
  #show({ label, token }) {
    const told = h("p", { class: "hint", role: "status" });
    const text = h("code", {}, token);
    dialog(`Token ${label}`, h("div", { class: "sending" },
      h("p", {}, "Put it where only the program can read it. It is not shown again: the server keeps only its hash."),
      h("p", { class: "token" }, text), told,
      h("div", { class: "buttons" }, copyButton(text, (sentence) => say(told, sentence)), closing("Done", "primary"))),
    () => this.#load());
  }

  #end(label) {
    const box = dialog(`End the token ${label}?`, form({
      before: [h("p", {}, "The program can do nothing more with it.")], submit: "End the token", others: [closing()],
      send: () => api.endToken(label),
      done: () => {
        box.close();
        announce(`Ended: ${label}.`);
        this.#load();
      },
    }));
  }
}

customElements.define("trial-account", Account);

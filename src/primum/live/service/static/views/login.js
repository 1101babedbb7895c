// Log in with a token; it is sent once and then forgotten.
import { api } from "../api.js";
import { field } from "../fields.js";
import { form } from "../form.js";
import { h, say } from "../lib/dom.js";
import { View } from "../view.js";

const UNAUTHORISED = 401;

export class Login extends View {
  static title = "Log in";
  #token = field("token", "Token", h("input", { type: "password", autocomplete: "off", required: true, spellcheck: "false" }),
    "The administrator of the trial gave it to you. It begins with primum-.");
  #word = h("p", { class: "word", role: "status" });

  build() {
    this.append(this.#word, form({
      fields: [this.#token], submit: "Log in", kind: "large", unsure: "Try again.",
      send: () => this.#send(),
      done: (me) => {
        this.#token.control.value = "";
        this.dispatchEvent(new CustomEvent("login", { detail: me, bubbles: true }));
      },
    }));
  }

  async #send() {
    this.say("");
    try {
      return await api.login(this.#token.text);
    } catch (error) {
      if (error.status === UNAUTHORISED) this.#token.control.value = "";
      throw error;
    }
  }

  begin() {
    this.#token.control.focus();
  }

  say(sentence) {
    say(this.#word, sentence);
  }
}

customElements.define("trial-login", Login);

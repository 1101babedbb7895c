// Log in by name and password; the password is sent once and then forgotten.
import { api } from "../api.js";
import { field, line, password } from "../fields.js";
import { form } from "../form.js";
import { h, say } from "../lib/dom.js";
import { View } from "../view.js";

const UNAUTHORISED = 401;

export class Login extends View {
  static title = "Log in";
  #name = field("name", "Name", line({ autocomplete: "username", required: true }));
  #password = field("password", "Password", password());
  #word = h("p", { class: "word", role: "status" });

  build() {
    this.append(this.#word, form({
      fields: [this.#name, this.#password], submit: "Log in", kind: "large", unsure: "Try again.",
      send: () => this.#send(),
      done: (me) => {
        this.#password.control.value = "";
        this.dispatchEvent(new CustomEvent("login", { detail: me, bubbles: true }));
      },
    }), h("p", {}, h("a", { href: "#join" }, "I have a one-time code")));
  }

  async #send() {
    this.say("");
    try {
      return await api.login(this.#name.text, this.#password.control.value);
    } catch (error) {
      if (error.status === UNAUTHORISED) this.#password.control.value = "";
      throw error;
    }
  }

  begin() {
    this.#name.control.focus();
  }

  say(sentence) {
    say(this.#word, sentence);
  }
}

customElements.define("trial-login", Login);

// Examples to start from, and the title of the experiment.
import { api } from "../lib/api.js";
import { ApiError } from "../lib/requests.js";
import { h, say, unique } from "../lib/dom.js";
import { read } from "../lib/formatting.js";
import { run } from "../lib/run.js";
import { question } from "../lib/state.js";

class Presets extends HTMLElement {
  #fault = h("p", { class: "fault", "aria-live": "polite" });
  #list = h("ul", { class: "presets" });
  #head = h("summary", {}, "Start from an example");
  #fold = h("details", { class: "examples" }, this.#head, this.#list, this.#fault);
  #title = h("input", { type: "text", id: unique("title"), maxlength: 200, autocomplete: "off" });
  #text = h("p", { class: "hint" });

  connectedCallback() {
    this.append(this.#fold,
      h("div", { class: "title" }, h("label", { for: this.#title.id }, "Title (optional)"), this.#title), this.#text);
    this.#title.addEventListener("input", () => question.change((data) => (data.title = this.#title.value)));
    question.addEventListener("change", () => this.#tell());
  }

  #tell() {
    const { data, example } = question;
    if (this.#title.value !== data.title) this.#title.value = data.title;
    say(this.#text, example?.text || "");
  }

  show(presets) {
    this.#list.replaceChildren(...presets.map((preset) => this.#item(preset)));
  }

  #item(preset) {
    const fields = preset.options.map((option) => ({
      option,
      field: h("input", { type: "text", inputmode: "numeric", class: "short", id: unique("option"), value: option.default }),
    }));
    const options = () => Object.fromEntries(fields.map(({ option, field }) => [option.name, read(field.value)]));
    const load = () => this.#load(preset, options());
    const pick = async () => {
      if (!(await load())) return;
      this.#fold.open = false; // so that the loaded settings are in view
      this.#head.focus();
    };
    const seed = fields.find(({ option }) => option.name === "seed");
    const draw = () => {
      const { low, high } = seed.option;
      seed.field.value = low + Math.floor(Math.random() * Math.min(10_000, high - low));
      load();
    };
    return h("li", { class: "example-card" },
      h("button", { type: "button", class: "preset", onclick: pick },
        h("strong", {}, preset.title), h("span", {}, preset.text)),
      fields.length > 0 && h("div", { class: "row" },
        fields.map(({ option, field }) => [
          h("label", { for: field.id }, option.name, h("span", { class: "unseen" }, `: ${option.text}`)),
          field,
        ]),
        seed && h("button", { type: "button", class: "quiet", onclick: draw }, "New draw")),
    );
  }

  async #load(preset, options) {
    say(this.#fault, "");
    try {
      question.replace(await api.preset(preset.name, options), preset);
      run.start();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      say(this.#fault, error.message);
      return false;
    }
  }
}

customElements.define("primum-presets", Presets);

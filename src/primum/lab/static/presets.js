// Questions to begin with.
import { api, Refusal } from "./api.js";
import { h, say, unique } from "./dom.js";
import { read } from "./numbers.js";
import { question } from "./state.js";

class Presets extends HTMLElement {
  #fault = h("p", { class: "fault", "aria-live": "polite" });
  #list = h("ul", { class: "presets" });

  connectedCallback() {
    this.append(h("details", { class: "examples" }, h("summary", {}, "Start from an example"), this.#list, this.#fault));
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
    const seed = fields.find(({ option }) => option.name === "seed");
    const draw = () => {
      seed.field.value = seed.option.low + Math.floor(Math.random() * Math.min(10_000, seed.option.high - seed.option.low));
      load();
    };
    return h("li", { class: "example-card" },
      h("button", { type: "button", class: "preset", onclick: load }, h("strong", {}, preset.title), h("span", {}, preset.text)),
      fields.length > 0 && h("div", { class: "row" },
        fields.map(({ option, field }) => [h("label", { for: field.id }, option.text), field]),
        seed && h("button", { type: "button", class: "quiet", onclick: draw }, "New draw")),
    );
  }

  async #load(preset, options) {
    say(this.#fault, "");
    try {
      question.replace(await api.preset(preset.name, options));
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      say(this.#fault, error.message);
    }
  }
}

customElements.define("primum-presets", Presets);

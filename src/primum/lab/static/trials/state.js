// The trial as it is being edited; its address is the settings that differ from the opening ones.
import { asSpec, plugin } from "../lib/catalogue.js";
import { read } from "../lib/formatting.js";

const OPENING = {
  arms: 2, outcome: "binary", control: 0.3, effect: 0.2, deviation: 0.2, patients: 100, policy: "besa-plus", value: "mean", burn_in: 5, coin: 0,
  delay: 0, drift: 0, analysis: "pooled-z", alpha: 0.05, sided: "greater",
};
const PLUGINS = { policy: "policies", value: "values" };

/** Events: "change" after a change of `data`, "errors" after one of `errors`, a sentence for each place. */
export class Trial extends EventTarget {
  data = null;
  errors = {};

  /** Takes the settings of an address; the sentence says what it cannot take. */
  open(query) {
    const unknown = [];
    this.data = { ...OPENING };
    for (const [name, text] of new URLSearchParams(query)) {
      if (name in OPENING) this.data[name] = typeof OPENING[name] === "number" ? read(text) : text;
      else unknown.push(name);
    }
    for (const [name, family] of Object.entries(PLUGINS)) {
      const spec = specOf(this.data[name], family);
      if (!spec) unknown.push(`${name}=${this.data[name]}`);
      this.data[name] = spec || startOf(family, OPENING[name]);
    }
    this.dispatchEvent(new Event("change"));
    return unknown.length ? `This link has settings that are not known here: ${unknown.join(", ").slice(0, 200)}` : "";
  }

  change(part) {
    this.data = { ...this.data, ...part };
    const { control, effect } = this.data;
    if ("control" in part && typeof control === "number" && typeof effect === "number" && control >= 0 && control <= 1) {
      this.data.effect = Number(Math.min(1 - control, Math.max(-control, effect)).toFixed(4)); // so that it stays possible
    }
    this.dispatchEvent(new Event("change"));
  }

  fail(errors) {
    this.errors = errors;
    this.dispatchEvent(new Event("errors"));
  }

  /** The settings as the query of an address. */
  get query() {
    const written = Object.entries(this.data).map(([name, given]) => [name, name in PLUGINS ? textOf(given, PLUGINS[name]) : String(given)]);
    return new URLSearchParams(written.filter(([name, text]) => text !== String(OPENING[name]))).toString();
  }
}

const startOf = (family, name) => structuredClone(plugin(family, name).start);

/** The plug-in that a text names, by its name or as JSON; null if it is neither. */
function specOf(text, family) {
  let given = text;
  if (text.startsWith("{")) {
    try {
      given = JSON.parse(text);
    } catch {
      return null;
    }
  }
  const { name, ...parameters } = asSpec(given);
  return plugin(family, name) ? { ...startOf(family, name), ...parameters } : null;
}

/** Its name if it is as it starts, else JSON. */
const textOf = (spec, family) => (JSON.stringify(spec) === JSON.stringify(plugin(family, spec.name).start) ? spec.name : JSON.stringify(spec));

export const trial = new Trial();

// The settings of a trial: patients, allocation, what is true, and the analysis.
import { about, faultLine, otherFaults } from "../forms/errors.js";
import { numberField } from "../forms/fields.js";
import { pluginForm } from "../forms/parameter-form.js";
import { h, say, unique } from "../lib/dom.js";
import { trial } from "./state.js";

const SIDES = { greater: "one-sided: new is better", less: "one-sided: new is worse", "two-sided": "two-sided: different" };
const OUTCOMES = { binary: "success or failure", numeric: "a number from 0 to 1 (beta distribution)" };
const CONTROL = { binary: "Success probability of the control", numeric: "Mean outcome of the control" };
const NUMBERS = {
  patients: { word: "Patients", text: "in all arms together", kind: "integer", slider: [20, 400] },
  burn_in: { word: "Burn-in", text: "patients of each arm in permuted blocks, before the rule decides", kind: "integer", slider: [0, 40] },
  coin: { word: "Coin", text: "share of the other patients who are allocated at random, not by the rule", kind: "number", slider: [0, 1] },
  delay: { word: "Delay of outcomes", text: "further patients allocated before an outcome is known", kind: "integer", slider: [0, 100] },
  control: { word: CONTROL.binary, text: "", kind: "number", slider: [0, 1] },
  deviation: { word: "Standard deviation of outcomes", text: "", kind: "number", slider: [0.02, 0.45] },
  effect: { word: "Effect", text: "what the first new treatment adds to it", kind: "number", slider: [-0.4, 0.6] },
  drift: { word: "Drift", text: "change for all arms over the trial, as a further scenario", kind: "number", slider: [-0.5, 0.5] },
  alpha: { word: "Level", text: "the type I error that the test promises", kind: "number", slider: [0.005, 0.2] },
};

class Settings extends HTMLElement {
  /** The fields, once it is known what there is to choose from. */
  build({ analyses, most_arms }) {
    const numbers = Object.fromEntries(Object.entries(NUMBERS).map(([name, form]) =>
      [name, numberField({ logarithmic: false, ...form }, (given) => trial.change({ [name]: given }))]));
    const counts = Array.from({ length: most_arms - 1 }, (_, i) => [i + 2, `${i + 2}: control and ${i ? `${i + 1} new treatments` : "a new treatment"}`]);
    const arms = select("Arms", counts, (text) => trial.change({ arms: Number(text) }));
    const outcome = select("Outcome", Object.entries(OUTCOMES), (name) => {
      const { binary } = analyses.find((each) => each.name === trial.data.analysis) || {};
      trial.change({ outcome: name, ...(name === "numeric" && binary ? { analysis: "welch-t" } : {}) });
    });
    const analysis = select("Analysis", analyses.map(({ name, title }) => [name, title]), (name) => trial.change({ analysis: name }));
    const sided = select("Alternative", Object.entries(SIDES), (name) => trial.change({ sided: name }));
    const summary = h("p", { class: "hint" });
    const policy = pluginForm("policies", "Allocation rule", (spec) => trial.change({ policy: spec }));
    const value = pluginForm("values", "Safety value", (spec) => trial.change({ value: spec }));
    this.append(
      group("Treatments", arms, outcome, numbers.control, numbers.effect, numbers.deviation),
      group("Patients", numbers.patients, numbers.delay, numbers.drift),
      group("Allocation", policy, otherFaults("policy"), numbers.burn_in, numbers.coin,
        h("details", { class: "more" }, h("summary", {}, "Safety value"), h("p", { class: "hint" }, "What the rule learns by. Tests compare means, unless it is a randomisation test."), value), otherFaults("value")),
      group("Analysis", analysis, summary, numbers.alpha, sided),
    );
    const show = () => {
      const { data } = trial;
      for (const [name, field] of Object.entries({ ...numbers, arms, outcome, analysis, sided })) field.show(data[name], name);
      numbers.deviation.hidden = data.outcome !== "numeric";
      rename(numbers.control, CONTROL[data.outcome] || CONTROL.binary);
      for (const option of analysis.querySelectorAll("option")) {
        option.hidden = data.outcome === "numeric" && analyses.find(({ name }) => name === option.value).binary;
      }
      policy.show(data.policy, "policy");
      value.show(data.value, "value");
      summary.textContent = (analyses.find(({ name }) => name === data.analysis)?.summary || "").replaceAll("`", "");
    };
    trial.addEventListener("change", show);
  }
}

const group = (title, ...fields) => h("section", { class: "group" }, h("h2", {}, title), fields);

/** Gives a number field with a slider another label. */
function rename(field, word) {
  say(field.querySelector("label"), word);
  field.querySelector("[type=range]").setAttribute("aria-label", `${word}, slider`);
}

/** A choice among [value, text], with its label and its line for errors. */
function select(label, options, changed) {
  const field = h("select", { id: unique("field"), onchange: () => changed(field.value) },
    options.map(([value, text]) => h("option", { value }, text)));
  const fault = faultLine(field);
  const element = h("div", { class: "field" }, h("label", { for: field.id }, label), field, fault);
  element.show = (given, place) => {
    field.value = given;
    about(fault, place);
  };
  return element;
}

customElements.define("trial-settings", Settings);

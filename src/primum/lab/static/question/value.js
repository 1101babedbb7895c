// Step 2: the safety value, which defines the best arm.
import { plugin } from "../lib/catalogue.js";
import { h, say } from "../lib/dom.js";
import { otherFaults } from "../forms/errors.js";
import { formulaHelp } from "./formula-help.js";
import { help } from "../lib/help.js";
import { named } from "../lib/formatting.js";
import { pluginForm } from "../forms/parameter-form.js";
import { showAlternatives, showRanking } from "./ranking.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

class Value extends HTMLElement {
  #form = null;
  #choice = h("div");
  #formulas = formulaHelp((text) => question.change((data) => (data.value.text = text)));
  #verdict = h("p", { class: "verdict", "aria-live": "polite" });
  #ranking = h("table", { class: "ranking" });
  #alternatives = h("table", { class: "alternatives" });
  #behaviour = h("p", { class: "hint" });
  #outdated = h("p", { class: "hint", hidden: true });
  #answers = h("div", { class: "answers", hidden: true }, this.#outdated, this.#verdict, this.#ranking,
    h("div", { class: "lead" }, h("h3", {}, 'Would another definition of "good" change the answer?'),
      help("other values",
        "The best arm under other safety values. Where it differs, the conclusion depends on the choice of value.")),
    this.#alternatives,
    h("div", { class: "lead" }, h("h3", {}, "Estimation"),
      help("well-behaved values",
        "The paper calls a value well-behaved if it has an unbiased estimator that changes by at most gamma / n when one of ",
        "n observations changes. It claims logarithmic regret of BESA+ for such values, but its proof has a gap: on the ",
        "paper's own example, with the mean as value, the regret grows like a power of the horizon.")),
    this.#behaviour);
  #step = step(2, "Safety value", "value", false,
    h("div", { class: "lead" },
      h("p", {}, "A safety value rates a reward distribution by one number. The arm with the largest value is the best."),
      help("safety values",
        "The most common value is the mean. Where harm matters, an arm with a slightly lower mean and fewer bad outcomes ",
        "may be preferable: mean-variance subtracts a penalty for variability, and conditional value at risk is the mean ",
        "of the worst outcomes only.")),
    this.#choice, this.#formulas, otherFaults("value"), this.#answers);

  connectedCallback() {
    this.append(this.#step);
    question.addEventListener("change", () => this.#show());
    question.addEventListener("appraisal", () => this.#look());
  }

  #show() {
    if (!this.#form) {
      this.#form = pluginForm("values", "value", (spec) => question.change((data) => (data.value = spec)));
      this.#choice.append(this.#form);
    }
    const { value } = question.data;
    this.#form.show(value, "value");
    this.#formulas.hidden = value.name !== "formula";
    this.#choice.classList.toggle("formula", value.name === "formula");
    if (!question.appraisal) this.#step.tell(`${plugin("values", value.name).title}: …`);
  }

  #look() {
    const { value, verdict, best, arms, alternatives } = question.appraisal;
    const { name } = question.data.value;
    this.#outdated.hidden = Boolean(value);
    say(this.#outdated, `Showing results for the last valid ${name === "formula" ? "formula" : "value"}.`);
    const who = best.length > 0 && `${named(best.map((name) => `‘${name}’`))} ${best.length === 1 ? "is" : "are"} best`;
    this.#step.tell([value?.label || plugin("values", name).title, who].filter(Boolean).join(": "));
    if (!value) return;
    this.#answers.hidden = arms.length === 0;
    say(this.#verdict, verdict);
    say(this.#behaviour, value.sentence);
    showRanking(this.#ranking, arms, question.data.arms, value.label);
    showAlternatives(this.#alternatives, alternatives);
  }
}

customElements.define("primum-value", Value);

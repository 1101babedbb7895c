// The second step: the value, what good means.
import { h, say } from "../lib/dom.js";
import { otherFaults } from "./errors.js";
import { formulaHelp } from "./formula-help.js";
import { help } from "../lib/help.js";
import { named } from "../lib/formatting.js";
import { pluginForm } from "./parameter-form.js";
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
  #before = h("p", { class: "hint", hidden: true }, "What follows is of the value as it was before.");
  #answers = h("div", { class: "answers", hidden: true }, this.#before, this.#verdict, this.#ranking,
    h("div", { class: "lead" }, h("h3", {}, "Had you meant something else by good"),
      help("this table",
        "The same arms, seen through other values. Where the choice differs, it matters what you mean by good.")),
    this.#alternatives,
    h("div", { class: "lead" }, h("h3", {}, "How well it can be estimated"),
      help("well-behaved",
        "A value is well-behaved if its estimate from a sample is right on average, and no single observation moves it ",
        "by more than a constant divided by the number of observations. ",
        "The paper's guarantee on the regret of BESA+ is for such values.")),
    this.#behaviour);
  #step = step(2, "What good means", "value", false,
    h("div", { class: "lead" },
      h("p", {}, "A value turns a distribution of rewards into one number. The arm with the largest is the best."),
      help("a value",
        "The mean is the usual one: what an arm gives on average. Where harm counts, an arm with a slightly lower mean and ",
        "fewer bad outcomes can be the better one: mean-variance takes off a price for variability, ",
        "cvar looks at the worst outcomes only.")),
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
    if (!question.appraisal) this.#step.tell(`${value.name}: …`);
  }

  #look() {
    const { value, verdict, best, arms, alternatives } = question.appraisal;
    this.#before.hidden = Boolean(value);
    const who = best.length > 0 && `${named(best.map((name) => `‘${name}’`))} ${best.length === 1 ? "is" : "are"} best`;
    this.#step.tell([value?.label || question.data.value.name, who].filter(Boolean).join(": "));
    if (!value) return;
    this.#answers.hidden = false;
    say(this.#verdict, verdict);
    say(this.#behaviour, value.sentence);
    showRanking(this.#ranking, arms, question.data.arms, value.label);
    showAlternatives(this.#alternatives, alternatives);
  }
}

customElements.define("primum-value", Value);

// The analysis of a trial: what a rule costs in wrong claims and missed effects, exactly.
import { api } from "../lib/api.js";
import { h, say } from "../lib/dom.js";
import { choice, fill, slider, Widget } from "./parts.js";

const [PATIENTS, CONTROL, LEVEL] = [100, 0.3, 0.05];
const RULES = [["uniform-random", "Equal randomisation"], ["thompson", "Thompson sampling"], ["besa-plus", "BESA+"]];
const TESTS = [["pooled-z", "Z test"], ["conditional-exact", "Exact test"]];
const EFFECT = { min: 0.35, max: 0.7, step: 0.05, value: 0.5 };
const TOLERANCE = 0.005; // above the level: a Z test is approximate even with equal randomisation
const percent = (share) => `${(100 * share).toFixed(1)} %`;

class Analysis extends Widget {
  #test = TESTS[0][0];
  #new = EFFECT.value;
  #cells = RULES.map(() => ["type-1", "power", "better"].map((kind) => h("td", { class: kind })));
  #sentence = h("p", { class: "finding", "aria-live": "polite" });

  build() {
    const columns = ["Rule", "Wrong claim if both are equal", "Effect found", "Patients on the better treatment"];
    this.append(
      choice("Analysis", TESTS, (test) => {
        this.#test = test;
        this.update();
      }),
      slider("Success probability of the new treatment", EFFECT, (number) => number.toFixed(2), (number) => {
        this.#new = number;
        this.update();
      }),
      h("table", { class: "numbers" }, h("caption", {}, `${PATIENTS} patients, success probability of the control ${CONTROL}; exact probabilities`),
        h("thead", {}, h("tr", {}, columns.map((word) => h("th", { scope: "col" }, word)))),
        h("tbody", {}, RULES.map(([, name], i) => h("tr", {}, h("th", { scope: "row" }, name), this.#cells[i])))),
      this.#sentence,
    );
  }

  async show() {
    const [analysis, p_new] = [this.#test, this.#new];
    const found = await Promise.all(RULES.map(([policy]) => api.characteristics({ policy, analysis, p_control: CONTROL, p_new, patients: PATIENTS, burn_in: 5 })));
    found.forEach(({ type_1, power, patients_on_new }, i) => {
      const [error, effect, patients] = this.#cells[i];
      fill(error, percent(type_1), type_1 / (3 * LEVEL));
      error.classList.toggle("over", type_1 > LEVEL + TOLERANCE);
      fill(effect, percent(power), power);
      fill(patients, patients_on_new.toFixed(0), patients_on_new / PATIENTS);
    });
    const [equal, , besa] = found;
    say(this.#sentence, `BESA+ gives ${(besa.patients_on_new - equal.patients_on_new).toFixed(0)} more patients the better treatment than equal randomisation, ` +
      `and finds the effect in ${percent(besa.power)} of trials instead of ${percent(equal.power)}.`);
  }
}

customElements.define("learn-analysis", Analysis);

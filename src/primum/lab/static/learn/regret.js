// Regret: how much is lost by not always giving the better treatment, for three rules and two values.
import { api } from "../lib/api.js";
import { h, say } from "../lib/dom.js";
import { chart } from "../lib/chart.js";
import { choice, slider, Widget } from "./parts.js";
import { finished } from "./runs.js";

const PATIENTS = 500;
const ARMS = [
  { name: "steady", distribution: "truncated-normal(location=0.5, deviation=0.08)" },
  { name: "gamble", distribution: "truncated-normal-mixture(locations=[0.15, 0.85], deviations=[0.08, 0.08], weights=[0.4, 0.6])" },
];
const RULES = [["round-robin", "Take turns"], ["ucb1", "UCB1, which learns the average"], ["besa-plus", "BESA+, which learns the value chosen here"]];
const VALUES = [["cvar(alpha=0.1)", "Worst tenth"], ["mean", "Average"]];
const NUMBERS = { f4: Float32Array, f8: Float64Array, i1: Int8Array, i2: Int16Array, i4: Int32Array, u1: Uint8Array, u2: Uint16Array };

/** The numbers that a figure for Plotly has as text. */
const decoded = ({ dtype, bdata }) => new NUMBERS[dtype](Uint8Array.from(atob(bdata), (letter) => letter.charCodeAt(0)).buffer);

class Regret extends Widget {
  #value = VALUES[0][0];
  #at = PATIENTS;
  #curves = [];
  #chart = chart();
  #gap = h("p", {});
  #rows = RULES.map(() => h("td", {}));

  build() {
    this.append(
      choice("Good means", VALUES, (value) => {
        this.#value = value;
        this.update();
      }),
      this.#gap,
      this.#chart,
      slider("Patients treated", { min: 1, max: PATIENTS, step: 1, value: PATIENTS }, String, (at) => {
        this.#at = at;
        this.#draw();
      }),
      h("table", { class: "numbers" }, h("caption", { class: "unseen" }, "Regret of each rule"),
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Rule"), h("th", { scope: "col" }, "Regret"))),
        h("tbody", {}, RULES.map(([, name], i) => h("tr", {}, h("th", { scope: "row" }, h("span", { class: `stroke line-${i}` }), name), this.#rows[i])))),
    );
  }

  async show() {
    const question = { arms: ARMS, value: this.#value, policies: RULES.map(([rule]) => rule), horizon: PATIENTS, replications: 200, seed: 1 };
    const [id, preview] = await Promise.all([finished(question), api.appraise(question)]);
    const figure = await api.figure(id, "regret");
    this.#curves = figure.data.filter(({ line }) => line.width).map(({ x, y }) => ({ x: decoded(x), y: decoded(y) }));
    const [best] = preview.best;
    const gap = Math.max(...preview.arms.map((arm) => arm.gap));
    say(this.#gap, `Better: the ${best} treatment, by ${gap.toFixed(2)}. So each patient who gets the other adds ${gap.toFixed(2)} to the regret.`);
    this.#draw();
  }

  #draw() {
    const at = this.#curves.map(({ x, y }) => y[x.findLastIndex((patient) => patient <= this.#at)] ?? 0);
    this.#rows.forEach((row, i) => say(row, at[i].toFixed(1)));
    this.#chart.draw({ lines: this.#curves, across: "patients", up: "regret, average of 200 trials", at: this.#at,
      label: `Regret after ${this.#at} patients: ${RULES.map(([, name], i) => `${name} ${at[i].toFixed(1)}`).join("; ")}` });
  }
}

customElements.define("learn-regret", Regret);

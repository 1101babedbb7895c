// The floor: how many patients each treatment must get, and what that brings and costs.
import { api } from "../lib/api.js";
import { h, say } from "../lib/dom.js";
import { chart } from "../lib/chart.js";
import { choice, fill, Widget } from "./parts.js";
import { finished } from "./runs.js";

const PATIENTS = 1000;
const FLOORS = [[1, "1 (BESA+ of the paper)"], [0, "none (BESA)"], [2, "2"], [5, "5"], [10, "10"]];
const PROBLEMS = [
  ["Hard: a constant outcome against a better average", "constant(value=0.4)"],
  ["Easy: the worse treatment looks worse at once", "uniform(low=0, high=0.6)"],
];
const POLICIES = FLOORS.map(([floor]) => (floor ? `besa-plus(floor=${floor})` : "besa"));
const question = (standard) => ({
  arms: [{ name: "standard", distribution: standard }, { name: "new", distribution: "uniform(low=0, high=1)" }],
  value: "mean", policies: POLICIES, horizon: PATIENTS, replications: 1000, seed: 1,
});

class Floor extends Widget {
  #floor = FLOORS[0][0];
  #chart = chart();
  #demanded = h("p", { "aria-live": "polite" });
  #cells = PROBLEMS.map(() => ({ stuck: h("td", {}), regret: h("td", {}) }));

  build() {
    this.append(
      choice("Floor", FLOORS, (floor) => {
        this.#floor = floor;
        this.update();
      }),
      this.#chart,
      this.#demanded,
      h("table", { class: "numbers" }, h("caption", {}, `1,000 trials of ${PATIENTS.toLocaleString("en")} patients each`),
        h("thead", {}, h("tr", {}, ["Problem", "Stuck trials", "Average regret"].map((word) => h("th", { scope: "col" }, word)))),
        h("tbody", {}, PROBLEMS.map(([name], i) => h("tr", {}, h("th", { scope: "row" }, name), this.#cells[i].stuck, this.#cells[i].regret)))),
    );
  }

  async show() {
    const floor = this.#floor;
    const demanded = (each, patient) => Math.min(patient / 2, Math.max(1, each * Math.log(patient)));
    const least = (patient) => Math.ceil(demanded(floor, patient));
    const x = Array.from({ length: PATIENTS / 2 }, (_, i) => 2 * i + 2);
    this.#chart.draw({
      lines: FLOORS.map(([each]) => ({ kind: each === floor ? "line-0" : "other", x, y: x.map((patient) => demanded(each, patient)) })),
      across: "patients so far", up: "patients that each treatment must have had",
      label: `With this floor, each treatment must have had ${least(100)} of 100 patients and ${least(PATIENTS)} of 1,000`,
    });
    say(this.#demanded, `Each treatment must have had at least ${least(10)} of the first 10 patients, ${least(100)} of the first 100 and ${least(PATIENTS)} of the first 1,000.`);
    const summaries = await Promise.all(PROBLEMS.map(async ([, standard]) => api.summary(await finished(question(standard)))));
    const most = Math.max(...summaries.flatMap(({ rows }) => rows.map((row) => row.regret_mean)));
    summaries.forEach(({ rows }, i) => {
      const row = rows[FLOORS.findIndex(([each]) => each === floor)];
      fill(this.#cells[i].stuck, `${(100 * row.stuck_share).toFixed(1)} %`, row.stuck_share);
      fill(this.#cells[i].regret, row.regret_mean.toFixed(1), row.regret_mean / most);
    });
  }
}

customElements.define("learn-floor", Floor);

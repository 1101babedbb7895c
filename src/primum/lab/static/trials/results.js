// The operating characteristics of the trial: exact, or from more and more simulated trials.
import { api } from "../lib/api.js";
import { chart } from "../lib/chart.js";
import { h, say } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";
import { Latest } from "../lib/latest.js";
import { ApiError } from "../lib/requests.js";
import { trial } from "./state.js";
import { table } from "./table.js";
import "./frontier.js";

const [PAUSE, PATIENCE] = [100, 1500]; // milliseconds: from a change to the request, and until a request is given up for the next
const HALF_WIDTH = 1.96; // standard errors to each side of a 95 % interval

class Results extends HTMLElement {
  #verdict = h("p", { class: "verdict", "aria-live": "polite" });
  #state = h("p", { class: "hint state" });
  #fault = h("p", { class: "fault", role: "status" });
  #table = h("div", { class: "scrolled" });
  #type1 = chart();
  #allocation = chart();
  #warning = h("p", { class: "hint" });
  #timer = 0;
  #began = 0;
  #answered = false; // the present settings, with few trials at least
  #latest = new Latest((signal) => this.#work(signal), (sentence) => this.#ended(sentence));

  connectedCallback() {
    const figure = (title, element) => h("section", { class: "figure" }, h("h2", {}, title), element);
    this.append(this.#verdict, this.#state, this.#fault, h("trial-frontier"), this.#table, this.#warning,
      h("div", { class: "figures" }, figure("Type I error", this.#type1), figure("Allocation", this.#allocation)));
    trial.addEventListener("change", () => {
      this.classList.add("stale");
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#update(), PAUSE);
    });
  }

  /** Lets a first answer arrive, so that something moves with a slider, but never waits for more precision or long. */
  #update() {
    if (this.#answered || performance.now() - this.#began > PATIENCE) this.#latest.anew();
    else this.#latest.again();
  }

  async #work(signal) {
    this.#began = performance.now();
    this.#answered = false;
    this.ariaBusy = "true";
    const { query, data } = trial;
    const waiting = setTimeout(() => say(this.#state, "Computing; the first use of an allocation rule takes some seconds."), PATIENCE);
    signal.addEventListener("abort", () => clearTimeout(waiting));
    for (let replications = 100; replications; ) {
      const asked = new URLSearchParams(query);
      asked.set("replications", replications);
      let found;
      try {
        found = await api.operate(asked, signal);
      } catch (error) {
        if (error instanceof ApiError && error.status === 422 && query === trial.query) trial.fail(error.errors);
        throw error;
      } finally {
        clearTimeout(waiting);
      }
      if (query === trial.query) trial.fail({});
      this.#show(found, data);
      if (query !== trial.query) return;
      this.classList.remove("stale");
      this.#answered = true;
      replications = found.next;
    }
  }

  #ended(sentence) {
    this.ariaBusy = "false";
    const beside = Object.entries(trial.errors).some(([place]) => place !== "");
    say(this.#fault, sentence && beside ? `Correct the settings that are marked.${this.#verdict.textContent && " The results are those of the last valid settings."}` : sentence);
    if (!sentence) this.classList.remove("stale");
  }

  #show(found, data) {
    const [chosen, equal] = found.designs;
    this.classList.remove("unanswered");
    say(this.#verdict, found.sentence);
    const simulated = Math.max(chosen.trials, equal.trials);
    say(this.#state, simulated === 0 ? "All numbers are exact." : `${simulated.toLocaleString("en")} simulated trials for each number that is not exact, with ± standard error${found.next ? "; more are being simulated" : ""}.`);
    this.#table.replaceChildren(table(found, data));
    say(this.#warning, found.warning);
    this.#drawType1(found.designs, data);
    this.#drawAllocation(found, data);
    this.dispatchEvent(new CustomEvent("found", { detail: found }));
  }

  #drawType1(designs, { control, alpha, outcome }) {
    const mean = outcome === "binary" ? "success probability" : "mean outcome";
    const curves = designs.map(({ curve }) => curve);
    const [chosen, equal] = designs.map(({ name, type_1 }) => `${name} ${(100 * type_1.value).toFixed(1)} %`);
    this.#type1.draw({
      lines: curves.map(({ p, type_1 }) => ({ x: p, y: type_1.map((each) => 100 * each) })),
      bands: curves.filter(({ error }) => error.some(Boolean)).map((curve) => band(curve, curves.indexOf(curve))),
      across: `${mean} of all arms`, up: "type I error, %", at: control, level: [100 * alpha], end: 1,
      label: `Type I error over the ${mean} of all arms; at ${shown(control)}: ${chosen}, ${equal}; nominal ${shown(100 * alpha)} %`,
    });
  }

  #drawAllocation({ designs, better, arms }, { patients }) {
    const whom = better.length ? "the better treatment" : arms[1];
    const means = designs.map(({ name, on_better, patients: each }) => `${name} ${(better.length ? on_better : each[1]).value.toFixed(0)}`);
    this.#allocation.draw({
      lines: designs.map(({ allocation }) => steps(allocation, patients)),
      across: `patients on ${whom}, of ${patients.toLocaleString("en")}`, up: `% of trials${designs[0].allocation.width > 1 ? `, by ${designs[0].allocation.width} patients` : ""}`,
      label: `Distribution of the number of patients on ${whom}; on average: ${means.join(", ")}`,
    });
  }
}

/** The 95 % intervals of a curve. */
const band = ({ p, type_1, error }, i) => ({
  kind: `line-${i}`, x: p,
  low: type_1.map((each, k) => 100 * Math.max(0, each - HALF_WIDTH * error[k])),
  high: type_1.map((each, k) => 100 * Math.min(1, each + HALF_WIDTH * error[k])),
});

/** A histogram as a line of steps. */
function steps({ patients, width, probability }, last) {
  const ends = patients.flatMap((first) => [first, Math.min(first + width, last)]);
  return { x: ends, y: probability.flatMap((each) => [100 * each, 100 * each]) };
}

customElements.define("trial-results", Results);

// Other designs for the same patients, and the ceiling above all of them: a point for each, which a click takes over.
import { api } from "../lib/api.js";
import { chart } from "../lib/chart.js";
import { plugin } from "../lib/catalogue.js";
import { h, say } from "../lib/dom.js";
import { Latest } from "../lib/latest.js";
import { trial } from "./state.js";

const PAUSE = 700; // milliseconds from a change to the request, which takes a second or two
const percent = (share) => `${(100 * share).toFixed(1)} %`;

class Frontier extends HTMLElement {
  #chart = chart();
  #sentence = h("p", { class: "hint", "aria-live": "polite" });
  #better = h("p", { class: "row" });
  #timer = 0;
  #latest = new Latest((signal) => this.#work(signal), (sentence) => this.#ended(sentence));

  connectedCallback() {
    this.append(h("section", { class: "figure" }, h("h2", {}, "Which design?"), this.#sentence, this.#chart, this.#better));
    trial.addEventListener("change", () => {
      this.classList.add("stale");
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#latest.anew(), PAUSE);
    });
  }

  async #work(signal) {
    this.ariaBusy = "true";
    const found = await api.frontier(trial.query, signal);
    this.classList.remove("stale");
    say(this.#sentence, found.sentence);
    this.#chart.hidden = !found.points.length;
    this.#better.replaceChildren(...found.points.filter(({ shown }) => shown).map((point) =>
      h("button", { type: "button", onclick: () => take(point) }, `${point.name}: ${percent(point.share)}, power ${percent(point.power)}`)));
    if (!found.points.length) return;
    const lowest = Math.min(0.5, ...found.points.map(({ share }) => share));
    this.#chart.draw({
      lines: found.ceiling.share.length ? [{ name: "no design lies above", kind: "line-6", x: found.ceiling.share.map((each) => 100 * each), y: found.ceiling.power.map((each) => 100 * each) }] : [],
      dots: found.points.map((point) => ({
        kind: point.own ? "own" : point.dominated ? "pale" : "", x: 100 * point.share, y: 100 * point.power,
        name: `${point.name}: ${percent(point.share)} on the better treatment, power ${percent(point.power)}`,
        chosen: point.own ? null : () => take(point),
      })).sort((a, b) => (a.kind === "own") - (b.kind === "own")),
      across: "patients on the better treatment, %", up: "power of a valid test, %", begin: Math.round(lowest * 10) * 10, end: 100, most: 100,
      label: found.sentence,
    });
  }

  #ended(sentence) {
    this.ariaBusy = "false";
    if (sentence) this.#better.replaceChildren();
    this.#chart.hidden = this.#chart.hidden || Boolean(sentence);
    if (sentence) say(this.#sentence, "");
  }
}

/** Takes over the allocation of a point, with the valid test. */
function take({ policy, coin, burn_in, analysis }) {
  const { name, ...parameters } = policy;
  trial.change({ policy: { ...structuredClone(plugin("policies", name).start), ...parameters }, coin, burn_in, analysis });
}

customElements.define("trial-frontier", Frontier);

// Eight trials side by side: in some, BESA+ hardly ever gives the better treatment.
import { h, say, svg } from "../lib/dom.js";
import { counted, named } from "../lib/formatting.js";
import { Widget } from "./parts.js";
import { decisions, NEW, PATIENTS, STANDARD, TRIALS } from "./trials.js";

const STUCK_SHARE = 0.1; // of all patients: with fewer on the better treatment, a trial of two counts as stuck

class Stuck extends Widget {
  #trials = [];
  #rows = Array.from({ length: TRIALS }, (_, i) => {
    const strip = svg("svg", { class: "patients", viewBox: `0 0 ${PATIENTS} 10`, preserveAspectRatio: "none", "aria-hidden": "true" });
    const count = h("span", {});
    const button = h("button", { type: "button", class: "trial", "aria-pressed": "false", onclick: () => this.#open(i) }, h("span", {}, `Trial ${i + 1}`), strip, count);
    return { strip, count, button };
  });
  #sentence = h("p", { class: "finding" });
  #story = h("p", { "aria-live": "polite" });

  build() {
    this.append(
      h("p", { class: "hint" }, "A tall bar is a patient on the better treatment, a short one on the worse; from the first patient to the last. Choose a trial to read what happened."),
      h("div", { class: "strips" }, this.#rows.map(({ button }) => button)),
      this.#sentence,
      this.#story,
    );
  }

  async show() {
    this.#trials = await Promise.all(this.#rows.map((_, i) => decisions(i)));
    const onNew = this.#trials.map((steps) => steps.filter(({ arm }) => arm === NEW).length);
    this.#rows.forEach(({ strip, count }, i) => {
      say(count, `${onNew[i]} of ${PATIENTS}`);
      strip.replaceChildren(...this.#trials[i].map(({ arm }, patient) =>
        svg("rect", { class: arm === NEW ? "better" : "worse", x: patient + 0.15, width: 0.7, y: arm === NEW ? 0 : 7, height: arm === NEW ? 10 : 3 })));
    });
    const stuck = onNew.filter((count) => count < STUCK_SHARE * PATIENTS).length;
    say(this.#sentence, `In ${stuck} of ${TRIALS} trials, fewer than ${STUCK_SHARE * PATIENTS} of ${PATIENTS} patients got the better treatment: these trials are stuck.`);
    this.#open(onNew.indexOf(Math.min(...onNew)));
  }

  #open(position) {
    this.#rows.forEach(({ button }, i) => button.setAttribute("aria-pressed", String(i === position)));
    const got = this.#trials[position].filter(({ arm }) => arm === NEW);
    const forced = got.filter(({ why }) => why.kind !== "duels");
    const lost = this.#trials[position].filter(({ arm, why }) => arm === STANDARD && why.kind === "duels").length;
    const first = got.slice(0, 3).map(({ reward }) => reward.toFixed(2));
    say(this.#story, `Trial ${position + 1}: the first outcomes of the better treatment were ${named(first)}; the worse one always has 0.40. ` +
      `The better treatment lost ${counted(lost, "duel")}. ${counted(got.length, "patient")} got it, ${forced.length} of them only because the rule demands a few patients on each.`);
  }
}

customElements.define("learn-stuck", Stuck);

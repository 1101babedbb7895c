// One duel of BESA+, draw by draw, as it was simulated.
import { api } from "../lib/api.js";
import { h, say } from "../lib/dom.js";
import { outcomeLine } from "./outcomes.js";
import { button, Widget } from "./parts.js";
import { finished } from "./runs.js";

const STEPS = 60;
const NAMES = ["A", "B"];
const QUESTION = {
  arms: [{ name: "A", distribution: "beta(a=4, b=5)" }, { name: "B", distribution: "uniform(low=0, high=1)" }],
  value: "mean", policies: ["besa-plus"], horizon: STEPS, replications: 1, seed: 1,
};
const [FEWEST, UNEQUAL] = [3, 3]; // duels are shown between this many patients and at least as many times more

class Duel extends Widget {
  #duels = [];
  #current = 0;
  #drawn = 0;
  #order = []; // of the draws
  #sentence = h("p", { class: "finding", "aria-live": "polite" });
  #rows = NAMES.map((_, arm) => outcomeLine(arm));
  #one = button("Draw one patient", () => this.#draw(1), "primary");
  #all = button("Draw all", () => this.#draw(Infinity));
  #next = button("Next patient", () => this.#open(this.#current + 1));

  build() {
    this.append(
      ...this.#rows,
      h("div", { class: "buttons" }, this.#one, this.#all, this.#next),
      this.#sentence,
    );
  }

  async show() {
    const id = await finished(QUESTION);
    const { steps } = await api.replay(id, { policy: 0, replication: 0, first: 1, count: STEPS });
    this.#duels = steps
      .filter(({ why, pulls }) => why.duels.length && Math.min(...pulls) >= FEWEST && Math.max(...pulls) >= UNEQUAL * Math.min(...pulls))
      .map(({ step, why }) => ({ step, duel: why.duels[0], outcomes: NAMES.map((_, arm) => steps.filter((each) => each.step < step && each.arm === arm).map(({ reward }) => reward)) }));
    this.#open(0);
  }

  #open(position) {
    this.#current = position % this.#duels.length;
    this.#drawn = 0;
    const { duel } = this.#duels[this.#current];
    this.#order = duel.samples.map(({ rewards }) => mixed(rewards));
    this.#draw(0);
  }

  #draw(more) {
    const { step, duel, outcomes } = this.#duels[this.#current];
    const larger = outcomes[0].length > outcomes[1].length ? 0 : 1;
    this.#drawn = Math.min(duel.size, this.#drawn + more);
    const done = this.#drawn === duel.size;
    this.#rows.forEach((row, arm) => {
      if (arm !== larger) row.show(`Treatment ${NAMES[arm]}: all its ${outcomes[arm].length} patients`, outcomes[arm]);
      else {
        const drawn = this.#order[[duel.a, duel.b].indexOf(arm)].slice(0, this.#drawn);
        row.show(`Treatment ${NAMES[arm]}: ${outcomes[arm].length} patients, ${drawn.length} drawn`, outcomes[arm], drawn);
      }
    });
    [this.#one, this.#all].forEach((each) => (each.disabled = done));
    const left = duel.size - this.#drawn;
    say(this.#sentence, done ? verdict(step, duel) : `Patient ${step}: draw ${left}${this.#drawn ? " more" : ""} of the ${outcomes[larger].length} patients of treatment ${NAMES[larger]}, as many as treatment ${NAMES[1 - larger]} has.`);
  }
}

function verdict(step, { a, b, values, winner, by }) {
  const [first, second] = a < b ? values : values.toReversed();
  const because = by === "value" ? "" : by === "chance" ? " (decided by chance)" : " (equal, so the one tried less)";
  return `A has ${first.toFixed(2)}, B has ${second.toFixed(2)}: patient ${step} gets treatment ${NAMES[winner]}${because}. The next patient brings a new draw.`;
}

/** A sub-sample is listed in ascending order; drawn in this one, its mean does not creep up. */
function mixed(rewards) {
  const place = (i) => (i * 0.618) % 1;
  return rewards.map((_, i) => i).sort((i, j) => place(i) - place(j)).map((i) => rewards[i]);
}

customElements.define("learn-duel", Duel);

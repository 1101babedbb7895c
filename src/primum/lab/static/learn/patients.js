// The reader treats 50 patients, and BESA+ the same.
import { h, say } from "../lib/dom.js";
import { counted } from "../lib/formatting.js";
import { outcomeLine } from "./outcomes.js";
import { button, Widget } from "./parts.js";
import { decisions, NEW, outcomes, PATIENTS, STANDARD, TRIALS } from "./trials.js";

const NAMES = ["A", "B"];
const SEVERAL = 5;

class Patients extends Widget {
  #trial = 0;
  #outcomes = null; // by arm
  #arms = [STANDARD, NEW]; // behind the two names, in an order drawn for each trial
  #given = []; // positions of the names, patient by patient
  #rows = NAMES.map((_, position) => outcomeLine(position));
  #buttons = NAMES.flatMap((name, i) => [
    button(`Give ${name}`, () => this.#give(i, 1), "primary"),
    button(`Give ${name} to ${SEVERAL} patients`, () => this.#give(i, SEVERAL)),
  ]);
  #again = button("Another trial", () => this.#restart());
  #sentence = h("p", { class: "finding", "aria-live": "polite" });

  build() {
    this.append(
      ...this.#rows,
      h("div", { class: "buttons" }, this.#buttons, this.#again),
      this.#sentence,
    );
  }

  async show() {
    this.#outcomes = await outcomes(this.#trial);
    this.#arms = Math.random() < 0.5 ? [STANDARD, NEW] : [NEW, STANDARD];
    this.#given = [];
    await this.#draw();
  }

  #restart() {
    this.#trial = (this.#trial + 1) % TRIALS;
    this.update();
  }

  #give(position, count) {
    for (let i = 0; i < count && this.#given.length < PATIENTS; i++) this.#given.push(position);
    this.#draw();
  }

  #seen(position) {
    const count = this.#given.filter((each) => each === position).length;
    return this.#outcomes[this.#arms[position]].slice(0, count);
  }

  async #draw() {
    this.#rows.forEach((row, position) => {
      const seen = this.#seen(position);
      row.show(`Treatment ${NAMES[position]}: ${counted(seen.length, "patient")}`, seen);
    });
    const treated = this.#given.length;
    this.#buttons.forEach((each) => (each.disabled = treated === PATIENTS));
    say(this.#sentence, treated < PATIENTS ? this.#latest(treated) : await this.#score());
  }

  #latest(treated) {
    if (!treated) return `Trial ${this.#trial + 1} of ${TRIALS}: ${PATIENTS} patients wait. Which treatment does the first one get?`;
    const position = this.#given.at(-1);
    return `Patient ${treated} got treatment ${NAMES[position]}: outcome ${this.#seen(position).at(-1).toFixed(2)}. ${PATIENTS - treated} to go.`;
  }

  async #score() {
    const steps = await decisions(this.#trial);
    const mine = this.#given.filter((position) => this.#arms[position] === STANDARD).length;
    const other = steps.filter(({ arm }) => arm === STANDARD).length;
    const better = NAMES[this.#arms.indexOf(NEW)];
    return `Treatment ${better} was better. You gave ${mine} of ${PATIENTS} patients the worse treatment, BESA+ ${other}.`;
  }
}

customElements.define("learn-patients", Patients);

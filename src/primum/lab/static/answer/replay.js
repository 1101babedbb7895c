// One replication, step by step: which arm was chosen, and why.
import { api } from "../lib/api.js";
import { armTable, scoreEnds } from "./arm-table.js";
import { h, repeat, say, unique } from "../lib/dom.js";
import { duels, scale } from "./duel.js";
import { Latest } from "../lib/latest.js";
import { read, shown } from "../lib/formatting.js";
import { strip } from "./arm-timeline.js";

const WINDOW_STEPS = 50; // fetched at a time
const FETCH_DELAY = 150; // milliseconds at a step before its window is fetched
const STEP_INTERVAL = 600; // milliseconds, while it plays
const MOST_WINDOWS = 100; // in the cache
const startOf = (step) => step - ((step - 1) % WINDOW_STEPS);

class Replay extends HTMLElement {
  #windows = new Map(); // what was fetched, by its address
  #run = ""; // the one whose replications are shown
  #horizon = 1;
  #replications = 1;
  #step = 1;
  #replication = 0;
  #playing = 0;
  #soon = 0;
  #asked = ""; // the window that is on its way
  #policy = h("select", { id: unique("policy"), onchange: () => this.#go(this.#step) });
  #replicationField = numberField("replication", () => this.#read());
  #stepField = numberField("step", () => this.#read());
  #range = h("span", {});
  #of = h("span", {});
  #slider = h("input", { type: "range", min: 1, "aria-label": "Steps" });
  #play = h("button", { type: "button", onclick: () => (this.#playing ? this.#pause() : this.#start()) }, "Play");
  #fault = h("p", { class: "fault", "aria-live": "polite" });
  #strip = strip((step) => this.#go(step));
  #sentence = h("p", { class: "happened" });
  #why = h("p", { class: "why" });
  #duels = h("div", { class: "duels" });
  #arms = armTable();
  #latest = new Latest(
    (signal) => this.#fetch(signal),
    (sentence) => say(this.#fault, sentence),
  );

  connectedCallback() {
    const button = (text, name, to) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => this.#go(to()) }, text);
    this.append(
      h("p", { class: "explanation" }, "One replication, step by step, exactly as it was simulated: which arm was chosen, and why."),
      h("div", { class: "picks" },
        h("div", {}, h("label", { for: this.#policy.id }, "Policy"), this.#policy),
        h("div", {}, h("label", { for: this.#replicationField.id }, "Replication"), this.#replicationField, this.#range),
        h("div", {}, h("label", { for: this.#stepField.id }, "Step"), this.#stepField, this.#of)),
      h("div", { class: "player" },
        button("«", "First step", () => 1),
        button("‹", "Previous step", () => this.#step - 1),
        this.#play,
        button("›", "Next step", () => this.#step + 1),
        button("»", "Last step", () => Infinity),
        this.#slider),
      this.#fault,
      this.#strip,
      h("div", { class: "reason", "aria-live": "polite" }, this.#sentence, this.#why),
      this.#arms,
      this.#duels, // below all else, as their height changes from step to step
    );
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)));
    this.#replicationField.value = 0;
    this.#stepField.value = 1;
    new IntersectionObserver(() => this.hidden && this.#pause()).observe(this);
  }

  show({ rows, replications }, id, { horizon }) {
    const titles = rows.map((row) => row.title);
    repeat(this.#policy, titles, () => {
      const option = h("option", {});
      option.show = (label) => say(option, label);
      return option;
    });
    this.#replications = replications;
    say(this.#range, `(0 to ${(replications - 1).toLocaleString("en")})`);
    if (this.#run !== id) {
      this.#slider.max = horizon;
      say(this.#of, `of ${horizon.toLocaleString("en")}`);
      if (this.#run) this.#stepField.value = 1; // of the first run, what was filled in before it came counts
      this.#run = id;
      this.#horizon = horizon;
      this.#read();
    }
  }

  #read() {
    if (!this.#run) return; // it is read once there is a run
    const replication = this.#typed(this.#replicationField, "replication", 0, this.#replications - 1);
    if (replication === null) return;
    const step = this.#typed(this.#stepField, "step", 1, this.#horizon);
    if (step === null) return;
    this.#replication = replication;
    this.#go(step);
  }

  /** The whole number in a field; shows an error if it is invalid or out of range. */
  #typed(field, name, low, high) {
    const number = read(field.value);
    const fits = Number.isInteger(number) && number >= low && number <= high;
    say(this.#fault, fits ? "" : `The ${name} must be a whole number from ${low} to ${high}, got '${field.value}'.`);
    return fits ? number : null;
  }

  #go(step) {
    if (!this.#run) return; // there is nothing to play yet
    this.#step = Math.min(Math.max(1, step), this.#horizon);
    this.#slider.value = this.#step;
    if (read(this.#stepField.value) !== this.#step) this.#stepField.value = this.#step;
    this.#slider.setAttribute("aria-valuetext", `step ${this.#step} of ${this.#horizon}`);
    const key = this.#key(startOf(this.#step));
    const there = this.#windows.get(key);
    clearTimeout(this.#soon);
    if (there) this.#draw(there);
    else {
      say(this.#sentence, `Computing step ${this.#step.toLocaleString("en")} ...`);
      // the server finishes abandoned requests, so windows that are only passed are not requested
      this.#soon = setTimeout(() => this.#asked !== key && this.#latest.anew(), FETCH_DELAY);
    }
  }

  #start() {
    say(this.#play, "Pause");
    this.#playing = setInterval(() => {
      if (this.#step < this.#horizon) this.#go(this.#step + 1);
      else this.#pause();
    }, STEP_INTERVAL);
  }

  #pause() {
    clearInterval(this.#playing);
    this.#playing = 0;
    say(this.#play, "Play");
  }

  async #fetch(signal) {
    const first = startOf(this.#step);
    const key = (this.#asked = this.#key(first));
    try {
      const replay = await this.#window(first, signal);
      if (key === this.#key(startOf(this.#step))) this.#draw(replay);
    } finally {
      if (this.#asked === key) this.#asked = "";
    }
    if (first + WINDOW_STEPS <= this.#horizon) await this.#window(first + WINDOW_STEPS, signal);
  }

  async #window(first, signal) {
    const policy = this.#policy.selectedIndex;
    const key = this.#key(first);
    if (!this.#windows.has(key)) {
      const replay = await api.replay(this.#run, { policy, replication: this.#replication, first, count: WINDOW_STEPS }, signal);
      if (this.#windows.size >= MOST_WINDOWS) this.#windows.clear();
      this.#windows.set(key, { ...replay, ends: scale(replay.steps), scoreEnds: scoreEnds(replay.steps) });
    }
    return this.#windows.get(key);
  }

  #key(first) {
    return `${this.#run} ${this.#policy.selectedIndex} ${this.#replication} ${first}`;
  }

  #draw(replay) {
    const step = replay.steps[this.#step - replay.first];
    const { arms } = replay;
    say(this.#fault, "");
    this.#strip.show(replay, this.#step);
    const where = `Step ${step.step.toLocaleString("en")} of ${replay.horizon.toLocaleString("en")}`;
    say(this.#sentence, `${where}: '${arms[step.arm]}' is chosen. Reward: ${shown(step.reward)}. Cumulative regret: ${shown(step.regret)}.`);
    say(this.#why, `${step.why.sentence.charAt(0).toUpperCase()}${step.why.sentence.slice(1)}.`);
    this.#duels.replaceChildren(...duels(step.why.duels, replay));
    // where some steps have duels, those without keep their place, so that a page that is scrolled down stays
    this.#duels.classList.toggle("reserved", replay.steps.some((each) => each.why.duels.length > 0));
    this.#arms.show(replay, step);
  }
}

const numberField = (name, oninput) =>
  h("input", { id: unique(name), type: "text", inputmode: "numeric", autocomplete: "off", oninput });

customElements.define("primum-replay", Replay);

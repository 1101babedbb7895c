// One replication, step by step: what was given, and why.
import { api } from "../lib/api.js";
import { h, repeat, say, unique } from "../lib/dom.js";
import { duels, scale } from "./duel.js";
import { Latest } from "../lib/latest.js";
import { read, shown } from "../lib/formatting.js";
import { reveal, strip } from "./arm-timeline.js";

const WINDOW = 50; // steps that are fetched at a time
const PATIENCE = 150; // milliseconds at a place before it is fetched
const PACE = 600; // milliseconds from step to step
const MOST_KEPT = 100; // windows
const startOf = (step) => step - ((step - 1) % WINDOW);

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
  #replicationField = numberField("replication", () => this.#pick());
  #stepField = numberField("step", () => this.#jump());
  #range = h("span", {});
  #of = h("span", {});
  #slider = h("input", { type: "range", min: 1, "aria-label": "Steps" });
  #play = h("button", { type: "button", onclick: () => (this.#playing ? this.#pause() : this.#start()) }, "Play");
  #fault = h("p", { class: "fault", "aria-live": "polite" });
  #strip = strip((step) => this.#go(step));
  #sentence = h("p", { class: "happened" });
  #why = h("p", { class: "why" });
  #duels = h("div", { class: "duels" });
  #caption = h("h3", { id: unique("caption") }, "What was known before the decision");
  #arms = h("tbody", {});
  #records = h("div", { class: "scrolling records", tabindex: 0, role: "region", "aria-labelledby": this.#caption.id });
  #latest = new Latest(
    (signal) => this.#fetch(signal),
    (sentence) => say(this.#fault, sentence),
  );

  connectedCallback() {
    const button = (text, name, to) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => this.#go(to()) }, text);
    const columns = ["Arm", "Pulls before this step", "Estimate of its value"].map((text) => h("th", { scope: "col" }, text));
    this.append(
      h("p", { class: "explanation" }, "One replication, step by step, just as it was simulated: which arm was given, and why."),
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
      h("div", { class: "told", "aria-live": "polite" }, this.#sentence, this.#why),
      h("section", {}, this.#caption, this.#records),
      this.#duels, // below all else, as their height changes from step to step
    );
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)));
    this.#replicationField.value = 0;
    this.#records.append(
      h("table", { "aria-labelledby": this.#caption.id }, h("thead", {}, h("tr", {}, columns)), this.#arms));
    new IntersectionObserver(() => this.hidden && this.#pause()).observe(this);
  }

  show({ rows, replications }, id, { horizon }) {
    const labels = rows.map((row) => row.policy);
    repeat(this.#policy, labels, () => {
      const option = h("option", {});
      option.show = (label) => say(option, label);
      return option;
    });
    this.#replications = replications;
    say(this.#range, `(0 to ${(replications - 1).toLocaleString("en")})`);
    if (this.#run !== id) {
      this.#slider.max = horizon;
      say(this.#of, `of ${horizon.toLocaleString("en")}`);
      this.#run = id;
      this.#horizon = horizon;
      this.#go(1);
    }
  }

  #pick() {
    const number = this.#typed(this.#replicationField, "replication", 0, this.#replications - 1);
    if (number === null) return;
    this.#replication = number;
    this.#go(this.#step);
  }

  #jump() {
    const step = this.#typed(this.#stepField, "step", 1, this.#horizon);
    if (step !== null) this.#go(step);
  }

  /** The whole number in a field; if it is none or outside of the ends, that is said. */
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
      say(this.#sentence, `Playing up to step ${this.#step.toLocaleString("en")}.`);
      // the server plays on for those who have gone, so it is not asked for what one only passes by
      this.#soon = setTimeout(() => this.#asked !== key && this.#latest.anew(), PATIENCE);
    }
  }

  #start() {
    say(this.#play, "Pause");
    this.#playing = setInterval(() => {
      if (this.#step < this.#horizon) this.#go(this.#step + 1);
      else this.#pause();
    }, PACE);
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
    if (first + WINDOW <= this.#horizon) await this.#window(first + WINDOW, signal);
  }

  async #window(first, signal) {
    const policy = this.#policy.selectedIndex;
    const key = this.#key(first);
    if (!this.#windows.has(key)) {
      const replay = await api.replay(this.#run, { policy, replication: this.#replication, first, count: WINDOW }, signal);
      if (this.#windows.size >= MOST_KEPT) this.#windows.clear();
      this.#windows.set(key, { ...replay, ends: scale(replay.steps) });
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
    say(this.#sentence, `${where}: '${arms[step.arm]}' is given and earns ${shown(step.reward)}. Regret so far: ${shown(step.regret)}.`);
    say(this.#why, `${step.why.sentence.charAt(0).toUpperCase()}${step.why.sentence.slice(1)}.`);
    this.#duels.replaceChildren(...duels(step.why.duels, replay));
    // where some steps have duels, those without keep their place, so that a page that is scrolled down stays
    this.#duels.classList.toggle("reserved", replay.steps.some((each) => each.why.duels.length > 0));
    say(this.#caption, `What was known before the decision; estimates by ${replay.value}`);
    const most = Math.max(1, ...step.pulls);
    repeat(this.#arms, arms, armRow);
    [...this.#arms.children].forEach((row, i) => row.tell(step.pulls[i], most, step.estimates[i], i === step.arm));
    reveal(this.#records, this.#arms.children[step.arm]);
  }
}

const numberField = (name, oninput) =>
  h("input", { id: unique(name), type: "text", inputmode: "numeric", autocomplete: "off", oninput });

function armRow() {
  const [name, pulls, estimate] = [h("th", { scope: "row" }), h("span", {}), h("td", {})];
  const bar = h("span", { class: "length", "aria-hidden": "true" });
  const row = h("tr", {}, name, h("td", { class: "with-bar" }, pulls, bar), estimate);
  row.show = (label) => (row.label = label);
  row.tell = (count, most, number, given) => {
    say(name, given ? `${row.label} (given)` : row.label);
    row.classList.toggle("given", given);
    say(pulls, count.toLocaleString("en"));
    bar.style.width = `${(60 * count) / most}%`;
    say(estimate, number === null ? "none yet" : shown(number));
  };
  return row;
}

customElements.define("primum-replay", Replay);

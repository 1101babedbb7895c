// One replication, step by step: what was given, and why.
import { api } from "./api.js";
import { h, repeat, say, unique } from "./dom.js";
import { duels } from "./duel.js";
import { Latest } from "./latest.js";
import { read, shown } from "./numbers.js";
import { run } from "./run.js";
import { strip } from "./strip.js";

const WINDOW = 50; // steps that are fetched at a time
const PATIENCE = 150; // milliseconds at a place before it is fetched
const PACE = 600; // milliseconds from step to step
const MOST_KEPT = 100; // windows
const startOf = (step) => step - ((step - 1) % WINDOW);

class Replay extends HTMLElement {
  #windows = new Map(); // what was fetched, by its address
  #for = "";
  #step = 1;
  #replication = 0;
  #playing = 0;
  #soon = 0;
  #asked = ""; // the window that is on its way
  #policy = h("select", { id: unique("policy"), onchange: () => this.#go(this.#step) });
  #number = h("input", { id: unique("replication"), type: "text", inputmode: "numeric", autocomplete: "off" });
  #range = h("span", {});
  #slider = h("input", { type: "range", min: 1, "aria-label": "Step" });
  #play = h("button", { type: "button", onclick: () => (this.#playing ? this.#pause() : this.#start()) }, "Play");
  #fault = h("p", { class: "fault", "aria-live": "polite" });
  #strip = strip((step) => this.#go(step));
  #sentence = h("p", { class: "happened" });
  #why = h("p", { class: "why" });
  #duels = h("div", { class: "duels" });
  #caption = h("caption", {});
  #arms = h("tbody", {});
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
        h("label", { for: this.#policy.id }, "Policy"), this.#policy,
        h("label", { for: this.#number.id }, "Replication"), this.#number, this.#range),
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
      this.#duels,
      h("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": "Arms" },
        h("table", { class: "records" }, this.#caption, h("thead", {}, h("tr", {}, columns)), this.#arms)),
    );
    this.#slider.addEventListener("input", () => this.#go(Number(this.#slider.value)));
    this.#number.addEventListener("input", () => this.#pick());
    this.#number.value = 0;
    new IntersectionObserver(() => this.hidden && this.#pause()).observe(this);
  }

  show({ rows, replications }) {
    const labels = rows.map((row) => row.policy);
    repeat(this.#policy, labels, () => {
      const option = h("option", {});
      option.show = (label) => say(option, label);
      return option;
    });
    say(this.#range, `of 0 to ${(replications - 1).toLocaleString("en")}`);
    this.#slider.max = run.asked.horizon;
    if (this.#for !== run.id) {
      this.#windows.clear();
      this.#for = run.id;
      this.#go(1);
    }
  }

  #pick() {
    const number = read(this.#number.value);
    if (!Number.isInteger(number) || number < 0 || number >= run.status.replications) {
      say(this.#fault, `The replication must be a whole number from 0 to ${run.status.replications - 1}, got '${this.#number.value}'.`);
      return;
    }
    this.#replication = number;
    this.#go(this.#step);
  }

  #go(step) {
    this.#step = Math.min(Math.max(1, step), run.asked.horizon);
    this.#slider.value = this.#step;
    this.#slider.setAttribute("aria-valuetext", `step ${this.#step} of ${run.asked.horizon}`);
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
      if (this.#step < run.asked.horizon) this.#go(this.#step + 1);
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
    if (first + WINDOW <= run.asked.horizon) await this.#window(first + WINDOW, signal);
  }

  async #window(first, signal) {
    const policy = this.#policy.selectedIndex;
    const key = this.#key(first);
    if (!this.#windows.has(key)) {
      const replay = await api.replay(run.id, { policy, replication: this.#replication, first, count: WINDOW }, signal);
      if (this.#windows.size >= MOST_KEPT) this.#windows.clear();
      this.#windows.set(key, replay);
    }
    return this.#windows.get(key);
  }

  #key(first) {
    return `${this.#policy.selectedIndex} ${this.#replication} ${first}`;
  }

  #draw(replay) {
    const step = replay.steps[this.#step - replay.first];
    const { arms } = replay;
    say(this.#fault, "");
    this.#strip.show(replay, this.#step);
    const where = `Step ${step.step.toLocaleString("en")} of ${replay.horizon.toLocaleString("en")}`;
    say(this.#sentence, `${where}: '${arms[step.arm]}' is given and earns ${shown(step.reward)}. Regret so far: ${shown(step.regret)}.`);
    say(this.#why, `${step.why.sentence.charAt(0).toUpperCase()}${step.why.sentence.slice(1)}.`);
    this.#duels.replaceChildren(...duels(step.why.duels, arms, replay.value));
    say(this.#caption, `What was known before the decision; estimates by ${replay.value}`);
    const most = Math.max(1, ...step.pulls);
    repeat(this.#arms, arms, armRow);
    [...this.#arms.children].forEach((row, i) => row.tell(step.pulls[i], most, step.estimates[i], i === step.arm));
  }
}

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

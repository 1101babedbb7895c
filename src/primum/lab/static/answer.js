// The answer: figures, the table, a replay, and what to take away.
import { api } from "./api.js";
import { h, say } from "./dom.js";
import "./figure.js";
import { Latest } from "./latest.js";
import { policyChips } from "./policy-chips.js";
import "./replay.js";
import { run } from "./run.js";
import { question } from "./state.js";
import "./summary.js";
import "./take-away.js";
import { view } from "./view.js";
import { controls, explanation, inWords, isFigure, kindShown, optionsShown } from "./views.js";
import { tabs } from "./tabs.js";

class Answer extends HTMLElement {
  #summary = null;
  #for = ""; // the run and the replications that the summary is of
  #about = h("p", { class: "about", role: "status" });
  #trouble = h("p", { class: "fault", "aria-live": "polite" });
  #chips = policyChips();
  #controls = controls();
  #words = h("p", { class: "explanation" });
  #figure = h("primum-figure");
  #pages = { table: h("primum-summary"), replay: h("primum-replay"), "take-away": h("primum-take-away") };
  #latest = new Latest(
    (signal) => this.#fetch(signal),
    (sentence) => say(this.#trouble, sentence),
  );

  connectedCallback() {
    const picture = h("div", { class: "figure-page" }, this.#figure, this.#words, this.#controls);
    this.#pages.figure = picture;
    const panel = h("div", { class: "panel", id: "answer-panel", role: "tabpanel" }, Object.values(this.#pages));
    this.append(this.#about, tabs(panel), this.#chips, this.#trouble, panel);
    question.addEventListener("change", () => this.#tell());
    run.addEventListener("status", () => this.#tell());
    run.addEventListener("sharper", () => this.#sharper());
    view.addEventListener("change", () => this.#turn());
    this.#turn();
  }

  #tell() {
    if (!run.asked) return;
    const { horizon, seed, title } = run.asked;
    const asked = `${title ? `${title}: ` : ""}${horizon.toLocaleString("en")} steps, seed ${seed}.`;
    say(this.#about, run.stale ? "The question has changed since; run it to see." : asked);
    this.#about.classList.toggle("stale", run.stale);
  }

  #sharper() {
    if (!run.status.replications) return;
    if (this.#for.startsWith(run.id)) this.#latest.again();
    else this.#latest.anew();
  }

  #turn() {
    const page = isFigure(view.tab) ? "figure" : view.tab;
    for (const [name, element] of Object.entries(this.#pages)) element.hidden = name !== page;
    this.#chips.hidden = !isFigure(view.tab);
    this.#controls.show();
    say(this.#words, explanation());
    if (run.status?.replications) this.#latest.anew();
  }

  async #fetch(signal) {
    const { id, status } = run;
    const now = `${id} ${status.replications}`;
    if (this.#for !== now) {
      this.#summary = await api.summary(id, signal);
      this.#for = now;
    }
    const labels = this.#summary.rows.map((row) => row.policy);
    this.#chips.show(labels);
    if (isFigure(view.tab)) {
      const kind = kindShown();
      const figure = await api.figure(id, kind, optionsShown(kind, labels), signal);
      this.#figure.show(figure, `${id} ${kind} ${view.statistic} ${view.log}`, inWords(figure, this.#summary));
    } else this.#pages[view.tab].show(this.#summary);
  }
}

customElements.define("primum-answer", Answer);

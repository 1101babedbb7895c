// The results: figures, the table, a replay, and exports.
import { api } from "../lib/api.js";
import { runsByItself } from "../lib/auto-run.js";
import { h, say } from "../lib/dom.js";
import "./figure.js";
import { Latest } from "../lib/latest.js";
import { policyChips } from "./policy-chips.js";
import "./replay.js";
import { isSame, run } from "../lib/run.js";
import { question } from "../lib/state.js";
import "./summary.js";
import { filesOf } from "./export.js";
import { controls } from "./figure-controls.js";
import { explanation, inWords, isFigure, kindShown, optionsShown } from "./figure-kinds.js";
import { view } from "./view-settings.js";
import { tabs } from "./tabs.js";

class Answer extends HTMLElement {
  #summary = null;
  #for = ""; // the run and the number of replications of the summary
  #drawn = null; // the question of the results shown; that of a new run once there is something to show
  #asked = h("span", {});
  #since = h("strong", {});
  #about = h("p", { class: "about", role: "status" }, this.#asked, " ", this.#since);
  #verdict = h("p", { class: "verdict" });
  #trouble = h("p", { class: "fault", "aria-live": "polite" });
  #chips = policyChips();
  #controls = controls();
  #words = h("p", { class: "explanation" });
  #figure = h("primum-figure", {}, this.#controls);
  #files = h("p", { class: "hint" });
  #pages = { table: h("primum-summary"), replay: h("primum-replay"), export: h("primum-export") };
  #latest = new Latest(
    (signal) => this.#fetch(signal),
    (sentence) => say(this.#trouble, sentence),
  );

  connectedCallback() {
    this.#pages.figure = h("div", { class: "figure-page" }, this.#figure, this.#files, this.#words);
    const panel = h("div", { class: "panel", id: "answer-panel", role: "tabpanel" }, Object.values(this.#pages));
    this.append(this.#verdict, this.#about, tabs(panel), this.#chips, this.#trouble, panel);
    for (const name of ["change", "appraisal", "cost"]) question.addEventListener(name, () => this.#tell());
    run.addEventListener("status", () => this.#tell());
    run.addEventListener("sharper", () => this.#sharper());
    view.addEventListener("change", () => this.#turn());
    this.#turn();
  }

  #tell() {
    if (!this.#drawn) return;
    const { horizon, seed, title } = this.#drawn;
    const stale = !isSame(this.#drawn, question.data);
    const coming = run.starting || (!run.stale && (run.active || run.status?.state === "finished"));
    say(this.#asked, `${title ? `${title}: ` : ""}${horizon.toLocaleString("en")} steps, seed ${seed}.`);
    say(this.#since, !stale ? "" : coming ? "Computing results for the new settings." : waits());
    this.#about.classList.toggle("stale", stale);
    this.classList.toggle("stale", stale);
  }

  #sharper() {
    if (!run.status.replications) return;
    if (this.#for.startsWith(run.id)) this.#latest.again();
    else this.#latest.anew();
  }

  #turn() {
    const page = isFigure(view.tab) ? "figure" : view.tab;
    for (const [name, element] of Object.entries(this.#pages)) element.hidden = name !== page;
    this.#chips.hidden = page !== "figure";
    this.#controls.show();
    say(this.#words, explanation());
    if (run.status?.replications) this.#latest.anew();
  }

  async #fetch(signal) {
    const { id, asked, status } = run;
    const now = `${id} ${status.replications}`;
    const kind = isFigure(view.tab) && kindShown();
    const summary = this.#for === now ? this.#summary : api.summary(id, signal);
    // the summary's labels are needed only to hide policies; otherwise both requests go out at once
    const options = kind && optionsShown(kind, view.hidden.size ? labelsOf(await summary) : []);
    const figure = kind && api.figure(id, kind, options, signal);
    this.#show(await Promise.all([summary, figure]), kind, id, asked);
    this.#for = now;
    this.#drawn = asked;
    this.#tell();
  }

  #show([summary, figure], kind, id, asked) {
    const labels = labelsOf(summary);
    this.#summary = summary;
    this.#verdict.setAttribute("aria-live", run.active ? "off" : "polite"); // read aloud once, at the end
    say(this.#verdict, summary.verdict);
    this.#chips.show(summary.rows);
    if (kind) {
      this.#figure.show(figure, kind, `${id} ${kind} ${view.statistic} ${view.log}`, inWords(figure, summary));
      this.#files.replaceChildren("Download this figure as ", ...spaced(filesOf(id, kind, labels)));
    } else this.#pages[view.tab].show(summary, id, asked);
  }
}

/** What changed settings wait for. */
function waits() {
  if (question.faults.length) return "Settings changed. Correct the errors to update.";
  return question.cost && !runsByItself() ? "Settings changed. Press Run to update." : "Settings changed.";
}

const labelsOf = ({ rows }) => rows.map((row) => row.policy);
const spaced = (links) => links.flatMap((link, i) => (i ? [", ", link] : [link]));

customElements.define("primum-answer", Answer);

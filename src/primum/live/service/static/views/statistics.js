// Statistics: unblinded data, which are asked for only at the press of a button.
import { api } from "../api.js";
import { moment, zoneName } from "../dates.js";
import { chart } from "../lib/chart.js";
import { h } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";
import { table } from "../table.js";
import { View } from "../view.js";

const [DIGITS, SMALLEST] = [3, 0.001]; // of numbers, and of p-values
const number = (given) => (given === null ? "\u2013" : shown(given, DIGITS));
const pValue = (given) => (given !== null && given < SMALLEST ? `< ${SMALLEST}` : number(given));
const yesNo = (given) => (given === null ? "\u2013" : given ? "Yes" : "No");
const percent = (share) => `${Math.round(100 * share)} %`;

const evidenceOf = (w) => (w < 1e6 ? shown(w, DIGITS) : w.toExponential(1));

/** Figures of a comparison: a single one if both directions have the same limit. */
function picturesOf({ arm, control, better, worse }) {
  const line = (word, { path }) => ({ name: `${arm} is ${word} than ${control}`, x: path.map((_, i) => i + 1), y: path.map((w) => Math.max(w, 0)) });
  const picture = (lines, { limit }) => ({
    element: chart(),
    given: {
      lines, across: "participants enrolled", up: "evidence", begin: 1, level: [Math.log10(limit), `limit ${evidenceOf(limit)}`], tellUp: (w) => evidenceOf(10 ** w),
      label: `${lines.map(({ name, y }) => `Evidence that ${name}: ${evidenceOf(10 ** y.at(-1))} now`).join("; ")}; limit ${evidenceOf(limit)}.`,
    },
  });
  const [up, down] = [line("better", better), line("worse", worse)];
  if (up.x.length === 0) return [];
  return better.limit === worse.limit ? [picture([up, down], better)] : [picture([up], better), picture([down], worse)];
}

export class Statistics extends View {
  static title = "Statistics";
  static roles = ["statistician"];
  #body = h("div", { class: "body" });

  build() {
    const show = h("button", { type: "button", class: "primary", onclick: () => this.#load(show) }, "Show unblinded data");
    this.append(
      h("p", { class: "word" }, "This view shows which arm is which, and how the arms are doing. Each time you load or download these data, your name and the time are written into the journal."),
      h("div", { class: "buttons" }, show,
        h("a", { class: "button", href: "/api/kits.csv", download: true }, "Download the kit list"),
        h("a", { class: "button", href: "/api/participants.csv", download: true }, "Download participants.csv")),
      this.fault, this.#body);
  }

  async #load(button) {
    if (this.ariaBusy === "true") return; // each request is an entry in the journal
    const found = await this.attempt(() => api.statistics());
    if (!found) return;
    button.textContent = "Load again";
    const heading = h("h3", { tabindex: "-1" }, found.analysis_title);
    const lines = chart();
    const pictures = found.evidence.flatMap(picturesOf);
    this.#body.replaceChildren(
      this.#analysis(heading, found),
      this.#evidence(found, pictures),
      this.#estimates(found),
      h("section", { class: "panel" }, h("h3", {}, "Allocation"), found.counts[found.arms[0]]?.length ? lines : h("p", { class: "hint" }, "Nobody is enrolled yet.")),
      this.#looks(found));
    if (lines.isConnected) this.#draw(lines, found);
    for (const { element, given } of pictures) element.draw(given);
    heading.focus();
  }

  #analysis(heading, { analysis, estimand, randomisation_test: tested, warnings }) {
    return h("section", { class: "panel" }, heading, h("p", {}, h("strong", {}, "Estimand. "), estimand),
      warnings.length > 0 && h("div", { class: "box warnings" }, h("strong", {}, warnings.length > 1 ? "Warnings" : "Warning"), h("ul", {}, warnings.map((warning) => h("li", {}, warning)))),
      analysis.length > 0 && this.#comparisons("Analysis of the outcomes known now", analysis),
      tested.length > 0 && [
        h("h3", {}, "Randomisation test"),
        h("p", { class: "hint" }, "Repeats the trial with other random numbers. It holds its level however allocation adapts and outcomes drift. It is a second opinion: only the analysis of the design declares a difference."),
        this.#comparisons("Randomisation test of the outcomes known now", tested),
      ]);
  }

  #comparisons(caption, compared) {
    const named = compared[0].interval; // the same for all comparisons of an analysis
    const rows = compared.map(({ arm, control, patients, control_patients, estimate, median_unbiased, low, high, p_value, significant, favours }) =>
      [`${arm} against ${control}`, `${patients} and ${control_patients}`, median_unbiased === null ? number(estimate) : `${number(estimate)}, median-unbiased ${number(median_unbiased)}`, low === null || high === null ? "\u2013" : `${number(low)} to ${number(high)}`, pValue(p_value), favours || "neither", yesNo(significant)]);
    return table(caption, ["Comparison", "Participants", "Estimate", named || "Interval", "p-value", "Favours", "Significant"], rows, [2, 3, 4]);
  }

  #evidence({ evidence }, pictures) {
    if (evidence.length === 0) return null;
    const rows = evidence.flatMap(({ arm, control, patients, used, better, worse }) =>
      [["better", better], ["worse", worse]].map(([word, { now, largest, limit }]) =>
        [`${arm} is ${word} than ${control}`, `${used} of ${patients}`, evidenceOf(now), evidenceOf(largest), evidenceOf(limit)]));
    return h("section", { class: "panel" }, h("h3", {}, "Evidence at any time"),
      h("p", { class: "hint" }, "May be looked at as often as you like: if the arm makes no difference, the evidence ever reaches the limit with a probability of at most 1 / limit, however allocation adapts and outcomes drift. Participants count if they might have been allocated to the other arm; those after an outcome that is still awaited wait for it."),
      table("Evidence from the outcomes known now", ["Evidence that", "Participants that count", "Now", "Largest so far", "Limit"], rows, [2, 3, 4]),
      pictures.map(({ element }) => element));
  }

  #estimates({ estimates, value_title: name }) {
    const title = name.toLowerCase() === "mean" ? "" : name[0].toUpperCase() + name.slice(1); // the mean has a column
    const rows = estimates.map(({ arm, patients, known, mean, value, low, high }) =>
      [arm, patients, known, number(mean), ...(title ? [number(value)] : []), low === null ? "\u2013" : `${number(low)} to ${number(high)}`]);
    const how = estimates.find(({ interval }) => interval)?.interval;
    return h("section", { class: "panel" }, h("h3", {}, "Estimates"),
      table("Outcomes by arm", ["Arm", "Participants", "Outcomes known", "Mean outcome", ...(title ? [title] : []), "Interval"], rows, [1, 2, 3, 4]),
      how && h("p", { class: "hint" }, `Interval of ${title || "the mean"}: ${how}. It holds whatever the allocation and however often you look, if outcomes do not drift.`));
  }

  #looks({ looks }) {
    const result = ({ stopped, dropped, claimed }) =>
      [stopped && `stopped: ${stopped}`, claimed.length && `claimed: ${claimed.join(", ")}`, dropped.length && `dropped: ${dropped.join(", ")}`].filter(Boolean).join("; ") || "continue";
    const rows = looks.map((look) => [look.look, h("time", { datetime: look.at }, moment(look.at)), look.patients, look.known, result(look)]);
    return h("section", { class: "panel" }, h("h3", {}, "Looks"), rows.length
      ? table("Interim analyses done", ["Look", `Time (${zoneName()})`, "Participants", "Outcomes known", "Result"], rows, [2, 3])
      : h("p", { class: "hint" }, "No look has been taken yet."));
  }

  #draw(lines, { arms, counts }) {
    const x = counts[arms[0]].map((_, i) => i + 1);
    const shares = arms.map((arm) => counts[arm].map((count, i) => count / (i + 1)));
    lines.draw({
      lines: arms.map((name, i) => ({ name, x, y: shares[i] })), across: "participants enrolled", up: "share of participants", begin: 1, most: 1, tellUp: percent,
      label: `Share of each arm after ${x.length} participants: ${arms.map((arm, i) => `${arm} ${percent(shares[i].at(-1))}`).join(", ")}.`,
    });
  }
}

customElements.define("trial-statistics", Statistics);

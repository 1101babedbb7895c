// The operating characteristics of both designs, a row for each, with its standard error or "exact".
import { h } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";

const TOLERANCE = 0.005; // above the level: many tests are approximate even with equal randomisation
const fixed = (number, decimals) => number.toFixed(decimals).replace(/^-(?=0\.?0*$)/, "").replace("-", "\u2212");
const signed = (number, decimals) => (Number(number.toFixed(decimals)) > 0 ? "+" : "") + fixed(number, decimals);

const spread = (error) => fixed(error, error < 0.0095 ? 3 : error < 0.095 ? 2 : 1);

const percent = (each) => number(each, (value) => `${fixed(100 * value, 1)} %`, (error) => spread(100 * error));
const count = (each, more = "") => number(each, (value) => fixed(value, 1), spread, more);
const difference = (each, decimals) => number(each, (value) => signed(value, decimals), (error) => (decimals > 1 ? fixed(error, decimals) : spread(error)));

/** The rows: a title and how each design's number is written; `over` marks a type I error above the level. */
function rows({ arms, better, designs }, { control, patients, alpha, drift, outcome }) {
  const [chosen] = designs;
  const above = ({ value, error }) => value > alpha + Math.max(TOLERANCE, 2 * error);
  const row = (title, cell, over = () => false) => ({ title, cells: designs.map((design) => ({ parts: cell(design), over: over(design) })) });
  const largest = ({ largest_type_1: found }) => (found ? [`${fixed(100 * found.value, 1)} % `, precision(`exact, at ${fixed(found.p, 2)}`)] : ["–"]);
  const share = ({ on_better, on_better_sd }) => count(on_better, `; ${fixed((100 * on_better.value) / patients, 0)} %, SD ${fixed(on_better_sd.value, 1)}`);
  return [
    row(`Type I error at ${shown(control)}`, ({ type_1 }) => percent(type_1), ({ type_1 }) => above(type_1)),
    designs.some((design) => design.largest_type_1) && row("Largest type I error", largest, ({ largest_type_1: found }) => found && found.value > alpha + TOLERANCE),
    chosen.type_1_drift && row(`Type I error with the drift of ${shown(drift)}`, ({ type_1_drift }) => percent(type_1_drift), ({ type_1_drift }) => above(type_1_drift)),
    row(arms.length > 2 ? "Any difference declared, true or false" : "Power", ({ power }) => percent(power)),
    ...(arms.length > 2 && better.length > 0 ? [
      row("Power, any better arm", ({ power_any: any }) => percent(any)),
      row("Power, all better arms", ({ power_all: all }) => percent(all)),
      row("Best arm chosen", ({ best }) => percent(best)),
    ] : []),
    better.length > 0 && row("Patients on the better arm", share),
    ...(arms.length > 2 ? arms.map((name, i) => row(`Patients on ${name}`, (design) => count(design.patients[i]))) : []),
    better.length > 0 && row("Worse arm gets over half", ({ worse_majority }) => percent(worse_majority)),
    row(outcome === "binary" ? "Expected successes" : "Expected total outcome", ({ successes }) => count(successes)),
    row("Gain over equal randomisation", ({ gain }) => difference(gain, 1)),
    row(`Bias of the effect${arms.length > 2 ? ` of ${arms[1]}` : ""}`, ({ bias }) => difference(bias, 3)),
  ].filter(Boolean);
}

const precision = (text) => h("span", { class: "precision" }, text);

function number({ value, error, exact }, write, writeError, more = "") {
  if (value === null) return ["–"];
  return [`${write(value)} `, precision((exact ? "exact" : `± ${writeError(error)}`) + more)];
}

/** The table for a response and the settings that it answers. */
export function table(found, settings) {
  const [chosen, equal] = found.designs;
  return h("table", { class: "characteristics" },
    h("caption", { class: "unseen" }, "Operating characteristics of both designs"),
    h("thead", {}, h("tr", {}, h("td", {}), [chosen, equal].map(({ name }, i) =>
      h("th", { scope: "col" }, h("span", { class: `stroke line-${i}`, "aria-hidden": "true" }), name)))),
    h("tbody", {}, rows(found, settings).map(({ title, cells }) =>
      h("tr", {}, h("th", { scope: "row" }, title), cells.map(({ parts, over }) => h("td", { class: over ? "over" : null }, parts))))));
}

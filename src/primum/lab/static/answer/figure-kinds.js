// The figures in words, and how each can be looked at.
import { h } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";
import { view } from "./view-settings.js";

export const TABS = {
  regret: "Regret",
  "best-arm": "Best arm",
  "worst-arm": "Worst arm",
  choices: "Choices",
  reward: "Reward",
  final: "Final regret",
  table: "Table",
  replay: "Replay",
  "take-away": "Take away",
};

const BANDS = {
  mean: "At each step, the band is the 95 % interval of the mean: more replications make it narrower.",
  median: "At each step, the band holds nine of ten replications: from the 5 % to the 95 % quantile.",
};
const LINES = {
  regret:
    "Regret adds up, step by step, how much worse the given arm is than the best one (its gap). Lower is better; a line that flattens has found a best arm.",
  "best-arm": "How much of the trial so far was spent on a best arm. Higher is better.",
  "worst-arm": "How much of the trial so far was spent on a worst arm, the one with the largest gap. Lower is better.",
  reward: "What the choices so far earn on average for each step. The arm that earns most need not be the best by your value.",
  arms: "The share of the steps so far that each policy gave to the arm.",
};
const OTHERS = {
  choices: "How the steps so far are shared out among the arms, on average over replications.",
  final: "How the regret at the last step spreads over the replications: a policy that is good on average may still fail at times.",
};

export const isFigure = (tab) => tab in LINES || tab === "choices" || tab === "final";

/** The kind of figure that a tab has, in the server's words, and the name of its tab. */
export const kindOf = (tab) => (tab === "choices" ? view.panels : tab);
export const kindShown = () => kindOf(view.tab);
export const nameOf = (kind) => TABS[kind === "arms" ? "choices" : kind];

export function explanation() {
  if (!isFigure(view.tab)) return "";
  const kind = kindShown();
  return LINES[kind] ? `${LINES[kind]} ${BANDS[view.statistic]}` : OTHERS[kind];
}

/** How it is looked at, as the server wants to be asked. */
export function optionsShown(kind, labels) {
  const options = view.hiddenOf(labels).map((label) => ["hidden", label]);
  if (kind in LINES) options.push(["statistic", view.statistic]);
  if (kind !== "final") options.push(["log", view.log]);
  return options;
}

/** What a figure shows, for those who do not see it. */
export function inWords({ title, subtitle }, { step, rows }) {
  const hidden = view.hiddenOf(rows.map((row) => row.policy));
  const ends = rows.filter((row) => !hidden.includes(row.policy)).map((row) => `${row.policy} ${shown(row.regret_mean, 3)}`);
  return `${title}, ${subtitle}. Mean regret after ${step} steps: ${ends.join(", ")}. The table has all numbers.`;
}

/** Mean or median, even or logarithmic steps, panels for policies or for arms: those that apply. */
export function controls() {
  const rows = [
    pair("Line", "statistic", { mean: "mean", median: "median" }, () => kindShown() in LINES),
    pair("Panels", "panels", { choices: "one per policy", arms: "one per arm" }, () => view.tab === "choices"),
    pair("Steps", "log", { false: "evenly spaced", true: "logarithmic" }, () => view.tab !== "final"),
  ];
  const element = h("div", { class: "controls" }, rows);
  element.show = () => rows.forEach((row) => row.show());
  return element;
}

function pair(legend, key, choices, applies) {
  const inputs = Object.entries(choices).map(([choice, text]) => {
    const input = h("input", { type: "radio", name: `view-${key}`, value: choice });
    input.addEventListener("change", () => view.change({ [key]: key === "log" ? choice === "true" : choice }));
    return h("label", {}, input, h("span", {}, text));
  });
  const element = h("fieldset", { class: "switch" }, h("legend", {}, legend), h("div", {}, inputs));
  element.show = () => {
    element.hidden = !applies();
    for (const { firstChild: input } of inputs) input.checked = input.value === String(view[key]);
  };
  return element;
}

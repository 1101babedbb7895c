// The tabs of the results, the kinds of figure, and their descriptions.
import { shown } from "../lib/formatting.js";
import { view } from "./view-settings.js";

export const TABS = {
  regret: "Regret",
  "best-arm": "Best arm",
  "worst-arm": "Worst arm",
  choices: "Allocation",
  reward: "Reward",
  final: "Final regret",
  table: "Table",
  replay: "Replay",
  export: "Export",
};

const BANDS = {
  mean: "The band is a pointwise 95 % confidence interval of the mean; it narrows with more replications.",
  median: "The band is from the pointwise 5 % to the 95 % quantile and so contains nine of ten replications.",
};
const LINES = {
  regret:
    "Cumulative regret adds up the gaps of the pulled arms: how much worse each is than the best arm. Lower is better; a curve that flattens has found a best arm.",
  "best-arm": "Share of the pulls so far that went to a best arm. Higher is better.",
  "worst-arm": "Share of the pulls so far that went to a worst arm, one with the largest gap. Lower is better.",
  reward: "Expected reward per step of the arms pulled so far. The arm with the highest expected reward need not be the best under your value.",
  arms: "Share of the pulls so far that each policy gave to the arm.",
};
const OTHERS = {
  choices: "Allocation of the pulls so far to the arms, averaged over replications.",
  final: "Distribution of the regret at the last step over replications: a policy with low mean regret may still fail in some of them.",
};

export const hasBand = () => kindShown() in LINES;
export const isFigure = (tab) => tab in LINES || tab === "choices" || tab === "final";

/** The kind of figure in a tab, as the server names it, and the name of its tab. */
export const kindOf = (tab) => (tab === "choices" ? view.panels : tab);
export const kindShown = () => kindOf(view.tab);
export const nameOf = (kind) => TABS[kind === "arms" ? "choices" : kind];

export function explanation() {
  if (!isFigure(view.tab)) return "";
  const kind = kindShown();
  return LINES[kind] ? `${LINES[kind]} ${BANDS[view.statistic]}` : OTHERS[kind];
}

/** The current settings of a figure, as query parameters. */
export function optionsShown(kind, labels) {
  const options = view.hiddenOf(labels).map((label) => ["hidden", label]);
  if (kind in LINES) options.push(["statistic", view.statistic]);
  if (kind !== "final") options.push(["log", view.log]);
  return options;
}

/** A description of a figure for screen readers. */
export function inWords({ title, subtitle }, { step, rows }) {
  const hidden = view.hiddenOf(rows.map((row) => row.policy));
  const ends = rows.filter((row) => !hidden.includes(row.policy)).map((row) => `${row.title} ${shown(row.regret_mean, 3)}`);
  return `${title}, ${subtitle}. Mean regret after ${step} steps: ${ends.join(", ")}. The table has all numbers.`;
}

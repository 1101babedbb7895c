// The syntax of formulas, with examples.
import { h } from "../lib/dom.js";

const FUNCTIONALS = [
  ["mean", "mean reward"],
  ["var", "variance"],
  ["std", "standard deviation"],
  ["min, max", "smallest and largest reward"],
  ["median", "half of the rewards are at or below it"],
  ["quantile(q)", "a fraction q of the rewards is at or below it"],
  ["cvar(a)", "conditional value at risk: mean of the worst fraction a of rewards"],
  ["prob(c)", "probability of a reward of at least c"],
  ["lpm(c, k)", "lower partial moment: mean of maximum(c - reward, 0) ** k"],
  ["gini", "Gini mean difference: mean distance between two rewards"],
  ["entropic(t)", "entropic risk: certainty equivalent at risk aversion t"],
];
const EXAMPLES = [
  "mean - 0.5 * var",
  "0.7 * mean + 0.3 * cvar(0.1)",
  "minimum(mean, 0.5) - std",
  "prob(0.3)",
  "mean - lpm(0.5, 2)",
];

/** Calls `chosen(text)` with the example that is clicked. */
export function formulaHelp(chosen) {
  return h("div", { class: "formulas", hidden: true },
    h("div", { class: "row" }, h("span", { class: "hint" }, "Examples"),
      EXAMPLES.map((text) => h("button", { type: "button", class: "quiet example", onclick: () => chosen(text) }, text))),
    h("details", {}, h("summary", {}, "Formula syntax"),
      h("dl", { class: "terms" },
        FUNCTIONALS.map(([term, text]) => h("div", {}, h("dt", {}, h("code", {}, term)), h("dd", {}, text)))),
      h("p", { class: "hint" },
        "Combine them with numbers, + - * / ** (power), parentheses, and sqrt, exp, log, abs, minimum(a, b), maximum(a, b).")),
  );
}

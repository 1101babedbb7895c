// What a formula may contain, explained, and formulas to begin with.
import { h } from "../lib/dom.js";

const FUNCTIONALS = [
  ["mean", "the average reward"],
  ["var", "the variance: how far rewards are from the mean, squared, on average"],
  ["std", "the standard deviation: the square root of the variance"],
  ["min, max", "the smallest and the largest reward"],
  ["median", "half of the rewards are at or below it"],
  ["quantile(q)", "a share q of the rewards is at or below it"],
  ["cvar(a)", "the mean of the worst share a of rewards"],
  ["prob(c)", "the probability of a reward of c or more"],
  ["lpm(c, k)", "the mean shortfall below c, to the power k"],
  ["gini", "the mean difference between two rewards"],
  ["entropic(t)", "the certain reward that a person of risk aversion t finds worth as much"],
];
const EXAMPLES = [
  "mean - 0.5 * var",
  "0.7 * mean + 0.3 * cvar(0.1)",
  "minimum(mean, 0.5) - std",
  "prob(0.3)",
  "mean - lpm(0.5, 2)",
];

/** `chosen(text)` is called with the example that was picked. */
export function formulaHelp(chosen) {
  return h("div", { class: "formulas", hidden: true },
    h("div", { class: "row" }, h("span", { class: "hint" }, "For example"),
      EXAMPLES.map((text) => h("button", { type: "button", class: "quiet example", onclick: () => chosen(text) }, text))),
    h("details", {}, h("summary", {}, "What a formula may contain"),
      h("dl", { class: "terms" },
        FUNCTIONALS.map(([term, text]) => h("div", {}, h("dt", {}, h("code", {}, term)), h("dd", {}, text)))),
      h("p", { class: "hint" },
        "Join them with numbers, + - * / ** (power), parentheses, and sqrt, exp, log, abs, minimum(a, b), maximum(a, b).")),
  );
}

// The arms ranked by value, and the best arms under other values.
import { h } from "../lib/dom.js";
import { aligned, named } from "../lib/formatting.js";

const head = (...words) =>
  h("thead", {}, h("tr", {}, words.map((word) => (word ? h("th", { scope: "col" }, word) : h("td")))));

function bar(gap, largest) {
  const length = h("span", { class: "length" });
  length.style.inlineSize = `${largest > 0 ? (100 * gap) / largest : 0}%`;
  return h("span", { class: "bar", "aria-hidden": "true" }, length);
}

export function showRanking(table, appraisals, arms, value) {
  const ranked = appraisals
    .map((appraisal, i) => ({ ...appraisal, name: arms[i]?.name }))
    .filter(({ rank }) => rank !== null && rank !== undefined)
    .sort((a, b) => a.rank - b.rank);
  const largest = Math.max(...ranked.map(({ gap }) => gap), 0);
  const values = aligned(ranked.map((arm) => arm.value));
  const gaps = aligned(ranked.map((arm) => arm.gap));
  table.hidden = ranked.length === 0;
  table.replaceChildren(
    h("caption", {}, `Arms by ${value}`),
    head("rank", "arm", "value", "gap", ""),
    h("tbody", {}, ranked.map((arm, i) =>
      h("tr", { class: arm.best && "best" },
        h("td", {}, arm.rank), h("th", { scope: "row" }, arm.name), h("td", {}, values[i]),
        h("td", {}, arm.best ? "best" : gaps[i]), h("td", {}, bar(arm.gap, largest))))),
  );
}

export function showAlternatives(table, alternatives) {
  table.replaceChildren(
    h("caption", { class: "unseen" }, "Best arm under other values"),
    head("value", "best arm", ""),
    h("tbody", {}, alternatives.map(({ value, best, differs }) =>
      h("tr", { class: differs && "differs" },
        h("th", { scope: "row" }, value), h("td", {}, named(best)), h("td", {}, differs ? "different" : "same")))),
  );
}

// The switches above a figure.
import { h } from "../lib/dom.js";
import { hasBand } from "./figure-kinds.js";
import { view } from "./view-settings.js";

/** Switches for statistic, panels and axis: those that apply to the present figure. */
export function controls() {
  const rows = [
    pair("Statistic", "statistic", { mean: "mean", median: "median" }, hasBand),
    pair("Panels", "panels", { choices: "one per policy", arms: "one per arm" }, () => view.tab === "choices"),
    pair("Step axis", "log", { false: "linear", true: "log" }, () => view.tab !== "final"),
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
  const element = h("fieldset", { class: "switch", title: legend }, h("legend", { class: "unseen" }, legend), h("div", {}, inputs));
  element.show = () => {
    element.hidden = !applies();
    for (const { firstChild: input } of inputs) input.checked = input.value === String(view[key]);
  };
  return element;
}

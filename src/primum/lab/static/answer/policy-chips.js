// The policies of the answer: each can be left out of every figure.
import { h, repeat, say, svg } from "../lib/dom.js";
import { colour } from "../lib/catalogue.js";
import { view } from "./view-settings.js";

// the dashes of the figures, in widths of the line
const DASHES = ["", "6 2", "1.5 1.5", "6 2 1.5 2", "11 2.5", "11 2 1.5 2 1.5 2", "3 3"];
const [WIDTH, LENGTH] = [2, 36]; // pixels

/** An element with `show(labels)`. */
export function policyChips() {
  let labels = [];
  const list = h("div", { class: "list" });
  const showAll = () => {
    view.change({ hidden: new Set() });
    list.firstElementChild.focus(); // the button is gone
  };
  const all = h("button", { type: "button", class: "all", onclick: showAll }, "Show all");
  const element = h("div", { class: "policies", role: "group", "aria-label": "Policies in the figures" }, list, all);
  element.show = (given) => {
    labels = given;
    draw();
  };
  const draw = () => {
    const hidden = view.hiddenOf(labels);
    repeat(list, labels, chip);
    [...list.children].forEach((each, i) => each.setAttribute("aria-pressed", !hidden.includes(labels[i])));
    all.hidden = hidden.length === 0;
  };
  view.addEventListener("change", draw);
  return element;

  function chip(i) {
    const name = h("span", {});
    const press = () => {
      // the last one that is left cannot be switched off: then all are shown
      const hidden = new Set(view.hiddenOf(labels));
      if (!hidden.delete(labels[i])) hidden.add(labels[i]);
      view.change({ hidden: hidden.size < labels.length ? hidden : new Set() });
    };
    const each = h("button", { type: "button", class: "policy", onclick: press }, sample(i), name);
    each.show = (label) => say(name, label);
    return each;
  }
}

/** A short line as the figures have it: colour and dash. */
export function sample(position) {
  const dashes = DASHES[position % DASHES.length].split(" ").filter(Boolean).map((length) => length * WIDTH);
  const line = svg("line", { x1: 0, x2: LENGTH, y1: 5, y2: 5, "stroke-width": 1.5 * WIDTH, "stroke-dasharray": dashes.join(" ") || null });
  const black = colour(position) === "#000000"; // takes the colour of text, which is seen on a dark ground too
  line.style.stroke = black ? "currentColor" : colour(position);
  return svg("svg", { class: "sample", width: LENGTH, height: 10, "aria-hidden": "true" }, line);
}

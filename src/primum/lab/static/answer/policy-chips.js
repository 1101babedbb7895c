// The policies of the results: a button for each shows or hides it in all figures.
import { h, repeat, say, svg } from "../lib/dom.js";
import { colour } from "../lib/catalogue.js";
import { view } from "./view-settings.js";

// the dash patterns of the figures, in line widths
const DASHES = ["", "6 2", "1.5 1.5", "6 2 1.5 2", "11 2.5", "11 2 1.5 2 1.5 2", "3 3"];
const [WIDTH, LENGTH] = [2, 36]; // pixels

/** An element with `show(rows)`, the rows of the summary. */
export function policyChips() {
  let rows = [];
  const list = h("div", { class: "list" });
  const showAll = () => {
    view.change({ hidden: new Set() });
    list.firstElementChild.focus(); // this button disappears
  };
  const all = h("button", { type: "button", class: "all", onclick: showAll }, "Show all");
  const element = h("div", { class: "policies", role: "group", "aria-label": "Policies shown in figures" }, list, all);
  element.show = (given) => {
    rows = given;
    draw();
  };
  const draw = () => {
    const hidden = view.hiddenOf(rows.map((row) => row.policy));
    repeat(list, rows, chip);
    [...list.children].forEach((each, i) => each.setAttribute("aria-pressed", !hidden.includes(rows[i].policy)));
    all.hidden = hidden.length === 0;
  };
  view.addEventListener("change", draw);
  return element;

  function chip(i) {
    const name = h("span", {});
    const learns = h("small", {});
    const press = () => {
      // the last policy shown cannot be hidden: then all are shown
      const { policy } = rows[i];
      const hidden = new Set(view.hiddenOf(rows.map((row) => row.policy)));
      if (!hidden.delete(policy)) hidden.add(policy);
      view.change({ hidden: hidden.size < rows.length ? hidden : new Set() });
    };
    const each = h("button", { type: "button", class: "policy", onclick: press }, sample(i), name, " ", learns);
    each.show = (row) => {
      say(name, row.title);
      say(learns, row.learns && `learns ${row.learns}`);
    };
    return each;
  }
}

/** A short line with the colour and dashes of the policy in the figures. */
export function sample(position) {
  const dashes = DASHES[position % DASHES.length].split(" ").filter(Boolean).map((length) => length * WIDTH);
  const line = svg("line", { x1: 0, x2: LENGTH, y1: 5, y2: 5, "stroke-width": 1.5 * WIDTH, "stroke-dasharray": dashes.join(" ") || null });
  line.style.stroke = colour(position);
  return svg("svg", { class: "sample", width: LENGTH, height: 10, "aria-hidden": "true" }, line);
}

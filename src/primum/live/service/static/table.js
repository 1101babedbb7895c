// Tables: rows of cells under titles, in a frame that scrolls sideways where it must.
import { h } from "./lib/dom.js";

/** `rows` are lists of texts or elements; the first of each is its title. Columns in `numeric` are flush right. */
export function table(caption, columns, rows, numeric = []) {
  const kind = (i) => numeric.includes(i) && "number";
  return h("div", { class: "scroll", role: "region", "aria-label": caption, tabindex: "0" },
    h("table", { class: columns.length > 4 && "wide" }, h("caption", {}, caption),
      h("thead", {}, h("tr", {}, columns.map((column, i) => h("th", { scope: "col", class: kind(i) }, column)))),
      h("tbody", {}, rows.map((cells) =>
        h("tr", {}, cells.map((cell, i) => (i === 0 ? h("th", { scope: "row", class: kind(i) }, cell) : h("td", { class: kind(i) }, cell))))))));
}

/** Names with their numbers, as a list of tiles; `[name, number, hint, kind]` each. */
export const tiles = (items) =>
  h("dl", { class: "tiles" }, items.map(([name, number, hint, kind]) =>
    h("div", { class: kind }, h("dt", {}, name), h("dd", {}, number, hint && [" ", h("small", {}, hint)]))));

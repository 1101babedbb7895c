// The layout of a CSV file and its columns, as a form.
import { h, unique } from "../lib/dom.js";

/** The names in the first line, for a file whose columns the server could not identify. */
export async function namesIn(file) {
  const line = (await file.slice(0, 10_000).text()).split(/\r?\n/, 1)[0];
  const separator = [",", ";", "\t", "|"].sort((a, b) => line.split(b).length - line.split(a).length)[0];
  return line.split(separator).slice(0, 100).map((name) => name.trim().replace(/^"(.*)"$/, "$1"));
}

const options = (names) => names.map((name) => h("option", { value: name }, name));

/**
 * An element with `show(made)` for a response of the server, `offer(names)` for a file that was refused, and `given()`,
 * the options of a request; calls `changed(given)` after a change by the user.
 */
export function csvColumns(changed) {
  const layout = h("select", { id: unique("layout") },
    h("option", { value: "long" }, "one row per outcome"), h("option", { value: "wide" }, "one column per arm"));
  const arm = h("select", { id: unique("column") });
  const outcome = h("select", { id: unique("column") });
  const boxes = h("div", { class: "row" });
  const long = h("div", { class: "pair" },
    h("div", { class: "field" }, h("label", { for: arm.id }, "arm column"), arm),
    h("div", { class: "field" }, h("label", { for: outcome.id }, "outcome column"), outcome));
  const wide = h("fieldset", {}, h("legend", {}, "columns of arms"), boxes);
  const element = h("div", { class: "csv-settings" },
    h("div", { class: "field" }, h("label", { for: layout.id }, "layout"), layout), long, wide);
  const chosen = () => [...boxes.querySelectorAll("input:checked")].map((box) => ["arms", box.value]);
  const columns = () => (layout.value === "wide" ? chosen() : [["arm", arm.value], ["outcome", outcome.value]]);
  const isComplete = () => columns().length > 0 && columns().every(([, name]) => name);

  function fill(names, selected) {
    arm.replaceChildren(...options(names));
    outcome.replaceChildren(...options(names));
    arm.value = selected.arm ?? "";
    outcome.value = selected.outcome ?? "";
    boxes.replaceChildren(...names.map((name) => {
      const box = h("input", { type: "checkbox", value: name, onchange: told });
      box.checked = selected.arm_columns.includes(name);
      return h("label", { class: "check" }, box, name);
    }));
    long.hidden = layout.value !== "long";
    wide.hidden = layout.value !== "wide";
  }
  const told = () => isComplete() && changed(element.given());

  layout.addEventListener("change", () => {
    long.hidden = layout.value !== "long";
    wide.hidden = layout.value !== "wide";
    changed([["layout", layout.value]]); // the server guesses the columns
  });
  for (const select of [arm, outcome]) select.addEventListener("change", told);
  element.given = () => [["layout", layout.value], ...columns().filter(([, name]) => name)];
  element.show = (made) => {
    layout.value = made.layout;
    fill(made.columns, made);
  };
  element.offer = (names) => fill(names, { arm_columns: [] });
  return element;
}

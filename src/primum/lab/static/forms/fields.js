// A field for each kind of parameter: an element with `show(given, place)` that calls `changed(given)`.
import { h, say, unique } from "../lib/dom.js";
import { about, faultLine } from "./errors.js";
import { read, readMany, shown } from "../lib/formatting.js";
import { scale } from "./slider-scale.js";

const SHOWN_AT_ONCE = 10; // a longer list of numbers is folded

/** A field with its label, its explanation and its line for errors. */
function framed(parameter, field, extra = []) {
  const text = parameter.text && h("span", { class: "hint", id: unique("hint") }, parameter.text);
  field.id = unique("field");
  if (text) field.setAttribute("aria-describedby", text.id);
  const fault = faultLine(field);
  const head = h("div", { class: "head" }, h("label", { for: field.id }, parameter.word), text);
  const element = h("div", { class: "field" }, head, extra, field, fault);
  element.fault = fault;
  return element;
}

/** A number field, with a slider if the parameter has one. */
export function numberField(parameter, changed) {
  const keys = parameter.kind === "integer" ? "numeric" : "decimal";
  const field = h("input", { type: "text", inputmode: keys, autocomplete: "off" });
  const slider =
    parameter.slider && h("input", { type: "range", min: 0, max: 200, "aria-label": `${parameter.word}, slider` });
  const ends = parameter.slider && scale(parameter);
  const element = framed(parameter, field, slider || []);
  element.classList.toggle("has-slider", Boolean(slider));
  field.addEventListener("input", () => changed(read(field.value)));
  slider?.addEventListener("input", () => changed(ends.number(slider.value / 200)));
  element.show = (given, place) => {
    if (read(field.value) !== given) field.value = given ?? "";
    if (slider && typeof given === "number") {
      if (ends.number(slider.value / 200) !== given) slider.value = Math.round(200 * ends.position(given));
      slider.setAttribute("aria-valuetext", shown(given));
    }
    about(element.fault, place);
  };
  return element;
}

/** A list of numbers; a long one is folded. */
export function numbersField(parameter, changed) {
  const field = h("textarea", { rows: 1, spellcheck: "false", autocomplete: "off" });
  const inner = framed(parameter, field);
  inner.fault.dataset.many = "true";
  const summary = h("summary", {}, "");
  const fold = h("details", { class: "numbers", open: true }, summary, inner);
  field.addEventListener("input", () => changed(readMany(field.value)));
  let length = -1;
  fold.show = (given, place) => {
    const numbers = Array.isArray(given) ? given : [];
    const typing = field === document.activeElement;
    if (JSON.stringify(readMany(field.value)) !== JSON.stringify(numbers)) field.value = numbers.join(", ");
    say(summary, `${parameter.word}: ${numbers.length} numbers`);
    if (numbers.length !== length && !typing) {
      fold.open = numbers.length <= SHOWN_AT_ONCE;
      summary.hidden = numbers.length <= SHOWN_AT_ONCE;
    }
    length = numbers.length;
    about(inner.fault, place);
  };
  return fold;
}

export function textField(parameter, changed) {
  const field = h("input", { type: "text", spellcheck: "false", autocomplete: "off", autocapitalize: "off" });
  const element = framed(parameter, field);
  field.addEventListener("input", () => changed(field.value));
  element.show = (given, place) => {
    if (field.value !== given) field.value = given ?? "";
    about(element.fault, place);
  };
  return element;
}

export function choiceField(parameter, changed) {
  const field = h("select", {}, parameter.choices.map((choice) => h("option", { value: choice }, choice)));
  const element = framed(parameter, field);
  field.addEventListener("change", () => changed(field.value));
  element.show = (given, place) => {
    field.value = given;
    about(element.fault, place);
  };
  return element;
}

// The form of a plug-in: a choice of plug-ins, and the parameters of the chosen one, which may be plug-ins again.
import { asSpec, plugin } from "../lib/catalogue.js";
import { h, repeat, say, unique } from "../lib/dom.js";
import { about, faultLine } from "./errors.js";
import { choiceField, numberField, numbersField, textField } from "./fields.js";
import { pickerButton } from "./picker.js";

/** An element with `show(spec, place)` that calls `changed(spec)`; `word` is the label of the choice. */
export function pluginForm(family, word, changed) {
  let spec = {};
  const choice = pickerButton(family, word, (name) => changed(structuredClone(plugin(family, name).start)));
  const summary = h("p", { class: "hint", id: unique("hint") });
  choice.button.setAttribute("aria-describedby", summary.id);
  const fault = faultLine(choice.button);
  const parameters = h("div", { class: "parameters" });
  const element = h("div", { class: "plugin" }, choice, summary, fault, parameters);
  element.show = (given, place) => {
    const before = spec.name;
    spec = asSpec(given);
    const form = plugin(family, spec.name);
    if (before !== spec.name) {
      choice.show(spec.name);
      say(summary, form.summary.replaceAll("`", ""));
      parameters.replaceChildren(
        ...form.parameters.map((parameter) => field(worded(form, parameter), (inner) => changed({ ...spec, [parameter.name]: inner }))),
      );
    }
    form.parameters.forEach((parameter, i) =>
      parameters.children[i].show(spec[parameter.name] ?? parameter.default, `${place}.${parameter.name}`),
    );
    about(fault, place);
  };
  return element;
}

/** The parameter with the label of its field. */
function worded({ title }, parameter) {
  return { ...parameter, word: parameter.name === "text" ? title : parameter.name.replaceAll("_", " ") };
}

function field(parameter, changed) {
  if (parameter.kind === "plugin") return (parameter.many ? pluginsField : pluginField)(parameter, changed);
  if (parameter.kind === "choice") return choiceField(parameter, changed);
  if (parameter.kind === "text") return textField(parameter, changed);
  return (parameter.many ? numbersField : numberField)(parameter, changed);
}

function pluginField(parameter, changed) {
  const form = pluginForm(parameter.family, parameter.text || "type", changed);
  const element = h("fieldset", {}, h("legend", {}, parameter.word), form);
  element.show = (given, place) => form.show(given, place);
  return element;
}

function pluginsField(parameter, changed) {
  let specs = [];
  const single = parameter.word.replace(/s$/, "");
  const list = h("div", { class: "inner-list" });
  const fault = faultLine();
  const add = () => changed([...specs, structuredClone(specs.at(-1))]);
  const make = (i) => {
    const form = pluginForm(parameter.family, "type", (spec) => changed(specs.with(i, spec)));
    const drop = () => {
      changed(specs.toSpliced(i, 1));
      (list.children[i] || list.lastElementChild).querySelector(".choice").focus();
    };
    const remove = h("button", { type: "button", class: "quiet", onclick: drop }, `Remove ${i + 1}`);
    const item = h("fieldset", {}, h("legend", {}, `${single} ${i + 1}`), form, remove);
    item.show = (spec) => {
      form.show(spec, `${item.parentElement.dataset.within}[${i}]`);
      remove.hidden = specs.length < 2;
    };
    return item;
  };
  const more = h("button", { type: "button", class: "quiet", onclick: add }, `Add a ${single}`);
  const element = h("div", { class: "field" }, list, fault, more);
  element.show = (given, place) => {
    specs = given;
    list.dataset.within = place;
    repeat(list, specs, make);
    about(fault, place);
  };
  return element;
}

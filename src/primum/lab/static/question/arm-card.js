// One arm: its name, the form of its distribution, and a plot of it.
import { catalogue, plugin } from "../lib/catalogue.js";
import { drawDensity, drawTiny } from "../forms/density.js";
import { h, say, unique } from "../lib/dom.js";
import { about, countFaults, faultLine } from "../forms/errors.js";
import { listActions } from "./list-actions.js";
import { shown } from "../lib/formatting.js";
import { pluginForm } from "../forms/parameter-form.js";
import { question } from "../lib/state.js";
import { asDifference, asOutcome, withUnit } from "../lib/units.js";

/** An unused name like the given one: "new" gives "new 2". */
export function freshName(base, arms) {
  const names = new Set(arms.map((arm) => arm.name));
  const stem = base.replace(/ \d+$/, "").slice(0, 90) || "arm";
  let number = 2;
  while (names.has(`${stem} ${number}`)) number++;
  return `${stem} ${number}`;
}

const copy = (arms, arm) => ({ ...structuredClone(arm), name: freshName(arm.name, arms) });

/** A list item with `show(arm, i)` and `look(appraisal, common)`; `act` changes the list. */
export function armCard(act) {
  let position = 0;
  const title = h("span", { class: "name" });
  const label = h("span", { class: "label" });
  const mean = h("span");
  const value = h("span");
  const badge = h("span", { class: "badge" }, "best");
  const tiny = h("span", { class: "sketch" });
  const plot = h("div", { class: "arm-plot" });
  const facts = h("dl", { class: "facts" });
  const name = h("input", { type: "text", id: unique("name"), maxlength: 100, autocomplete: "off" });
  const fault = faultLine(name);
  const form = pluginForm("rewards", "distribution", (spec) =>
    question.change(({ arms }) => (arms[position].distribution = spec)),
  );
  const actions = listActions("arms", () => position, act, copy);
  name.addEventListener("input", () => question.change(({ arms }) => (arms[position].name = name.value)));

  const head = h("span", { class: "words" }, h("span", { class: "headline" }, title, badge), label);
  const element = h("details", { class: "card" },
    h("summary", {}, head, tiny, h("span", { class: "worth" }, mean, value)),
    plot, facts,
    h("div", { class: "identity" },
      h("div", {}, h("div", { class: "field" }, h("label", { for: name.id }, "name"), name, fault), form)),
    actions,
  );
  element.show = (arm, i) => {
    position = i;
    const { arms } = question.data;
    if (name.value !== arm.name) name.value = arm.name;
    say(title, arm.name || "(unnamed)");
    about(fault, `arms[${i}].name`);
    form.show(arm.distribution, `arms[${i}].distribution`);
    actions.show(arms.length, catalogue.limits.arms);
    if (!question.appraisal) say(label, plugin("rewards", arm.distribution.name).title);
  };
  element.look = (arm, common) => {
    const wrong = !arm || countFaults(`arms[${position}]`) > 0;
    element.classList.toggle("wrong", wrong);
    say(label, wrong ? "invalid" : arm.label);
    say(mean, arm ? `mean ${shown(arm.mean, 3)}` : "");
    say(value, arm && arm.value !== null ? `safety value ${shown(arm.value, 3)}` : "");
    badge.hidden = !arm?.best;
    if (!arm) return; // the last plot stays, faded, so that the page does not jump during typing
    tiny.replaceChildren(drawTiny(arm, common));
    plot.replaceChildren(drawDensity(arm, common));
    const { unit } = question.data;
    const scaled = question.appraisal.value?.equivariant ? unit : null; // other values have no meaning in the file's unit
    const numbers = [
      ["mean", arm.mean, unit, asOutcome],
      ["std. dev.", arm.deviation, unit, asDifference],
      ["safety value", arm.value, scaled, asOutcome],
      ["gap", arm.gap, scaled, asDifference],
    ];
    facts.replaceChildren(
      ...numbers.map(([word, number, inUnit, convert]) =>
        h("div", {}, h("dt", {}, word), h("dd", {}, number === null ? "–" : shown(number, 3)),
          inUnit && number !== null && h("dd", { class: "in-unit" }, withUnit(inUnit, shown(convert(inUnit, number))))),
      ),
    );
  };
  return element;
}

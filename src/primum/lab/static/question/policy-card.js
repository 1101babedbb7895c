// One policy: its parameters, its requirements, and its source.
import { catalogue, colour, plugin } from "../lib/catalogue.js";
import { h, say } from "../lib/dom.js";
import { countFaults } from "../forms/errors.js";
import { listActions } from "./list-actions.js";
import { pluginForm } from "../forms/parameter-form.js";
import { variant } from "./policy-variant.js";
import { question } from "../lib/state.js";

/** A list item with `show(policy, i)` and `look(appraisal)`; `act` changes the list. */
export function policyCard(act) {
  let position = 0;
  const chip = h("span", { class: "chip", "aria-hidden": "true" });
  const label = h("span", { class: "name" });
  const learns = h("span", { class: "label" });
  const badge = h("span", { class: "worth" });
  const facts = h("p", { class: "hint" });
  const fault = h("p", { class: "fault", "aria-live": "polite" });
  const details = h("p");
  const reference = h("p", { class: "hint" });
  const source = h("details", { class: "source" }, h("summary", {}, "Details and reference"), details, reference);
  const form = pluginForm("policies", "policy", (spec) => question.change(({ policies }) => (policies[position] = spec)));
  const actions = listActions("policies", () => position, act, variant);
  const element = h("details", { class: "card", name: "policy" },
    h("summary", {}, chip, h("span", { class: "words" }, label, learns), badge), form, facts, fault, source, actions);

  element.show = (policy, i) => {
    position = i;
    const { title, details: text, reference: from } = plugin("policies", policy.name);
    chip.style.backgroundColor = colour(i);
    form.show(policy, `policies[${i}]`);
    say(details, text.replaceAll("`", "").replaceAll(/(?<!\n)\n(?!\n|- )\s*/g, " ")); // the source is broken into lines
    say(reference, from);
    source.hidden = !text && !from;
    const { policies } = question.data;
    const alone = variant(policies, policy) ? "" : `${title} has no parameters to vary, so it cannot be duplicated.`;
    actions.show(policies.length, catalogue.limits.policies, alone);
    if (!question.appraisal) say(label, title);
  };
  element.look = (policy) => {
    say(label, policy ? policy.label : plugin("policies", question.data.policies[position].name).title);
    say(learns, policy?.learns ? `learns ${policy.learns}` : "");
    const wrong = !policy || countFaults(`policies[${position}]`) > 0;
    say(badge, wrong ? "invalid" : policy.fault ? "not applicable" : "");
    say(fault, policy?.fault || "");
    if (policy) say(facts, policy.facts.join(" "));
  };
  return element;
}

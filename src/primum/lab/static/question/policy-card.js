// One policy: which one, its parameters, what it needs, and where it comes from.
import { another } from "./policy-variant.js";
import { catalogue, colour, plugin } from "../lib/catalogue.js";
import { h, say } from "../lib/dom.js";
import { countFaults } from "./errors.js";
import { listActions } from "./list-actions.js";
import { pluginForm } from "./parameter-form.js";
import { question } from "../lib/state.js";

/** A list item with `show(policy, i)` and `look(appraisal)`; `act` changes the list. */
export function policyCard(act) {
  let position = 0;
  const chip = h("span", { class: "chip", "aria-hidden": "true" });
  const label = h("span", { class: "name" });
  const badge = h("span", { class: "worth" });
  const facts = h("p", { class: "hint" });
  const fault = h("p", { class: "fault", "aria-live": "polite" });
  const details = h("p");
  const reference = h("p", { class: "hint" });
  const source = h("details", { class: "source" }, h("summary", {}, "How it works, and where it comes from"), details, reference);
  const form = pluginForm("policies", "policy", (spec) => question.change(({ policies }) => (policies[position] = spec)));
  const actions = listActions("policies", () => position, act, another);
  const element = h("details", { class: "card", name: "policy" },
    h("summary", {}, chip, h("span", { class: "words" }, label), badge), form, facts, fault, source, actions);

  element.show = (policy, i) => {
    position = i;
    const { details: text, reference: from } = plugin("policies", policy.name);
    const ink = colour(i);
    chip.style.backgroundColor = ink === "#000000" ? "var(--ink)" : ink; // black is lost on a dark ground
    form.show(policy, `policies[${i}]`);
    say(details, text.replaceAll("`", "").replaceAll(/(?<!\n)\n(?!\n|- )\s*/g, " ")); // lines of the source flow
    say(reference, from);
    source.hidden = !text && !from;
    const { policies } = question.data;
    const alone = another(policies, policy) ? "" : `A second ${policy.name} would be the same: it has no parameters.`;
    actions.show(policies.length, catalogue.limits.policies, alone);
    if (!question.appraisal) say(label, policy.name);
  };
  element.look = (policy) => {
    say(label, policy ? policy.label : question.data.policies[position].name);
    const wrong = !policy || countFaults(`policies[${position}]`) > 0;
    say(badge, wrong ? "to be corrected" : policy.fault ? "cannot play" : "");
    say(fault, policy?.fault || "");
    if (policy) say(facts, policy.facts.join(" "));
  };
  return element;
}

// Step 3: the policies.
import { catalogue, plugin } from "../lib/catalogue.js";
import { h, repeat, say } from "../lib/dom.js";
import { otherFaults } from "../forms/errors.js";
import { help } from "../lib/help.js";
import { focusItem } from "./list-actions.js";
import { named } from "../lib/formatting.js";
import { pick } from "../forms/picker.js";
import { policyCard } from "./policy-card.js";
import { variant } from "./policy-variant.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

const MOST_NAMED = 4; // policies named in the closed step

class Policies extends HTMLElement {
  #list = h("div", { class: "cards" });
  #empty = h("p", { class: "empty" }, "There are no policies. Add one, or load an example.");
  #add = h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => this.#more() }, "Add a policy");
  #full = h("span", { class: "hint" });
  #faults = otherFaults("policies");
  #step = step(3, "Policies", "policies", false,
    h("div", { class: "lead" },
      h("p", {}, "A policy chooses an arm at each step from the rewards observed so far. All policies face the same rewards."),
      help("policies",
        "A policy must try arms to learn about them, and stop pulling inferior arms soon enough. ",
        "Its regret is the loss from pulling arms other than the best. ",
        "The same policy can be compared with itself under other parameters.")),
    this.#list, this.#empty, this.#faults,
    h("div", { class: "row" }, this.#add, this.#full));

  connectedCallback() {
    this.append(this.#step);
    question.addEventListener("change", () => this.#show());
    question.addEventListener("appraisal", () => this.#look());
  }

  #show() {
    const { policies } = question.data;
    repeat(this.#list, policies, () => policyCard((change, next) => this.#act(change, next)));
    const full = policies.length >= catalogue.limits.policies;
    this.#empty.hidden = policies.length > 0;
    this.#faults.hidden = policies.length === 0; // the line above says it
    this.#add.disabled = full;
    say(this.#full, full ? `The limit is ${policies.length} policies.` : "");
    this.#tell();
  }

  #look() {
    [...this.#list.children].forEach((card, i) => card.look(question.appraisal.policies[i]));
    this.#tell();
  }

  #tell() {
    const labels = question.data.policies.map((policy, i) => question.appraisal?.policies[i]?.label || plugin("policies", policy.name).title);
    const unfit = labels.filter((_, i) => question.appraisal?.policies[i]?.fault);
    this.#step.tell(`${unfit.length ? `${named(unfit)} not applicable; all: ` : ""}${named(labels, MOST_NAMED) || "no policies"}`);
  }

  #act(change, next) {
    const act = document.activeElement?.dataset.act;
    question.change(({ policies }) => change(policies));
    focusItem(this.#list, next, act, this.#add);
  }

  async #more() {
    const { policies } = question.data;
    const used = (name) => (variant(policies, plugin("policies", name).start) ? "" : "It is in the list already and has no parameters to vary.");
    const name = await pick("policies", "Add a policy", "", used);
    if (!name) return;
    question.change((data) => data.policies.push(variant(data.policies, plugin("policies", name).start)));
    focusItem(this.#list, question.data.policies.length - 1, "");
  }
}

customElements.define("primum-policies", Policies);

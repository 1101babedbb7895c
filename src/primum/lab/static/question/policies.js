// Step 3: the policies.
import { pluginOptions } from "./parameter-form.js";
import { catalogue, plugin } from "../lib/catalogue.js";
import { h, repeat, say, unique } from "../lib/dom.js";
import { otherFaults } from "./errors.js";
import { help } from "../lib/help.js";
import { focusItem } from "./list-actions.js";
import { named } from "../lib/formatting.js";
import { policyCard } from "./policy-card.js";
import { variant } from "./policy-variant.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

const MOST_NAMED = 4; // policies named in the closed step

class Policies extends HTMLElement {
  #list = h("div", { class: "cards" });
  #select = h("select", { id: unique("add") });
  #summary = h("p", { class: "hint", "aria-live": "polite" });
  #add = h("button", { type: "button", onclick: () => this.#more() }, "Add");
  #full = h("span", { class: "hint" });
  #step = step(3, "Policies", "policies", false,
    h("div", { class: "lead" },
      h("p", {}, "A policy chooses an arm at each step from the rewards observed so far. All policies face the same rewards."),
      help("policies",
        "A policy must try arms to learn about them, and stop pulling inferior arms soon enough. ",
        "Its regret is the loss from pulling arms other than the best. ",
        "The same policy can be compared with itself under other parameters.")),
    this.#list, otherFaults("policies"),
    h("div", { class: "field" }, h("label", { for: this.#select.id }, "Add a policy"),
      h("div", { class: "row" }, this.#select, this.#add, this.#full), this.#summary));

  connectedCallback() {
    this.append(this.#step);
    this.#select.addEventListener("change", () => this.#describe());
    question.addEventListener("change", () => this.#show());
    question.addEventListener("appraisal", () => this.#look());
  }

  #show() {
    const { policies } = question.data;
    if (this.#select.options.length === 0) {
      this.#select.append(...pluginOptions("policies"));
    }
    if (!question.appraisal) this.#suggest();
    repeat(this.#list, policies, () => policyCard((change, next) => this.#act(change, next)));
    this.#describe();
    this.#tell();
  }

  #look() {
    [...this.#list.children].forEach((card, i) => card.look(question.appraisal.policies[i]));
    this.#tell();
  }

  #tell() {
    const labels = question.data.policies.map((policy, i) => question.appraisal?.policies[i]?.label || plugin("policies", policy.name).title);
    const unfit = labels.filter((_, i) => question.appraisal?.policies[i]?.fault);
    this.#step.tell(`${unfit.length ? `${named(unfit)} not applicable; all: ` : ""}${named(labels, MOST_NAMED)}`);
  }

  /** Preselects a policy that is not in the list yet. */
  #suggest() {
    const used = new Set(question.data.policies.map(({ name }) => name));
    const free = [...this.#select.options].find(({ value }) => !used.has(value));
    if (used.has(this.#select.value) && free) this.#select.value = free.value;
  }

  #describe() {
    const { policies } = question.data;
    const { title, summary, facts, start } = plugin("policies", this.#select.value);
    say(this.#summary, [summary.replaceAll("`", ""), ...facts].join(" "));
    const full = policies.length >= catalogue.limits.policies && `The limit is ${policies.length} policies.`;
    const twice = !variant(policies, start) && `${title} is in the list already and has no parameters to vary.`;
    this.#add.disabled = Boolean(full || twice);
    say(this.#full, full || twice || "");
  }

  #act(change, next) {
    const act = document.activeElement?.dataset.act;
    question.change(({ policies }) => change(policies));
    focusItem(this.#list, next, act);
  }

  #more() {
    question.change(({ policies }) => policies.push(variant(policies, plugin("policies", this.#select.value).start)));
    focusItem(this.#list, question.data.policies.length - 1, "");
  }
}

customElements.define("primum-policies", Policies);

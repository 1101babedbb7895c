// The third step: the policies, who plays.
import { another } from "./policy-variant.js";
import { catalogue, plugin } from "../lib/catalogue.js";
import { h, repeat, say, unique } from "../lib/dom.js";
import { otherFaults } from "./errors.js";
import { help } from "../lib/help.js";
import { focusItem } from "./list-actions.js";
import { counted, named } from "../lib/formatting.js";
import { policyCard } from "./policy-card.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

class Policies extends HTMLElement {
  #list = h("div", { class: "cards" });
  #select = h("select", { id: unique("add") });
  #summary = h("p", { class: "hint", "aria-live": "polite" });
  #add = h("button", { type: "button", onclick: () => this.#more() }, "Add");
  #full = h("span", { class: "hint" });
  #step = step(3, "Who plays", "policies", false,
    h("div", { class: "lead" },
      h("p", {}, "A policy chooses an arm at each step from the rewards seen so far. All of them meet the same rewards."),
      help("a policy",
        "A policy has to try arms to learn about them, and to leave the bad ones soon enough. ",
        "What it loses by pulling arms that are not the best is its regret. ",
        "The same policy may play twice with other parameters.")),
    this.#list, otherFaults("policies"),
    h("div", { class: "field" }, h("label", { for: this.#select.id }, "one more policy"),
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
      this.#select.append(...catalogue.policies.map(({ name }) => h("option", { value: name }, name)));
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
    const labels = question.data.policies.map((policy, i) => question.appraisal?.policies[i]?.label || policy.name);
    const unfit = labels.filter((_, i) => question.appraisal?.policies[i]?.fault);
    const who = unfit.length ? `${named(unfit)} cannot play; all: ${labels.join(", ")}` : labels.join(", ");
    this.#step.tell(`${counted(labels.length, "policy", "policies")}: ${who}`);
  }

  /** If the policy that stands to be added plays already, the first that does not takes its place. */
  #suggest() {
    const playing = new Set(question.data.policies.map(({ name }) => name));
    const free = catalogue.policies.find(({ name }) => !playing.has(name));
    if (playing.has(this.#select.value) && free) this.#select.value = free.name;
  }

  #describe() {
    const { policies } = question.data;
    const { name, summary, facts, start } = plugin("policies", this.#select.value);
    say(this.#summary, [summary.replaceAll("`", ""), ...facts].join(" "));
    const full = policies.length >= catalogue.limits.policies && `${policies.length} policies are the most.`;
    const twice = !another(policies, start) && `${name} plays already, and has no parameters to change.`;
    this.#add.disabled = Boolean(full || twice);
    say(this.#full, full || twice || "");
  }

  #act(change, next) {
    const act = document.activeElement?.dataset.act;
    question.change(({ policies }) => change(policies));
    focusItem(this.#list, next, act);
  }

  #more() {
    question.change(({ policies }) => policies.push(another(policies, plugin("policies", this.#select.value).start)));
    focusItem(this.#list, question.data.policies.length - 1, "");
  }
}

customElements.define("primum-policies", Policies);

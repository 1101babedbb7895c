// Step 1: the arms, the sources of rewards.
import { armCard, freshName } from "./arm-card.js";
import { catalogue, plugin } from "../lib/catalogue.js";
import { csvUpload } from "./csv-upload.js";
import { frame } from "../forms/density.js";
import { h, repeat, say } from "../lib/dom.js";
import { otherFaults } from "../forms/errors.js";
import { help } from "../lib/help.js";
import { focusItem } from "./list-actions.js";
import { counted, named } from "../lib/formatting.js";
import { pick } from "../forms/picker.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

const OPEN_TOGETHER = 3; // with more arms, one card is open at a time

class Arms extends HTMLElement {
  #list = h("div", { class: "cards" });
  #cleared = null; // the arms removed together, and their unit, to bring them back
  #undo = h("button", { type: "button", class: "quiet", onclick: () => this.#restore() }, "Undo");
  #empty = h("p", { class: "empty" }, "There are no arms. Add one, import a CSV file, or load an example. ", this.#undo);
  #add = h("button", { type: "button", "aria-haspopup": "dialog", onclick: () => this.#more() }, "Add an arm");
  #clear = h("button", { type: "button", onclick: () => this.#removeAll() }, "Remove all arms");
  #full = h("span", { class: "hint" });
  #faults = otherFaults("arms");
  #step = step(1, "Arms", "arms", window.matchMedia("(min-width: 62rem)").matches,
    h("div", { class: "lead" },
      h("p", {}, "The options, such as two treatments. Each pull of an arm gives a random reward."),
      help("arms",
        "An arm is one of the options. Each time a policy pulls it, it gives a reward drawn from its distribution. ",
        "Policies do not know the distributions: they learn which arm is best by trying them. ",
        "In the plots, a filled curve is a density, a stem a single reward with positive probability, and bars group many of those; ",
        "the solid line marks the mean, the dashed line the safety value chosen in step 2. ",
        "The gap is the value of the best arm minus the value of this one."),
    ),
    this.#list, this.#empty, this.#faults,
    h("div", { class: "row" }, this.#add, this.#clear, this.#full),
    csvUpload(),
  );

  connectedCallback() {
    this.append(this.#step);
    question.addEventListener("change", () => this.#show());
    question.addEventListener("appraisal", () => this.#look());
  }

  #show() {
    const { arms } = question.data;
    const before = this.#list.children.length;
    repeat(this.#list, arms, () => armCard((change, next) => this.#act(change, next)));
    for (const card of this.#list.children) {
      if (arms.length <= OPEN_TOGETHER) card.removeAttribute("name");
      else if (!card.hasAttribute("name")) card.setAttribute("name", "arm"); // of cards with equal names, one is open
    }
    if (before !== arms.length && arms.length === 1) this.#list.firstElementChild.open = true;
    const full = arms.length >= catalogue.limits.arms;
    this.#add.disabled = full;
    this.#clear.hidden = arms.length < 2;
    this.#empty.hidden = arms.length > 0;
    this.#faults.hidden = arms.length === 0; // the line above says it
    this.#undo.hidden = !this.#cleared;
    if (arms.length > 0) this.#cleared = null;
    say(this.#full, full ? `The limit is ${arms.length} arms.` : "");
    this.#tell();
  }

  #look() {
    const { arms } = question.appraisal;
    const common = frame(arms);
    [...this.#list.children].forEach((card, i) => card.look(arms[i], common));
    this.#tell();
  }

  #tell() {
    const names = question.data.arms.map((arm) => arm.name || "(unnamed)");
    this.#step.tell(names.length ? `${counted(names.length, "arm")}: ${named(names)}` : "no arms");
  }

  #act(change, next) {
    const act = document.activeElement?.dataset.act;
    const cards = this.#list.children;
    const open = new Set(question.data.arms.filter((_, i) => cards[i].open).map(({ name }) => name));
    question.change(({ arms }) => change(arms));
    const { arms } = question.data;
    arms.forEach(({ name }, i) => (cards[i].open = open.has(name) || arms.length === 1)); // open cards follow their arms
    focusItem(this.#list, next, act, this.#add);
  }

  async #more() {
    const kind = await pick("rewards", "Add an arm: choose its distribution", question.data.arms.at(-1)?.distribution.name);
    if (!kind) return;
    question.change(({ arms }) =>
      arms.push({
        name: arms.length ? freshName(arms.at(-1).name, arms) : "arm 1",
        distribution: structuredClone(plugin("rewards", kind).start),
      }));
    focusItem(this.#list, question.data.arms.length - 1, "");
  }

  #removeAll() {
    const { arms, unit } = question.data;
    this.#cleared = { arms, unit };
    question.change((data) => Object.assign(data, { arms: [], unit: null }));
    this.#add.focus();
  }

  #restore() {
    const removed = this.#cleared;
    question.change((data) => Object.assign(data, removed));
    this.#add.focus();
  }
}

customElements.define("primum-arms", Arms);

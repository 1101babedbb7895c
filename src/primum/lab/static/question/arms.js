// The first step: the arms, where rewards come from.
import { armCard, freshName } from "./arm-card.js";
import { catalogue, plugin } from "../lib/catalogue.js";
import { csvDrop } from "./csv-upload.js";
import { frame } from "./density.js";
import { h, repeat, say } from "../lib/dom.js";
import { otherFaults } from "./errors.js";
import { help } from "../lib/help.js";
import { focusItem } from "./list-actions.js";
import { counted, named } from "../lib/formatting.js";
import { question } from "../lib/state.js";
import { step } from "./step.js";

const FEW = 3; // arms that can be open together; of more, one at a time

class Arms extends HTMLElement {
  #list = h("div", { class: "cards" });
  #add = h("button", { type: "button", onclick: () => this.#more() }, "Add an arm");
  #full = h("span", { class: "hint" });
  #step = step(1, "Arms", "arms", window.matchMedia("(min-width: 62rem)").matches,
    h("div", { class: "lead" },
      h("p", {}, "What one can choose between, such as two treatments. Each choice of an arm gives a reward."),
      help("an arm",
        "An arm is one of the options. Each time it is chosen (pulled) it gives a reward, drawn from its distribution. ",
        "A policy does not know the distributions: it has to find out which arm is best by trying them. ",
        "In the drawings a filled curve shows how likely rewards are, a stem is a reward that has a probability of its own, bars stand for many of them; ",
        "the solid line is the mean, the dashed line is the value of the arm, chosen in step 2. ",
        "The gap says how much worse than the best arm it is."),
    ),
    this.#list, otherFaults("arms"),
    h("div", { class: "row" }, this.#add, this.#full),
    csvDrop(),
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
      if (arms.length <= FEW) card.removeAttribute("name");
      else if (!card.hasAttribute("name")) card.setAttribute("name", "arm"); // of those that share a name, one is open
    }
    if (before !== arms.length && arms.length === 1) this.#list.firstElementChild.open = true;
    const full = arms.length >= catalogue.limits.arms;
    this.#add.disabled = full;
    say(this.#full, full ? `${arms.length} arms are the most.` : "");
    this.#tell();
  }

  #look() {
    const { arms } = question.appraisal;
    const common = frame(arms);
    [...this.#list.children].forEach((card, i) => card.look(arms[i], common));
    this.#tell();
  }

  #tell() {
    const names = question.data.arms.map((arm) => arm.name || "(no name)");
    this.#step.tell(`${counted(names.length, "arm")}: ${named(names)}`);
  }

  #act(change, next) {
    const act = document.activeElement?.dataset.act;
    const cards = this.#list.children;
    const open = new Set(question.data.arms.filter((_, i) => cards[i].open).map(({ name }) => name));
    question.change(({ arms }) => change(arms));
    const { arms } = question.data;
    arms.forEach(({ name }, i) => (cards[i].open = open.has(name) || arms.length === 1)); // it goes with the arm
    focusItem(this.#list, next, act);
  }

  #more() {
    question.change(({ arms }) => {
      const like = arms.at(-1);
      arms.push({
        name: freshName(like?.name || "arm 1", arms),
        distribution: structuredClone(like?.distribution || plugin("rewards", "uniform").start),
      });
    });
    focusItem(this.#list, question.data.arms.length - 1, "");
  }
}

customElements.define("primum-arms", Arms);

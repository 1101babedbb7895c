// The table: one row for each policy, and the policies compared with one of them.
import { h, repeat, say, unique } from "./dom.js";
import { shown } from "./numbers.js";
import { sample } from "./policy-chips.js";

const percent = (share) => (share === null || share === undefined ? "" : `${(100 * share).toFixed(1)} %`);
const three = (number) => shown(number, 3);
const COLUMNS = [
  ["Regret, mean", "accumulated, and its 95 % interval", three, "regret_mean", "regret_low", "regret_high"],
  ["Regret, median", "half of the replications have less", three, "regret_median"],
  ["Best arm", "share of steps given a best arm", percent, "best_arm_share", "best_arm_low", "best_arm_high"],
  ["Worst arm", "share of steps given the arm with the largest gap", percent, "worst_arm_share", "worst_arm_low", "worst_arm_high"],
  ["Reward", "per step, expected of the arms given", three, "reward", "reward_low", "reward_high"],
  ["Stuck", "share of replications that hardly ever gave a best arm", percent, "stuck_share", "stuck_low", "stuck_high"],
];
const STUCK =
  "Intervals are 95 % intervals. A replication is stuck if the best arms together got less than a fifth of what they would get if arms were given by lot.";

class Summary extends HTMLElement {
  #summary = null;
  #caption = h("caption", {});
  #rows = h("tbody", {});
  #reference = h("select", { id: unique("reference"), onchange: () => this.#compare() });
  #comparisons = h("tbody", {});
  #about = h("caption", {});
  #section = h("section", {});

  connectedCallback() {
    const columns = ["Policy", "Difference in mean regret", "95 % interval"].map((text) => h("th", { scope: "col" }, text));
    columns.push(h("th", { scope: "col", class: "in-words" }, "In words"));
    this.#section.append(
      h("h3", {}, "Compared in pairs"),
      h("p", {}, "All policies met the same rewards, so a difference is often clearer than the intervals above suggest."),
      h("p", {}, h("label", { for: this.#reference.id }, "Compared with "), this.#reference),
      scrolling("Comparisons", h("table", {}, this.#about, h("thead", {}, h("tr", {}, columns)), this.#comparisons)),
    );
    const heads = COLUMNS.map(([name, text]) => h("th", { scope: "col" }, name, h("small", {}, text)));
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Policy"), heads));
    this.append(
      scrolling("Summary", h("table", {}, this.#caption, head, this.#rows)),
      h("p", { class: "explanation" }, STUCK),
      this.#section,
    );
  }

  show(summary) {
    this.#summary = summary;
    say(this.#caption, `After ${summary.step.toLocaleString("en")} steps, ${summary.replications.toLocaleString("en")} replications`);
    this.#rows.replaceChildren(...summary.rows.map((row, i) => h("tr", {}, named(row.policy, i), COLUMNS.map((column) => cell(row, column)))));
    const labels = summary.rows.map((row) => row.policy);
    repeat(this.#reference, labels, () => {
      const option = h("option", {});
      option.show = (label) => say(option, label);
      return option;
    });
    this.#section.hidden = labels.length < 2;
    this.#compare();
  }

  #compare() {
    const { rows, comparisons } = this.#summary;
    const at = Math.max(0, this.#reference.selectedIndex);
    const reference = rows[at].policy;
    say(this.#about, `Regret of each policy less that of ${reference}`);
    const lines = rows.map((row, i) => (i === at ? null : compared(row.policy, i, reference, comparisons)));
    this.#comparisons.replaceChildren(...lines.filter(Boolean));
  }
}

const named = (label, position) => h("th", { scope: "row" }, sample(position), " ", label);

function cell(row, [, , write, middle, low, high]) {
  const known = low && row[low] !== null;
  return h("td", {}, write(row[middle]), known && h("small", {}, `${write(row[low])} to ${write(row[high])}`));
}

function compared(label, position, reference, comparisons) {
  const pair = comparisons.find(({ a, b }) => (a === label && b === reference) || (a === reference && b === label));
  const turned = pair.a === reference;
  const ends = [pair.low, pair.high].map((end) => (end === null ? null : turned ? -end : end));
  const [low, high] = turned ? ends.reverse() : ends;
  const difference = turned ? -pair.difference : pair.difference;
  const words = pair.is_clear ? `${difference < 0 ? "less" : "more"} regret than ${reference}` : "no clear difference";
  const interval = low === null ? "none from one replication" : `${three(low)} to ${three(high)}`;
  return h("tr", {}, named(label, position), h("td", {}, three(difference)), h("td", {}, interval), h("td", { class: "in-words" }, words));
}

/** A table that may be wider than the page can be scrolled, also with the keyboard. */
const scrolling = (name, table) => h("div", { class: "scrolling", tabindex: 0, role: "region", "aria-label": name }, table);

customElements.define("primum-summary", Summary);

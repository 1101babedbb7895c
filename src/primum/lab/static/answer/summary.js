// The table: one row for each policy, and the policies compared with one of them.
import { h, repeat, say, unique } from "../lib/dom.js";
import { inLine } from "../lib/formatting.js";
import { sample } from "./policy-chips.js";

// a name, what it means, what one writes with (see `writers`), and the fields of a row
const COLUMNS = [
  ["Regret, mean", "accumulated", "regret", "regret_mean", "regret_low", "regret_high"],
  ["Regret, median", "half of the replications have less", "regret", "regret_median"],
  ["Best arm", "share of steps given a best arm", "share", "best_arm_share", "best_arm_low", "best_arm_high"],
  ["Worst arm", "share of steps given the arm with the largest gap", "share", "worst_arm_share", "worst_arm_low", "worst_arm_high"],
  ["Reward", "per step, expected of the arms given", "reward", "reward", "reward_low", "reward_high"],
  ["Stuck", "share of replications that hardly ever gave a best arm", "share", "stuck_share", "stuck_low", "stuck_high"],
];
const PAIRS = [
  "All policies met the same rewards, so a difference is often clearer than the intervals above suggest.",
  "Each interval stands on its own: among many policies, some may seem to differ by chance alone.",
];
const STUCK =
  "Below each number is its 95 % interval. A replication is stuck if the best arms together got less than a fifth of what they would get if arms were given by lot.";

class Summary extends HTMLElement {
  #summary = null;
  #caption = h("h3", { id: unique("caption") }, "Summary");
  #rows = h("tbody", {});
  #reference = h("select", { id: unique("reference"), onchange: () => this.#compare() });
  #comparisons = h("tbody", {});
  #about = h("h4", { id: unique("caption") }, "Differences in regret");
  #section = h("section", {});

  connectedCallback() {
    const columns = ["Policy", "Mean of paired differences", "95 % interval"].map((text) => h("th", { scope: "col" }, text));
    columns.push(h("th", { scope: "col", class: "in-words" }, "In words"));
    this.#section.append(
      h("h3", {}, "Compared in pairs"),
      h("p", {}, PAIRS.join(" ")),
      h("p", {}, h("label", { for: this.#reference.id }, "Compared with "), this.#reference),
      this.#about,
      scrolling(this.#about, h("thead", {}, h("tr", {}, columns)), this.#comparisons),
    );
    const heads = COLUMNS.map(([name, text]) => h("th", { scope: "col" }, name, h("small", {}, text)));
    const head = h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Policy"), heads));
    this.append(
      h("section", {}, this.#caption, scrolling(this.#caption, head, this.#rows)),
      h("p", { class: "explanation" }, STUCK),
      this.#section,
    );
  }

  show(summary) {
    this.#summary = summary;
    say(this.#caption, `After ${summary.step.toLocaleString("en")} steps, ${summary.replications.toLocaleString("en")} replications`);
    const writing = writers(summary.rows);
    const line = (row, i) => h("tr", {}, named(row.policy, i), COLUMNS.map((column) => cell(row, column, writing)));
    this.#rows.replaceChildren(...summary.rows.map(line));
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
    const pairs = rows.map((row, i) => (i === at ? null : { position: i, ...compared(row.policy, reference, comparisons) }));
    const others = pairs.filter(Boolean);
    const write = inLine(others.map(({ difference, low, high }) => [difference, low, high]));
    this.#comparisons.replaceChildren(...others.map((pair) => comparison(pair, reference, write)));
  }
}

const named = (label, position) => h("th", { scope: "row" }, sample(position), " ", label);

/** How numbers are written: those of a column with the same decimals, as many as its intervals bear. */
function writers(rows) {
  const of = (...fields) => inLine(rows.map((row) => fields.map((field) => row[field])));
  const percent = (share) => (100 * share).toFixed(1);
  return {
    regret: { write: of("regret_mean", "regret_low", "regret_high"), unit: "" },
    reward: { write: of("reward", "reward_low", "reward_high"), unit: "" },
    share: { write: percent, unit: " %" },
  };
}

function cell(row, [name, , kind, middle, low, high], writing) {
  const { write, unit } = writing[kind];
  if (row[middle] === null) return h("td", { "data-column": name });
  const interval = low && row[low] !== null && h("small", {}, `${write(row[low])} to ${write(row[high])}${unit}`);
  return h("td", { "data-column": name }, h("span", {}, `${write(row[middle])}${unit}`), interval);
}

function compared(label, reference, comparisons) {
  const pair = comparisons.find(({ a, b }) => (a === label && b === reference) || (a === reference && b === label));
  const turned = pair.a === reference;
  const ends = [pair.low, pair.high].map((end) => (end === null ? null : turned ? -end : end));
  const [low, high] = turned ? ends.reverse() : ends;
  return { label, low, high, difference: turned ? -pair.difference : pair.difference, isClear: pair.is_clear };
}

function comparison({ label, position, difference, low, high, isClear }, reference, write) {
  const words = isClear ? `${difference < 0 ? "less" : "more"} regret than ${reference}` : "no clear difference";
  const interval = low === null ? "none from one replication" : `${write(low)} to ${write(high)}`;
  return h("tr", {}, named(label, position),
    h("td", { "data-column": "Mean of paired differences" }, write(difference)),
    h("td", { "data-column": "95 % interval" }, interval),
    h("td", { "data-column": "In words", class: "in-words" }, words));
}

/** A table that may be wider than the page can be scrolled, also with the keyboard; its caption stays where it is. */
const scrolling = (caption, ...parts) =>
  h("div", { class: "scrolling", tabindex: 0, role: "region", "aria-labelledby": caption.id },
    h("table", { class: "policy-table", "aria-labelledby": caption.id }, parts));

customElements.define("primum-summary", Summary);

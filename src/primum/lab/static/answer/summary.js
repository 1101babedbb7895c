// The table: one row per policy, and paired comparisons with a reference policy.
import { h, repeat, say, unique } from "../lib/dom.js";
import { inLine } from "../lib/formatting.js";
import { sample } from "./policy-chips.js";
import { asDifference, asOutcome, withUnit } from "../lib/units.js";

const REGRET = ["regret_mean", "regret_low", "regret_high"];
// heading, explanation, factor, unit, fields of a row (a number and its interval), and those that determine the decimals
const COLUMNS = [
  ["Regret, mean", "cumulative", 1, "", REGRET],
  ["Regret, median", "half of the replications are below", 1, "", ["regret_median"], REGRET],
  ["Best arm", "share of pulls of a best arm", 100, " %", ["best_arm_share", "best_arm_low", "best_arm_high"]],
  ["Worst arm", "share of pulls of an arm with the largest gap", 100, " %", ["worst_arm_share", "worst_arm_low", "worst_arm_high"]],
  ["Reward", "expected, per step", 1, "", ["reward", "reward_low", "reward_high"]],
  ["Stuck", "fraction of replications that rarely pulled a best arm", 100, " %", ["stuck_share", "stuck_low", "stuck_high"]],
];
const PAIRS = [
  "All policies faced the same rewards, so a paired difference is often clearer than the intervals above suggest.",
  "Intervals are not adjusted for multiple comparisons: among many policies, some may seem to differ by chance.",
];
const STUCK =
  "Below each number is its 95 % confidence interval. A replication is stuck if the best arms together got less than a fifth of the pulls they would get if arms were chosen uniformly at random.";

const IN_UNITS = { "Regret, mean": asDifference, "Regret, median": asDifference, Reward: asOutcome };

class Summary extends HTMLElement {
  #summary = null;
  #caption = h("h3", { id: unique("caption") }, "Summary");
  #rows = h("tbody", {});
  #reference = h("select", { id: unique("reference"), onchange: () => this.#compare() });
  #comparisons = h("tbody", {});
  #about = h("h4", { id: unique("caption") }, "Differences in regret");
  #section = h("section", {});

  connectedCallback() {
    const columns = ["Policy", "Mean difference", "95 % interval"].map((text) => h("th", { scope: "col" }, text));
    columns.push(h("th", { scope: "col", class: "conclusion" }, "Conclusion"));
    this.#section.append(
      h("h3", {}, "Paired comparisons"),
      h("p", {}, PAIRS.join(" ")),
      h("p", {}, h("label", { for: this.#reference.id }, "Reference policy "), this.#reference),
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

  show(summary, id, { unit }) {
    this.#summary = summary;
    say(this.#caption, `After ${summary.step.toLocaleString("en")} steps, ${summary.replications.toLocaleString("en")} replications`);
    const columns = COLUMNS.map((column) => cells(summary.rows, column, unitOf(column, summary, unit)));
    const line = ({ title, learns }, i) => h("tr", {}, named(title, i, learns), columns.map((column) => column[i]));
    this.#rows.replaceChildren(...summary.rows.map(line));
    repeat(this.#reference, summary.rows, () => {
      const option = h("option", {});
      option.show = ({ title }) => say(option, title);
      return option;
    });
    this.#section.hidden = summary.rows.length < 2;
    this.#compare();
  }

  #compare() {
    const { rows, comparisons } = this.#summary;
    const at = Math.max(0, this.#reference.selectedIndex);
    const reference = rows[at].title;
    say(this.#about, `Regret of each policy minus that of ${reference}`);
    const pairs = rows.map((row, i) => (i === at ? null : { position: i, ...compared(row.title, reference, comparisons) }));
    const others = pairs.filter(Boolean);
    const write = inLine(others.map(({ difference, low, high }) => [difference, low, high]));
    this.#comparisons.replaceChildren(...others.map((pair) => comparison(pair, reference, write)));
  }
}

const named = (title, position, learns = "") =>
  h("th", { scope: "row" }, sample(position), " ", title, learns && [" ", h("small", {}, `learns ${learns}`)]);

/** The unit of the imported file, for columns that have a meaning in it. */
const unitOf = ([name], { equivariant }, unit) => (name in IN_UNITS && (equivariant || name === "Reward") ? unit : null);

/** The cells of a column: numbers with equal decimals, as many as its intervals justify. */
function cells(rows, [name, , factor, unit, fields, scale = fields], inUnit) {
  const numbers = (of) => rows.map((row) => of.map((field) => (row[field] === null ? null : factor * row[field])));
  const write = inLine(numbers(scale), unit ? 1 : 0);
  const converted = (number) => (number === null ? null : IN_UNITS[name](inUnit, number));
  const inWords = inUnit && inLine(numbers(scale).map((row) => row.map(converted)));
  return numbers(fields).map(([number, low, high]) =>
    h("td", { "data-column": name },
      number !== null && h("span", {}, write(number) + unit),
      (low ?? null) !== null && h("small", {}, `${write(low)} to ${write(high)}${unit}`),
      inUnit && number !== null && h("small", { class: "in-unit" }, withUnit(inUnit, inWords(converted(number))))));
}

function compared(title, reference, comparisons) {
  const pair = comparisons.find(({ a, b }) => (a === title && b === reference) || (a === reference && b === title));
  const turned = pair.a === reference;
  const ends = [pair.low, pair.high].map((end) => (end === null ? null : turned ? -end : end));
  const [low, high] = turned ? ends.reverse() : ends;
  return { title, low, high, difference: turned ? -pair.difference : pair.difference, isClear: pair.is_clear };
}

function comparison({ title, position, difference, low, high, isClear }, reference, write) {
  const words = isClear ? `${difference < 0 ? "lower" : "higher"} regret than ${reference}` : "no clear difference";
  const interval = low === null ? "not available for one replication" : `${write(low)} to ${write(high)}`;
  return h("tr", {}, named(title, position),
    h("td", { "data-column": "Mean difference" }, write(difference)),
    h("td", { "data-column": "95 % interval" }, interval),
    h("td", { "data-column": "Conclusion", class: "conclusion" }, words));
}

/** A table that scrolls sideways if it is wider than the page, also by keyboard; its caption stays. */
const scrolling = (caption, ...parts) =>
  h("div", { class: "scrolling", tabindex: 0, role: "region", "aria-labelledby": caption.id },
    h("table", { class: "policy-table", "aria-labelledby": caption.id }, parts));

customElements.define("primum-summary", Summary);

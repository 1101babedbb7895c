// The arms before a decision: pulls, estimates, and the scores or challenges that the policy compared.
import { h, repeat, say, unique } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";
import { reveal } from "./arm-timeline.js";

/** An element with `show(replay, step)`; the replay has the `scoreEnds` of its window. */
export function armTable() {
  const caption = h("h3", { id: unique("caption") }, "Before the decision");
  const compared = h("th", { scope: "col", class: "compared" });
  const heads = ["Arm", "Pulls", "Estimate"].map((text) => h("th", { scope: "col" }, text));
  const rows = h("tbody", {});
  const table = h("table", { "aria-labelledby": caption.id }, h("thead", {}, h("tr", {}, heads, compared)), rows);
  const box = h("div", { class: "scrolling records", tabindex: 0, role: "region", "aria-labelledby": caption.id }, table);
  const element = h("section", {}, caption, box);
  element.show = (replay, step) => {
    say(caption, `Before the decision (estimates of: ${replay.value})`);
    const title = comparedIn(replay);
    say(compared, title);
    table.classList.toggle("with-comparison", title !== "");
    const most = Math.max(1, ...step.pulls);
    repeat(rows, replay.arms, armRow);
    [...rows.children].forEach((row, arm) => row.tell(replay, step, arm, most));
    reveal(box, rows.children[step.arm]);
  };
  return element;
}

/** The title of the column with the compared quantity of a window; steps that compare nothing keep the column empty. */
function comparedIn({ steps }) {
  const noun = steps.find(({ why }) => why.score)?.why.score ?? (steps.some(({ why }) => why.kind === "round") ? "challenge" : "");
  return noun.charAt(0).toUpperCase() + noun.slice(1);
}

function armRow() {
  const [name, pulls, estimate, score] = [h("th", { scope: "row" }), h("span", {}), h("td", {}), h("span", {})];
  const bar = h("span", { class: "length", "aria-hidden": "true" });
  const dot = h("span", { class: "dot" });
  const track = h("span", { class: "track", "aria-hidden": "true" }, dot);
  const row = h("tr", {}, name, h("td", { class: "with-bar" }, pulls, bar), estimate, h("td", { class: "compared" }, score, track));
  row.show = (label) => (row.label = label);
  row.tell = ({ scoreEnds: [low, high] }, { pulls: counts, estimates, arm: chosen, why }, arm, most) => {
    say(name, arm === chosen ? `${row.label} (chosen)` : row.label);
    row.classList.toggle("chosen", arm === chosen);
    say(pulls, counts[arm].toLocaleString("en"));
    bar.style.width = `${(60 * counts[arm]) / most}%`;
    say(estimate, estimates[arm] === null ? "none yet" : shown(estimates[arm]));
    const number = why.scores[arm] ?? null;
    say(score, why.scores.length ? scored(number, why.tied.includes(arm)) : challenged(why, arm));
    track.hidden = number === null;
    dot.style.insetInlineStart = `${high > low ? (100 * (number - low)) / (high - low) : 50}%`;
  };
  return row;
}

const scored = (number, tied) => `${number === null ? "infinite" : shown(number)}${tied ? " (tied)" : ""}`;

function challenged({ leader, challenges }, arm) {
  if (arm === leader) return "leads";
  const found = challenges.find((challenge) => challenge.arm === arm);
  if (!found) return "";
  if (found.floor !== null) return `wins: fewer than ${shown(found.floor, 3)} pulls`;
  const against = found.leader === null ? "" : ` against ${shown(found.leader)}`;
  return `${found.won ? "wins" : "loses"}: ${shown(found.value)}${against}`;
}

/** The smallest and the largest score of some steps. */
export function scoreEnds(steps) {
  const scores = steps.flatMap(({ why }) => why.scores).filter((score) => score !== null);
  return [Math.min(...scores), Math.max(...scores)];
}

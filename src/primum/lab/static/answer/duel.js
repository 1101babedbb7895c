// Duels of arms: the two sub-samples as dots on a line, their values, and who won.
import { h, svg } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";

const [HEIGHT, BASE, DOT_RADIUS] = [70, 52, 3.5]; // pixels: of a row, of its line, and of a dot
const COLUMNS = 100; // of the line: rewards in the same column are piled up

/** Elements for the duels of a decision: the last one decided it, so it comes first and open. */
export function duels(all, { arms, value, ends }) {
  const [last, ...earlier] = all.toReversed().map((duel, i) => shownDuel(duel, arms, value, ends, i === 0));
  if (!earlier.length) return last ? [last] : [];
  const count = earlier.length === 1 ? "The duel before it" : `The ${earlier.length} duels before it, the latest first`;
  return [last, h("details", { class: "earlier" }, h("summary", {}, count), earlier)];
}

function shownDuel(duel, arms, value, ends, decided) {
  const heading = `'${arms[duel.a]}' against '${arms[duel.b]}': '${arms[duel.winner]}' wins`;
  const content = [0, 1].map((side) => row(duel, side, arms, value, ends)).concat(h("p", {}, verdict(duel, arms)));
  return h("details", { class: "duel", open: decided }, h("summary", {}, decided ? `The deciding duel: ${heading}` : heading), content);
}

const REASONS = {
  value: "the higher value wins",
  "fewer pulls": "the values are equal, so the arm with fewer pulls wins",
  chance: "the values and the pulls are equal, so chance decides",
};

function verdict({ values, winner, by }, arms) {
  return `${shown(values[0])} against ${shown(values[1])}: ${REASONS[by]}, '${arms[winner]}'.`;
}

function row({ a, b, samples, values }, side, arms, value, ends) {
  const sample = samples[side];
  const name = arms[[a, b][side]];
  const { size, all } = sample;
  const text = `'${name}': ${size === all ? `all ${size}` : `${size} of its ${all}`} rewards, ${value} ${shown(values[side])}${partly(sample)}`;
  return h("figure", {}, h("figcaption", {}, text), dots(sample, values[side], ends, text));
}

const OTHERS = { "lowest rewards": "its lowest rewards", features: "the value's features of its rewards" };

/** A description of the dots, if they are not all rewards of the sub-sample. */
function partly({ rewards, size, what }) {
  const some = rewards.length < size ? `${rewards.length} of ` : "";
  return some || OTHERS[what] ? `; the dots are ${some}${OTHERS[what] || "them"}` : "";
}

/** The ends of the line that all duels of these steps share. */
export function scale(steps) {
  let [low, high] = [Infinity, -Infinity];
  for (const { rewards } of steps.flatMap((step) => step.why.duels.flatMap((duel) => duel.samples))) {
    low = Math.min(low, ...rewards);
    high = Math.max(high, ...rewards);
  }
  const pad = high > low ? (high - low) / 20 : Math.abs(low) / 10 || 0.5;
  return [low - pad, high + pad];
}

function dots({ rewards }, value, [low, high], text) {
  const position = (reward) => (100 * (reward - low)) / (high - low);
  const piles = new Map();
  const circles = rewards.map((reward) => {
    const column = Math.round((position(reward) * COLUMNS) / 100);
    const below = piles.get(column) || 0;
    piles.set(column, below + 1);
    return { cx: `${position(reward)}%`, below };
  });
  const tallest = Math.max(1, ...piles.values());
  const rise = Math.min(2 * DOT_RADIUS + 1, (BASE - 10) / tallest); // tall piles are pressed together
  const seen = value >= low && value <= high; // a value need not be on the scale of rewards
  const at = `${position(value)}%`;
  return svg(
    "svg",
    { class: "dots", role: "img", "aria-label": text, height: HEIGHT },
    svg("line", { class: "row", x1: 0, x2: "100%", y1: BASE, y2: BASE }),
    circles.map(({ cx, below }) => svg("circle", { class: "dot", cx, cy: BASE - DOT_RADIUS - below * rise, r: DOT_RADIUS })),
    seen && svg("line", { class: "value mark", x1: at, x2: at, y1: 2, y2: BASE + 6 }),
    [low, high].map((end, i) => svg("text", { x: i ? "100%" : 0, y: HEIGHT - 3, "text-anchor": i ? "end" : "start" }, shown(end, 3))),
  );
}

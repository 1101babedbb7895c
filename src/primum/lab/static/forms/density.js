// A small plot of a reward distribution: a filled curve for its density, stems for its atoms, or bars if these are many,
// and marks for the mean and the value.
import { svg } from "../lib/dom.js";
import { shown } from "../lib/formatting.js";

const WIDTH = 320;
const PLOT = { left: 8, right: 312, top: 20, base: 78 };
const TINY = { left: 2, right: 86, top: 3, base: 22 };
const MOST_STEMS = 12;
const BARS = 24; // from end to end of the axis

/** The common scale of all arms: the ends of the axis, and the largest probability of an atom. */
export function frame(arms) {
  const known = arms.filter(Boolean);
  const ends = known.flatMap(({ density, atoms }) => [density.x[0], density.x.at(-1), ...atoms.map((atom) => atom.reward)]);
  const finite = ends.filter(Number.isFinite);
  const unit = finite.every((end) => end >= 0 && end <= 1); // the usual range, so that the axis seldom changes
  const low = unit ? 0 : Math.min(...finite);
  const high = unit ? 1 : Math.max(...finite);
  const room = high === low ? 0.5 : 0;
  const tallest = Math.max(...known.flatMap(({ atoms }) => atoms.map((atom) => atom.probability)), 0);
  return { low: low - room, high: high + room, tallest };
}

const place = ({ low, high }, { left, right }) => (reward) => left + ((right - left) * (reward - low)) / (high - low);

function shape(arm, common, box) {
  const x = place(common, box);
  const height = box.base - box.top;
  const peak = Math.max(...arm.density.y, 0) || 1;
  const point = (reward, y) => `${x(reward).toFixed(1)},${(box.base - (height * y) / peak).toFixed(1)}`;
  const points = arm.density.x.map((reward, i) => point(reward, arm.density.y[i]));
  const ends = points.length && [point(arm.density.x[0], 0), point(arm.density.x.at(-1), 0)];
  return [
    points.length && svg("polygon", { class: "smooth", points: [ends[0], ...points, ends[1]].join(" ") }),
    arm.atoms.length > MOST_STEMS ? bars(arm.atoms, common, box) : arm.atoms.map(({ reward, probability }) => {
      const top = box.base - (height * probability) / common.tallest;
      return [
        svg("line", { class: "stem", x1: x(reward), x2: x(reward), y1: box.base, y2: top }),
        svg("circle", { class: "tip", cx: x(reward), cy: top, r: box === TINY ? 1.5 : 2.5 }),
      ];
    }),
    svg("line", { class: "axis", x1: box.left, x2: box.right, y1: box.base, y2: box.base }),
  ].filter(Boolean);
}

/** Many atoms as a histogram, which fills the height like a density. */
function bars(atoms, { low, high }, { left, right, top, base }) {
  const shares = new Array(BARS).fill(0);
  for (const { reward, probability } of atoms) {
    shares[Math.min(BARS - 1, Math.floor((BARS * (reward - low)) / (high - low)))] += probability;
  }
  const width = (right - left) / BARS;
  const tallest = Math.max(...shares);
  return shares.map((share, i) => {
    const height = ((base - top) * share) / tallest;
    return share > 0 && svg("rect", { class: "smooth", x: left + i * width, y: base - height, width, height });
  });
}

/** A labelled mark: a triangle above for the mean, a diamond below for the value. */
function mark(word, number, common) {
  const above = word === "mean";
  const x = Math.min(PLOT.right, Math.max(PLOT.left, place(common, PLOT)(number)));
  const beyond = number < common.low ? "← " : number > common.high ? "→ " : "";
  const anchor = x < 60 ? "start" : x > WIDTH - 60 ? "end" : "middle";
  const sign = above ? `M${x - 4} ${PLOT.top - 4}h8l-4 6z` : `M${x} ${PLOT.base - 1}l4.5 5l-4.5 5l-4.5 -5z`;
  return [
    svg("line", { class: word, x1: x, x2: x, y1: PLOT.top, y2: PLOT.base }),
    svg("path", { class: word, d: sign }),
    svg("text", { class: word, x, y: above ? 10 : PLOT.base + 20, "text-anchor": anchor }, `${beyond}${above ? "mean" : "safety value"} ${shown(number, 3)}`),
  ];
}

export function drawDensity(arm, common) {
  const value = arm.value !== null && arm.value !== undefined;
  const ends = `Rewards from ${shown(common.low, 3)} to ${shown(common.high, 3)}`;
  const words = `${ends}: mean ${shown(arm.mean)}${value ? `, safety value ${shown(arm.value)}` : ""}`;
  return svg("svg", { class: "density", viewBox: `0 0 ${WIDTH} 114`, role: "img", "aria-label": words },
    shape(arm, common, PLOT),
    value && mark("value", arm.value, common),
    mark("mean", arm.mean, common),
    svg("text", { class: "end", x: PLOT.left, y: 112 }, shown(common.low, 3)),
    svg("text", { class: "end", x: PLOT.right, y: 112, "text-anchor": "end" }, shown(common.high, 3)),
    svg("text", { class: "end", x: WIDTH / 2, y: 112, "text-anchor": "middle" }, "reward"),
  );
}

/** The same without labels, for the head of a card. */
export const drawTiny = (arm, common) =>
  svg("svg", { class: "tiny", viewBox: "0 0 88 24", "aria-hidden": "true" }, shape(arm, common, TINY));

// Lines over time or participants, with axes; drawn again when the width changes.
import { h, svg } from "./lib/dom.js";
import { shown } from "./lib/formatting.js";

const [HEIGHT, LEFT, RIGHT, BOTTOM, TOP] = [256, 46, 14, 42, 30]; // pixels
const LABEL = 70; // pixels between dates

/**
 * An element with `draw({ lines: [{ name, x, y }], across, up, label, most, level, tell, tellUp })`: `level` is [height, name]
 * of a horizontal line; `tell` writes a value of the lower axis where it is no count, `tellUp` one of the other.
 */
export function chart() {
  const picture = svg("svg", { class: "chart", role: "img", height: HEIGHT });
  const legend = h("p", { class: "legend" });
  const frame = h("div", { class: "chart-frame" }, picture);
  const element = h("div", { class: "chart-box" }, legend, frame);
  let latest = null;
  const redraw = () => latest && frame.clientWidth && picture.replaceChildren(...parts(latest, frame.clientWidth));
  new ResizeObserver(redraw).observe(frame);
  element.draw = (given) => {
    latest = given;
    picture.setAttribute("aria-label", given.label);
    legend.replaceChildren(...given.lines.map(({ name }, i) => h("span", {}, mark(i), name)));
    redraw();
  };
  return element;
}

const mark = (i) => svg("svg", { width: 28, height: 8, "aria-hidden": "true" }, svg("line", { class: `curve line-${i % 8}`, x1: 0, x2: 28, y1: 4, y2: 4 }));

function parts({ lines, across, up, most, level, tell, tellUp = shown }, width) {
  const all = lines.flatMap((line) => line.x);
  const [first, last] = [Math.min(...all), Math.max(...all)];
  const base = HEIGHT - BOTTOM;
  const x = (value) => LEFT + ((width - LEFT - RIGHT) * (value - first)) / (last - first || 1);
  const y = (value) => base - ((base - TOP) * value) / most;
  const points = (line) => line.x.map((value, i) => `${x(value).toFixed(1)},${y(line.y[i]).toFixed(1)}`).join(" ");
  return [
    ticks(most).map((value) => [
      svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, tellUp(value)),
    ]),
    (tell ? spaced(lines[0].x, x) : ticks(last).filter((value) => value >= first)).map((value) =>
      svg("text", { x: x(value), y: base + 18, "text-anchor": value === last ? "end" : "middle" }, tell ? tell(value) : value.toLocaleString("en"))),
    level && [
      svg("line", { class: "level", x1: LEFT, x2: width - RIGHT, y1: y(level[0]), y2: y(level[0]) }),
      svg("text", { x: width - RIGHT, y: y(level[0]) + 15, "text-anchor": "end" }, level[1]),
    ],
    svg("text", { class: "title", x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, across),
    svg("text", { class: "title", x: 0, y: TOP - 16 }, up),
    lines.map((line, i) => svg("polyline", { class: `curve line-${i % 8}`, points: points(line) })),
  ].flat(2).filter(Boolean);
}

/** Two to six round numbers from 0 to at most `end`; whole ones if `end` is above 1. */
function ticks(end) {
  const size = 10 ** Math.floor(Math.log10(end));
  const least = end > 1 ? 1 : 0;
  const step = [0.2, 0.5, 1, 2, 5].map((part) => part * size).find((each) => each >= least && end / each <= 5);
  return Array.from({ length: Math.floor(end / step + 1e-9) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

/** The values that get a label, from the last backwards: so many that their labels do not overlap. */
function spaced(values, x) {
  let [next, kept] = [Infinity, []];
  for (const value of values.toReversed()) {
    if (next - x(value) < LABEL) continue;
    next = x(value) - (kept.length ? 0 : LABEL / 3); // the last label ends at its value
    kept = [value, ...kept];
  }
  return kept;
}

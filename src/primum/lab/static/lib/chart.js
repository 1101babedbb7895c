// Lines over a common axis that begins at 0, with bands, a level and a mark; drawn again when its width changes.
import { h, svg } from "./dom.js";
import { shown } from "./formatting.js";

const [HEIGHT, LEFT, BOTTOM, TOP] = [230, 44, 40, 22]; // pixels
const RIGHT = 12;

/**
 * An element with `draw({ lines: [{ kind, x, y }], bands: [{ kind, x, low, high }], across, up, label, at, level, end })`; `kind`
 * is the class of a line, `at` a mark on the axis, `level` one beside it, and `end` where the axis ends if the lines do not say so.
 */
export function chart() {
  const picture = svg("svg", { class: "chart", role: "img", height: HEIGHT });
  const element = h("div", { class: "chart-box" }, picture);
  let latest = null;
  const redraw = () => latest && element.clientWidth && picture.replaceChildren(...parts(latest, element.clientWidth));
  new ResizeObserver(redraw).observe(element);
  element.draw = (given) => {
    latest = given;
    picture.setAttribute("aria-label", given.label);
    redraw();
  };
  return element;
}

function parts({ lines, bands = [], across, up, at, level, end }, width) {
  const last = end ?? Math.max(...lines.flatMap(({ x }) => [...x]));
  const most = Math.max(...lines.flatMap(({ y }) => [...y]), ...bands.flatMap(({ high }) => high), 1.2 * (level ?? 0), 1e-9);
  const base = HEIGHT - BOTTOM;
  const x = (value) => LEFT + ((width - LEFT - RIGHT) * value) / last;
  const y = (value) => base - ((base - TOP) * value) / most;
  const points = (xs, ys) => Array.from(xs, (value, i) => `${x(value).toFixed(1)},${y(ys[i]).toFixed(1)}`);
  return [
    ...ticks(most).map((value) => [
      svg("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }, shown(value)),
    ]),
    ...ticks(last).map((value) => svg("text", { x: x(value), y: base + 16, "text-anchor": "middle" }, value.toLocaleString("en"))),
    svg("text", { class: "title", x: (LEFT + width - RIGHT) / 2, y: HEIGHT - 4, "text-anchor": "middle" }, across),
    svg("text", { class: "title", x: 0, y: 10 }, up),
    at !== undefined && svg("line", { class: "at", x1: x(at), x2: x(at), y1: TOP, y2: base }),
    level !== undefined && svg("line", { class: "at", x1: LEFT, x2: width - RIGHT, y1: y(level), y2: y(level) }),
    ...bands.map((band) => svg("polygon", { class: `band ${band.kind}`,
      points: [...points(band.x, band.high), ...points(band.x, band.low).reverse()].join(" ") })),
    ...lines.map((line) => svg("polyline", { class: `curve ${line.kind}`, points: points(line.x, line.y).join(" ") })),
  ].flat().filter(Boolean);
}

/** Three to six round numbers from 0 to at most `end`. */
function ticks(end) {
  const size = 10 ** Math.floor(Math.log10(end));
  const step = [0.2, 0.5, 1, 2].map((part) => part * size).find((each) => end / each <= 5);
  return Array.from({ length: Math.floor(end / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
}

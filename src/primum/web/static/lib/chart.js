// Lines over a common axis, with bands, a level and a mark; drawn again when its width changes.
import { h, svg } from "./dom.js";
import { shown } from "./formatting.js";

const [HEIGHT, LEFT, RIGHT, BOTTOM, TOP] = [230, 44, 12, 40, 22]; // pixels
const LABEL = 70; // pixels between labels that `tell` writes
const KINDS = 8; // of lines, in chart.css

/**
 * An element with `draw({ lines: [{ name, kind, x, y }], across, up, label })`. Lines that have a name are in a legend; `kind` is
 * the class of a line if not that of its position. These can be given too:
 * `bands: [{ kind, x, low, high }]`; `dots: [{ kind, x, y, name, chosen }]`, of which `chosen()` is called when one is clicked; `at`, a mark on the lower axis; `level: [height, name]`, a line across, with or without a name;
 * `begin` and `end` of the lower axis, and the `most` of the other; `tell`, which writes a value of the lower axis where that is
 * no number, and `tellUp`, which writes one of the other.
 */
export function chart() {
  const picture = svg("svg", { class: "chart", role: "img", height: HEIGHT });
  const legend = h("p", { class: "legend" });
  const element = h("div", { class: "chart-box" }, legend, picture);
  let latest = null;
  const redraw = () => latest && element.clientWidth && picture.replaceChildren(...parts(latest, element.clientWidth));
  new ResizeObserver(redraw).observe(element);
  element.draw = (given) => {
    latest = given;
    picture.setAttribute("aria-label", given.label);
    legend.replaceChildren(...given.lines.flatMap((line, i) => (line.name ? h("span", {}, sample(kindOf(line, i)), line.name) : [])));
    legend.hidden = !legend.hasChildNodes();
    redraw();
  };
  return element;
}

const kindOf = ({ kind }, i) => kind ?? `line-${i % KINDS}`;

const sample = (kind) => svg("svg", { width: 28, height: 8, "aria-hidden": "true" }, svg("line", { class: `curve ${kind}`, x1: 0, x2: 28, y1: 4, y2: 4 }));

function parts({ lines, bands = [], dots = [], across, up, at, level, begin = 0, end, most, tell, tellUp = shown }, width) {
  const last = end ?? Math.max(...lines.flatMap((line) => [...line.x]));
  const top = most ?? Math.max(...lines.flatMap((line) => [...line.y]), ...bands.flatMap(({ high }) => high), 1.2 * (level?.[0] ?? 0), 1e-9);
  const [base, right] = [HEIGHT - BOTTOM, width - RIGHT];
  const x = (value) => LEFT + ((right - LEFT) * (value - begin)) / (last - begin || 1);
  const y = (value) => base - ((base - TOP) * value) / top;
  const points = (xs, ys) => Array.from(xs, (value, i) => `${x(value).toFixed(1)},${y(ys[i]).toFixed(1)}`);
  const text = (words, left, height, anchor, kind) => svg("text", { class: kind, x: left, y: height, "text-anchor": anchor }, words);
  const line = (kind, x1, x2, y1, y2) => svg("line", { class: kind, x1, x2, y1, y2 });
  return [
    ticks(top).map((value) => [line("grid", LEFT, right, y(value), y(value)), text(tellUp(value), LEFT - 6, y(value) + 4, "end")]),
    tell
      ? spaced(lines[0].x, x).map((value) => text(tell(value), x(value), base + 16, value === last ? "end" : "middle"))
      : ticks(last, last > 1 ? 1 : 0).filter((value) => value >= begin).map((value) => text(value.toLocaleString("en"), x(value), base + 16, "middle")),
    text(across, (LEFT + right) / 2, HEIGHT - 4, "middle", "title"),
    text(up, 0, 10, "start", "title"),
    at !== undefined && line("mark", x(at), x(at), TOP, base),
    level && [line("mark", LEFT, right, y(level[0]), y(level[0])), level[1] && text(level[1], right, y(level[0]) + 15, "end")],
    bands.map((band) => svg("polygon", { class: `band ${band.kind}`,
      points: [...points(band.x, band.high), ...points(band.x, band.low).reverse()].join(" ") })),
    lines.map((each, i) => svg("polyline", { class: `curve ${kindOf(each, i)}`, points: points(each.x, each.y).join(" ") })),
    dots.map((dot) => svg("circle", { class: `dot ${dot.kind}`, cx: x(dot.x), cy: y(dot.y), r: 5, onclick: dot.chosen }, svg("title", {}, dot.name))),
  ].flat(2).filter(Boolean);
}

/** Two to six round numbers from 0 to at most `end`, with steps of at least `least`. */
function ticks(end, least = 0) {
  const size = 10 ** Math.floor(Math.log10(end));
  const step = [0.2, 0.5, 1, 2].map((part) => part * size).find((each) => each >= least && end / each <= 5);
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

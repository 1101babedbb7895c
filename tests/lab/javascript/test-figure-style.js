import { dressed, lit } from "/static/answer/figure-style.js";
import { equal } from "./assert.js";

const ON_DARK = { "#0072B2": "#3A8BCE", "#000000": "#FFFFFF" };
const LOOK = { ink: "black", line: "grey", ground: "white", font: "serif" };
const layout = (panels) => {
  const axes = Array.from({ length: panels }, (_, i) => [[`xaxis${i ? i + 1 : ""}`, {}], [`yaxis${i ? i + 1 : ""}`, { domain: [i, i] }]]);
  return { legend: {}, annotations: [], ...Object.fromEntries(axes.flat()) };
};
const heightIn = (room, width = 700, panels = 1) => dressed([], layout(panels), LOOK, width, room).height;

export function inTheDarkLinesBandsAndAreasHaveTheirOwnColours() {
  const data = [{ line: { color: "#0072B2" }, fillcolor: "rgba(0, 114, 178, 0.18)" }, { fillcolor: "white" }, { line: { color: "#D55E00" } }];
  equal(lit({ data, layout: {} }, { ground: "#14191b" }, ON_DARK).data, [
    { line: { color: "#3A8BCE" }, fillcolor: "rgba(58, 139, 206, 0.18)" }, { fillcolor: "#14191b" }, { line: { color: "#D55E00" } },
  ]);
}

export function aFigureFillsTheWindowWithinLimits() {
  equal([350, 100, 2000].map((room) => heightIn(room)), [350, 260, 420]);
  equal(heightIn(2000, 1400), 560);
}

export function panelsShrinkToFitTheWindow() {
  const [low, fitting, high] = [100, 500, 2000].map((room) => heightIn(room, 700, 2));
  equal(fitting, 500);
  equal([low, high], [390, 570]);
  equal([100, 500, 2000].map((room) => heightIn(room, 390, 2)), [570, 570, 570]); // stacked, they need to be scrolled anyway
}

import { chart } from "/static/lib/chart.js";
import { equal, until } from "./assert.js";

const AXES = { across: "patients", up: "regret", label: "Regret of two rules" };
const found = (selector) => [...document.querySelectorAll(selector)];
const words = () => found(".chart text").map((each) => each.textContent);
const firstPoint = () => Number(found("polyline")[0].getAttribute("points").split(",")[0]);

async function drawn(given) {
  const element = chart();
  document.body.replaceChildren(element);
  element.draw({ ...AXES, ...given });
  await until(() => found("polyline").length > 0);
}

export async function linesHaveTheirKindOrThatOfTheirPosition() {
  const line = { x: [0, 10], y: [1, 2] };
  await drawn({ lines: [line, { ...line, kind: "other" }, ...Array(7).fill(line)] });
  equal(found("polyline").map((each) => each.getAttribute("class").split(" ")[1]),
    ["line-0", "other", "line-2", "line-3", "line-4", "line-5", "line-6", "line-7", "line-0"]);
  equal(found(".chart")[0].getAttribute("aria-label"), AXES.label);
}

export async function onlyNamesMakeALegend() {
  await drawn({ lines: [{ x: [0, 10], y: [1, 2] }] });
  equal(found(".legend")[0].hidden, true);
  await drawn({ lines: [{ name: "old", x: [0, 10], y: [1, 2] }, { name: "new", x: [0, 10], y: [1, 2] }] });
  equal(found(".legend span").map((each) => each.textContent), ["old", "new"]);
  equal(found(".legend")[0].hidden, false);
}

export async function theLowerAxisBeginsAt0OrWhereItIsSaid() {
  const lines = [{ x: [1, 2], y: [0, 1] }];
  await drawn({ lines, most: 1, tellUp: (share) => `${100 * share} %` });
  const right = firstPoint();
  equal(words(), ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %", "0", "1", "2", "patients", "regret"]);
  await drawn({ lines, begin: 1, most: 1, tellUp: String });
  equal(firstPoint() < right, true);
  equal(words().slice(6, 8), ["1", "2"]);
}

export async function aLevelMayHaveAName() {
  const lines = [{ x: [0, 1], y: [0, 5] }];
  await drawn({ lines, level: [10] });
  equal([found(".mark").length, words().includes("planned")], [1, false]);
  await drawn({ lines, level: [10, "planned"], at: 0.5 });
  equal([found(".mark").length, words().includes("planned")], [2, true]);
}

export async function labelsThatAreToldDoNotOverlap() {
  const days = Array.from({ length: 100 }, (_, i) => 1000 + i);
  await drawn({ lines: [{ x: days, y: days }], begin: 1000, tell: (day) => `d${day}` });
  const boxes = found(".chart text").filter((each) => each.textContent.startsWith("d")).map((each) => each.getBoundingClientRect());
  equal(boxes.length > 3, true);
  equal(boxes.every((box, i) => i === 0 || boxes[i - 1].right < box.left), true);
}

export async function oneValueIsDrawn() {
  await drawn({ lines: [{ x: [1], y: [0] }], begin: 1, most: 1 });
  equal(Number.isFinite(firstPoint()), true);
}

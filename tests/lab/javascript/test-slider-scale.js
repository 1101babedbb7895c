import { scale } from "/static/forms/slider-scale.js";
import { equal, near } from "./assert.js";

const STEPS = [...Array(201).keys()].map((i) => i / 200);
const unit = scale({ slider: [0, 1], logarithmic: false, kind: "number" });
const weight = scale({ slider: [0.1, 40], logarithmic: true, kind: "number" });
const levels = scale({ slider: [2, 200], logarithmic: false, kind: "integer" });

export function theEndsAreReachedExactly() {
  const open = scale({ slider: [0.001, 0.999], logarithmic: false, kind: "number" });
  for (const [each, low, high] of [[unit, 0, 1], [weight, 0.1, 40], [levels, 2, 200], [open, 0.001, 0.999]]) {
    equal([each.number(-0.1), each.number(0), each.number(1), each.number(1.1)], [low, low, high, high]);
    equal([each.position(low), each.position(high)], [0, 1]);
  }
}

export function numbersAreShort() {
  for (const step of STEPS) {
    equal(unit.number(step), Number(unit.number(step).toFixed(3)));
    if (step % 1) equal(weight.number(step), Number(weight.number(step).toPrecision(2)));
    equal(levels.number(step), Math.round(levels.number(step)));
  }
}

export function numbersGrowWithThePosition() {
  for (const each of [unit, weight, levels]) {
    const numbers = STEPS.map(each.number);
    equal(numbers, numbers.toSorted((a, b) => a - b));
  }
}

export function aNumberGoesBackToItsPosition() {
  for (const step of STEPS) {
    near(unit.position(unit.number(step)), step, 1 / 400);
    near(levels.position(levels.number(step)), step, 1 / 300);
    near(weight.position(weight.number(step)), step, 0.01);
  }
}

export function equalDistancesAreEqualRatiosOnALogarithmicScale() {
  near(weight.position(2) - weight.position(1), weight.position(20) - weight.position(10));
  near(unit.position(0.2) - unit.position(0.1), unit.position(0.9) - unit.position(0.8));
}

export function aNumberBeyondTheEndsIsAtTheEnd() {
  equal([unit.position(-3), unit.position(7), weight.position(1e-9), weight.position(1e9)], [0, 1, 0, 1]);
}

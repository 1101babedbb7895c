// A policy with other parameters than those in the list, since no two may be equal.
import { plugin } from "../lib/catalogue.js";

const TIMES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]; // as many as there can be policies

const inside = ({ low, high, open_low: openLow, open_high: openHigh }, number) =>
  (low === null || (openLow ? number > low : number >= low)) && (high === null || (openHigh ? number < high : number <= high));

/** Other settings of a parameter, the nearest first; none unless it is a single number or a choice. */
function others(parameter, given) {
  if (parameter.kind === "choice") return parameter.choices;
  if (parameter.many || typeof given !== "number") return [];
  const near = [2 * given, ...TIMES.map((times) => given / 2 ** times), ...TIMES.map((times) => given + times)];
  return near
    .map((number) => Number(number.toPrecision(12)))
    .filter((number) => inside(parameter, number) && (parameter.kind !== "integer" || Number.isInteger(number)));
}

/** The given policy, or if it is in the list already, one with a changed parameter; null if no parameter can be changed. */
export function variant(policies, spec) {
  const { parameters } = plugin("policies", spec.name);
  const full = (policy) => JSON.stringify(parameters.map(({ name, default: usual }) => policy[name] ?? usual));
  const used = new Set(policies.filter(({ name }) => name === spec.name).map(full));
  const candidates = [spec, ...numbersFirst(parameters).flatMap((parameter) =>
    others(parameter, spec[parameter.name] ?? parameter.default).map((other) => ({ ...spec, [parameter.name]: other })))];
  return structuredClone(candidates.find((candidate) => !used.has(full(candidate))) || null);
}

const numbersFirst = (parameters) =>
  parameters.toSorted((a, b) => (a.kind === "choice" ? 1 : 0) - (b.kind === "choice" ? 1 : 0));

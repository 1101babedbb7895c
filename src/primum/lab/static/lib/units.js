// Rewards in the unit of the file that the arms come from, whose outcomes were rescaled to [0, 1].
import { shown } from "./formatting.js";

const written = (number, { name }) => `${shown(number, 4)} ${name || "in the unit of the file"}`;

/** A reward as an outcome in the file: "42 days"; "" without a unit. */
export const outcome = (reward, unit) =>
  unit && reward !== null ? written(unit.low + reward * (unit.high - unit.low), unit) : "";

/** A difference or a sum of differences of rewards, such as regret: "42 days"; "" without a unit. */
export const difference = (rewards, unit) =>
  unit && rewards !== null ? written(rewards * (unit.high - unit.low), unit) : "";

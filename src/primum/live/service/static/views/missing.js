// Participants without an outcome, and why: what those who lock the trial accept.
import { code } from "../codes.js";
import { date } from "../dates.js";
import { h } from "../lib/dom.js";
import { table } from "../table.js";

/** A table of them, without arms. */
export const missingTable = (missing) =>
  missing.length === 0
    ? h("p", {}, "No outcome is missing.")
    : table("Participants without an outcome", ["Participant", "Due", "Why"],
      missing.map(({ participant, due, why }) => [code(participant), due ? h("time", { datetime: due }, date(due)) : "\u2013", why]));

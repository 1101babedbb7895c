// Dates and times as people read them: days in the reader's time zone, moments of the journal in UTC.

const DAY = 86_400_000; // milliseconds
const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });
const SHORT = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const TIME = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

/** "18 Nov 2026". */
export const date = (moment) => DATE.format(new Date(moment));

/** "18 Nov". */
export const shortDate = (moment) => SHORT.format(new Date(moment));

/** "14:03:22". */
export const time = (moment) => TIME.format(new Date(moment));

/** "2026-11-18 14:03:22 UTC". */
export const utc = (moment) => `${new Date(moment).toISOString().slice(0, 19).replace("T", " ")} UTC`;

const midnight = (moment) => new Date(moment).setHours(0, 0, 0, 0);

/** Calendar days from `now` to a moment; negative if it has passed. */
export const daysUntil = (moment, now = Date.now()) => Math.round((midnight(moment) - midnight(now)) / DAY);

/** When an outcome is due, in words: "due in 5 days", "due today", "3 days overdue". */
export function dueInWords({ due, state }, now = Date.now()) {
  if (!due) return "no due date";
  const days = daysUntil(due, now);
  if (days > 1) return `due in ${days} days`;
  if (days === 1) return "due tomorrow";
  if (days === 0) return "due today";
  const passed = days === -1 ? "1 day" : `${-days} days`;
  return state === "overdue" ? `${passed} overdue` : `due ${passed} ago`;
}

// Dates and times as people read them: in the time zone of the trial, whatever that of the browser is.

const DAY = 86_400_000; // milliseconds
const DATE_ALONE = /^\d{4}-\d\d-\d\d$/;
const DAY_PARTS = { day: "numeric", month: "short", year: "numeric" };
const TIME_PARTS = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" };

let zone = "UTC";

/** Sets the time zone of the trial; a browser that does not know it shows UTC, and says so. */
export function setZone(name) {
  try {
    new Intl.DateTimeFormat("en-GB", { timeZone: name });
    zone = name;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    zone = "UTC";
  }
}

/** The name of the zone: "Europe/Zurich". */
export const zoneName = () => zone;

/** A date alone belongs to no zone. */
const write = (given, parts) => {
  const timeZone = typeof given === "string" && DATE_ALONE.test(given) ? "UTC" : zone;
  return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone }).format(new Date(given));
};

/** "18 Nov 2026". */
export const date = (given) => write(given, DAY_PARTS);

/** "18 Nov". */
export const shortDate = (given) => write(given, { day: "numeric", month: "short" });

/** "14:03:22". */
export const time = (moment) => write(moment, TIME_PARTS);

/** "UTC+01:00", the offset of the zone at a moment. */
function offset(moment) {
  const name = new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(new Date(moment)).find(({ type }) => type === "timeZoneName").value;
  return name.replace("GMT", "UTC");
}

/** "18 Nov 2026, 14:03:22". */
export const moment = (given) => `${date(given)}, ${time(given)}`;

/** "18 Nov 2026, 14:03:22, Europe/Zurich (UTC+01:00)". */
export const fullMoment = (given) => `${moment(given)}, ${zone === "UTC" ? zone : `${zone} (${offset(given)})`}`;

/** The calendar day of a moment, or a date as it is: "2026-11-18". */
export function dayOf(given) {
  if (typeof given === "string" && DATE_ALONE.test(given)) return given;
  const parts = new Intl.DateTimeFormat("en-GB", { timeZone: zone, year: "numeric", month: "2-digit", day: "2-digit" }).formatToParts(new Date(given));
  return ["year", "month", "day"].map((kind) => parts.find(({ type }) => type === kind).value).join("-");
}

/** Calendar days from `now` to a date or a moment; negative if it has passed. */
export const daysUntil = (given, now = Date.now()) => (Date.parse(dayOf(given)) - Date.parse(dayOf(now))) / DAY;

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

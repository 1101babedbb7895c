import { daysUntil, dueInWords, utc } from "/static/dates.js";
import { equal } from "/tests/assert.js";

const at = (day, hour = 12) => new Date(2026, 10, day, hour).getTime(); // November, in the zone of the browser
const words = (day, state) => dueInWords({ due: new Date(at(day)).toISOString(), state }, at(18));

export function days_are_those_of_the_calendar() {
  equal(daysUntil(at(19, 0), at(18, 23)), 1);
  equal(daysUntil(at(18, 23), at(18, 0)), 0);
  equal(daysUntil(at(15, 23), at(18, 0)), -3);
}

export function an_outcome_that_is_not_due() {
  equal(words(23, "waiting"), "due in 5 days");
  equal(words(19, "waiting"), "due tomorrow");
  equal(words(18, "waiting"), "due today");
  equal(dueInWords({ due: null, state: "waiting" }), "no due date");
}

export function an_outcome_that_is_due_or_overdue() {
  equal(words(17, "due"), "due 1 day ago");
  equal(words(16, "due"), "due 2 days ago");
  equal(words(17, "overdue"), "1 day overdue");
  equal(words(15, "overdue"), "3 days overdue");
}

export function moments_of_the_journal_are_in_utc() {
  equal(utc("2026-11-18T14:03:22.123456+00:00"), "2026-11-18 14:03:22 UTC");
  equal(utc("2026-11-18T14:03:22+02:00"), "2026-11-18 12:03:22 UTC");
}

import { dayOf, date, daysUntil, dueInWords, fullMoment, moment, setZone, shortDate, time, zoneName } from "/static/dates.js";
import { equal } from "/tests/assert.js";

const NOON = "2026-11-18T12:00:00Z";
const words = (due, state) => dueInWords({ due, state }, Date.parse(NOON));

export function days_are_those_of_the_zone_of_the_trial() {
  setZone("Pacific/Auckland");
  equal(dayOf(NOON), "2026-11-19");
  equal(daysUntil("2026-11-20", Date.parse(NOON)), 1);
  setZone("Europe/Zurich");
  equal(dayOf(NOON), "2026-11-18");
  equal(daysUntil("2026-11-20", Date.parse(NOON)), 2);
  equal(daysUntil("2026-11-18T22:59:59Z", Date.parse(NOON)), 0);
  equal(daysUntil("2026-11-18T23:00:00Z", Date.parse(NOON)), 1);
}

export function a_date_alone_is_the_same_in_every_zone() {
  for (const zone of ["Pacific/Auckland", "America/Los_Angeles", "UTC"]) {
    setZone(zone);
    equal([dayOf("2026-11-18"), date("2026-11-18"), shortDate("2026-11-18")], ["2026-11-18", "18 Nov 2026", "18 Nov"]);
  }
}

export function moments_name_their_zone() {
  setZone("Europe/Zurich");
  equal(fullMoment("2026-11-18T14:03:22.123456+00:00"), "18 Nov 2026, 15:03:22, Europe/Zurich (UTC+01:00)");
  equal(fullMoment("2026-07-18T14:03:22+00:00"), "18 Jul 2026, 16:03:22, Europe/Zurich (UTC+02:00)");
  equal(moment("2026-11-18T23:30:00+00:00"), "19 Nov 2026, 00:30:00");
  setZone("UTC");
  equal(fullMoment("2026-11-18T14:03:22+02:00"), "18 Nov 2026, 12:03:22, UTC");
}

export function an_unknown_zone_is_shown_as_utc_and_named_so() {
  setZone("Europe/Zurich");
  setZone("Europe/Atlantis");
  equal([zoneName(), time(NOON)], ["UTC", "12:00:00"]);
}

export function an_outcome_that_is_not_due() {
  setZone("UTC");
  equal(words("2026-11-23", "waiting"), "due in 5 days");
  equal(words("2026-11-19", "waiting"), "due tomorrow");
  equal(words("2026-11-18", "waiting"), "due today");
  equal(dueInWords({ due: null, state: "waiting" }), "no due date");
}

export function an_outcome_that_is_due_or_overdue() {
  setZone("UTC");
  equal(words("2026-11-17", "due"), "due 1 day ago");
  equal(words("2026-11-16", "due"), "due 2 days ago");
  equal(words("2026-11-17", "overdue"), "1 day overdue");
  equal(words("2026-11-15", "overdue"), "3 days overdue");
}

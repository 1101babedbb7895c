"""Times and dates in the time zone of a trial; a time that a wrong clock gave is no error."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from primum.errors import ParameterError, PrimumError, quoted

FURTHEST_DAYS = 3_653  # that an entry is later than the one before it: no trial rests for ten years
NOTED_DAYS = 90  # from which verification notes it


def in_zone(time: datetime, zone: str) -> datetime:
    """A time in a zone; at the ends of the calendar, where some zones have no time, in UTC.

    >>> in_zone(datetime(2026, 7, 1, 22, tzinfo=UTC), "Europe/Zurich").isoformat()
    '2026-07-02T00:00:00+02:00'
    """
    try:
        return time.astimezone(ZoneInfo(zone))
    except OverflowError:
        return time


def local(time: datetime, zone: str) -> str:
    """A time as answers have it: in the zone of the trial, with its offset from UTC."""
    return in_zone(time, zone).isoformat(timespec="milliseconds")


def day(time: datetime, zone: str) -> date:
    """The date of a time in a zone."""
    return in_zone(time, zone).date()


def after(start: date, days: float) -> date:
    """A date some days later, or the last one of the calendar."""
    try:
        return start + timedelta(days=days)
    except OverflowError:
        return date.max


def date_of(name: str, given: object) -> date:
    """A date as it is given: YYYY-MM-DD."""
    try:
        found = date.fromisoformat(given)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = None
    if found is None or found.isoformat() != given:
        raise ParameterError(f"{name} must be a date such as 2026-11-18, got {quoted(given)}", (name,))
    return found


def check_clock(now: datetime, last: datetime | None) -> None:
    """Refuse to write an entry with a time that is far after the last one: the clock is wrong."""
    if last is not None and (now - last).days > FURTHEST_DAYS:
        raise PrimumError(
            f"the clock of this machine says {now.astimezone(UTC):%Y-%m-%d}, and the last entry is of "
            f"{last.astimezone(UTC):%Y-%m-%d}: set the clock, then try again"
        )

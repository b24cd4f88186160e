"""Weeks of ISO 8601 in UTC, counted from the year 1, and days as people give them."""

from __future__ import annotations

from datetime import UTC, date, datetime

from autokb.core.errors import BadInputError

DAYS = 7


def week_of(moment: str) -> int | None:
    """Return the number of the week that a date or a moment lies in; None for what names no day."""
    try:
        if len(moment) <= len("2026-03-01"):
            day = date.fromisoformat(moment)
        else:
            said = datetime.fromisoformat(moment)
            day = (said if said.tzinfo is None else said.astimezone(UTC)).date()
    except (ValueError, OverflowError):
        return None
    return week_of_day(day)


def week_of_day(day: date) -> int:
    """Return the number of a day's week."""
    return (day.toordinal() - 1) // DAYS  # the first day of the year 1 is a Monday


def monday_of(week: int) -> date:
    """Return the first day of a week."""
    return date.fromordinal(week * DAYS + 1)


def week_name(week: int | None) -> str:
    """Return a week as ISO 8601 writes it, such as 2026-W09; nothing for None."""
    if week is None:
        return ""
    year, number, _ = monday_of(week).isocalendar()
    return f"{year:04}-W{number:02}"


def today() -> date:
    """Return the day it is in UTC."""
    return datetime.now(UTC).date()


def read_day(text: str | None, name: str) -> date | None:
    """Return a day that somebody gave under a name, None where nothing (BadInputError where it is none)."""
    if not text:
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadInputError(f"{name} is a day such as 2026-03-01, not {text[:40]!r}.") from None


def day_given(text: str | None, name: str) -> str:
    """Return such a day as dates are kept, and nothing for none."""
    return str(read_day(text, name) or "")

"""Dates as sources write them become ISO 8601; one that could mean two days is read as others are, or left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Literal

from autokb.sources.fields import as_text
from autokb.text.markdown import front_matter_end

_ISO = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}.*)?)?")
DateOrder = Literal["day first", "month first", ""]
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_DAY_OR_MONTH_FIRST = re.compile(r"(\d{1,2})([/.-])(\d{1,2})[/.-](\d{4})")
_WITH_MONTH_NAME = (
    *("%d %B %Y", "%d %b %Y", "%B %d, %Y", "%b %d, %Y", "%B %d %Y", "%b %d %Y"),
    "%d/%b/%y %I:%M %p",  # as Jira's CSV export writes them unless an administrator says otherwise
)
# Seconds since 1970: from 1990 to 2100. A smaller or larger number is no moment somebody wrote to support.
_FIRST_SECOND, _LAST_SECOND = 631_152_000, 4_102_444_800
_MAX_EPOCH_DIGITS = 14

# Entries of a front matter that say when a page changed last, the surest first.
_CHANGED = ("last_updated", "updated", "updated_at", "last_modified", "lastmod", "modified", "date")
_ENTRY = re.compile(r"^([\w-]+):[ \t]+(.+?)[ \t]*$", re.MULTILINE)


def written_date(text: str) -> str:
    """Return the last change that the front matter of a document names, as ISO 8601; empty where it names none."""
    entries = _ENTRY.findall(text[: front_matter_end(text)])
    dates = {name.casefold(): iso_date(value.strip("\"'")) for name, value in entries}
    return next((dates[name] for name in _CHANGED if dates.get(name)), "")


def date_orders(values: Iterable[Any]) -> frozenset[DateOrder]:
    """Return the orders in which a column writes those of its dates that can be read in one order only.

    Dates with full stops have the day first in any column and say nothing of the others.
    """
    readings = (_both_readings(found) for v in values if (found := _DAY_OR_MONTH_FIRST.match(as_text(v).strip())))
    return frozenset("day first" if day else "month first" for day, month in readings if bool(day) != bool(month))


def only_order(orders: Collection[DateOrder]) -> DateOrder:
    """Return the order that settles what could mean two days: the only one that was seen."""
    return next(iter(orders)) if len(orders) == 1 else ""


# Complex: one branch for each way to write a date, and what is ambiguous in it gives none.
def iso_date(value: Any, order: DateOrder = "") -> str:
    """Return a date (and time where given) as ISO 8601, or an empty text for none or an unclear one.

    The ``order`` of its column settles a date that could mean two days.
    """
    text = as_text(value).strip()
    if not text or _ISO.fullmatch(text):
        return text
    if text.isascii() and text.isdigit() and len(text) <= _MAX_EPOCH_DIGITS:
        for units_per_second in (1, 1000):
            seconds = int(text) // units_per_second
            if _FIRST_SECOND <= seconds < _LAST_SECOND:
                return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return ""
    if found := _YEAR_FIRST.match(text):
        return _day(int(found[1]), int(found[2]), int(found[3]))
    if found := _DAY_OR_MONTH_FIRST.match(text):
        day_first, month_first = _both_readings(found)
        if not day_first or not month_first or day_first == month_first:
            return day_first or month_first
        return {"day first": day_first, "month first": month_first, "": ""}[order]
    return _from_words(text)


def _both_readings(found: re.Match[str]) -> tuple[str, str]:
    """Return what a date is with the day first and with the month first; one with full stops is the same in both."""
    first, second, year = int(found[1]), int(found[3]), int(found[4])
    day_first = _day(year, second, first)
    return day_first, day_first if found[2] == "." else _day(year, first, second)


def _day(year: int, month: int, day: int) -> str:
    try:
        return datetime(year, month, day, tzinfo=UTC).date().isoformat()
    except ValueError:
        return ""


def _from_words(text: str) -> str:
    for pattern in _WITH_MONTH_NAME:
        try:
            return datetime.strptime(text, pattern).replace(tzinfo=UTC).date().isoformat()
        except ValueError:
            continue
    try:
        return parsedate_to_datetime(text).isoformat()
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""

"""Dates as sources write them become ISO 8601; one that could mean two days is read as others are, or left out."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from typing import Any, Literal

from autokb.sources.fields import Columns, as_text
from autokb.text.lexicons import word_lists
from autokb.text.markdown import front_matter_end

_ISO = re.compile(r"\d{4}-\d{2}(?:-\d{2}(?:[T ]\d{2}:\d{2}.*)?)?")
DateOrder = Literal["day first", "month first", ""]
_YEAR_FIRST = re.compile(r"(\d{4})[/.](\d{1,2})[/.](\d{1,2})")
_DAY_OR_MONTH_FIRST = re.compile(r"(\d{1,2})([/.-])\d{1,2}[/.-](?:\d{4}|(?<!-)\d{2}(?!\d))")
LONGEST_DATE = 80  # characters of a date in words; one with a weekday, a time and a zone in words has some 60
_DEFAULTS = (datetime(2000, 1, 1), datetime(2001, 2, 2))  # what is read alike with both is a whole date
_ZONES = {"EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7}  # RFC 5322, 4.3
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
    readings = map(
        _both_readings, (found[0] for v in values if (found := _DAY_OR_MONTH_FIRST.match(as_text(v).strip())))
    )
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
        return _moment(int(text))
    if found := _DAY_OR_MONTH_FIRST.match(text):
        day_first, month_first = _both_readings(found[0])
        if not day_first or not month_first or day_first == month_first:
            return day_first or month_first
        return {"day first": day_first, "month first": month_first, "": ""}[order]
    found = _YEAR_FIRST.match(text)
    return _parsed(found[0] if found else text) if found or any(map(str.isalpha, text)) else ""


def _moment(number: int) -> str:
    """Return the moment that is so many seconds or milliseconds after the beginning of 1970."""
    for seconds in (number, number // 1000):
        if _FIRST_SECOND <= seconds < _LAST_SECOND:
            return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return ""


def _both_readings(text: str) -> tuple[str, str]:
    """Return what a date is with the day first and with the month first; one with full stops is the same in both."""
    number = int(re.split(r"\D", text, maxsplit=1)[0])
    day_first, month_first = _parsed(text, day_first=True), _parsed(text)
    day_first = day_first if day_first[-2:] == f"{number:02}" else ""
    return day_first, day_first if "." in text else month_first if month_first[5:7] == f"{number:02}" else ""


@lru_cache(maxsize=50_000)  # some 10 MB: a table has few days
def _parsed(text: str, *, day_first: bool = False) -> str:
    """Return a whole date, with the moment of one that names its zone; nothing where its day, month or year is missing.

    dateutil reads it, with the names of months that our lexicon has in more languages.
    """
    try:
        one, other = (
            _parser().parse(text, default, dayfirst=day_first, tzinfos=_zone) if len(text) <= LONGEST_DATE else default
            for default in _DEFAULTS
        )
    except (ValueError, OverflowError):
        return ""
    if one.date() != other.date():
        return ""
    return str((one if one.tzinfo else one.date()).isoformat())


@cache
def _parser() -> Any:
    from dateutil.parser import parser, parserinfo

    words = word_lists(Columns)
    months = [(*known, *name.split()) for known, name in zip(parserinfo.MONTHS, words.months, strict=True)]
    names = {"MONTHS": months, "JUMP": [*parserinfo.JUMP, *words.beside_dates]}
    return parser(type("Names", (parserinfo,), names)())


def _zone(name: str | None, offset: int | None) -> tzinfo | None:
    if offset is None and name in _ZONES:
        offset = 3600 * _ZONES[name]
    return None if offset is None else timezone(timedelta(seconds=offset))

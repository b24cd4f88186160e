"""Sentences about what was taken, but not as a person may expect: dates that are left out, ids that are made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

MOST_NAMED = 3  # of what a note counts: enough to find it, or to see how it is written
_LONGEST_DATE = 40  # characters of each; one with a weekday, a time and a zone has 37
WRITE_DATES = "write dates as YYYY-MM-DD"
_UNDATED = "dates could be two days or are no dates, so they are"
_ONE_UNDATED = "date could be two days or is no date, so it is"


def named(names: Sequence[str]) -> str:
    """Return the first names in one line; a mark says that there are more."""
    return ", ".join(names[:MOST_NAMED]) + (", …" if len(names) > MOST_NAMED else "")


def date_notes(undated: Mapping[str, Sequence[str]], remedy: str = WRITE_DATES) -> Iterator[str]:
    """Give a sentence about the dates of each file that could not be read, and the ``remedy``; nothing where all could.

    Of several files it counts each file's.
    """
    undated = {file: dates for file, dates in undated.items() if dates}
    dates = [date[:_LONGEST_DATE] for some in undated.values() for date in some]
    if dates:
        counted = ", ".join(f"{len(some)} of {file}" for file, some in undated.items())
        count = f"{len(dates)} ({counted})" if len(undated) > 1 else f"{len(dates)}"
        said = _ONE_UNDATED if len(dates) == 1 else _UNDATED
        yield f"{count} {said} left out; {remedy}: {named(list(dict.fromkeys(dates)))}"


def without_ids(records: Iterable[tuple[str, bool]]) -> list[str]:
    """Return the places of a file's records without an id where others have one; ``records`` say whether they have."""
    records = tuple(records)
    return [place for place, has_id in records if not has_id] if any(has_id for _, has_id in records) else []


def id_notes(places: Sequence[str], source: str) -> Iterator[str]:
    """Give a sentence about records whose ids are made from their ``source`` although others of their file have one."""
    if places:
        yield (
            f"Records without an id in a file where others have one: {len(places)} ({named(places)}). Their ids are "
            f"made from their {source}; if that changes, the next add takes them for new ones and keeps the old ones "
            "too. Fill in the ids, or name a column that is filled in every row with --id-field."
        )

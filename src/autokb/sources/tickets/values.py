"""What the readers of all trackers share: names, texts and dates out of nested records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from autokb.core.tickets import Comment, TicketLink, moment_of
from autokb.sources.fields import Record, as_text
from autokb.sources.outcomes import FALSE, TRUE

# Where trackers, and the tools that back them up, put comments; an object there wraps their list.
_COMMENTS = ("comments", "comment", "comment_data", "comments_data", "comment_regular_data", "conversations", "notes")
_WRAPPED = ("comments", "nodes", "values", "results")
_PUBLIC = ("public", "jsdPublic", "is_public")
_PRIVATE = ("internal", "is_internal", "private", "is_private", "isPrivate")
_NOTES = frozenset({"note", "internal", "private", "internal_note", "private_note", "internalcomment"})
_NAMES = ("name", "displayName", "login", "value", "key", "title", "id")  # of a nested object, the most readable first


def name_of(value: Any) -> str:
    """Return the name of an object such as ``{"name": "Closed"}``, or a plain value as text; nothing for none."""
    if isinstance(value, Mapping):
        value = next((value[name] for name in _NAMES if value.get(name) not in (None, "", [])), "")
    return " ".join(as_text(value).split())


def names_of(value: Any) -> tuple[str, ...]:
    """Return the names of a list of objects, or of a text with commas or semicolons between them; each once."""
    if isinstance(value, str):
        value = [part for whole in value.split(";") for part in whole.split(",")]
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return tuple(dict.fromkeys(filter(None, map(name_of, values))))


def date_of(value: Any) -> str:
    """Return a date as it is written; ``clean_ticket`` reads it, and an ``add`` says which could not be read."""
    return as_text(value).strip()


def as_mappings(value: Any) -> list[Record]:
    """Return the objects of a list; anything else is left out."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


def comment_records(*records: Record) -> list[Record]:
    """Return the comments that stand in a ticket's record or in parts of it; what a tracker itself notes is none."""
    found: list[Record] = []
    for value in (record.get(name) for record in records for name in _COMMENTS):
        if isinstance(value, Mapping):
            value = next((value[name] for name in _WRAPPED if isinstance(value.get(name), list)), None)
        found += [one for one in as_mappings(value) if one.get("system") is not True and one not in found]
    return found


def comments_counted(record: Record) -> int:
    """Return how many comments a ticket's record, or its fields in Jira, say that there are; 0 where they do not."""
    records = [record, *as_mappings([record.get("fields")])]
    counts = [record.get(name) for record in records for name in (*_COMMENTS, "commentsCount", "comments_count")]
    counts += [one.get(name) for one in counts if isinstance(one, Mapping) for name in ("total", "totalCount")]
    return max((one for one in counts if isinstance(one, int) and not isinstance(one, bool)), default=0)


def is_internal(comment: Record) -> bool:
    """Return whether a comment is a note of the team, by what trackers and helpdesks write with it."""
    public = {as_text(comment.get(name)).casefold() for name in _PUBLIC}
    private = {as_text(comment.get(name)).casefold() for name in _PRIVATE}
    visibility = comment.get("visibility")  # an object where Jira shows it to a role or group alone
    kinds = {as_text(one).casefold() for one in (comment.get("type"), visibility) if isinstance(one, str)}
    return bool(public & FALSE or private & TRUE or kinds & _NOTES) or isinstance(visibility, Mapping)


def in_time_order(comments: Sequence[Comment]) -> tuple[Comment, ...]:
    """Return comments with the oldest first where each has a date.

    A list that begins with the newest is turned round before: of one day, none may have a time.
    """
    dated = [(moment_of(one.date), one) for one in comments]
    if not all(moment for moment, _ in dated):
        return tuple(comments)
    dated = dated[::-1] if dated and dated[0][0] > dated[-1][0] else dated
    return tuple(one for _, one in sorted(dated, key=lambda one: one[0]))


def each_once(links: Iterable[TicketLink]) -> tuple[TicketLink, ...]:
    """Return links without repetition and without such as lead nowhere."""
    return tuple(dict.fromkeys(link for link in links if link.target))

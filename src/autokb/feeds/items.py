"""What a source gives: items with what tells whether they changed, in steps that are stored whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from autokb.core.nouns import Document, Skipped
from autokb.core.tickets import Ticket
from autokb.sources.reading import SourceRecord

AT_ONCE = 20  # requests for the items of one step: what a killed run has made in vain

Stamp = Mapping[str, str]
Sign = Literal["sign_in", "consent", "not_found", "unavailable", "elsewhere", "noindex", "other"]


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sign that a content is not what its item is about: ``words`` say what it is, and where it leads.

    A document with another text before it keeps that one. If ``is_certain``, a new document is not stored either.
    """

    sign: Sign
    words: str
    is_certain: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One item as the source has it now; without ``content`` it is as it is known.

    ``stamp`` is what tells whether it changed (None: as it is known), ``gone`` that the source says it was deleted.
    ``reason`` says why it cannot be taken as it is now: it is not asked for again until it changes. ``doubt`` is what
    speaks against its content; ``same_as`` the id of the document that it is another address of, if that has its text.
    """

    key: str
    stamp: Stamp | None = None
    content: SourceRecord[Document] | Ticket | None = None
    gone: bool = False
    reason: str = ""
    doubt: Doubt | None = None
    same_as: str = ""


@dataclass(frozen=True, slots=True)
class Step:
    """What is stored in one transaction: items, and from where a later run goes on.

    ``complete`` says that every item of the source was in a step of the listing that the cursor names.
    """

    items: tuple[Item, ...]
    cursor: Mapping[str, Any]
    skipped: tuple[Skipped, ...] = ()
    complete: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of an item: its stamp, the listing it was last in, and how many listings lack it since."""

    stamp: Stamp = field(default_factory=dict)
    listing: int = 0
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a source was read: from where to go on, and what is known of its items."""

    cursor: Mapping[str, Any]
    known: Mapping[str, Known]

    @property
    def lacks_some(self) -> bool:
        """Whether the last listing lacked items; the next one decides."""
        return any(one.missing for one in self.known.values())


Feed = Iterator[Step]

"""The tickets that a text names, however people write their ids: app-12, APP 12, #12, ticket 12; also those unknown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autokb.core.domain import ENGLISH
from autokb.core.ticket_template import TicketTemplate
from autokb.heuristics.tickets.read_question import find_intents, without_link_cues
from autokb.text.words import content_words

_TOKEN = re.compile(r"[^\s,;:!?()\[\]\"'<>]+")
_KEY = re.compile(r"[A-Z][A-Z0-9_]*-\d+")  # as trackers write keys; encodings and models look like it (UTF-8)
_APART = re.compile(r"(?<![\w-])([A-Z][A-Z0-9_]*)[ ]+#?(\d+)(?![\w-])")
_NUMBER = re.compile(
    r"(?<![\w&])(?:(?P<mark>#)|(?P<word>ticket|issue|bug|vorgang)s?(?:\s+|/)(?:no\.?\s*|nr\.?\s*|number\s+|nummer\s+|#)?)"
    r"(?P<number>\d+)(?![\w-])",
    re.IGNORECASE,
)
_ASKING_WORDS = "ticket tickets issue issues bug bugs show give find open zeig finde vorgang vorgänge"
_EDGES = ".*_`#"


@dataclass(frozen=True, slots=True)
class Mention:
    """A ticket's id in a text: the place, how it is written, and the published ticket, None where there is none.

    An unknown one that is not ``certain`` may be no id at all, but an encoding or a device.
    """

    start: int
    end: int
    spelled: str
    ticket: str | None
    certain: bool = True


class TicketIds:
    """The ids of published tickets, as people write them."""

    def __init__(self, ids: Collection[str]) -> None:
        self._ids = frozenset(ids)
        self._folded = {i.casefold(): i for i in sorted(self._ids, reverse=True)}
        self._shapes = {_shape(i) for i in self._ids}
        keys = {i.rpartition("-")[0] for i in self._ids if _KEY.fullmatch(i)}
        self._project = keys.pop() if len(keys) == 1 else ""  # the only one: there ticket 12 is APP-12

    def find(self, text: str) -> str | None:
        """Return the ticket that a whole text names, None where it names none."""
        mention = self.read(text)
        return None if mention is None else mention.ticket

    def read(self, text: str) -> Mention | None:
        """Return the id that a whole text is, known or not; None where it is a text."""
        text = text.strip()
        if found := self._known(text):
            return Mention(0, len(text), text, found)
        if text.isdecimal() and "0" in self._shapes:
            return Mention(0, len(text), text, None)
        return next((one for one in self._mentions(text) if (one.start, one.end) == (0, len(text))), None)

    def named_in(self, question: str, template: TicketTemplate, language: str = ENGLISH) -> list[Mention]:
        """Return the tickets that a question names, each once; what may be no id counts where all else asks about it.

        "The fix of ABC-1" asks about a ticket, "the fix for UTF-8 in mails" does not.
        """
        found = list({one.ticket or one.spelled.casefold(): one for one in self._mentions(question)}.values())
        if all(one.certain for one in found):
            return found
        rest = question
        for one in sorted(found, key=lambda one: -one.start):
            rest = f"{rest[: one.start]} {rest[one.end :]}"
        rest = without_link_cues(find_intents(rest, template, {})[1], template)
        says_more = content_words(rest, language) - content_words(_ASKING_WORDS, language)
        return [one for one in found if one.certain or not says_more]

    # Complex: one loop for each way to write an id; the first to claim a place has it.
    def _mentions(self, text: str) -> Iterator[Mention]:
        """Yield the ids in a text, known and unknown, in its order."""
        found: dict[int, Mention] = {}
        for number in _NUMBER.finditer(text):
            ticket = self._known(number["number"])
            if ticket is None and number["word"] and self._project:
                ticket = self._known(f"{self._project}-{number['number']}")
            certain = "0" in self._shapes if number["mark"] else number["word"].casefold() in ("ticket", "vorgang")
            found[number.start("number")] = Mention(
                number.start(), number.end(), number["number"], ticket, certain or ticket is not None
            )
        for apart in _APART.finditer(text):
            key = f"{apart[1]}-{apart[2]}"
            if _shape(key) in self._shapes:
                found.setdefault(apart.start(2), Mention(apart.start(), apart.end(), key, self._known(key)))
        taken = [(one.start, one.end) for one in found.values()]
        for token in _TOKEN.finditer(text):
            name = token.group().strip(_EDGES)
            if "/" in name and self._known(name) is None:
                name = name.rpartition("/")[2]  # of an address
            start = token.start() + token.group().find(name)
            if any(a <= start < b for a, b in taken) or name.isdecimal():
                continue
            ticket, is_shaped = self._known(name), any(map(str.isdigit, name)) and _shape(name) in self._shapes
            if ticket or is_shaped or _KEY.fullmatch(name):
                found[start] = Mention(start, start + len(name), name, ticket, bool(ticket or is_shaped))
        yield from sorted(found.values(), key=lambda one: one.start)

    def _known(self, name: str) -> str | None:
        return name if name in self._ids else self._folded.get(name.casefold())


def _shape(name: str) -> str:
    """Return an id without its numbers: those of one project have one shape."""
    return re.sub(r"\d+", "0", name.casefold())

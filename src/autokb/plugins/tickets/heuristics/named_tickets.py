"""The tickets that a text names, however people write their ids: app-12, APP 12, #12, ticket 12; also those unknown."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from autokb.core.domain import ENGLISH
from autokb.core.ticket_template import TicketTemplate
from autokb.plugins.tickets.heuristics.read_question import find_intents, without_link_cues
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
        numbered = sorted((i for i in self._ids if re.search(r"\d", i)), reverse=True)  # others may be words of a text
        self._folded = {i.casefold(): i for i in numbered}
        self._shapes = {_shape(i) for i in self._ids}
        keys = {i.rpartition("-")[0] for i in self._ids if _KEY.fullmatch(i)}
        self._project = keys.pop() if len(keys) == 1 else ""  # the only one: there ticket 12 is APP-12

    def read(self, text: str) -> Mention | None:
        """Return the id that a whole text is, known or not; None where it is a text."""
        text = text.strip()
        key = re.sub(r"[\s#-]+", "-", text.strip("#"))
        if found := self._known(text) or self._known(key):
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

    def _mentions(self, text: str) -> Iterator[Mention]:
        """Yield the ids in a text, known and unknown, in its order; of ways to read one place the first counts."""
        found: list[Mention] = []
        for one in (*self._numbers(text), *self._keys_apart(text), *self._keys(text)):
            if not any(one.start < other.end and other.start < one.end for other in found):
                found.append(one)
        yield from sorted(found, key=lambda one: one.start)

    def _numbers(self, text: str) -> Iterator[Mention]:
        """Yield numbers behind # or a tracker's word; of these "issue 404" and, among keys, #404 may be none."""
        for found in _NUMBER.finditer(text):
            number, word = found["number"], found["word"]
            ticket = self._known(number) or (self._known(f"{self._project}-{number}") if word else None)
            certain = word.casefold() in ("ticket", "vorgang") if word else "0" in self._shapes
            yield Mention(found.start(), found.end(), number, ticket, certain or ticket is not None)

    def _keys_apart(self, text: str) -> Iterator[Mention]:
        for found in _APART.finditer(text):
            if _shape(key := f"{found[1]}-{found[2]}") in self._shapes:
                yield Mention(found.start(), found.end(), key, self._known(key))

    def _keys(self, text: str) -> Iterator[Mention]:
        for token in _TOKEN.finditer(text):
            name = token.group().strip(_EDGES)
            if "/" in name and self._known(name) is None:
                name = name.rpartition("/")[2]  # of an address
            if name.isdecimal():
                continue
            start = token.start() + token.group().find(name)
            ticket = self._known(name)
            certain = ticket is not None or (_shape(name) in self._shapes and "0" in _shape(name))
            if certain or _KEY.fullmatch(name):
                yield Mention(start, start + len(name), name, ticket, certain)

    def _known(self, name: str) -> str | None:
        return name if name in self._ids else self._folded.get(name.casefold())


def _shape(name: str) -> str:
    """Return an id without its numbers: those of one project have one shape."""
    return re.sub(r"\d+", "0", name.casefold())

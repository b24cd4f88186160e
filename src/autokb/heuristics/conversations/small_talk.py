"""Messages that are about nothing: greetings, thanks, goodbyes; a short human reply is all they need."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from autokb.core.domain import ENGLISH
from autokb.heuristics.conversations.words import ConversationWords
from autokb.text.lexicons import alternation, language_data, word_lists

LONGEST = 200  # characters of a message that can be small talk alone
ACKNOWLEDGEMENT = "acknowledgement"
_NOT_WORDS = re.compile(r"[\W\d_]+")


def small_talk(message: str, language: str = ENGLISH) -> str | None:
    """Return the kind of small talk that a message is, None where it says anything else."""
    text = " ".join(message.casefold().replace("’", "'").split())
    if not text or len(text) > LONGEST:
        return None
    if not _NOT_WORDS.sub("", text):
        return ACKNOWLEDGEMENT  # a thumb, a smile, three dots
    kinds = []
    for kind, pattern in _patterns(language):
        text, count = pattern.subn(" ", text)
        kinds += [kind] if count else []
    return None if _NOT_WORDS.sub("", text) or not kinds else kinds[0]


def small_talk_reply(kind: str, language: str = ENGLISH) -> str:
    """Return what to write back, in our own words."""
    replies = word_lists(ConversationWords, language).replies or word_lists(ConversationWords).replies
    return replies[kind]


def without_small_talk(message: str, language: str = ENGLISH) -> str:
    """Return a message without the greetings and thanks that it begins with, all of it where nothing else is left."""
    pattern = _leading(language)
    rest = message.strip()
    while found := pattern.match(rest):
        rest = rest[found.end() :]
    return rest or message.strip()


@cache
def _patterns(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the pattern of each kind, those first that tell most: who thanks and says goodbye goes."""
    words, data = word_lists(ConversationWords, language), language_data(language)
    kinds = {
        "goodbye": words.small_talk.get("goodbye", ()),
        "thanks": (*words.small_talk.get("thanks", ()), *data.courtesies),
        "greeting": (*words.small_talk.get("greeting", ()), *data.greetings),
        ACKNOWLEDGEMENT: words.acknowledgements,
    }
    return tuple((kind, _whole_words(phrases)) for kind, phrases in kinds.items())


@cache
def _leading(language: str) -> re.Pattern[str]:
    kinds, data = word_lists(ConversationWords, language).small_talk, language_data(language)
    phrases = [*chain.from_iterable(kinds.values()), *data.courtesies, *data.greetings]
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?:{alternation(longest_first)})(?!\w)[\s,.!;:)-]*", re.IGNORECASE)


def _whole_words(phrases: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(phrases, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{alternation(longest_first)})(?!\w)", re.IGNORECASE)

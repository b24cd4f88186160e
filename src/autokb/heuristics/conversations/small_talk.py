"""Messages that are about nothing: greetings, thanks, goodbyes; a short human reply is all they need."""

from __future__ import annotations

import re
from functools import cache
from itertools import chain

from autokb.core.domain import ENGLISH
from autokb.heuristics.conversations.words import ConversationWords, pattern_of
from autokb.heuristics.subject_words import subject_words
from autokb.text.lexicons import any_of, ignoring_case, language_data, longest_of, word_lists
from autokb.text.sentences import sentences

LONGEST = 200  # characters of a message that can be small talk alone
LONGEST_STORY = 12  # words of who has solved it and gives thanks, such as what it was
FEW_WORDS = 2  # about its matter that a sentence beside a wish has at most: with more it is a problem of its own
ACKNOWLEDGEMENT = "acknowledgement"
_KINDS = ("goodbye", "trying", "thanks", "greeting", ACKNOWLEDGEMENT)  # those first that tell most
_NOT_WORDS = re.compile(r"[\W\d_]+")


# Complex: what is left of a message, and the kinds that were taken out of it, decide together.
def small_talk(message: str, language: str = ENGLISH) -> str | None:
    """Return the kind of small talk that a message is, None where it says anything else."""
    text = " ".join(message.casefold().replace("’", "'").split())
    if not text or len(text) > LONGEST:
        return None
    if not _NOT_WORDS.sub("", text):
        return ACKNOWLEDGEMENT  # a thumb, a smile, three dots
    kinds = []
    tells_more = not _is_mended(text, language)
    for kind, pattern in _patterns(language):
        text, count = pattern.subn(" ", text)
        kinds += [kind] if count else []
    rest = _NOT_WORDS.sub(" ", text).split()
    if rest and (tells_more or "thanks" not in kinds or len(rest) > LONGEST_STORY):
        return None
    return next((kind for kind in _KINDS if kind in kinds), None)


def _is_mended(text: str, language: str) -> bool:
    """Return whether a text says that it works again, and does not go on with anything else."""
    goes_on = "?" in text or pattern_of("goes_on", language).search(text)
    return not goes_on and pattern_of("mended", language).search(text) is not None


def wish_of(message: str, language: str = ENGLISH) -> str | None:
    """Return which wish a message is that steps seldom fulfil, such as for money back, if it is about nothing else."""
    parts = [message[start:end] for start, end in sentences(message, language=language)]
    wishes = word_lists(ConversationWords, language).wishes.items()
    found = [next((kind for kind, some in wishes if ignoring_case(any_of(some)).search(part)), None) for part in parts]
    others = (part for part, kind in zip(parts, found, strict=True) if kind is None)
    is_more = any(len(set(subject_words(part, language))) > FEW_WORDS for part in others)
    return None if is_more else next(filter(None, found), None)


def fulfils(text: str, wish: str, language: str = ENGLISH) -> bool:
    """Return whether a text is about what a wish is for."""
    return re.search(word_lists(ConversationWords, language).matters[wish], text, re.IGNORECASE) is not None


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
    words, data = word_lists(ConversationWords, language), language_data(language)
    kinds = {
        "goodbye": words.small_talk.get("goodbye", ()),
        "thanks": (*words.small_talk.get("thanks", ()), *data.courtesies),
        "greeting": (*words.small_talk.get("greeting", ()), *data.greetings),
        ACKNOWLEDGEMENT: words.acknowledgements,
    }
    return (
        *((kind, ignoring_case(any_of(some))) for kind, some in words.small_talk_sentences.items()),
        ("thanks", pattern_of("solved", language)),
        *((kind, ignoring_case(rf"(?<!\w)(?:{longest_of(phrases)})(?!\w)")) for kind, phrases in kinds.items()),
    )


@cache
def _leading(language: str) -> re.Pattern[str]:
    kinds, data = word_lists(ConversationWords, language).small_talk, language_data(language)
    phrases = [*chain.from_iterable(kinds.values()), *data.courtesies, *data.greetings]
    return ignoring_case(rf"(?:{longest_of(phrases)})(?!\w)[\s,.!;:)-]*")

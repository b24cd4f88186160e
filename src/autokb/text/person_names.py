"""Names of people where a message gives them away: behind a greeting, a title, "my name is", and as its last words."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar

from autokb.core.nouns import Span
from autokb.text.lexicons import AsWritten, WordLists, alternation, language_data, word_lists
from autokb.text.stemming import stem

MOST_WORDS = 3  # of a name: first names, an initial, a family name
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*\.?")
_GAP = re.compile(r"[^\S\n]+")  # between the words of a name
_LINE_END = re.compile(r"[^\S\n]*+[.,!]*+[^\S\n]*+(?:\n|\Z)")
_ADDRESS_END = re.compile(r"[^\S\n]*+(?:[,!.:;–-]|\n|\Z)")


@dataclass(frozen=True)
class NameCues(WordLists):
    """Words beside which names stand, as the YAML files say; ``others`` stand in their places and are no names.

    ``number_labels`` stand before numbers of orders and customers; ``stand_ins`` are the words for what is hidden.
    """

    file: ClassVar[str] = "person_names"
    introductions: tuple[str, ...] = ()
    opening_introductions: tuple[str, ...] = ()
    titles: tuple[AsWritten, ...] = ()
    signings: tuple[str, ...] = ()
    others: frozenset[str] = frozenset()
    nouns_have_capitals: bool = False
    number_labels: tuple[str, ...] = ()
    stand_ins: Mapping[str, AsWritten] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _NamePatterns:
    """What the cues of one language look like; each match ends where a name may begin."""

    introduction: re.Pattern[str]
    opening: re.Pattern[str]
    salutation: re.Pattern[str]
    title: re.Pattern[str]
    signing: re.Pattern[str]
    others: frozenset[str]
    fewest_in_opening: int


def find_names(text: str, language: str, vocabulary: Container[str] = frozenset()) -> list[Span]:
    """Return where names of people stand in a message, in order.

    A name is up to three words with capitals behind such a cue; alone in the text it is not found. ``vocabulary`` are
    the stems of the documents, and so of the products: behind a greeting they are no names, and without any of them
    nothing is read there.
    """
    patterns = _patterns(language)
    found: list[Span] = []

    def is_known(word: str) -> bool:
        return stem(word.casefold(), language) in vocabulary

    def look(cue: re.Pattern[str], end: re.Pattern[str] | None, fewest: int, is_weak: bool) -> None:
        for one in cue.finditer(text):
            words = _read_words(text, one.end(), patterns.others, is_known if is_weak else None)
            if len(words) < fewest or (end and not end.match(text, words[-1][1])):
                continue
            first, last = words[0][0], words[-1][1]
            at = bisect_left(found, (first,))
            if (at == 0 or found[at - 1][1] <= first) and (at == len(found) or last <= found[at][0]):
                found.insert(at, (first, last))

    look(patterns.introduction, None, 1, False)
    look(patterns.title, None, 1, False)
    look(patterns.signing, _LINE_END, 1, False)
    if vocabulary:
        look(patterns.opening, None, patterns.fewest_in_opening, True)
        look(patterns.salutation, _ADDRESS_END, 1, True)
    return found


def mask_names(text: str, language: str, vocabulary: Container[str] = frozenset()) -> str:
    """Return a message with its names as ``<name-1>``, ``<name-2>``: one name has one placeholder."""
    given: dict[str, str] = {}
    parts, end = [], 0
    for first, last in find_names(text, language, vocabulary):
        name = text[first:last]
        parts += [text[end:first], given.setdefault(name.casefold(), f"<name-{len(given) + 1}>")]
        end = last
    return "".join([*parts, text[end:]])


# Complex: each word goes on, ends or forbids the name, depending on what it is.
def _read_words(
    text: str, start: int, others: Container[str], is_known: Callable[[str], bool] | None
) -> Sequence[Span]:
    """Return the words of the name that begins here; none where one of them is no name."""
    found: list[Span] = []
    while len(found) < MOST_WORDS and (word := _WORD.match(text, start)):
        bare = word.group().rstrip(".")
        is_initial = len(bare) == 1 and bare.isupper()
        if not is_initial and not _is_capitalised(bare):
            break
        parts = [bare, *bare.split("-")]
        if any(part.casefold() in others for part in parts) or (
            is_known and not is_initial and any(map(is_known, parts))
        ):
            return ()
        last = word.end() if is_initial else word.start() + len(bare)
        found.append((word.start(), last))
        gap = _GAP.match(text, last)
        if gap is None:
            break
        start = gap.end()
    return found if any(last - first > 2 for first, last in found) else ()  # initials alone are no name


def _is_capitalised(word: str) -> bool:
    """Return whether a word begins with a capital and is none in capitals, nor a single letter."""
    return word[0].isupper() and len(word) > 1 and not word[1:].isupper()


@cache
def _patterns(language: str) -> _NamePatterns:
    data, cues = language_data(language), word_lists(NameCues, language)
    greetings, blank = _any_of(data.greetings), _GAP.pattern
    others = {*data.stop_words, *data.support_words, *data.everyday_words, *cues.others}
    others |= {word for phrase in (*data.greetings, *data.courtesies) for word in phrase.split()}
    opening = rf"(?:\A|(?<!\w)(?:{greetings})(?:{blank}[^\W\d_]+)?[\s,;:!.–-]*)"
    titles = "|".join(map(re.escape, sorted(cues.titles, key=len, reverse=True))) or "(?!)"
    return _NamePatterns(
        introduction=re.compile(rf"(?<!\w)(?:{_any_of(cues.introductions)}){blank}", re.IGNORECASE),
        opening=re.compile(rf"{opening}(?:{_any_of(cues.opening_introductions)}){blank}", re.IGNORECASE),
        salutation=re.compile(rf"^[^\S\n]*(?:{greetings}),?{blank}", re.IGNORECASE | re.MULTILINE),
        title=re.compile(rf"(?<!\w)(?:{titles}){blank}"),
        signing=re.compile(rf"(?<!\w)(?:{_any_of(cues.signings)})(?:[^\S\n]*[,;:!.–-]+\s*|\s+)", re.IGNORECASE),
        others=frozenset(others),
        fewest_in_opening=2 if cues.nouns_have_capitals else 1,
    )


def _any_of(phrases: Iterable[str]) -> str:
    """Return the pattern of some phrases, the longest first."""
    return alternation(sorted(phrases, key=lambda one: (-len(one), one)))

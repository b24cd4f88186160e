"""Variations without a model, by rules alone: they are known words moved about, not what a person would write."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from autokb.tasks.probes.query_variations.words import CONTRACTIONS, SAME
from autokb.text.content_words import content_words
from autokb.text.lexicon_words import inflections, word_set

_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_MARKS = re.compile(r"[,;:!?\"“”()*_`#>|]|\.(?=\s|$)|\s[-–—]\s")
_CLAUSE = re.compile(
    r"(?:,\s+|\s+)(?=(?:when|while|if|after|before|as soon as|because|on|in|with|from|during|since)\s)", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_ASKS = word_set("how what why when where which who can could do does did is are will would should")
SHORT = 3  # letters of a word that is not inflected: too many of them are small words


def fresh(found: Iterable[str], taken: set[str], most: int) -> tuple[str, ...]:
    """Return the first ``most`` that are not yet taken, and take them."""
    kept: list[str] = []
    for text in (" ".join(t.split()) for t in found):
        if len(kept) == most:
            break
        if text and text not in taken:
            taken.add(text)
            kept.append(text)
    return tuple(kept)


def easy(text: str) -> Iterator[str]:
    """Give other punctuation, other letters' case, contractions and word forms."""
    bare = _bare(text)
    yield bare.lower()
    yield from _replaced(text, CONTRACTIONS)
    forms = [_form(text, word) for word in _inflected(text)]
    yield from forms[:2]
    yield f"{_ended(text)}..."
    yield f"{_ended(text)}!"
    yield f"{bare}?"
    yield bare
    yield from forms[2:]
    yield bare.upper()


def medium(text: str, synonyms: Sequence[tuple[str, Sequence[str]]]) -> Iterator[str]:
    """Give the text with one synonym, those of the domain first, then with two."""
    pairs = [*((word, other) for word, others in synonyms for other in others), *SAME]
    single = [(pair, changed) for pair in pairs if (changed := _put(text, *pair)) != text]
    yield from (changed for _, changed in single)
    for (first, changed), (second, _) in combinations(single, 2):
        if not _overlap(first[0], second[0]):
            yield _put(changed, *second)


def hard(text: str) -> Iterator[str]:
    """Give keywords, clauses in another order, and a question for a statement or the other way round."""
    bare = _ended(text)
    words = _keywords(text)
    asks = bool(_ASKS & {word.lower() for word in _WORD.findall(text)[:1]})
    yield from _turned(bare)
    if (parts := _SENTENCE.split(bare))[1:]:
        yield f"{parts[-1]}. {'. '.join(part.rstrip('.') for part in parts[:-1])}."
    yield f"I would like to know: {_low(bare)}" if asks else f"What can I do about this: {_low(bare)}?"
    if len(words) > 1:
        yield " ".join(words)
    yield f"Help needed. {bare}." if asks else f"Why is it that {_low(bare)}?"
    if len(words) > 1:
        yield " ".join(reversed(words))
        yield f"It is about {', '.join(words)}."


def _turned(text: str) -> Iterator[str]:
    """Give the text with a later clause first: ``It stops when it rains`` becomes ``when it rains, it stops``."""
    if _SENTENCE.search(text):
        return
    for cut in _CLAUSE.finditer(text):
        head, tail = text[: cut.start()].rstrip(" ,"), text[cut.end() :].strip(" ,.")
        if len(_WORD.findall(head)) > 1 and len(_WORD.findall(tail)) > 1:
            yield f"{tail[0].upper()}{tail[1:]}, {_low(head)}"


def _bare(text: str) -> str:
    return " ".join(_MARKS.sub(" ", text).split())


def _ended(text: str) -> str:
    return " ".join(text.split()).rstrip(" .!?…")


def _low(text: str) -> str:
    """Begin small, save where the first word is no ordinary one: I, iPhone, USB."""
    first = text.split(" ", 1)[0]
    name = first == "I" or first.startswith(("I'", "I’")) or first[1:] != first[1:].lower()
    return text if name else text[:1].lower() + text[1:]


def _keywords(text: str) -> list[str]:
    """Return the words that name something, each once, as they stand."""
    words = dict.fromkeys(word for word in _WORD.findall(text) if content_words(word) or any(c.isdigit() for c in word))
    return list(words)


def _inflected(text: str) -> list[str]:
    """Return the ordinary words whose plural or singular is known, the last ones first: they are mostly nouns."""
    found = dict.fromkeys(w for w in _WORD.findall(text) if len(w) > SHORT and w.islower() and content_words(w))
    return [word for word in reversed(found) if len(list(inflections(word))) > 1]


def _form(text: str, word: str) -> str:
    """Return the text with the singular of a word where it has one, else with its plural."""
    return _put(text, word, list(inflections(word))[-1])


def _replaced(text: str, pairs: Iterable[tuple[str, str]]) -> Iterator[str]:
    for one, other in pairs:
        for word, instead in ((one, other), (other, one)):
            if (changed := _put(text, word, instead)) != text:
                yield changed


def _put(text: str, word: str, instead: str) -> str:
    """Put words for others, once, in the case of the first letter; an apostrophe may be straight or curled."""
    pattern = re.escape(word).replace("'", "['’]")
    found = re.search(rf"(?<![\w'’-]){pattern}(?![\w'’-])", text, re.IGNORECASE)
    if found is None:
        return text
    if found.group()[0].isupper() and not found.start():
        instead = instead[0].upper() + instead[1:]
    return text[: found.start()] + instead + text[found.end() :]


def _overlap(one: str, other: str) -> bool:
    return bool(set(one.lower().split()) & set(other.lower().split()))

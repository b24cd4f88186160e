"""Whether words that a model wrote are supported by the text they were written from: facts, names, words, negations."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from autokb.text.content_words import content_words

_ADDRESS = re.compile(
    r"(?:https?|ftp|mailto|tel|javascript|data):[^\s<>\"”’)\]]+"  # something with a scheme
    r"|[\w.+-]+\s?@\s?[\w-]+(?:\.[\w-]+)*"  # e-mail
    r"|@\w{2,}"  # an account
    r"|\b(?:[\w-]+\.)+[^\W\d_]{2,}\b(?:/[^\s<>\"”’)\]]*)?",  # a host, with the path behind it
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_QUOTED_NAME = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\"([^\"]+)\"|\*\*([^*]+)\*\*|`([^`]+)`|(?<!\w)['‘]([^'’]+)['’](?!\w)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Words that negate a sentence or bind it to a condition; a text that drops or adds one says something else.
_NEGATIONS_AND_CONDITIONS = frozenset(
    """
    not no never none nor neither without unless except avoid only if until instead cannot stop
    nicht kein keine keinen keiner keines nie niemals ohne nur falls wenn ne pas jamais sans aucun sauf si non mai senza
    nunca jamás sin ningún solo não jamais sem nem niet geen nooit zonder alleen inte aldrig utan ikke aldri uden uten
    """.split()
)
_ORDINALS = content_words("first second next following finally")  # they join steps and name nothing


@lru_cache(maxsize=4_096)
def negations_and_conditions(text: str) -> frozenset[str]:
    """Return the words of a text that negate it or bind it to a condition; ``don't`` counts as ``not``."""
    words = (w.casefold().replace("’", "'") for w in _WORD.findall(text))
    plain = {"not" if w.endswith("n't") or w == "cannot" else w for w in words}
    return frozenset(plain & _NEGATIONS_AND_CONDITIONS)


def unsupported_fact(text: str, source: str) -> str:
    """Return why a text names an address or a number that its source does not, or nothing."""
    folded_source = _folded(source)
    for address in _ADDRESS.findall(text):
        if _folded(address) not in folded_source:
            return f"{address[:60]!r} does not stand in its source"
    numbers = set(_NUMBER.findall(unicodedata.normalize("NFKC", source)))
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        if number not in numbers:
            return f"the number {number[:20]} does not stand in its source"
    return ""


def unsupported(text: str, source: str, around: str = "", *, whole: bool = True) -> str:
    """Return why a text says something that its source does not, or nothing.

    The rules, of which the first that is broken counts: addresses, numbers and names in quotation marks occur in the
    source; every word that names something occurs there or in ``around`` (headings), save those that only order
    steps; at least one occurs in the source; and the words that negate a sentence or bind it to a condition are the
    same. A ``source`` that is not the ``whole`` of what the text is about, as the steps are for a title, may have more
    of the last.
    """
    return (
        unsupported_fact(text, f"{source}\n{around}")
        or _unsupported_name(text, f"{source}\n{around}")
        or _unsupported_word(text, source, around, whole)
        or _changed_condition(text, source, whole)
    )


def _unsupported_name(text: str, source: str) -> str:
    folded_source = _folded(source)
    for alternatives in _QUOTED_NAME.findall(text):
        if (name := next(filter(None, alternatives))) and _folded(name) not in folded_source:
            return f"{name[:60]!r} does not stand in its source"
    return ""


def _unsupported_word(text: str, source: str, around: str, whole: bool) -> str:
    written, supported = content_words(text), content_words(source)
    if strange := written - supported - content_words(around) - _ORDINALS:
        word = next((w.strip(".,:;!?()“”\"'") for w in text.split() if content_words(w) & strange), min(strange))
        return f"the word {word[:40]!r} does not stand in its source"
    if whole and not written & supported and written | supported:
        return "it has no word in common with its source"
    return ""


def _changed_condition(text: str, source: str, whole: bool) -> str:
    written, supported = negations_and_conditions(text), negations_and_conditions(source)
    if written - supported or (whole and supported - written):
        return f"the word {min(written ^ supported)!r} stands in only one of the two"
    return ""


def _folded(text: str) -> str:
    """Return a text without white space and marks that two spellings of one name differ in."""
    return re.sub(r"[\s*_`\\]+", "", unicodedata.normalize("NFKC", text)).casefold()

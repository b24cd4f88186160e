"""Whether words that a model wrote stand on the text they were written from, and what of a text nobody can see."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from autokb.text.content_words import content_words

# Marks without a shape: they turn the direction of writing, or hide orders from people who read the same text.
INVISIBLE = re.compile(
    "[\u00ad\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e01ef]"
)
COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_ADDRESS = re.compile(
    r"(?:https?|ftp|mailto|tel|javascript|data):[^\s<>\"”’)\]]+"  # something with a scheme
    r"|[\w.+-]+\s?@\s?[\w-]+(?:\.[\w-]+)*"  # e-mail
    r"|@\w{2,}"  # an account
    r"|\b(?:[\w-]+\.)+[^\W\d_]{2,}\b(?:/[^\s<>\"”’)\]]*)?",  # a host, with what stands behind it
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+(?:[.,:/]\d+)*")
_NAMED = re.compile(
    r"“([^”]+)”|„([^“”]+)[“”]|«([^»]+)»|\"([^\"]+)\"|\*\*([^*]+)\*\*|`([^`]+)`|(?<!\w)['‘]([^'’]+)['’](?!\w)"
)
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
# Words that turn a sentence round or bind it to a case; a text that drops or adds one says something else.
_TURNING = frozenset(
    """
    not no never none nor neither without unless except avoid only if until instead cannot stop
    nicht kein keine keinen keiner keines nie niemals ohne nur falls wenn ne pas jamais sans aucun sauf si non mai senza
    nunca jamás sin ningún solo não jamais sem nem niet geen nooit zonder alleen inte aldrig utan ikke aldri uden uten
    """.split()
)
_ORDER = content_words("first second next following finally")  # what joins steps and says nothing of its own


def visible(text: str) -> str:
    """Return what a person can see of a text: without invisible marks and comments."""
    return INVISIBLE.sub("", COMMENT.sub("", text) if "<!--" in text else text)


@lru_cache(maxsize=4_096)
def turning_words(text: str) -> frozenset[str]:
    """Return the words of a text that turn it round or bind it to a case; ``don't`` counts as ``not``."""
    words = (w.casefold().replace("’", "'") for w in _WORD.findall(text))
    plain = {"not" if w.endswith("n't") or w == "cannot" else w for w in words}
    return frozenset(plain & _TURNING)


def foreign(text: str, source: str) -> str:
    """Return why a text names an address or a number that its source does not, or nothing."""
    squeezed = _folded(source)
    for address in _ADDRESS.findall(text):
        if _folded(address) not in squeezed:
            return f"{address[:60]!r} does not stand in its source"
    numbers = set(_NUMBER.findall(unicodedata.normalize("NFKC", source)))
    for number in _NUMBER.findall(unicodedata.normalize("NFKC", text)):
        if number not in numbers:
            return f"the number {number[:20]} does not stand in its source"
    return ""


def unsupported(text: str, source: str, around: str = "", *, whole: bool = True) -> str:
    """Return why a text says something that its source does not, or nothing.

    The rule: addresses, numbers and names in quotation marks stand in the source; every word that names something
    stands there or in ``around`` (headings), save those that only order steps; at least one stands in the source; and
    the words that turn a sentence round (not, unless, only, if) are the same. A ``source`` that is not the ``whole`` of
    what the text stands for, as the steps are for a title, may have more of the last.
    """
    if reason := foreign(text, f"{source}\n{around}"):
        return reason
    squeezed = _folded(f"{source}\n{around}")
    for names in _NAMED.findall(text):
        if (name := next(filter(None, names))) and _folded(name) not in squeezed:
            return f"{name[:60]!r} does not stand in its source"
    own, given = content_words(text), content_words(source)
    if strange := own - given - content_words(around) - _ORDER:
        word = next((w.strip(".,:;!?()“”\"'") for w in text.split() if content_words(w) & strange), min(strange))
        return f"the word {word[:40]!r} does not stand in its source"
    if whole and not own & given and own | given:
        return "it has no word in common with its source"
    turned, turning = turning_words(text), turning_words(source)
    if turned - turning or (whole and turning - turned):
        return f"the word {min(turned ^ turning)!r} stands in only one of the two"
    return ""


def _folded(text: str) -> str:
    """Return a text without white space and marks that two spellings of one name differ in."""
    return re.sub(r"[\s*_`\\]+", "", unicodedata.normalize("NFKC", text)).casefold()

"""One line that says what a raw issue is about: its title, or its first sentences without the greeting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from autokb.tasks.issues.find_themes.stop_words import STOP_WORDS

LONGEST = 140
READ = 3_000  # characters of the text; what it is about stands there
_MARKS = re.compile(
    r"<[^<>\s]{1,40}>|https?://\S+|www\.\S+|\[(?:re)?solved\]|\(solved\)|(?-i:\bSOLVED\b:?)|[*_#>`~=]{2,}",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_GREETING = re.compile(
    r"\A\W*(?:(?:hi|hello|hallo|hey|dear|greetings|good (?:morning|afternoon|evening|day)|guten \w+|bonjour|hola|"
    r"ciao|szanowni)\b[^.!?,;:\n]{0,30}(?:[,.!;:]+\s*|\Z)|"
    r"(?:please help(?: me)?|help(?: me)? please|help)\s*[,.!:;]+\s*)",
    re.IGNORECASE,
)
_SIGNED = re.compile(
    r"\A\W*(?:(?:many |kind |best )?(?:thanks|thank you|regards|cheers|sincerely|thx|tia|tks)\b.{0,40}|yours \w+\W*)\Z",
    re.I,
)
_PROBLEM = re.compile(
    r"n['’]t\b|\b(?:not|cant|wont|cannot|unable|fail|error|problem|issue|trouble|missing|lost|losing|"
    r"lose|disappear|vanish|stuck|slow|crash|"
    r"freez|frozen|wrong|stopped|no longer|keeps|never|broken|block|lock|refus|reject|"
    r"denied|declin|how (?:do|can|to)|where|why)|\?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def headline(title: str, text: str, product: str = "") -> str:
    """Return one line of about 140 characters at most; empty only where title and text have no word at all.

    The words of ``product`` say nothing: a title with one further word is less than the first sentences.
    """
    title = _line(title)
    known = frozenset(product.casefold().split())
    if len(set(content_words(title)) - known) >= 2 and not _greets(title):
        return clipped(title)
    first = _joined(list(_sentences(text)), known)
    return clipped(first or title or _line(text))


def content_words(text: str) -> list[str]:
    """Return the words of a text that say what it is about, folded."""
    words = (word.casefold().replace("’", "'") for word in _WORD.findall(text))
    return [word for word in words if word not in STOP_WORDS and (len(word) > 2 or not word.isascii())]


def clipped(text: str) -> str:
    """Cut a line at the last word that fits."""
    if len(text) <= LONGEST:
        return text
    cut = text[:LONGEST]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST // 2 :] else cut).rstrip(" ,;:-–(") + "…"


def _sentences(text: str) -> Iterator[str]:
    """Give the sentences that are neither greeting nor thanks."""
    for sentence in _END.split(text[:READ]):
        line = _GREETING.sub("", _line(sentence)).strip()
        if line and not _SIGNED.match(line) and _WORD.search(line):
            yield line[0].upper() + line[1:]


def _joined(sentences: list[str], known: frozenset[str]) -> str:
    """Join sentences from the first that says what is wrong or asks, as long as they fit into a headline."""
    telling = [n for n, s in enumerate(sentences) if len(set(content_words(s)) - known) >= 2]
    if not telling:
        return max(sentences, key=len, default="")
    start = next((n for n in telling[:5] if _PROBLEM.search(sentences[n])), telling[0])
    if len(" ".join(sentences[telling[0] : start + 1])) <= LONGEST:
        start = telling[0]
    line = sentences[start]
    for sentence in sentences[start + 1 :]:
        if len(line) + 1 + len(sentence) > LONGEST or not content_words(sentence):
            break
        line = f"{line if line[-1] in '.!?…:' else line + '.'} {sentence}"
    return line


def _greets(title: str) -> bool:
    return bool(_SIGNED.match(title)) or len(content_words(_GREETING.sub("", title))) < 2


def _line(text: str) -> str:
    text = unicodedata.normalize("NFKC", text[:READ]).replace("’", "'")
    return " ".join(_MARKS.sub(" ", text).split()).strip(" -–:;,|*")

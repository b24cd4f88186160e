"""One line that says what a raw issue is about: its title, or its first sentences without the greeting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from autokb.tasks.issues.find_themes.stop_words import STOP_WORDS

LONGEST = 120
SHOUTED = 12  # capital letters; fewer may be two abbreviations
ENOUGH = 40  # characters: a sentence so long needs no second one
READ = 3_000  # characters of the text; what it is about stands there
_MARKS = re.compile(
    r"<[^<>\s]{1,40}>|https?://\S+|www\.\S+|\[(?:re)?solved\]|\(solved\)|(?-i:\bSOLVED\b:?)|[*_#>`~=]{2,}",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:\d{{1,4}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}|{_NTH} {_MONTH},? \d{{4}}|{_MONTH} {_NTH},? \d{{4}})"
_CLOCK = r"(?:[ ,T]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[ap]m)?)?"
_STAMP = re.compile(
    rf"\A\W*(?:(?:today|yesterday|date|on|since|as of|updated?|edit(?:ed)?)\W+)?{_DATE}{_CLOCK}\W*", re.IGNORECASE
)
_CRY = re.compile(
    r"\A\W*(?:(?:urgent(?:ly)?|sos|please|pls|plz|attention|question|query|issue|bug|problem|support)\s*[:!,–-]+|"
    r"(?:(?:please|pls|plz)\s+)?help(?:\s+(?:me|needed|please|pls))*\s*[!?.:,–-]+)\s*|"
    r"[\s,;–-]+(?:please|pls|plz)?\s*help(?:\s+(?:me|please|pls))*\s*[!.?]*\Z|\s*\(?\burgent\b\)?\W*\Z",
    re.IGNORECASE,
)
_SHOUT = re.compile(r"([!?])\1+")
_FILLER = re.compile(
    r"\A\W*(?:this (?:is|seems) (?:new|a new \w+|weird|strange|annoying|frustrating|ridiculous)|"
    r"any (?:ideas?|help|suggestions?|advice|thoughts?)\b.{0,40}|what (?:now|gives|is going on|should i do|to do)|"
    r"(?:can|could) (?:any|some)(?:one|body) (?:please )?help\b.{0,40}|(?:please|pls) (?:help|advise|assist)\b.{0,30}|"
    r"i(?:'m| am) (?:new|not (?:a )?tech\w*)\b.{0,40}|sorry for .{0,40}|i need help\b.{0,20}|i hope.{0,30})\W*\Z",
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
    r"denied|declin|dead|silent|quiet|drop|stop|weak|delay|empty|no\b|lag|noise|crackl|static|leak|"
    r"hurt|pain|ache|fever|cough|rash|itch|swell|swollen|bleed|vomit|diarrh|constipat|dizz|nause|sore|cramp|numb|faint|"
    r"how (?:do|can|to)|where|why)|\?",
    re.IGNORECASE,
)
_PICTURE = re.compile("[\u200d\ufe0e\ufe0f\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]+")
_WORD = re.compile(r"(?<!\w)[^\W\d_][\w'’-]*")


def headline(title: str, text: str, product: str = "") -> str:
    """Return one line of about 140 characters at most; empty only where title and text have no word at all.

    The words of ``product`` say nothing: a title with one further word is less than the first sentences.
    """
    title = _calm(_line(title), text)
    known = frozenset(product.casefold().split())
    if len(set(content_words(title)) - known) >= 2 and not _greets(title):
        return clipped(title)
    first = _calm(_joined(list(_sentences(text)), known), title)
    return clipped(first or title or _line(text))


def says_problem(line: str) -> bool:
    """Return whether a line has a word of something that is wrong, or asks."""
    return _PROBLEM.search(line) is not None


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
        if line and not _SIGNED.match(line) and not _FILLER.match(line) and _WORD.search(line):
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
        if len(line) >= ENOUGH or len(line) + 1 + len(sentence) > LONGEST or not content_words(sentence):
            break
        line = f"{line if line[-1] in '.!?…:' else line + '.'} {sentence}"
    return line


def _greets(title: str) -> bool:
    return bool(_SIGNED.match(title)) or len(content_words(_GREETING.sub("", title))) < 2


def _line(text: str) -> str:
    """Return a text as one line without marks, pictures, dates in front and cries for help."""
    text = unicodedata.normalize("NFKC", text[:READ]).replace("’", "'")
    line = " ".join(_MARKS.sub(" ", _PICTURE.sub(" ", text)).split()).strip(" -–:;,|*")
    for pattern in (_STAMP, _CRY):
        rest = pattern.sub("", line).strip(" -–:;,|*")
        line = rest if content_words(rest) else line
    return _SHOUT.sub(r"\1", line)


def _calm(line: str, beside: str) -> str:
    """Write a line small that shouts; words that the other text writes in capitals too (IMAP) keep theirs."""
    words = _WORD.findall(line)
    if len(words) < 2 or len("".join(words)) < SHOUTED or sum(w.isupper() for w in words) < 0.8 * len(words):
        return line
    others = _WORD.findall(beside[:READ])
    quiet = sum(w.isupper() for w in others) < 0.5 * len(others)
    kept = {w for w in others if w.isupper()} if quiet else set()
    small = _WORD.sub(lambda m: m.group() if m.group() in kept or m.group() == "I" else m.group().lower(), line)
    return small[:1].upper() + small[1:]

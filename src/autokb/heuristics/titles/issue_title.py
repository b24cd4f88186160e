"""One line that says what a raw issue is about: its own title, or its first sentences without the greeting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from autokb.heuristics.subject_words import subject_words

LONGEST_TITLE = 120  # characters; a list of issues shows no more of one
READ_CHARACTERS = 3_000  # of the text; what it is about is said there
ENOUGH_CHARACTERS = 40  # of a sentence that needs no second one
FEWEST_SUBJECT_WORDS = 2  # of a title or sentence that says what it is about
FIRST_SENTENCES = 5  # that say something: further behind a problem is no longer what the text begins with
FEWEST_CAPITALS = 12  # letters of a line that shouts; fewer may be two abbreviations
SHOUTED_SHARE = 0.8  # of its words in capitals
LOUD_SHARE = 0.5  # from this share of words in capitals on the other text shouts too and is no guide to spelling
_MARKUP = re.compile(
    r"<[^<>\s]{1,40}>|https?://\S+|www\.\S+|\[(?:re)?solved\]|\(solved\)|(?-i:\bSOLVED\b:?)|[*_#>`~=]{2,}",
    re.IGNORECASE,
)
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}\.?"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = rf"(?:\d{{1,4}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}|{_DAY} {_MONTH},? \d{{4}}|{_MONTH} {_DAY},? \d{{4}})"
_CLOCK = r"(?:[ ,T]+\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?: ?[ap]m)?)?"
_DATE_IN_FRONT = re.compile(
    rf"\A\W*(?:(?:today|yesterday|date|on|since|as of|updated?|edit(?:ed)?)\W+)?{_DATE}{_CLOCK}\W*", re.IGNORECASE
)
_CRY_FOR_HELP = re.compile(
    r"\A\W*(?:(?:urgent(?:ly)?|sos|please|pls|plz|attention|question|query|issue|bug|problem|support)\s*[:!,–-]+|"
    r"(?:(?:please|pls|plz)\s+)?help(?:\s+(?:me|needed|please|pls))*\s*[!?.:,–-]+)\s*|"
    r"[\s,;–-]+(?:please|pls|plz)?\s*help(?:\s+(?:me|please|pls))*\s*[!.?]*\Z|\s*\(?\burgent\b\)?\W*\Z",
    re.IGNORECASE,
)
_REPEATED_MARK = re.compile(r"([!?])\1+")
_FILLER = re.compile(
    r"\A\W*(?:this (?:is|seems) (?:new|a new \w+|weird|strange|annoying|frustrating|ridiculous)|"
    r"any (?:ideas?|help|suggestions?|advice|thoughts?)\b.{0,40}|what (?:now|gives|is going on|should i do|to do)|"
    r"(?:can|could) (?:any|some)(?:one|body) (?:please )?help\b.{0,40}|(?:please|pls) (?:help|advise|assist)\b.{0,30}|"
    r"i(?:'m| am) (?:new|not (?:a )?tech\w*)\b.{0,40}|sorry for .{0,40}|i need help\b.{0,20}|i hope.{0,30})\W*\Z",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_GREETING = re.compile(
    r"\A\W*(?:(?:hi|hello|hallo|hey|dear|greetings|good (?:morning|afternoon|evening|day)|guten \w+|bonjour|hola|"
    r"ciao|szanowni)\b[^.!?,;:\n]{0,30}(?:[,.!;:]+\s*|\Z)|"
    r"(?:please help(?: me)?|help(?: me)? please|help)\s*[,.!:;]+\s*)",
    re.IGNORECASE,
)
_THANKS = re.compile(
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


def issue_title(title: str, text: str, product: str = "") -> str:
    """Return one line of about 140 characters at most; empty only where title and text have no word at all.

    The words of ``product`` say nothing: a title with one further word is less than the first sentences.
    """
    title = _without_shouting(_one_line(title), text)
    of_product = frozenset(product.casefold().split())
    if _is_telling(title, of_product) and not _is_only_manners(title):
        return shorten(title)
    first = _without_shouting(_first_sentences(list(_sentences(text)), of_product), title)
    return shorten(first or title or _one_line(text))


def names_problem(line: str) -> bool:
    """Return whether a line has a word of something that is wrong, or asks."""
    return _PROBLEM.search(line) is not None


def shorten(text: str) -> str:
    """Cut a line at the last word that fits into LONGEST_TITLE."""
    if len(text) <= LONGEST_TITLE:
        return text
    cut = text[:LONGEST_TITLE]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST_TITLE // 2 :] else cut).rstrip(" ,;:-–(") + "…"


def _is_telling(line: str, of_product: frozenset[str]) -> bool:
    return len(set(subject_words(line)) - of_product) >= FEWEST_SUBJECT_WORDS


def _is_only_manners(title: str) -> bool:
    return bool(_THANKS.match(title)) or len(subject_words(_GREETING.sub("", title))) < FEWEST_SUBJECT_WORDS


def _sentences(text: str) -> Iterator[str]:
    """Give the sentences that are neither greeting nor thanks."""
    for sentence in _SENTENCE_END.split(text[:READ_CHARACTERS]):
        line = _GREETING.sub("", _one_line(sentence)).strip()
        if line and not _THANKS.match(line) and not _FILLER.match(line) and _WORD.search(line):
            yield line[0].upper() + line[1:]


def _first_sentences(sentences: list[str], of_product: frozenset[str]) -> str:
    """Join sentences from the first that says what is wrong or asks, as long as they fit into a title."""
    telling = [n for n, sentence in enumerate(sentences) if _is_telling(sentence, of_product)]
    if not telling:
        return max(sentences, key=len, default="")
    start = next((n for n in telling[:FIRST_SENTENCES] if names_problem(sentences[n])), telling[0])
    if len(" ".join(sentences[telling[0] : start + 1])) <= LONGEST_TITLE:
        start = telling[0]
    line = sentences[start]
    for sentence in sentences[start + 1 :]:
        fits = len(line) < ENOUGH_CHARACTERS and len(line) + 1 + len(sentence) <= LONGEST_TITLE
        if not fits or not subject_words(sentence):
            break
        line = f"{line if line[-1] in '.!?…:' else line + '.'} {sentence}"
    return line


def _one_line(text: str) -> str:
    """Return a text as one line without markup, pictures, dates in front and cries for help."""
    text = unicodedata.normalize("NFKC", text[:READ_CHARACTERS]).replace("’", "'")
    line = " ".join(_MARKUP.sub(" ", _PICTURE.sub(" ", text)).split()).strip(" -–:;,|*")
    for pattern in (_DATE_IN_FRONT, _CRY_FOR_HELP):
        rest = pattern.sub("", line).strip(" -–:;,|*")
        line = rest if subject_words(rest) else line
    return _REPEATED_MARK.sub(r"\1", line)


def _without_shouting(line: str, other_text: str) -> str:
    """Write a line small that shouts; words that the other text writes in capitals too (IMAP) stay as they are."""
    words = _WORD.findall(line)
    capitals = sum(w.isupper() for w in words)
    if len(words) < 2 or len("".join(words)) < FEWEST_CAPITALS or capitals < SHOUTED_SHARE * len(words):
        return line
    others = _WORD.findall(other_text[:READ_CHARACTERS])
    is_guide = sum(w.isupper() for w in others) < LOUD_SHARE * len(others)
    spelled_so = {"I", *(w for w in others if is_guide and w.isupper())}
    small = _WORD.sub(lambda m: m.group() if m.group() in spelled_so else m.group().lower(), line)
    return small[:1].upper() + small[1:]

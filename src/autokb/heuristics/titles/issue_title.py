"""One line that says what a raw issue is about: its own title, or its first sentences without the greeting."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.subject_words import subject_words
from autokb.heuristics.titles.words import TitleWords
from autokb.text.lexicons import alternation, ignoring_case, language_data, pattern_of, word_lists

LONGEST_TITLE = 120  # characters; a list of issues shows no more of one
READ_CHARACTERS = 3_000  # of the text; what it is about is said there
ENOUGH_CHARACTERS = 40  # of a sentence that needs no second one
FEWEST_SUBJECT_WORDS = 2  # of a title or sentence that says what it is about
FIRST_SENTENCES = 5  # that say something: further behind a problem is no longer what the text begins with
FEWEST_CAPITALS = 12  # letters of a line that shouts; fewer may be two abbreviations
SHOUTED_SHARE = 0.8  # of its words in capitals
LOUD_SHARE = 0.5  # from this share of words in capitals on the other text shouts too and is no guide to spelling
_REPEATED_MARK = re.compile(r"([!?])\1+")
_SENTENCE_END = re.compile(r"(?<=[.!?。！？])\s+|\n+|(?<=[。！？])")
_PICTURE = re.compile("[\u200d\ufe0e\ufe0f\U0001f000-\U0001faff\u2600-\u27bf\u2b00-\u2bff]+")
_WORD = re.compile(r"(?<!\w)[^\W\d_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class _TitlePatterns:
    """What is no part of a title in one language, and what names a problem."""

    markup: re.Pattern[str]
    date_in_front: re.Pattern[str]
    cry_for_help: re.Pattern[str]
    greeting: re.Pattern[str]
    thanks: re.Pattern[str]
    problem: re.Pattern[str]


@cache
def _patterns(language: str) -> _TitlePatterns:
    known, data = word_lists(TitleWords, language), language_data(language)
    greetings = "|".join((alternation(data.greetings), *known.foreign_greetings))
    problem_words = rf"(?:{alternation(known.problem_beginnings)}|(?:{alternation(known.problem_words)})\b)"
    solved = rf"{alternation(known.solved_marks)}|(?-i:\b(?:{alternation(known.shouted_solved)})\b:?)"
    thanks = rf"(?:(?:{alternation(known.words_before_thanks)}) )?(?:{alternation(known.thanks)})\b.{{0,40}}"
    return _TitlePatterns(
        markup=ignoring_case(rf"<[^<>\s]{{1,40}}>|https?://\S+|www\.\S+|{solved}|[*_#>`~=]{{2,}}"),
        date_in_front=ignoring_case(rf"\A\W*(?:(?:{alternation(known.words_before_date)})\W+)?{_date(language)}\W*"),
        cry_for_help=ignoring_case(_cry_for_help(known)),
        greeting=ignoring_case(
            rf"\A\W*(?:(?:{greetings})\b[^.!?,;:\n]{{0,30}}(?:[,.!;:]+\s*|\Z)|"
            rf"(?:{alternation(known.greeting_cries)})\s*[,.!:;]+\s*)"
        ),
        thanks=ignoring_case(rf"\A\W*(?:{thanks}|(?:{alternation(known.signing_words)}) \w+\W*)\Z"),
        problem=ignoring_case(rf"(?:{negation_endings(known)})\b|\b{problem_words}|\?"),
    )


def _date(language: str) -> str:
    """Return the pattern of a date with a clock time behind it: 3.5.2024, 3rd May 2024, 10:30 pm."""
    known = word_lists(TitleWords, language)
    month = rf"(?:{alternation(name[:3] for name in language_data(language).months)})[^\W\d_]{{0,6}}\.?"
    day = rf"\d{{1,2}}(?:{alternation(known.day_endings)})?"
    date = rf"(?:\d{{1,4}}[/.-]\d{{1,2}}[/.-]\d{{2,4}}|{day} {month},? \d{{4}}|{month} {day},? \d{{4}})"
    return rf"{date}(?:[ ,T]+\d{{1,2}}[:.]\d{{2}}(?:[:.]\d{{2}})?(?: ?(?:{alternation(known.clock_endings)}))?)?"


def _cry_for_help(known: TitleWords) -> str:
    """Return the pattern of a cry for help in front of a line or behind it."""
    please, help_ = alternation(known.please_words), rf"(?:{alternation(known.help_words)})"
    after, after_last = alternation(known.words_after_help), alternation(known.words_after_last_help)
    return (
        rf"\A\W*(?:(?:{alternation(known.cries)})\s*[!:,–-]+|"
        rf"(?:(?:{please})\s+)?{help_}(?:\s+(?:{after}))*\s*[!?.:,–-]+)\s*|"
        rf"[\s,;–-]+(?:{please})?\s*{help_}(?:\s+(?:{after_last}))*\s*[!.?]*\Z|"
        rf"\s*\(?\b(?:{alternation(known.last_cries)})\b\)?\W*\Z"
    )


def negation_endings(known: TitleWords) -> str:
    """Return the pattern of what negates the verb that it stands on: n't, with either apostrophe."""
    return alternation(known.negation_endings).replace("'", "['’]")


def issue_title(title: str, text: str, product: str = "", language: str = ENGLISH) -> str:
    """Return one line of about 140 characters at most; empty only where title and text have no word at all."""
    return shorten(whole_title(title, text, product, language))


def whole_title(title: str, text: str, product: str = "", language: str = ENGLISH) -> str:
    """Return the line of ``issue_title``, a title without a cut, however long somebody made it.

    The words of ``product`` say nothing: a title with one further word is less than the first sentences.
    """
    title = _without_shouting(_one_line(title, language), text, language)
    of_product = frozenset(product.casefold().split())
    if _is_telling(title, of_product, language) and not _is_only_manners(title, language):
        return title
    first = _first_sentences(list(sentences_of_problem(text, language)), of_product, language)
    return shorten(_without_shouting(first, title, language) or title or _one_line(text, language))


def names_problem(line: str, language: str = ENGLISH) -> bool:
    """Return whether a line has a word of something that is wrong, or asks."""
    lone_problem = pattern_of(TitleWords, "lone_problem_beginnings", language, before=r"\b")
    return any(pattern.search(line) for pattern in (_patterns(language).problem, lone_problem))


def shorten(text: str) -> str:
    """Cut a line at the last word that fits into LONGEST_TITLE."""
    if len(text) <= LONGEST_TITLE:
        return text
    cut = text[:LONGEST_TITLE]
    return (cut.rsplit(" ", 1)[0] if " " in cut[LONGEST_TITLE // 2 :] else cut).rstrip(" ,;:-–(") + "…"


def _is_telling(line: str, of_product: frozenset[str], language: str) -> bool:
    return len(set(subject_words(line, language)) - of_product) >= FEWEST_SUBJECT_WORDS


def _is_only_manners(title: str, language: str) -> bool:
    known = _patterns(language)
    if known.thanks.match(title):
        return True
    return len(subject_words(known.greeting.sub("", title), language)) < FEWEST_SUBJECT_WORDS


def sentences_of_problem(text: str, language: str = ENGLISH) -> Iterator[str]:
    """Give the sentences that are neither greeting nor thanks."""
    known = _patterns(language)
    filler = pattern_of(TitleWords, "fillers", language, r"\A\W*", r"\W*\Z")
    for sentence in _SENTENCE_END.split(text[:READ_CHARACTERS]):
        line = known.greeting.sub("", _one_line(sentence, language)).strip()
        if line and not known.thanks.match(line) and not filler.match(line) and _WORD.search(line):
            yield line[0].upper() + line[1:]


# Complex: where the title starts, what is put before it and what follows share one limit.
def _first_sentences(sentences: list[str], of_product: frozenset[str], language: str) -> str:
    """Join sentences from the first that says what is wrong or asks, as long as they fit into a title."""
    telling = [n for n, sentence in enumerate(sentences) if _is_telling(sentence, of_product, language)]
    if not telling:
        return max(sentences, key=len, default="")
    start = next((n for n in telling[:FIRST_SENTENCES] if _patterns(language).problem.search(sentences[n])), telling[0])
    if len(" ".join(sentences[telling[0] : start + 1])) <= LONGEST_TITLE:
        start = telling[0]
    line = sentences[start]
    for sentence in sentences[start + 1 :]:
        fits = len(line) < ENOUGH_CHARACTERS and len(line) + 1 + len(sentence) <= LONGEST_TITLE
        if not fits or not subject_words(sentence, language):
            break
        line = f"{line if line[-1] in '.!?…:' else line + '.'} {sentence}"
    return line


def _one_line(text: str, language: str) -> str:
    """Return a text as one line without markup, pictures, dates in front and cries for help."""
    known = _patterns(language)
    text = unicodedata.normalize("NFKC", text[:READ_CHARACTERS]).replace("’", "'")
    line = " ".join(known.markup.sub(" ", _PICTURE.sub(" ", text)).split()).strip(" -–:;,|*")
    for pattern in (known.date_in_front, known.cry_for_help):
        rest = pattern.sub("", line).strip(" -–:;,|*")
        line = rest if subject_words(rest, language) else line
    return _REPEATED_MARK.sub(r"\1", line)


def _without_shouting(line: str, other_text: str, language: str) -> str:
    """Write a line small that shouts; words that the other text writes in capitals too (IMAP) stay as they are."""
    words = _WORD.findall(line)
    capitals = sum(w.isupper() for w in words)
    if len(words) < 2 or len("".join(words)) < FEWEST_CAPITALS or capitals < SHOUTED_SHARE * len(words):
        return line
    others = _WORD.findall(other_text[:READ_CHARACTERS])
    is_guide = sum(w.isupper() for w in others) < LOUD_SHARE * len(others)
    spelled_so = {*word_lists(TitleWords, language).capital_words, *(w for w in others if is_guide and w.isupper())}
    small = _WORD.sub(lambda m: m.group() if m.group() in spelled_so else m.group().lower(), line)
    return small[:1].upper() + small[1:]

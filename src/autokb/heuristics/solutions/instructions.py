"""Whether text of a manual instructs its reader, asks, names a task, or only points elsewhere."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import alternation, any_of, ignoring_case, language_data, word_lists
from autokb.text.plain_text import plain_text

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BEHIND_MARK = re.compile(r"(?:[:>–—]|\s-)\s+(?=[A-Z])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\([^()\n]{0,500}\)")
LINKED_SHARE = 0.7  # of the characters of a text that only points elsewhere
MOST_OPENINGS = 4  # adverbs and clauses before an imperative that are looked behind
FEWEST_MATTER_WORDS = 2  # of an introduction that names its matter
MOST_LABEL_WORDS = 6  # of an introduction that is a label, such as "On a Mac:"


@dataclass(frozen=True, slots=True)
class _InstructionPatterns:
    """How one language instructs, asks, announces and points elsewhere."""

    before_imperative: re.Pattern[str]
    leading_clause: re.Pattern[str]
    advice: re.Pattern[str]
    visit: re.Pattern[str]
    navigation: re.Pattern[str]
    heading_without_solution: re.Pattern[str]
    question_start: re.Pattern[str]
    announcement: re.Pattern[str]
    note: re.Pattern[str]
    author_note: re.Pattern[str]
    preparation: re.Pattern[str]
    step_number: re.Pattern[str]
    imperative_verbs: frozenset[str]
    generic_words: frozenset[str]
    generic_headings: frozenset[str]


@cache
def _patterns(language: str) -> _InstructionPatterns:
    known = word_lists(ManualWords, language)
    data = language_data(language)
    questions = alternation(sorted(data.question_words | data.question_verbs))
    steps = rf"(?:{alternation(known.step_words)}) \d{{1,2}}"
    return _InstructionPatterns(
        before_imperative=ignoring_case(
            rf"(?:{alternation(known.words_before_imperative)}|{steps})\b[\s,:.–-]*",
        ),
        leading_clause=re.compile(
            rf"(?:{alternation(known.clause_openings)})\b[^,;:]{{0,160}}[,:]\s*(.*)", re.IGNORECASE | re.DOTALL
        ),
        advice=ignoring_case(any_of(known.advice)),
        visit=ignoring_case(any_of(known.visits)),
        navigation=ignoring_case(any_of(known.navigation)),
        heading_without_solution=ignoring_case(rf"(?:{any_of(known.headings_without_solution)})\W*$"),
        question_start=ignoring_case(rf"(?!(?:{alternation(known.tasks_like_questions)})\b)(?:{questions})\b"),
        announcement=ignoring_case(any_of(known.announcements)),
        note=ignoring_case(rf"\W*(?:{alternation(known.note_labels)})\s*[:：!–—-]"),
        author_note=ignoring_case(any_of(known.author_notes)),
        preparation=ignoring_case(rf"(?:{any_of(known.preparation_headings)})\W*$"),
        step_number=ignoring_case(rf"\W*(?:{alternation(known.step_words)})\s+(\d{{1,2}})\b"),
        imperative_verbs=data.imperative_verbs,
        generic_words=known.generic_words,
        generic_headings=known.generic_words | known.generic_headings,
    )


@lru_cache(maxsize=50_000)
def instructs(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a plain sentence tells its reader what to do."""
    sentence = sentence.strip(" \t\n-–•*\"'“”‘’()[]")
    known = _patterns(language)
    if known.advice.search(sentence):
        return True
    parts = [sentence, *_BEHIND_MARK.split(sentence)[1:]]
    return any(_is_imperative(part, known) for part in parts)


def _is_imperative(text: str, known: _InstructionPatterns) -> bool:
    """Return whether a text begins with an imperative, adverbs and clauses in front of it aside."""
    for _ in range(MOST_OPENINGS):
        if adverb := known.before_imperative.match(text):
            text = text[adverb.end() :]
        elif clause := known.leading_clause.match(text):
            text = clause.group(1)
        else:
            break
    word = _WORD.match(text.lstrip(" \"'“‘(["))
    if word is None:
        return False
    return word.group().casefold() in known.imperative_verbs or bool(known.visit.match(text))


def is_navigation(markdown: str, language: str = ENGLISH) -> bool:
    """Return whether a list item or paragraph is only a link or a word of navigation."""
    plain = plain_text(markdown, images=False)
    if not plain or (_patterns(language).navigation.match(plain) and not instructs(plain, language)):
        return True
    linked = sum(len(label) for label in _LINK.findall(markdown))
    rest = plain_text(_LINK.sub("", markdown), images=False)
    return linked >= LINKED_SHARE * len(plain) and not instructs(rest, language)


def heads_no_solution(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is one of links, contents or legal words and not of help."""
    return _patterns(language).heading_without_solution.match(heading.strip()) is not None


def names_matter(introduction: str, language: str = ENGLISH) -> bool:
    """Return whether an introduction names its matter: ``To remove an account:`` does, ``Do this:`` does not."""
    words = (word.casefold() for word in _WORD.findall(introduction))
    return sum(word not in _patterns(language).generic_words for word in words) >= FEWEST_MATTER_WORDS


def is_label(introduction: str, language: str = ENGLISH) -> bool:
    """Return whether an introduction is a label that can tell lists of one section apart: ``On a Mac:``."""
    words = [word.casefold() for word in _WORD.findall(introduction)]
    return len(words) <= MOST_LABEL_WORDS and not _patterns(language).generic_words.issuperset(words)


def is_note(text: str, language: str = ENGLISH) -> bool:
    """Return whether a paragraph is labelled as a note or warning."""
    return _patterns(language).note.match(text) is not None


def is_author_note(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence is what a manual's authors tell each other: ``TODO: add a picture``."""
    return _patterns(language).author_note.search(sentence.replace("’", "'")) is not None


def begins_with_condition(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence says what holds in a case that it begins with: ``In Safari, ...``."""
    return _patterns(language).leading_clause.match(sentence.strip()) is not None


def is_preparation(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is that of what a procedure needs beforehand: ``Before you begin``."""
    return _patterns(language).preparation.match(heading.strip()) is not None


def step_number(heading: str, language: str = ENGLISH) -> int:
    """Return which step of a procedure a heading says it is (``Step 2: Restart``), 0 where it says none."""
    found = _patterns(language).step_number.match(heading)
    return int(found.group(1)) if found else 0


def is_generic(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading alone names no matter: ``Solution``, ``Steps``, ``Method 2``."""
    words = {word.casefold() for word in _WORD.findall(heading)}
    return words <= _patterns(language).generic_headings


def is_question(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is a question and not the name of a task."""
    asks = _patterns(language).question_start.match(heading.strip())
    return heading.rstrip().endswith(("?", "？")) or asks is not None


def announces_steps(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence without a colon announces the steps after it."""
    return _patterns(language).announcement.search(sentence) is not None

"""Whether text of a manual instructs its reader, asks, names a task, or only points elsewhere."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from autokb.core.domain import ENGLISH
from autokb.heuristics.solutions.words import ManualWords
from autokb.text.lexicons import alternation, ignoring_case, language_data, pattern_of, word_lists
from autokb.text.plain_text import plain_text

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_BEHIND_MARK = re.compile(r"(?:[:>–—]|\s-)\s+(?=[A-Z])")
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\([^()\n]{0,500}\)")
LINKED_SHARE = 0.7  # of the characters of a text that only points elsewhere
MOST_OPENINGS = 4  # adverbs and clauses before an imperative that are looked behind
FEWEST_MATTER_WORDS = 2  # of an introduction that names its matter
MOST_LABEL_WORDS = 6  # of an introduction that is a label, such as "On a Mac:"


@cache
def _before_imperative(language: str) -> re.Pattern[str]:
    """Return the pattern of what may stand before an imperative: adverbs, and the number of a step."""
    known = word_lists(ManualWords, language)
    steps = rf"(?:{alternation(known.step_words)}) \d{{1,2}}"
    return ignoring_case(rf"(?:{alternation(known.words_before_imperative)}|{steps})\b[\s,:.–-]*")


@cache
def _question_start(language: str) -> re.Pattern[str]:
    known, data = word_lists(ManualWords, language), language_data(language)
    questions = alternation(sorted(data.question_words | data.question_verbs))
    return ignoring_case(rf"(?!(?:{alternation(known.tasks_like_questions)})\b)(?:{questions})\b")


def _leading_clause(language: str) -> re.Pattern[str]:
    """Return the pattern of a clause up to its comma or colon, and what stands behind it."""
    return pattern_of(ManualWords, "clause_openings", language, after=r"\b[^,;:]{0,160}[,:]\s*((?s:.*))")


@lru_cache(maxsize=50_000)
def instructs(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a plain sentence tells its reader what to do."""
    sentence = sentence.strip(" \t\n-–•*\"'“”‘’()[]")
    if pattern_of(ManualWords, "advice", language).search(sentence):
        return True
    parts = [sentence, *_BEHIND_MARK.split(sentence)[1:]]
    return any(_is_imperative(part, language) for part in parts)


def _is_imperative(text: str, language: str) -> bool:
    """Return whether a text begins with an imperative, adverbs and clauses in front of it aside."""
    for _ in range(MOST_OPENINGS):
        if adverb := _before_imperative(language).match(text):
            text = text[adverb.end() :]
        elif clause := _leading_clause(language).match(text):
            text = clause.group(1)
        else:
            break
    word = _WORD.match(text.lstrip(" \"'“‘(["))
    if word is None:
        return False
    is_verb = word.group().casefold() in language_data(language).imperative_verbs
    return is_verb or pattern_of(ManualWords, "visits", language).match(text) is not None


def is_navigation(markdown: str, language: str = ENGLISH) -> bool:
    """Return whether a list item or paragraph is only a link or a word of navigation."""
    plain = plain_text(markdown, images=False)
    is_word = pattern_of(ManualWords, "navigation", language).match(plain)
    if not plain or (is_word and not instructs(plain, language)):
        return True
    linked = sum(len(label) for label in _LINK.findall(markdown))
    rest = plain_text(_LINK.sub("", markdown), images=False)
    return linked >= LINKED_SHARE * len(plain) and not instructs(rest, language)


def heads_no_solution(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is one of links, contents or legal words and not of help."""
    pattern = pattern_of(ManualWords, "headings_without_solution", language, after=r"\W*$")
    return pattern.match(heading.strip()) is not None


def names_matter(introduction: str, language: str = ENGLISH) -> bool:
    """Return whether an introduction names its matter: ``To remove an account:`` does, ``Do this:`` does not."""
    words = (word.casefold() for word in _WORD.findall(introduction))
    return sum(word not in word_lists(ManualWords, language).generic_words for word in words) >= FEWEST_MATTER_WORDS


def is_label(introduction: str, language: str = ENGLISH) -> bool:
    """Return whether an introduction is a label that can tell lists of one section apart: ``On a Mac:``."""
    words = [word.casefold() for word in _WORD.findall(introduction)]
    return len(words) <= MOST_LABEL_WORDS and not word_lists(ManualWords, language).generic_words.issuperset(words)


def is_note(text: str, language: str = ENGLISH) -> bool:
    """Return whether a paragraph is labelled as a note or warning."""
    pattern = pattern_of(ManualWords, "note_labels", language, before=r"\W*", after=r"\s*[:：!–—-]")
    return pattern.match(text) is not None


def is_author_note(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence is what a manual's authors tell each other: ``TODO: add a picture``."""
    return pattern_of(ManualWords, "author_notes", language).search(sentence.replace("’", "'")) is not None


def begins_with_condition(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence says what holds in a case that it begins with: ``In Safari, ...``."""
    return _leading_clause(language).match(sentence.strip()) is not None


def is_preparation(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is that of what a procedure needs beforehand: ``Before you begin``."""
    pattern = pattern_of(ManualWords, "preparation_headings", language, after=r"\W*$")
    return pattern.match(heading.strip()) is not None


def step_number(heading: str, language: str = ENGLISH) -> int:
    """Return which step of a procedure a heading says it is (``Step 2: Restart``), 0 where it says none."""
    found = pattern_of(ManualWords, "step_words", language, before=r"\W*", after=r"\s+(\d{1,2})\b").match(heading)
    return int(found.group(1)) if found else 0


def is_generic(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading alone names no matter: ``Solution``, ``Steps``, ``Method 2``."""
    words = {word.casefold() for word in _WORD.findall(heading)}
    known = word_lists(ManualWords, language)
    return words <= known.generic_words | known.generic_headings


def is_question(heading: str, language: str = ENGLISH) -> bool:
    """Return whether a heading is a question and not the name of a task."""
    asks = _question_start(language).match(heading.strip())
    return heading.rstrip().endswith(("?", "？")) or asks is not None


def announces_steps(sentence: str, language: str = ENGLISH) -> bool:
    """Return whether a sentence without a colon announces the steps after it."""
    return pattern_of(ManualWords, "announcements", language).search(sentence) is not None

"""What a raw issue says of its problem: its whole title, and the sentences that tell most beside it."""

from __future__ import annotations

from autokb.core.domain import ENGLISH
from autokb.heuristics.subject_words import subject_stem, subject_words
from autokb.heuristics.titles.issue_title import names_problem, sentences_of_problem, whole_title

LONGEST_TEXT = 150  # characters beside the title
LONGEST_LINE = 300  # characters of a title; what is longer is a text that somebody put there
SHORTEST_PART = 25  # characters; less of a sentence says nothing
FEWEST_NEW_WORDS = 2  # that a sentence adds to what stands there already
MOST_NEW_WORDS = 6  # that count: a longer sentence tells no more
PROBLEM_WORTH = 6  # new words that count as much as the name of something that is wrong
_ENDS = ".!?…:"


def issue_excerpt(title: str, text: str, product: str = "", language: str = ENGLISH) -> str:
    """Return the title and the telling sentences, of LONGEST_TEXT characters at most, cut at the end of a word.

    A sentence tells more where it names what is wrong, adds words about the subject and comes early: what follows is
    mostly what was tried. The words of ``product`` say nothing.
    """
    known = set(product.casefold().split())
    excerpt = _cut(whole_title(title, text, product, language), LONGEST_LINE)
    most = len(excerpt) + LONGEST_TEXT
    left = list(enumerate(dict.fromkeys(sentences_of_problem(text, language))))
    while left:
        room = most - len(excerpt) - (2 if excerpt else 0)
        if room < SHORTEST_PART:
            break
        said = {subject_stem(word, language) for word in subject_words(excerpt, language)} | known
        parts = [(place, _cut(sentence, room)) for place, sentence in left]
        worths = [_worth(part, said, language) for _, part in parts]
        best = max(range(len(left)), key=lambda n: (worths[n] > 0, worths[n] - left[n][0]), default=0)
        if not worths[best]:
            break
        part = parts[best][1]
        excerpt = f"{excerpt}{'' if excerpt[-1:] in _ENDS else '.'} {part}" if excerpt else part
        del left[best]
    return excerpt


def _worth(part: str, said: set[str], language: str) -> int:
    """Return what a sentence adds: its new words, and more where it names what is wrong; 0 where it adds too little."""
    new = {stem for word in subject_words(part, language) if (stem := subject_stem(word, language)) not in said}
    if len(new) < FEWEST_NEW_WORDS:
        return 0
    return min(len(new), MOST_NEW_WORDS) + PROBLEM_WORTH * names_problem(part, language)


def _cut(sentence: str, most: int) -> str:
    """Return a sentence, or as many of its words as fit."""
    if len(sentence) <= most:
        return sentence
    cut = sentence[: most - 1]
    return (cut.rsplit(" ", 1)[0] if " " in cut else cut).rstrip(" ,;:-–(") + "…"

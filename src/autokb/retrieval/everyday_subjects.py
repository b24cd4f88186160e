"""Subjects of everyday life: makers, devices, complaints, shops. A question that opens with one that a knowledge base
never speaks of is about something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from autokb.core.ids import digest
from autokb.core.vectors import Vectors
from autokb.text.lexicons import WordLists, word_lists
from autokb.text.word_forms import inflections
from autokb.text.words import split_words

COMPANIES = ("makers", "shops", "the_company")  # kinds: what is bought, and whoever makes or sells it
OPENING = 8  # words in which people say what they ask about; later ones say where and since when it happens


@dataclass(frozen=True)
class EverydaySubjects(WordLists):
    """What people ask about, by kind; a language may lack it."""

    file = "everyday_subjects"
    subjects: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def everyday_subjects(language: str) -> Mapping[str, tuple[str, ...]]:
    """Return the packaged subjects of a language by kind, nothing where it has none."""
    return word_lists(EverydaySubjects, language).subjects


def find_foreign_subject(text: str, known: Collection[str], language: str) -> str | None:
    """Return the subject that the first words of a question name and that is not among the ``known`` ones, if any.

    Of names inside each other the longest counts: a car radio is no radio.
    """
    words = _fold(text)
    position = 0
    while position < min(OPENING, len(words)):
        found = max(_names_at(words, position, language), key=lambda name: name.count(" "), default=None)
        if found is not None and found not in known:
            return found
        position += found.count(" ") + 1 if found else 1
    return None


@cache
def _of_companies(language: str) -> frozenset[str]:
    kinds = everyday_subjects(language)
    return frozenset(" ".join(_fold(phrase)) for kind in COMPANIES for phrase in kinds.get(kind, ()))


def is_of_company(subject: str, language: str) -> bool:
    """Return whether a subject is a maker, a shop, or what one asks a company for: a price, a parcel, a job."""
    return subject in _of_companies(language)


def subjects_in(text: str, language: str) -> frozenset[str]:
    """Return every subject that a text names, those inside longer ones too."""
    words = _fold(text)
    return frozenset(name for position in range(len(words)) for name in _names_at(words, position, language))


def _fold(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in split_words(text).folded]


def _names_at(words: list[str], position: int, language: str) -> Iterator[str]:
    for spelling, name in _by_first_word(language).get(words[position], ()):
        if tuple(words[position : position + len(spelling)]) == spelling:
            yield name


@cache
def _by_first_word(language: str) -> Mapping[str, list[tuple[tuple[str, ...], str]]]:
    """Return the spellings of all subjects, singular and plural, with their names, by their first words."""
    found: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrases in everyday_subjects(language).values():
        for phrase in phrases:
            # 1,500 phrases: most need no tokenisation, which would cost the first question 20 ms
            *before, last = phrase.split() if phrase.replace(" ", "").isalnum() else _fold(phrase)
            name = " ".join((*before, last))
            for form in inflections(last, language):
                spelling = (*before, form)
                found.setdefault(spelling[0], []).append((spelling, name))
    return found


FILE = Path(__file__).with_name("everyday_vectors.npz")  # written by benchmarks/make_everyday_vectors.py


def packaged_vectors(questions: Sequence[str], encoder: str) -> Vectors | None:
    """Return the unit vectors of the questions, or None where the file is of another list or another encoder.

    They are stored in half precision, which moves a cosine by less than 0.001.
    """
    if not FILE.is_file():
        return None
    with np.load(FILE, allow_pickle=False) as stored:
        if str(stored["encoder"]) != encoder or str(stored["questions"]) != list_mark(questions):
            return None
        vectors = stored["vectors"].astype(np.float32)
    unit: Vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit


def list_mark(questions: Sequence[str]) -> str:
    """Return the mark of a list of questions, which changes when any of them does."""
    return digest(*questions)

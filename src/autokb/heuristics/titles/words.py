"""The words of a language by which the title of an issue is found, and words of attribute values leave it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from autokb.text.lexicons import AsWritten, WordLists


@dataclass(frozen=True, slots=True)
class TitleWords(WordLists):
    """Phrases, and patterns where a field holds text as it is written; the YAML file says what each is for."""

    file: ClassVar[str] = "titles"

    foreign_greetings: tuple[AsWritten, ...] = ()
    solved_marks: tuple[str, ...] = ()
    shouted_solved: tuple[AsWritten, ...] = ()
    words_before_date: tuple[str, ...] = ()
    clock_endings: tuple[str, ...] = ()
    day_endings: tuple[str, ...] = ()
    cries: tuple[str, ...] = ()
    please_words: tuple[str, ...] = ()
    help_words: tuple[str, ...] = ()
    words_after_help: tuple[str, ...] = ()
    words_after_last_help: tuple[str, ...] = ()
    last_cries: tuple[str, ...] = ()
    greeting_cries: tuple[str, ...] = ()
    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    thanks: tuple[str, ...] = ()
    words_before_thanks: tuple[str, ...] = ()
    signing_words: tuple[str, ...] = ()
    negation_endings: tuple[str, ...] = ()
    problem_beginnings: tuple[str, ...] = ()
    problem_words: tuple[str, ...] = ()
    lone_problem_beginnings: tuple[str, ...] = ()
    capital_words: tuple[AsWritten, ...] = ()
    edition_words: tuple[str, ...] = ()
    list_joints: tuple[str, ...] = ()
    words_after_list_joint: tuple[str, ...] = ()
    head_nouns: tuple[str, ...] = ()
    phrase_prepositions: tuple[str, ...] = ()
    phrase_determiners: tuple[str, ...] = ()
    words_after_phrase: tuple[str, ...] = ()
    words_needing_object: tuple[str, ...] = ()
    endings_needing_object: tuple[str, ...] = ()
    words_of_sentences: tuple[str, ...] = ()
    subject_determiners: tuple[str, ...] = ()
    negated_verbs: tuple[str, ...] = ()
    parts_of_wholes: tuple[str, ...] = ()
    loose_ends: tuple[str, ...] = ()
    loose_beginnings: tuple[str, ...] = ()
    openers: tuple[str, ...] = ()

"""The words of a language by which a manual's text is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from autokb.text.lexicons import AsWritten, WordLists

NOTHING = AsWritten("")  # what a language has no words for


@dataclass(frozen=True, slots=True)
class ManualWords(WordLists):
    """Words, phrases, and patterns where a field holds text as it is written; the YAML file says what each is for."""

    file: ClassVar[str] = "manuals"

    words_before_imperative: tuple[str, ...] = ()
    step_words: tuple[str, ...] = ()
    clause_openings: tuple[str, ...] = ()
    patterns: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    generic_words: frozenset[str] = frozenset()
    generic_headings: frozenset[str] = frozenset()
    tasks_like_questions: tuple[str, ...] = ()
    note_labels: tuple[str, ...] = ()
    continuations: tuple[str, ...] = ()
    from_version: AsWritten = NOTHING
    only_version: AsWritten = NOTHING
    before_version: AsWritten = NOTHING
    other_than: AsWritten = NOTHING
    excess_words: tuple[str, ...] = ()
    much_words: tuple[str, ...] = ()
    little_words: tuple[str, ...] = ()
    opposite_steps: tuple[AsWritten, ...] = ()
    units: tuple[str, ...] = ()
    condition_words: tuple[str, ...] = ()
    short_condition_words: tuple[str, ...] = ()
    words_before_model: tuple[str, ...] = ()
    only_words: tuple[str, ...] = ()

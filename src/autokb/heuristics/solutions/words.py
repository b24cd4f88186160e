"""The words of a language by which a manual's text is read."""

from __future__ import annotations

from dataclasses import dataclass
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
    advice: tuple[AsWritten, ...] = ()
    visits: tuple[AsWritten, ...] = ()
    navigation: tuple[AsWritten, ...] = ()
    headings_without_solution: tuple[AsWritten, ...] = ()
    generic_words: frozenset[str] = frozenset()
    generic_headings: frozenset[str] = frozenset()
    tasks_like_questions: tuple[str, ...] = ()
    announcements: tuple[AsWritten, ...] = ()
    note_labels: tuple[str, ...] = ()
    author_notes: tuple[AsWritten, ...] = ()
    preparation_headings: tuple[AsWritten, ...] = ()
    references_back: tuple[AsWritten, ...] = ()
    references_ahead: tuple[AsWritten, ...] = ()
    continuations: tuple[str, ...] = ()
    remarks_on_place: tuple[AsWritten, ...] = ()
    from_version: AsWritten = NOTHING
    only_version: AsWritten = NOTHING
    before_version: AsWritten = NOTHING
    other_than: AsWritten = NOTHING
    excess_words: tuple[str, ...] = ()
    much_words: tuple[str, ...] = ()
    little_words: tuple[str, ...] = ()
    raising_steps: tuple[AsWritten, ...] = ()
    lowering_steps: tuple[AsWritten, ...] = ()
    switching_off: tuple[AsWritten, ...] = ()
    opposite_steps: tuple[AsWritten, ...] = ()
    forbidding_steps: tuple[AsWritten, ...] = ()
    units: tuple[str, ...] = ()
    condition_words: tuple[str, ...] = ()
    short_condition_words: tuple[str, ...] = ()
    words_before_model: tuple[str, ...] = ()
    only_words: tuple[str, ...] = ()

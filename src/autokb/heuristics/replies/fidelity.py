"""Whether a sentence of a reply says what its lines say: in enough of their words, and not the opposite.

It is in other words, so the words that negate need not be the same: half a line may be left out, and ``if`` stand for
``when``. What is compared is which words are negated, clause by clause, and what the lines' conditions are about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from autokb.core.domain import ENGLISH
from autokb.heuristics.grounding.support import GroundingWords, negations_and_conditions
from autokb.text.lexicons import word_lists
from autokb.text.words import terms

FEWEST_SHARED = 0.5  # of a sentence's words, in its lines; of 73 honest sentences of a reader the lowest has .60
_CLAUSE_END = re.compile(r"[.,;:!?()\n–—]+")
_WORD = re.compile(r"[^\W_]+(?:['’][^\W\d_]+)?")


@dataclass(slots=True)
class _Part:
    """Words of a clause from one that joins to the next; a ``condition`` begins with a word that binds."""

    condition: bool = False
    negated: bool = False
    words: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Reading:
    negated: frozenset[str]
    plain: frozenset[str]
    conditions: tuple[frozenset[str], ...]


def unfaithful(text: str, lines: str, said: str = "", language: str = ENGLISH) -> str:
    """Return what a sentence says otherwise than the lines it stands on, without a full stop, or nothing.

    A condition may go where the customer ``said`` something of what it is about.
    """
    words, theirs = frozenset(terms(text, language)), frozenset(terms(lines, language))
    if len(words & theirs) < max(1, FEWEST_SHARED * len(words)):
        return "most of its words do not stand in its lines"
    written, given = _read(text, language), _read(lines, language)
    if dropped := (given.negated - given.plain) & (written.plain - written.negated):
        return f"its lines negate “{min(dropped)}”, and it does not"
    if added := (given.plain - given.negated) & (written.negated - written.plain):
        return f"it negates “{min(added)}”, and its lines do not"
    known = words.union(terms(said, language))
    if left_out := [condition for condition in given.conditions if condition.isdisjoint(known)]:
        return f"it leaves out the condition with “{min(left_out[0])}”"
    return ""


def _read(text: str, language: str) -> _Reading:
    negated: set[str] = set()
    plain: set[str] = set()
    conditions = []
    for clause in _CLAUSE_END.split(text):
        for part in _parts(clause):
            found = frozenset(terms(" ".join(part.words), language))
            (negated if part.negated else plain).update(found)
            if part.condition and found:
                conditions.append(found)
    return _Reading(frozenset(negated), frozenset(plain), tuple(conditions))


def _parts(clause: str) -> Iterator[_Part]:
    """Give the parts of a clause; a negation holds for the whole of its part and for those joined to it behind."""
    words = word_lists(GroundingWords)
    part = _Part()
    for word in _WORD.findall(clause):
        folded = word.casefold()
        is_condition = folded in words.conditions or folded in words.negating_conditions
        if is_condition or folded in words.joining_words or folded in words.contrasting_words:
            yield part
            part = _Part(is_condition, part.negated and folded in words.joining_words)
        part.negated |= bool(negations_and_conditions(word) - words.conditions)
        part.words.append(word)
    yield part

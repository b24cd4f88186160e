"""Rules without a model: their patterns decide; a rule without patterns is not judged."""

from __future__ import annotations

from collections.abc import Sequence

from autokb.core.domain import Rule
from autokb.core.nouns import VerdictName
from autokb.text.content_words import content_words

Judgement = tuple[VerdictName, str, tuple[int, ...]]


def judge(rule: Rule, title: str, steps: Sequence[str], text: str) -> Judgement:
    """Return the verdict of one rule, its reason, and where it is broken (0 is the title)."""
    if not rule.patterns:
        return "not judged", "The rule has no patterns; without a model nobody can judge it.", ()
    found = {place: words for place, part in enumerate((title, *steps)) if (words := rule.broken_by(part))}
    if found:
        said = "; ".join(f"{_place(place)} says {_quoted(words)}" for place, words in found.items())
        return "broken", f"{said[0].upper()}{said[1:]}.", tuple(found)
    if words := rule.broken_by(text):
        return "broken", f"The text as a whole says {_quoted(words)}.", ()
    if content_words(rule.text) & content_words(text):
        return "kept", "It speaks of the rule's matter, and none of the rule's patterns is in it.", ()
    return "not applicable", "Nothing in it is about what the rule is about.", ()


def broken_lines(rule: Rule, step: str) -> list[int]:
    """Return which lines of a step break a rule, or none where leaving them out would not mend it."""
    lines = step.split("\n")
    broken = [n for n, line in enumerate(lines) if rule.broken_by(line)]
    rest = "\n".join(line for n, line in enumerate(lines) if n not in broken)
    return [] if rule.broken_by(rest) else broken


def _place(place: int) -> str:
    return f"step {place}" if place else "the title"


def _quoted(words: str) -> str:
    return f"“{' '.join(words.split())[:80]}”"

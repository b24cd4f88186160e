"""Whether a solution keeps the rules of its domain, by their phrases and patterns; a rule without any is not judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from autokb.core.domain import ENGLISH, Rule
from autokb.core.nouns import VerdictName
from autokb.core.reply import Reply
from autokb.heuristics.forbidden_phrases import find_forbidden
from autokb.text.plain_text import without_addresses
from autokb.text.words import content_words

QUOTED_CHARACTERS = 80  # of the words that break a rule
NOT_JUDGED = "The rule has neither forbid nor patterns; without a model nobody can judge it."


class RuleVerdict(Reply):
    """What one rule says; ``places`` are where it is broken, or may be (``doubt``): 0 is the title, 1 the first step.

    ``lines`` narrow a place down: (2, 3) is the fourth line of the second step. A place without lines is broken whole.
    """

    rule: str
    verdict: VerdictName
    reason: str
    places: tuple[int, ...] = ()
    lines: tuple[tuple[int, int], ...] = ()


def verdicts_by_patterns(
    rules: Sequence[Rule], title: str, steps: Sequence[str], text: str, language: str = ENGLISH
) -> tuple[RuleVerdict, ...]:
    """Return one verdict for each rule, in their order; ``text`` is title and steps together."""
    return tuple(_verdict(rule, title, steps, text, language) for rule in rules)


def find_breach(rule: Rule, text: str, language: str = ENGLISH) -> str | None:
    """Return the words of a text by which it breaks a rule, or None.

    Only what a person reads counts: of a link its label, and no address. Raises SlowPatternError where nothing is found
    and a pattern takes too long to say so.
    """
    read = without_addresses(text)
    return find_forbidden(rule.forbid, read, language) or rule.match_patterns(read)


def _verdict(rule: Rule, title: str, steps: Sequence[str], text: str, language: str) -> RuleVerdict:
    if not rule.is_checked_offline:
        return RuleVerdict(rule=rule.id, verdict="not judged", reason=NOT_JUDGED)
    parts = enumerate((title, *steps))
    found = {place: words for place, part in parts if (words := find_breach(rule, part, language))}
    if found:
        return _broken_in_parts(rule, found, steps, language)
    if words := find_breach(rule, text, language):
        return RuleVerdict(rule=rule.id, verdict="broken", reason=f"The text as a whole says {_quoted(words)}.")
    if content_words(rule.text, language) & content_words(text, language):
        reason = "It speaks of the rule's matter, and nothing that the rule forbids is in it."
        return RuleVerdict(rule=rule.id, verdict="kept", reason=reason)
    return RuleVerdict(rule=rule.id, verdict="not applicable", reason="Nothing in it is about what the rule is about.")


def _broken_in_parts(rule: Rule, found: Mapping[int, str], steps: Sequence[str], language: str) -> RuleVerdict:
    """Return the verdict on a breach whose words are ``found`` in the title (0) or in steps."""
    named = {place: f"step {place}" if place else "the title" for place in found}
    reason = "; ".join(f"{named[place]} says {_quoted(words)}" for place, words in found.items())
    lines = tuple((place, n) for place in found if place for n in _broken_lines(rule, steps[place - 1], language))
    reason = f"{reason[0].upper()}{reason[1:]}."
    return RuleVerdict(rule=rule.id, verdict="broken", reason=reason, places=tuple(found), lines=lines)


def _broken_lines(rule: Rule, step: str, language: str) -> list[int]:
    """Return which lines of a step break a rule, or none where leaving them out would not mend it."""
    lines = step.split("\n")
    broken = [n for n, line in enumerate(lines) if find_breach(rule, line, language)]
    rest = "\n".join(line for n, line in enumerate(lines) if n not in broken)
    return [] if find_breach(rule, rest, language) else broken


def _quoted(words: str) -> str:
    return f"“{' '.join(words.split())[:QUOTED_CHARACTERS]}”"

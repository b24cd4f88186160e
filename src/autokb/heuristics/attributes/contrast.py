"""Which values the trouble is about: what is denied, or works where something else does not, is set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from autokb.core.domain import ENGLISH
from autokb.heuristics.attributes.words import AttributeWords, Denial, State, in_words
from autokb.heuristics.grouping import grouped
from autokb.text.lexicon import Mention, Spec
from autokb.text.lexicons import word_lists
from autokb.text.words import Words

WORDS_BEFORE_MENTION = 7  # how far back a word that denies it is looked for
WORDS_BEFORE_CHANGE = 6  # how far before "instead of" a wish to change is looked for


@dataclass(frozen=True, slots=True)
class Clause:
    """Words ``start`` to ``end`` that hold together, and whether they tell of trouble or of what works."""

    start: int
    end: int
    state: State


def affected_mentions(words: Words, mentions: Sequence[Mention], spec: Spec, language: str = ENGLISH) -> list[Mention]:
    """Return the mentions of values that the text is about."""
    known = word_lists(AttributeWords, language)
    clauses = tuple(_clauses(words, known))
    clause_of = [n for n, clause in enumerate(clauses) for _ in range(clause.start, clause.end)]
    states: list[State] = []
    for position, mention in enumerate(mentions):
        before = mentions[position - 1]
        same_clause = position > 0 and clause_of[before.start] == clause_of[mention.start]
        if same_clause and _are_coordinated(words, before, mention, known):
            states.append(states[-1])
        else:
            states.append(_state_of(words, mention, clauses, clause_of[mention.start], known))
    return _without_unaffected(mentions, states, spec)


def _without_unaffected(mentions: Sequence[Mention], states: Sequence[State], spec: Spec) -> list[Mention]:
    """Keep a value in trouble; one that works or is denied only where no related value is left to be meant."""
    by_value = grouped(((m.attribute, m.value), state) for m, state in zip(mentions, states, strict=True))
    affected = {value for value, found in by_value.items() if "trouble" in found or set(found) == {"stated"}}
    names = {name for name, _ in affected}
    affected |= {value for value, found in by_value.items() if _works_and_is_meant(value[0], set(found), names, spec)}
    return [m for m in mentions if (m.attribute, m.value) in affected]


def _works_and_is_meant(name: str, states: set[State], affected: set[str], spec: Spec) -> bool:
    """Return whether a value works and no other is ``affected`` that could be meant in its place."""
    if "works" not in states:
        return False
    return not affected & _related(name, spec) or (states == {"stated", "works"} and name not in affected)


def _related(name: str, spec: Spec) -> set[str]:
    """Return the attribute and those that its values settle, or that settle it."""
    into = {other for other, a in spec.items() if any(name in implied for implied in a.implies.values())}
    return {name, *into, *(other for implied in spec[name].implies.values() for other in implied)}


def _clauses(words: Words, known: AttributeWords) -> Iterator[Clause]:
    """Cut at sentence ends, contrasting words, commas, brackets; a name alone behind a comma shares the verdict."""
    if not words.folded:
        return
    cuts = [0, *(i for i in range(1, len(words.folded)) if _begins_clause(words, i, known)), len(words.folded)]
    state: State = "stated"
    for start, end in pairwise(cuts):
        states = not known.statement_words.isdisjoint(words.folded[start:end])  # more than a name: on Windows it lags
        begins_anew = states or words.breaks(start) or words.folded[start] in known.contrast_words
        state = _verdict(words.folded[start:end], known) or ("stated" if begins_anew else state)
        yield Clause(start, end, state)


def _begins_clause(words: Words, here: int, known: AttributeWords) -> bool:
    is_contrasting = words.folded[here] in known.contrast_words
    return is_contrasting or words.breaks(here) or any(mark in words.gaps[here] for mark in ",()")


def _verdict(clause: tuple[str, ...], known: AttributeWords) -> State | None:
    """Return whether the words of a clause tell of trouble or of what works, or neither."""
    if any(pair in in_words(known.working_pairs) for pair in pairwise(clause)):
        return "works"
    telling = [word for here, word in enumerate(clause) if not _is_contrasting_not(clause, here, known)]
    if any(word in known.trouble_words for word in telling):
        return "trouble"
    return "works" if any(word in known.working_words for word in telling) else None


def _is_contrasting_not(clause: tuple[str, ...], here: int, known: AttributeWords) -> bool:
    """Return whether this is the ``not`` of ``but not on my phone``, which alone says nothing of its clause."""
    return clause[here] in known.not_words and (here == 0 or clause[here - 1] in known.begins_contrast)


def _state_of(words: Words, mention: Mention, clauses: Sequence[Clause], number: int, known: AttributeWords) -> State:
    """Walk back from a mention over small words to what denies it, else it shares its clause's verdict."""
    clause = clauses[number]
    if _is_bystander(words, mention, known):
        return "denied"
    between: list[str] = []
    for here in range(mention.start - 1, max(clause.start, mention.start - WORDS_BEFORE_MENTION) - 1, -1):
        denial = _denial(words, here, between, mention, known)
        if denial == "contrasted":
            return "trouble" if number and clauses[number - 1].state == "works" else "denied"
        if denial is not None:
            return clause.state if denial == "stated" else denial
        if words.folded[here] not in known.fill:
            break
        between.append(words.folded[here])
    return clause.state


def _is_bystander(words: Words, mention: Mention, known: AttributeWords) -> bool:
    """Return whether somebody only tells of it (my wife says), was the writer long ago (when I was a child), or is not
    born yet (pregnant with our first child).
    """
    before, after = words.folded[max(0, mention.start - 3) : mention.start], words.folded[mention.end : mention.end + 1]
    is_person = bool(set(words.folded[mention.start : mention.end]) & known.persons)  # devices say things, too
    tells = is_person and bool(set(after) & known.telling_words) and bool(set(before[-1:]) & known.determiners)
    return tells or before in in_words(known.past_openings) or (is_person and _is_unborn(words, mention, known))


def _is_unborn(words: Words, mention: Mention, known: AttributeWords) -> bool:
    for here in range(mention.start - 1, -1, -1):
        if words.folded[here] not in known.determiners | known.words_of_unborn or "," in words.gaps[here + 1]:
            return words.folded[here] in known.carrying_words and "," not in words.gaps[here + 1]
    return False


# Complex: each word of denial has a rule of its own, and the first that is there decides.
def _denial(words: Words, here: int, between: Sequence[str], mention: Mention, known: AttributeWords) -> Denial | None:
    """Return what the word at ``here`` does to the mention after it: deny it, contrast it, state it, or nothing."""
    word, pair = words.folded[here], (words.folded[here], words.folded[here + 1])
    owned, placed = not known.owning_words.isdisjoint(between), not known.prepositions.isdisjoint(between)
    wish = known.changing_words & set(words.folded[max(0, here - WORDS_BEFORE_CHANGE) : here])
    if wish and pair in in_words(known.replacing_phrases):
        return "stated"
    if denial := known.denial_of.get((word,)) or known.denial_of.get(pair):
        return denial
    if word in known.not_words:
        return _denial_by_not(words, here, placed, known)
    if word in known.negated_be:
        return "stated" if placed and not owned else "denied"
    if word in known.negated_do:
        return "denied" if owned else "stated"
    if word in known.no_words and not placed:
        # "no Bluetooth connection" states Bluetooth and denies the connection
        return "stated" if known.symptom_words & set(words.folded[mention.end : mention.end + 1]) else "denied"
    return None


def _denial_by_not(words: Words, here: int, placed: bool, known: AttributeWords) -> Denial:
    before = words.folded[here - 1] if here else ""
    if words.folded[here + 1] in known.words_after_stating_not:
        return "stated"
    if not here or _begins_clause(words, here, known) or before in known.begins_contrast:
        return "contrasted"
    return "stated" if placed and before not in known.writers_before_not else "denied"


def _are_coordinated(words: Words, first: Mention, second: Mention, known: AttributeWords) -> bool:
    """Return whether two mentions are joined by and, or, nor alone, or are the same words, and so share one fate."""
    if first.start == second.start:
        return True
    between = words.folded[first.end : second.start]
    joined = 0 < len(between) <= 4 and between[0] in known.coordinating_words
    return joined and all(word in known.determiners | known.prepositions for word in between[1:])

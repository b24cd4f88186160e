"""Which values the trouble is about: what is denied, or works where something else does not, is set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

State = Literal["stated", "trouble", "works", "denied"]
Denial = State | Literal["contrasted"]  # contrasted: the opposite of what the clause before says
WORDS_BEFORE_MENTION = 7  # how far back a word that denies it is looked for
WORDS_BEFORE_CHANGE = 6  # how far before "instead of" a wish to change is looked for
_CONTRAST = word_set("but however although though whereas while yet except")
_DETERMINERS = word_set("a an the my our his her their your any this that its some")
_PREPOSITIONS = word_set("on in with via through over for from to at by under")
_OWNING = word_set("have has had own use used using got run running be being been diagnosed history known")
_FILL = _DETERMINERS | _PREPOSITIONS | _OWNING | word_set("it it's is of than either really even actually just")
_NEGATED_BE = word_set("isn't aren't wasn't weren't isnt arent ain't")
_NEGATED_DO = word_set("don't doesn't didn't never haven't hasn't dont doesnt didnt havent hasnt")
_INSTEAD_OF = ("instead", "of")
# What a word, or a pair of words, before a mention does to it.
_DENIALS: dict[str | tuple[str, str], Denial] = {
    **dict.fromkeys(("without", "unlike", _INSTEAD_OF, ("rather", "than"), ("other", "than")), "denied"),
    **dict.fromkeys(("except", "excluding", "besides", ("apart", "from"), ("aside", "from")), "contrasted"),
}
_WORKS = word_set(
    "work works worked working fine ok okay perfectly great flawlessly flawless good normal normally connects pairs "
    "plays charges syncs receives sends opens loads connected paired"
)
_TROUBLE = word_set(
    "can't cannot cant won't wont doesn't doesnt don't didn't isn't aren't wasn't couldn't never nothing no not fails "
    "fail failed failing crash crashes crashed error errors freezes frozen drops dropping disconnects disconnecting "
    "stutters crackles lags lag hangs stuck unable refuses broken slow missing problem problems trouble issue "
    "issues stopped stops keeps hardly barely unless until should make get want need used only"
)
_WORKING_PAIRS = {
    *((no, what) for no in ("no", "without") for what in ("problem", "problems", "issue", "issues", "trouble")),
    *(("not", "affected"), ("does", "on"), ("it", "does"), ("does", "with"), ("only", "works"), ("works", "only")),
}
_TELLING = word_set("says said say thinks thought told tells noticed asked insists suggested recommends recommended")
_CHANGING = word_set("want wants change changing switch switching switched convert converting move moving moved")
_SYMPTOMS = word_set(
    "connection connections signal option options pairing sound audio device devices icon found detected available "
    "showing appears working works connectivity support"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """Words ``start`` to ``end`` that hold together, and whether they tell of trouble or of what works."""

    start: int
    end: int
    state: State


def affected_mentions(words: Words, mentions: Sequence[Mention], spec: Spec) -> list[Mention]:
    """Return the mentions of values that the text is about."""
    clauses = tuple(_clauses(words))
    clause_of = [n for n, clause in enumerate(clauses) for _ in range(clause.start, clause.end)]
    states: list[State] = []
    for position, mention in enumerate(mentions):
        before = mentions[position - 1]
        same_clause = position > 0 and clause_of[before.start] == clause_of[mention.start]
        if same_clause and _are_coordinated(words, before, mention):
            states.append(states[-1])
        else:
            states.append(_state_of(words, mention, clauses, clause_of[mention.start]))
    return _without_unaffected(mentions, states, spec)


def _without_unaffected(mentions: Sequence[Mention], states: Sequence[State], spec: Spec) -> list[Mention]:
    """Keep a value in trouble; one that works or is denied only where no related value is left to be meant."""
    by_value: dict[tuple[str, str], set[State]] = {}
    for mention, state in zip(mentions, states, strict=True):
        by_value.setdefault((mention.attribute, mention.value), set()).add(state)
    affected = {key for key, found in by_value.items() if "trouble" in found or not found & {"works", "denied"}}
    names = {name for name, _ in affected}
    for key, found in by_value.items():
        only_stated_and_working = found == {"stated", "works"} and key[0] not in names
        if only_stated_and_working or ("works" in found and not names & _related(key[0], spec)):
            affected.add(key)
    return [m for m in mentions if (m.attribute, m.value) in affected]


def _related(name: str, spec: Spec) -> set[str]:
    """Return the attribute and those that its values settle, or that settle it."""
    into = {other for other, a in spec.items() if any(name in implied for implied in a.implies.values())}
    return {name, *into, *(other for implied in spec[name].implies.values() for other in implied)}


def _clauses(words: Words) -> Iterator[Clause]:
    """Cut at sentence ends, contrasting words, commas and brackets; after a comma the verdict before it goes on."""
    if not words.folded:
        return
    cuts = [0, *(i for i in range(1, len(words.folded)) if _begins_clause(words, i)), len(words.folded)]
    state: State = "stated"
    for start, end in pairwise(cuts):
        begins_anew = words.breaks(start) or words.folded[start] in _CONTRAST
        state = _verdict(words.folded[start:end]) or ("stated" if begins_anew else state)
        yield Clause(start, end, state)


def _begins_clause(words: Words, here: int) -> bool:
    return words.folded[here] in _CONTRAST or words.breaks(here) or any(mark in words.gaps[here] for mark in ",()")


def _verdict(clause: tuple[str, ...]) -> State | None:
    """Return whether the words of a clause tell of trouble or of what works, or neither."""
    if any(pair in _WORKING_PAIRS for pair in pairwise(clause)):
        return "works"
    telling = [word for here, word in enumerate(clause) if not _is_contrasting_not(clause, here)]
    if any(word in _TROUBLE for word in telling):
        return "trouble"
    return "works" if any(word in _WORKS for word in telling) else None


def _is_contrasting_not(clause: tuple[str, ...], here: int) -> bool:
    """Return whether this is the ``not`` of ``but not on my phone``, which alone says nothing of its clause."""
    return clause[here] == "not" and (here == 0 or clause[here - 1] in _CONTRAST | {"and", "or"})


def _state_of(words: Words, mention: Mention, clauses: Sequence[Clause], number: int) -> State:
    """Walk back from a mention over small words to what denies it, else it shares its clause's verdict."""
    clause = clauses[number]
    if _is_bystander(words, mention):
        return "denied"
    between: list[str] = []
    for here in range(mention.start - 1, max(clause.start, mention.start - WORDS_BEFORE_MENTION) - 1, -1):
        denial = _denial(words, here, between, mention)
        if denial == "contrasted":
            return "trouble" if number and clauses[number - 1].state == "works" else "denied"
        if denial is not None:
            return clause.state if denial == "stated" else denial
        if words.folded[here] not in _FILL:
            break
        between.append(words.folded[here])
    return clause.state


def _is_bystander(words: Words, mention: Mention) -> bool:
    """Return whether somebody only tells of it (my wife says), or was the writer long ago (when I was a child)."""
    before, after = words.folded[max(0, mention.start - 3) : mention.start], words.folded[mention.end : mention.end + 1]
    tells = bool(set(after) & _TELLING) and bool(set(before[-1:]) & _DETERMINERS)
    return tells or before in (("i", "was", "a"), ("i", "was", "an"))


def _denial(words: Words, here: int, between: Sequence[str], mention: Mention) -> Denial | None:
    """Return what the word at ``here`` does to the mention after it: deny it, contrast it, state it, or nothing."""
    word, pair = words.folded[here], (words.folded[here], words.folded[here + 1])
    owned, placed = any(w in _OWNING for w in between), any(w in _PREPOSITIONS for w in between)
    if pair == _INSTEAD_OF and _CHANGING & set(words.folded[max(0, here - WORDS_BEFORE_CHANGE) : here]):
        return "stated"
    if denial := _DENIALS.get(word) or _DENIALS.get(pair):
        return denial
    if word == "not":
        return _denial_by_not(words, here, placed)
    if word in _NEGATED_BE:
        return "stated" if placed and not owned else "denied"
    if word in _NEGATED_DO:
        return "denied" if owned else "stated"
    if word == "no" and not placed:
        # "no Bluetooth connection" states Bluetooth and denies the connection
        return "stated" if _SYMPTOMS & set(words.folded[mention.end : mention.end + 1]) else "denied"
    return None


def _denial_by_not(words: Words, here: int, placed: bool) -> Denial:
    before = words.folded[here - 1] if here else ""
    if words.folded[here + 1] in ("only", "just"):
        return "stated"
    if not here or _begins_clause(words, here) or before in _CONTRAST | {"and", "or"}:
        return "contrasted"
    return "stated" if placed and before not in ("i", "i'm", "im", "am", "we", "we're") else "denied"


def _are_coordinated(words: Words, first: Mention, second: Mention) -> bool:
    """Return whether two mentions are joined by and, or, nor alone, or are the same words, and so share one fate."""
    if first.start == second.start:
        return True
    between = words.folded[first.end : second.start]
    joined = 0 < len(between) <= 4 and between[0] in ("or", "and", "nor")
    return joined and all(word in _DETERMINERS | _PREPOSITIONS for word in between[1:])

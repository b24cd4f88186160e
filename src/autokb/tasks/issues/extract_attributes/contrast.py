"""What the trouble is about: what is denied, or works where something else does not, is set aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from autokb.text.lexicon import Mention, Spec, Words
from autokb.text.lexicon_words import word_set

State = Literal["said", "trouble", "fine", "denied"]
CONTRAST = word_set("but however although though whereas while yet except")
_DETERMINERS = word_set("a an the my our his her their your any this that its some")
_PREPOSITIONS = word_set("on in with via through over for from to at by under")
_OWN = word_set("have has had own use used using got run running be being been diagnosed history known")
_FILL = _DETERMINERS | _PREPOSITIONS | _OWN | word_set("it it's is of than either really even actually just")
_IS_NOT = word_set("isn't aren't wasn't weren't isnt arent ain't")
_DO_NOT = word_set("don't doesn't didn't never haven't hasn't dont doesnt didnt havent hasnt")
_DENYING = (("instead", "of"), ("rather", "than"), ("other", "than"))
_SPARING = (("apart", "from"), ("aside", "from"))
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
_FINE = {
    *((no, what) for no in ("no", "without") for what in ("problem", "problems", "issue", "issues", "trouble")),
    *(("not", "affected"), ("does", "on"), ("it", "does"), ("does", "with"), ("only", "works"), ("works", "only")),
}
_TELLING = word_set("says said say thinks thought told tells noticed asked insists suggested recommends recommended")
_CHANGE = word_set("want wants change changing switch switching switched convert converting move moving moved")
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


def concerned(words: Words, mentions: Sequence[Mention], spec: Spec) -> list[Mention]:
    """Return the mentions of values that the text is about."""
    clauses = tuple(_clauses(words))
    clause_of = [n for n, clause in enumerate(clauses) for _ in range(clause.start, clause.end)]
    states: list[State] = []
    for position, mention in enumerate(mentions):
        before = mentions[position - 1]
        if position and clause_of[before.start] == clause_of[mention.start] and _coordinated(words, before, mention):
            states.append(states[-1])
        else:
            states.append(_state(words, mention, clauses, clause_of[mention.start]))
    return _kept(mentions, states, spec)


def _kept(mentions: Sequence[Mention], states: Sequence[State], spec: Spec) -> list[Mention]:
    """Keep a value in trouble; one that works or is denied only where no related value is left to be meant."""
    said: dict[tuple[str, str], set[State]] = {}
    for mention, state in zip(mentions, states, strict=True):
        said.setdefault((mention.attribute, mention.value), set()).add(state)
    meant = {key for key, found in said.items() if "trouble" in found or not found & {"fine", "denied"}}
    names = {name for name, _ in meant}
    mixed = {key for key, found in said.items() if found == {"said", "fine"} and key[0] not in names}
    fine = {key for key, found in said.items() if "fine" in found and not names & _related(key[0], spec)}
    return [m for m in mentions if (m.attribute, m.value) in meant | mixed | fine]


def _related(name: str, spec: Spec) -> set[str]:
    """The attribute and those that its values settle, or that settle it."""
    into = {other for other, a in spec.items() if any(name in implied for implied in a.implies.values())}
    return {name, *into, *(other for implied in spec[name].implies.values() for other in implied)}


def _clauses(words: Words) -> Iterator[Clause]:
    """Cut at sentence ends, contrasting words, commas and brackets; after a comma the verdict before it goes on."""
    if not words.folded:
        return
    cuts = [0, *(i for i in range(1, len(words.folded)) if _cuts(words, i)), len(words.folded)]
    state: State = "said"
    for start, end in pairwise(cuts):
        own = _verdict(words.folded[start:end])
        fresh: State = "said" if words.breaks(start) or words.folded[start] in CONTRAST else state
        state = own or fresh
        yield Clause(start, end, state)


def _cuts(words: Words, here: int) -> bool:
    return words.folded[here] in CONTRAST or words.breaks(here) or any(mark in words.gaps[here] for mark in ",()")


def _verdict(said: tuple[str, ...]) -> State | None:
    if any(pair in _FINE for pair in pairwise(said)):
        return "fine"
    own = [word for here, word in enumerate(said) if not _leans(said, here)]
    if any(word in _TROUBLE for word in own):
        return "trouble"
    return "fine" if any(word in _WORKS for word in own) else None


def _leans(said: tuple[str, ...], here: int) -> bool:
    """Whether this is the ``not`` of ``but not on my phone``, which has no verdict of its own."""
    return said[here] == "not" and (here == 0 or said[here - 1] in CONTRAST or said[here - 1] in ("and", "or"))


def _state(words: Words, mention: Mention, clauses: Sequence[Clause], number: int) -> State:
    """Walk back from a mention over small words to what denies it, else it shares its clause's verdict."""
    clause = clauses[number]
    if _is_bystander(words, mention):
        return "denied"
    between: list[str] = []
    for here in range(mention.start - 1, max(clause.start, mention.start - 7) - 1, -1):
        denied = _denial(words, here, between, mention)
        if denied == "leans":
            before = clauses[number - 1].state if number else "said"
            return "trouble" if before == "fine" else "denied"
        if denied is not None:
            return clause.state if denied == "said" else denied
        if words.folded[here] not in _FILL:
            break
        between.append(words.folded[here])
    return clause.state


def _is_bystander(words: Words, mention: Mention) -> bool:
    """Whether this is somebody who only tells of it (my wife says) or the writer long ago (when I was a child)."""
    before, after = words.folded[max(0, mention.start - 3) : mention.start], words.folded[mention.end : mention.end + 1]
    tells = bool(set(after) & _TELLING) and bool(set(before[-1:]) & _DETERMINERS)
    return tells or before in (("i", "was", "a"), ("i", "was", "an"))


def _denial(words: Words, here: int, between: Sequence[str], mention: Mention) -> State | Literal["leans"] | None:
    """Return what the word at ``here`` does to the mention after it: deny it, lean on the clause before, or nothing."""
    word, pair = words.folded[here], (words.folded[here], words.folded[here + 1])
    owned, placed = any(w in _OWN for w in between), any(w in _PREPOSITIONS for w in between)
    if pair == ("instead", "of") and _CHANGE & set(words.folded[max(0, here - 6) : here]):
        return "said"
    if word in ("without", "unlike") or pair in _DENYING:
        return "denied"
    if word in ("except", "excluding", "besides") or pair in _SPARING:
        return "leans"
    if word == "not":
        return _not(words, here, placed)
    if word in _IS_NOT:
        return "said" if placed and not owned else "denied"
    if word in _DO_NOT:
        return "denied" if owned else "said"
    if word == "no" and not placed:
        return (
            "said"
            if words.folded[mention.end : mention.end + 1] and words.folded[mention.end] in _SYMPTOMS
            else "denied"
        )
    return None


def _not(words: Words, here: int, placed: bool) -> State | Literal["leans"]:
    before = words.folded[here - 1] if here else ""
    if words.folded[here + 1] in ("only", "just"):
        return "said"
    if not here or _cuts(words, here) or before in CONTRAST or before in ("and", "or"):
        return "leans"
    return "said" if placed and before not in ("i", "i'm", "im", "am", "we", "we're") else "denied"


def _coordinated(words: Words, first: Mention, second: Mention) -> bool:
    """Return whether two mentions are joined by and, or, nor alone, or are the same words, and so share one fate."""
    if first.start == second.start:
        return True
    between = words.folded[first.end : second.start]
    joined = 0 < len(between) <= 4 and between[0] in ("or", "and", "nor")
    return joined and all(word in _DETERMINERS | _PREPOSITIONS for word in between[1:])

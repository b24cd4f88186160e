"""A theme is named from its issues' own words: those it has more often than the others have."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from autokb.tasks.issues.find_themes.stop_words import STOP_WORDS

READ = 1_500  # characters of an issue; what it is about stands there, logs and quoted mails come after
TERMS = 3  # at most so many terms in a name
ENOUGH = 16  # characters of a name of two terms that needs no third
_NOISE = re.compile(r"<[^<>\s]{1,40}>|https?://\S+|www\.\S+|[^\s@]+@\S+|\buser_\d+|[^\s\\/]+[\\/][^\s\\/]+[\\/]\S+")
_SENTENCE = re.compile(r"[.!?:;\n]+")
_WORD = re.compile(r"[^\W\d_](?:[\w+#-]*[\w+#])?(?:['’]\w+)?")


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms (one or two words, folded) of one issue and how each was written inside a sentence."""

    found: frozenset[str]
    spellings: Counter[tuple[str, str]]


def read_terms(text: str) -> Terms:
    """Read the one- and two-word terms of an issue."""
    spellings: Counter[tuple[str, str]] = Counter()
    for sentence in _SENTENCE.split(_NOISE.sub(" . ", text[:READ])):
        words = _WORD.findall(sentence)
        keys = [_key(word) for word in words]
        for at, (word, key) in enumerate(zip(words, keys, strict=True)):
            if not key:
                continue
            spellings[key, word if at else _unsure(word)] += 1
            if at + 1 < len(words) and keys[at + 1] and keys[at + 1] != key:
                first = word if at else _unsure(word)
                spellings[f"{key} {keys[at + 1]}", f"{first} {words[at + 1]}"] += 1
    return Terms(frozenset(key for key, _ in spellings), spellings)


def name_themes(groups: Sequence[Sequence[Terms]], product: str = "") -> list[str]:
    """Return a readable name for each group of issues, no two the same; the words of ``product`` name none."""
    groups = [_without([_key(word) for word in _WORD.findall(product)], group) for group in groups]
    everywhere = Counter(term for group in groups for issue in group for term in issue.found)
    spelling = _spellings(issue for group in groups for issue in group)
    total = sum(map(len, groups))
    names: list[str] = []
    for position, group in enumerate(groups):
        ranked = _ranked(group, everywhere, total)
        names.append(_free_name(ranked, spelling, names, position))
    return names


def _without(keys: Sequence[str], group: Sequence[Terms]) -> list[Terms]:
    """Leave out terms with a word that stands for everything the domain is about."""
    said = frozenset(keys)
    return [
        Terms(frozenset(term for term in issue.found if not said & set(term.split())), issue.spellings)
        for issue in group
    ]


def _ranked(group: Sequence[Terms], everywhere: Counter[str], total: int) -> list[str]:
    """Return the terms that tell the group from the others, best first."""
    inside = Counter(term for issue in group for term in issue.found)
    least = 1 if len(group) < 4 else max(2, math.ceil(0.04 * len(group)))
    scores: dict[str, float] = {}
    for term, count in inside.items():
        share, elsewhere = count / len(group), everywhere[term] / total
        # What most issues say (the product's name) tells no theme from another.
        if count < least or (elsewhere > 0.5 and len(group) < total and total >= 15):
            continue
        # How much more often than everywhere; the small constant lets one theme alone have a name too.
        lift = math.log(share / elsewhere) + 0.05
        scores[term] = share * lift * (1.6 if " " in term else 1.0)
    return sorted(scores, key=lambda term: (-scores[term], term))


def _free_name(ranked: Sequence[str], spelling: dict[str, str], taken: Sequence[str], position: int) -> str:
    chosen: list[str] = []
    for term in ranked:
        if any(_akin(part, other) for part in term.split() for taken_term in chosen for other in taken_term.split()):
            continue
        chosen.append(term)
        name = _joined([spelling[c] for c in chosen])
        if len(chosen) >= 2 and (len(chosen) == TERMS or len(name) >= ENOUGH) and name not in taken:
            return name
    name = _joined([spelling[c] for c in chosen]) or "Other questions"
    return name if name not in taken else f"{name} ({position + 1})"


def _akin(one: str, other: str) -> bool:
    """Return whether two stems are forms of one word: ``connect`` and ``disconnection``, ``silent`` and ``silence``."""
    short, long = sorted((one, other), key=len)
    return (
        short == long
        or (len(short) >= 3 and long.startswith(short))
        or (len(short) >= 4 and short in long)
        or (len(short) >= 5 and short[: max(5, len(short) - 2)] == long[: max(5, len(short) - 2)])
    )


def _joined(terms: Sequence[str]) -> str:
    if not terms:
        return ""
    name = " and ".join([", ".join(terms[:-1]), terms[-1]] if len(terms) > 1 else terms)
    return name[0].upper() + name[1:] if name[0].islower() and name[1:2].islower() else name


def _spellings(issues: Iterable[Terms]) -> dict[str, str]:
    """Choose for each term the way it is written most often; lower case wins a draw."""
    counts: dict[str, Counter[str]] = {}
    for issue in issues:
        for (term, written), count in issue.spellings.items():
            counts.setdefault(term, Counter())[written] += count
    return {term: max(ways, key=lambda w: (ways[w], w.islower(), w)).strip() for term, ways in counts.items()}


def _unsure(word: str) -> str:
    """Write the first word of a sentence small: its capital says nothing, unless the whole word is capital."""
    return word if any(c.isupper() for c in word[1:]) else word.lower()


def _key(word: str) -> str:
    """Return the folded stem of a word that can be part of a name, else nothing."""
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    if len(folded) < 3 or folded in STOP_WORDS or sum(c.isdigit() for c in folded) > 2:
        return ""
    return stem(folded)


def stem(word: str) -> str:
    """Return what ``crash``, ``crashes``, ``crashed`` and ``crashing`` have in common; crude, never shown."""
    for ending in ("ings", "ing", "ied", "ies", "ers", "ed", "es", "er", "s", "e", "y"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 4 and not (ending == "s" and rest.endswith(("s", "u", "i", "o"))):
            return (
                rest[:-1] if rest[-1] == rest[-2] and rest[-1] not in "sl" and ending in ("ing", "ed", "er") else rest
            )
    return word

"""A theme is named from its issues' own words: those it has more often than the others have."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import ClassVar

from autokb.core.domain import ENGLISH
from autokb.heuristics.subject_words import silent_words, subject_stem
from autokb.text.lexicons import AsWritten, WordLists, word_lists

UNNAMED = "Other questions"  # the name of a theme whose issues have no term of their own
READ_CHARACTERS = 1_500  # of an issue; what it is about is said there, logs and quoted mails come after
MOST_TERMS = 3  # in a name
ENOUGH_CHARACTERS = 16  # of a name of two terms that needs no third; one of two words needs no second
SMALL_GROUP = 4  # issues; in a smaller group one issue with a term is enough, in a larger one two are needed,
LEAST_SHARE = 0.04  # and this share of the group
COMMON_SHARE = 0.5  # of all issues; what more of them say (the product's name) tells no theme from another,
FEWEST_FOR_COMMON = 15  # where there are so many issues that it can be known
LONE_THEME_LIFT = 0.05  # so that a theme alone, whose terms have a lift of 0, gets a name too
PAIR_BONUS = 1.6  # what a term of two words counts more than one word: it says more exactly what is meant
_COMMA = AsWritten(", ")
_NOISE = re.compile(r"<[^<>\s]{1,40}>|https?://\S+|www\.\S+|[^\s@]+@\S+|\buser_\d+|[^\s\\/]+[\\/][^\s\\/]+[\\/]\S+")
_SENTENCE_END = re.compile(r"[.!?:;\n]+")
_WORD = re.compile(r"[^\W\d_](?:[\w+#-]*[\w+#])?(?:['’]\w+)?")


@dataclass(frozen=True, slots=True)
class NamingWords(WordLists):
    """What joins the last of several terms to those before it."""

    file: ClassVar[str] = "themes"

    last_joint: AsWritten = _COMMA


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms (one or two words, folded) of one issue and how each was written inside a sentence."""

    found: frozenset[str]
    spellings: Counter[tuple[str, str]]


def read_terms(text: str, language: str = ENGLISH) -> Terms:
    """Read the one- and two-word terms of an issue."""
    spellings: Counter[tuple[str, str]] = Counter()
    for sentence in _SENTENCE_END.split(_NOISE.sub(" . ", text[:READ_CHARACTERS])):
        words = _WORD.findall(sentence)
        keys = [_term_key(word, language) for word in words]
        if words and not any(c.isupper() for c in words[0][1:]):
            words[0] = words[0].lower()  # the capital that begins a sentence says nothing
        for word, key, after, key_after in zip(words, keys, [*words[1:], ""], [*keys[1:], ""], strict=False):
            if not key:
                continue
            spellings[key, word] += 1
            if key_after not in ("", key):
                spellings[f"{key} {key_after}", f"{word} {after}"] += 1
    return Terms(frozenset(key for key, _ in spellings), spellings)


def name_themes(groups: Sequence[Sequence[Terms]], product: str = "", language: str = ENGLISH) -> list[str]:
    """Return a readable name for each group of issues, no two the same; the words of ``product`` name none."""
    of_product = frozenset(_term_key(word, language) for word in _WORD.findall(product))
    by_group = [
        [frozenset(term for term in issue.found if not of_product & set(term.split())) for issue in group]
        for group in groups
    ]
    everywhere = Counter(term for group in by_group for terms in group for term in terms)
    total = sum(map(len, groups))
    spelling = _usual_spellings([*chain.from_iterable(groups)])
    names: list[str] = []
    for position, group in enumerate(by_group):
        ranked = _rank_terms(group, everywhere, total)
        names.append(_unused_name(ranked, spelling, names, position, language))
    return names


def _rank_terms(group: Sequence[frozenset[str]], everywhere: Counter[str], total: int) -> list[str]:
    """Return the terms that tell the group from the others, best first: by share in the group times its lift."""
    inside = Counter(term for terms in group for term in terms)
    least = 1 if len(group) < SMALL_GROUP else max(2, math.ceil(LEAST_SHARE * len(group)))
    knows_common = len(group) < total and total >= FEWEST_FOR_COMMON
    scores: dict[str, float] = {}
    for term, count in inside.items():
        share, share_everywhere = count / len(group), everywhere[term] / total
        if count < least or (knows_common and share_everywhere > COMMON_SHARE):
            continue
        lift = math.log(share / share_everywhere) + LONE_THEME_LIFT
        scores[term] = share * lift * (PAIR_BONUS if " " in term else 1.0)
    return sorted(scores, key=lambda term: (-scores[term], term))


def _unused_name(
    ranked: Sequence[str], spelling: dict[str, str], taken: Sequence[str], position: int, language: str
) -> str:
    """Return the first term, or those that repeat none of each other's words, as a name that no other theme has."""
    chosen: list[str] = []
    name = UNNAMED
    for term in ranked:
        if _repeats_word(term, chosen):
            continue
        chosen.append(term)
        name = _enumerated([spelling[c] for c in chosen], language)
        enough = len(chosen) == MOST_TERMS or " " in chosen[0] or (len(chosen) == 2 and len(name) >= ENOUGH_CHARACTERS)
        if enough and name not in taken:
            return name
    return name if name not in taken else f"{name} ({position + 1})"


def _repeats_word(term: str, chosen: Iterable[str]) -> bool:
    words = " ".join(chosen).split()
    return any(_are_forms_of_one_word(part, word) for part in term.split() for word in words)


def _are_forms_of_one_word(one: str, other: str) -> bool:
    """Return whether two stems are akin: ``connect`` and ``disconnection``, ``silent`` and ``silence``."""
    short, long = sorted((one, other), key=len)
    return (
        short == long
        or (len(short) >= 3 and long.startswith(short))
        or (len(short) >= 4 and short in long)
        or (len(short) >= 5 and short[: max(5, len(short) - 2)] == long[: max(5, len(short) - 2)])
    )


def _enumerated(terms: Sequence[str], language: str) -> str:
    """Return ``A, b and c``; the first letter is a capital, save in a name such as iPhone."""
    joint = word_lists(NamingWords, language).last_joint
    name = joint.join([", ".join(terms[:-1]), terms[-1]] if len(terms) > 1 else terms)
    return name[0].upper() + name[1:] if name[0].islower() and name[1:2].islower() else name


def _usual_spellings(issues: Sequence[Terms]) -> dict[str, str]:
    """Choose for each term the way it is written most often; lower case wins a draw."""
    counts: dict[str, Counter[str]] = {}
    for issue in issues:
        for (term, written), count in issue.spellings.items():
            counts.setdefault(term, Counter())[written] += count
    return {term: max(ways, key=lambda w: (ways[w], w.islower(), w)).strip() for term, ways in counts.items()}


def _term_key(word: str, language: str) -> str:
    """Return the folded stem of a word that can be part of a name, else nothing."""
    folded = word.casefold().replace("’", "'").removesuffix("'s")
    if len(folded) < 3 or folded in silent_words(language) or sum(c.isdigit() for c in folded) > 2:
        return ""
    return subject_stem(folded, language)

"""Why a question near to something is not answered: a rule keeps the section back, or the documents do not say it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import takewhile
from typing import ClassVar

from autokb.answering.present import Choice, Presentation
from autokb.answering.probability import Shown
from autokb.core.attributes import Match
from autokb.retrieval.candidates import Candidate
from autokb.retrieval.codes import codes_in, shape_of
from autokb.retrieval.index import QuestionIndex, names_of_values
from autokb.text.lexicons import AsWritten, WordLists, any_of, ignoring_case, word_lists

WITHHELD = 'The manual\'s section "{section}" is withheld by rule {rules}. Hand over to a colleague.'
NOT_SAID = 'Your documents do not say: {kind}. The nearest page is "{page}".'
# Without the code: a reason is kept in the log of questions, and what looks like a code may be a customer's order.
UNKNOWN_CODE = 'Your documents do not have this code. The nearest page is "{page}".'
# By how much of the score a withheld section must lead what is shown. Chosen on the development questions: of 1,546
# answerable ones none more is refused, and 23 of 28 written probes that a withheld section answers are handed over.
LEAST_LEAD = 3.3
# Sections in which what is asked for may stand; the right one is among the first three in .82 of these questions.
READ = 5
NAMED_WITHIN = 3  # words before a code in which one says that it is one
MOST_WITH_CODE = 3  # sections that have a code; what more have is the name of a product or a standard


@dataclass(frozen=True)
class AskedKinds(WordLists):
    """Kinds of things that documents often leave open: what ``asks`` for one, and the words of which one ``states`` it.

    All are patterns, but for the ``code_words``, which stand before a code.
    """

    file: ClassVar[str] = "asked_kinds"
    asks: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    states: Mapping[str, tuple[AsWritten, ...]] = field(default_factory=dict)
    code_words: frozenset[str] = frozenset()


@cache
def _patterns(language: str) -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    lists = word_lists(AskedKinds, language)
    return tuple(
        (kind, ignoring_case(any_of(asks)), ignoring_case(any_of(lists.states.get(kind, ()))))
        for kind, asks in lists.asks.items()
    )


def withheld_ahead(shown: Presentation, first: Choice | None) -> Choice | None:
    """Return the best section that a rule keeps back from this customer, if it leads what is shown."""
    least = -float("inf") if first is None else shown.score(first) + LEAST_LEAD
    for row in takewhile(lambda row: shown.scored.scores[row] > least, shown.ranked_rows()):
        one = shown.candidates.rows[row]
        if one.is_withheld and shown.asked.match(one.solution.id) is not Match.CONFLICT:
            return shown.as_section(row)
    return None


def said_of_withheld(one: Candidate) -> str:
    """Say that a section is withheld, and by which rules."""
    rules = ", ".join(v.rule for v in one.solution.rules if v.verdict == "broken")
    return WITHHELD.format(section=one.heading, rules=rules)


def left_open(shown: Shown) -> str | None:
    """Say what a question asks for that none of the sections found states; None where there is nothing of it."""
    rows = shown.presentation.candidates.rows
    found = [rows[choice.row].searched_text for choice in shown.presentation.choose(READ)]
    if not found:
        return None
    page = rows[shown.choices[0].row].heading
    if _has_unknown_code(shown.scored.text, found, shown.index):
        return UNKNOWN_CODE.format(page=page)
    kind = _unstated_kind(shown.scored.text, found, shown.index)
    return kind and NOT_SAID.format(kind=kind, page=page)


def _unstated_kind(text: str, found: Sequence[str], index: QuestionIndex) -> str | None:
    for kind, asks, states in _patterns(index.spec.language):
        if (asked := asks.search(text)) is None:
            continue
        name = asked.groupdict().get("name")
        if not (any(map(states.search, found)) if name is None else _is_known(name, index)):
            return kind
    return None


def _is_known(name: str, index: QuestionIndex) -> bool:
    """Return whether the documents or the values of the domain have a name."""
    values = {word for value in names_of_values(index.spec) for word in value.casefold().split()}
    return name.casefold() in values or index.chunks.words.unknown_share(name) < 1


def _has_unknown_code(text: str, found: Sequence[str], index: QuestionIndex) -> bool:
    """Return whether a text asks about a code that no section has: named as one, or like one that is found."""
    unknown = [code for code in codes_in(text) if code.group().casefold() not in index.candidates.rows_of_codes]
    like = {shape_of(other.group()) for section in found for other in codes_in(section)} if unknown else set()
    named = word_lists(AskedKinds, index.spec.language).code_words
    for code in unknown:
        before = (word.strip(".,:;#()") for word in text[: code.start()].casefold().split()[-NAMED_WITHIN:])
        if shape_of(code.group()) in like or not named.isdisjoint(before):
            return True
    return False


def known_code(text: str, index: QuestionIndex) -> tuple[int, Sequence[int]]:
    """Return where a text names the first code that few sections have, and the rows of these; no rows for none."""
    found = ((code.start(), index.candidates.rows_of_codes.get(code.group().casefold(), ())) for code in codes_in(text))
    return next(((at, rows) for at, rows in found if 0 < len(rows) <= MOST_WITH_CODE), (0, ()))

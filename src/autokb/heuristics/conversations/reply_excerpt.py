"""The part of a solution that becomes a reply: few whole sentences or steps, those that the question is about."""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

from autokb.core.domain import ENGLISH
from autokb.core.reply_rules import ReplyRules
from autokb.core.step_numbers import BULLET, NUMBERING, own_number
from autokb.heuristics.conversations.read_turn import NOTHING_SAID, SaidBefore
from autokb.heuristics.conversations.words import pattern_of
from autokb.heuristics.question_kind import asks_fact
from autokb.heuristics.solutions.instructions import instructs
from autokb.heuristics.solutions.procedures import refers_elsewhere
from autokb.text.markdown import code_within
from autokb.text.plain_text import plain_text
from autokb.text.sentences import sentences
from autokb.text.table_rows import read_rows
from autokb.text.words import content_words


def stands_alone(text: str, language: str = ENGLISH, *, opens: bool = True) -> bool:
    """Return whether a text refers to nothing before it; one that ``opens`` a reply may not begin with ``this``."""
    return not refers_elsewhere(text, language) and not (opens and pattern_of("leaning_openings", language).match(text))


# How much more of the question a reply must have that begins at a later step. A word counts for more the fewer
# sentences of the solution have it: log(1 + sentences / those with it), .7 where all have it, 1.9 for one of six.
SAYS_MORE = 1.5
# Share of the words of a sentence that a conversation has, from which it is a step that was advised or done, and words
# that it must have. In 45 of them it tells half of the steps done, and one in twenty of the others (decision 36).
SAID, WORDS_OF_STEP = 0.55, 4
# Steps and words up to which a solution is sent whole, whatever ``max_words`` says: six steps of 25 words.
MOST_STEPS, WORDS_OF_WHOLE = 6, 150
# Share of the words of a sentence that the title and the question have, above which it only repeats the problem.
REPEATS = 0.5
_LEADS = (":", "：")
_ENDS = (".", "!", "?", "…", "。", "！", "？", *_LEADS)
_HEADING = re.compile(r"^#{1,6} +(.+)$|^(.+)\n(?:-{3,}|={3,})[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReplyExcerpt:
    """A reply's words, and the positions of the steps that they are from.

    It ``is_cut`` where more did not fit.
    """

    text: str
    steps: tuple[int, ...]
    is_cut: bool = False


@dataclass(frozen=True, slots=True)
class _Unit:
    """One sentence of a step; ``is_ordered`` where the step is numbered, so that it needs those before it.

    ``is_item`` where it is in a list, numbered or not. ``is_alone`` is a row of a table: the next one is about
    something else. ``is_code`` are several lines of code, which are no sentences and are not sent.
    """

    text: str
    step: int
    is_ordered: bool
    is_item: bool = False
    is_alone: bool = False
    is_code: bool = False


# Complex: what is left, what is asked and what introduces each narrow the same sentences down, in this order.
def excerpt(
    steps: Sequence[str],
    quotes: Sequence[str],
    question: str,
    rules: ReplyRules,
    language: str = ENGLISH,
    *,
    condition: str = "",
    said: SaidBefore = NOTHING_SAID,
    title: str = "",
) -> ReplyExcerpt | None:
    """Return what of a solution is sent, None where no part is short enough and can be read by itself.

    ``quotes`` are the steps' Markdown. A few short steps are sent whole, of more the first ones with the offer to go
    on. A fact that is asked for, the row of a table and one of many things to try are sought instead: such a reply
    begins where clearly more of the question's words are, never within a procedure. The ``condition`` under which it
    all holds stands before it. It goes on behind the steps that were ``said``; words of the ``title`` tell none.
    """
    named = [_HEADING.match(quote) is not None for quote in quotes]  # alternatives, where there are several
    first = int(named[1:2] == [True] and refers_elsewhere(steps[0], language))
    parts = list(enumerate(zip(steps, quotes, strict=True)))[first:]
    known = [unit for n, (step, quote) in parts for unit in _units(step, quote, n, language, names=sum(named) > 1)]
    about = content_words(title, language)
    units = _left(known, said, about, language)
    asks = asks_fact(question, language)
    is_sought = any(unit.is_alone for unit in units) or (asks and not any(unit.is_ordered for unit in units))
    if not is_sought:
        if not asks:
            units = _without_introduction(units, about | content_words(question, language), language)
        found = _sought(units, "", replace(rules, max_words=WORDS_OF_WHOLE), language, condition)
        if found is None or (not found.is_cut and len(found.steps) <= MOST_STEPS):
            return found
    return _sought(units, question if len(units) == len(known) else "", rules, language, condition)


def _sought(
    units: Sequence[_Unit], question: str, rules: ReplyRules, language: str, condition: str
) -> ReplyExcerpt | None:
    """Return as much as fits from the first sentence that can be read by itself, or one with more of a question."""
    weights = _weights(content_words(question, language), units, language)
    best: ReplyExcerpt | None = None
    most = 0.0
    for start, unit in enumerate(units):
        if unit.is_code:
            break
        may_begin = _may_begin(units, start, language, is_first=best is None)
        if not may_begin or not stands_alone(unit.text, language):
            continue
        found = _fill(units, start, rules, language, condition)
        if found is None:
            continue
        words = content_words(found.text, language)
        shared = sum(w for word, w in weights.items() if word in words)
        if shared >= most + SAYS_MORE or (best is None and not unit.is_alone):
            best, most = found, shared
    return best


def _without_introduction(units: Sequence[_Unit], about: frozenset[str], language: str) -> Sequence[_Unit]:
    """Return sentences without the first ones that only lead to a list, or repeat what it is all ``about``.

    What instructs, or says what is needed beforehand, stays.
    """
    has_list = any(unit.is_item for unit in units)
    needed = pattern_of("requirements", language)
    for n, unit in enumerate(units):
        words = content_words(unit.text, language)
        repeats = has_list or unit.text.endswith(_LEADS) or len(words & about) > REPEATS * len(words)
        if unit.is_item or not repeats or instructs(unit.text, language) or needed.search(unit.text):
            return units[n:]
    return units


def warning_excerpt(title: str, steps: Sequence[str], rules: ReplyRules) -> ReplyExcerpt | None:
    """Return what of an urgent warning is sent where no part of its section can be read by itself.

    That is its heading, which says what to do ("Call the emergency number"), with as many of its steps as fit.
    """
    heading = as_sentence(title.rpartition(": ")[2])
    told = [as_sentence(plain_text(step)) for step in steps]
    for most in range(len(told), -1, -1):
        text = " ".join((heading, *told[:most]))
        if heading and told and rules.fits(text):
            return ReplyExcerpt(text, tuple(range(max(most, 1))))
    return None


def condition_of(title: str, question: str, language: str = ENGLISH) -> str:
    """Return under which condition a section holds by its title, empty where it names none or the customer said so."""
    last = title.rpartition(": ")[2].strip().rstrip(".:")
    is_said = content_words(last, language) <= content_words(question, language)
    return last if not is_said and pattern_of("conditional_headings", language).match(last) else ""


def as_sentence(text: str) -> str:
    """Return a text on one line with an end."""
    words = " ".join(text.split())
    return words if not words or words.endswith(_ENDS) else f"{words}."


def _units(step: str, quote: str, number: int, language: str, *, names: bool) -> Iterator[_Unit]:
    if (rows := read_rows(quote.strip().split("\n"))) is not None:
        yield from (_Unit(as_sentence(plain_text(row)), number, is_ordered=False, is_alone=True) for row in rows)
        return
    item, code = own_number(quote), _lines_of_code(quote)
    text = _before_code(step, quote, code, names=names)
    starts = [start for start, _ in sentences(text, language=language) if not text[start:].lstrip()[:1].islower()]
    starts[:1] = [0]  # what begins small was torn off at the dots of a button
    for start, end in pairwise((*starts, len(text))):
        if text[start:end].strip():
            yield _Unit(text[start:end].strip(), number, item not in (None, BULLET), item is not None)
    if code:
        yield _Unit("", number, is_ordered=False, is_code=True)


def _before_code(step: str, quote: str, code: Container[str], *, names: bool) -> str:
    """Return the lines of a step before its code as sentences on one line, its headings among them by ``names``."""
    headings = {plain_text(found.group(1) or found.group(2)).strip() for found in _HEADING.finditer(quote)}
    before = takewhile(lambda line: line.strip() not in code, step.split("\n"))
    lines = (plain_text(line).strip() for line in before)
    told = (f"{line}:" if line in headings else as_sentence(NUMBERING.sub("", line)) for line in lines if line)
    return " ".join(line for line in told if names or line.removesuffix(":") not in headings)


def _lines_of_code(quote: str) -> frozenset[str]:
    """Return the lines of code of a step, empty where there is one at most: a command is said like a sentence."""
    spans = code_within(quote, (0, len(quote)))
    lines = (line.strip() for start, end in spans for line in quote[start:end].split("\n"))
    found = frozenset(line for line in lines if line and not line.startswith(("```", "~~~")))
    return found if len(found) > 1 else frozenset()


def _weights(asked: frozenset[str], units: Sequence[_Unit], language: str) -> dict[str, float]:
    """Return what each word counts that is asked and told: more, the fewer of the sentences have it."""
    words_of = [content_words(unit.text, language) for unit in units]
    told = asked & frozenset().union(*words_of)
    return {word: math.log(1 + len(units) / sum(word in words for words in words_of)) for word in told}


def _may_begin(units: Sequence[_Unit], start: int, language: str, *, is_first: bool) -> bool:
    """Return whether a reply may begin at a sentence: the first of a step that needs no other, or any where none could.

    Numbered steps are told from the first one on.
    """
    unit, before = units[start], units[:start]
    if unit.is_alone or any(u.is_ordered and u.step != unit.step for u in before):
        return unit.is_alone
    begins_step = not before or before[-1].step != unit.step
    return is_first or (begins_step and not pattern_of("operating_openings", language).match(unit.text))


def _left(units: Sequence[_Unit], said: SaidBefore, about: frozenset[str], language: str) -> Sequence[_Unit]:
    """Return what stands behind the last step that was said, by its words; all where none was, or none is left.

    What the customer only ``reports``, before anything was advised, counts up to the first step that was not said.
    Words that say what it is all ``about`` are in any message, and tell no step; a row of a table is none.
    """
    done = before = -1
    for unit in units if said.words else ():
        words = content_words(unit.text, language) - about
        is_next = not said.reports or before in (done, unit.step)
        is_told = len(words) >= WORDS_OF_STEP and len(words & said.words) >= SAID * len(words)
        if is_next and is_told and not unit.is_alone:
            done = unit.step
        before = unit.step
    return [unit for unit in units if unit.step > done] or units


# Complex: what still fits depends on what was taken, and a step counts whole unless it is the first.
def _fill(units: Sequence[_Unit], start: int, rules: ReplyRules, language: str, condition: str) -> ReplyExcerpt | None:
    """Return as many sentences of the step that one is in as fit, and whole steps behind it."""
    head = f"{condition}:" if condition else ""
    taken: list[_Unit] = []
    n, is_cut = start, False
    while n < len(units) and not units[n].is_code:
        unit = units[n]
        whole = [unit] if unit.step == units[start].step else [u for u in units[n:] if u.step == unit.step]
        is_read = _is_read(whole, language, opens=not taken)
        if not is_read or not rules.fits(text := _joined(head, [*taken, *whole])):
            is_cut = is_read and _is_part(units, n) and not rules.has_negative_words(text)
            break
        taken += whole
        n += len(whole)
        if unit.is_alone or (n < len(units) and units[n].is_alone):
            break
    return _excerpt(head, _without_lead(taken), is_cut=is_cut)


def _excerpt(head: str, told: Sequence[_Unit], *, is_cut: bool) -> ReplyExcerpt | None:
    steps = tuple(dict.fromkeys(unit.step for unit in told))
    return ReplyExcerpt(_joined(head, told), steps, is_cut) if told else None


def _is_read(units: Sequence[_Unit], language: str, *, opens: bool) -> bool:
    return all(not unit.is_code and stands_alone(unit.text, language, opens=opens) for unit in units)


def _is_part(units: Sequence[_Unit], end: int) -> bool:
    """Return whether what stands before a sentence is a part only: what stands behind a list may be missing."""
    items = [unit.is_item for unit in units]
    return any(items[end:]) or not any(items)


def _without_lead(units: Sequence[_Unit]) -> Sequence[_Unit]:
    """Return sentences without those at the end that lead over to what is not among them."""
    last = max((n for n, unit in enumerate(units) if not unit.text.endswith(_LEADS)), default=-1)
    return units[: last + 1]


def _joined(head: str, units: Sequence[_Unit]) -> str:
    return " ".join(filter(None, (head, *(unit.text for unit in units))))

"""How steps are marked for people: as the manual's own list marks them, so that "go back to step 3" stays right."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

INDENT = "   "  # of the lines of a step below its first one
BULLET = -1  # in place of a number: one of several things that the manual lists in no order
NAMED_WORDS = 6  # of a step without a number, by which a message tells it from the others
NUMBERING = re.compile(r"^(?:\d{1,3}[.)]|[-*•])\s+")
# Share of its steps that a solution keeps. Fewer are no procedure any more but a part of one, which looks whole.
LEAST_KEPT = 0.5

_COUNTED = re.compile(r"\b([Ss])tep (\d{1,3})\b(?![^“]*”)")  # but in words that are quoted
_OWN_MARK = re.compile(r"(?:(\d{1,9})[.)]|[-*+•‣])\s")
_OUTER_ITEM = re.compile(r"^(?:[-*+•‣]|(\d{1,9})[.)])[ \t]+", re.MULTILINE)


def step_numbers(steps: Sequence[str], quotes: Sequence[str]) -> tuple[int | None, ...]:
    """Return the number of each step; ``BULLET`` for an item of a list without numbers, None for any other text.

    A manual may have several lists, and a list may begin anywhere. Where one is left out there is a gap, for the others
    are referred to by their numbers. Steps without a quote each are counted; one that bears a mark gets no other.
    """
    if len(quotes) != len(steps):
        return tuple(None if NUMBERING.match(step) else n for n, step in enumerate(steps, 1))
    numbers: list[int | None] = []
    before, said = "", None  # the quote before, and the number that stands there
    for step, quote in zip(steps, quotes, strict=True):
        own = own_number(quote)
        number = None if quote == before or NUMBERING.match(step) else own
        if number is not None and number == said and numbers[-1] not in (None, BULLET):
            number = (numbers[-1] or 0) + 1  # Markdown counts a list of which each item says 1
        numbers.append(number)
        before, said = quote, own
    return tuple(numbers)


def marked(number: int | None, step: str) -> str:
    """Return a step behind its number or its bullet, as plain text.

    Its further lines stand below its words: all of one with a mark, else the items of its lists.
    """
    mark = "" if number is None else "- " if number == BULLET else f"{number}. "
    first, *others = step.split("\n")
    return "\n".join((mark + first, *(INDENT + o if mark or NUMBERING.match(o.strip()) else o for o in others)))


def shown_name(number: int | None, step: str) -> str:
    """Return what a step is called in a sentence: ``step 4`` where 4 stands before it, else its first words."""
    if number is not None and number != BULLET:
        return f"step {number}"
    words = step.split()
    return f"“{' '.join(words[:NAMED_WORDS])}{' …' if len(words) > NAMED_WORDS else ''}”"


def with_shown_names(message: str, steps: Sequence[str], quotes: Sequence[str]) -> str:
    """Return a message that counts steps (``step 2 says``) with what they are called where they are shown."""
    numbers = step_numbers(steps, quotes)

    def name(found: re.Match[str]) -> str:
        place = int(found[2]) - 1
        if not 0 <= place < len(steps):
            return found[0]
        called = shown_name(numbers[place], steps[place])
        return called[0].upper() + called[1:] if found[1] == "S" else called

    return _COUNTED.sub(name, message)


# Complex: a first step may be missing for one reason alone, which is one condition over all steps.
def find_loss(
    numbers: Sequence[int | None], kept: Collection[int], others: Collection[int] = (), some: Collection[int] = ()
) -> str:
    """Return why what is kept of steps helps nobody, empty where it does: its beginning or most of it is missing.

    A procedure begins with its first number, else with its first step where that is no bullet. ``others`` are steps for
    other customers, no loss where what is for ``some``, or a list of its own, stands in their place.
    """
    counted = [n for n, number in enumerate(numbers) if number not in (None, BULLET)]
    procedure = counted or [n for n, number in enumerate(numbers) if number is numbers[0] is None]
    first, begins = procedure[:1], [n for n in procedure if n in kept][:1]
    if first != begins:
        is_new_list = bool(counted and begins) and numbers[begins[0]] == numbers[first[0]]
        if not set(first) <= set(others) or not (is_new_list or set(begins) <= set(some)):
            return "Without its first step the others cannot be followed."
    return "" if len(kept) + len(others) >= LEAST_KEPT * len(numbers) else "Most of its steps would be missing."


def item_behind_lead(markdown: str) -> re.Match[str] | None:
    """Return the mark of a numbered item that is read in one line with the words that lead over to it.

    No other item follows. Bullets are several things of which each has a line; the first one, too.
    """
    items = list(_OUTER_ITEM.finditer(markdown))
    if len(items) != 1 or items[0][1] is None:
        return None
    leads = markdown[: items[0].start()].rstrip(" \n*_").endswith((":", "：", "."))
    return items[0] if leads else None


def own_mark(markdown: str) -> re.Match[str] | None:
    """Return the mark of the list item that a text is; None where it is no item, or several of one list."""
    found = _OWN_MARK.match(markdown)
    beside = found and sum((other[1] is None) is (found[1] is None) for other in _OUTER_ITEM.finditer(markdown))
    return found if beside == 1 else None


def own_number(quote: str) -> int | None:
    """Return the number of the item that a quote is, ``BULLET`` where it has none, None where it is no item."""
    if found := own_mark(quote) or item_behind_lead(quote):
        return int(found[1]) if found[1] else BULLET
    return None

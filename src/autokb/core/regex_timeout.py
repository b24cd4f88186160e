"""The patterns of rules: regular expressions as Python's ``re`` reads them, searched for within a time limit.

``re`` has no limit, so ``regex`` searches. What would mean something else there is written so that it means the same.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from autokb.core.errors import AutokbError

SEARCH_SECONDS = 0.5  # for one pattern in one text; real ones take a thousandth of it at most
MOST_SLOW_SEARCHES = 3  # then a pattern is not tried again until the next build
LONGEST_PATTERN = 10_000  # characters, ten times those of the longest we ship
# Elements once every {n} is written out, as ``regex`` does: it takes 25 ms to compile so many.
MOST_ELEMENTS = 100_000
_SHOWN_CHARACTERS = 200  # of a pattern in a message
_TOKEN = re.compile(
    r"""(?P<comment>\(\?\#[^)]*\))
      | (?P<set>\[\^?\]?(?:\\.|[^\]\\])*\])
      | (?P<opening>\(\??)
      | (?P<closing>\))
      | (?P<sign>[*+?|])
      | (?P<repetition>\{(?=[\d,])(?P<least>\d*),?\d*\})
      | (?P<character>\\N\{[^}]*\}|\\.|.)""",
    re.VERBOSE | re.DOTALL,
)
_BRACKET_IN_SET = re.compile(r"(\\.)|\[", re.DOTALL)


class SlowPatternError(AutokbError):
    """A pattern takes too long, so nobody can say whether a text breaks its rule; the message names both."""


def find_problem(pattern: str) -> str:
    """Return why a pattern cannot be used, empty where it can."""
    if len(pattern) > LONGEST_PATTERN:
        return f"has {len(pattern):,} characters, and {LONGEST_PATTERN:,} can be read; make several of it"
    try:
        re.compile(pattern)
        elements = _translate(pattern)[1]
    except (re.error, OverflowError, ValueError, RecursionError) as error:
        return f"is not a valid regular expression: {error}"
    if elements > MOST_ELEMENTS:
        return "repeats too much; write smaller numbers between its braces"
    return ""


# A step of a manual is among the solutions of many issues, and ``regex`` takes twice as long as ``re``.
@lru_cache(maxsize=20_000)
def search_patterns(rule: str, patterns: tuple[str, ...], text: str) -> str | None:
    """Return the words of a text that one of a rule's patterns matches, in any case of letters, or None.

    Raises SlowPatternError where none is found and one takes too long, or took too long some times before.
    """
    slow = ""
    for pattern in patterns:
        timed = _compile(pattern)
        if timed.slow_searches < MOST_SLOW_SEARCHES:
            try:
                if (found := timed.compiled.search(text, timeout=SEARCH_SECONDS)) is not None:
                    return str(found.group(0))
                continue
            except TimeoutError:
                timed.slow_searches += 1
        slow = slow or describe_slow(rule, pattern)
    if slow:
        raise SlowPatternError(slow)
    return None


def quote_pattern(pattern: str) -> str:
    """Return a pattern as a sentence names it."""
    return repr(pattern if len(pattern) <= _SHOWN_CHARACTERS else pattern[:_SHOWN_CHARACTERS] + "…")


def describe_slow(rule: str, pattern: str) -> str:
    """Return the sentence about a pattern that takes too long; it is the same for every text."""
    named = f"The pattern {quote_pattern(pattern)} of the rule {rule!r}"
    return f"{named} takes more than {SEARCH_SECONDS} seconds on a text; write it without repetitions in repetitions."


def forget_slow_searches() -> None:
    """Let patterns that were too slow be tried again."""
    _compile.cache_clear()


class _TimedPattern:
    def __init__(self, pattern: str) -> None:
        import regex

        self.compiled: Any = regex.compile(_translate(pattern)[0], regex.IGNORECASE | regex.VERSION0)
        self.slow_searches = 0


@lru_cache(maxsize=4_096)
def _compile(pattern: str) -> _TimedPattern:
    return _TimedPattern(pattern)


def _translate(pattern: str) -> tuple[str, int]:
    """Return a pattern of ``re`` as ``regex`` must be given it, and how many elements it has written out.

    To ``regex`` a brace that repeats nothing may allow for errors (x{e<2}), and a bracket in a set opens a class
    ([[:alpha:]]); to ``re`` both are characters.
    """
    parts: list[str] = []
    groups = [0]  # the elements of each group that is open
    last = 0  # those of what stands before a repetition
    for token in _TOKEN.finditer(pattern):
        kind, part = token.lastgroup, token.group()
        if kind == "opening":
            groups.append(0)
        elif kind == "closing":
            last = groups.pop()
            groups[-1] += last
        elif kind == "repetition":
            more = last * max(int(token["least"] or 0) - 1, 0)
            last += more
            groups[-1] += more
            part = "*" if part == "{,}" else part
        elif kind in ("set", "character"):
            last = 1
            groups[-1] += 1
            if kind == "set":
                part = "[" + _BRACKET_IN_SET.sub(lambda found: found[1] or "\\[", part[1:])
            elif part == "{":
                part = "\\{"
        parts.append(part)
    return "".join(parts), groups[0]

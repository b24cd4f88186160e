"""Patterns of rules: they mean what ``re`` makes of them, and none can hang a build."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from autokb.core import regex_timeout
from autokb.core.domain import Rule, read_domain
from autokb.core.errors import BadInputError
from autokb.core.regex_timeout import SlowPatternError, find_problem, forget_slow_searches, search_patterns

EVIL = r"(a|aa)+$"
TEXT = "a" * 60 + "!"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget_slow_searches()
    yield
    forget_slow_searches()


@pytest.mark.parametrize(
    "pattern",
    [
        r"contact (our|customer) support",
        r"x{e<2}",  # regex would allow for an error
        r"x{2}y{,2}z{,}",
        r"x{}|x{,",
        r"[[:alpha:]]+",  # regex would know the class
        r"[]x[{]+",
        r"[^]x]y",
        r"\[x\]|\{y\}",
        r"(?P<word>\w+) (?P=word)",
        r"(?i:X)(?s:.)(?=y)(?<!z)",
        r"(?#a [ remark {3})x",
        r"\N{DIGIT FIVE}|\x41|\u0042",
        r"(x)?(?(1)y|z)",
        r"a&&b|c--d|[a&&z]|[a||z]|[a~~z]",
        r"\bß|ſ|İ",
        "",
    ],
)
def test_patterns_mean_what_re_makes_of_them(pattern: str) -> None:
    texts = ["Contact OUR support", "x{e<2}", "xxyyzz", "x{}{3}z", "[:]]alpha", "]x[{", "ay ]y", "[x]{Y}", "no No", "x",
             "X\nyz", "5ab", "xy z", "a&&b c--d -&", "SS ß ẞ S K ſ i̇", "(?#)", "xyz" * 5]  # fmt: skip
    assert find_problem(pattern) == ""
    for text in texts:
        found = re.search(pattern, text, re.IGNORECASE)
        assert Rule("r", "t", (pattern,)).match_patterns(text) == (found.group(0) if found else None), (pattern, text)


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "is not a valid regular expression"),
        ("a{99999999999}", "is not a valid regular expression"),
        ("a{" + "9" * 5_000 + "}", "is not a valid regular expression"),
        ("(?:" * 1_900 + ")*" * 1_900, "is not a valid regular expression"),
        ("((a{1000}){1000})", "repeats too much"),
        ("(((a{500}b?){500}c?){500})", "repeats too much"),  # 8 GB once it is written out
        ("((((a{50,}){50,}){50,}){50,})", "repeats too much"),
        ("x" * 10_001, "has 10,001 characters"),
    ],
)
def test_a_pattern_that_cannot_be_compiled_in_bounds_is_refused_by_name(pattern: str, problem: str) -> None:
    with pytest.raises(BadInputError, match=f"rule 'r': patterns: '.*' {problem}"):
        read_domain({"rules": [{"id": "r", "text": "No.", "patterns": [pattern]}]})


@pytest.mark.parametrize("pattern", [EVIL, r"(?:a{1,40}){1,40}$", r"(?:(?:a|aa)+b?)+$"])
def test_a_pattern_that_takes_too_long_is_named(pattern: str) -> None:
    with pytest.raises(SlowPatternError, match=r"of the rule 'no-a' takes more than 0\.5 seconds") as error:
        Rule("no-a", "No a.", (pattern,)).match_patterns(TEXT)
    assert repr(pattern) in str(error.value)


def test_what_only_re_cannot_do_is_done() -> None:
    assert Rule("r", "t", (r"(a+)+$",)).match_patterns(TEXT) is None


def test_a_slow_pattern_is_tried_a_few_times_and_not_for_each_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_timeout, "SEARCH_SECONDS", 0.05)
    for number in range(10_000):
        with pytest.raises(SlowPatternError):
            search_patterns("r", (EVIL,), f"{number}{TEXT}")
    assert regex_timeout._compile(EVIL).slow_searches == 3
    with pytest.raises(SlowPatternError):
        search_patterns("r", (EVIL,), "b")  # given up until the next build
    forget_slow_searches()
    assert search_patterns("r", (EVIL,), "b") is None


def test_another_pattern_of_the_rule_still_finds_what_breaks_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regex_timeout, "SEARCH_SECONDS", 0.05)
    assert search_patterns("r", (EVIL, "!"), TEXT) == "!"

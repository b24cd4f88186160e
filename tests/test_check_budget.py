from __future__ import annotations

import ast
import tomllib

import pytest

import check_budget
from autokb.app import SupportKB
from autokb.stores.workspace import Workspace

TEXT = '''"""A docstring
of two lines."""

from a import (
    b,
)

FIRST, SECOND = 1, -2.5  # two numbers
THIRD = 60 * 24
NAMES = ("a", "b")
lower = 3
# Complex: a comment.


def f() -> str:
    """Another."""
    import c

    # and one more
    return """a text
    that is no docstring"""
'''


def test_code_lines_have_no_docstrings_imports_comments_and_blank_lines() -> None:
    assert check_budget.code_lines(TEXT, ast.parse(TEXT)) == 4 + 1 + 2  # four names, def, return and its second line


def test_numbers_with_a_name_in_capitals_are_counted() -> None:
    assert check_budget.constants(ast.parse(TEXT)) == 3


def test_what_rises_is_named_and_what_falls_is_not() -> None:
    budget = {"code_lines": {"core": 10, "text": 5}, "whole": {"public_methods": 7}}
    now = {"code_lines": {"core": 11, "text": 4, "new": 1}, "whole": {"public_methods": 7}}
    found = check_budget.refused(budget, now)
    assert [sentence.split(". ")[0] for sentence in found] == [
        "code_lines.core rose from 10 to 11",
        "code_lines.new rose from 0 to 1",
    ]
    assert all("budget.toml" in sentence and "reason" in sentence for sentence in found)


@pytest.mark.with_plugins
def test_a_method_of_a_namespace_counts(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    before = check_budget.public_methods(kb)
    kind = type(kb.checks)
    kind.one_more = lambda self: None  # type: ignore[attr-defined]
    try:
        assert check_budget.public_methods(kb) == before + 1 > 100
    finally:
        del kind.one_more  # type: ignore[attr-defined]
        kb.close()


def test_the_budget_has_a_line_for_each_figure() -> None:
    budget = tomllib.loads(check_budget.BUDGET.read_text(encoding="utf-8"))
    packages = {check_budget.package_of(path) for path in check_budget.SOURCE.rglob("*.py")}
    assert packages == set(budget["code_lines"])
    names = {"complex_functions", "complex_comments", "constants_of_a_question", "public_methods", "suite_cpu_seconds"}
    assert names == set(budget["whole"])
    assert budget["reason"]


def test_it_is_small_itself() -> None:
    text = (check_budget.ROOT / "tests" / "check_budget.py").read_text(encoding="utf-8")
    assert check_budget.code_lines(text, ast.parse(text)) <= 80

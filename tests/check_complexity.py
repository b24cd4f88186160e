"""Refuses functions of the package that are too complex, and calls that nobody can read: ``make check``.

Radon counts what ruff's C901 does not see: each ``and`` and ``or``, and the loops and conditions of comprehensions. A
function inside another one counts by itself. One that is nearly too complex says in a comment above it why it is best
read in one place: ``# Complex: each step needs what the one before it found.`` In a call with many arguments by
position two that are swapped are not seen, so they are named.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from radon.complexity import add_inner_blocks, cc_visit
from radon.visitors import Function

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "autokb"
POSITIONAL = 6  # arguments of a call by position
ALIKE = frozenset({"digest", "_fields", "iter", "iterdescendants"})  # take any number, which all mean the same
MOST = 15  # cyclomatic complexity of a function or method, by radon
EXPLAINED = 12  # the complexity from which on a function says why it is best read in one place
REASON = re.compile(r"# Complex: \S+ \S.*")


def refused(path: Path) -> list[str]:
    """Return a sentence for each function of a file that is too complex, and each call with too many arguments."""
    text = path.read_text(encoding="utf-8")
    blocks = add_inner_blocks(cc_visit(text))
    functions = sorted((b.lineno, b.fullname, b.complexity) for b in blocks if isinstance(b, Function))
    tree = ast.parse(text)
    explained = _explained(tree, text.split("\n"))
    return [*_too_complex(path, functions), *_unexplained(path, functions, explained), *_unnamed(path, tree)]


def _too_complex(path: Path, functions: list[tuple[int, str, int]]) -> list[str]:
    return [
        f"{path}:{line}: {name} has a complexity of {figure} by radon, and {MOST} is the most; simplify it, or give "
        "each of its jobs a function with a name."
        for line, name, figure in functions
        if figure > MOST
    ]


def _explained(tree: ast.Module, lines: list[str]) -> set[int]:
    """Return the lines of ``def`` above which, and above whose decorators, a comment says why they are complex."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            above = min(one.lineno for one in (node, *node.decorator_list)) - 2
            if above >= 0 and REASON.fullmatch(lines[above].strip()):
                found.add(node.lineno)
    return found


def _unexplained(path: Path, functions: list[tuple[int, str, int]], explained: set[int]) -> Iterator[str]:
    """Yield a sentence for each complex function without a reason, and each reason that no function needs."""
    for line, name, figure in functions:
        if EXPLAINED <= figure <= MOST and line not in explained:
            yield (
                f"{path}:{line}: {name} has a complexity of {figure} by radon; simplify it, or say above it why it is "
                "best read in one place: # Complex: REASON"
            )
        if figure < EXPLAINED and line in explained:
            yield f"{path}:{line}: {name} has a complexity of {figure} by radon, which needs no reason; take it out."


def _unnamed(path: Path, tree: ast.Module) -> list[str]:
    """Return a sentence for each call that gives too many arguments by position."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > POSITIONAL]
    return [
        f"{path}:{call.lineno}: {ast.unparse(call.func)} is given {len(call.args)} arguments by position, and "
        f"{POSITIONAL} is the most; name them."
        for call in calls
        if ast.unparse(call.func).rpartition(".")[2] not in ALIKE
    ]


if __name__ == "__main__":
    found = [one.removeprefix(f"{ROOT}/") for path in sorted(SOURCE.rglob("*.py")) for one in refused(path)]
    sys.exit("\n".join(found) if found else 0)

"""Refuses functions of the package that are too complex, and calls that nobody can read: ``make check``.

Radon counts what ruff's C901 does not see: each ``and`` and ``or``, and the loops and conditions of comprehensions. A
function inside another one counts by itself. In a call with many arguments by position two that are swapped are not
seen, so they are named.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path

from radon.complexity import add_inner_blocks, cc_visit
from radon.visitors import Function

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "autokb"
POSITIONAL = 6  # arguments of a call by position
ALIKE = frozenset({"digest", "_fields", "iter", "iterdescendants"})  # take any number, which all mean the same
MOST = 15  # cyclomatic complexity of a function or method, by radon


def refused(path: Path) -> list[str]:
    """Return a sentence for each function of a file that is too complex, and each call with too many arguments."""
    text = path.read_text(encoding="utf-8")
    blocks = add_inner_blocks(cc_visit(text))
    functions = sorted((b.lineno, b.fullname, b.complexity) for b in blocks if isinstance(b, Function))
    return [*_too_complex(path, functions), *_unnamed(path, ast.parse(text))]


def _too_complex(path: Path, functions: list[tuple[int, str, int]]) -> list[str]:
    return [
        f"{path}:{line}: {name} has a complexity of {figure} by radon, and {MOST} is the most; simplify it, or give "
        "each of its jobs a function with a name."
        for line, name, figure in functions
        if figure > MOST
    ]


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

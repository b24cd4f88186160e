"""Refuses functions of the package that are too complex: ``make check``.

Radon counts what ruff's C901 does not see: each ``and`` and ``or``, and the loops and conditions of comprehensions. A
function inside another one counts by itself.
"""

from __future__ import annotations

import sys
from pathlib import Path

from radon.complexity import add_inner_blocks, cc_visit
from radon.visitors import Function

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "autokb"
MOST = 15  # cyclomatic complexity of a function or method, by radon


def refused(path: Path) -> list[str]:
    """Return a sentence for each function of a file that is too complex, in their order."""
    blocks = add_inner_blocks(cc_visit(path.read_text(encoding="utf-8")))
    functions = sorted((b.lineno, b.fullname, b.complexity) for b in blocks if isinstance(b, Function))
    return [
        f"{path}:{line}: {name} has a complexity of {figure} by radon, and {MOST} is the most; simplify it, or give "
        "each of its jobs a function with a name."
        for line, name, figure in functions
        if figure > MOST
    ]


if __name__ == "__main__":
    found = [one.removeprefix(f"{ROOT}/") for path in sorted(SOURCE.rglob("*.py")) for one in refused(path)]
    sys.exit("\n".join(found) if found else 0)

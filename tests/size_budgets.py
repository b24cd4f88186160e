"""The size budgets of the house; ``make check`` runs this and it names every offender (exit 1)."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

LONGEST_FILE = 300  # non-blank lines
LONGEST_FUNCTION = 50  # non-blank lines of the body, without its docstring
MOST_NAMES = 15  # public names at the top of the package
LEFT_OVER = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")

ROOT = Path(__file__).resolve().parents[1]


def offenders(root: Path) -> list[str]:
    """Return one sentence for everything that is over its budget below ``root``/src."""
    found = []
    for path in sorted((root / "src").rglob("*.py")):
        name = path.relative_to(root).as_posix()
        found.extend(f"{name}{said}" for said in of_file(path.read_text(encoding="utf-8")))
        if (
            path.match("src/*/__init__.py")
            and len(names := public_names(path.read_text(encoding="utf-8"))) > MOST_NAMES
        ):
            found.append(f"{name}: {len(names)} public names, at most {MOST_NAMES}")
    return found


def of_file(source: str) -> Iterator[str]:
    """Yield what is wrong with one file."""
    lines = source.split("\n")
    if (size := full(lines)) > LONGEST_FILE:
        yield f": {size} non-blank lines, at most {LONGEST_FILE}"
    for number, line in enumerate(lines, 1):
        if left := LEFT_OVER.search(line):
            yield f":{number}: {left.group()} is left over"
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            and (size := body_size(node, lines)) > LONGEST_FUNCTION
        ):
            yield f":{node.lineno}: {node.name} has {size} lines in its body, at most {LONGEST_FUNCTION}"


def body_size(node: ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> int:
    """Return the non-blank lines of a function's body; the docstring is no part of it."""
    body = node.body[1:] if ast.get_docstring(node) is not None else node.body
    return full(lines[body[0].lineno - 1 : node.end_lineno]) if body else 0


def full(lines: list[str]) -> int:
    """Return how many lines are not blank."""
    return sum(bool(line.strip()) for line in lines)


def public_names(source: str) -> set[str]:
    """Return what a package offers at its top: the names bound there that do not begin with an underscore."""
    found: set[str] = set()
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom) and getattr(node, "module", "") != "__future__":
            found.update((alias.asname or alias.name).split(".")[0] for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            found.update(target.id for target in targets if isinstance(target, ast.Name))
    return {name for name in found if not name.startswith("_")}


def main() -> int:
    """Print the offenders; 0 when there is none."""
    found = offenders(ROOT)
    print("\n".join(found) if found else "size budgets: all kept")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

"""Lists every number that decides something: a page of the site, made when it is built (``site_reference``).

A threshold is a constant of a module that is a number, or a tuple of numbers. What it counts and where it comes from
is the comment behind it or above it. ``python docs/list_thresholds.py`` prints the page.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "autokb"
HEAD = """# All thresholds

Every number that a module decides by, with what its comment says of its unit and its source. Where a cell is empty
the name says what it counts. To change a number, change the code, and prove it where it moves what is shown
([CONTRIBUTING](../CONTRIBUTING.md)). The
ranker's weights are in [ranker.json](../src/autokb/retrieval/ranker.json), with the questions that they were fitted on.
"""
COLUMNS = "| name | value | what it counts, and its source | file |\n|---|--:|---|---|\n"


@dataclass(frozen=True)
class Threshold:
    """A constant with its value as written, and what its comment says."""

    name: str
    value: str
    said: str


def thresholds_of(path: Path) -> Iterator[Threshold]:
    """Yield the thresholds of a file in their order."""
    text = path.read_text(encoding="utf-8")
    lines = text.split("\n")
    for node in ast.parse(text).body:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
        if not isinstance(node, ast.Assign) or not _are_numbers(node.value):
            continue
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        if all(isinstance(name, ast.Name) and name.id.strip("_").isupper() for name in names):
            name = ", ".join(name.id for name in names if isinstance(name, ast.Name))
            yield Threshold(name, ast.unparse(node.value).strip("()"), _comment(lines, node))


def _are_numbers(value: ast.expr) -> bool:
    if isinstance(value, ast.Tuple):
        return bool(value.elts) and all(map(_are_numbers, value.elts))
    if isinstance(value, ast.UnaryOp):
        return _are_numbers(value.operand)
    if isinstance(value, ast.BinOp):
        return _are_numbers(value.left) and _are_numbers(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in (int, float)


def _comment(lines: list[str], node: ast.Assign) -> str:
    """Return the comments within and behind a statement, else those in the lines right above it."""
    last = node.end_lineno or node.lineno
    within = [found[1] for line in lines[node.lineno - 1 : last] if (found := re.search(r"\s#\s?(.*)$", line))]
    if within:
        return " ".join(within)
    above: list[str] = []
    for line in reversed(lines[: node.lineno - 1]):
        if not line.startswith("#"):
            break
        above.insert(0, line.lstrip("# "))
    return " ".join(above)


def page() -> str:
    """Return the page as Markdown."""
    parts = [HEAD]
    for package in sorted(p for p in SOURCE.iterdir() if p.is_dir()):
        files = {file: found for file in sorted(package.rglob("*.py")) if (found := list(thresholds_of(file)))}
        if not files:
            continue
        parts.append(f"\n## {package.name}\n\n{COLUMNS}")
        for file, found in files.items():
            link = f"[{file.relative_to(package).as_posix()}](../{file.relative_to(ROOT).as_posix()})"
            for one in found:
                said = one.said.replace("|", "\\|").replace("<", "&lt;")
                parts.append(f"| `{one.name}` | {one.value} | {said} | {link} |\n")
    return "".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())

"""Draws the packages and their imports into ``docs/architecture.md``: ``make architecture``.

The drawing is Mermaid, which code hosts show as a picture. An arrow that follows from two others is left out of it
(the transitive reduction); the table below the drawing has them all.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "autokb"
PAGE = ROOT / "docs" / "architecture.md"
BEGIN, END = "<!-- drawn by docs/draw_packages.py -->\n", "<!-- end of the drawing -->\n"


def read_floors() -> list[list[str]]:
    """Return the floors from the top down, as import-linter checks them; packages without code are left out."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    floors = next(c["layers"] for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "layers")
    named = [[package.strip().removeprefix("autokb.") for package in re.split("[|:]", floor)] for floor in floors]
    return [packages for floor in named if (packages := [p for p in floor if any((SOURCE / p).glob("[!_]*"))])]


def read_imports(packages: list[str]) -> dict[str, set[str]]:
    """Return which packages each package imports, wherever in a file the import stands."""
    return {
        package: {
            imported
            for file in (SOURCE / package).rglob("*.py")
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("autokb.")
            if (imported := str(node.module).split(".")[1]) in packages and imported != package
        }
        for package in packages
    }


def reduce_arrows(imports: Mapping[str, set[str]]) -> list[tuple[str, str]]:
    """Return the arrows that follow from no others; there are no circles, which import-linter checks."""

    def reached(package: str) -> set[str]:
        return imports[package].union(*map(reached, imports[package])) if imports[package] else set()

    return [
        (package, imported)
        for package, targets in imports.items()
        for imported in sorted(targets)
        if not any(imported in reached(other) for other in targets - {imported})
    ]


def draw() -> str:
    """Return the drawing and its table as Markdown."""
    floors = read_floors()
    imports = read_imports([package for floor in floors for package in floor])
    lines = ["```mermaid", "flowchart TD"]
    for number, floor in enumerate(floors, 1):
        lines += [f"    subgraph floor{number}[ ]", "        direction LR"]
        lines += [f"        {package}" for package in floor] + ["    end"]
    lines += [f"    {package} --> {imported}" for package, imported in reduce_arrows(imports)]
    lines += ["```", "", "| package | imports |", "|---|---|"]
    order = [package for floor in floors for package in floor]
    for package in order:
        targets = ", ".join(other for other in order if other in imports[package])
        lines.append(f"| [{package}](packages/{package}.md) | {targets or 'nothing of autokb'} |")
    return "\n".join(lines) + "\n"


def with_drawing(page: str) -> str:
    """Return the page with its drawing made anew."""
    return re.sub(f"(?<={re.escape(BEGIN)}).*?(?={re.escape(END)})", lambda _match: draw(), page, flags=re.DOTALL)


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(with_drawing(page), encoding="utf-8")
    sys.stdout.write(f"Drew {PAGE.relative_to(ROOT)}.\n")

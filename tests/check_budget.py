"""Holds the code to ``budget.toml``: ``make check``.

A figure may fall freely; ``python tests/check_budget.py --lower`` then writes what it fell to. One that rises ends the
check: it is raised by hand, in a commit whose ``reason`` in ``budget.toml`` names the decision, the stored figure of
what users gain, and what went out. Code lines have no docstrings, imports, comments and blank lines, so that nobody
saves on words.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
import sys
import tempfile
import tomllib
from pathlib import Path
from types import FrameType
from typing import Any

from radon.complexity import add_inner_blocks, cc_visit_ast
from radon.visitors import Function

import hand_made_kb

ROOT = Path(__file__).resolve().parents[1]
SOURCE, BUDGET = ROOT / "src" / "autokb", ROOT / "budget.toml"
SUITE = ROOT / "benchmarks" / "results" / "suite.json"  # {"cpu_seconds": N} of the last run that somebody stored
COMPLEX = 10  # radon's complexity, above which a function is counted
NUMBERS = re.compile(r"[(-]*\d[-+*/(), \d._e]*")
RISEN = (
    "{name} rose from {old} to {new}. Take as much out elsewhere, or raise it in budget.toml, and name there as the "
    "reason the decision, the stored figure of what users gain, and what went out."
)


def code_lines(text: str, tree: ast.Module) -> int:
    """Return how many lines of a file have code that is no import and no docstring."""
    left = set[int]()
    for node in ast.walk(tree):
        is_words = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and type(node.value.value) is str
        if is_words or isinstance(node, ast.Import | ast.ImportFrom):
            left.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(map(str.strip, text.splitlines()), 1)
    return sum(bool(line) and line[0] != "#" and number not in left for number, line in lines)


def constants(tree: ast.Module) -> int:
    """Return how many numbers have a name in capitals at the top of a module."""
    found = [one for one in tree.body if isinstance(one, ast.Assign) and NUMBERS.fullmatch(ast.unparse(one.value))]
    names = [name for one in found for target in one.targets for name in ast.unparse(target).strip("()").split(", ")]
    return sum(name.strip("_").isupper() for name in names)


def public_methods(kb: object) -> int:
    """Return how many public methods and properties a knowledge base and its namespaces have, those of plug-ins too."""
    from autokb.app.support_kb import NAMESPACES
    from autokb.core.plugins import plugins

    brought = [one.attribute or one.name for one in plugins() if one.built_in and one.namespace]
    members = [one for name, one in inspect.getmembers(kb) if name[0] != "_"]
    reached = members + [getattr(kb, name) for name in (*NAMESPACES, *brought)]
    kinds = {type(kb), *(type(one) for one in reached)}
    homes = ("autokb.app.namespaces.", "autokb.plugins.")
    ours = [kind for kind in kinds if kind is type(kb) or kind.__module__.startswith(homes)]
    return sum(name[0] != "_" and not inspect.isclass(one) for kind in ours for name, one in inspect.getmembers(kind))


def question() -> tuple[set[Path], int]:
    """Return the files that one warm ``ask`` runs through, and how many public methods whoever asks can reach."""
    from autokb.app import SupportKB

    files = set[str]()

    def trace(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call":
            files.add(frame.f_code.co_filename)

    with tempfile.TemporaryDirectory() as folder:
        kb = SupportKB.create(Path(folder, "kb"), "")
        kb.import_(hand_made_kb.write(Path(folder, "kb.jsonl")), progress=lambda *_: None)
        for trying in (None, trace):
            sys.setprofile(trying)
            kb.ask("the battery does not charge in the dock")
            sys.setprofile(None)
        kb.close()
        return {path for path in map(Path, files) if path.is_relative_to(SOURCE)}, public_methods(kb)


def package_of(path: Path) -> str:
    """Return the package, or the module beside the packages, that a file belongs to; each of our plug-ins is one."""
    parts = path.relative_to(SOURCE).parts
    return "/".join(parts[: 2 if parts[0] == "plugins" and len(parts) > 2 else 1]).removesuffix(".py")


def measured() -> dict[str, dict[str, int]]:
    """Return all figures as they are now."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(SOURCE.rglob("*.py"))}
    trees = {path: ast.parse(text) for path, text in texts.items()}
    lines = dict.fromkeys(sorted({package_of(path) for path in texts}), 0)
    for path, text in texts.items():
        lines[package_of(path)] += code_lines(text, trees[path])
    blocks = [
        one for tree in trees.values() for one in add_inner_blocks(cc_visit_ast(tree)) if isinstance(one, Function)
    ]
    asked, methods = question()
    whole = {
        "complex_functions": sum(one.complexity > COMPLEX for one in blocks),
        "complex_comments": sum(len(re.findall(r"^ *# Complex:", text, re.MULTILINE)) for text in texts.values()),
        "constants_of_a_question": sum(constants(trees[path]) for path in asked),
        "public_methods": methods,
    }
    if SUITE.exists():
        whole["suite_cpu_seconds"] = int(json.loads(SUITE.read_text(encoding="utf-8"))["cpu_seconds"])
    return {"code_lines": lines, "whole": whole}


def refused(budget: dict[str, Any], now: dict[str, dict[str, int]]) -> list[str]:
    """Return a sentence for each figure that rose above the budget; a package that has none may have no line."""
    pairs = ((f"{k}.{n}", budget.get(k, {}).get(n, 0), new) for k, named in now.items() for n, new in named.items())
    return [RISEN.format(name=name, old=old, new=new) for name, old, new in pairs if type(old) is int and new > old]


if __name__ == "__main__":
    now, text = measured(), BUDGET.read_text(encoding="utf-8")
    if found := refused(tomllib.loads(text), now):
        sys.exit("\n".join(found))
    if "--lower" in sys.argv:
        for name, new in ((n, new) for named in now.values() for n, new in named.items()):
            text = re.sub(rf"(?m)^(\"?{name}\"?) = \d+", rf"\g<1> = {new}", text)
        BUDGET.write_text(text, encoding="utf-8")

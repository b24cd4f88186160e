"""The code as it is read: its size, its circles, what one question loads, and walks of one thing through it.

``python -m benchmarks.architecture COMMAND...`` runs one command of autokb, counts the files and functions of ours that
it goes through, and writes the counts as JSON to the file that AUTOKB_WALK names. With another checkout's ``src`` first
on PYTHONPATH the benchmark measures that one.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder
from benchmarks.serving import ScriptedModel, serving, set_model

COMPLEX = 12  # cyclomatic complexity above which a function needs a reason
WARM = "--warm"  # ask twice in one process and follow the second
WALK = "AUTOKB_WALK"


def run(_options: argparse.Namespace) -> Result:
    """Read the code, then follow a question, an edited document and a model's reply through it."""
    figures = [*_size(_source()), *_complexity(_source())]
    with folder() as place:
        kb = place / "kb"
        domain = _source() / "domains" / "headphones"
        shutil.copytree(domain / "documents", place / "manuals")
        autokb("init", kb, "--domain", "headphones")
        autokb("add", kb, place / "manuals")
        autokb("add", kb, domain / "issues", "--as", "issues")
        autokb("build", kb)
        document = place / "manuals" / "microphone.md"
        document.write_text(document.read_text(encoding="utf-8") + "\nPress it twice.\n", encoding="utf-8")
        question = ("ask", kb, "my earbuds do not pair with my iPhone")
        figures += _walk("question", question, place, modules=True)
        figures += _walk("warm question", (*question, WARM), place)
        figures += _walk("add an edited document", ("add", kb, document), place)
        figures += _walk("build after it", ("build", kb), place)
        with serving(ScriptedModel()) as server:
            set_model(kb, server.url)
            figures += _walk("a model's reply", ("draft-spec", kb), place)
    return Result("architecture", figures)


def _source() -> Path:
    import autokb as package

    return Path(str(package.__file__)).parent


# -- reading ------------------------------------------------------------------------------------------------------


def _size(source: Path) -> Iterator[Figure]:
    """Count lines, files, circles of imports, and private functions that are used once."""
    files = sorted(source.rglob("*.py"))
    yield Figure("files", len(files), "")
    yield Figure("lines", sum(len(f.read_text(encoding="utf-8").splitlines()) for f in files), "")
    yield Figure("import circles", len(_circles(files, source)), "modules", at_most=0)
    private, once, one_word = 0, 0, 0
    for file in files:
        nodes = list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))
        used = Counter(
            n.id if isinstance(n, ast.Name) else n.attr for n in nodes if isinstance(n, ast.Name | ast.Attribute)
        )
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and re.match("_[^_]", node.name):
                private += 1
                once += used[node.name] == 1
                one_word += "_" not in node.name[1:]
    yield Figure("private functions", private, "")
    yield Figure("private functions used once", once, "")
    yield Figure("private functions named by one word", one_word, "")


def _circles(files: list[Path], source: Path) -> list[str]:
    """Return the modules that import themselves through others, for whatever and wherever in the file."""
    names = {
        ".".join(("autokb", *f.relative_to(source).with_suffix("").parts)).removesuffix(".__init__"): f for f in files
    }
    imports: dict[str, set[str]] = {}
    for name, file in names.items():
        imports[name] = set()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                found = {f"{node.module}.{alias.name}" for alias in node.names} & names.keys()
                imports[name] |= found or {node.module} & names.keys()

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = list(imports[start])
        while waiting:
            name = waiting.pop()
            if name not in seen:
                seen.add(name)
                waiting += imports[name]
        return seen

    return [name for name in names if name in reached(name)]


def _complexity(source: Path) -> Iterator[Figure]:
    """Count functions above the complexity, as ruff does; nothing where ruff is not installed."""
    ruff = Path(sys.executable).with_name("ruff")
    if ruff.exists():
        rule = ("--isolated", "--ignore-noqa", "--select", "C901", "--config", f"lint.mccabe.max-complexity={COMPLEX}")
        told = subprocess.run(
            [str(ruff), "check", *rule, "--output-format", "json", str(source)], capture_output=True, check=False
        )
        yield Figure(f"functions of complexity above {COMPLEX} (C901)", len(json.loads(told.stdout)), "")


# -- walking ------------------------------------------------------------------------------------------------------


def _walk(name: str, words: tuple[str | Path, ...], place: Path, *, modules: bool = False) -> Iterator[Figure]:
    """Run a command in a process of its own and count what it goes through."""
    target = place / "walk.json"
    target.unlink(missing_ok=True)
    subprocess.run(
        [sys.executable, "-m", "benchmarks.architecture", *map(str, words)],
        env=os.environ | {WALK: str(target)},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    counts = json.loads(target.read_text(encoding="utf-8"))
    if modules:
        yield Figure("modules loaded by autokb ask", counts["modules"], "", at_most=50)
    for what in ("files", "functions", "changes of file"):
        yield Figure(f"{name}: {what}", counts[what], "")


class Trail:
    """Which of our functions are called, in which files, and how often the file changes from one call to the next."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.functions: set[tuple[str, int]] = set()
        self.changes = 0
        self._last = ""

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        """Note a call; the code of a module counts as one function of it."""
        file = frame.f_code.co_filename
        if event != "call" or not file.startswith(self.source):
            return
        self.functions.add((file, frame.f_code.co_firstlineno))
        self.changes += file != self._last
        self._last = file

    def follow(self, work: Callable[[], object]) -> None:
        """Note the calls of some work, in all threads that it starts."""
        threading.setprofile(self)
        sys.setprofile(self)
        try:
            work()
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]


def follow_command(words: list[str]) -> int:
    """Run one command and write what it went through."""
    trail = Trail(str(_source()))
    if WARM in words:
        from autokb.app.support_kb import SupportKB

        kb = SupportKB.open(words[1])
        kb.ask(words[2])
        trail.follow(lambda: kb.ask(words[2]))
    else:

        def command() -> None:
            from autokb.cli import main

            status = main([*words, "--json"])
            if status:
                raise SystemExit(f"autokb {words[0]} ended with {status}.")

        trail.follow(command)
    found = {
        "files": len({file for file, _line in trail.functions}),
        "functions": len(trail.functions),
        "changes of file": trail.changes,
        "modules": sum(name.split(".")[0] == "autokb" for name in sys.modules),
    }
    Path(os.environ[WALK]).write_text(json.dumps(found), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(follow_command(sys.argv[1:]))

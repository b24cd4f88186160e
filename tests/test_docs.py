"""What the documents point to is there: links, names in the pages of the packages, the README's Python and commands."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from textwrap import dedent
from types import ModuleType

import pytest
import typer
import yaml

from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.cli import load_commands
from autokb.cli.commands import app
from autokb.core.settings import Settings, read_settings

load_commands()
ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
PACKAGES = sorted((ROOT / "docs" / "packages").glob("*.md"))
OF_PLUGINS = [ROOT / "docs" / name for name in ("mcp.md", "ray.md")]
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!!)\[[^\]\n]*\]\(([^)\s]+)\)")
NAMED = re.compile(r"((?:`\w+`(?:, | and )?)+)\s+in\s+\[[^\]]*\]\(([^)\s]+\.py)\)")
SETTINGS = re.compile(r"^ *```yaml\n((?s:.*?))^ *```$|`(\w+:\s\{[^`]+\})`", re.MULTILINE)
COMMAND = re.compile(r"(?:^|[\s`/])autokb ((?:[a-z]+(?:-[a-z]+)* )*[a-z]+(?:-[a-z]+)*)\b([^\n`]*)")


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    links = LINK.findall(FENCE.sub("", page.read_text(encoding="utf-8")))
    inside = [link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link)]
    lost = [link for link in inside if link and not (page.parent / link).exists()]
    assert not lost
    assert links or page.parent.name == "decisions" or page.name in ("glossary.md", "CONTRIBUTING.md")


@pytest.mark.parametrize("page", [*PACKAGES, *OF_PLUGINS], ids=named)
def test_a_package_page_names_what_its_files_hold(page: Path) -> None:
    found = [
        (name, file)
        for names, file in NAMED.findall(page.read_text(encoding="utf-8"))
        for name in names.split("`")[1::2]
    ]
    missing = [
        f"{name} in {file}"
        for name, file in found
        if not re.search(rf"^(?:class |def |){name}\b", (page.parent / file).read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert found and not missing


def test_every_package_has_its_page_and_the_index_names_all() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    folders = {
        p.parent.name for p in (ROOT / "src" / "autokb").glob("*/__init__.py") if any(p.parent.glob("[a-z]*.py"))
    }
    assert {p.stem for p in PACKAGES} >= folders | {"tasks", "domains", "llm"}
    assert all(f"packages/{page.name}" in index for page in PACKAGES)


def test_the_drawing_of_the_packages_is_what_they_import() -> None:
    drawing = _script("draw_packages")
    page = drawing.PAGE.read_text(encoding="utf-8")
    assert "-->" in page and drawing.with_drawing(page) == page, "Run: make architecture"


def test_the_page_of_thresholds_has_each_package_and_leads_to_its_files() -> None:
    page = _script("list_thresholds").page()
    paths = re.findall(r"\| \[[\w/]+\.py\]\(\.\./(.+)\) \|", page)
    assert "\n## retrieval\n" in page and len(paths) > 500 and all((ROOT / path).is_file() for path in paths)


def test_a_threshold_has_its_value_and_the_comment_beside_or_above_it(tmp_path: Path) -> None:
    listing = _script("list_thresholds")
    lines = (
        *("# Cosine, of", "# 40 questions.", "NEAR, FAR = 0.5, 2 * 3", "NAME = 'x'"),
        *("MOST = (  # rows", "    7", ")", "STEP: int = 3", "here = 4"),
    )
    (tmp_path / "a.py").write_text("\n".join(lines), encoding="utf-8")
    found = [(one.name, one.value, one.said) for one in listing.thresholds_of(tmp_path / "a.py")]
    assert found == [("NEAR, FAR", "0.5, 2 * 3", "Cosine, of 40 questions."), ("MOST", "7", "rows")]


def _script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look themselves up there
    spec.loader.exec_module(module)
    return module


def test_the_python_of_the_readme_names_what_is_there() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^From Python:\n\n((?:    .*\n|\n)+)", readme, re.MULTILINE)
    tree = ast.parse("\n".join(line.removeprefix("    ") for line in code.splitlines()))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            assert all(hasattr(importlib.import_module(str(node.module)), alias.name) for alias in node.names)
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
    asked = [c for c in calls if isinstance(c.func.value, ast.Name) and c.func.value.id in ("kb", "SupportKB")]  # type: ignore[attr-defined]
    assert {c.func.attr for c in asked} >= {"create", "build", "ask"}  # type: ignore[attr-defined]
    for call in asked:
        signature = inspect.signature(getattr(SupportKB, call.func.attr))  # type: ignore[attr-defined]
        kept = [p for n, p in signature.parameters.items() if n != "self"]
        signature.replace(parameters=kept).bind(*call.args, **{str(k.arg): k.value for k in call.keywords})
    read = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and getattr(n.value, "id", "") == "answer"}
    assert read and read <= set(Answer.__dataclass_fields__)


def _options(group: typer.Typer, path: tuple[str, ...] = ()) -> Iterator[tuple[str, set[str]]]:
    """Yield each command with its options."""
    command = typer.main.get_command(group)
    for name, inner in command.commands.items():  # type: ignore[attr-defined]
        if hasattr(inner, "commands"):
            continue
        yield " ".join((*path, name)), {word for option in inner.params for word in option.opts}
    for below in group.registered_groups:
        if below.typer_instance is not None:
            yield from _options(below.typer_instance, (*path, str(below.name)))


@pytest.mark.with_plugins
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_commands_are_there_with_their_options(page: Path) -> None:
    options = dict(_options(app))
    for words, rest in COMMAND.findall(page.read_text(encoding="utf-8")):
        name = next((w for w in (words, " ".join(words.split()[:2]), words.split()[0]) if w in options), None)
        if name is None:
            assert words.split()[0] == "evaluate", f"autokb {words} is no command"
            continue
        used = set(re.findall(r"(?<!\S)--[a-z-]+", rest))
        assert used <= options[name] | {"--json", "--help"}, f"autokb {words}{rest}"


def test_the_settings_on_the_pages_are_taken() -> None:
    """Every YAML block, and every ``name: {...}`` between backquotes, that has names of settings alone."""
    names = {field.name for field in fields(Settings)}
    taken = set()
    for page in (page for page in PAGES if page.parent.name != "decisions"):  # those tell of the past
        for block, span in SETTINGS.findall(page.read_text(encoding="utf-8")):
            given = yaml.safe_load(dedent(block) or " ".join(span.split()))
            if isinstance(given, dict) and given.keys() <= names:
                read_settings(given)
                taken |= given.keys()
    assert {"answer", "ask", "embed", "experiment", "gate", "helpdesks", "search", "sources"} <= taken

"""What makes a site of these documents: ``make docs``. MkDocs calls the functions whose names begin with ``on_``.

The documents are written to be read in the repository too. Here their links to files outside of ``docs`` become links
to a page of the site or the name of the file, the fences of the tutorials get their file names as titles, drawings
become lists and tables (the program that draws them would come from another host), and pages that are made from the
code come in (``site_reference``). A link that leads nowhere is a warning, so it ends a strict build.
"""

from __future__ import annotations

import logging
import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from site_reference import REFERENCE

ROOT = Path(__file__).resolve().parents[1]
DOCS = "docs"
# Pages of the site that stand elsewhere in the repository.
ELSEWHERE = {
    "changelog.md": "CHANGELOG.md",
    "contributing.md": "CONTRIBUTING.md",
    "benchmarks.md": "benchmarks/README.md",
}
AT_HOME = {source: page for page, source in ELSEWHERE.items()} | {
    "README.md": "README.md",
    "docs": "README.md",
    "docs/packages": "README.md",
}
CODE = "src/autokb/"
DECISIONS = "decisions/index.md"
FENCE = re.compile(r"^( *)(```.*?^ *```)[ \t]*$", re.MULTILINE | re.DOTALL)
TITLED = re.compile(r"```(\w+) (\S+)\n")
LINK = re.compile(r"(!?)\[([^\]\n]*(?:\n[^\]\n]*)?)\]\(([^)\s]+)\)")
DRAWING = "```mermaid\n"
RELATION = re.compile(r"^ *(\w+) (\S+)--(\S+) (\w+) : \"(.*)\"$", re.MULTILINE)
HOW_MANY = {"||": "one", "o|": "one or none", "|o": "one or none", "o{": "many", "}o": "many"}
FLOOR = re.compile(r"subgraph .*?\n +direction LR\n(.*?) +end\n", re.DOTALL)
COMMENT = re.compile(r"^<!--.*?-->$", re.MULTILINE)
# Pages for who changes the product, or asks why it is so; of the search they come behind those for its users.
BEHIND = ("decisions/", "packages/", "changelog.md", "thresholds.md")
BOOST_BEHIND = 0.01  # of their scores: a word in a title counts a thousand times one in a text
LIST_INDENT = 3  # of what belongs to a numbered entry; Python-Markdown wants one more
log = logging.getLogger("mkdocs.hooks.autokb")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Fill in the folders of the navigation, and leave out the pages that are still to come."""
    there = {page.relative_to(ROOT / DOCS).as_posix() for page in (ROOT / DOCS).rglob("*.md")}
    config.nav = _filled(config.nav, there | set(ELSEWHERE) | set(REFERENCE))
    return config


def _filled(nav: Any, there: set[str]) -> Any:
    if isinstance(nav, list):
        return [one for one in (_filled(below, there) for below in nav) if one]
    if isinstance(nav, dict):
        return {title: found for title, below in nav.items() if (found := _filled(below, there))}
    if "*" in nav:
        folder = nav.partition("*")[0]
        pages = sorted(page for page in there if page.startswith(folder))
        return [DECISIONS, *pages] if DECISIONS.startswith(folder) else pages
    return nav if nav in there else None


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add what stands elsewhere and what is made from the code."""
    made = {page: (ROOT / source).read_text(encoding="utf-8") for page, source in ELSEWHERE.items()}
    made |= {page: write() for page, write in REFERENCE.items()}
    made[DECISIONS] = _decisions()
    for page, text in made.items():
        files.append(File.generated(config, page, content=text))
    return files


def _decisions() -> str:
    pages = sorted((ROOT / DOCS / "decisions").glob("*.md"))
    titles = [page.read_text(encoding="utf-8").partition("\n")[0].lstrip("# ") for page in pages]
    lines = [f"- [{title}]({page.name})" for title, page in zip(titles, pages, strict=True)]
    said = "What was decided, why, and what was measured, one page each. A later one may replace an earlier."
    return "\n".join(["# Decisions", "", said, "", *lines, ""])


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:
    """Return the page's text as Python-Markdown reads it, with the links of the site."""
    name = page.file.src_uri
    if name.startswith(BEHIND):
        page.meta["search"] = {"boost": BOOST_BEHIND}
    source = ELSEWHERE.get(name, f"{DOCS}/{name}")
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [_prose(markdown[end : fence.start()], source, name), _code(fence)]
        end = fence.end()
    return "".join([*parts, _prose(markdown[end:], source, name)])


def _code(fence: re.Match[str]) -> str:
    indent, text = fence.groups()
    if text.startswith(DRAWING):
        return _drawing(text)
    titled = TITLED.sub(r'```\1 title="\2"\n', text, count=1)
    if len(indent) == LIST_INDENT:
        return "\n".join(f" {line}" if line else line for line in f"{indent}{titled}".split("\n"))
    return indent + titled


def _drawing(mermaid: str) -> str:
    """Return a drawing as a table of its relations, or as a list of its floors from the top."""
    if relations := RELATION.findall(mermaid):
        rows = [f"| {_some(left, n)} | {said} | {_some(right, m)} |" for left, n, m, right, said in relations]
        return "\n".join(["| what | relation | what |", "|---|---|---|", *rows])
    return "\n".join(f"{number}. {', '.join(floor.split())}" for number, floor in enumerate(FLOOR.findall(mermaid), 1))


def _some(name: str, how_many: str) -> str:
    return f"{name.replace('_', ' ').lower()} ({HOW_MANY[how_many]})"


def _prose(text: str, source: str, name: str) -> str:
    return LINK.sub(lambda link: _link(link, source, name), COMMENT.sub("\n", text))


def _link(link: re.Match[str], source: str, name: str) -> str:
    picture, label, address = link.groups()
    path, _, anchor = address.partition("#")
    if picture or not path or re.match(r"[a-z]+:", path) or name.startswith("reference/"):
        return link.group()
    target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    if target == f"{DOCS}/decisions":
        target = f"{DOCS}/{DECISIONS}"
    is_page = target.startswith(f"{DOCS}/") and not target.endswith(".py")
    at_home = AT_HOME.get(target) or (target.removeprefix(f"{DOCS}/") if is_page else "")
    if at_home:
        there = posixpath.relpath(at_home, posixpath.dirname(name) or ".")
        return f"[{label}]({there}{'#' if anchor else ''}{anchor})"
    if not (ROOT / target).exists():
        log.warning("%s: the link to %s leads nowhere", source, path)
    # A file of the repository that the site does not have is named, with its package.
    return f"`{target.removeprefix(CODE)}`" if label == posixpath.basename(target) else label

"""What documentation tools generate beside the pages of people is left out, with the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.sources import read_documents

PAGE = "<html><body><main><h1>{}</h1><p>Hold the button for five seconds.</p></main></body></html>"
SPHINX = (
    "objects.inv",
    "_static/basic.css",
    "_sources/pairing.rst.txt",
    "_sources/index.rst.txt",
    "_modules/lumo.html",
)
SITES = {
    "sphinx": (
        *SPHINX,
        "_modules/lumo.html",
        "genindex.html",
        "genindex-A.html",
        "py-modindex.html",
        "search.html",
        "searchindex.js",
    ),
    "mkdocs": ("search/search_index.json", "search/main.js", "404.html", "search.html"),
    "docusaurus": ("assets/js/runtime~main.1a2b.js", "search/index.html", "docs/tags/index.html", "search-doc-1.json"),
    "doxygen": ("doxygen.css", "annotated.html", "functions_a.html", "lumo_8h_source.html", "search/all_0.html"),
    "javadoc": ("element-list", "index-all.html", "lumo/package-tree.html", "search.html"),
    "mdbook": ("elasticlunr.min.js", "print.html", "toc.html", "searchindex.json"),
}


def write(folder: Path, *names: str) -> Path:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(PAGE.format(name), encoding="utf-8")
    return folder


@pytest.mark.parametrize("tool", SITES)
def test_generated_pages_are_left_out_with_the_reason(tmp_path: Path, tool: str) -> None:
    pages = ("pairing.html", "guide/index.html", "guide/finding.html")
    read = read_documents([write(tmp_path / "site", *SITES[tool], *pages)])
    assert {one.item.id for one in read.records} == set(pages)
    assert all("a documentation tool" in one.reason for one in read.skipped), read.skipped
    assert {(one[1]) for one in read.present} >= set(pages) | set(SITES[tool]), "they are there, for --sync"


def test_a_site_inside_an_added_folder_counts_alone_and_copies_are_one_line(tmp_path: Path) -> None:
    write(tmp_path / "docs" / "build" / "html", *SPHINX, "pairing.html", "search.html")
    write(tmp_path / "docs", "search.html", "_sources/notes.html")
    read = read_documents([tmp_path / "docs"])
    assert {one.item.id for one in read.records} == {"search.html", "_sources/notes.html", "build/html/pairing.html"}
    (sources,) = [one for one in read.skipped if "_sources" in one.path]
    assert "is a copy of a page" in sources.reason and "as are 1 more like it" in sources.reason


def test_parts_of_pages_in_the_source_of_a_site_are_no_pages(tmp_path: Path) -> None:
    write(tmp_path / "docs", "_category_.yml", "_note.md", "intro.md", "guide/_part.mdx", "guide/first.mdx")
    write(tmp_path / "notes", "_note.md", "intro.md")
    docs = read_documents([tmp_path / "docs"])
    assert {one.item.id for one in docs.records} == {"intro.md", "guide/first.mdx"}
    assert sum("is read in each of them" in one.reason for one in docs.skipped) == 2
    assert len(read_documents([tmp_path / "notes"]).records) == 2, "no tool is known here"


def test_what_a_person_adds_by_name_and_a_folder_that_no_tool_marked_are_read(tmp_path: Path) -> None:
    site = write(tmp_path / "site", *SPHINX, "search.html")
    assert [one.item.id for one in read_documents([site / "search.html"]).records] == ["search.html"]
    plain = write(tmp_path / "plain", "search.html", "genindex.html", "404.html", "_sources/a.html")
    assert len(read_documents([plain]).records) == 4

"""What ``add`` stores of a web page is what ``chunk`` keeps of it, by the same code."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest

from autokb.app.add import without_boilerplate
from autokb.app.support_kb import SupportKB
from autokb.chunking.auto import filtered_page
from autokb.chunking.boilerplate import BlockVerdict
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.chunkers import chunk_page
from autokb.cli.views import added_view
from autokb.core.nouns import Document
from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest, chunk_files
from autokb.sources.html import html_page
from autokb.stores.codecs import DOCUMENT
from autokb.stores.staged import DROPPED
from autokb.stores.workspace import Workspace

DATA = Path(__file__).parents[3] / "shared" / "data" / "D_chunking"
TEXT = [
    "The speaker stays silent after the update when it still plays to the phone it was paired with before.",
    "Hold the power button for ten seconds, wait until the light turns blue, and pair the two devices once more.",
    "If nothing helps, reset the speaker, which also removes the names of all phones that it knows.",
]
PAGE = f"""<!DOCTYPE html><html><head><title>No sound | Lumo</title></head><body>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<main><h1>No sound</h1><p>{TEXT[0]}</p><p>Share: Facebook Twitter</p><h2>What to do</h2><p>{TEXT[1]}</p>
<ol><li>Open the settings.</li><li>Tap Sound.</li></ol><p>{TEXT[2]}</p></main>
<footer><p>Imprint of Lumo</p></footer></body></html>"""
STORED = f"# No sound\n\n{TEXT[0]}\n\n## What to do\n\n{TEXT[1]}\n\n1. Open the settings.\n2. Tap Sound.\n\n{TEXT[2]}\n"


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(PAGE, encoding="utf-8")
    return path


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return SupportKB.create(tmp_path / "kb", "headphones").workspace


def stored(workspace: Workspace) -> dict[str, dict[str, object]]:
    with workspace.file() as file:
        return {one.id: one.body for one in file.staged("documents")}


def test_a_page_is_stored_without_boilerplate_and_each_span_that_goes_has_its_reason(
    page: Path, workspace: Workspace
) -> None:
    done = SupportKB(workspace).add([page])
    body = stored(workspace)["page.html"]
    assert body["text"] == STORED and body["title"] == "No sound"
    assert body[DROPPED] == [
        {"reason": "menu", "text": "- [Home](/)\n- [Shop](/shop)"},
        {"reason": "sharing and social networks", "text": "Share: Facebook Twitter"},
        {"reason": "page footer", "text": "Imprint of Lumo"},
    ]
    assert sorted(done.dropped) == sorted((noise["reason"], 1) for noise in body[DROPPED])  # type: ignore[attr-defined]
    assert set(done.as_json()) == {"added", "updated", "unchanged", "removed", "skipped"}
    assert DOCUMENT.read(body, id="page.html") == Document("page.html", "No sound", STORED)


def test_another_menu_is_no_change_of_a_page_and_another_text_is(page: Path, workspace: Workspace) -> None:
    SupportKB(workspace).add([page])
    page.write_text(PAGE.replace("Shop", "Shop now"), encoding="utf-8")
    assert SupportKB(workspace).add([page]).unchanged == 1
    page.write_text(PAGE.replace("ten seconds", "two seconds"), encoding="utf-8")
    assert SupportKB(workspace).add([page]).updated == 1


def test_a_page_of_nothing_but_menus_is_skipped_with_a_reason(tmp_path: Path, workspace: Workspace) -> None:
    path = tmp_path / "menu.html"
    path.write_text("<p><a href='/a'>Lamps of the year</a></p><p><a href='/b'>Shades of the year</a></p>")
    done = SupportKB(workspace).add([path])
    assert (done.added, [s.path for s in done.skipped]) == (0, ["menu.html"])


def test_chunk_keeps_of_a_page_what_add_stores(page: Path, workspace: Workspace) -> None:
    SupportKB(workspace).add([page])
    body = stored(workspace)["page.html"]
    (chunked,) = chunk_files([page], ChunkRequest())
    assert isinstance(chunked, ChunkedDocument)
    assert [{"reason": n.reason, "text": n.text} for n in chunked.result.noise] == body[DROPPED]
    from_stored = chunk_page(MarkedPage(Document("page.html", "No sound", str(body["text"]))), "auto_chunker", 2048)
    assert [c.text for c in from_stored.chunks] == [c.text for c in chunked.result.chunks]
    assert from_stored.noise == ()


def test_what_many_pages_of_a_folder_have_goes_from_the_store_as_from_the_chunks(
    tmp_path: Path, workspace: Workspace
) -> None:
    notice = "This shop is closed on all public holidays of the country, and on Sundays too."
    for n in range(4):
        words = " ".join(TEXT).replace("speaker", f"speaker number {n}")
        html = f"<main><p>{notice}</p><h1>Speaker {n}</h1><p>{words}</p><p>{words[::-1]}</p></main>"
        (tmp_path / "site").mkdir(exist_ok=True)
        (tmp_path / "site" / f"{n}.html").write_text(html, encoding="utf-8")
    SupportKB(workspace).add([tmp_path / "site"])
    bodies = stored(workspace)
    for found in chunk_files([tmp_path / "site"], ChunkRequest()):
        assert isinstance(found, ChunkedDocument)
        body = bodies[found.document.id]
        assert notice not in str(body["text"]) and TEXT[1] in str(body["text"])
        assert body[DROPPED] == [{"reason": n.reason, "text": n.text} for n in found.result.noise]
        assert body[DROPPED] == [{"reason": "repeated on other pages", "text": notice}]


def test_both_ask_the_same_filter(page: Path, workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    def keep_nothing_but_the_title(page: MarkedPage, blocks: tuple[object, ...]) -> tuple[object, ...]:
        return tuple(BlockVerdict(n == 2, "" if n == 2 else "for a test") for n in range(len(blocks)))

    monkeypatch.setattr(filtered_page, "filter_boilerplate", keep_nothing_but_the_title)
    SupportKB(workspace).add([page])
    (chunked,) = chunk_files([page], ChunkRequest())
    assert isinstance(chunked, ChunkedDocument)
    assert stored(workspace)["page.html"]["text"] == "# No sound\n"
    assert [c.text for c in chunked.result.chunks] == ["# No sound"]


def test_a_person_sees_one_line_a_kind_of_reason(page: Path, workspace: Workspace) -> None:
    from rich.console import Console

    console = Console(width=100, record=True, file=io.StringIO())
    console.print(added_view(workspace.folder, "documents", SupportKB(workspace).add([page])))
    lines = console.export_text().splitlines()
    assert "  left out of web pages: 3 spans (autokb chunk PAGE shows them)" in lines
    assert "       1  menu" in lines


FOLDS = {
    "style": "<h3>{0}</h3><div style='display:none'><p>{1}</p></div>",
    "aria": "<h3>{0}</h3><div aria-hidden='true'><p>{1}</p></div>",
    "button": "<button aria-expanded='false'>{0}</button><div hidden><p>{1}</p></div>",
    "details": "<details><summary>{0}</summary><p>{1}</p></details>",
}


@pytest.mark.parametrize("fold", FOLDS)
def test_the_answers_of_an_accordion_are_stored(fold: str) -> None:
    questions = [f"What if lamp number {n} is off?" for n in range(4)]
    answers = [
        f"Press button {n} until it blinks, then let go of it and wait for the tone of the lamp." for n in range(4)
    ]
    parts = "".join(FOLDS[fold].format(*pair) for pair in zip(questions, answers, strict=True))
    found = html_page(f"<nav><a href='/'>Home</a></nav><main><h1>Lamps</h1><p>{TEXT[0]}</p>{parts}</main>")
    document, dropped = without_boilerplate(MarkedPage(Document("d", found.title, found.text), found.marks))
    assert all(words in document.text for words in (*questions, *answers))
    assert [noise.text for noise in dropped] == ["[Home](/)"]


@pytest.mark.skipif(not DATA.is_dir(), reason="the data is not there")
def test_pages_of_the_data_are_chunked_from_the_store_as_from_their_files() -> None:
    paths = sorted(DATA.glob("trafilatura_eval/html/*.html.gz"))[::4] + sorted(DATA.glob("product_docs/*/*.html"))[::6]
    for path in paths:
        raw = path.read_bytes()
        html = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8", "replace")
        read = html_page(html)
        whole = MarkedPage(Document(path.name, read.title, read.text, read.url), read.marks)
        document, _ = without_boilerplate(whole)
        one, other = (chunk_page(p, "auto_chunker", 2048) for p in (whole, MarkedPage(document)))
        assert [c.text.split() for c in one.chunks] == [c.text.split() for c in other.chunks], path.name

"""Files and folders cut into chunks: what is read, in which order, and what a model is asked."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import autokb.pipeline.chunk_files as chunk_files_module
from autokb.chunking.boilerplate.site_boilerplate import block_hash
from autokb.chunking.methods import METHODS
from autokb.core.errors import BadInputError, StoppedOnPurposeError, WorkspaceBusyError
from autokb.core.nouns import Skipped
from autokb.pipeline.chunk_files import ChunkedDocument, ChunkRequest, answered_by, chunk_files
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.process_pool import ParallelMap, process_pool
from autokb.sources import Fields
from autokb.stores.workspace import create_workspace, one_at_a_time
from autokb.stores.workspace_file import WorkspaceFile
from stub_server import StubServer

STEPS = "# Leaks\n\nIf it leaks:\n\n1. Press the seal.\n2. Close the lid.\n"
TEXT = "".join(
    f"<p>Press the {part} of the seal firmly into the lid, turn the kettle over, and look whether water still drips "
    f"from the {part} of the rim onto the table.</p>"
    for part in ("front", "back", "side", "middle")
)
ASKED = "openai:scripted"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder of one file of each kind, good and bad."""
    folder = tmp_path / "pages"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_bytes("\ufeff# Lid\r\n\r\nThe  lid \x0b closes.\r\n".encode())
    (folder / "b.html").write_text(f"<nav><ul><li><a href=x>Shop</a></ul></nav><main><h1>Seal</h1>{TEXT}</main>")
    (folder / "sub" / "c.txt").write_text("plain words")
    (folder / "sub" / "d.jsonl").write_text('{"id": "r1", "text": "one"}\n{"text": "two"}\nbad\n')
    (folder / "sub" / "e.html.gz").write_bytes(gzip.compress(b"<p>packed</p>"))
    (folder / "empty.html").write_text("")
    (folder / "script.html").write_text("<html><script>let a = 1</script></html>")
    (folder / "photo.png").write_bytes(b"\x89PNG")
    return folder


@pytest.fixture(scope="module")
def two_processes() -> Iterator[ParallelMap]:
    """Two processes that chunk with one method after another: their start takes most of the time."""
    with process_pool(2) as started:
        yield started


def cut(*paths: Path, **wanted: Any) -> tuple[dict[str, ChunkedDocument], list[Skipped]]:
    """Chunk paths; returns documents by id and what was not taken."""
    results = list(chunk_files(paths, ChunkRequest(**wanted)))
    return (
        {r.document.id: r for r in results if isinstance(r, ChunkedDocument)},
        [r for r in results if isinstance(r, Skipped)],
    )


def test_every_kind_of_file_is_a_document_under_its_path(pages: Path) -> None:
    found, skipped = cut(pages, method="fixed")
    assert list(found) == ["a.md", "b.html", "sub/c.txt", "r1", "sub/d.jsonl#2", "sub/e.html"]
    assert {s.path: s.reason for s in skipped} == {
        "empty.html": "is empty; leave it out or fill it.",
        "photo.png": (
            "has a file type that is not supported; convert it to HTML, Markdown, text, DOCX, PDF, wiki or JSONL."
        ),
        "script.html": "holds no text; leave it out, or save the page as it looks in a browser.",
        "sub/d.jsonl:3": "is not valid JSON (Expecting value: line 1 column 1 (char 0)); fix it.",
    }


def test_the_markdown_of_a_markdown_file_is_the_file_itself(pages: Path) -> None:
    found, _ = cut(pages / "a.md", method="fixed")
    assert found["a.md"].document.text == "# Lid\r\n\r\nThe  lid   closes.\r\n"  # but for a control character, VT
    assert found["a.md"].document.title == "Lid"


def test_a_page_is_read_whole_and_its_menu_is_dropped_by_the_chunker_alone(pages: Path) -> None:
    for method in ("recursive", "fixed", "headings"):
        text = " ".join(c.text for c in cut(pages / "b.html", method=method)[0]["b.html"].result.chunks)
        assert "Shop" in text and "Press the front" in text
    result = cut(pages / "b.html")[0]["b.html"]
    assert [n.text for n in result.result.noise] == ["- [Shop](x)"]
    assert "Press the middle of the seal firmly" in result.result.chunks[-1].text


@pytest.mark.parametrize(
    "method",
    [
        "auto_chunker",
        *(pytest.param(m, marks=pytest.mark.slow) for m in METHODS if m not in ("auto_chunker", "semantic")),
    ],
)
def test_several_processes_give_what_one_gives(
    pages: Path, method: str, two_processes: ParallelMap, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = {1: map, 2: two_processes}
    monkeypatch.setattr(chunk_files_module, "process_pool", lambda jobs: nullcontext(maps[jobs]))
    alone, together = (cut(pages, method=method, jobs=jobs) for jobs in (1, 2))
    assert together[1] == alone[1]
    assert [(r.document, r.result) for r in together[0].values()] == [(r.document, r.result) for r in alone[0].values()]


def test_the_same_id_from_two_folders_is_cut_once_and_said(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.txt").write_text(name)
    found, skipped = cut(tmp_path / "one", tmp_path / "two", method="fixed")
    assert found["a.txt"].document.text == "one"
    one, two = (tmp_path / name / "a.txt" for name in ("one", "two"))
    assert skipped == [Skipped("a.txt", f"has the id 'a.txt' in {two}, which {one} has already; cut it alone.")]


def test_a_table_is_cut_where_its_column_is_named(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("id,said\n1,The lid leaks.\n2,The base hums.\n")
    refused = cut(tmp_path / "t.csv", method="fixed")[1]
    assert "--text-field" in refused[0].reason
    found, skipped = cut(tmp_path / "t.csv", method="fixed", fields=Fields(text="said"))
    assert [r.document.text for r in found.values()] == ["The lid leaks.", "The base hums."] and not skipped


def test_what_stands_on_every_page_of_a_folder_is_told_to_the_chunker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from autokb.pipeline import chunk_files as chunk_module

    notice = "Our shop in the old station is open from nine to five."
    for name in ("site/a", "site/b", "site/c", "other/d"):
        page = tmp_path / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"# Page {name}\n\nThe {name} seal is pressed into the lid.\n\n{notice}\n")
    told: dict[str, frozenset[str]] = {}
    real = chunk_module.chunk_page

    def listening(page: Any, *rest: Any) -> Any:
        told[page.document.id] = page.site_boilerplate
        return real(page, *rest)

    monkeypatch.setattr(chunk_module, "chunk_page", listening)
    cut(tmp_path)
    repeated = frozenset({block_hash(notice)})
    assert told == {"other/d.md": frozenset(), **{f"site/{n}.md": repeated for n in "abc"}}


@pytest.mark.parametrize(
    ("wanted", "said"),
    [
        ({"method": "none"}, "There is no chunker 'none'; choose one of: auto_chunker, fixed, "),
        ({"mode": "fast"}, "--mode takes economical or paper, not 'fast'"),
        ({"model": "gpt"}, "write offline or PROVIDER:NAME"),
        ({"method": "fixed", "rules_first": True}, "--rules-first is of auto_chunker"),
    ],
)
def test_what_cannot_be_done_is_said_before_anything_is_read(tmp_path: Path, wanted: Any, said: str) -> None:
    (tmp_path / "a.txt").write_text("a")
    with pytest.raises(BadInputError, match=said):
        chunk_files([tmp_path], ChunkRequest(**wanted))


def test_a_path_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="does not exist"):
        chunk_files([tmp_path / "nowhere"], ChunkRequest())


def test_what_is_far_too_large_is_refused_and_not_cut_for_minutes(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.sources import documents

    monkeypatch.setattr(documents, "LONGEST_DOCUMENT", 10)
    found, skipped = cut(pages, method="fixed")
    assert list(found) == ["r1", "sub/d.jsonl#2", "sub/e.html"]
    too_large = {s.path: s.reason for s in skipped if "characters" in s.reason}
    assert list(too_large) == ["a.md", "b.html", "sub/c.txt"]
    assert too_large["sub/c.txt"] == "has 11 characters, and 10 can be read at most; split it."


def test_one_page_that_breaks_the_chunker_does_not_end_the_others(pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from autokb.pipeline import chunk_files as chunk_module

    real = chunk_module.chunk_page

    def breaking(page: Any, *rest: Any) -> Any:
        if page.document.id == "a.md":
            raise ValueError("odd")
        return real(page, *rest)

    monkeypatch.setattr(chunk_module, "chunk_page", breaking)
    found, skipped = cut(pages / "a.md", pages / "sub", method="fixed")
    assert "a.md" not in found and "c.txt" in found
    assert Skipped("a.md", "cannot be cut (ValueError: odd).") in skipped


# ---- semantic, and tasks that a model answers


def test_semantic_uses_the_packaged_vectors(tmp_path: Path) -> None:
    radio = "The radio plays music. The radio has a wheel. The wheel makes the radio louder. "
    soup = "Soup is cooked with onions. Onions are cut into rings. The soup is eaten hot."
    (tmp_path / "a.txt").write_text(radio + soup)
    found, skipped = cut(tmp_path, method="semantic")
    assert skipped == []
    assert len(found["a.txt"].result.chunks) == 2
    assert "".join(c.text for c in found["a.txt"].result.chunks).replace(" ", "") == (radio + soup).replace(" ", "")
    assert found["a.txt"].model == ""


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Callable[[Any], Any]], StubServer]]:
    """Start servers that answer every request with one entry, made from the request."""
    servers: list[StubServer] = []
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-a-test")

    def start(entry: Callable[[Any], Any]) -> StubServer:
        server = StubServer(lambda body: json.dumps({"answers": [{"number": 1, **entry(body)}]}))
        servers.append(server)
        monkeypatch.setenv("AUTOKB_BASE_URL", server.start().url)
        return server

    yield start
    for server in servers:
        server.stop()


def paragraphs(count: int) -> str:
    return "\n\n".join(f"Paragraph {n} ".ljust(500, "x") for n in range(1, count + 1))


def test_a_model_is_asked_window_after_window(scripted: Any, tmp_path: Path) -> None:
    server = scripted(lambda _body: {"at": 3})
    for name in "ab":
        (tmp_path / f"{name}.txt").write_text(name + paragraphs(8))
    found, skipped = cut(tmp_path, method="lumber_chunker", model=ASKED, max_size=9_999)
    assert skipped == []
    # eight paragraphs: five are shown at a time from 1 and 3 on; the four that are left fit
    assert [len(found[f"{n}.txt"].result.chunks) for n in "ab"] == [3, 3]
    assert len(server.bodies) == 4
    assert {r.model for r in found.values()} == {ASKED}


def test_a_ledger_is_asked_before_the_model(scripted: Any, tmp_path: Path) -> None:
    server = scripted(lambda _body: {"after": [2]})
    page = tmp_path / "a.txt"
    page.write_text(paragraphs(8))
    ledger = tmp_path / "ledger.db"
    umask = os.umask(0)
    first = cut(page, method="llm_semantic", model=ASKED, ledger=ledger)
    os.umask(umask)
    assert os.name == "nt" or ledger.stat().st_mode & 0o777 == 0o600
    calls = len(server.bodies)
    assert calls > 1
    again = cut(page, method="llm_semantic", model=ASKED, ledger=ledger)
    assert len(server.bodies) == calls
    assert again[0]["a.txt"].result == first[0]["a.txt"].result


def test_merge_blocks_is_asked_and_what_is_in_no_range_is_noise(scripted: Any, tmp_path: Path) -> None:
    server = scripted(lambda _body: {"ranges": [[1, 4]], "noise": [{"first": 5, "last": 5, "kind": "contact"}]})
    page = tmp_path / "a.md"
    page.write_text(f"{STEPS}\nCall us at any time.\n")
    found, skipped = cut(page, model=ASKED)
    assert (len(server.bodies), skipped) == (1, [])
    assert [(n.text, n.reason) for n in found["a.md"].result.noise] == [
        ("Call us at any time.", "contact, says the model")
    ]
    assert [c.text for c in found["a.md"].result.chunks] == [STEPS.strip()]


def test_a_document_whose_reply_cannot_be_read_is_a_failure(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda body: {"at": 99 if "apple" in str(body) else 2})
    (tmp_path / "good.txt").write_text(paragraphs(6))
    (tmp_path / "bad.txt").write_text(paragraphs(6).replace("x", "apple "))
    found, skipped = cut(tmp_path, method="lumber_chunker", model=ASKED, max_size=9_999)
    assert list(found) == ["good.txt"]
    assert [s.path for s in skipped] == ["bad.txt"]
    assert "at" in skipped[0].reason


def test_a_budget_stops_the_run_after_what_was_cut(
    scripted: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scripted(lambda _body: {"at": 2})
    (tmp_path / "a.txt").write_text(paragraphs(6))
    with pytest.raises(BadInputError, match="price"):
        list(chunk_files([tmp_path], ChunkRequest("lumber_chunker", model=ASKED), options=ModelOptions(budget=1.0)))
    with pytest.raises(StoppedOnPurposeError):
        wanted = ChunkRequest("lumber_chunker", model="openai:gpt-4o-mini")
        list(chunk_files([tmp_path], wanted, options=ModelOptions(budget=0.0)))


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"x" * 200])
def test_a_ledger_that_is_another_file_is_left_as_it_is(scripted: Any, tmp_path: Path, content: bytes) -> None:
    scripted(lambda _body: {"at": 2})
    (tmp_path / "a.txt").write_text(paragraphs(6))
    other = tmp_path / "other.db"
    other.write_bytes(content)
    with pytest.raises(BadInputError, match="another kind of file"):
        cut(tmp_path / "a.txt", method="lumber_chunker", model=ASKED, ledger=other)
    assert other.read_bytes() == content


def test_a_ledger_that_another_call_uses_is_refused(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda _: {"number": 2})
    (tmp_path / "a.md").write_text(paragraphs(4))
    ledger = tmp_path / "l.db"
    with one_at_a_time(tmp_path / "l.db.lock", "busy"), pytest.raises(WorkspaceBusyError, match=r"l\.db"):
        cut(tmp_path / "a.md", method="lumber_chunker", max_size=400, model=ASKED, ledger=ledger)
    assert not ledger.exists()


def test_a_link_to_the_file_of_a_workspace_waits_for_its_build(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda _: {"number": 2})
    (tmp_path / "a.md").write_text(paragraphs(4))
    workspace = create_workspace(tmp_path / "kb", "name: d\n")
    link = tmp_path / "link.db"
    link.symlink_to(workspace.folder / "knowledge.db")
    with workspace.build_lock(), pytest.raises(WorkspaceBusyError, match=r"link\.db"):
        cut(tmp_path / "a.md", method="lumber_chunker", max_size=400, model=ASKED, ledger=link)


def test_prices_for_a_budget_come_from_a_file_of_settings(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda _: {"number": 2})
    (tmp_path / "a.md").write_text(paragraphs(4))
    wanted = ChunkRequest("lumber_chunker", 400, model="openai:of-our-own")
    with pytest.raises(BadInputError, match="The price of openai:of-our-own is not known"):
        list(chunk_files([tmp_path / "a.md"], wanted, options=ModelOptions(budget=1.0)))
    (tmp_path / "s.yaml").write_text("prices: {of-our-own: {input: 1, output: 2}}\n")
    priced = replace(wanted, settings=tmp_path / "s.yaml")
    assert [type(r) for r in chunk_files([tmp_path / "a.md"], priced, options=ModelOptions(budget=1.0))] == [
        ChunkedDocument
    ]


def test_a_ledger_in_a_folder_that_is_not_there_is_refused(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda _body: {"at": 2})
    (tmp_path / "a.txt").write_text(paragraphs(6))
    with pytest.raises(BadInputError, match="name a file in a folder that is there"):
        cut(tmp_path / "a.txt", method="lumber_chunker", model=ASKED, ledger=tmp_path / "no" / "ledger.db")


def test_a_workspace_can_be_the_ledger(scripted: Any, tmp_path: Path) -> None:
    scripted(lambda _body: {"at": 2})
    (tmp_path / "a.txt").write_text(paragraphs(6))
    WorkspaceFile(tmp_path / "knowledge.db", create=True).close()
    assert cut(tmp_path / "a.txt", method="lumber_chunker", model=ASKED, ledger=tmp_path / "knowledge.db")[1] == []


@pytest.mark.parametrize(
    ("method", "model", "answered"),
    [
        ("fixed", ASKED, ""),
        ("semantic", "", ""),
        ("auto_chunker", "", "offline"),
        ("auto_chunker", ASKED, ASKED),
        ("llm_semantic", ASKED, ASKED),
    ],
)
def test_who_answers(method: str, model: str, answered: str) -> None:
    assert answered_by(ChunkRequest(method, model=model)) == answered

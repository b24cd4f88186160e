"""Passages are worked out for what changed and looked up otherwise; they never leave the workspace."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import hand_made_kb
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.nouns import Chunk, Document, Passage
from autokb.exchange.export_kb import export_kb
from autokb.exchange.import_kb import import_file
from autokb.pipeline.steps.passages import STAGE, find_passages
from autokb.stores.workspace import Workspace, create_workspace
from autokb.stores.workspace_file import WorkspaceFile

DOMAIN = {"attributes": {"os": {"values": ["Android", "iOS"]}}}
SPEC = read_domain(DOMAIN)


@pytest.fixture
def file(tmp_path: Path) -> Iterator[WorkspaceFile]:
    opened = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    yield opened
    opened.close()


def documents(count: int) -> list[Document]:
    text = "# Seal {n}\n\n## On Android\n\n1. Press seal {n} into the lid.\n2. Tap Add seal {n}.\n"
    return [Document(f"{n}.md", f"Seal {n}", text.format(n=n)) for n in range(count)]


def found(file: WorkspaceFile, docs: list[Document], spec: DomainSpec = SPEC) -> tuple[list[Passage], int]:
    return find_passages(file, docs, [Chunk(f"c{d.id}", d.id, d.text, ((0, len(d.text)),)) for d in docs], spec)


def test_what_is_unchanged_is_looked_up_and_the_same(file: WorkspaceFile) -> None:
    made, computed = found(file, documents(3))
    assert computed == 3
    assert [p.solution.evidence[0].document for p in made] == ["0.md", "1.md", "2.md"]
    assert (made[0].distinguishes, made[0].masked) == (("os",), (("seal",), ("<os>",)))
    assert made[0].solution.attributes == {"os": frozenset({"Android"})}
    assert found(file, documents(3)) == (made, 0)


def test_a_changed_document_alone_is_worked_out_again(file: WorkspaceFile) -> None:
    before, _ = found(file, documents(3))
    docs = documents(3)
    docs[1] = replace(docs[1], text=docs[1].text.replace("into the lid", "under the lid"))
    after, computed = found(file, docs)
    assert computed == 1
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1].solution.steps[0] == "Press seal 1 under the lid."
    assert found(file, documents(4))[1] == 1  # and the first text of 1.md is known still


def test_other_chunks_make_other_passages(file: WorkspaceFile) -> None:
    (document,) = documents(1)
    found(file, [document])
    assert find_passages(file, [document], [], SPEC) == ([], 1)  # all of it is noise now


@pytest.mark.parametrize(
    ("changed", "computed"),
    [
        ({"rules": [{"id": "no-seal", "text": "No seals.", "patterns": ["seal 0"]}]}, 2),
        ({"language": "de"}, 2),
        ({"attributes": {"os": {"values": ["Android", "iOS", "Windows"]}}}, 2),
        ({"attributes": {"os": {"values": ["Android", "iOS"], "ask": "Which phone is it?"}}}, 0),
        ({"scope": {"os": ["Android"]}}, 0),
        ({"description": "Seals."}, 0),
    ],
    ids=["rules", "language", "values", "ask", "scope", "description"],
)
def test_what_the_domain_says_counts_where_passages_depend_on_it(
    file: WorkspaceFile, changed: dict[str, object], computed: int
) -> None:
    found(file, documents(2))
    assert found(file, documents(2), read_domain({**DOMAIN, **changed}))[1] == computed


@pytest.mark.parametrize("damage", ["", "{", "[{}]", '[{"id": 7}]', "null", "\udcff"])
def test_a_damaged_row_is_made_again(file: WorkspaceFile, tmp_path: Path, damage: str) -> None:
    made, _ = found(file, documents(2))
    with closing(sqlite3.connect(tmp_path / "knowledge.db")) as db, db:
        first = "SELECT MIN(key) FROM work WHERE stage = ?"
        row = damage.encode("utf-8", "surrogateescape")
        db.execute(f"UPDATE work SET reply = CAST(? AS TEXT) WHERE key = ({first})", (row, STAGE))
    assert found(file, documents(2)) == (made, 1)
    assert found(file, documents(2)) == (made, 0)


def test_an_import_makes_them_and_no_export_holds_them(hand_made: Workspace, tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    export_kb(hand_made, target)
    assert '"passage-' not in target.read_text(encoding="utf-8")
    copy = create_workspace(tmp_path / "copy", hand_made_kb.DOMAIN)
    import_file(copy, target)
    with closing(sqlite3.connect(copy.knowledge_path)) as db:
        (count,) = db.execute("SELECT COUNT(*) FROM work WHERE stage = ?", (STAGE,)).fetchone()
    assert count == len(hand_made_kb.DOCUMENTS)

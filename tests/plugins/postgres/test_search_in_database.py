"""A knowledge base in Postgres is asked as in memory, of a slice that Postgres finds."""

from __future__ import annotations

import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest
from benchmarks.postgres_server import PostgresServer

import installed_plugins
from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.core.ranking import best_first
from autokb.pipeline.open_index import keep_search_rows, open_index, open_served_index
from autokb.pipeline.own_features import FITTED
from autokb.plugins.postgres import search_in_database
from autokb.plugins.postgres.search_tables import SEARCH_OF, TABLES, Kind, SearchTables, WrittenPart
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.stores.workspace import Workspace, open_workspace
from real_postgres import needs_postgres
from served_process import SECONDS

pytestmark = [pytest.mark.slow, needs_postgres]
QUESTIONS = (
    "My left earbud has gone silnet, the right one is fine",
    "It does not pair with my Android phone any more",
    "How long does the battery last, and why does it drian so fast?",
    "The microphone is too quiet in calls on Windows",
    "how do i bake a pizza",
    "What does the red light mean?",
    "the Lumo Over got wet in the rain",
    "My ear hurts when I wear the Buds for long",
)


@pytest.fixture(scope="module")
def kept(postgres: PostgresServer, _built_headphones: Path, tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The headphones in Postgres, searched there."""
    folder = tmp_path_factory.mktemp("kept")
    exported = folder / "kb.jsonl"
    SupportKB.open(_built_headphones).export(exported)
    target = folder / "kb"
    target.mkdir()
    shutil.copy(_built_headphones / "domain.yaml", target)
    settings = f"store: {postgres.url('headphones')}\nsearch: {{in_database_from: 0}}\n"
    (target / "settings.yaml").write_text(settings, encoding="utf-8")
    SupportKB.open(target).import_(exported)
    return open_workspace(target)


def first(answer: Answer) -> tuple[str, str]:
    """Return the outcome, and what is shown first."""
    return answer.outcome, answer.shown[0].id if answer.shown else ""


def count_rows(postgres: PostgresServer, schema: str) -> dict[str, set[tuple[str, str]]]:
    """Return each part with the transaction that wrote its row."""
    with psycopg.connect(f"host={postgres.folder} user=autokb dbname=postgres") as db:
        return {
            kind: set(db.execute(f"SELECT id, xmin::text FROM {schema}.{table}").fetchall())  # type: ignore[arg-type]
            for kind, table in TABLES.items()
        }


def test_the_first_that_is_shown_is_that_in_memory(kept: Workspace) -> None:
    with closing(open_index(kept)) as in_memory, closing(open_served_index(kept)) as in_database:
        assert in_memory.by_language.sliced is None
        assert in_database.by_language.sliced is not None
        assert not in_database.index.candidates.rows
        for question in QUESTIONS:
            mine, theirs = in_database.ask(question), in_memory.ask(question)
            assert first(mine) == first(theirs), question
            assert mine.confidence == pytest.approx(theirs.confidence, abs=1e-3), question
            assert mine.attributes == theirs.attributes
            assert [one.id for one in mine.shown] == [one.id for one in theirs.shown], question
            assert [one.issue.id for one in mine.matches] == [one.issue.id for one in theirs.matches], question
        passage = in_memory.index.candidates.rows[0].solution.id
        assert passage in in_database.index_with(passage).candidates.row_of


def test_a_question_is_scored_once_and_waits_for_no_other(kept: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    scored: list[str] = []
    score, nearest, together = QuestionIndex.score, SearchTables.nearest, threading.Barrier(2)

    def count(index: QuestionIndex, text: str, *given: Any, **named: Any) -> ScoredQuestion:
        scored.append(text)
        return score(index, text, *given, **named)

    def wait_and_look(*given: Any) -> list[tuple[Kind, str, float]]:
        together.wait(SECONDS)  # until another question reads the tables, too
        return nearest(*given)

    with closing(open_served_index(kept)) as opened:
        monkeypatch.setattr(QuestionIndex, "score", count)
        alone = opened.ask(QUESTIONS[1])
        assert scored == [QUESTIONS[1]]
        monkeypatch.setattr(SearchTables, "nearest", wait_and_look)
        with ThreadPoolExecutor(2) as threads:
            answers = list(threads.map(opened.ask, [QUESTIONS[1]] * 2))
        assert [first(answer) for answer in answers] == [first(alone)] * 2


def test_a_document_that_changes_costs_its_own_rows(kept: Workspace, postgres: PostgresServer) -> None:
    before = count_rows(postgres, "headphones")
    with kept.file() as file:
        body = file.record("document", "one-side-silent.md")
        assert body is not None
        with file.transaction(), file.reading() as db:
            title = body["title"] + " (zzyzx)"
            db.execute(
                "UPDATE record SET body = "
                "CAST(jsonb_set(CAST(body AS jsonb), '{title}', to_jsonb(CAST(? AS text))) AS text) "
                "WHERE kind = 'document' AND id = 'one-side-silent.md'",
                (title,),
            )
            file.count_generation()
        assert file.meta(SEARCH_OF) != file.generation
        keep_search_rows(kept, file)
        assert file.meta(SEARCH_OF) == file.generation
    after = count_rows(postgres, "headphones")
    assert [i for i, _ in after["document"] - before["document"]] == ["one-side-silent.md"]
    assert after["tree"] == before["tree"]
    assert after["past"] == before["past"]
    with closing(open_served_index(kept)) as opened:
        words = opened.index.chunks.words.vocabulary
        assert "zzyzx" in words
        assert "qqqqq" not in words


def test_who_may_only_read_asks(kept: Workspace, postgres: PostgresServer) -> None:
    with psycopg.connect(f"host={postgres.folder} user=autokb dbname=postgres", autocommit=True) as db:
        db.execute("CREATE ROLE reader LOGIN")
        db.execute("GRANT USAGE ON SCHEMA headphones TO reader")
        db.execute("GRANT SELECT ON ALL TABLES IN SCHEMA headphones TO reader")
    url = postgres.url("headphones").replace("autokb@", "reader@")
    reading = replace(kept, settings=replace(kept.settings, store=url))
    with closing(open_served_index(reading)) as opened:
        assert opened.ask(QUESTIONS[1]).outcome == "answered"


def test_features_of_plugins_count_as_in_memory(kept: Workspace, tmp_path: Path) -> None:
    """One lifts the best section of another document than that which is shown first."""
    question = QUESTIONS[1]
    with closing(open_index(kept)) as in_memory:
        before, rows = in_memory.ask(question), in_memory.index.candidates.rows
        best = [rows[row].solution for row in best_first(in_memory.index.score(question).scores, 20).tolist()]
        lifted = next(one for one in best if one.evidence[0].document != best[0].evidence[0].document).id
    declared = "from autokb.plugin import Plugin\nplugin = Plugin('lifts', features={'one': 'lifts_plugin:lift'})\n"
    code = f"def lift(_, text, found):\n    return [one.solution.id == {lifted!r} for one in found.candidates.rows]\n"
    installed_plugins.write(tmp_path, "lifts", {"lifts_plugin.py": declared + code})
    with kept.file() as file, file.transaction():
        file.note(FITTED, '{"lifts.one": 9.0}')
    try:
        with (
            installed_plugins.on_path(tmp_path),
            closing(open_index(kept)) as in_memory,
            closing(open_served_index(kept)) as in_database,
        ):
            assert first(in_database.ask(question)) == first(in_memory.ask(question)) != first(before)
    finally:
        with kept.file() as file, file.transaction():
            file.note(FITTED, "")


def test_words_find_documents_of_their_own(kept: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search_in_database, "DOCUMENTS", 0)
    monkeypatch.setattr(search_in_database, "NEAREST_WINDOWS", 0)
    for name in ("RARE_WORDS", "RARE_TEXTS"):  # as many as there are, so that all is ranked as in memory
        monkeypatch.setattr(search_in_database, name, 100_000)
    with closing(open_index(kept)) as in_memory, closing(open_served_index(kept)) as in_database:
        sliced, words = in_database.by_language.sliced, in_memory.index.chunks.words
        assert sliced is not None
        for question in QUESTIONS:
            scores = words.scores(question)
            best: dict[str, float] = {}
            for number, column in enumerate(in_memory.index.chunks.chunk_document.tolist()):
                document = in_memory.index.chunks.documents[column]
                best[document] = max(best.get(document, 0.0), round(float(scores[number]), 6))
            ranked = sorted((d for d in best if best[d]), key=lambda d: (-best[d], d))
            with sliced.tables.read() as tables:
                assert sliced._saying(tables, question) == ranked[: search_in_database.BY_WORDS], question
            if ranked:
                assert ranked[0] in sliced.score([question])[0].chunks.documents


def test_what_is_for_others_takes_nobodys_place(kept: Workspace) -> None:
    with kept.file() as file, file.reading() as db:
        tables = SearchTables.of(db)
        assert tables is not None
        row = np.zeros((1, 384), dtype=np.float32)
        row[0, 0] = 1.0
        far = row.copy()
        far[0, 1] = 3.0
        of_others, mine = ((Kind.SECTION, row, ["theirs"]),), ((Kind.SECTION, far / np.linalg.norm(far), ["mine"]),)
        parts = [WrittenPart(f"test {n}", "{}", b"", (), "{}", of_others) for n in range(300)]
        parts.append(WrittenPart("test mine", "{}", b"", (), "{}", mine))
        try:
            with file.transaction():
                tables.write("document", parts, [])
                most = {Kind.SECTION: 100}
                assert "test mine" not in {owner for _, owner, _ in tables.nearest(row[0], most)}
                db.execute("SET LOCAL enable_seqscan = off")  # as where the table is large: the graph is filtered
                db.execute("SET LOCAL enable_sort = off")
                found = tables.nearest(row[0], most, ["theirs"])
                assert found[0][1] == "test mine" and found[0][2] == pytest.approx(0.316, abs=1e-3)
                assert not {owner for _, owner, _ in found} & {f"test {n}" for n in range(300)}
                raise ZeroDivisionError
        except ZeroDivisionError:
            pass  # nothing of it stays


def test_the_right_document_is_found_where_all_that_is_nearer_is_for_others(
    postgres: PostgresServer, _built_headphones: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few rows are looked at, so that a small knowledge base has more for others than that."""
    question = "The left earbud of my Android phone makes a hissing noise"
    (tmp_path / "documents").mkdir()
    for n in range(9):
        text = f"# A hissing noise with an iPhone, case {n}\n\n{question.replace('Android phone', 'iPhone')}.\n\n"
        (tmp_path / "documents" / f"iphone-{n}.md").write_text(f"{text}1. Clean the mesh.\n2. Restart the iPhone.\n")
    text = "# Noise with Android\n\n1. Switch the equalizer off.\n2. Update the app of the Android phone.\n"
    (tmp_path / "documents" / "android.md").write_text(text)
    folder = tmp_path / "kb"
    folder.mkdir()
    shutil.copy(_built_headphones / "domain.yaml", folder)
    settings = f"store: {postgres.url('searched_for_others')}\nsearch: {{in_database_from: 0}}\n"
    (folder / "settings.yaml").write_text(settings, encoding="utf-8")
    kb = SupportKB.open(folder)
    kb.add([tmp_path / "documents"])
    kb.build()
    for name, most in (("DOCUMENTS", 3), ("NEAREST_WINDOWS", 3), ("BY_WORDS", 3)):
        monkeypatch.setattr(search_in_database, name, most)
    monkeypatch.setattr(search_in_database, "MOST", dict.fromkeys(Kind, 3))
    with closing(open_index(kb.workspace)) as in_memory, closing(open_served_index(kb.workspace)) as in_database:
        answer = in_memory.ask(question)
        assert {e.document for one in answer.shown for e in one.evidence} == {"android.md"}
        assert first(in_database.ask(question)) == first(answer)
        given = {"os": frozenset({"Android"})}
        unsaid = question.replace("Android phone", "player")
        assert first(in_database.ask(unsaid, given)) == first(in_memory.ask(unsaid, given))

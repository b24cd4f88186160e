"""A knowledge base in Postgres is asked as in memory, of a slice that Postgres finds."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import psycopg
import pytest
from benchmarks.postgres_server import PostgresServer

from autokb.answering.answer import Answer
from autokb.app import SupportKB
from autokb.pipeline.open_index import keep_search_rows, open_index, open_served_index
from autokb.stores.search_tables import SEARCH_OF, TABLES
from autokb.stores.workspace import Workspace, open_workspace
from real_postgres import needs_postgres

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
        passage = in_memory.index.candidates.rows[0].solution.id
        assert passage in in_database.index_with(passage).candidates.row_of


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

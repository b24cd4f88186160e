"""The workspace file: transactions, finished work, vectors, publishing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import numpy as np
import pytest

import made_once
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.vectors import TokenVectors
from autokb.stores import database
from autokb.stores.workspace_file import Staged, WorkspaceFile


@pytest.fixture
def file(tmp_path: Path) -> WorkspaceFile:
    return WorkspaceFile(tmp_path / "knowledge.db", create=True)


def test_a_missing_file_names_the_command_that_makes_one(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="autokb init"):
        WorkspaceFile(tmp_path / "knowledge.db")


def test_durable_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "_connect", made_once.connect_durably)
    file = WorkspaceFile(tmp_path / "knowledge.db", create=True)
    assert file._db.execute("PRAGMA synchronous").fetchone()[0] == 2  # FULL
    assert file._db.execute("PRAGMA journal_mode").fetchone()[0] == "wal"


def test_a_transaction_that_fails_changes_nothing(file: WorkspaceFile) -> None:
    with pytest.raises(ValueError, match="stop"), file.transaction():
        file.stage("documents", [Staged("a", "r", "a.md", {"text": "x"})])
        raise ValueError("stop")
    assert file.staged("documents") == []


def test_a_full_disk_is_a_sentence_and_leaves_the_records(file: WorkspaceFile) -> None:
    with file.transaction():
        file.publish({("issue", "i1"): '{"text":"old"}'}, ["issue"])
    pages = file._db.execute("PRAGMA page_count").fetchone()[0]
    file._db.execute(f"PRAGMA max_page_count = {pages}")  # what SQLite reports then is what it reports on a full disk
    with pytest.raises(AutokbError, match="free some disk space"), file.transaction():
        file.publish({("issue", "i1"): '{"text":"' + "new" * 100_000 + '"}'}, ["issue"])
    assert dict(file.records("issue")) == {"i1": {"text": "old"}}


def test_finished_work_is_found_again_beyond_one_statement(file: WorkspaceFile) -> None:
    replies = {f"k{n}": f'"{n}"' for n in range(1200)}
    file.finish("trees", replies)
    assert file.finished([*replies, "other"]) == replies


def test_vectors_come_back_bit_for_bit_and_missing_ones_are_named(file: WorkspaceFile) -> None:
    vectors = np.array([[0.1, 0.9], [0.3, 0.7]], dtype=np.float32)
    file.keep_vectors("e1", ["a", "b"], vectors)
    found, missing = file.vectors("e1", ["b", "c", "a"], 2)
    assert missing == [1]
    assert np.array_equal(found[[2, 0]], vectors)
    assert file.vectors("e2", ["a"], 2)[1] == [0]  # another embedder's vector is not this one's


@pytest.mark.parametrize("damage", [np.nan, np.inf, -np.inf, 1e30, -1e30])
def test_a_damaged_vector_counts_as_missing(file: WorkspaceFile, damage: float) -> None:
    file.keep_vectors("e1", ["a", "b"], np.array([[0.1, 0.9], [0.3, damage]], dtype=np.float32))
    assert file.vectors("e1", ["b", "c", "a"], 2)[1] == [0, 1]
    with file.transaction():
        file._db.execute("UPDATE vector SET data = 5")
    assert file.vectors("e1", ["b", "c", "a"], 2)[1] == [0, 1, 2]


def tokens(*pieces: int) -> TokenVectors:
    """Return tokens with two numbers each."""
    rows = np.array([[p % 100, -p % 100] for p in pieces], dtype=np.int8).reshape(len(pieces), 2)
    return TokenVectors(np.array(pieces, dtype=np.uint16), rows, np.zeros(2, dtype=np.float32))


def kept(file: WorkspaceFile, name: str, texts: list[str]) -> dict[str, tuple[list[int], list[list[int]]]]:
    return {text: (t.pieces.tolist(), t.vectors.tolist()) for text, t in file.token_vectors(name, texts, 2).items()}


def test_token_vectors_come_back_and_missing_ones_do_not(file: WorkspaceFile) -> None:
    file.keep_token_vectors("e1 tokens en", ["a", "b", "nothing"], [tokens(1, 60_000), tokens(7), tokens()])
    expected = {"a": ([1, 60_000], [[1, 99], [0, 0]]), "b": ([7], [[7, 93]]), "nothing": ([], [])}
    assert kept(file, "e1 tokens en", ["b", "c", "a", "nothing", "a"]) == expected
    assert kept(file, "e1 tokens de", ["a"]) == {}
    assert file.vectors("e1", ["a"], 2)[1] == [0]  # they are no vector of the text
    many = [str(n) for n in range(1200)]
    file.keep_token_vectors("e1 tokens en", many, [tokens(n) for n in range(1200)])
    assert len(kept(file, "e1 tokens en", many)) == 1200


@pytest.mark.parametrize("damage", [b"12345", b"1", 5, "text"])
def test_damaged_token_vectors_count_as_missing(file: WorkspaceFile, damage: object) -> None:
    file.keep_token_vectors("e1", ["a", "b"], [tokens(1), tokens(2, 3)])
    assert kept(file, "e1", ["a", "b"])
    with file.transaction():
        file._db.execute("UPDATE vector SET data = ? WHERE length(data) = 4", (damage,))  # the one with one token
    assert list(kept(file, "e1", ["a", "b"])) == ["b"]


def test_publishing_replaces_and_counts_only_what_differs(file: WorkspaceFile) -> None:
    with file.transaction():
        assert file.publish({("issue", "a"): "{}", ("issue", "b"): "{}"}, ["issue"]) == 2
    generation = file.meta("generation")
    with file.transaction():
        assert file.publish({("issue", "a"): "{}", ("issue", "b"): "{}"}, ["issue"]) == 0
    assert file.meta("generation") == generation
    with file.transaction():
        assert file.publish({("issue", "a"): '{"text":"x"}'}, ["issue"]) == 2  # one changed, one gone
    assert dict(file.records("issue")) == {"a": {"text": "x"}}


def test_kinds_that_are_not_published_now_stay(file: WorkspaceFile) -> None:
    with file.transaction():
        file.publish({("theme", "t"): "{}"}, ["theme"])
        file.publish({("issue", "a"): "{}"}, ["issue"])
    assert dict(file.records("theme")) == {"t": {}}


def test_readers_see_before_or_after_never_between(file: WorkspaceFile) -> None:
    with file.transaction():
        file.publish({("issue", "a"): '{"n":1}', ("issue", "b"): '{"n":1}'}, ["issue"])
    reader = WorkspaceFile(file.path)
    with file.transaction():
        file.publish({("issue", "a"): '{"n":2}', ("issue", "b"): '{"n":2}'}, ["issue"])
        assert {body["n"] for _, body in reader.records("issue")} == {1}
    assert {body["n"] for _, body in reader.records("issue")} == {2}


def test_threads_that_share_a_connection_read_and_write_one_after_another(file: WorkspaceFile) -> None:
    with file.transaction():
        file.note("state", "before")
    inside, written = Event(), Event()

    def write() -> str | None:
        assert inside.wait(60)
        with file.transaction():
            file.note("state", "after")
        written.set()
        with file.snapshot():
            return file.meta("state")

    with ThreadPoolExecutor(2) as threads:
        with file.snapshot():
            writing = threads.submit(write)
            reading = threads.submit(lambda: inside.wait(60) and _state(file))
            inside.set()
            assert not written.wait(0.2) and file.meta("state") == "before"
        assert writing.result() == "after" and reading.result() in ("before", "after")


def _state(file: WorkspaceFile) -> str | None:
    with file.snapshot():
        return file.meta("state")


def test_kill_9_inside_a_transaction_leaves_the_records_as_they_were(file: WorkspaceFile) -> None:
    with file.transaction():
        file.publish({("issue", "a"): '{"n":1}'}, ["issue"])
    code = (
        "import sys\nfrom pathlib import Path\nfrom autokb.stores.workspace_file import WorkspaceFile\n"
        "f = WorkspaceFile(Path(sys.argv[1]))\n"
        "with f.transaction():\n    f.publish({('issue', 'a'): '{\"n\":2}'}, ['issue'])\n    print('in', flush=True)\n"
        "    import time; time.sleep(60)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(file.path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "in\n"
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdout.close()
    assert dict(WorkspaceFile(file.path).records("issue")) == {"a": {"n": 1}}

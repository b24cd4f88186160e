"""A knowledge base asked in memory and in Postgres: are the answers the same, and what do they cost?

``python -m benchmarks.searched_in_database --keep FOLDER`` builds the sample bases, keeps each in a schema of a server
of its own (or of ``--store``, which needs pgvector), asks the written questions of both, and prints how many have the
same outcome and the same first thing shown, what differs, the time of a question, and the memory of the process that
asked. With ``--rows N`` Thunderbird's search tables are grown first: by copies of all their parts whose vectors are
moved a little, so that neighbours, documents and words are those of a real base; what is shown is not compared then.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from autokb.app import SupportKB
from autokb.pipeline.open_index import open_index, open_served_index
from autokb.pipeline.process_pool import process_pool
from autokb.plugins.postgres.part_codecs import STORED
from autokb.plugins.postgres.search_tables import FOR_ALL, TABLES, Kind, SearchTables, WrittenPart
from autokb.stores.workspace import open_workspace
from benchmarks.postgres_server import postgres_server
from benchmarks.ranking import make
from benchmarks.running import MEGABYTE

BASES = ("headphones", "medical", "thunderbird")
QUESTIONS = Path(__file__).parent / "data" / "questions"
MOVED = 0.5  # length of what is added to a copy's unit vectors, at random; its cosine to the first is then some .9
IDS = ("id", "document", "issue_id", "parent_id")  # what a part names others by
LISTS = ("documents", "chunks", "raw", "raw_issues")


@dataclass(frozen=True, slots=True)
class Asked:
    """What all questions of a base got, how long each took (seconds), and the memory of the process (MiB)."""

    first: tuple[tuple[str, str], ...]
    seconds: tuple[float, ...]
    megabytes: float


def ask_all(task: tuple[Path, str, bool]) -> Asked:
    """Ask a base its questions twice, in a process of its own; the second time counts."""
    folder, name, in_database = task
    workspace = open_workspace(folder)
    questions = [json.loads(line)["question"] for line in (QUESTIONS / f"{name}.jsonl").open(encoding="utf-8")]
    with closing(open_served_index(workspace) if in_database else open_index(workspace)) as opened:
        for question in questions:
            opened.ask(question)
        answers = [opened.ask(question) for question in questions]
    return Asked(
        tuple((a.outcome, a.shown[0].id if a.shown else "") for a in answers),
        tuple(a.seconds for a in answers),
        psutil.Process().memory_info().rss / MEGABYTE,
    )


def keep_in(store: str, name: str, place: Path) -> Path:
    """Return a workspace of the base in a schema of its own, searched there whatever its size."""
    target = place / f"{name}-in-postgres"
    if not (target / "settings.yaml").exists() or store not in (target / "settings.yaml").read_text(encoding="utf-8"):
        shutil.rmtree(target, ignore_errors=True)  # of a server that is gone
        built = make(name, place / name)
        exported = place / f"{name}.jsonl"
        SupportKB.open(built).export(exported)
        target.mkdir()
        shutil.copy(built / "domain.yaml", target)
        url = f"{store}{'&' if '?' in store else '?'}schema=bench_{name}"
        settings = json.dumps({"store": url, "search": {"in_database_from": 0}})  # JSON is YAML
        (target / "settings.yaml").write_text(settings, encoding="utf-8")
        SupportKB.open(target).import_(exported)
    return target


def grow(folder: Path, rows: int) -> int:
    """Add copies of all parts to the search tables until they have so many rows; returns how many they have then."""
    rng = np.random.default_rng(20250101)
    with open_workspace(folder).file() as file, file.reading() as db:
        tables = SearchTables.of(db)
        assert tables is not None, "search tables"
        firsts = {
            kind: db.execute(
                f"SELECT id, body, vectors, names, counted FROM {table} WHERE id NOT LIKE '%~%'"
            ).fetchall()
            for kind, table in TABLES.items()
        }
        count = "SELECT count(*) FROM search_row"
        (found,) = db.execute(count).fetchone()
        (copies,) = db.execute("SELECT count(*) FROM search_document WHERE id LIKE '%~%'").fetchone()
        copy = copies // max(1, len(firsts["document"]))
        while found < rows:
            copy += 1
            with file.transaction():
                for kind, parts in firsts.items():
                    tables.write(kind, dict(_copies(kind, parts, f"~{copy}", rng)), [])
            (found,) = db.execute(count).fetchone()
            print(f"{found:,} rows", flush=True)
        db.execute("ANALYZE")
    return int(found)


def _copies(
    kind: str, parts: Sequence[tuple[str, str, bytes, Sequence[str], str]], behind: str, rng: np.random.Generator
) -> Iterator[tuple[str, WrittenPart]]:
    for name, body, data, names, counted in parts:
        vectors = np.frombuffer(data, dtype=STORED).reshape(-1, 384)
        vectors = vectors + rng.standard_normal(vectors.shape).astype(STORED) * (MOVED / np.sqrt(384))
        vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(STORED)
        told = _renamed(json.loads(body), behind)
        kinds = _kinds(kind, told, len(vectors))
        named = [one if kind == "document" and " " in one else one + behind for one in names]
        row = [(one, vector.reshape(1, -1), [FOR_ALL]) for one, vector in zip(kinds, vectors, strict=True)]
        texts = [list(Counter(terms).elements()) for terms in told.get("terms", ())]
        yield name + behind, WrittenPart(json.dumps(told), vectors.tobytes(), named, counted, row, texts)


def _renamed(told: Any, behind: str) -> Any:
    """Return a part under other ids."""
    if isinstance(told, list):
        return [_renamed(one, behind) for one in told]
    if not isinstance(told, Mapping):
        return told
    return {
        name: value + behind
        if name in IDS and isinstance(value, str) and value
        else [one + behind for one in value]
        if name in LISTS and isinstance(value, list) and all(isinstance(one, str) for one in value)
        else _renamed(value, behind)
        for name, value in told.items()
    }


def _kinds(kind: str, told: Mapping[str, Any], rows: int) -> list[Kind]:
    """Return what each vector of a part is of, in their order."""
    if kind == "past":
        return [Kind.PAST]
    if kind == "tree":
        alone = len(told["alone"])
        return [Kind.NODE] * (rows - alone) + [Kind.ALONE] * alone
    passages = len(told["passages"])
    return [Kind.WINDOW] * len(told["window_chunks"]) + [Kind.SECTION] * passages + [Kind.HEADING] * passages


def report(name: str, in_memory: Asked, in_database: Asked, *, is_same: bool) -> None:
    """Print what differs, where both have the same parts, and what it costs."""
    count = len(in_memory.first)
    differ = [n for n in range(count) if in_memory.first[n] != in_database.first[n]]
    if is_same:
        print(f"{name}: same outcome and first shown {count - len(differ)} of {count}", flush=True)
    for n in differ if is_same else ():
        print(f"  question {n}: {in_memory.first[n]} in memory, {in_database.first[n]} in the database")
    for where, asked in (("in memory", in_memory), ("in the database", in_database)):
        half, most = np.percentile(asked.seconds, [50, 99]) * 1000
        print(f"  {where}: p50 {half:.0f} ms, p99 {most:.0f} ms, {asked.megabytes:.0f} MiB")


def main() -> None:
    """Compare the bases that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", default="", help="postgresql://USER@HOST/DATABASE of a server with pgvector")
    parser.add_argument("--keep", type=Path, required=True, help="folder for the workspaces, used again")
    parser.add_argument("--base", default=",".join(BASES), help="which bases, with commas between them")
    parser.add_argument("--rows", type=int, default=0, help="grow Thunderbird's search tables to so many rows")
    options = parser.parse_args()
    options.keep.mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        store = options.store or stack.enter_context(postgres_server()).url("").partition("&schema")[0]
        for name in options.base.split(","):
            folder, is_grown = keep_in(store, name, options.keep), name == "thunderbird" and options.rows
            if is_grown:
                started = time.perf_counter()
                print(f"{grow(folder, options.rows):,} rows after {time.perf_counter() - started:.0f} s", flush=True)
            asked = in_own_process((folder, name, False)), in_own_process((folder, name, True))
            report(name, *asked, is_same=not is_grown)


def in_own_process(task: tuple[Path, str, bool]) -> Asked:
    """Ask in a new process, whose memory is that of these questions alone."""
    with process_pool(2) as in_processes:
        (asked,) = in_processes(ask_all, [task])
    return asked


if __name__ == "__main__":
    main()

"""How a knowledge base of many nodes is kept, loaded and asked, in SQLite and in Postgres.

It is written as a build would publish it: sentences, lengths and spellings are those of real articles
and questions, their company is new. Vectors come from a stand-in that is some hundred times faster than the packaged
encoder: each piece of a word has one vector, the mean of those that the encoder gives it in real sentences. Questions
are read by the real encoder.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from autokb.answering.answer import Answer
from autokb.answering.ask import ask
from autokb.core.domain import DomainSpec
from autokb.core.ids import canonical_json
from autokb.core.nouns import Chunk, Document, Evidence, Issue, RawIssue, Solution
from autokb.core.vectors import Vectors
from autokb.llm.embedders.packaged import PackagedEmbedder
from autokb.pipeline.open_index import OpenIndex
from autokb.retrieval.index import QuestionIndex
from autokb.stores.codecs import ISSUE, RAW_ISSUE, document_body, solution_body
from autokb.stores.vector_index import ExactIndex
from autokb.stores.workspace_file import WorkspaceFile
from benchmarks import postgres_server, scale_data
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder

SIZES = "AUTOKB_GROWTH_SIZES"  # nodes, with commas between
KEEP = "AUTOKB_GROWTH_KEEP"  # folder in which what was written stays, in SQLite and in Postgres, to be used again
DEFAULT_SIZES = "10000,100000"
SEED = 20250301
CHILDREN = 3  # of a tree, beside its parent: 4 nodes a raw issue
TREES_A_DOCUMENT = 40
SECTIONS = 8  # of a document: 20 nodes a section, 6,250 documents at 1,000,000 nodes
STEPS = 3
THEMES = 40
WORDS = 12  # of a question
WARM_UP, MEASURED, COMPARED = 20, 300, 100
MIB = 1024 * 1024
T = TypeVar("T")


def run(options: argparse.Namespace) -> Result:
    """Measure the sizes that the environment names."""
    sizes = [int(n) for n in os.environ.get(SIZES, DEFAULT_SIZES).split(",")]
    figures: list[Figure] = []
    detail: dict[str, Any] = {"vectors": "by a stand-in", "nodes_a_section": 20, "words_a_question": WORDS}
    table = piece_vectors()
    for size in sizes[:1] if options.quick else sizes:
        found, of_size = _published(size, table)
        figures += found
        detail[str(size)] = of_size
    return Result("growth", figures, detail)


class StandInEmbedder(PackagedEmbedder):
    """Reads texts by one vector for each piece of a word; its texts are told to be the packaged encoder's."""

    def __init__(self, table: Vectors) -> None:
        super().__init__()
        self._table = table

    def _read(self, texts: Sequence[str], make: Callable[[list[int], Vectors], T]) -> list[T]:
        encoded = [e.ids for e in self._tokenizer.encode_batch(list(texts))]
        return [make(ids, self._table[ids]) for ids in encoded]


class _PieceReader(PackagedEmbedder):
    def pieces(self, texts: Sequence[str]) -> list[tuple[list[int], Vectors]]:
        """Return the pieces of texts with the real encoder's vectors."""
        return self._read(texts, lambda ids, hidden: (ids, np.array(hidden)))


def piece_vectors(most: int = 1_000) -> Vectors:
    """Return the mean vector of each piece of a word in real sentences; one that none has gets that of all."""
    pool = [*scale_data.article_sentences(), *scale_data.question_sentences()]
    chosen = random.Random(SEED).sample(pool, min(most, len(pool)))
    reader = _PieceReader()
    sums = np.zeros((30_522, reader.dimensions), dtype=np.float64)
    counts = np.zeros(len(sums))
    for start in range(0, len(chosen), 256):
        for ids, hidden in reader.pieces(chosen[start : start + 256]):
            np.add.at(sums, ids, hidden)
            np.add.at(counts, ids, 1)
    sums[counts == 0], counts[counts == 0] = sums.sum(axis=0) / counts.sum(), 1
    return np.ascontiguousarray(sums / counts[:, None], dtype=np.float32)


def _published(size: int, table: Vectors) -> tuple[list[Figure], dict[str, Any]]:
    with ExitStack() as stack:
        kept = os.environ.get(KEEP)
        place = Path(kept) / str(size) if kept else stack.enter_context(folder())
        workspace = place / "kb"
        with _once(place, "write") as (is_done, seconds):
            if not is_done:
                shutil.rmtree(workspace, ignore_errors=True)  # of a run that was killed
                autokb("init", workspace, "--domain", "thunderbird")
                seconds["write"] = _milliseconds(lambda: _write(workspace, size, table)) / 1000
        bytes_ = sum(f.stat().st_size for f in workspace.rglob("*") if f.is_file())
        served = _serve_apart(workspace)
        figures = [
            Figure(f"{size}.write", seconds["write"], "s"),
            Figure(f"{size}.file", bytes_ / MIB, "MiB"),
            *_served(f"{size}", served, most_of_a_million=40),
            Figure(f"{size}.first_as_exact", served["first_as_exact"], "share", at_least=0.98),
            Figure(f"{size}.three_as_exact", served["three_as_exact"], "share"),
            Figure(f"{size}.publish_one", served["publish_one"], "s"),
        ]
        if postgres_server.binaries() is not None:
            server = stack.enter_context(postgres_server.postgres_server(Path(kept) / "server" if kept else None))
            figures += _on_server(size, place, server.url(f"growth_{size}"), served["first"])
    return figures, {name: figure for name, figure in served.items() if name != "first"}


@contextmanager
def _once(place: Path, what: str) -> Iterator[tuple[bool, dict[str, float]]]:
    """Do something that takes long once in a folder that is kept: give whether it is done, and what it took."""
    file = place / "seconds.json"
    seconds: dict[str, float] = json.loads(file.read_text("utf-8")) if file.exists() else {}
    yield what in seconds, seconds
    file.write_text(json.dumps(seconds), encoding="utf-8")


def _served(start: str, served: Mapping[str, Any], most_of_a_million: float) -> list[Figure]:
    return [
        Figure(f"{start}.load", served["load"], "s"),
        Figure(f"{start}.load_peak", served["load_peak"], "MiB"),
        Figure(f"{start}.memory", served["memory"], "MiB"),
        Figure(f"{start}.embedding_p50", served["embedding_p50"], "ms"),
        Figure(f"{start}.ask_p50", served["ask_p50"], "ms"),
        Figure(f"{start}.ask_p99", served["ask_p99"], "ms", at_most=most_of_a_million if "1000000" in start else None),
    ]


def _on_server(size: int, place: Path, url: str, first: Sequence[Sequence[Any]]) -> list[Figure]:
    """Copy the knowledge base to Postgres, have it searched there, and ask the same questions."""
    on_server = place / "on-server"
    with _once(place, "searchable") as (is_done, seconds):
        if not is_done:
            shutil.rmtree(on_server, ignore_errors=True)  # of a run that was killed
            shutil.copytree(place / "kb", on_server)
            seconds["move"] = autokb("move", on_server, "--to", url).seconds
            with (on_server / "settings.yaml").open("a", encoding="utf-8") as settings:
                settings.write("\nsearch: {in_database_from: 0}\n")
            seconds["searchable"] = _milliseconds(lambda: _serve_apart(on_server, "--write")) / 1000
    served = _serve_apart(on_server, "--on-server")
    start = f"{size}.postgres"
    pairs = list(zip(first, served["first"], strict=True))
    steps = [[shown for _, shown in one] == [shown for _, shown in other] for one, other in pairs]
    return [
        Figure(f"{start}.move", seconds["move"], "s"),
        Figure(f"{start}.make_searchable", seconds["searchable"], "s"),
        Figure(f"{start}.database", served["database"], "MiB"),
        *_served(start, served, most_of_a_million=80),
        Figure(
            f"{start}.first_as_in_memory",
            float(np.mean([one == other for one, other in pairs])),
            "share",
            at_least=0.98,
        ),
        Figure(f"{start}.first_steps_as_in_memory", float(np.mean(steps)), "share"),
    ]


def _write(workspace: Path, size: int, table: Vectors) -> None:
    """Publish a knowledge base of that many nodes, and keep what a build would have worked out for it."""
    from autokb.pipeline.embedding import EMBEDDINGS, FreeEncoder, embed_once
    from autokb.pipeline.open_index import index_published
    from autokb.stores.published import read_published
    from autokb.stores.workspace import open_workspace

    opened = open_workspace(workspace)
    file = opened.open_file()
    _publish(file, size, opened.spec)
    encoder = FreeEncoder(StandInEmbedder(table), file)

    def embed(texts: Sequence[str]) -> Vectors:
        return embed_once(file, encoder, EMBEDDINGS, texts, lambda _done, _all: None)[0]

    with file.transaction():
        index_published(opened, read_published(file), file, encoder, embed)
    file.close()


@dataclass(frozen=True)
class _Made:
    kind: str
    id: str
    body: dict[str, Any]


def _publish(file: WorkspaceFile, size: int, spec: DomainSpec) -> None:
    kinds: dict[str, dict[tuple[str, str], str]] = {}
    for one in _records(size, spec):
        kinds.setdefault(one.kind, {})[one.kind, one.id] = canonical_json(one.body)
    for kind, records in kinds.items():
        with file.transaction():
            file.publish(records, [kind])


def _records(size: int, spec: DomainSpec) -> Iterator[_Made]:
    rng = random.Random(SEED)
    written, asked = scale_data.article_sentences(), scale_data.question_sentences()
    trees = -(-size // (1 + CHILDREN))
    values = scale_data.child_values(spec)
    for n in range(THEMES):
        yield _Made("theme", f"theme-{n}", {"name": " ".join(rng.choice(asked).split()[:3])})
    for n in range(-(-trees // TREES_A_DOCUMENT)):
        document, chunks, places = _document(rng, f"article-{n}", written)
        yield _Made("document", document.id, document_body(document, chunks))
        for tree in range(n * TREES_A_DOCUMENT, min((n + 1) * TREES_A_DOCUMENT, trees)):
            yield from _tree(rng, tree, asked, values, places)


def _document(
    rng: random.Random, document_id: str, pool: Sequence[str]
) -> tuple[Document, list[Chunk], list[tuple[str, tuple[Evidence, ...]]]]:
    title = " ".join(rng.choice(pool).split()[:7])
    text = f"# {title}\n"
    chunks, places = [], []
    for n in range(SECTIONS):
        heading, start = " ".join(rng.choice(pool).split()[:6]), len(text) + 1
        text += f"\n## {heading}\n\n{rng.choice(pool)}\n\n"
        steps = []
        for number in range(1, STEPS + 1):
            text += f"{number}. "
            step = rng.choice(pool)
            steps.append(Evidence(document_id, len(text), len(text) + len(step), step))
            text += f"{step}\n"
        chunks.append(Chunk(f"{document_id}-{n}", document_id, text[start:], ((start, len(text)),), (title, heading)))
        places.append((heading, tuple(steps)))
    return Document(document_id, title, text), chunks, places


def _tree(
    rng: random.Random,
    number: int,
    asked: Sequence[str],
    values: Sequence[tuple[str, str]],
    places: Sequence[tuple[str, tuple[Evidence, ...]]],
) -> Iterator[_Made]:
    text = f"{rng.choice(asked)} {rng.choice(asked)}"
    raw, seed, parent, theme = f"raw-{number}", f"seed-{number}", f"issue-{number}", f"theme-{number % THEMES}"
    resolved = (places[0][1][0].document,) if number % 4 == 0 else ()
    where = {"theme": theme, "seed": seed, "issue": parent, "attributes": {}}
    yield _Made("raw_issue", raw, {**RAW_ISSUE.body(RawIssue(raw, text, resolved_by=resolved)), **where})
    yield _Made("seed", seed, {"raw_issue": raw, "theme": theme})
    nodes = [Issue(parent, text, None, {}, seed, (raw,))]
    for n in range(CHILDREN):
        name, value = values[n % len(values)]
        said = f"{value}: {rng.choice(asked)} {text}"
        nodes.append(Issue(f"{parent}-{n}", said, parent, {name: frozenset({value})}, seed))
    for node in nodes:
        yield _Made("issue", node.id, ISSUE.body(node))
        heading, steps = rng.choice(places)
        listed = "\n".join(f"{n}. {step.quote}" for n, step in enumerate(steps, 1))
        solution = Solution(
            id=f"{node.id}-s",
            issue_id=node.id,
            text=f"{heading}\n{listed}",
            steps=tuple(step.quote for step in steps),
            attributes=node.attributes,
            evidence=steps,
            rank=1,
        )
        yield _Made("solution", solution.id, solution_body(solution))


def _serve_apart(workspace: Path, *options: str) -> dict[str, Any]:
    """Load and ask the knowledge base in a process of its own, as a service would."""
    command = [sys.executable, "-m", "benchmarks.growth", str(workspace), *options]
    return dict(json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout))


def _serve(workspace: Path, *options: str) -> dict[str, Any]:
    """Return what loading and asking take in this process: seconds, MiB, milliseconds.

    To ``--write`` is only to open it, which writes what the database searches; ``--on-server`` it is there.
    """
    from autokb.pipeline.open_index import open_served_index
    from autokb.stores.workspace import open_workspace

    started = time.perf_counter()
    opened = open_served_index(open_workspace(workspace))
    load, load_peak = time.perf_counter() - started, _peak()
    with closing(opened):
        if "--write" in options:
            return {}
        texts = scale_data.questions(WORDS, WARM_UP + MEASURED)
        encoder = PackagedEmbedder()
        alone = [_milliseconds(lambda text=text: encoder.embed([text])) for text in texts][WARM_UP:]
        asked = [_milliseconds(lambda text=text: _ask(opened, text)) for text in texts][WARM_UP:]
        found: dict[str, Any] = {
            "load": load,
            "load_peak": load_peak,
            "memory": _resident(),
            "embedding_p50": float(np.median(alone)),
            "ask_p50": float(np.median(asked)),
            "ask_p99": float(np.percentile(asked, 99)),
            "first": [[(s.id, s.steps) for s in _ask(opened, text).shown[:1]] for text in texts[:COMPARED]],
        }
        if "--on-server" in options:
            return found | {"database": opened.file.size / MIB}
        found |= _compare_with_exact(opened.index, texts[:COMPARED])
    return found | {"publish_one": _publish_one(workspace)}


def _ask(opened: OpenIndex, text: str) -> Answer:
    """Ask the usual index: some questions look like another language, whose encoder would read the whole base first."""
    sliced = opened.by_language.sliced
    index, scored = (opened.index, None) if sliced is None else sliced.score([text])
    return ask(index, text, scored=scored)


def _compare_with_exact(index: QuestionIndex, texts: Sequence[str]) -> dict[str, float]:
    """Return in how many questions what is shown is what exact cosines of all rows show."""
    nodes, windows = index.nodes, index.chunks.vectors.vectors
    exact = replace(
        index,
        chunks=replace(index.chunks, vectors=ExactIndex(windows)),
        nodes=replace(nodes, texts=ExactIndex(nodes.vectors), raw=ExactIndex(nodes.raw_vectors)),
    )
    pairs = [([s.id for s in ask(one, text).shown[:3]] for one in (index, exact)) for text in texts]
    lists = [tuple(pair) for pair in pairs]
    return {
        "first_as_exact": float(np.mean([found[:1] == right[:1] for found, right in lists])),
        "three_as_exact": float(np.mean([found == right for found, right in lists])),
    }


def _publish_one(workspace: Path) -> float:
    """Return the seconds of publishing one changed document beside all else: the last step of a rebuild."""
    from autokb.stores.workspace import open_workspace

    file = open_workspace(workspace).open_file()
    started = time.perf_counter()
    with file.transaction():
        records = {("document", i): body for i, body in file.records("document")}
        first = min(records)
        records[first] = {**records[first], "title": f"{records[first]['title']}."}
        file.publish({key: canonical_json(body) for key, body in records.items()}, ["document"])
    file.close()
    return time.perf_counter() - started


def _milliseconds(act: Callable[[], object]) -> float:
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def _resident() -> float:
    import psutil

    return float(psutil.Process().memory_info().rss) / MIB


if __name__ == "__main__":
    print(json.dumps(_serve(Path(sys.argv[1]), *sys.argv[2:])))

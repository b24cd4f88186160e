"""The paper's study of retrievers on open data: embedder x index x threshold, recall at 1, 3, 5 and 10.

Documents and questions: paragraphs and questions of SQuAD, Office support articles and the symptoms that they describe
(each article indexed without its own symptoms), Thunderbird articles and the later 30 % of real questions, as titles
and whole. Read, chunked, embedded, indexed and searched by the product's own code, without history, nodes or the
ranker. A question of Thunderbird may have several linked articles: R@k says whether one of them is among the first k.
"""

from __future__ import annotations

import argparse
import gzip
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from autokb.app import SupportKB
from autokb.chunking.windows import Window
from autokb.core.ids import digest
from autokb.core.nouns import Chunk, Document
from autokb.core.vectors import Vectors
from autokb.llm.embedders import Embedder, multilingual
from autokb.pipeline.embedding import (
    PACKAGED,
    FreeEncoder,
    open_free_embedder,
    open_multilingual_embedder,
    read_embedder_name,
)
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.contexts import chunk_with_contexts
from autokb.plugins.lab.evaluation.retrieval.baselines import first_documents
from autokb.plugins.lab.evaluation.retrieval.experiment import measure
from autokb.plugins.lab.evaluation.retrieval.retrievers import (
    OFF_TOPIC,
    RIGHT,
    WRONG,
    EncodedQuestions,
    by_graph,
    first_cosines,
)
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.index import beginning
from autokb.retrieval.search import ChunkIndex, fused_equally, search, vectors_only, words_only
from autokb.sources import Fields
from autokb.stores.staged import staged_documents
from autokb.stores.vector_index import SCORED_BY_GRAPH, GraphIndex
from autokb.stores.workspace import Workspace
from benchmarks import thunderbird
from benchmarks.figures import Figure, Result
from benchmarks.retrieval import split
from benchmarks.running import folder, write_jsonl

METRICS = {"hit_rate@1": "R@1", "hit_rate@3": "R@3", "hit_rate@5": "R@5", "hit_rate@10": "R@10"}
BASELINE = "one_vector"
NEAREST = 10  # windows that the graph should find as the exact pass does
QUICK = 100  # questions of a data set in the short form
MOST_OFF_TOPIC = 500  # questions of clinc150, drawn evenly
# Response prediction, tables 2 (its company's questions; per cent over the worst of its encoders) and 8 (SQuAD).
PAPER = {
    "table 2, SBERT over USE": {"R@1": "+15.36 %", "R@3": "+9.42 %", "R@5": "+8.22 %"},
    "table 2, Vertex over USE": {"R@1": "+21.55 %", "R@3": "+13.87 %", "R@5": "+11.85 %"},
    "table 8, SQuAD, USE, HNSW": {"R@1": 0.4188, "R@3": 0.5946, "R@5": 0.6634, "R@10": 0.7424},
    "table 8, SQuAD, USE, ScaNN": {"R@1": 0.4282, "R@3": 0.6116, "R@5": 0.6834, "R@10": 0.7666},
    "table 8, SQuAD, SBERT, ScaNN": {"R@1": 0.685, "R@3": 0.8636, "R@5": 0.913, "R@10": 0.9584},
    "table 8, SQuAD, Vertex, ScaNN": {"R@1": 0.7156, "R@3": 0.874, "R@5": 0.908, "R@10": 0.9414},
    "figure 4, articles of relevant questions above 0.7": 0.8896,
    "figure 4, articles of other questions below 0.7": 0.9859,
}


@dataclass(frozen=True)
class Data:
    """Documents as a workspace reads them, questions by id, and the documents that are right for each."""

    name: str
    workspace: Workspace
    documents: Mapping[str, Document]
    questions: Mapping[str, str]
    relevant: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True)
class Study:
    """One data set with its questions' vectors by one encoder, searched by windows and as one vector a document."""

    data: Data
    windows: ChunkIndex
    whole: ChunkIndex
    vectors: Mapping[str, Vectors]


def run(options: argparse.Namespace) -> Result:
    """Measure every data set by every encoder that is installed."""
    figures: list[Figure] = []
    detail: dict[str, Any] = {"paper": PAPER, "encoders": {}, "not measured": {}}
    off_topic = _off_topic()
    with folder() as place:
        sets = [squad(place), office(place), *thunderbird_sets(place)]
        for label, embedder in _embedders(detail):
            detail["encoders"][label] = embedder.name
            off = embedder.embed(off_topic)
            known: dict[str, tuple[ChunkIndex, ChunkIndex]] = {}
            for data in sets:
                study = _study(data if not options.quick else _some(data), embedder, known)
                start = f"{data.name}.{label}"
                print(f"{start}: {len(study.vectors)} questions, {len(study.windows.windows)} windows", flush=True)
                figures += [Figure(f"{start}.questions", len(study.vectors)), *_recalls(study, start)]
                figures += [*_graph(study, start), *_thresholds(study, start, off)]
    _print_paper()
    return Result("retriever_study", figures, detail)


def _embedders(detail: dict[str, Any]) -> Iterator[tuple[str, Embedder]]:
    yield "MiniLM", open_free_embedder(read_embedder_name(PACKAGED))
    if multilingual.is_installed():
        yield "USE3", open_multilingual_embedder()
    else:
        detail["not measured"]["USE3"] = "the extra multilingual is not installed"
    detail["not measured"]["all-mpnet-base-v2, textembedding-gecko"] = "not at hand offline"


def _some(data: Data) -> Data:
    few = list(data.questions)[:QUICK]
    return replace(data, questions={q: data.questions[q] for q in few}, relevant={q: data.relevant[q] for q in few})


# -- data -------------------------------------------------------------------------------------------------------------


def rps_folder() -> Path:
    """Return the folder of the open data for this study (a sentence when it is not there)."""
    found = thunderbird.data_folder().parents[1] / "E_rps"
    if not found.is_dir():
        raise SystemExit("This benchmark needs ../shared/data/E_rps beside the repository.")
    return found


def read_rps(name: str) -> list[dict[str, Any]]:
    """Read the records of a file of the open data, packed or not."""
    path = rps_folder() / name
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode("utf-8")
    return [json.loads(line) for line in text.split("\n") if line]


def _documents(
    place: Path, name: str, added: Path, fields: Fields | None = None
) -> tuple[Workspace, dict[str, Document]]:
    """Read documents as ``add`` does, into a workspace of their own."""
    kb = SupportKB.create(place / name, "thunderbird")
    if skipped := kb.add([added], "documents", fields).skipped:
        print(f"{name}: {len(skipped)} not taken, first {skipped[0].path}: {skipped[0].reason}")
    with kb.workspace.file() as file:
        return kb.workspace, {document.id: document for document in staged_documents(file)}


def squad(place: Path) -> Data:
    """Return paragraphs of encyclopaedia articles and the questions that people wrote on them."""
    workspace, documents = _documents(place, "squad", rps_folder() / "squad_sample" / "docs.jsonl", Fields(id="doc_id"))
    asked = read_rps("squad_sample/questions.jsonl")
    questions = {r["query_id"]: r["question"] for r in asked}
    return Data(
        "squad", workspace, documents, questions, {r["query_id"]: dict.fromkeys(r["relevant"], 1.0) for r in asked}
    )


def office(place: Path) -> Data:
    """Return support articles without the sections of their symptoms, which ask."""
    asked = read_rps("office_support_kb/symptom_queries.jsonl")
    hidden = {d: set(r["symptom_section_indexes"]) for r in asked for d in r["relevant"]}
    articles = [
        {
            "id": a["article_id"],
            "title": a["title"],
            "sections": [s for n, s in enumerate(a["sections"]) if n not in hidden.get(a["article_id"], ())],
        }
        for a in read_rps("office_support_kb/articles.jsonl.gz")
    ]
    file = write_jsonl(place / "office.jsonl", articles)
    workspace, documents = _documents(place, "office", file, Fields(id="id", title="title", text="sections"))
    kept = [r for r in asked if any(d in documents for d in r["relevant"])]
    relevant = {r["query_id"]: dict.fromkeys(r["relevant"], 1.0) for r in kept}
    return Data("office", workspace, documents, {r["query_id"]: r["query"] for r in kept}, relevant)


def thunderbird_sets(place: Path) -> Iterator[Data]:
    """Yield the later questions with a linked article, as titles and whole."""
    workspace, documents = _documents(place, "thunderbird", thunderbird.data_folder() / "kb_wiki")
    names = {Path(i).stem: i for i in documents}
    later, _ = split(thunderbird.issues(), tuning=False)
    links = thunderbird.strict_qrels()
    relevant = {
        i["issue_id"]: {names[d]: g for d, g in links[i["issue_id"]].items() if d in names}
        for i in later
        if i["issue_id"] in links
    }
    relevant = {query: grades for query, grades in relevant.items() if grades}
    kept = [i for i in later if i["issue_id"] in relevant]
    titles = {i["issue_id"]: i["title"] for i in kept}
    yield Data("thunderbird_titles", workspace, documents, titles, relevant)
    texts = {i["issue_id"]: f"{i['title']}\n{i['text']}" for i in kept}
    yield Data("thunderbird_questions", workspace, documents, texts, relevant)


def _off_topic() -> list[str]:
    texts = sorted(
        {
            r["text"]
            for r in read_rps("clinc150/queries.jsonl.gz")
            if r["domain"] == "small_talk" or r["intent"] == "oos"
        },
        key=digest,
    )
    return texts[:MOST_OFF_TOPIC]


# -- systems ----------------------------------------------------------------------------------------------------------


def _study(data: Data, embedder: Embedder, known: dict[str, tuple[ChunkIndex, ChunkIndex]]) -> Study:
    """Index a data set by one encoder; the sets of the same documents share the index, which ``known`` holds."""
    key = data.workspace.folder.name
    if key not in known:
        ordered = [data.documents[d] for d in sorted(data.documents)]
        with data.workspace.file() as file:
            stages = Stages(file, FreeEncoder(embedder, file))
            chunks = chunk_with_contexts(stages, data.workspace, ordered)
            whole = [Chunk(d.id, d.id, d.text, ((0, len(d.text)),)) for d in ordered]
            known[key] = _index(data, chunks, stages), _index(data, whole, stages, whole=True)
    asked = {q: text for q, text in data.questions.items() if data.relevant.get(q)}
    vectors = embedder.embed([beginning(text) for text in asked.values()])
    return Study(data, *known[key], dict(zip(asked, vectors, strict=True)))


def _index(data: Data, chunks: Sequence[Chunk], stages: Stages, *, whole: bool = False) -> ChunkIndex:
    """Index documents by windows, or each as one vector of its title and the beginning that the encoder reads."""
    corpus = Corpus.of(data.documents, chunks, "en")
    if whole:
        windows = tuple(Window(c.id, c.document, *c.spans[0], c.text) for c in corpus.chunks)
        corpus = replace(corpus, windows=windows)
    return corpus.index(stages.embed(corpus.window_texts()), stages.embed(corpus.titles()))


def _systems(study: Study) -> dict[str, Callable[[str], Sequence[str]]]:
    """Return what ranks documents for a question's id."""
    windows, whole, vectors, asked = study.windows, study.whole, study.vectors, study.data.questions
    graph = by_graph(windows)
    return {
        BASELINE: lambda q: first_documents(whole, vectors_only(whole, vectors[q]).documents),
        "windows": lambda q: first_documents(windows, vectors_only(windows, vectors[q]).documents),
        "windows_hnsw": lambda q: first_documents(graph, vectors_only(graph, vectors[q]).documents),
        "bm25": lambda q: first_documents(windows, words_only(windows, asked[q]).documents),
        "fused_by_ranks": lambda q: first_documents(windows, fused_equally(windows, vectors[q], asked[q])),
        "fused": lambda q: first_documents(windows, search(windows, vectors[q], asked[q]).documents),
    }


def _recalls(study: Study, start: str) -> Iterator[Figure]:
    rankings = {name: {q: tuple(system(q)) for q in study.vectors} for name, system in _systems(study).items()}
    relevant = {q: study.data.relevant[q] for q in study.vectors}
    results = measure(rankings, relevant, metrics=tuple(METRICS), baseline=BASELINE)
    for name, system in results.systems.items():
        for metric, interval in system.metrics.items():
            yield from _with_interval(f"{start}.{name}.{METRICS[metric]}", interval.as_json())
    for difference in results.differences:
        if difference.metric == "hit_rate@1":
            yield from _with_interval(f"{start}.{difference.system} over {BASELINE}.R@1", difference.as_json())


def _with_interval(name: str, body: Mapping[str, Any]) -> Iterator[Figure]:
    yield Figure(name, body["value"])
    yield Figure(f"{name}.low", body["low"])
    yield Figure(f"{name}.high", body["high"])


def _graph(study: Study, start: str) -> Iterator[Figure]:
    """Compare the graph with the exact pass: what of the nearest windows it finds, and how long each takes."""
    exact = study.windows.vectors
    began = time.perf_counter()
    graph = GraphIndex.of(exact.vectors)
    yield Figure(f"{start}.windows", len(exact.vectors))
    yield Figure(f"{start}.hnsw.making", time.perf_counter() - began, "s")
    seconds: dict[str, list[float]] = {"exact": [], "hnsw": []}
    found = []
    for vector in study.vectors.values():
        rows = []
        for name, index in (("exact", exact), ("hnsw", graph)):
            began = time.perf_counter()
            scores = index.scores(vector)
            seconds[name].append(time.perf_counter() - began)
            rows.append(set(np.argsort(-scores, kind="stable")[:NEAREST].tolist()))
        found.append(len(rows[0] & rows[1]) / len(rows[0]))
    yield Figure(f"{start}.hnsw.recall_of_exact@{NEAREST}", float(np.mean(found)))
    yield Figure(f"{start}.hnsw.rescored_windows", min(SCORED_BY_GRAPH, len(exact.vectors)))
    for name, each in seconds.items():
        yield Figure(f"{start}.{name}.p50", float(np.median(each)) * 1000, "ms")


def _thresholds(study: Study, start: str, off_topic: Vectors) -> Iterator[Figure]:
    """Say what share of first documents has a cosine of at least each threshold: right, wrong, and of other matters."""
    relevant = {query: study.data.relevant[query] for query in study.vectors}
    cosines = first_cosines(EncodedQuestions(study.windows, study.vectors, off_topic), relevant)
    for kind in (RIGHT, WRONG, OFF_TOPIC):
        counted = cosines[kind]
        yield Figure(f"{start}.first_{kind}", counted.n)
        for threshold, above in counted.at_least.items():
            yield Figure(f"{start}.first_{kind}.at_least_{threshold}", above.value)


def _print_paper() -> None:
    print("The paper's, of its own data and encoders (other paragraphs of SQuAD, 768 or 512 dimensions):")
    for name, values in PAPER.items():
        print(f"  {name}: {values}")

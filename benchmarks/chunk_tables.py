"""Tables 2, 3 and 4 of the AutoChunker paper for documents of one's own, with any model.

    python -m benchmarks.chunk_tables --model openai:NAME --ledger judged.db PATH...

Each PATH is one domain, as Support and Wikipedia are in the paper. The model answers every task, the chunkers' too;
with ``--judge`` instead it only judges, and chunkers are answered offline. Without a model nothing is judged, and only
table 4 has figures. Settings are those of the environment (AUTOKB_BASE_URL, keys). The prompts are worded by us, and
sizes are in characters where the paper counts tokens.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autokb.pipeline.model_session import ModelOptions
from autokb.plugins.lab.evaluation.report import Table, interval_text, number_text, terminal_tables
from autokb.plugins.lab.studies.evaluate_chunking import ChunkEvaluation, evaluate_chunking
from benchmarks.figures import Figure, Result, write

METHODS = ("recursive", "headings", "fixed", "semantic", "llm_semantic", "lumber_chunker", "auto_chunker")
TENETS = {
    "noise": "noise (low)",
    "completeness": "complete (high)",
    "context_switch": "context switch (low)",
    "task_relevance": "task relevance (high)",
}
DEPTHS = (1, 3, 5)
CONTEXT = "+context"
OURS = "auto_chunker"
SPENT = ("calls", "cached", "tokens", "cost")


def run(options: argparse.Namespace) -> Result:
    """Evaluate every domain and print the tables; of the options those of ``main`` are read where they are there."""
    paths = [Path(path) for path in getattr(options, "paths", ())]
    if not paths:
        raise SystemExit("Name documents: python -m benchmarks.chunk_tables --model openai:NAME PATH...")
    wanted = ChunkEvaluation(
        methods=tuple(name for name in getattr(options, "methods", "").split(",") if name) or METHODS,
        model=getattr(options, "model", ""),
        judge=getattr(options, "judge", ""),
        sample=getattr(options, "sample", 100),
        ledger=getattr(options, "ledger", None),
    )
    asking = ModelOptions(budget=getattr(options, "budget", None))
    answers = {path.name: evaluate_chunking([path], wanted, options=asking).as_json() for path in paths}
    show([table_2(answers), table_3(answers), table_4(answers)])
    spent = {domain: {name: answer[name] for name in SPENT} for domain, answer in answers.items()}
    detail = {domain: answer["methods"] for domain, answer in answers.items()}
    return Result("chunk_tables", list(figures(answers)), {"spent": spent, **detail})


def table_2(answers: Mapping[str, Any]) -> Table:
    """Noise, completeness, context switch and task relevance."""
    rows = [
        (domain, (method, *(_judged(body["tenets"].get(tenet)) for tenet in TENETS)))
        for domain, method, body in _bodies(answers)
    ]
    return Table.of("Table 2: shares of chunks, by a judge", rows, ("method", *TENETS.values()), corner="domain")


def table_3(answers: Mapping[str, Any]) -> Table:
    """Weighted precision, and that of context-aware retrieval (CAR) for the method whose tree is its own."""
    rows = []
    for domain, method, body in _bodies(answers):
        for name, suffix in ((method, ""), (f"{method} + CAR", CONTEXT)):
            found = [body["tenets"].get(f"wp@{k}{suffix}") for k in DEPTHS]
            if not suffix or (method == OURS and any(found)):
                rows.append((domain, (name, *map(_judged, found))))
    return Table.of("Table 3: weighted precision", rows, ("method", *(f"WP@{k}" for k in DEPTHS)), corner="domain")


def table_4(answers: Mapping[str, Any]) -> Table:
    """Time a document, sizes in characters, chunks a document."""
    rows = [
        (
            domain,
            (
                method,
                f"{body['seconds'] / answers[domain]['documents']:.3f}",
                *(number_text(body["size"][name]) for name in ("mean", "p50", "p90")),
                f"{body['chunks'] / answers[domain]['documents']:.1f}",
            ),
        )
        for domain, method, body in _bodies(answers)
    ]
    columns = ("method", "seconds a document", "mean characters", "p50", "p90", "chunks a document")
    return Table.of("Table 4: time and sizes", rows, columns, corner="domain")


def _bodies(answers: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    for domain, answer in answers.items():
        for method, body in answer["methods"].items():
            yield domain, method, body


def _judged(found: Mapping[str, Any] | None) -> str:
    if not found or (found["value"] is None and not found["unreadable"]):
        return "not judged"
    return interval_text(found) + (f", {found['unreadable']} unreadable" if found["unreadable"] else "")


def figures(answers: Mapping[str, Any]) -> Iterator[Figure]:
    """Give every judged share; what was not judged has no figure."""
    for domain, method, body in _bodies(answers):
        for name, found in body["tenets"].items():
            if found["value"] is not None:
                yield Figure(f"{domain}.{method}.{name}", found["value"])


def show(tables: Sequence[Table]) -> None:
    """Print the tables."""
    from rich.console import Console

    for table in terminal_tables(tables):
        Console(width=150, markup=False).print(table)


def main() -> None:
    """Read the words of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.chunk_tables",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="a folder or file: one domain")
    parser.add_argument("--model", default="", help="answers every task, for example openai:NAME")
    parser.add_argument("--judge", default="", help="only judges and makes questions")
    parser.add_argument("--methods", default="", help="only these, with commas between")
    parser.add_argument("--sample", type=int, default=100, help="chunks of a method that are judged at most")
    parser.add_argument("--ledger", type=Path, default=None, help="keep there what a model was paid for")
    parser.add_argument("--budget", type=float, default=None, help="ask models for no more than this (USD)")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    options = parser.parse_args()
    print(f"Written to {write(run(options), keep=options.store)}")


if __name__ == "__main__":
    main()

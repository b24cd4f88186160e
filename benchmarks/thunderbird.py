"""The real Thunderbird support data as autokb takes it: questions with what resolved them, articles, judgements."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.running import Ran, autokb, write_jsonl

Issue = dict[str, Any]
FIELDS = ("--text-field", "text", "--title-field", "title", "--id-field", "issue_id", "--date-field", "created")
RESOLVED = ("--resolved-by-field", "gold_kb[].slug")


def data_folder() -> Path:
    """Return the folder of the data, which lies beside the repository (a sentence when it does not)."""
    found = Path(__file__).resolve().parents[2] / "shared" / "data" / "A_troubleshooting" / "thunderbird"
    if not found.is_dir():
        raise SystemExit("This benchmark needs ../shared/data/A_troubleshooting/thunderbird beside the repository.")
    return found


def issues(name: str = "raw_issues") -> list[Issue]:
    """Read questions in the order of time, without answers (they hold the links) and without boilerplate links."""
    with gzip.open(data_folder() / f"{name}.jsonl.gz", "rt", encoding="utf-8", newline="\n") as file:
        read = [json.loads(line) for line in file]
    kept = [_kept(r) for r in read]
    return sorted(kept, key=lambda r: (r["created"], r["issue_id"]))


def _kept(record: Issue) -> Issue:
    kept = {name: record.get(name) or "" for name in ("issue_id", "title", "text", "created")}
    links = [{"slug": link["slug"]} for link in record.get("gold_kb", ()) if not link["boilerplate"]]
    return {**kept, "gold_kb": links}


def strict_qrels() -> dict[str, dict[str, float]]:
    """Return the human links by question, boilerplate left out."""
    found: dict[str, dict[str, float]] = {}
    lines = (data_folder() / "qrels_strict.tsv").read_text(encoding="utf-8").split("\n")
    for line in lines[1:]:
        if line.strip():
            query, document, grade = line.split("\t")
            found.setdefault(query, {})[document] = float(grade)
    return found


def write_test(target: Path, asked: Sequence[Issue]) -> tuple[Path, Path]:
    """Write the questions and their links as ``evaluate retrieval`` takes them."""
    texts = [{"id": i["issue_id"], "text": f"{i['title']}\n{i['text']}"} for i in asked]
    queries = write_jsonl(target / "queries.jsonl", texts)
    links = strict_qrels()
    rows = [f"{i['issue_id']}\t{d}\t{g:g}" for i in asked for d, g in sorted(links.get(i["issue_id"], {}).items())]
    qrels = target / "qrels.tsv"
    qrels.write_text("query-id\tcorpus-id\tscore\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return queries, qrels


def stage(workspace: Path, history: Iterable[Issue], *more: Iterable[Issue]) -> Path:
    """Make a workspace with a copy of the articles and the questions; returns the folder of the articles."""
    articles = workspace.parent / f"{workspace.name}-articles"
    shutil.copytree(data_folder() / "kb_wiki", articles)
    autokb("init", workspace, "--domain", "thunderbird")
    autokb("add", workspace, articles)
    for number, part in enumerate((history, *more)):
        file = write_jsonl(workspace.parent / f"{workspace.name}-issues-{number}.jsonl", list(part))
        autokb("add", workspace, file, "--as", "issues", *FIELDS, *RESOLVED)
    return articles


def build(workspace: Path) -> Ran:
    """Build, and say so when an item failed: a figure of half a knowledge base is none."""
    ran = autokb("build", workspace)
    if ran.answer["failures"]:
        print(f"Failures in the build: {len(ran.answer['failures'])}, first {ran.answer['failures'][0]}")
    return ran

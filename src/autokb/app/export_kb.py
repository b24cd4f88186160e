"""The whole knowledge base as a file: JSONL holds everything, Markdown and CSV are for people."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from autokb.core.errors import AutokbError, BadInputError
from autokb.core.forest import Forest
from autokb.core.ids import canonical_json
from autokb.core.nouns import Issue, KnowledgeBase, Solution
from autokb.core.results import Exported
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace
from autokb.text.inert_markdown import escape_tags, masked, unmasked
from autokb.text.spreadsheet_cells import guarded, unguarded

__all__ = ["export_kb", "guarded", "markdown", "masked", "unguarded", "unmasked"]

SUFFIXES = {".jsonl": "JSONL", ".md": "Markdown", ".csv": "CSV"}
CSV_COLUMNS = ("solution_id", "issue_id", "issue", "attributes", "status", "reason", "text", "sources")


def export_kb(workspace: Workspace, target: Path) -> Exported:
    """Write the published knowledge base to a file, whose suffix chooses the format.

    The file appears whole or not at all.
    """
    kind = target.suffix.lower()
    if kind not in SUFFIXES:
        raise BadInputError(f"{target.name}: the suffix chooses the format; use one of {', '.join(SUFFIXES)}.")
    with workspace.file() as file:
        if kind == ".jsonl":
            lines = list(_jsonl(file.lines()))
            _write(target, "".join(lines))
            return Exported(str(target), lines=len(lines))
        kb = read_published(file).kb
    _write(target, markdown(kb) if kind == ".md" else _csv(kb))
    return Exported(str(target), solutions=len(kb.solutions))


def _write(target: Path, text: str) -> None:
    partial = target.with_name(target.name + ".partial")
    try:
        partial.write_text(text, encoding="utf-8", newline="")
        partial.replace(target)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise AutokbError(f"{target} cannot be written ({error.strerror}); nothing was exported.") from error


def _jsonl(lines: Iterator[tuple[str, str, str]]) -> Iterator[str]:
    for kind, record_id, body in lines:
        yield canonical_json({**json.loads(body), "kind": kind, "id": record_id}) + "\n"


def trees(kb: KnowledgeBase) -> Iterator[tuple[Issue, list[Issue]]]:
    """Yield each parent with all that is below it, both in the order of their texts."""
    forest = Forest(kb.issues.values())
    for parent in sorted(forest.roots, key=_by_text):
        yield parent, sorted((node for node in forest.subtree(parent.id) if node is not parent), key=_by_text)


def _by_text(issue: Issue) -> tuple[str, str]:
    return issue.text.casefold(), issue.id


def solutions_by_issue(kb: KnowledgeBase) -> dict[str, list[Solution]]:
    """Group the solutions by their node, ordered by id."""
    grouped: dict[str, list[Solution]] = {}
    for solution in sorted(kb.solutions.values(), key=lambda s: s.id):
        grouped.setdefault(solution.issue_id, []).append(solution)
    return grouped


def attribute_words(issue: Issue | Solution) -> str:
    """Return the attributes that say something: ``os: Windows; app: Desktop``."""
    said = ((n, v) for n, v in sorted(issue.attributes.items()) if v != {"Any"})
    return "; ".join(f"{name}: {', '.join(sorted(values))}" for name, values in said)


def markdown(kb: KnowledgeBase) -> str:
    """Return the knowledge base as Markdown whose marks say which text belongs to which solution."""
    out = [
        "# Knowledge base",
        "",
        "Edit the text under a solution mark and import the file; the marks tell which is which.",
        "",
    ]
    solutions = solutions_by_issue(kb)
    for parent, children in trees(kb):
        for issue in (parent, *children):
            out += [f"{'##' if issue is parent else '###'} {masked(' '.join(issue.text.split()))}", ""]
            if words := " ".join(attribute_words(issue).split()):
                out += [f"*{masked(words)}*", ""]
            for solution in solutions.get(issue.id, []):
                out += [
                    f"<!-- solution {escape_tags(solution.id)} ({solution.status}) -->",
                    "",
                    masked(solution.text),
                    "",
                    "<!-- end -->",
                    "",
                ]
    return "\n".join(out)


def _csv(kb: KnowledgeBase) -> str:
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(CSV_COLUMNS)
    for row in csv_rows(kb):
        writer.writerow([guarded(cell) for cell in row])
    return stream.getvalue()


def csv_rows(kb: KnowledgeBase) -> Iterator[tuple[str, ...]]:
    """Yield one row a solution, in the order of the trees; the cells are those of ``CSV_COLUMNS``."""
    solutions = solutions_by_issue(kb)
    for parent, children in trees(kb):
        for issue in (parent, *children):
            for s in solutions.get(issue.id, []):
                sources = "; ".join(dict.fromkeys(e.document for e in s.evidence))
                yield (s.id, issue.id, issue.text, attribute_words(issue), s.status, s.reason, s.text, sources)

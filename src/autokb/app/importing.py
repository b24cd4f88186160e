"""Taking a knowledge base in: JSONL whole, edited solution texts from Markdown and CSV."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from autokb.app.edits import edit_body, new_edit
from autokb.app.embedding import open_embedder
from autokb.app.exporting import SUFFIXES, unguarded, unmasked
from autokb.app.index import load_index
from autokb.app.lines import KINDS, check_line, check_references, mend_document
from autokb.app.published import read_published
from autokb.app.stages import Progress, silent
from autokb.app.workspace import DOMAIN_FILE, Workspace, open_workspace, parse_yaml
from autokb.errors import BadInputError
from autokb.knowledge.domain import read_domain
from autokb.knowledge.ids import canonical_json
from autokb.knowledge.nouns import Skipped
from autokb.stores.knowledge_file import KnowledgeFile, Staged

MARK = re.compile(r"^<!-- solution (\S+) \([a-z]+\) -->\n(.*?)^<!-- end -->$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Imported:
    """What one import took, and what it did not take."""

    taken: int
    unchanged: int
    skipped: tuple[Skipped, ...]

    def as_json(self) -> dict[str, Any]:
        """Return the answer of the command."""
        return {
            "taken": self.taken,
            "unchanged": self.unchanged,
            "skipped": [{"path": s.path, "reason": s.reason} for s in self.skipped],
        }


def import_file(
    workspace: Workspace, source: Path, *, today: str | None = None, progress: Progress = silent
) -> Imported:
    """Import a file that ``export`` wrote; the suffix tells its format (BadInputError when it is none of ours)."""
    kind = source.suffix.lower()
    if kind not in SUFFIXES:
        raise BadInputError(f"{source.name}: import takes {', '.join(SUFFIXES)}, as export writes them.")
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{source} cannot be read ({error.strerror}).") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{source} is not UTF-8 text ({error.reason} at byte {error.start}).") from error
    if kind == ".jsonl":
        return _import_jsonl(workspace, text, progress)
    edited = _markdown_texts(text) if kind == ".md" else _csv_texts(text)
    return _import_texts(workspace, source.name, edited, today or date.today().isoformat())


# -- JSONL ----------------------------------------------------------------------------------------------------


def _import_jsonl(workspace: Workspace, text: str, progress: Progress) -> Imported:
    lines, skipped = _read_lines(text)
    if not lines:
        raise BadInputError(
            "The file holds no line of a knowledge base; export one with: autokb export WORKSPACE kb.jsonl"
        )
    skipped += check_references(lines)
    for key in [k for k in lines if k[0] == "document"]:
        lines[key] = mend_document(key[1], lines[key], workspace.settings)
    workspace = _take_domain(workspace, lines)
    edits = {k[1]: lines.pop(k) for k in [k for k in lines if k[0] == "edit"]}
    with workspace.build_lock(), workspace.file() as file:
        with file.transaction():
            changed = file.publish({k: canonical_json(b) for k, b in lines.items()}, [k for k in KINDS if k != "edit"])
            for edit_id, body in edits.items():
                file.keep_edit(edit_id, body)
            _stage_sources(file, lines)
        _embed(workspace, file, progress)
    return Imported(len(lines) + len(edits), len(lines) - min(changed, len(lines)), tuple(skipped))


def _embed(workspace: Workspace, file: KnowledgeFile, progress: Progress) -> None:
    """Embed what was imported now, so that the first question does not wait for it."""
    published = read_published(file)
    if published.kb.documents or published.kb.issues:
        load_index(published, workspace.spec, open_embedder(workspace.settings.embedder), file, progress)


def _read_lines(text: str) -> tuple[dict[tuple[str, str], dict[str, Any]], list[Skipped]]:
    lines: dict[tuple[str, str], dict[str, Any]] = {}
    skipped = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            body = json.loads(line)
            check_line(body)
        except (ValueError, RecursionError) as error:
            skipped.append(Skipped(f"line {number}", str(error)))
            continue
        key = (str(body.pop("kind")), str(body.pop("id")))
        if key in lines:
            skipped.append(Skipped(f"line {number}", f"{key[0]} {key[1]!r} stands in an earlier line already"))
        else:
            lines[key] = body
    return lines, skipped


def _take_domain(workspace: Workspace, lines: Mapping[tuple[str, str], Mapping[str, Any]]) -> Workspace:
    """Write the exported domain specification where the workspace has not built anything with its own yet."""
    text = lines.get(("setting", "domain"), {}).get("yaml")
    if not isinstance(text, str):
        return workspace
    spec = read_domain(parse_yaml(text, "the domain in the file"))
    with workspace.file() as file:
        built = next(file.records("issue"), None) is not None
    if built or spec == workspace.spec:
        return workspace
    domain = workspace.folder / DOMAIN_FILE
    domain.replace(domain.with_suffix(".yaml.before-import"))
    domain.write_text(text, encoding="utf-8")
    return open_workspace(workspace.folder)


def _stage_sources(file: KnowledgeFile, lines: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """Make the sources of the file those of the next build; what was added before keeps its place."""
    for kind, line_kind, names in (
        ("documents", "document", ("title", "text", "url")),
        ("issues", "raw_issue", ("text", "title", "date", "resolved_by")),
    ):
        known = {s.id: s for s in file.staged(kind)}
        new = []
        for (found, source_id), body in lines.items():
            if found == line_kind:
                place = known.get(source_id)
                kept = {n: body.get(n, [] if n == "resolved_by" else "") for n in names}
                new.append(Staged(source_id, place.root if place else "", place.relative if place else "", kept))
        file.stage(kind, new)


# -- Markdown and CSV ------------------------------------------------------------------------------------------


def _markdown_texts(text: str) -> Iterator[tuple[str, str]]:
    for found in MARK.finditer(text.replace("\r\n", "\n")):
        yield found.group(1), unmasked(found.group(2).strip())


def _csv_texts(text: str) -> Iterator[tuple[str, str]]:
    csv.field_size_limit(10_000_000)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    if not {"solution_id", "text"} <= set(reader.fieldnames or ()):
        raise BadInputError("The CSV needs the columns solution_id and text, as export writes them.")
    for row in reader:
        yield unguarded(row["solution_id"] or "").strip(), unguarded(row["text"] or "").replace("\r\n", "\n").strip()


def _import_texts(workspace: Workspace, name: str, texts: Iterator[tuple[str, str]], today: str) -> Imported:
    taken, unchanged, skipped = 0, 0, []
    with workspace.file() as file:
        solutions = read_published(file).kb.solutions
        edits = []
        for solution_id, text in texts:
            solution = solutions.get(solution_id)
            if solution is None:
                skipped.append(
                    Skipped(f"{name}: {solution_id or 'a row'}", "no solution has this id; it was not taken")
                )
            elif not text:
                skipped.append(Skipped(f"{name}: {solution_id}", "its text is empty; to hide a solution, reject it"))
            elif text == solution.text.strip():
                unchanged += 1
            else:
                edits.append(new_edit(solution_id, text, (), "import", today))
                taken += 1
        with file.transaction():
            for edit in edits:
                file.keep_edit(edit.id, edit_body(edit))
    return Imported(taken, unchanged, tuple(skipped))

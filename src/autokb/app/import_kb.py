"""Taking a knowledge base in: JSONL whole, edited solution texts from Markdown and CSV."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autokb.app.ask import embed_published
from autokb.app.edited_exports import EditedTexts, read_csv, read_markdown, same_text
from autokb.app.export_kb import SUFFIXES
from autokb.app.jsonl_schema import KINDS, check_line
from autokb.app.referential_integrity import Lines, check_references, complete_issues, mend_documents
from autokb.core.domain import read_domain
from autokb.core.edit_overlay import new_edit
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import canonical_json
from autokb.core.nouns import Edit, Skipped
from autokb.core.progress import Progress, silent
from autokb.core.results import Imported
from autokb.core.yaml_text import parse_yaml
from autokb.stores.codecs import built_mark, edit_body
from autokb.stores.published import Published, read_published
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile


def import_file(workspace: Workspace, source: Path, *, now: str | None = None, progress: Progress = silent) -> Imported:
    """Import a file that ``export`` wrote; the suffix tells its format (BadInputError when it is none of ours).

    ``now`` is the date of the edits that are found, as ISO 8601.
    """
    kind = source.suffix.lower()
    if kind not in SUFFIXES:
        raise BadInputError(f"{source.name}: import takes {', '.join(SUFFIXES)}, as export writes them.")
    try:
        text = source.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(
            f"{source} cannot be read ({error.strerror}); check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{source} is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8."
        ) from error
    moment = now or datetime.now(UTC).isoformat(timespec="seconds")
    if kind == ".jsonl":
        return _import_jsonl(workspace, text, moment, progress)
    with workspace.file() as file:
        published = read_published(file)
        read = read_markdown if kind == ".md" else read_csv
        edited = read(text, source.name, published.kb)
        return _import_texts(file, published, source.name, edited, moment)


# -- JSONL ----------------------------------------------------------------------------------------------------


def _import_jsonl(workspace: Workspace, text: str, now: str, progress: Progress) -> Imported:
    lines, skipped = _read_lines(text)
    if not lines:
        why = f" ({skipped[0].path}: {skipped[0].reason})" if skipped else ""
        raise BadInputError(
            f"The file holds no line of a knowledge base{why}; export one with: autokb export WORKSPACE kb.jsonl"
        )
    skipped += check_references(lines)
    complete_issues(lines)
    mend_documents(lines, workspace.settings)
    lines |= _edits_in(lines, now)
    with workspace.build_lock(), workspace.file() as file:
        fresh = next(file.records("issue"), None) is None
        with file.transaction():
            unchanged = _publish(file, lines)
            _stage_sources(file, lines)
            if fresh:
                _take_domain(workspace, lines)
        embed_published(workspace, file, progress)
    return Imported(len(lines) - unchanged, unchanged, tuple(skipped))


def _edits_in(lines: Lines, now: str) -> Lines:
    """Return an edit for every solution line that a person changed, so that it survives the next build."""
    edits: Lines = {}
    for (kind, solution_id), body in lines.items():
        if kind == "solution" and "built" in body:
            mark = built_mark(body["text"], body["steps"])
            if body["built"] != mark:
                body["built"] = mark
                edit = new_edit(solution_id, body["text"], body["steps"], "import", now)
                edits["edit", edit.id] = edit_body(edit)
    return edits


def _publish(file: WorkspaceFile, lines: Lines) -> int:
    """Make the lines what is published, hand edits beside those that are there; returns how many were there already."""
    bodies = {key: canonical_json(body) for key, body in lines.items()}
    unchanged = sum(bodies.get((kind, i)) == body for kind, i, body in file.lines())
    file.publish({k: b for k, b in bodies.items() if k[0] != "edit"}, [k for k in KINDS if k != "edit"])
    for (kind, edit_id), body in lines.items():
        if kind == "edit":
            file.keep_edit(edit_id, body)
    return unchanged


def _read_lines(text: str) -> tuple[Lines, list[Skipped]]:
    lines: Lines = {}
    skipped = []
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            body = _parsed(line)
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


def _parsed(line: str) -> Any:
    try:
        return json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"it is no valid JSON ({error})") from error


def _no_number(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def _take_domain(workspace: Workspace, lines: Lines) -> None:
    """Write the exported domain specification where the workspace has not built anything with its own yet."""
    text = lines.get(("setting", "domain"), {}).get("yaml")
    if not isinstance(text, str) or read_domain(parse_yaml(text, DOMAIN_FILE)) == workspace.spec:
        return
    domain = workspace.folder / DOMAIN_FILE
    partial = domain.with_suffix(".yaml.partial")
    try:
        domain.with_suffix(".yaml.before-import").write_bytes(domain.read_bytes())
        partial.write_text(text, encoding="utf-8")
        partial.replace(domain)
    except OSError as error:
        raise AutokbError(f"{domain} cannot be written ({error.strerror}); nothing was imported.") from error


def _stage_sources(file: WorkspaceFile, lines: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
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
                kept = {n: body.get(n) or ([] if n == "resolved_by" else "") for n in names}
                new.append(Staged(source_id, place.root if place else "", place.relative if place else "", kept))
        file.stage(kind, new)


# -- Markdown and CSV ------------------------------------------------------------------------------------------


def _import_texts(file: WorkspaceFile, published: Published, name: str, edited: EditedTexts, now: str) -> Imported:
    solutions = published.kb.solutions
    skipped = list(edited.skipped)
    edits: list[Edit] = []
    unchanged = 0
    for solution_id, text in edited.texts.items():
        solution = solutions.get(solution_id)
        if solution is None:
            where = f"{name}: {solution_id or 'a row'}"
            skipped.append(Skipped(where, "no solution has this id; it was not taken"))
        elif not text:
            skipped.append(Skipped(f"{name}: {solution_id}", "its text is empty; to hide a solution, reject it"))
        elif text == same_text(solution.text):
            unchanged += 1
        else:
            edits.append(new_edit(solution_id, text, (), "import", _moment(published.edits, solution_id, now)))
    if missing := len(solutions.keys() - edited.texts.keys()):
        skipped.append(Skipped(name, f"{missing} solutions are not in the file; they stay as they are"))
    if edits:
        with file.transaction():
            keep_edits(file, published.edits, edits)
    return Imported(len(edits), unchanged, tuple(skipped))


def _moment(edits: tuple[Edit, ...], solution_id: str, now: str) -> str:
    """Return the date of an edit made now: never before an earlier edit of the solution, which it must win over."""
    return max([now, *(e.date for e in edits if e.solution_id == solution_id)])


def keep_edits(file: WorkspaceFile, old: tuple[Edit, ...], new: list[Edit]) -> None:
    """Store new edits; one replaces those of its solution that have the same date, for dates say which is the last."""
    moments = {(e.solution_id, e.date) for e in new}
    file.drop_edits(e.id for e in old if (e.solution_id, e.date) in moments)
    for edit in new:
        file.keep_edit(edit.id, edit_body(edit))

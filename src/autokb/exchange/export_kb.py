"""The whole knowledge base as a file: JSONL holds everything, Markdown and CSV are for people."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

from autokb.core.decisions import write_solution
from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.forest import Forest
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import Decision, Issue, KnowledgeBase, Solution
from autokb.core.plugins import PluginError, call, installed, plugins
from autokb.core.results import Exported
from autokb.stores.chats import CONVERSATION_CODEC, staged_conversations
from autokb.stores.codecs import Body, decision_body, solution_body, with_marks
from autokb.stores.database import damaged_rows
from autokb.stores.published import read_decided, read_decisions, read_published
from autokb.stores.ticket_answers import ACCEPTED, KIND, read_accepted
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

SUFFIXES = (".jsonl", ".md", ".csv")  # those of plug-ins come behind
CSV_COLUMNS = ("solution_id", "issue_id", "issue", "attributes", "status", "reason", "text", "sources", "checksum")
NOTHING_EXPORTED = "; nothing was exported"


def export_kb(workspace: Workspace, target: Path) -> Exported:
    """Write the published knowledge base to a file, whose suffix chooses the format.

    The file appears whole or not at all.
    """
    kind = target.suffix.lower()
    if kind not in SUFFIXES and (name := plugins().exports.get(kind)):
        if not isinstance(written := call(name, installed(name).exports[kind], workspace, target), Exported):
            raise PluginError(f"The plug-in {name}: what it returns of {kind} files is no Exported.")
        return written
    if kind not in SUFFIXES:
        raise BadInputError(f"{target.name}: the suffix chooses the format; use one of {', '.join(suffixes())}.")
    with workspace.file() as file:
        if kind == ".jsonl":
            with file.snapshot(), damaged_rows("record"):
                lines = [canonical_json(line) + "\n" for line in export_lines(file)]
            write_file(target, "".join(lines), NOTHING_EXPORTED)
            return Exported(str(target), lines=len(lines))
        kb = read_published(file).kb
    write_file(target, markdown(kb) if kind == ".md" else _csv(kb), NOTHING_EXPORTED)
    return Exported(str(target), solutions=len(kb.solutions))


def suffixes() -> tuple[str, ...]:
    """Return the suffixes of all formats."""
    return (*SUFFIXES, *plugins().exports)


# Complex: the lines of people's decisions and the statuses that they changed come from one fold of the log.
def export_lines(file: WorkspaceFile) -> list[Body]:
    """Return every line of the JSONL, ordered by kind and id.

    A solution's line holds the text as it was built and the status that people gave it; where they gave it another,
    ``built_status`` and ``built_reason`` are those of the build. A decision, an accepted answer or feedback is no line
    once it was taken back; of feedback private data are masked.
    """
    from autokb.exchange.import_feedback import feedback_lines  # pages and lists of this file's trees need none of it
    from autokb.exchange.ticket_lines import ticket_lines

    lines: list[Body] = [{**json.loads(body), "kind": kind, "id": i} for kind, i, body in file.lines()]
    lines = [with_marks(line) if line["kind"] == "solution" else line for line in lines]
    answers = ({**ACCEPTED.body(one), "kind": KIND, "id": one.id} for one in read_accepted(file))
    lines = [*lines, *chat_lines(file), *ticket_lines(file), *answers, *feedback_lines(file)]
    lines.sort(key=lambda line: (line["kind"], line["id"]))
    decisions = read_decisions(file)
    if not decisions.log:
        return lines
    decided = read_decided(file)
    for one in decisions.log:
        if one.kind == "written":
            lines.append(_hand_written_line(one, decided.base.get(one.id)))
        elif not one.undone:
            lines.append({**decision_body(one), "kind": one.kind, "id": one.id})
    for line in lines:
        if line["kind"] == "solution" and (solution := decided.solutions.get(line["id"])) is not None:
            shown = {"status": solution.status, "reason": solution.reason}
            if shown != {name: line[name] for name in shown}:
                line.update({"built_status": line["status"], "built_reason": line["reason"]}, **shown)
    return sorted(lines, key=lambda line: (line["kind"], line["id"]))


def chat_lines(file: WorkspaceFile) -> list[Body]:
    """Return a line for each conversation as it was added: no build makes anything of them."""
    return [{**CONVERSATION_CODEC.body(one), "kind": "chat", "id": one.id} for one in staged_conversations(file)]


def _hand_written_line(one: Decision, solution: Solution | None) -> Body:
    """Return a solution by hand as a solution's line; ``solution`` is None where its node is gone."""
    solution = solution or write_solution(one, one.issue_id)
    body = decision_body(one)
    by_hand = {name: body.get(name, "") for name in ("author", "date", "number", "issue_id", "tree")}
    by_hand |= {"problem": one.origin.problem} if one.origin.problem else {}
    return {**solution_body(solution), "by_hand": by_hand, "kind": "solution", "id": one.id}


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
    from autokb.text.inert_markdown import escape_tags, masked  # some milliseconds, and other exports need none of it

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
                    f"<!-- solution {escape_tags(solution.id)} ({solution.status}) {checksum(solution.text)} -->",
                    "",
                    masked(solution.text),
                    "",
                    "<!-- end -->",
                    "",
                ]
    return "\n".join(out)


def _csv(kb: KnowledgeBase) -> str:
    from autokb.text.spreadsheet_cells import guarded

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
                words = attribute_words(issue)
                yield (s.id, issue.id, issue.text, words, s.status, s.reason, s.text, sources, checksum(s.text))


def same_text(text: str) -> str:
    """Return a text without what editors change by themselves: line ends, spaces at the end of a line, blank ends."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return "\n".join(line.rstrip() for line in lines).strip()


def checksum(text: str) -> str:
    """Return 16 hexadecimal digits by which an import knows whether a person edited the text in this file."""
    return digest(same_text(text))[:16]

"""Taking a file in: what people decided into a workspace that holds something, a JSONL whole into an empty one."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from autokb.core.decisions import Decisions, apply_decisions, number_new, update_decisions
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.files import read_regular_file, replace_private
from autokb.core.ids import canonical_json
from autokb.core.nouns import Decision, Skipped
from autokb.core.plugins import of_ours
from autokb.core.progress import Progress, silent
from autokb.core.review_policy import ReviewPolicy
from autokb.core.yaml_text import parse_yaml
from autokb.exchange.edited_exports import read_csv, read_markdown
from autokb.exchange.export_kb import chat_lines, suffixes
from autokb.exchange.import_decisions import (
    FileDecisions,
    Taken,
    check_edit,
    separate_decisions,
    take_decisions,
    take_texts,
    withheld_by_rules,
)
from autokb.exchange.import_feedback import put_feedback, separate_feedback, take_feedback
from autokb.exchange.imported import Imported
from autokb.exchange.jsonl_schema import KINDS, Lines, lines_of, order_in_file, read_lines, take_out
from autokb.exchange.referential_integrity import check_references, complete_issues, mend_documents
from autokb.exchange.ticket_lines import ticket_lines
from autokb.pipeline.open_index import embed_published
from autokb.stores.chats import CONVERSATION_CODEC
from autokb.stores.codecs import DOCUMENT, ISSUE, RAW_ISSUE, SOLUTION, Codec, N
from autokb.stores.feedback import KIND as FEEDBACK
from autokb.stores.feedback import feedback_ids
from autokb.stores.published import (
    REVIEW,
    Published,
    drop_changes,
    keep_decisions,
    read_decisions,
    read_published,
)
from autokb.stores.staged import STAGED_KINDS
from autokb.stores.ticket_answers import (
    ACCEPTED,
    AcceptedAnswer,
    clean_question,
    keep_accepted,
    read_accepted,
    read_taken_back,
)
from autokb.stores.ticket_answers import KIND as ACCEPTED_KIND
from autokb.stores.ticket_tables import TICKETS_SETTING, has_tickets
from autokb.stores.versions import Made
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.stores.workspace_file import Staged, WorkspaceFile
from autokb.text.control_characters import printable_name

MOST_COUNTED = 10**12  # a larger number in a file is no count of decisions


def separate_answers(lines: Lines) -> list[AcceptedAnswer]:
    """Take the accepted answers out of an export's lines, in the order of their numbers; what has none comes last."""
    found = []
    for one in map(ACCEPTED.read, take_out(lines, ACCEPTED_KIND).values()):
        question, author, date = clean_question(one.question), printable_name(one.author), printable_name(one.date)
        number = one.number if one.number <= MOST_COUNTED else 0
        found.append(AcceptedAnswer(question, one.ticket, author, date, number))
    return sorted(found, key=order_in_file)


def keep_answers(file: WorkspaceFile, answers: Sequence[AcceptedAnswer]) -> None:
    """Store the answers of a file that is taken whole, with its numbers; call it inside a transaction."""
    for one in answers:
        keep_accepted(file, one if one.number else replace(one, number=file.last_number() + 1))


def take_answers(file: WorkspaceFile, answers: Sequence[AcceptedAnswer]) -> Imported:
    """Store the answers of a file that are not known here, numbered anew; call it inside a transaction.

    One that was taken back here stays so, whatever a file says.
    """
    known, taken_back = {one.id for one in read_accepted(file)}, read_taken_back(file)
    unchanged = 0
    skipped = []
    for one in answers:
        if one.id in known:
            unchanged += 1
        elif one.id in taken_back:
            reason = (
                f"is accepted in the file for {one.question!r}, and that was taken back here since, which counts; to "
                "accept it again, use: autokb tickets accept"
            )
            skipped.append(Skipped(f"ticket {one.ticket}", reason))
        else:
            keep_accepted(file, replace(one, number=file.last_number() + 1))
            known.add(one.id)
    return Imported(len(answers) - unchanged - len(skipped), unchanged, tuple(skipped))


# Kinds of lines; solutions by hand are told by a field of theirs.
DECISION_KINDS = ("edit", "verdict", ACCEPTED_KIND, FEEDBACK)
MOST_BYTES = 1_000_000_000  # of a file; forty times the largest export known to us
NAMED = 3  # ids of lines that were not taken that are named for each kind


def import_file(
    workspace: Workspace,
    source: Path,
    *,
    whole: bool = False,
    force: str = "",
    now: str | None = None,
    progress: Progress = silent,
) -> Imported:
    """Import a file that ``export`` wrote; the suffix tells its format (BadInputError when it is none of ours).

    Into a workspace that holds something any format brings the decisions of people only. Into an empty one, or with
    ``whole``, JSONL brings everything in place of all that is there; ``force`` names who consents where that is less
    than half (else HalfLostError). ``now`` is the date of the edits that are found, as ISO 8601.
    """
    kind = source.suffix.lower()
    if kind not in suffixes():
        raise BadInputError(f"{source.name}: import takes {', '.join(suffixes())}, as export writes them.")
    if whole and kind != ".jsonl":
        raise BadInputError(f"--replace needs a JSONL export, which holds everything; {source.name} holds texts only.")
    text = _text_of(source)
    moment = now or datetime.now(UTC).isoformat(timespec="seconds")
    if kind != ".jsonl":
        read = read_markdown if kind == ".md" else read_csv
        with workspace.file() as file, file.transaction():
            published = read_published(file)
            found = read(text, source.name, published.kb)
            taken = take_texts(source.name, found, published, workspace.spec, moment, file.last_number())
            return _keep(file, taken, published)
    lines, skipped = read_lines(text)
    if not lines:
        why = f" ({skipped[0].path}: {skipped[0].reason})" if skipped else ""
        raise BadInputError(
            f"The file holds no line of a knowledge base{why}; export one with: autokb export WORKSPACE kb.jsonl"
        )
    with workspace.file() as file:
        is_empty = _is_empty(file)
    if whole or is_empty:
        return _take_whole(workspace, lines, skipped, source.name, moment, progress, force=force)
    return _take_decisions(workspace, lines, skipped, source.name, moment)


def _text_of(source: Path) -> str:
    try:
        data = read_regular_file(source, MOST_BYTES)
        if data is None:
            raise BadInputError(f"{source} is larger than {MOST_BYTES // 10**6:,} MB, more than can be imported.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(
            f"{source} cannot be read ({error.strerror}); check the path and its permissions."
        ) from error
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{source} is not UTF-8 text ({error.reason} at byte {error.start}); save it as UTF-8."
        ) from error


def _is_empty(file: WorkspaceFile) -> bool:
    staged = any(file.staged(kind) for kind in STAGED_KINDS) or has_tickets(file)
    decided = bool(read_decisions(file).log) or bool(file.decisions(ACCEPTED_KIND)) or bool(feedback_ids(file))
    return not staged and next(iter(file.lines()), None) is None and not decided


# -- decisions of people only ---------------------------------------------------------------------------------


def _take_decisions(workspace: Workspace, lines: Lines, skipped: list[Skipped], name: str, now: str) -> Imported:
    with workspace.file() as file, file.transaction():
        published = read_published(file)
        answers, feedback = separate_answers(lines), separate_feedback(lines)
        found = separate_decisions(lines, now, now, published)
        taken = take_decisions(found, published, workspace.spec, file.last_number())
        unchanged, others = _compare(file, lines, name)
        taken.unchanged += unchanged
        taken.skipped[:0] = [*skipped, *others]
        done = _keep(file, taken, published)
        all_done = (done, take_answers(file, answers), take_feedback(file, feedback.feedback))
    return Imported(
        sum(one.taken for one in all_done),
        sum(one.unchanged for one in all_done),
        tuple(skipped for one in all_done for skipped in one.skipped),
    )


def _compare(file: WorkspaceFile, lines: Lines, name: str) -> tuple[int, list[Skipped]]:
    """Return how many lines say what is here, and what the others are, by their kinds."""
    ours = {(kind, i): body for kind, i, body in file.lines()}
    for line in (*chat_lines(file), *ticket_lines(file)):
        kind, i = line.pop("kind"), line.pop("id")
        ours[kind, i] = canonical_json(line)
    unchanged = 0
    other: dict[str, list[str]] = {}
    for (kind, i), body in lines.items():
        mine = ours.get((kind, i))
        if mine is not None and _without_texts(kind, json.loads(mine)) == _without_texts(kind, body):
            unchanged += 1
        else:
            other.setdefault(kind, []).append(i)
    reason = (
        "not taken: they differ from what is here, and a workspace that holds something takes decisions of people only "
        "(edits, verdicts, solutions by hand, accepted answers, feedback); --replace takes the file whole"
    )
    return unchanged, [
        Skipped(f"{name}: {len(ids)} {kind} lines ({_named(ids)})", reason) for kind, ids in other.items()
    ]


def _without_texts(kind: str, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is compared of a line: of a solution not the text, whose changes are edits where it has its mark."""
    left_out = ("text", "steps", "built") if kind == "solution" and body.get("built") else ()
    return {n: v for n, v in body.items() if n not in left_out and v not in (None, "", [], {})}


def _named(ids: list[str]) -> str:
    return ", ".join(ids[:NAMED]) + (", ..." if len(ids) > NAMED else "")


def _keep(file: WorkspaceFile, taken: Taken, before: Published) -> Imported:
    """Store what was taken; call it inside a transaction."""
    keep_decisions(file, taken.decisions)
    withheld = withheld_by_rules(taken, before, read_published(file)) if taken.decisions else []
    return Imported(len(taken.decisions), taken.unchanged, (*taken.skipped, *withheld))


# -- everything -----------------------------------------------------------------------------------------------


def _take_whole(
    workspace: Workspace, lines: Lines, skipped: list[Skipped], name: str, now: str, progress: Progress, *, force: str
) -> Imported:
    # A status without a verdict's line is of an older export: its verdict has no date, so that copies are alike.
    count = len(lines)
    tickets, chats = take_out(lines, "ticket"), take_out(lines, "chat")
    setting = lines.pop(("setting", TICKETS_SETTING), {})
    answers, feedback = separate_answers(lines), separate_feedback(lines)
    found = separate_decisions(lines, now, "")
    skipped += check_references(lines)
    complete_issues(lines)
    mend_documents(lines, workspace.settings)
    decisions = _complete(found, lines, _spec_in(lines) or workspace.spec)
    with workspace.build_lock(), workspace.file() as file:
        takes = of_ours("takes", TICKETS_SETTING) if tickets or has_tickets(file) else None
        with file.transaction():
            gone = _count_all(file)
            made = replace(workspace.publication_by("import"), forced_by=force)
            unchanged = _publish(file, lines, decisions, answers, made)
            _stage(file, "documents", DOCUMENT, lines_of(lines, "document"), name)
            _stage(file, "issues", RAW_ISSUE, lines_of(lines, "raw_issue"), name)
            _stage(file, "chats", CONVERSATION_CODEC, chats, name)
            put_feedback(file, feedback)
            _take_domain(workspace, lines)
        embed_published(workspace, file, progress)
        if takes is not None:
            takes.take(workspace, file, tickets, setting, name, progress)
    return Imported(count - unchanged, unchanged, tuple(skipped), (gone,) if gone else ())


def _complete(found: FileDecisions, lines: Lines, spec: DomainSpec) -> Decisions:
    """Return the decisions of a file with numbers, and with what they say of their solutions and the rules of them."""
    taken = Decisions.of(_numbered(found), ReviewPolicy.of_setting(lines.get(("setting", REVIEW))))
    issues = {i: ISSUE.read(body, id=i) for i, body in lines_of(lines, "issue").items()}
    solutions = {i: SOLUTION.read(body, id=i) for i, body in lines_of(lines, "solution").items()}
    decided = apply_decisions(solutions, issues, taken)
    rules = {e.id: e.rules or check_edit(e, decided, spec).rules for e in taken.of_kind("edit")}
    decided = apply_decisions(solutions, issues, update_decisions(taken, decided, issues, rules))
    # Of a solution whose text a person changed in the file the changes know what was built, the lines do not.
    changed = {one.solution_id for one in found.changes if one.kind == "edit"}
    known = {i: solution for i, solution in decided.base.items() if i not in changed}
    return update_decisions(taken, replace(decided, base=known), issues, rules)


def _numbered(found: FileDecisions) -> list[Decision]:
    """Return the decisions of a file with numbers.

    The numbers of the file stay; what has none, or one that stands twice, comes after them in the file's order. Where
    they are no counts of decisions, all are counted anew in their order.
    """
    numbers = {one.number for one in found.lines}
    last = max(numbers, default=0)
    if last > MOST_COUNTED:
        numbers, last = set(), 0
    decisions: list[Decision] = []
    for one in found.lines:
        if one.number and one.number in numbers:
            numbers.remove(one.number)
        else:
            last += 1
            one = replace(one, number=last)
        decisions.append(found.lift(one))
    return [*decisions, *(number_new(one, last + n) for n, one in enumerate(found.changes, 1))]


def _spec_in(lines: Lines) -> DomainSpec | None:
    text = lines.get(("setting", "domain"), {}).get("yaml")
    return read_domain(parse_yaml(text, DOMAIN_FILE)) if isinstance(text, str) else None


def _count_all(file: WorkspaceFile) -> str:
    """Say what a whole file takes the place of; nothing where nothing is."""
    published = Counter(kind for kind, _, _ in file.lines())
    decisions = read_decisions(file)
    counts = {
        "document": len(file.staged("documents")),
        "raw issue": len(file.staged("issues")),
        "issue": published["issue"],
        "solution": published["solution"],
        "edit": len(decisions.of_kind("edit")),
        "verdict": len(decisions.of_kind("verdict")),
        "solution by hand": len(decisions.of_kind("written")),
        "ticket": len(file.staged("tickets")),
        "conversation": len(file.staged("chats")),
        "accepted answer": len(read_accepted(file)),
        "piece of feedback": len(feedback_ids(file, undone=False)),
    }
    plurals = {"solution by hand": "solutions by hand", "piece of feedback": "pieces of feedback"}
    named = [f"{n} {what if n == 1 else plurals.get(what, f'{what}s')}" for what, n in counts.items() if n]
    return f"The file took the place of all that was here: {', '.join(named)}." if named else ""


def _publish(
    file: WorkspaceFile, lines: Lines, decisions: Decisions, answers: Sequence[AcceptedAnswer], made: Made
) -> int:
    """Make lines and decisions what is there; returns how many lines of records were there already."""
    bodies = {key: canonical_json(body) for key, body in lines.items()}
    unchanged = sum(bodies.get((kind, i)) == body for kind, i, body in file.lines())
    file.publish(bodies, [k for k in KINDS if k not in DECISION_KINDS], made)
    file.drop_all_decisions()
    drop_changes(file)
    keep_decisions(file, decisions.log)
    keep_answers(file, answers)
    return unchanged


def _take_domain(workspace: Workspace, lines: Lines) -> None:
    """Write the exported domain specification; the one that was there stays beside it."""
    spec = _spec_in(lines)
    if spec is None or spec == workspace.spec:
        return
    text = lines["setting", "domain"]["yaml"]
    domain = workspace.folder / DOMAIN_FILE
    try:
        replace_private(domain.with_suffix(".yaml.before-import"), domain.read_bytes())
        replace_private(domain, text.encode("utf-8"))
    except OSError as error:
        raise AutokbError(f"{domain} cannot be written ({error.strerror}); nothing was imported.") from error


def _stage(file: WorkspaceFile, kind: str, codec: Codec[N], bodies: Mapping[str, Mapping[str, Any]], name: str) -> None:
    """Make what the file has of a kind, bodies of lines by id, all that there is to build of, as one source."""
    file.unstage(kind, [s.id for s in file.staged(kind)])
    file.stage(kind, [Staged(i, "", name, codec.body(codec.read(body, id=i))) for i, body in bodies.items()])

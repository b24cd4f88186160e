"""What a person decides through a command: a verdict on solutions, a solution by hand."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from autokb.app.export_kb import same_text
from autokb.app.import_decisions import check_edit, check_text, with_origin
from autokb.app.show import find_issue
from autokb.core.attributes import as_lists
from autokb.core.decisions import (
    find_offers,
    new_edit,
    new_verdict,
    number_new,
    origin_of,
    steps_of,
    tree_of,
    write_solution,
)
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError
from autokb.core.forest import Forest
from autokb.core.ids import short_id
from autokb.core.nouns import DISPLAYED, Edit, HandWritten, HumanVerdict, HumanVerdictName, Solution
from autokb.core.regular_files import read_regular_file
from autokb.core.results import Result
from autokb.stores.published import Published, keep_decisions, read_published
from autokb.stores.workspace import Workspace
from autokb.text.control_characters import printable_name, replace_controls

Verb = Literal["approve", "reject", "hide"]
VERDICTS: Mapping[Verb, HumanVerdictName] = {"approve": "approved", "reject": "rejected", "hide": "hidden"}
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
TEXT_CHARACTERS = 100_000  # of a solution by hand at most: what nobody reads in an answer
TEXT_BYTES = TEXT_CHARACTERS * 4  # as UTF-8


@dataclass(frozen=True, slots=True)
class JudgedSolution(Result):
    """One solution and how it is shown now."""

    id: str
    issue_id: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class Judged(Result):
    """What a verdict did; ``changed`` counts the solutions that had another one before."""

    verdict: str
    undone: bool
    changed: int
    solutions: tuple[JudgedSolution, ...]


@dataclass(frozen=True, slots=True)
class Written(Result):
    """A solution by hand as it is shown now."""

    id: str
    issue_id: str
    text: str
    steps: tuple[str, ...]
    attributes: Mapping[str, list[str]]
    evidence: tuple[str, ...]
    status: str


def judge(
    workspace: Workspace,
    solutions: Sequence[str],
    verb: Verb,
    *,
    author: str = "",
    undo: bool = False,
    now: str | None = None,
) -> Judged:
    """Give solutions a verdict, or take one back; all of them or none.

    ``solutions`` are ids or the first letters of one each. ``approve`` also takes the id of an edit whose solution is
    gone: it goes to the solution that it is offered for. BadInputError when an id is unknown, a withheld solution is
    approved, or the verdict to take back is not there.
    """
    verdict, date, author = VERDICTS[verb], now or _today(), printable_name(author)
    with workspace.file() as file, file.transaction():
        published = read_published(file)
        lost = {o.id: o for o in published.decided.orphans if isinstance(o, Edit) and verb == "approve" and not undo}
        wanted = tuple(dict.fromkeys(solutions))
        offers = find_offers(published.decided, published.kb.issues) if lost.keys() & wanted else {}
        moved = [_move_to_offer(published, lost[i], offers, author, date, workspace.spec) for i in wanted if i in lost]
        named = (_find_solution(published, i, workspace.folder) for i in wanted if i not in lost)
        found = list({solution.id: solution for solution in named}.values())
        if undo:
            done: list[HumanVerdict | Edit] = [_undone(published, one, verdict) for one in found]
        else:
            given = (_verdict_on(published, one, verdict, author, date) for one in found)
            done = [*filter(None, given), *moved]
            done = [number_new(one, number) for number, one in enumerate(done, file.last_number() + 1)]
        keep_decisions(file, done)
        after = read_published(file).kb.solutions
    shown = [after[i] for i in (*(one.id for one in found), *(edit.solution_id for edit in moved))]
    return Judged(verdict, undo, len(done), tuple(JudgedSolution(s.id, s.issue_id, s.status, s.reason) for s in shown))


def _today() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _find_solution(published: Published, wanted: str, folder: Path) -> Solution:
    solutions = published.kb.solutions
    if wanted in solutions:
        return solutions[wanted]
    fitting = sorted(i for i in solutions if wanted and i.startswith((wanted, f"solution-{wanted}")))
    if len(fitting) == 1:
        return solutions[fitting[0]]
    if fitting:
        raise BadInputError(
            f"{len(fitting)} solutions have an id that starts with {wanted!r}, such as {fitting[0]}; write more of it. "
            "Nothing was changed."
        )
    raise BadInputError(
        f"No solution has the id {wanted!r}; autokb show {shlex.quote(str(folder))} lists the issues, and with the id "
        "of one behind it, its solutions. Nothing was changed."
    )


def _verdict_on(
    published: Published, solution: Solution, verdict: HumanVerdictName, author: str, date: str
) -> HumanVerdict | None:
    """Return a new verdict; None where the solution has this one already, for the text that it has now."""
    if solution.status == verdict:
        return None
    unjudged = published.decided.edited[solution.id]
    if verdict == "approved" and unjudged.status not in DISPLAYED:
        raise BadInputError(
            f"{solution.id} is withheld: {unjudged.reason} Export the Markdown (autokb export WORKSPACE kb.md), change "
            "the solution's text there, import the file, and approve it then. Nothing was changed."
        )
    forest = Forest(published.kb.issues.values())
    base = published.decided.base[solution.id]
    return new_verdict(solution, verdict, author, date, origin_of(base, tree_of(base.issue_id, forest)))


def _undone(published: Published, solution: Solution, verdict: HumanVerdictName) -> HumanVerdict:
    given = published.decided.verdicts.get(solution.id)
    if given is None or given.verdict != verdict:
        now = f"a person {given.verdict} it last" if given else f"its status {solution.status} is no person's verdict"
        raise BadInputError(
            f"No person's verdict {verdict!r} counts for {solution.id}, so there is nothing to take back: {now}. "
            "Nothing was changed."
        )
    return replace(given, undone=True)


def _move_to_offer(
    published: Published, edit: Edit, offers: Mapping[str, str], author: str, date: str, spec: DomainSpec
) -> Edit:
    """Return an edit whose solution is gone as one of the solution that it is offered for."""
    target = offers.get(edit.id)
    if target is None:
        raise BadInputError(f"{edit.id} has no solution that it could belong to now. Nothing was changed.")
    moved = new_edit(target, edit.text, edit.steps, author or edit.author, date)
    moved = with_origin(moved, published.decided, Forest(published.kb.issues.values()))
    return check_edit(moved, published.decided, spec)


def write_by_hand(
    workspace: Workspace, issue: str, source: Path, *, author: str = "", now: str | None = None
) -> Written:
    """Put a person's own solution on an issue; it is approved and outlives builds.

    ``issue`` is an id or the first letters of it, ``source`` a Markdown file: its first heading is the title, its list
    the steps. BadInputError when the file is empty, no text or too long, or when the text breaks a rule; nothing is
    stored then.
    """
    text, steps = _read_text(source)
    author = printable_name(author)
    with workspace.file() as file, file.transaction():
        published = read_published(file)
        node = find_issue(published.kb.issues, issue, workspace.folder)
        solution_id = short_id("solution", node.id, "by hand", text)
        written = HandWritten(
            id=solution_id,
            issue_id=node.id,
            text=text,
            steps=steps,
            attributes=node.attributes,
            author=author,
            date=now or _today(),
            number=file.last_number() + 1,
            tree=tree_of(node.id, Forest(published.kb.issues.values())),
        )
        written = replace(written, rules=check_text(write_solution(written, node.id), workspace.spec))
        if broken := [v for v in written.rules if v.verdict == "broken"]:
            reasons = " ".join(f"{v.rule}: {v.reason}" for v in broken)
            raise BadInputError(f"{source.name} breaks a rule of the domain. {reasons} Nothing was stored; change it.")
        if solution_id not in published.decided.written:
            keep_decisions(file, [written])
        solution = read_published(file).kb.solutions[solution_id]
    return Written(
        solution.id, node.id, solution.text, solution.steps, as_lists(solution.attributes), (), solution.status
    )


def _read_text(source: Path) -> tuple[str, tuple[str, ...]]:
    """Return text and steps of a Markdown file."""
    try:
        data = read_regular_file(source, TEXT_BYTES)
        text = "" if data is None else data.decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{source} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{source} is not UTF-8 text; save it as UTF-8.") from error
    text = same_text(replace_controls(text))
    if data is None or len(text) > TEXT_CHARACTERS:
        raise BadInputError(f"{source} has more than {TEXT_CHARACTERS:,} characters; nobody reads such an answer.")
    if not text:
        raise BadInputError(f"{source} is empty; write the title as a heading and the steps as a list.")
    first, _, rest = text.partition("\n")
    heading = HEADING.match(first)
    if heading and rest.strip():
        title = heading[1]
        steps = steps_of(f"{title}\n{rest.strip()}", title)
        return f"{title}\n{rest.strip()}", steps
    return text, steps_of(text)

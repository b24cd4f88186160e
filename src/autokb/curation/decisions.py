"""What a person decides: a verdict on solutions, another text for one, a solution by hand, and what is taken back."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import Any, Literal

from autokb.core.attributes import as_lists
from autokb.core.decisions import (
    edit_solution,
    find_offers,
    new_edit,
    new_verdict,
    number_new,
    origin_of,
    solution_mark,
    steps_of,
    tree_of,
    write_solution,
)
from autokb.core.domain import DomainSpec
from autokb.core.errors import BadInputError, ChangedMeanwhileError, UnknownIdError
from autokb.core.files import read_regular_file
from autokb.core.forest import Forest
from autokb.core.ids import short_id
from autokb.core.in_use import moment
from autokb.core.nouns import (
    DISPLAYED,
    Decision,
    HumanVerdictName,
    Origin,
    Solution,
)
from autokb.core.results import Result
from autokb.core.step_numbers import NUMBERING
from autokb.core.storable import without_surrogates
from autokb.exchange.export_kb import same_text
from autokb.exchange.import_decisions import check_text, place_decision
from autokb.stores.published import keep_decisions, keep_events
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import author_name, replace_controls
from autokb.views.show import find_issue
from autokb.views.solutions_in_memory import AllSolutions, SolutionsInMemory

Verb = Literal["approve", "reject", "hide"]
VERDICTS: Mapping[Verb, HumanVerdictName] = {"approve": "approved", "reject": "rejected", "hide": "hidden"}
HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
TEXT_CHARACTERS = 100_000  # of a solution by hand at most: what nobody reads in an answer
TEXT_BYTES = TEXT_CHARACTERS * 4  # as UTF-8
_GOES_ON = re.compile(r"[^\n]*\n2[.)]\s")  # a first line without its number, and the second with it


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
class EditedSolution(Result):
    """A solution with the text that a person gave it; ``changed`` is 0 where it had that text already."""

    id: str
    issue_id: str
    text: str
    steps: tuple[str, ...]
    status: str
    reason: str
    version: str
    edited_by: str
    edited_at: str
    source_changed: bool
    changed: int


@dataclass(frozen=True, slots=True)
class Reverted(Result):
    """What was taken back of a solution (edited, approved, rejected or hidden), and how it is shown now."""

    id: str
    issue_id: str
    undone: str
    author: str
    date: str
    text: str
    steps: tuple[str, ...]
    status: str
    reason: str
    version: str


@dataclass(frozen=True, slots=True)
class DismissedEdit(Result):
    """An edit whose solution is gone: whether it is out of the queue; ``changed`` is 0 where it was so already."""

    id: str
    solution_id: str
    text: str
    dismissed: bool
    changed: int


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


# Complex: giving and taking back are one transaction with the same checks before and the same answer after.
def judge(
    workspace: Workspace,
    solutions: Sequence[str],
    verb: Verb,
    *,
    author: str = "",
    undo: bool = False,
    version: str = "",
    now: str | None = None,
    memory: SolutionsInMemory | None = None,
) -> Judged:
    """Give solutions a verdict, or take one back; all of them or none.

    ``solutions`` are ids or the first letters of one each. ``approve`` also takes the id of an edit whose solution is
    gone: it goes to the solution that it is offered for. BadInputError when an id is unknown, a withheld solution is
    approved, or the verdict to take back is not there; ChangedMeanwhileError where they have not the ``version`` that
    was read.
    """
    verdict, date, author, memory = VERDICTS[verb], now or moment(), author_name(author), memory or SolutionsInMemory()
    with workspace.file() as file, file.transaction():
        published = memory.read_latest(file)
        lost = _named_lost_edits(published, solutions) if verb == "approve" and not undo else {}
        wanted = dict.fromkeys(solutions)
        going = {lost[i].id: lost[i] for i in wanted if i in lost}
        moved = _move_to_offers(published, tuple(going.values()), author, date, workspace.spec)
        named = (_find_solution(published, i, workspace.folder) for i in wanted if i not in lost)
        found = {solution.id: solution for solution in named}
        for one in found.values():
            _check_version(one, version)
        if undo:
            done = _take_back(file, published, found.values(), verdict, author, date)
        else:
            given = (_verdict_on(published, one, verdict, author, date) for one in found.values())
            done = [*filter(None, given), *moved]
            done = list(map(number_new, done, count(file.last_number() + 1)))
        keep_decisions(file, [*done, *_confirmed_edits(published, done)])
        after = memory.peek(file).decided.solutions
    shown = map(after.__getitem__, (*found, *(edit.solution_id for edit in moved)))
    return Judged(verdict, undo, len(done), tuple(JudgedSolution(s.id, s.issue_id, s.status, s.reason) for s in shown))


def edit(
    workspace: Workspace,
    solution: str,
    *,
    text: str = "",
    steps: Sequence[str] = (),
    author: str = "",
    version: str = "",
    now: str | None = None,
    memory: SolutionsInMemory | None = None,
) -> EditedSolution:
    """Give a solution another text, or other steps under its title; it outlives builds.

    Text and steps always say the same: of a text the steps are read, of steps the text is made. BadInputError
    where both or neither are given, too much, or what breaks a rule of the domain; and ChangedMeanwhileError where the
    solution has not the ``version`` that was read. Nothing is stored then.
    """
    text, steps = _cleaned_text(text), _cleaned_steps(steps)
    if bool(text) == bool(steps):
        raise BadInputError(
            "Give the new text, or the new steps; one of them, for the other follows from it. To show a solution to "
            "nobody, hide it."
        )
    if len(text) + sum(map(len, steps)) > TEXT_CHARACTERS:
        raise BadInputError(f"The text has more than {TEXT_CHARACTERS:,} characters; nobody reads such an answer.")
    memory = memory or SolutionsInMemory()
    with workspace.file() as file, file.transaction():
        published = memory.read_latest(file)
        found = _find_solution(published, solution, workspace.folder)
        _check_version(found, version)
        new = new_edit(found.id, text, steps, author_name(author), now or moment())
        wanted = edit_solution(published.decided.base[found.id], new)
        changed = (wanted.text, wanted.steps) != (found.text, found.steps)
        if changed:
            forest = Forest(published.issues.values())
            new = place_decision(number_new(new, file.last_number() + 1), published.decided, forest, workspace.spec)
            _refuse_broken("The text", new)
            keep_decisions(file, [new])
        decided = memory.peek(file).decided
    one, last = decided.solutions[found.id], decided.edits.get(found.id)
    return EditedSolution(
        **_as_it_is(one),
        edited_by=last.author if last else "",
        edited_at=last.date if last else "",
        source_changed=decided.source_changed(one.id),
        changed=int(changed),
    )


def undo(
    workspace: Workspace,
    solution: str,
    *,
    author: str = "",
    version: str = "",
    now: str | None = None,
    memory: SolutionsInMemory | None = None,
) -> Reverted:
    """Take back the newest edit or verdict of a solution; again takes back the one before.

    Nothing is deleted: what was taken back stays in the history. BadInputError where nothing is left;
    ChangedMeanwhileError where the solution has not the ``version`` that was read.
    """
    memory = memory or SolutionsInMemory()
    with workspace.file() as file, file.transaction():
        published = memory.read_latest(file)
        found = _find_solution(published, solution, workspace.folder)
        _check_version(found, version)
        newest = published.decided.newest(found.id)
        if newest is None:
            by_hand = f"It was written by hand; this withdraws it: autokb reject WORKSPACE {found.id}. "
            raise BadInputError(
                f"Nobody's edit or verdict counts for {found.id}, so nothing can be taken back. "
                f"{by_hand if found.id in published.decided.written else ''}Nothing was changed."
            )
        keep_events(file, [_taking_back(found.id, newest, author_name(author), now or moment())])
        keep_decisions(file, [replace(newest, undone=True)])
        one = memory.peek(file).decided.solutions[found.id]
    return Reverted(undone=newest.what, author=newest.author, date=newest.date, **_as_it_is(one))


def _as_it_is(one: Solution) -> dict[str, Any]:
    """Return what is said of a solution after it was changed, by the names that results have for it."""
    named = {name: getattr(one, name) for name in ("id", "issue_id", "text", "steps", "status", "reason")}
    return {**named, "version": solution_mark(one)}


def dismiss_edit(
    workspace: Workspace,
    edit: str,
    *,
    undo: bool = False,
    author: str = "",
    now: str | None = None,
    memory: SolutionsInMemory | None = None,
) -> DismissedEdit:
    """Take an edit whose solution is gone out of the review queue, or put it there again (UnknownIdError).

    ``edit`` is an id or the first letters of one. It is kept either way and counts again when its solution returns.
    """
    memory = memory or SolutionsInMemory()
    with workspace.file() as file, file.transaction():
        found = _find_lost_edit(_lost_edits(memory.read_latest(file)), edit)
        if found is None:
            raise UnknownIdError(
                f"No edit without its solution has the id {edit!r}; autokb show {shlex.quote(str(workspace.folder))} "
                "--json lists them as orphaned_edits. Nothing was changed."
            )
        changed = found.dismissed == undo
        if changed:
            who, date = author_name(author), now or moment()
            told = Decision(
                "", "queued again" if undo else "dismissed", found.solution_id, who, date, decision=found.id
            )
            keep_events(file, [told])
            keep_decisions(file, [replace(found, dismissed=not undo)])
    text = found.text or "\n".join(found.steps)
    return DismissedEdit(found.id, found.solution_id, text, not undo, int(changed))


def _check_version(solution: Solution, version: str) -> None:
    if version and version != solution_mark(solution):
        raise ChangedMeanwhileError(
            f"The text of {solution.id} has changed since you read it; read it again, and give its new version with "
            "what you want to change. Nothing was changed."
        )


def _taking_back(solution: str, taken: Decision, author: str, date: str) -> Decision:
    return Decision("", "undone", solution, author, date, decision=taken.id)


def _cleaned_text(text: str) -> str:
    return same_text(replace_controls(without_surrogates(text[: TEXT_CHARACTERS + 1])))


def _cleaned_steps(steps: Sequence[str]) -> tuple[str, ...]:
    """Return steps without numbers of their own, those apart that stand as numbered lines in one of them.

    What else is listed below the words of a step is part of it.
    """
    cleaned = filter(None, (NUMBERING.sub("", _cleaned_text(step)) for step in steps))
    return tuple(part for step in cleaned for part in (steps_of(f"1. {step}") if _GOES_ON.match(step) else (step,)))


def _find_solution(published: AllSolutions, wanted: str, folder: Path) -> Solution:
    solutions = published.decided.solutions
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
    published: AllSolutions, solution: Solution, verdict: HumanVerdictName, author: str, date: str
) -> Decision | None:
    """Return a new verdict; None where the solution has this one already, or this person's, for the text it has now."""
    waiting = verdict == "approved" and published.decided.is_waiting(solution.id)
    by = {one.author for one in published.decided.approved.get(solution.id, ())} if waiting else set()
    if (solution.status == verdict and not published.decided.keeps_approved(solution.id)) or author in by:
        return None
    unjudged = published.decided.edited[solution.id]
    if verdict == "approved" and unjudged.status not in DISPLAYED:
        raise BadInputError(
            f"{solution.id} is withheld: {unjudged.reason} Change its text (autokb edit WORKSPACE {solution.id} FILE) "
            "and approve it then. Nothing was changed."
        )
    forest = Forest(published.issues.values())
    base = published.decided.base[solution.id]
    return new_verdict(solution, verdict, author, date, origin_of(base, tree_of(base.issue_id, forest)))


def _confirmed_edits(published: AllSolutions, verdicts: Iterable[Decision]) -> Iterator[Decision]:
    """Give the edits that keep approved texts, once these are approved again, as ones of what the build has now."""
    for one in verdicts:
        if one.what == "approved" and published.decided.keeps_approved(one.solution_id):
            built = published.decided.base[one.solution_id]
            edit = published.decided.edits[one.solution_id]
            yield replace(edit, built=solution_mark(built))


def _take_back(
    file: WorkspaceFile,
    published: AllSolutions,
    solutions: Iterable[Solution],
    verdict: HumanVerdictName,
    author: str,
    date: str,
) -> list[Decision]:
    """Return the verdicts of solutions as taken back, once their histories tell by whom."""
    taken, events = [], []
    for solution in solutions:
        given = published.decided.verdicts.get(solution.id)
        if given is None or given.what != verdict:
            status = f"its status {solution.status} is no person's verdict"
            now = f"a person {given.what} it last" if given else status
            raise BadInputError(
                f"No person's verdict {verdict!r} counts for {solution.id}, so there is nothing to take back: {now}. "
                "Nothing was changed."
            )
        taken.append(replace(given, undone=True))
        events.append(_taking_back(solution.id, given, author, date))
    keep_events(file, events)
    return taken


def _lost_edits(published: AllSolutions) -> dict[str, Decision]:
    """Return by id the edits whose solution is gone."""
    return {one.id: one for one in published.decided.orphans if one.kind == "edit"}


def _named_lost_edits(published: AllSolutions, wanted: Iterable[str]) -> dict[str, Decision]:
    """Return the edits whose solution is gone by those of these names that mean one, and not a solution."""
    lost = _lost_edits(published)
    named = {i: _find_lost_edit(lost, i) for i in wanted if i in lost or i.startswith("edit-")}
    return {i: one for i, one in named.items() if one is not None}


def _find_lost_edit(lost: Mapping[str, Decision], wanted: str) -> Decision | None:
    """Return the edit with this id or these first letters of one; BadInputError where several have them."""
    if wanted in lost:
        return lost[wanted]
    fitting = sorted(i for i in lost if wanted and i.startswith((wanted, f"edit-{wanted}")))
    if len(fitting) > 1:
        raise BadInputError(
            f"{len(fitting)} edits without their solution have an id that starts with {wanted!r}, such as "
            f"{fitting[0]}; write more of it. Nothing was changed."
        )
    return lost[fitting[0]] if fitting else None


def _move_to_offers(
    published: AllSolutions, lost: Sequence[Decision], author: str, date: str, spec: DomainSpec
) -> list[Decision]:
    """Return edits whose solutions are gone as ones of the solutions that they are offered for."""
    if not lost:
        return []
    offers, forest = find_offers(published.decided, published.issues), Forest(published.issues.values())
    moved = []
    for edit in lost:
        target = offers.get(edit.id)
        if target is None:
            raise BadInputError(f"{edit.id} has no solution that it could belong to now. Nothing was changed.")
        new = new_edit(target, edit.text, edit.steps, author or edit.author, date)
        moved.append(place_decision(new, published.decided, forest, spec))
        _refuse_broken(edit.id, moved[-1])
    return moved


def _refuse_broken(what: str, written: Decision) -> None:
    """Refuse a person's text that breaks rules of the domain, with each rule and why."""
    if broken := [f"{v.rule}: {v.reason}" for v in written.rules if v.verdict == "broken"]:
        raise BadInputError(f"{what} breaks a rule of the domain. {' '.join(broken)} Nothing was stored; change it.")


def write_by_hand(
    workspace: Workspace, issue: str, source: Path, *, author: str = "", now: str | None = None
) -> Written:
    """Put a person's own solution on an issue; it is approved and outlives builds.

    ``issue`` is an id or the first letters of it, ``source`` a Markdown file: its first heading is the title, its list
    the steps. BadInputError when the file is empty, no text or too long, or when the text breaks a rule; nothing is
    stored then.
    """
    text, steps = _read_text(source)
    author, memory = author_name(author), SolutionsInMemory()
    with workspace.file() as file, file.transaction():
        published = memory.read_latest(file)
        node = find_issue(published.issues, issue, workspace.folder)
        solution_id = short_id("solution", node.id, "by hand", text)
        tree = tree_of(node.id, Forest(published.issues.values()))
        written = Decision(
            id=solution_id,
            what="written",
            solution_id=solution_id,
            issue_id=node.id,
            text=text,
            steps=steps,
            attributes=node.attributes,
            author=author,
            date=now or moment(),
            number=file.last_number() + 1,
            origin=Origin(tree),
        )
        written = replace(written, rules=check_text(write_solution(written, node.id), workspace.spec))
        _refuse_broken(source.name, written)
        if solution_id not in published.decided.written:
            keep_decisions(file, [written])
        solution = memory.peek(file).decided.solutions[solution_id]
    return Written(
        id=solution.id,
        issue_id=node.id,
        text=solution.text,
        steps=solution.steps,
        attributes=as_lists(solution.attributes),
        evidence=(),
        status=solution.status,
    )


def read_text_file(source: Path) -> str:
    """Return the text of a file that a person wrote for readers (BadInputError where it is none, or too long)."""
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
    return text


def _read_text(source: Path) -> tuple[str, tuple[str, ...]]:
    """Return text and steps of a Markdown file."""
    text = read_text_file(source)
    first, _, rest = text.partition("\n")
    heading = HEADING.match(first)
    if heading and rest.strip():
        title = heading[1]
        steps = steps_of(f"{title}\n{rest.strip()}", title)
        return f"{title}\n{rest.strip()}", steps
    return text, steps_of(text)

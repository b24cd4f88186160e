"""What people decide about solutions, its history, and what waits for them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from autokb.app.namespaces.namespace import Namespace
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
from autokb.core.nouns import DISPLAYED, Decision, DecisionName, HumanVerdictName, Origin, Solution
from autokb.core.one_or_many import listed
from autokb.core.progress import Progress
from autokb.core.results import Result
from autokb.core.step_numbers import NUMBERING
from autokb.core.storable import without_surrogates
from autokb.curation.review import ReviewPage, review_page
from autokb.curation.solution_history import SolutionHistory, history_of
from autokb.exchange.export_kb import same_text
from autokb.exchange.import_decisions import check_text, place_decision
from autokb.notebook.progress import show_progress
from autokb.stores.feedback import count_verdicts
from autokb.stores.published import keep_decisions, keep_events, read_decisions, read_events
from autokb.stores.question_log import count_shown_first
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import author_name, replace_controls
from autokb.views.browse import check_limit, listed_solution
from autokb.views.kinds import SolutionView
from autokb.views.show import find_issue
from autokb.views.solutions_in_memory import AllSolutions

if TYPE_CHECKING:
    from autokb.core.findings import FindingStatus
    from autokb.core.spending import Told

HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
TEXT_CHARACTERS = 100_000  # of a solution by hand at most: what nobody reads in an answer
TEXT_BYTES = TEXT_CHARACTERS * 4  # as UTF-8
_GOES_ON = re.compile(r"[^\n]*\n2[.)]\s")  # a first line without its number, and the second with it


@dataclass(frozen=True, slots=True)
class Judged(Result):
    """What a verdict did; ``changed`` counts the solutions that had another one before."""

    verdict: str
    undone: bool
    changed: int
    solutions: tuple[SolutionView, ...]


@dataclass(frozen=True, slots=True)
class DismissedEdit(Result):
    """An edit whose solution is gone: whether it is out of the queue; ``changed`` is 0 where it was so already."""

    id: str
    solution_id: str
    text: str
    dismissed: bool
    changed: int


class CurationNamespace(Namespace):
    """What people decide about solutions, its history, and what waits for them."""

    def approve(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Approve solutions by their ids, as their texts are now; ``undo`` takes an approval back.

        An id may be its first letters, or that of an edit whose solution is gone: it then goes to the solution that it
        is offered for. All of them or none: an unknown id, or a solution that is withheld, is a BadInputError; with the
        ``version`` of the text that was read, another one is a ChangedMeanwhileError. Where the domain asks for more
        approvals than one, they are of as many authors.
        """
        return self._judge(listed(solutions), "approved", author, undo, version)

    def reject(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Reject solutions: nobody sees them until ``undo`` takes it back, whatever is built or imported."""
        return self._judge(listed(solutions), "rejected", author, undo, version)

    def hide(
        self, solutions: Iterable[str] | str, *, author: str = "", undo: bool = False, version: str = ""
    ) -> Judged:
        """Hide solutions that are right but not to be shown; ``undo`` takes it back."""
        return self._judge(listed(solutions), "hidden", author, undo, version)

    # Complex: giving and taking back are one transaction with the same checks before and the same answer after.
    def _judge(
        self, solutions: Sequence[str], verdict: HumanVerdictName, author: str, undo: bool, version: str
    ) -> Judged:
        """Give solutions a verdict, or take one back; all of them or none."""
        date, author, folder = moment(), author_name(author), self._workspace.folder
        with self._workspace.file() as file, file.transaction():
            published = self._solutions.read_latest(file)
            lost = _named_lost_edits(published, solutions) if verdict == "approved" and not undo else {}
            wanted = dict.fromkeys(solutions)
            going = {lost[i].id: lost[i] for i in wanted if i in lost}
            moved = _move_to_offers(published, tuple(going.values()), author, date, self._workspace.spec)
            named = (_find_solution(published, i, folder) for i in wanted if i not in lost)
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
            after = self._solutions.peek(file)
        judged = (*found, *(edit.solution_id for edit in moved))
        shown = tuple(replace(listed_solution(after, one), level="judged") for one in judged)
        return Judged(verdict, undo, len(done), shown)

    def edit(
        self, solution: str, text: str = "", steps: Sequence[str] | str = (), *, author: str = "", version: str = ""
    ) -> SolutionView:
        """Give a solution another text, or other steps under its title; it outlives builds.

        Text and steps always say the same: of a text the steps are read, of steps the text is made. BadInputError
        where both or neither are given, too much, or what breaks a rule of the domain, which it names. ``version`` is
        that of the text that was read: ChangedMeanwhileError where the solution has another one by now.
        """
        text, some = _cleaned_text(text), _cleaned_steps(listed(steps))
        if bool(text) == bool(some):
            raise BadInputError(
                "Give the new text, or the new steps; one of them, for the other follows from it. To show a solution "
                "to nobody, hide it."
            )
        if len(text) + sum(map(len, some)) > TEXT_CHARACTERS:
            raise BadInputError(f"The text has more than {TEXT_CHARACTERS:,} characters; nobody reads such an answer.")
        with self._workspace.file() as file, file.transaction():
            published = self._solutions.read_latest(file)
            found = _find_solution(published, solution, self._workspace.folder)
            _check_version(found, version)
            new = new_edit(found.id, text, some, author_name(author), moment())
            wanted = edit_solution(published.decided.base[found.id], new)
            changed = (wanted.text, wanted.steps) != (found.text, found.steps)
            if changed:
                new, forest = number_new(new, file.last_number() + 1), Forest(published.issues.values())
                new = place_decision(new, published.decided, forest, self._workspace.spec)
                _refuse_broken("The text", new)
                keep_decisions(file, [new])
            after = self._solutions.peek(file)
        return replace(listed_solution(after, found.id), level="edited", changed=int(changed))

    def undo(self, solution: str, *, author: str = "", version: str = "") -> SolutionView:
        """Take back the newest edit or verdict of a solution; again takes back the one before.

        Nothing is deleted: what was taken back stays in the history. BadInputError where nothing is left;
        ChangedMeanwhileError where the solution has not the ``version`` that was read.
        """
        with self._workspace.file() as file, file.transaction():
            published = self._solutions.read_latest(file)
            found = _find_solution(published, solution, self._workspace.folder)
            _check_version(found, version)
            newest = published.decided.newest(found.id)
            if newest is None:
                by_hand = f"It was written by hand; this withdraws it: autokb reject WORKSPACE {found.id}. "
                raise BadInputError(
                    f"Nobody's edit or verdict counts for {found.id}, so nothing can be taken back. "
                    f"{by_hand if found.id in published.decided.written else ''}Nothing was changed."
                )
            keep_events(file, [_taking_back(found.id, newest, author_name(author), moment())])
            keep_decisions(file, [replace(newest, undone=True)])
            shown = listed_solution(self._solutions.peek(file), found.id)
        return replace(shown, level="taken back", undone=newest.what, undone_by=newest.author, undone_at=newest.date)

    def dismiss_edit(self, edit: str, *, undo: bool = False, author: str = "") -> DismissedEdit:
        """Take an edit whose solution is gone out of the review queue; ``undo`` puts it there again (UnknownIdError).

        ``edit`` is an id or the first letters of one. It is kept either way and counts again when its solution returns.
        """
        with self._workspace.file() as file, file.transaction():
            found = _find_lost_edit(_lost_edits(self._solutions.read_latest(file)), edit)
            if found is None:
                folder = shlex.quote(str(self._workspace.folder))
                raise UnknownIdError(
                    f"No edit without its solution has the id {edit!r}; autokb show {folder} "
                    "--json lists them as orphaned_edits. Nothing was changed."
                )
            changed = found.dismissed == undo
            if changed:
                what: DecisionName = "queued again" if undo else "dismissed"
                told = Decision("", what, found.solution_id, author_name(author), moment(), decision=found.id)
                keep_events(file, [told])
                keep_decisions(file, [replace(found, dismissed=not undo)])
        text = found.text or "\n".join(found.steps)
        return DismissedEdit(found.id, found.solution_id, text, not undo, int(changed))

    def write(self, issue: str, source: Path | str, *, author: str = "") -> SolutionView:
        """Put a solution by hand on an issue, from a Markdown file; it is approved and outlives builds.

        ``issue`` is an id or the first letters of it. The file's first heading is the title, its list the steps.
        BadInputError when it is empty, no text or too long, or when the text breaks a rule; nothing is stored then.
        """
        source = Path(source)
        text, steps = _read_text(source)
        with self._workspace.file() as file, file.transaction():
            published = self._solutions.read_latest(file)
            node = find_issue(published.issues, issue, self._workspace.folder)
            solution_id = short_id("solution", node.id, "by hand", text)
            written = Decision(
                id=solution_id,
                what="written",
                solution_id=solution_id,
                issue_id=node.id,
                text=text,
                steps=steps,
                attributes=node.attributes,
                author=author_name(author),
                date=moment(),
                number=file.last_number() + 1,
                origin=Origin(tree_of(node.id, Forest(published.issues.values()))),
            )
            written = replace(written, rules=check_text(write_solution(written, node.id), self._workspace.spec))
            _refuse_broken(source.name, written)
            if solution_id not in published.decided.written:
                keep_decisions(file, [written])
            return replace(listed_solution(self._solutions.peek(file), solution_id), level="written")

    def history(self, solution: str) -> SolutionHistory:
        """Return who did what to a solution and when, the newest first; also of one that is gone (UnknownIdError)."""
        with self._workspace.file() as file, file.snapshot():
            decided = self._solutions.read_with(file, solution).decided
            events = read_events(file, solution)
            base = decided.base.get(solution)
            if base is not None:
                by_hand = decided.written.get(solution)
                decisions = [*decided.taken.get(solution, ()), *((by_hand,) if by_hand else ())]
            else:
                decisions = [one for one in read_decisions(file).log if one.solution_id == solution]
        if base is None and not decisions and not events:
            raise UnknownIdError(f"No solution has the id {solution!r}; the list of solutions has those there are.")
        told = history_of(base, sorted((*decisions, *events), key=lambda one: one.number))
        return SolutionHistory(solution, base is not None, tuple(reversed(told)))

    def review(self, limit: int = 100, after: str = "", kind: str = "") -> ReviewPage:
        """Return what a person should look at, the highest impact first; ``kind`` keeps one kind of reason.

        ``after`` is the ``next`` of the page before. What somebody rejected or hid is done, and what enough people
        approved too unless its source has changed since (BadInputError for a kind that is none).
        """
        check_limit(limit)
        with self._workspace.file() as file, file.snapshot():
            found = self._solutions.read(file)
            feedback, asked = count_verdicts(file), count_shown_first(file)
        return review_page(found, feedback, asked, limit, after, kind)

    def stale(self, kind: str = "", *, settled: bool = False) -> Any:
        """Return what needs attention: sources that changed since an approval, old documents, contradictions.

        Of one ``kind`` or of all; with ``settled`` what people said something of.
        """
        return self._by_plugin("insight", "curation.stale", kind, settled=settled)

    def judge_contradictions(
        self, *, budget: float | None = None, progress: Progress = show_progress, told: Told | None = None
    ) -> Any:
        """Ask the settings' model which pairs of solutions and sections disagree, for at most ``budget`` USD.

        ``stale`` tells its answers from then on, and asks nobody. ``told`` is given first how many pairs are to be
        asked about, and what that may cost.
        """
        from autokb.pipeline.model_session import ModelOptions  # and all that asks models

        return self._by_plugin("insight", "curation.judge_contradictions", ModelOptions(budget), progress, told)

    def settle_finding(self, finding: str, status: FindingStatus = "settled", *, author: str = "") -> Any:
        """Keep that a finding is ``settled``, ``dismissed`` or ``open`` again, over all builds (UnknownIdError).

        A join of two trees is taken back by ``open``.
        """
        return self._by_plugin("insight", "curation.settle_finding", finding, status, author)

    def join_trees(self, issue: str, other: str, *, author: str = "") -> Any:
        """Make the trees of two issues one, from the next build on (UnknownIdError, BadInputError)."""
        return self._by_plugin("insight", "curation.join_trees", issue, other, author)


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

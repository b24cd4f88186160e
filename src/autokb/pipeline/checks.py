"""A team's checks asked of what readers see and of a candidate, and the gate that a candidate passes or does not."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autokb.core.checks import Check, CheckList, check_json
from autokb.core.document_names import DocumentNames
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.ids import canonical_json, short_id
from autokb.core.nouns import Document
from autokb.core.results import CheckResult, KeptChecks, Refusal
from autokb.core.settings import NO_RERANKER
from autokb.pipeline.gate.checks import (
    CheckRun,
    Compared,
    Headings,
    heading_path,
    judge_all,
    judge_tickets,
    read_check,
    read_check_file,
    refuse,
    run,
)
from autokb.pipeline.gate.trees import TreesFit, fit_of_trees
from autokb.pipeline.open_index import open_index
from autokb.retrieval.read_question import read_values
from autokb.stores.checks import drop_checks, keep_checks, read_checks
from autokb.stores.published import read_published
from autokb.stores.versions import CANDIDATE
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.masking import mask

NO_CHECKS = "There are no checks; add some with: autokb checks add {folder} FILE"
AskTickets = Callable[[str], tuple[str, Sequence[str]]]  # from a question to the outcome and the tickets found
READERS = ""  # what a workspace shows unless it is told otherwise


def add_checks(workspace: Workspace, source: Path | Iterable[Check]) -> KeptChecks:
    """Keep the checks of a file, each in the place of one with its id; attributes are those of the domain.

    One whose section or solution is not published yet is kept and named. BadInputError names what is wrong, such as a
    document, solution or ticket that is not here at all, and then nothing is kept.
    """
    with workspace.file() as file:
        published = read_published(file)
        headings = Headings(published.kb.documents)
        checks = read_check_file(source, headings) if isinstance(source, Path) else tuple(source)
        for check in checks:
            try:
                read_values(workspace.spec, {name: sorted(values) for name, values in check.attributes.items()})
            except BadInputError as error:
                raise BadInputError(f"The check {check.id}: {error}") from error
        lost = [one for one in checks if not _is_published(one, headings, published.kb.solutions)]
        with file.transaction():
            _refuse_unknown(workspace, file, lost)
            return replace(keep_checks(file, checks), unresolved=tuple(one.id for one in lost if not one.ticket))


def _is_published(check: Check, headings: Headings, solutions: Container[str]) -> bool:
    """Return whether what a check names can be shown now; past tickets are in no publication."""
    if document := headings.resolve(check.document):
        return headings.has(document, check.heading)
    return check.solution in solutions or not check.names_a_place


def _refuse_unknown(workspace: Workspace, file: WorkspaceFile, checks: Iterable[Check]) -> None:
    """Refuse checks that name what is nowhere: not published, not added, not in the candidate (BadInputError).

    One that was kept before stays, for what it names may have gone since.
    """
    kept = set(map(_key, read_checks(file)))
    new = [one for one in checks if _key(one) not in kept]
    if not new:
        return
    with workspace.of(CANDIDATE if file.has_candidate else READERS).file() as beside:
        known = read_published(beside).kb
    names = DocumentNames([*_added_documents(file), *known.documents.values()])
    tickets = file.staged_some("tickets", [one.ticket for one in new if one.ticket])
    for one in new:
        if not (names.resolve(one.document) or one.solution in known.solutions or one.ticket in tickets):
            raise _unknown(one)


def _added_documents(file: WorkspaceFile) -> Iterator[Document]:
    """Give what was added without its text, by its names."""
    for one in file.staged("documents"):
        yield Document(one.id, one.body["title"], "", one.body.get("url", ""))


def _unknown(check: Check) -> BadInputError:
    what = "document" if check.document else "solution" if check.solution else "ticket"
    return BadInputError(
        f"The check {check.id}: there is no {what} {getattr(check, what)!r}, neither published nor added. Correct its "
        f"name, or add the {what} first. Nothing was kept."
    )


def _key(check: Check) -> str:
    return canonical_json(check_json(check))


def remove_checks(workspace: Workspace, ids: Sequence[str]) -> CheckList:
    """Forget checks by their ids (BadInputError where there is none with one); returns those that are left."""
    with workspace.file() as file, file.transaction():
        known = {one.id for one in read_checks(file)}
        if stray := [one for one in ids if one not in known]:
            folder = shlex.quote(str(workspace.folder))
            raise BadInputError(f"There is no check {stray[0]!r}; see: autokb checks list {folder}")
        drop_checks(file, ids)
        return CheckList(read_checks(file))


def list_checks(workspace: Workspace) -> CheckList:
    """Return all checks."""
    with workspace.file() as file:
        return CheckList(read_checks(file))


def run_checks(workspace: Workspace, ask_tickets: AskTickets | None = None, *, candidate: bool = False) -> CheckRun:
    """Ask every check's question, offline, of what readers see, or of the candidate and of what they see beside it.

    Past tickets, which are in no version, are asked through ``ask_tickets``; without it, their checks are left out, as
    they are of a candidate.
    """
    with workspace.file() as file:
        checks = _some_checks(workspace, file)
        if candidate:
            file.candidate()  # BadInputError where there is none
    others = without_tickets(checks)
    if not others and (candidate or ask_tickets is None):
        raise BadInputError("All checks name past tickets, which are in no version and no candidate.")
    if candidate:
        return compare_checks(workspace, others).now
    found = ask_checks(workspace, others, READERS) if others else []
    if ask_tickets is not None:
        found += _ask_of_tickets(checks, ask_tickets)
    order = {check.id: n for n, check in enumerate(checks)}
    return run(sorted(found, key=lambda one: order[one.id]))


def _ask_of_tickets(checks: Iterable[Check], ask: AskTickets) -> list[CheckResult]:
    return [judge_tickets(check, *ask(check.text)) for check in checks if check.ticket]


def without_tickets(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks of what is published in versions."""
    return tuple(one for one in checks if not one.ticket)


def _some_checks(workspace: Workspace, file: WorkspaceFile) -> tuple[Check, ...]:
    if checks := read_checks(file):
        return checks
    raise BadInputError(NO_CHECKS.format(folder=shlex.quote(str(workspace.folder))))


def ask_checks(workspace: Workspace, checks: Sequence[Check], shows: str) -> list[CheckResult]:
    """Ask each check's question of what readers see, or of what else is named (NothingPublishedError)."""
    return _look(workspace, checks, shows).results


@dataclass(frozen=True, slots=True)
class _Looked:
    """What one version has: its checks' results, and how well its trees fit where that was asked."""

    results: list[CheckResult]
    trees: TreesFit | None


def _look(workspace: Workspace, checks: Sequence[Check], shows: str, *, at_trees: bool = False) -> _Looked:
    offline = replace(workspace.settings, reranker=NO_RERANKER)  # which may be late, and then answers otherwise
    with closing(open_index(replace(workspace.of(shows), settings=offline))) as opened:
        published = read_published(opened.file)
        spec = opened.index.spec

        def ask(check: Check) -> Any:
            stated = {name: sorted(values) for name, values in check.attributes.items()}
            return opened.ask(check.text, read_values(spec, stated))

        trees = fit_of_trees(opened.index, published.raw_issues) if at_trees else None
        return _Looked(judge_all(checks, ask, Headings(published.kb.documents)), trees)


def compare_checks(workspace: Workspace, checks: Sequence[Check], *, at_trees: bool = False) -> Compared:
    """Ask the checks of the candidate and of what readers see, and perhaps how well the trees of each fit."""
    try:
        before = _look(workspace, checks, READERS, at_trees=at_trees)
    except NothingPublishedError:
        before = None
    now = _look(workspace, checks, CANDIDATE, at_trees=at_trees)
    if before is None:
        return Compared(run(now.results), None, now.trees)
    return Compared(run(now.results, before.results), run(before.results), now.trees, before.trees)


@dataclass(frozen=True, slots=True)
class Passed:
    """What the gate says of a candidate: ``refusal`` where readers keep what they see, ``found`` the checks' results.

    ``forced`` are the reasons for which it would have been refused.
    """

    refusal: Refusal | None = None
    found: CheckRun | None = None
    forced: tuple[str, ...] = ()
    trees: float | None = None  # the share of what they show that fits

    def as_noted(self, author: str) -> dict[str, Any]:
        """Return what the version keeps of it; nothing where there are no checks."""
        if self.found is None:
            return {}
        forced = {"forced": {"by": author, "reasons": list(self.forced)}} if self.forced else {}
        trees = {} if self.trees is None else {"trees": self.trees}
        return {"n": self.found.n, **self.found.figures, **trees, **forced}


def check_gate_settings(workspace: Workspace, file: WorkspaceFile) -> None:
    """Refuse a gate whose settings name a check that is not there (BadInputError), before anything is built."""
    gate = workspace.settings.gate
    if gate is None or not gate.must:
        return
    known = {one.id for one in without_tickets(read_checks(file))}
    if stray := [one for one in gate.must if one not in known]:
        folder = shlex.quote(str(workspace.folder))
        raise BadInputError(
            f"Nothing was published: gate: must in settings.yaml names {stray[0]!r}, which is no check of documents, "
            f"solutions or outcomes; see: autokb checks list {folder}"
        )


def pass_gate(workspace: Workspace, file: WorkspaceFile, *, force: bool = False) -> Passed:
    """Have the candidate asked all checks, and by the settings' gate let it through or not.

    Without checks it passes. Where it has nothing otherwise than what readers see, nothing is asked. ``force`` lets it
    through all the same, and says for what reasons it would not have been.
    """
    checks = without_tickets(read_checks(file))
    if not checks or not file.differs_for_readers:
        return Passed()
    gate = workspace.settings.gate
    found = compare_checks(workspace, checks, at_trees=gate is not None)
    share = None if found.trees is None else found.trees.share
    refusal = None if gate is None else refuse(found, gate)
    if refusal is not None and force:
        return Passed(None, found.now, refusal.reasons, share)
    return Passed(refusal, found.now, trees=share)


def keep_check(
    workspace: Workspace,
    text: str,
    *,
    document: str = "",
    start: int = 0,
    solution: str = "",
    attributes: Mapping[str, Sequence[str]] | None = None,
    author: str = "",
) -> KeptChecks:
    """Keep that the section of a document at a place, or else a solution, is right for a question (BadInputError).

    A section stays what it is when a build words its solution otherwise. The same question of the same customers is
    one check; what is private in it is masked.
    """
    masked = mask([text]).texts[0]
    place = {"solution": solution}
    if document:
        with workspace.file() as file:
            above = Headings(read_published(file).kb.documents).at(document, start)
        place = {"document": document, "heading": heading_path(above)}
    stated = {name: sorted(values) for name, values in sorted((attributes or {}).items())}
    check_id = short_id("check", " ".join(masked.casefold().split()), canonical_json(stated))
    given = {"id": check_id, "text": masked, "author": author, "attributes": stated}
    return add_checks(workspace, [read_check({**given, **place}, "This check")])

"""Questions that must stay right: kept, and asked of what readers see or of a candidate."""

from __future__ import annotations

import shlex
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autokb.app.namespaces.namespace import Namespace
from autokb.core.checks import Check, CheckList, CheckResult, KeptChecks, check_json
from autokb.core.document_names import DocumentNames
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, short_id
from autokb.core.nouns import Document
from autokb.core.one_or_many import listed
from autokb.core.plugins import built_in
from autokb.pipeline.checks import READERS, ask_checks, compare_checks, without_tickets
from autokb.pipeline.gate.checks import (
    CheckRun,
    Headings,
    heading_path,
    judge_tickets,
    read_check,
    read_check_file,
    run,
)
from autokb.retrieval.read_question import read_values
from autokb.stores.checks import drop_checks, keep_checks, read_checks
from autokb.stores.published import read_published
from autokb.stores.versions import CANDIDATE
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.masking import mask

NO_CHECKS = "There are no checks; add some with: autokb checks add {folder} FILE"


class ChecksNamespace(Namespace):
    """Questions that must stay right: kept, and asked of what readers see or of a candidate."""

    def add(self, file: Path | str) -> KeptChecks:
        """Keep the checks of a JSONL file, each in the place of one with its id (BadInputError names the line).

        Attributes are those of the domain. One whose section or solution is not published yet is kept and named. Where
        a document, solution or ticket is not here at all, nothing is kept (BadInputError).
        """
        return self._keep(Path(file))

    def add_one(self, check: Mapping[str, Any]) -> KeptChecks:
        """Keep one check as a line of such a file, as an object (BadInputError)."""
        return self._keep([read_check(check, "The check")])

    def keep(
        self,
        text: str,
        *,
        document: str = "",
        start: int = 0,
        solution: str = "",
        attributes: Mapping[str, Sequence[str] | str] | None = None,
        author: str = "",
    ) -> KeptChecks:
        """Keep that the section of a document at a place, or else a solution, is right for a question.

        ``start`` is an offset in code points; BadInputError where neither is named, or an attribute is unknown. A
        section stays what it is when a build words its solution otherwise. The same question of the same customers is
        one check; what is private in it is masked.
        """
        masked = mask([text]).texts[0]
        place = {"solution": solution}
        if document:
            with self._workspace.file() as file:
                above = Headings(read_published(file).kb.documents).at(document, start)
            place = {"document": document, "heading": heading_path(above)}
        stated = {name: sorted(listed(values)) for name, values in sorted((attributes or {}).items())}
        check_id = short_id("check", " ".join(masked.casefold().split()), canonical_json(stated))
        given = {"id": check_id, "text": masked, "author": author, "attributes": stated}
        return self._keep([read_check({**given, **place}, "This check")])

    def _keep(self, source: Path | Iterable[Check]) -> KeptChecks:
        """Keep the checks of a file, or these, all of them or none."""
        with self._workspace.file() as file:
            published = read_published(file)
            headings = Headings(published.kb.documents)
            checks = read_check_file(source, headings) if isinstance(source, Path) else tuple(source)
            for check in checks:
                try:
                    stated = {name: sorted(values) for name, values in check.attributes.items()}
                    read_values(self._workspace.spec, stated)
                except BadInputError as error:
                    raise BadInputError(f"The check {check.id}: {error}") from error
            lost = [one for one in checks if not _is_published(one, headings, published.kb.solutions)]
            with file.transaction():
                _refuse_unknown(self._workspace, file, lost)
                unresolved = tuple(one.id for one in lost if not one.ticket)
                return replace(keep_checks(file, checks), unresolved=unresolved)

    def list(self) -> CheckList:
        """Return all checks, in the order of their adding."""
        with self._workspace.file() as file:
            return CheckList(read_checks(file))

    def remove(self, ids: Sequence[str] | str) -> CheckList:
        """Forget checks by their ids (BadInputError where there is none with one); returns those that are left."""
        wanted = listed(ids)
        with self._workspace.file() as file, file.transaction():
            known = {one.id for one in read_checks(file)}
            if stray := [one for one in wanted if one not in known]:
                folder = shlex.quote(str(self._workspace.folder))
                raise BadInputError(f"There is no check {stray[0]!r}; see: autokb checks list {folder}")
            drop_checks(file, wanted)
            return CheckList(read_checks(file))

    def run(self, *, candidate: bool = False) -> CheckRun:
        """Ask every check's question, offline, of what readers see, or of the candidate beside it (BadInputError).

        Past tickets are in no version: their checks are left out of a candidate's, and where nothing answers them.
        """
        with self._workspace.file() as file:
            checks = read_checks(file)
            if not checks:
                raise BadInputError(NO_CHECKS.format(folder=shlex.quote(str(self._workspace.folder))))
            if candidate:
                file.candidate()  # BadInputError where there is none
        others = without_tickets(checks)
        results = {} if candidate else self._ask_tickets(checks)
        if not others and not results:
            raise BadInputError("All checks name past tickets, which are in no version and no candidate.")
        if candidate:
            return compare_checks(self._workspace, others).now
        if others:
            results |= {one.id: one for one in ask_checks(self._workspace, others, READERS)}
        return run([results[one.id] for one in checks if one.id in results])

    def _ask_tickets(self, checks: Sequence[Check]) -> dict[str, CheckResult]:
        """Ask the questions of checks that name past tickets, where something answers from tickets."""
        if "ticket" not in built_in("beside"):
            return {}
        tickets = self._memory.beside("ticket")
        results = {}
        for one in checks:
            if one.ticket:
                found = tickets.found(one.text) if tickets else ("abstains", ())
                results[one.id] = judge_tickets(one, *found)
        return results


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

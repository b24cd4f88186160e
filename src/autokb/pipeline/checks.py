"""A team's checks asked of what readers see and of a candidate, and the gate that a candidate passes or does not."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import Any

from autokb.core.checks import Check, CheckResult, Refusal
from autokb.core.errors import BadInputError, NothingPublishedError
from autokb.core.settings import NO_RERANKER
from autokb.pipeline.gate.checks import CheckRun, Compared, Headings, judge_all, refuse, run
from autokb.pipeline.gate.trees import TreesFit, fit_of_trees
from autokb.pipeline.open_index import open_index
from autokb.retrieval.read_question import read_values
from autokb.stores.checks import read_checks
from autokb.stores.published import read_published
from autokb.stores.versions import CANDIDATE
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile

READERS = ""  # what a workspace shows unless it is told otherwise


def without_tickets(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Return the checks of what is published in versions."""
    return tuple(one for one in checks if not one.ticket)


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

"""The tree as it was published, and one issue with everything that is known of it."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from autokb.core.decisions import find_offers
from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.forest import Forest
from autokb.core.nouns import DISPLAYED, Issue
from autokb.core.results import Result
from autokb.exchange.export_kb import solutions_by_issue, trees
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace
from autokb.views.kinds import IssueView, ShownRawIssue, view_issue, view_solution


@dataclass(frozen=True, slots=True)
class OrphanedEdit(Result):
    """A hand edit whose solution is gone; ``offered_for`` is the solution that it may belong to now.

    One that is ``dismissed`` is in no review queue.
    """

    id: str
    solution_id: str
    text: str
    date: str
    offered_for: str | None = None
    dismissed: bool = False


@dataclass(frozen=True, slots=True)
class OrphanedVerdict(Result):
    """A person's verdict whose solution is gone; ``offered_for`` is the solution that it may fit now."""

    id: str
    solution_id: str
    verdict: str
    date: str
    offered_for: str | None = None


@dataclass(frozen=True, slots=True)
class ShownKB(Result):
    """The published trees and what surrounds them; ``staged`` counts what was added, ``trees_in_all`` all trees."""

    domain: str
    staged: Mapping[str, int]
    documents: int
    raw_issues: int
    themes: tuple[str, ...]
    solutions: int
    trees: tuple[IssueView, ...]
    trees_in_all: int
    orphaned_edits: tuple[OrphanedEdit, ...]
    orphaned_verdicts: tuple[OrphanedVerdict, ...] = ()


# Complex: it lists the fields of the view in their order, a comprehension each.
def show_trees(workspace: Workspace, most: int | None = None) -> ShownKB:
    """Return the published trees with the number of solutions of each node, and what stands beside them.

    ``most`` keeps the trees that most customers reported; the counts stay those of the whole.
    """
    with workspace.file() as file:
        published = read_published(file)
        staged = {kind: len(file.staged(kind)) for kind in ("documents", "issues")}
    kb = published.kb
    counts = {i: sum(s.status in DISPLAYED for s in found) for i, found in solutions_by_issue(kb).items()}
    themes = {s.id: kb.themes[s.theme].name for s in kb.seeds.values() if s.theme in kb.themes}
    everything = list(trees(kb))
    most_reported = sorted(everything, key=lambda t: (-len(t[0].raw_issues), not t[1], t[0].id))[:most]
    chosen = {parent.id for parent, _ in most_reported}
    offers = find_offers(published.decided, kb.issues)

    def node(issue: Issue) -> IssueView:
        return view_issue(issue, "node", len(issue.raw_issues), counts.get(issue.id, 0))

    def tree(parent: Issue, children: list[Issue]) -> IssueView:
        return replace(node(parent), level="tree", theme=themes.get(parent.seed), children=tuple(map(node, children)))

    return ShownKB(
        domain=workspace.spec.name,
        staged=staged,
        documents=len(kb.documents),
        raw_issues=len(published.raw_issues),
        themes=tuple(sorted(theme.name for theme in kb.themes.values())),
        solutions=sum(counts.values()),
        trees=tuple(tree(parent, children) for parent, children in everything if parent.id in chosen),
        trees_in_all=len(everything),
        orphaned_edits=tuple(
            OrphanedEdit(o.id, o.solution_id, o.text or "\n".join(o.steps), o.date, offers.get(o.id), o.dismissed)
            for o in published.decided.lost_edits
        ),
        orphaned_verdicts=tuple(
            OrphanedVerdict(o.id, o.solution_id, o.what, o.date, offers.get(o.id))
            for o in published.decided.orphans
            if o.kind == "verdict"
        ),
    )


def show_issue(workspace: Workspace, wanted: str) -> IssueView:
    """Return one issue with solutions, evidence and the raw issues behind it.

    ``wanted`` is an id or the start of one; BadInputError when none or several fit.
    """
    with workspace.file() as file:
        published = read_published(file)
    kb = published.kb
    issue = find_issue(kb.issues, wanted, workspace.folder)
    forest = Forest(kb.issues.values())
    seed = kb.seeds.get(issue.seed) or kb.seeds.get(forest.root(issue.id).seed)
    theme = kb.themes.get(seed.theme) if seed else None
    titles = {d.id: d.title for d in kb.documents.values()}
    return replace(
        view_issue(issue, "node", len(issue.raw_issues)),
        level="full",
        theme=theme.name if theme else None,
        seed=issue.seed,
        raw_issues=tuple(
            ShownRawIssue(r, published.raw_issues[r].full_text) for r in issue.raw_issues if r in published.raw_issues
        ),
        children=tuple(view_issue(child, "node", len(child.raw_issues)) for child in forest.children(issue.id)),
        solutions=tuple(
            view_solution(s, published.decided, titles, "in its issue")
            for s in solutions_by_issue(kb).get(issue.id, [])
        ),
    )


def find_issue(issues: Mapping[str, Issue], wanted: str, folder: Path | None = None) -> Issue:
    """Return the issue with this id or these first letters of one (BadInputError where several have them).

    Another case counts where none is written like that. UnknownIdError where none has them at all, which names the
    command that lists those of a workspace's ``folder``.
    """
    if wanted in issues:
        return issues[wanted]
    fitting = _beginning_with(issues, wanted) if wanted else []
    if not fitting:
        listed = "the list of the knowledge base has those there are."
        where = f"this lists them: autokb show {shlex.quote(str(folder))}" if folder else listed
        raise UnknownIdError(f"No issue has the id {wanted!r}; {where}")
    if len(fitting) > 1:
        raise BadInputError(
            f"{len(fitting)} issues start with {wanted!r}: {', '.join(fitting[:3])} ...; write more of it."
        )
    return issues[fitting[0]]


def _beginning_with(issues: Iterable[str], wanted: str) -> list[str]:
    """Return the ids that begin with these letters, in any case if none does with these very ones."""
    begins = (wanted, f"issue-{wanted}")
    if fitting := sorted(i for i in issues if i.startswith(begins)):
        return fitting
    folded = {i: i.casefold() for i in issues}
    whole = sorted(i for i, text in folded.items() if text == wanted.casefold())
    return whole or sorted(i for i, text in folded.items() if text.startswith(tuple(map(str.casefold, begins))))

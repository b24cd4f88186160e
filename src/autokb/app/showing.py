"""The tree as it was published, and one issue with everything that is known of it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

from autokb.app.exporting import solutions_by_issue, tree_root, trees
from autokb.app.published import Published, read_published
from autokb.app.records import evidence_body
from autokb.app.workspace import Workspace
from autokb.core.attributes import as_lists
from autokb.core.errors import BadInputError
from autokb.core.nouns import DISPLAYED, Issue, Solution


def tree_json(workspace: Workspace, most: int | None = None) -> dict[str, Any]:
    """Return the published trees with the number of solutions of each node, and what stands beside them.

    ``most`` keeps the trees that most customers told; the counts stay those of the whole.
    """
    with workspace.file() as file:
        published = read_published(file)
        staged = {kind: len(file.staged(kind)) for kind in ("documents", "issues")}
    kb = published.kb
    by_issue = solutions_by_issue(kb)
    counts = {i: sum(s.status in DISPLAYED for s in found) for i, found in by_issue.items()}
    themes = {s.id: kb.themes[s.theme].name for s in kb.seeds.values() if s.theme in kb.themes}
    forest = list(trees(kb))
    told = sorted(forest, key=lambda t: (-len(t[0].raw_issues), not t[1], t[0].id))[:most]
    shown = {parent.id for parent, _ in told}
    return {
        "domain": workspace.spec.name,
        "staged": staged,
        "documents": len(kb.documents),
        "raw_issues": len(published.raw_issues),
        "themes": [t.name for t in sorted(kb.themes.values(), key=lambda t: t.name)],
        "solutions": sum(counts.values()),
        "trees": [
            {
                **_node(parent, counts),
                "theme": themes.get(parent.seed),
                "children": [_node(c, counts) for c in children],
            }
            for parent, children in forest
            if parent.id in shown
        ],
        "trees_in_all": len(forest),
        "orphaned_edits": [
            {"id": e.id, "solution_id": e.solution_id, "text": e.text or "\n".join(e.steps), "date": e.date}
            for e in published.edits
            if e.solution_id not in kb.solutions
        ],
    }


def _node(issue: Issue, counts: dict[str, int]) -> dict[str, Any]:
    return {
        "id": issue.id,
        "text": issue.text,
        "parent_id": issue.parent_id,
        "attributes": as_lists(issue.attributes),
        "raw_issues": len(issue.raw_issues),
        "solutions": counts.get(issue.id, 0),
    }


def issue_json(workspace: Workspace, wanted: str) -> dict[str, Any]:
    """Return one issue with solutions, evidence and the raw issues behind it.

    ``wanted`` is an id or the start of one; BadInputError when none or several fit.
    """
    with workspace.file() as file:
        published = read_published(file)
    issue = _find(published, wanted, workspace.folder)
    kb = published.kb
    found = solutions_by_issue(kb).get(issue.id, [])
    seed = kb.seeds.get(issue.seed) or kb.seeds.get(tree_root(issue, kb).seed)
    theme = kb.themes.get(seed.theme) if seed else None
    return {
        **_node(issue, {issue.id: sum(s.status in DISPLAYED for s in found)}),
        "theme": theme.name if theme else None,
        "seed": issue.seed,
        "raw_issues": [
            {"id": r, "text": published.raw_issues[r].full_text} for r in issue.raw_issues if r in published.raw_issues
        ],
        "children": [_node(i, {}) | {"solutions": None} for i in kb.issues.values() if i.parent_id == issue.id],
        "solutions": [_solution(s, published) for s in found],
    }


def _find(published: Published, wanted: str, folder: Path) -> Issue:
    issues = published.kb.issues
    if wanted in issues:
        return issues[wanted]
    fitting = sorted(i for i in issues if i.startswith((wanted, f"issue-{wanted}")))
    if not fitting:
        raise BadInputError(f"No issue has the id {wanted!r}; this lists them: autokb show {shlex.quote(str(folder))}")
    if len(fitting) > 1:
        raise BadInputError(
            f"{len(fitting)} issues start with {wanted!r}: {', '.join(fitting[:3])} ...; write more of it."
        )
    return issues[fitting[0]]


def _solution(solution: Solution, published: Published) -> dict[str, Any]:
    titles = {d.id: d.title for d in published.kb.documents.values()}
    edits = [e for e in published.edits if e.solution_id == solution.id]
    return {
        "id": solution.id,
        "text": solution.text,
        "steps": list(solution.steps),
        "attributes": as_lists(solution.attributes),
        "status": solution.status,
        "reason": solution.reason,
        "evidence": [evidence_body(e) | {"title": titles.get(e.document, "")} for e in solution.evidence],
        "rules": [{"rule": v.rule, "verdict": v.verdict, "reason": v.reason} for v in solution.rules],
        "edited_by": edits[-1].author if edits else None,
        "edited_at": edits[-1].date if edits else None,
    }

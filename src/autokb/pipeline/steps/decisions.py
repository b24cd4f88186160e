"""What people decided is laid over what was built, and what they wrote is checked against every rule as well."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from autokb.core.decisions import (
    Decided,
    Decisions,
    apply_decisions,
    edit_solution,
    follow_joined,
    update_decisions,
    write_solution,
)
from autokb.core.domain import DomainSpec
from autokb.core.forest import Forest
from autokb.core.nouns import Decision, DecisionName, Issue, RawIssue, Solution, Verdict, Wording
from autokb.core.vectors import Vectors
from autokb.issues.joining import covers
from autokb.issues.safeguards import record_verdicts, rules_request
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.trees import Grown
from autokb.stores.codecs import RAW_ISSUE
from autokb.stores.published import Published, keep_decisions
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES

SAME_PROBLEM = 0.7  # cosine of what a problem was and what a customer or a node says: a wrong tree is worse than none
RuleResults = Mapping[str, tuple[Verdict, ...]]  # by the id of an edit or a solution by hand


def decide(
    stages: Stages,
    spec: DomainSpec,
    solutions: Sequence[Solution],
    grown: Grown,
    published: Published,
    raw: Sequence[RawIssue],
) -> tuple[Decided, RuleResults]:
    """Return the solutions as people left them, and what the rules say now of the texts that people wrote."""
    built, nodes = {s.id: s for s in solutions}, {i.id: i for i in grown.issues}
    places = {one.full_text: grown.parent_of.get(one.id, "") for one in raw}
    decisions = replace(published.decisions, policy=spec.review)
    decisions = _follow(
        decisions,
        grown.joined,
        before=published.kb.issues,
        solutions=built,
        issues=nodes,
        places=places,
        embed=stages.embed,
    )
    decided = apply_decisions(built, nodes, decisions)
    rules = _check_texts(stages, spec, decided, nodes)
    return apply_decisions(built, nodes, update_decisions(decisions, decided, nodes, rules)), rules


def _check_texts(stages: Stages, spec: DomainSpec, decided: Decided, issues: Mapping[str, Issue]) -> RuleResults:
    texts = {e.id: edit_solution(decided.base[i], e) for i, e in decided.edits.items()}
    texts |= {i: write_solution(w, decided.base[i].issue_id) for i, w in decided.written.items()}
    if not spec.rules or not texts:
        return dict.fromkeys(texts, ())
    nodes = issues.keys() | decided.problems.keys()
    asked = {name: text for name, text in texts.items() if text.issue_id in nodes}
    requests = [rules_request(text, None, spec) for text in asked.values()]
    replies = stages.run("rules", CHECK_RULES, requests, list(asked))
    return {
        name: record_verdicts(reply)
        for name, reply in zip(asked, replies, strict=True)
        if reply is not None  # one that nobody could check now keeps what was found before
    }


def _follow(
    decisions: Decisions,
    joined: Mapping[str, str],
    before: Mapping[str, Issue],
    solutions: Mapping[str, Solution],
    issues: Mapping[str, Issue],
    places: Mapping[str, str],
    embed: Callable[[Sequence[str]], Vectors],
) -> Decisions:
    """Return decisions that look where their problems are now.

    That is the tree that took theirs in, or where theirs is gone the one with the nearest text among those that hold
    for all of its customers; an edit or a verdict goes there only where it has a solution of its section. ``before``
    are the nodes until now, ``places`` nodes by what raw issues in them say.
    """
    decisions = follow_joined(decisions, joined, before)
    gone = {
        i: before.get(i) or Issue(i, one.origin.problem, None, one.attributes)
        for one in decisions.log
        if one.origin.problem and (i := one.issue_id or one.origin.tree) not in issues
    }
    moved = follow_joined(decisions, _nearest_trees(gone, issues, places, embed), {})
    lost = {one.id for one in apply_decisions(solutions, issues, moved).orphans}  # wait for their own problem
    return replace(
        decisions, log=tuple(o if o.id in lost else m for o, m in zip(decisions.log, moved.log, strict=True))
    )


def _nearest_trees(
    gone: Mapping[str, Issue],
    issues: Mapping[str, Issue],
    places: Mapping[str, str],
    embed: Callable[[Sequence[str]], Vectors],
) -> dict[str, str]:
    """Return by their ids the trees that nodes which are gone are likely in, as ``_follow`` says."""
    forest = Forest(issues.values())
    said = {**places, **{one.text: one.id for one in issues.values()}}
    trees = {text: forest.root(i) for text, i in said.items() if i in issues}
    if not (gone and trees):
        return {}
    cosines = embed([one.text for one in gone.values()]) @ embed(list(trees)).T
    nearest = {i: _nearest(one, row, trees.values()) for (i, one), row in zip(gone.items(), cosines, strict=True)}
    return {i: tree for i, tree in nearest.items() if tree}


def _nearest(gone: Issue, cosines: Vectors, trees: Iterable[Issue]) -> str:
    near = ((cosine, tree.id) for cosine, tree in zip(cosines, trees, strict=True) if covers(tree, gone))
    cosine, nearest = max(near, default=(0.0, ""))
    return nearest if cosine >= SAME_PROBLEM else ""


def keep_updated(
    file: WorkspaceFile,
    decisions: Decisions,
    solutions: Mapping[str, Solution],
    issues: Mapping[str, Issue],
    joined: Mapping[str, str],
    rules: RuleResults,
    before: Mapping[str, Issue],
) -> Decided:
    """Store what a build found out about ``decisions``, those that are stored; returns the solutions with them.

    ``before`` are the nodes that readers saw. Call it inside the transaction that publishes, when readers see the
    others.
    """
    encoder = str((file.record("setting", "gate") or {}).get("encoder", ""))
    placed = ((RAW_ISSUE.read(body, id=i), body.get("issue")) for i, body in file.records("raw_issue"))
    found = _follow(
        decisions,
        joined,
        before=before,
        solutions=solutions,
        issues=issues,
        places={one.full_text: str(node) for one, node in placed},
        # those that a build has kept
        embed=lambda texts: file.vectors(encoder, texts, file.dimensions(encoder))[0],
    )
    decided = apply_decisions(solutions, issues, found)
    new = update_decisions(found, decided, issues, rules)
    keep_decisions(file, (one for old, one in zip(decisions.log, new.log, strict=True) if one != old))
    return apply_decisions(solutions, issues, new)


def find_events(before: Decided, after: Decided, date: str) -> list[Decision]:
    """Return what a build made of the solutions that people decided on: other words, gone, or there again."""
    lost = {one.solution_id for one in after.orphans if one.kind != "written"}
    found = []
    for i in sorted(before.taken.keys() | after.taken.keys() | lost):
        old, new = _wording(before.base.get(i)), _wording(after.base.get(i))
        what = _became(old, new)
        if what and (what != "back" or any(one.solution_id == i for one in after.taken[i])):
            found.append(Decision("", what, i, "", date, before=old, after=new))
    return found


def _wording(solution: Solution | None) -> Wording | None:
    return None if solution is None else Wording(solution.text, solution.steps)


def _became(old: Wording | None, new: Wording | None) -> DecisionName | None:
    """Return what became of a solution; None where it is as it was, or was not there and is not."""
    if old is None:
        return "back" if new is not None else None
    if new is None:
        return "gone"
    return "built anew" if old != new else None

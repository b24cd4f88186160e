"""What people decided is laid over what was built, and what they wrote is checked against every rule as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from autokb.core.nouns import Issue, Solution, Verdict
from autokb.issues.safeguards import rules_request
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.trees import Grown
from autokb.stores.published import keep_decisions, read_decisions
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES

RuleResults = Mapping[str, tuple[Verdict, ...]]  # by the id of an edit or a solution by hand


def decide(
    stages: Stages, spec: DomainSpec, solutions: Sequence[Solution], grown: Grown, decisions: Decisions
) -> tuple[Decided, RuleResults]:
    """Return the solutions as people left them, and what the rules say now of the texts that people wrote."""
    built, nodes = {s.id: s for s in solutions}, {i.id: i for i in grown.issues}
    decisions = follow_joined(decisions, grown.joined)
    decided = apply_decisions(built, nodes, decisions)
    rules = _check_texts(stages, spec, decided, nodes)
    return apply_decisions(built, nodes, update_decisions(decisions, decided, nodes, rules)), rules


def _check_texts(stages: Stages, spec: DomainSpec, decided: Decided, issues: Mapping[str, Issue]) -> RuleResults:
    texts = {e.id: edit_solution(decided.base[i], e) for i, e in decided.edits.items()}
    texts |= {i: write_solution(w, decided.base[i].issue_id) for i, w in decided.written.items()}
    if not spec.rules:
        return dict.fromkeys(texts, ())
    if not texts:
        return {}
    asked = [text for text in texts.values() if text.issue_id in issues]
    names = [name for name, text in texts.items() if text.issue_id in issues]
    requests = [rules_request(text, None, spec) for text in asked]
    replies = stages.run("rules", CHECK_RULES, requests, names)
    return {
        name: tuple(Verdict(v.rule, v.verdict, v.reason) for v in reply.verdicts)
        for name, reply in zip(names, replies, strict=True)
        if reply is not None  # one that nobody could check now keeps what was found before
    }


def keep_updated(file: WorkspaceFile, solutions: Sequence[Solution], grown: Grown, rules: RuleResults) -> None:
    """Store what a build found out about decisions, those included that were taken while it ran.

    Call it inside the transaction that publishes.
    """
    decisions = read_decisions(file)
    nodes = {i.id: i for i in grown.issues}
    found = follow_joined(decisions, grown.joined)
    decided = apply_decisions({s.id: s for s in solutions}, nodes, found)
    new = update_decisions(found, decided, nodes, rules)
    keep_decisions(file, (one for old, one in zip(decisions, new, strict=True) if one != old))

"""Answers ``evaluate quality``: what can be counted, what people said, and apart from both what a model says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.errors import AutokbError
from autokb.core.nouns import Issue, KnowledgeBase, Solution
from autokb.evaluation.annotation import read_sheet, sampled, sheet
from autokb.evaluation.judging import judged_compliance, judged_correctness
from autokb.evaluation.quality import quality
from autokb.issues.safeguards import rules_request
from autokb.issues.wording import solution_title
from autokb.pipeline.models import ASK_MODELS, AskModels, model_of
from autokb.pipeline.open_stages import open_stages
from autokb.pipeline.stages import Progress, Stages, silent
from autokb.stores.published import published_spec, read_published
from autokb.stores.workspace import Workspace
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.judges.correctness.task import TASK as CORRECTNESS
from autokb.tasks.judges.correctness.task import JudgeCorrectness

STAGE = "judge"


def evaluate_workspace_quality(
    workspace: Workspace,
    sheet_to: Path | None = None,
    read: Path | None = None,
    most: int | None = None,
    *,
    judge: bool = False,
    progress: Progress = silent,
    asking: AskModels = ASK_MODELS,
) -> dict[str, Any]:
    """Answer ``evaluate quality``; ``sheet_to`` writes the annotators' sheet, ``read`` takes a filled one in.

    ``judge`` asks the settings' model about every displayed solution (``most`` of them) and adds ``judged``.
    """
    with workspace.file() as file:
        published = read_published(file)
        kb, spec = published.kb, published_spec(workspace, published)
        if sheet_to is not None:
            _write(sheet_to, sheet(kb.solutions.values(), kb.issues, most))
        agreement = read_sheet(read) if read is not None else None
        answer = quality(kb.solutions.values(), spec, agreement)
        if not judge:
            return answer
        with open_stages(workspace, file, progress, asking) as stages:
            return {**answer, "judged": _judged(workspace, stages, kb, spec, most), **_spent(stages)}


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", newline="")
    except OSError as error:
        raise AutokbError(f"{path} cannot be written ({error.strerror}).") from error


def _judged(
    workspace: Workspace, stages: Stages, kb: KnowledgeBase, spec: DomainSpec, most: int | None
) -> dict[str, Any]:
    """Return what a model says of the displayed solutions: whether they are correct, whether they keep the rules."""
    shown = [s for s in sampled(kb.solutions.values(), most) if s.issue_id in kb.issues]
    ids = [s.id for s in shown]
    questions = [judge_request(s, kb.issues[s.issue_id], spec) for s in shown]
    correct = stages.run(STAGE, CORRECTNESS, questions, ids)
    checks = [rules_request(s, kb.issues[s.issue_id], spec) for s in shown]
    kept = stages.run(STAGE, CHECK_RULES, checks, ids)
    models = [
        model_of(workspace.settings, workspace.mode, task, STAGE) for task in (CORRECTNESS.name, CHECK_RULES.name)
    ]
    return {
        "correctness": judged_correctness(correct),
        "compliance": {**judged_compliance(kept), "model": models[1]},
        "model": models[0],
    }


def judge_request(solution: Solution, issue: Issue, spec: DomainSpec) -> JudgeCorrectness:
    """Ask whether a solution is correct for its node; an attribute that is Any limits nothing."""
    limited = sorted((name, tuple(sorted(v))) for name, v in issue.attributes.items() if v != ANY)
    return JudgeCorrectness(
        domain=spec.description or spec.name,
        issue=issue.text,
        attributes=tuple(limited),
        title=solution_title(solution),
        steps=solution.steps,
        quotes=tuple(dict.fromkeys(e.quote for e in solution.evidence)),
    )


def _spent(stages: Stages) -> Mapping[str, Any]:
    failures = [{"stage": f.stage, "item": f.item, "reason": f.reason} for f in stages.failures]
    return {"failures": failures, **stages.spending()}

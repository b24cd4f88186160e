"""What a first build will ask: what the sources tell is counted as it is, trees and solutions as usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autokb.chunking.context import chained_request
from autokb.chunking.windows import windows
from autokb.core.nouns import Chunk, Document, RawIssue
from autokb.pipeline.embedding import read_embedder_name
from autokb.pipeline.stages import Stages
from autokb.pipeline.steps.contexts import DOCUMENT_CHARACTERS, context_mode, context_requests
from autokb.pipeline.steps.documents import chunk_documents
from autokb.pipeline.steps.issues import organise
from autokb.pipeline.steps.solutions import asks_attributes_apart
from autokb.pipeline.steps.trees import reports_by_lead, shares_requests
from autokb.pipeline.workload import Workload
from autokb.stores.published import read_published
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.chunking.add_context.task import TASK as ADD_CONTEXT
from autokb.tasks.chunking.add_context.task import AddContext
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrowTree
from autokb.tasks.issues.grow_trees.task import TASK as GROW_TREES
from autokb.tasks.issues.grow_trees.task import GrowTrees
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS
from autokb.tasks.task import In, Out, Task

TYPICAL_CONTEXT = "It is about the product, on the page that its title names, and says what to do there. " * 2


def forecast_first_build(workspace: Workspace, file: WorkspaceFile, stages: Stages) -> None:
    """Have the stages count everything that a first build of what was added would ask.

    Documents and issues are counted as they are. Themes and seeds are those found offline, which a model's own come
    near to; children and solutions are as many as in appendix C of the paper.
    """
    documents = staged_documents(file)
    raw = staged_raw_issues(file)
    chunks = chunk_documents(stages, workspace.settings, documents)
    _count(stages, "context", ADD_CONTEXT, _context_requests(workspace, documents, chunks))
    everything = [c for d in documents for c in chunks.get(d.id, ())]
    workload = Workload(workspace.spec, raw, {d.id: d for d in documents}, everything)
    if raw:
        trees = _trees(workspace, file, stages, raw) or _expected_trees(workspace, stages, workload)
        _count_trees(workspace, stages, replace(workload, trees=trees))
    if read_embedder_name(workspace.settings.embedder).is_paid:
        titles = {d.id: d for d in documents}
        windowed = ((titles[c.document], w) for c in everything for w in windows(titles[c.document], [c]))
        stages.embed([f"{document.title}\n{w.text}" for document, w in windowed] + [d.title for d in documents])


def _expected_trees(workspace: Workspace, stages: Stages, workload: Workload) -> Sequence[GrowTree | GrowTrees]:
    trees = workload.expected_trees()
    if not shares_requests(workspace, stages):
        return trees
    return [GrowTrees(t.domain, t.configuration, t.cluster, language=t.language) for t in trees]


def _trees(
    workspace: Workspace, file: WorkspaceFile, stages: Stages, raw: Sequence[RawIssue]
) -> Sequence[GrowTree | GrowTrees]:
    """Go through issue processing with offline answers in the place of a model's; none where vectors cost money."""
    spec = workspace.spec
    asked = [ExtractAttributes(r.full_text, "issue", spec.attributes, spec.language) for r in raw]
    replies = stages.run("attributes", EXTRACT_ATTRIBUTES, asked, [r.id for r in raw])
    attributes = {r.id: reply.as_attributes() for r, reply in zip(raw, replies, strict=True) if reply is not None}
    vectors = stages.embed([r.full_text for r in raw])
    organised = organise(stages, spec, raw, vectors, read_published(file), rethink=False, mode=workspace.mode)
    if read_embedder_name(workspace.settings.embedder).is_paid:
        return []
    found = reports_by_lead(spec, raw, attributes, organised, {}).values()
    if shares_requests(workspace, stages):
        return [reports.cluster_question(spec) for reports in found]
    return [reports.question(spec) for reports in found]


def _count_trees(workspace: Workspace, stages: Stages, workload: Workload) -> None:
    task: Task[Any, Any] = GROW_TREES if shares_requests(workspace, stages) else GROW_TREE
    _count(stages, "trees", task, workload.trees)
    apart = asks_attributes_apart(workspace, stages)
    scratchpad = workspace.settings.scratchpad
    _count(stages, "solutions", WRITE_SOLUTIONS, workload.solutions(apart=apart, scratchpad=scratchpad))
    if apart:
        _count(stages, "solution_attributes", EXTRACT_ATTRIBUTES, workload.solution_attributes())
    if workspace.spec.rules:
        _count(stages, "rules", CHECK_RULES, workload.rules())


def _count(stages: Stages, stage: str, task: Task[In, Out], items: Sequence[In]) -> None:
    """Let the stages count what a model would be asked about items; the offline answers to them are not needed."""
    if items and stages.asks_model(task, stage):
        stages.run(stage, task, items, [""] * len(items))


def _context_requests(
    workspace: Workspace, documents: Sequence[Document], chunks: dict[str, list[Chunk]]
) -> list[AddContext]:
    asked: list[AddContext] = []
    for document in documents:
        found, language = chunks.get(document.id, []), workspace.spec.language
        if context_mode(workspace) == "chained":
            before = [None, *(replace(c, context=TYPICAL_CONTEXT) for c in found)]
            asked += [chained_request(document, c, b, language) for c, b in zip(found, before, strict=False)]
        elif found:
            asked += context_requests(document, found, DOCUMENT_CHARACTERS, language)
    return asked

"""What a first build will ask: what the sources tell is counted as it is, trees and solutions as usual."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autokb.app.build_documents import MODEL_READS, context_requests, context_way
from autokb.app.build_issues import organise
from autokb.app.build_solutions import asks_attributes_apart
from autokb.app.build_trees import tree_questions
from autokb.app.cut_documents import cut
from autokb.app.embedding import embedder_of
from autokb.app.models import is_paid
from autokb.app.published import read_published
from autokb.app.records import read_document, read_raw_issue
from autokb.app.stages import Stages
from autokb.app.typical import Typical
from autokb.app.workspace import Workspace
from autokb.chunking.context import chained_request
from autokb.chunking.windows import windows
from autokb.core.nouns import Chunk, Document, RawIssue
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.chunking.add_context.task import TASK as ADD_CONTEXT
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrowTree
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS
from autokb.tasks.task import Task

CONTEXT = "It is about the product, on the page that its title names, and says what to do there. " * 2


def count_first_build(workspace: Workspace, file: WorkspaceFile, stages: Stages) -> None:
    """Count everything that a first build of what was added would ask, by stage.

    Documents and issues are counted as they are. Themes and seeds are those found offline, which a model's own come
    near to; children and solutions are as many as in appendix C of the paper.
    """
    documents = [read_document(s.id, s.body) for s in file.staged("documents")]
    raw = [read_raw_issue(s.id, s.body) for s in file.staged("issues")]
    chunks = cut(stages, workspace.settings, documents)
    _contexts(workspace, stages, documents, chunks)
    everything = [c for d in documents for c in chunks.get(d.id, ())]
    typical = Typical(workspace.spec, raw, {d.id: d for d in documents}, everything)
    if raw:
        trees = _trees(workspace, file, stages, raw) or typical.expected_trees()
        _count_trees(workspace, stages, replace(typical, trees=trees))
    _count_embeddings(stages, documents, everything)


def _trees(workspace: Workspace, file: WorkspaceFile, stages: Stages, raw: Sequence[RawIssue]) -> list[GrowTree]:
    """Go through issue processing with offline answers in the place of a model's; none where vectors cost money."""
    spec, embedder = workspace.spec, embedder_of(workspace.settings)
    asked = [ExtractAttributes(r.full_text, "issue", spec.attributes) for r in raw]
    replies = stages.run("attributes", EXTRACT_ATTRIBUTES, asked, [r.id for r in raw])
    attributes = {r.id: reply.as_attributes() for r, reply in zip(raw, replies, strict=True) if reply is not None}

    def embed(texts: Sequence[str]) -> Any:
        return stages.embed("embeddings", embedder, texts)

    vectors = embed([r.full_text for r in raw])
    organised = organise(stages, spec, raw, vectors, read_published(file), rethink=False, embed=embed)
    if is_paid(workspace.settings.embedder):
        return []
    return tree_questions(spec, raw, attributes, organised, {})[1]


def _count_trees(workspace: Workspace, stages: Stages, typical: Typical) -> None:
    _count(stages, "trees", GROW_TREE, typical.trees)
    apart = asks_attributes_apart(workspace)
    _count(stages, "solutions", WRITE_SOLUTIONS, typical.solutions(with_attributes=not apart))
    if apart:
        _count(stages, "solution_attributes", EXTRACT_ATTRIBUTES, typical.solution_attributes())
    if workspace.spec.rules:
        _count(stages, "rules", CHECK_RULES, typical.rules())


def _count(stages: Stages, stage: str, task: Task[Any, Any], items: Sequence[Any]) -> None:
    """Let a stage be asked of the counting client; its stand-in answers are not needed."""
    if items:
        stages.count(stage, task, items)


def _contexts(
    workspace: Workspace, stages: Stages, documents: Sequence[Document], chunks: dict[str, list[Chunk]]
) -> None:
    asked: list[Any] = []
    for document in documents:
        own = chunks.get(document.id, [])
        if context_way(workspace) == "chained":
            told = [Chunk(c.id, c.document, c.text, c.spans, c.headings, c.parent_id, CONTEXT) for c in own]
            asked += [chained_request(document, c, told[n - 1] if n else None) for n, c in enumerate(own)]
        elif own:
            asked += context_requests(document, own, MODEL_READS)
    _count(stages, "context", ADD_CONTEXT, asked)


def _count_embeddings(stages: Stages, documents: Sequence[Document], chunks: Sequence[Chunk]) -> None:
    """Count what a paid embedder reads of the documents; what it reads of issues was counted on the way."""
    titled = {d.id: d for d in documents}
    texts = [f"{titled[c.document].title}\n{w.text}" for c in chunks for w in windows(titled[c.document], [c])]
    texts += [d.title for d in documents]
    stages.count_texts("embeddings", texts)

"""What a first build will ask: what the sources tell is counted as it is, trees and solutions as usual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from autokb.app.build_documents import MODEL_READS, context_requests, context_way, cut
from autokb.app.build_solutions import asks_attributes_apart
from autokb.app.published import read_published
from autokb.app.records import read_document, read_raw_issue
from autokb.app.stages import Stages
from autokb.app.typical import Ratios, Typical
from autokb.app.workspace import Workspace
from autokb.chunking.context import chained_request
from autokb.chunking.windows import windows
from autokb.knowledge.domain import DomainSpec
from autokb.knowledge.nouns import Chunk, Document, RawIssue
from autokb.stores.knowledge_file import KnowledgeFile
from autokb.tasks.chunking.add_context.task import ROOM as ADD_CONTEXT
from autokb.tasks.issues.assign_theme.task import ROOM as ASSIGN_THEME
from autokb.tasks.issues.check_rules.task import ROOM as CHECK_RULES
from autokb.tasks.issues.extract_attributes.task import ROOM as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.find_themes.task import ROOM as FIND_THEMES
from autokb.tasks.issues.find_themes.task import FindThemes
from autokb.tasks.issues.grow_tree.task import ROOM as GROW_TREE
from autokb.tasks.issues.write_solutions.task import ROOM as WRITE_SOLUTIONS
from autokb.tasks.room import Room

CONTEXT = "It is about the product, on the page that its title names, and says what to do there. " * 2


def count_first_build(workspace: Workspace, file: KnowledgeFile, stages: Stages) -> None:
    """Count everything that a first build of what was added would ask, by stage."""
    spec = workspace.spec
    documents = [read_document(s.id, s.body) for s in file.staged("documents")]
    raw = [read_raw_issue(s.id, s.body) for s in file.staged("issues")]
    chunks = cut(stages, workspace.settings, documents)
    _contexts(workspace, stages, documents, chunks)
    _count(
        stages,
        "attributes",
        EXTRACT_ATTRIBUTES,
        [ExtractAttributes(r.full_text, "issue", spec.attributes) for r in raw],
    )
    names = _themes(stages, spec, raw)
    everything = [c for d in documents for c in chunks.get(d.id, ())]
    typical = Typical(spec, raw, {d.id: d for d in documents}, everything, own_ratios(file))
    if raw:
        _count(stages, "assign", ASSIGN_THEME, typical.assignments(names))
        _count_trees(workspace, stages, typical)
    _count_embeddings(stages, documents, everything, raw)


def _count_trees(workspace: Workspace, stages: Stages, typical: Typical) -> None:
    _count(stages, "trees", GROW_TREE, typical.trees())
    apart = asks_attributes_apart(workspace)
    _count(stages, "solutions", WRITE_SOLUTIONS, typical.solutions(with_attributes=not apart))
    if apart:
        _count(stages, "solution_attributes", EXTRACT_ATTRIBUTES, typical.solution_attributes())
    if workspace.spec.rules:
        _count(stages, "rules", CHECK_RULES, typical.rules())


def own_ratios(file: KnowledgeFile) -> Ratios:
    """Return the seeds an issue that this workspace has, however it was built; else those of the paper."""
    published = read_published(file)
    if not published.raw_issues or not published.kb.seeds:
        return Ratios()
    return Ratios(seeds=len(published.kb.seeds) / len(published.raw_issues))


def _count(stages: Stages, stage: str, room: Room[Any, Any], items: Sequence[Any]) -> None:
    """Let a stage be asked of the counting door; its stand-in answers are not needed."""
    if items:
        stages.count(stage, room, items)


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


def _themes(stages: Stages, spec: DomainSpec, raw: Sequence[RawIssue]) -> tuple[str, ...]:
    """Count the question for themes; where their names are known already return them."""
    if not raw:
        return ()
    texts = tuple(r.full_text for r in raw)
    question = FindThemes(f"{spec.name}: {spec.description}", texts, np.zeros((len(texts), 1)), texts)
    _count(stages, "themes", FIND_THEMES, [question])
    return ()


def _count_embeddings(
    stages: Stages, documents: Sequence[Document], chunks: Sequence[Chunk], raw: Sequence[RawIssue]
) -> None:
    """Count what a paid embedder reads: windows with their titles, and every issue with what it is about."""
    titled = {d.id: d for d in documents}
    texts = [f"{titled[c.document].title}\n{w.text}" for c in chunks for w in windows(titled[c.document], [c])]
    texts += [d.title for d in documents]
    texts += [r.full_text for r in raw] * 2
    stages.count_texts("embeddings", texts)

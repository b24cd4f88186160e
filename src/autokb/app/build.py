"""Algorithm 1 of the AutoKB paper: documents are cut, issues organised, trees grown, solutions found and checked."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autokb.app.build_documents import cut_documents
from autokb.app.build_issues import Organised, organise
from autokb.app.build_solutions import find_solutions, judged_by_people
from autokb.app.build_trees import Grown, grow_trees
from autokb.app.embedding import check_settings, embedder_of
from autokb.app.fitting import fit_documents, fit_questions_gate, fit_trees
from autokb.app.index import AskIndex, node_index, past_issues, unresolved_links
from autokb.app.library import Library
from autokb.app.model_stages import open_stages
from autokb.app.models import ASK_MODELS, AskModels, model_of
from autokb.app.published import Published, read_published
from autokb.app.publishing import KINDS, records
from autokb.app.records import read_document, read_raw_issue
from autokb.app.stages import Progress, Stages, silent
from autokb.app.workspace import Workspace
from autokb.core.attributes import Attributes
from autokb.core.document_names import DocumentNames
from autokb.core.errors import StoppedOnPurposeError
from autokb.core.ids import digest
from autokb.core.nouns import DISPLAYED, Document, RawIssue, Solution
from autokb.llm.embedders import Embedder, Vectors
from autokb.retrieval.gate import Gate
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE


def build(
    workspace: Workspace,
    *,
    rethink: bool = False,
    asking: AskModels = ASK_MODELS,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Build what was added and publish it in one step; returns the contract's counts.

    Finished work is kept as it is done, so a build that was killed goes on. Raises WorkspaceBusyError while another
    build is at work, AutokbError when the disk is full or the folder cannot be written (the KB is then as before), and
    StoppedOnPurposeError when the budget is reached or replies are awaited, with what was done until then.
    """
    started = time.perf_counter()
    check_settings(workspace.settings)
    with (
        workspace.build_lock(),
        workspace.file() as file,
        open_stages(workspace, file, progress, asking) as stages,
    ):
        run = _Run(workspace, file, stages, embedder_of(workspace.settings), read_published(file), rethink)
        try:
            counts = run.build()
        except StoppedOnPurposeError as stop:
            stop.result = {**_answer(NO_COUNTS, stages, time.perf_counter() - started), "stopped": str(stop)}
            raise
        seconds = time.perf_counter() - started
        with file.transaction():
            file.note("build_seconds_an_item", str((seconds - stages.waited()) / max(counts.pop("items"), 1)))
            file.note("grown_by", model_of(workspace.settings, workspace.mode, GROW_TREE.name, "trees"))
        return _answer(counts, stages, seconds)


def rehearse(workspace: Workspace, file: WorkspaceFile, stages: Stages) -> None:
    """Go through a build without publishing it, so that its stages count what they would ask."""
    embedder = embedder_of(workspace.settings)
    _Run(workspace, file, stages, embedder, read_published(file), rethink=False).build(publish=False)


def _answer(counts: Mapping[str, Any], stages: Stages, seconds: float) -> dict[str, Any]:
    return {
        **counts,
        "failures": [{"stage": f.stage, "item": f.item, "reason": f.reason} for f in stages.failures],
        "left_out": [{"stage": f.stage, "item": f.item, "reason": f.reason} for f in stages.left_out],
        **stages.spending(),
        "awaited": stages.awaited,
        "batch": stages.batch_report(),
        "seconds": round(seconds, 3),
        "stages": stages.as_json(),
    }


NO_COUNTS = dict.fromkeys(("themes", "seeds", "parents", "children", "solutions", "withheld"), 0)


@dataclass(frozen=True)
class _Run:
    """One build: what it reads, and the steps of the algorithm in their order."""

    workspace: Workspace
    file: WorkspaceFile
    stages: Stages
    embedder: Embedder
    published: Published
    rethink: bool

    def build(self, *, publish: bool = True) -> dict[str, Any]:
        """Run the algorithm and publish."""
        documents, raw = self._sources()
        # Step 1: domain knowledge chunking
        library = Library.of({d.id: d for d in documents}, cut_documents(self.stages, self.workspace, documents))
        # Step 2: issue processing
        raw_vectors = self.embed([r.full_text for r in raw])
        attributes = self._attributes(raw)
        organised = organise(
            self.stages,
            self.workspace.spec,
            raw,
            raw_vectors,
            self.published,
            rethink=self.rethink,
            embed=self.embed,
        )
        self.stages.stop_if_awaited()
        windows = self.embed(library.window_texts())
        titles = self.embed(library.titles())
        grown = grow_trees(self.stages, self.workspace.spec, raw, raw_vectors, attributes, organised, windows)
        self.stages.stop_if_awaited()
        # Step 3: solution generation, with what is known of earlier outcomes
        past = past_issues(raw, DocumentNames(documents))
        shared = _Shared(documents, raw, library, past, dict(zip((r.id for r in raw), raw_vectors, strict=True)))
        index, gate = self._fitted(shared, windows, titles, raw_vectors, grown)
        solutions = find_solutions(self.stages, self.workspace, shared.documents, index, grown.issues, past)
        self.stages.stop_if_awaited()
        if not publish:
            return {}
        solutions = judged_by_people(solutions, self.published.kb.solutions)
        index = self._with_trees(index, shared, grown, solutions, attributes)
        self._publish(shared, attributes, organised, grown, solutions, index, gate)
        counts = _counts(organised, grown, solutions, len(documents) + len(raw))
        return {**counts, "unresolved_links": unresolved_links(raw, DocumentNames(documents))}

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Return the vectors of texts, each embedded once in the workspace's life."""
        return self.stages.embed("embeddings", self.embedder, texts)

    def _sources(self) -> tuple[list[Document], list[RawIssue]]:
        documents = [read_document(s.id, s.body) for s in self.file.staged("documents")]
        return documents, [read_raw_issue(s.id, s.body) for s in self.file.staged("issues")]

    def _attributes(self, raw: Sequence[RawIssue]) -> dict[str, Attributes]:
        configuration = self.workspace.spec.attributes
        asked = [ExtractAttributes(r.full_text, "issue", configuration) for r in raw]
        replies = self.stages.run("attributes", EXTRACT_ATTRIBUTES, asked, [r.id for r in raw])
        return {r.id: reply.as_attributes() for r, reply in zip(raw, replies, strict=True) if reply is not None}

    def _fitted(
        self, shared: _Shared, windows: Vectors, titles: Vectors, raw_vectors: Vectors, grown: Grown
    ) -> tuple[AskIndex, Gate]:
        """Return an index over nodes without solutions yet, its weights and gate fitted on the workspace's own past."""
        spec, chunks = self.workspace.spec, shared.library.index(windows, titles)
        texts = digest(self.embedder.name, *shared.library.window_texts(), *shared.library.titles())
        vectors = shared.past_vectors(self.embedder.dimensions)
        fitted = fit_documents(self.stages, chunks, shared.past, vectors, texts)
        knowledge = KnowledgeIndex.of(grown.issues, (), spec.attributes, spec.attributes)
        nodes = self.embed([knowledge.issues[i].text for i in knowledge.ids])
        everything = digest(texts, *(r.full_text for r in shared.raw))
        gate = fit_questions_gate(self.stages, self.embedder.name, raw_vectors, [windows], everything)
        history = build_history(chunks.documents, shared.past, vectors, chunks.centroids())
        index = node_index(knowledge, nodes, shared.raw_vectors, chunks.documents)
        return AskIndex(spec, self.embedder, index, chunks, history, fitted.weights, gate, "0"), gate

    def _with_trees(
        self,
        index: AskIndex,
        shared: _Shared,
        grown: Grown,
        solutions: Sequence[Solution],
        attributes: Mapping[str, Attributes],
    ) -> AskIndex:
        """Return the index with solutions and the weights of trees fitted on the past."""
        attributes_of = self.workspace.spec.attributes
        knowledge = KnowledgeIndex.of(grown.issues, solutions, attributes_of, attributes_of)
        nodes = node_index(knowledge, index.nodes.vectors, shared.raw_vectors, index.chunks.documents)
        whole = AskIndex(**{**index.__dict__, "nodes": nodes})
        if not whole.weights.history:
            return whole
        texts = digest(
            self.embedder.name, *(p.id + p.text + p.date for p in shared.past), *shared.library.window_texts()
        )
        weights = fit_trees(self.stages, whole, shared.past, shared.raw_vectors, attributes, texts)
        return AskIndex(**{**whole.__dict__, "weights": weights})

    def _publish(
        self,
        shared: _Shared,
        attributes: Mapping[str, Attributes],
        organised: Organised,
        grown: Grown,
        solutions: Sequence[Solution],
        index: AskIndex,
        gate: Gate,
    ) -> None:
        settings = {
            "themes": organised.setting(),
            "weights": index.weights.as_json(),
            "gate": gate.as_json(),
            "domain": {"yaml": self.workspace.domain_text},
            "chunks": {"chunker": self.workspace.settings.chunker, "max_size": self.workspace.settings.max_size},
        }
        found = records(
            shared.documents,
            shared.library.chunks,
            shared.raw,
            attributes,
            organised,
            grown.issues,
            grown.reasons,
            solutions,
            settings,
        )
        with self.stages.timed("publish"), self.file.transaction():
            self.file.publish(found, KINDS)


@dataclass(frozen=True)
class _Shared:
    """What several steps look at."""

    documents: Sequence[Document]
    raw: Sequence[RawIssue]
    library: Library
    past: Sequence[PastIssue]
    raw_vectors: Mapping[str, Vectors]

    def past_vectors(self, dimensions: int) -> Vectors:
        """Return the vectors of the issues with known outcomes."""
        rows = [self.raw_vectors[p.id] for p in self.past]
        return np.array(rows, dtype=np.float32).reshape(len(rows), dimensions)


def _counts(organised: Organised, grown: Grown, solutions: Sequence[Solution], items: int) -> dict[str, int]:
    parents = sum(i.parent_id is None for i in grown.issues)
    return {
        "themes": sum(bool(c.seeds) for c in organised.clusters.values()),
        "seeds": sum(len(c.seeds) for c in organised.clusters.values()),
        "parents": parents,
        "children": len(grown.issues) - parents,
        "solutions": sum(s.status in DISPLAYED for s in solutions),
        "withheld": sum(s.status == "withheld" for s in solutions),
        "items": items,
    }

"""Algorithm 1 of the AutoKB paper: documents chunked, issues organised, trees grown, solutions found and checked."""

from __future__ import annotations

import shlex
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from autokb.core.attributes import Attributes
from autokb.core.checks import Refusal
from autokb.core.decisions import Decided
from autokb.core.document_names import DocumentNames
from autokb.core.domain import DomainSpec, Rule
from autokb.core.errors import StageFailedError, StoppedOnPurposeError
from autokb.core.findings import joined_trees
from autokb.core.ids import canonical_json, digest, key_json
from autokb.core.nouns import DISPLAYED, Document, Passage, RawIssue, Solution
from autokb.core.progress import Progress, silent
from autokb.core.regex_timeout import forget_slow_searches
from autokb.core.vectors import Vectors
from autokb.heuristics.document_audience import with_audiences
from autokb.issues.answering_sections import AnsweringSections
from autokb.issues.manuals import Manuals
from autokb.issues.same_problem import SameProblem
from autokb.issues.told import told_issues
from autokb.pipeline.build_report import BuildReport, KnowledgeCounts
from autokb.pipeline.checks import check_gate_settings, without_tickets
from autokb.pipeline.model_choice import check_settings
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.open_index import keep_search_rows
from autokb.pipeline.rounds import stop_if_awaited
from autokb.pipeline.rules_stay import check_rules_stay
from autokb.pipeline.stages import Stages, open_stages
from autokb.pipeline.steps.candidates import index_candidates
from autokb.pipeline.steps.confidence import fit_confidence
from autokb.pipeline.steps.contexts import chunk_with_contexts
from autokb.pipeline.steps.decisions import RuleResults, decide
from autokb.pipeline.steps.fit import fit_gate
from autokb.pipeline.steps.issues import Organised, organise
from autokb.pipeline.steps.languages import prepare_languages
from autokb.pipeline.steps.passages import STAGE as PASSAGES
from autokb.pipeline.steps.passages import find_passages
from autokb.pipeline.steps.publish import Built, records
from autokb.pipeline.steps.solutions import PassageFinder, find_solutions
from autokb.pipeline.steps.trees import Grown, drop_off_topic, grow_trees, merge_parents
from autokb.pipeline.versions import keep_candidate, name_forcer, publish_candidate, publish_or_keep
from autokb.retrieval.candidates import Candidates, section_text
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.gate import DEFAULT_THRESHOLD, Gate
from autokb.retrieval.gate_fitting import off_topic_issues
from autokb.retrieval.history import PastIssue, build_history
from autokb.retrieval.index import QuestionIndex, past_issues, unresolved_links
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeIndex
from autokb.retrieval.recalibration import SETTING as CONFIDENCE
from autokb.retrieval.recalibration import UNCHANGED
from autokb.retrieval.search import ChunkIndex
from autokb.stores.checks import read_checks
from autokb.stores.findings import read_findings
from autokb.stores.published import REVIEW, Published, read_published
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.text.lexicons import missing_sentence

MANY_CHANGED = 0.2  # share of the raw issues: from here on themes made of the earlier ones may be about nothing
GROWN_BY = "grown_by"  # meta: the model that grew the published trees


def build(
    workspace: Workspace,
    *,
    rethink: bool = False,
    yes: bool = False,
    candidate: bool = False,
    force: str = "",
    options: ModelOptions | None = None,
    progress: Progress = silent,
) -> BuildReport:
    """Build what was added and publish it in one step, or keep it as the ``candidate`` beside what readers see.

    Where a team has checks, it is a candidate first, and published when it passes the gate of the settings. One that
    has less than half of the solutions, documents or issues of what readers see stays a candidate, too. ``force``
    names who publishes it all the same (BadInputError where the name is blank).

    Finished work is kept as it is done, so a build that was killed goes on. Raises BadInputError when the domain lacks
    a rule of the published one, unless ``yes``; WorkspaceBusyError while another build is at work; AutokbError when the
    disk is full or the folder cannot be written (the KB is then as before); and StoppedOnPurposeError when the budget
    is reached or replies are awaited, with what was done until then; StageFailedError when more items of a stage failed
    than the settings' ``failure_tolerance``. Nothing is published then.
    """
    started = time.perf_counter()
    force = name_forcer(force) if force else ""
    check_settings(workspace.settings)
    forget_slow_searches()
    with workspace.build_lock(), workspace.file() as file:
        if not yes:
            check_rules_stay(workspace, file)
        check_gate_settings(workspace, file)
        with open_stages(workspace, file, progress, options, tolerance=workspace.settings.failure_tolerance) as stages:
            try:
                replaced = file.rolled_back
                counts, refusal = Build(workspace, file, stages, rethink, candidate, force).run()
            except (StoppedOnPurposeError, StageFailedError) as stop:
                stopped = _report(KnowledgeCounts(), stages, workspace.spec, time.perf_counter() - started)
                stop.result = replace(stopped, stopped=str(stop))
                raise
            seconds = time.perf_counter() - started
            with file.transaction():
                file.note(GROWN_BY, stages.model(GROW_TREE, "trees"))
            report = replace(_report(counts, stages, workspace.spec, seconds), refusal=refusal)
            said = (
                _published_sentence(workspace, file, replaced, candidate or refusal is not None),
                _unguarded_sentence(workspace, candidate or bool(without_tickets(read_checks(file)))),
            )
            return replace(report, notes=(*report.notes, *filter(None, said)))


def _report(counts: KnowledgeCounts, stages: Stages, spec: DomainSpec, seconds: float) -> BuildReport:
    notes = (
        missing_sentence(spec.language),
        *stages.log.notes,
        _unchecked_rules_sentence([] if stages.asks_model(CHECK_RULES, "rules") else spec.rules),
        _orphans_sentence(counts.orphaned),
        _outdated_sentence(counts.outdated),
    )
    return BuildReport(
        **{one.name: getattr(counts, one.name) for one in fields(counts)},
        **stages.done(),
        rounds_left=stages.rounds_left,
        seconds=round(seconds, 3),
        notes=tuple(filter(None, notes)),
    )


def _unchecked_rules_sentence(rules: Sequence[Rule]) -> str:
    """Name the rules that nothing can find broken without a model; nothing where there are none."""
    unchecked = [rule.id for rule in rules if not rule.is_checked_offline]
    if not unchecked:
        return ""
    are, them = ("rule is", "it") if len(unchecked) == 1 else ("rules are", "them")
    return (
        f"{len(unchecked)} {are} not checked, since no model is set: {', '.join(unchecked)}. Give {them} phrases in "
        "domain.yaml, for example forbid: [contact support]."
    )


def _published_sentence(workspace: Workspace, file: WorkspaceFile, replaced: int, candidate: bool) -> str:
    """Say where to look at a candidate, or that the build took the place of a version that was rolled back to."""
    if candidate:
        folder = shlex.quote(str(workspace.folder))
        return (
            f"Readers still see the current version. To release this one: autokb publish {folder}; to delete it: "
            f"autokb discard {folder}."
        )
    if not replaced:
        return ""
    return f"Readers had version {replaced} again since a rollback; they see version {file.shown_version} now."


def _unguarded_sentence(workspace: Workspace, guarded: bool) -> str:
    """Say that the settings' gate had nothing to ask."""
    if guarded or workspace.settings.gate is None:
        return ""
    folder = shlex.quote(str(workspace.folder))
    return f"Published unchecked: the gate of settings.yaml has no checks. Add some: autokb checks add {folder} FILE"


def _outdated_sentence(count: int) -> str:
    """Say that many issues are no longer those that the themes were made from; nothing where they are."""
    if not count:
        return ""
    return (
        f"{count:,} raw issues were removed or changed since the themes were made; themes and clusters stay as they "
        "were. To make them again from the issues of today: autokb build WORKSPACE --rethink"
    )


def _orphans_sentence(count: int) -> str:
    """Say that decisions of people wait for their solutions; nothing where none does."""
    if not count:
        return ""
    what = "1 approval or edit has lost its solution"
    if count > 1:
        what = f"{count} approvals or edits have lost their solutions"
    return f"{what}. Nothing is deleted: autokb show lists them, and autokb review where an edit fits now."


@dataclass(frozen=True)
class BuildSources:
    """What a build reads, and what several steps look at."""

    documents: Sequence[Document]
    raw: Sequence[RawIssue]
    corpus: Corpus
    past: Sequence[PastIssue]
    raw_vectors: Vectors
    attributes: Mapping[str, Attributes]

    def vectors_by_id(self) -> dict[str, Vectors]:
        """Return the vectors of the raw issues by their ids."""
        return dict(zip((r.id for r in self.raw), self.raw_vectors, strict=True))

    def past_vectors(self) -> Vectors:
        """Return the vectors of the issues with known outcomes."""
        rows = self.vectors_by_id()
        return np.array([rows[p.id] for p in self.past], dtype=np.float32).reshape(-1, self.raw_vectors.shape[1])


@dataclass(frozen=True)
class Build:
    """One build of a workspace: the steps of the algorithm in their order."""

    workspace: Workspace
    file: WorkspaceFile
    stages: Stages
    rethink: bool = False
    candidate: bool = False
    force: str = ""

    def run(self, *, publish: bool = True) -> tuple[KnowledgeCounts, Refusal | None]:
        """Run the algorithm and publish; returns what the gate has against it, too."""
        stages, spec = self.stages, self.workspace.spec
        published = read_published(self.file)
        staged = staged_documents(self.file)
        documents, names = with_audiences(staged, spec), DocumentNames(staged)  # links name titles as they were added
        whole, note = told_issues(staged_raw_issues(self.file), documents, spec.language)
        stages.log.notes.append(note)
        raw = [one.as_told() for one in whole]
        # Step 1: domain knowledge chunking
        chunks = chunk_with_contexts(stages, self.workspace, documents)
        corpus = Corpus.of({d.id: d for d in documents}, chunks, spec.language)
        # Step 2: issue processing
        raw_vectors = stages.embed([r.full_text for r in raw])
        attributes = self._attributes(raw)
        mode = self.workspace.mode
        reduce = self.workspace.settings.clustering.reduce
        organised = organise(stages, spec, raw, raw_vectors, published, rethink=self.rethink, mode=mode, reduce=reduce)
        stop_if_awaited(stages, self.workspace, len(raw))
        titles = stages.embed(corpus.titles())
        past = past_issues(raw, names)
        sources = BuildSources(documents, raw, corpus, past, raw_vectors, attributes)
        passages = self._passages(sources)
        self._read_tokens([section_text(p) for p in passages])
        windows = corpus.window_vectors(passages, stages.embed)
        sections = AnsweringSections.of(passages if raw else (), spec, stages.embed)  # issues alone are compared
        problems = dict(zip((r.id for r in raw), organised.problems, strict=True))
        links = {p.id: p.documents for p in past}
        same_problem = SameProblem(sections, problems, links)
        grown = grow_trees(
            stages=stages,
            workspace=self.workspace,
            raw=raw,
            vectors=raw_vectors,
            attributes=attributes,
            organised=organised,
            windows=windows,
            same_problem=same_problem,
            manuals=Manuals(corpus, windows, passages),
        )
        stop_if_awaited(stages, self.workspace, len(raw))
        grown = merge_parents(stages, self.workspace, grown)
        stop_if_awaited(stages, self.workspace, len(raw))
        # Step 3: solution generation, with what is known of earlier outcomes
        index = self._fitted_index(sources, windows, titles, grown, passages)
        grown = drop_off_topic(grown, raw, off_topic_issues(index, sources.vectors_by_id()))
        texts = {r.id: r.full_text for r in raw}
        finder = PassageFinder(
            index=index,
            corpus=corpus,
            links=links,
            texts=texts,
            passages=passages,
            spec=spec,
        )
        told = joined_trees(read_findings(self.file).values())
        grown, solutions = find_solutions(
            stages, self.workspace, finder, same_problem, grown, told=told, decided=published.decided.ids
        )
        decided, rules = decide(stages, spec, solutions, grown, published, raw)
        stop_if_awaited(stages, self.workspace, len(raw))
        if not publish:
            return KnowledgeCounts(), None
        confidence = fit_confidence(stages, index, passages, past, canonical_json(self._inputs(sources)))
        index = self._with_solutions(index, sources, grown, decided, passages)
        refusal = self._publish(
            published=published,
            sources=sources,
            whole=whole,
            organised=organised,
            grown=grown,
            solutions=solutions,
            index=replace(index, recalibration=confidence),
            rules=rules,
        )
        prepare_languages(stages, self.workspace)
        keep_search_rows(self.workspace, self.file)
        return _counts(organised, grown, decided, unresolved_links(raw, names)), refusal

    def _attributes(self, raw: Sequence[RawIssue]) -> dict[str, Attributes]:
        spec = self.workspace.spec
        manner = (spec.language, spec.in_words, self.workspace.settings.scratchpad)
        asked = [ExtractAttributes(r.full_text, "issue", spec.attributes, *manner) for r in raw]
        replies = self.stages.run("attributes", EXTRACT_ATTRIBUTES, asked, [r.id for r in raw])
        return {r.id: reply.as_attributes() for r, reply in zip(raw, replies, strict=True) if reply is not None}

    def _fitted_index(
        self, sources: BuildSources, windows: Vectors, titles: Vectors, grown: Grown, passages: Sequence[Passage]
    ) -> QuestionIndex:
        """Return an index over nodes without solutions yet, its gate fitted on the workspace's own questions."""
        stages, spec, corpus = self.stages, self.workspace.spec, sources.corpus
        chunks = corpus.index(windows, titles)
        texts = digest(stages.encoder.name, corpus.fingerprint(), *map(section_text, passages))
        past_vectors = sources.past_vectors()
        knowledge = KnowledgeIndex.of(grown.issues, (), spec.attributes)
        texts_of_nodes = [knowledge.issues[i].text for i in knowledge.ids]
        self._read_tokens(texts_of_nodes)  # nodes are asked like customers
        nodes = stages.embed(texts_of_nodes)
        index = QuestionIndex(
            spec=spec,
            encoder=stages.encoder.name,
            embed_questions=stages.embed,
            nodes=NodeIndex.of(knowledge, nodes, sources.vectors_by_id()),
            candidates=Candidates.of((), knowledge, {}, chunks),
            chunks=chunks,
            history=build_history(chunks.documents, sources.past, past_vectors, chunks.centroids(), spec.language),
            gate=Gate(DEFAULT_THRESHOLD, stages.encoder.name),
            generation="0",
        )
        everything = digest(texts, *(part for r in sources.raw for part in (r.id, r.full_text)))
        issues = {r.id: r.full_text for r in sources.raw}
        if index.has_no_issues:
            known = KnowledgeIndex.of(grown.issues, (), spec.attributes, (p.solution for p in passages))
            asked = replace(index, candidates=self._candidates(known, passages, chunks))
        else:
            asked = index
        gate = fit_gate(stages, asked, sources.vectors_by_id(), issues, sources.documents, everything)
        return replace(index, gate=gate)

    def _candidates(self, knowledge: KnowledgeIndex, passages: Sequence[Passage], chunks: ChunkIndex) -> Candidates:
        return index_candidates(self.stages, self.workspace.spec.language, knowledge, passages, chunks)[0]

    def _with_solutions(
        self,
        index: QuestionIndex,
        sources: BuildSources,
        grown: Grown,
        decided: Decided,
        passages: Sequence[Passage],
    ) -> QuestionIndex:
        """Return the index with all that can be shown."""
        attributes = self.workspace.spec.attributes
        nodes, solutions = (*grown.issues, *decided.problems.values()), tuple(decided.solutions.values())
        knowledge = KnowledgeIndex.of(nodes, solutions, attributes, (p.solution for p in passages))
        issues = self.stages.embed([knowledge.issues[i].text for i in knowledge.ids])
        indexed = NodeIndex.of(knowledge, issues, sources.vectors_by_id())
        return replace(index, nodes=indexed, candidates=self._candidates(knowledge, passages, index.chunks))

    def _passages(self, sources: BuildSources) -> list[Passage]:
        with self.stages.log.timed(PASSAGES) as count:
            chunks = sources.corpus.chunks
            passages, computed = find_passages(self.file, sources.documents, chunks, self.workspace.spec)
            count.computed += computed
            count.reused += len(sources.documents) - computed
        return passages

    def _read_tokens(self, texts: Sequence[str]) -> None:
        """Keep the tokens of texts and their vectors, which one run of the encoder gives."""
        if (tokens := self.stages.encoder.token_reader(self.workspace.spec.language)) is not None:
            tokens.read(texts)

    def _publish(
        self,
        published: Published,
        sources: BuildSources,
        whole: Sequence[RawIssue],
        organised: Organised,
        grown: Grown,
        solutions: Sequence[Solution],
        index: QuestionIndex,
        rules: RuleResults,
    ) -> Refusal | None:
        settings: dict[str, Mapping[str, Any]] = {
            "themes": organised.setting(),
            "gate": index.gate.as_json(),
            "domain": {"yaml": self.workspace.domain_text},
            "chunks": {"chunker": self.workspace.settings.chunker, "max_size": self.workspace.settings.max_size},
        }
        if index.recalibration != UNCHANGED:
            settings[CONFIDENCE] = index.recalibration.as_json()
        if review := self.workspace.spec.review.as_setting():
            settings[REVIEW] = review
        found = records(
            documents=sources.documents,
            chunks=sources.corpus.chunks,
            raw=whole,
            attributes=sources.attributes,
            organised=organised,
            grown=grown,
            solutions=solutions,
            settings=settings,
        )
        built = Built(
            {d.id: d for d in sources.documents},
            {i.id: i for i in grown.issues},
            {s.id: s for s in solutions},
            grown.joined,
            rules,
        )
        if sources.raw:
            self._refuse_nothing_shown(solutions)
        made = self.workspace.publication_by("build", self._inputs(sources))
        with self.stages.log.timed("publish"):
            is_guarded = bool(without_tickets(read_checks(self.file)))  # now: people add checks while a build runs
            if not (self.candidate or is_guarded):
                return publish_or_keep(self.file, found, published, built, replace(made, forced_by=self.force))
            keep_candidate(self.file, found, built, made)
            if self.candidate:
                return None
            return publish_candidate(self.workspace, self.file, force=self.force).refusal

    def _refuse_nothing_shown(self, solutions: Sequence[Solution]) -> None:
        """Raise StageFailedError where something failed and no solution is left: there may have been one item alone."""
        stages = self.stages
        if stages.log.failures and stages.tolerance < 1 and not any(s.status in DISPLAYED for s in solutions):
            stage = stages.log.failures[0].stage
            raise stages.failed(stage, can_go_on=bool(stages.log.counts[stage].unheard))

    def _inputs(self, sources: BuildSources) -> dict[str, str]:
        """Return hashes of what goes into the build."""
        documents = digest(*(part for d in sources.documents for part in (d.id, d.title, d.text)))
        issues = digest(*(part for r in sources.raw for part in (r.id, r.full_text)))
        settings = digest(canonical_json(key_json(self.workspace.settings)))
        domain = digest(self.workspace.domain_text)
        return {"documents": documents, "issues": issues, "domain": domain, "settings": settings}


def _counts(organised: Organised, grown: Grown, decided: Decided, unresolved: tuple[str, ...]) -> KnowledgeCounts:
    solutions = decided.solutions.values()
    parents = sum(i.parent_id is None for i in grown.issues)
    return KnowledgeCounts(
        themes=sum(bool(c.seeds) for c in organised.clusters.values()),
        seeds=sum(len(c.seeds) for c in organised.clusters.values()),
        parents=parents,
        children=len(grown.issues) - parents,
        solutions=sum(s.status in DISPLAYED for s in solutions),
        withheld=sum(s.status == "withheld" for s in solutions),
        unresolved_links=unresolved,
        orphaned=len(decided.orphans),
        outdated=organised.changed if organised.changed >= MANY_CHANGED * len(organised.theme_of) else 0,
    )

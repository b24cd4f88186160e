"""Nodes get solutions (algorithm 1, lines 21 to 28), and every solution is checked against every rule."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from autokb.answering.probability import are_fitted
from autokb.core.attributes import Attributes, Match, as_lists, compare
from autokb.core.domain import DomainSpec
from autokb.core.ids import canonical_json, digest
from autokb.core.nouns import DISPLAYED, Document, Failure, Issue, Passage, Solution
from autokb.core.ranking import best_first
from autokb.core.regex_timeout import describe_slow
from autokb.core.solution_text import counted_text
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.heuristics.solutions.direction import makes_worse
from autokb.heuristics.solutions.solution import WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.heuristics.solutions.write import instructing_sections, write_section
from autokb.issues.attribute_masking import masked_text
from autokb.issues.joining import join_as_told, join_trees
from autokb.issues.placement import PlacedTree, place_solutions, without_foreign_children, without_repetition
from autokb.issues.safeguards import rules_request, safeguard
from autokb.issues.same_problem import Problem, SameProblem
from autokb.issues.shown_sections import LOOKED_AT, DocumentSpan, choose_sections, merge_sections
from autokb.issues.solutions import (
    FoundPassage,
    PathSolution,
    section_solution,
    shown_request,
    solutions_request,
    verify_quotes,
    written_solutions,
)
from autokb.pipeline.stages import Stages, Work
from autokb.pipeline.steps.node_sections import SectionRanker
from autokb.pipeline.steps.trees import Grown
from autokb.retrieval.corpus import Corpus
from autokb.retrieval.history import resolving_documents
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.ranker import packaged_record
from autokb.retrieval.search import ScoredChunks, search
from autokb.stores.codecs import SOLUTION
from autokb.stores.workspace import Workspace
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.check_rules.task import CheckedRules
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS

Real = TypeVar("Real", bound=np.floating[Any])
STAGE = "solutions"
VERSION = "13"  # raise it when a node's request or what is made of its reply changes
PASSAGE_CHARACTERS = 2_500  # of a passage in paper mode: a chunk and what stands around it
PASSAGES = 5  # chunks that a node's solutions are written from, as in the paper
NAMED_SOLUTIONS = 5  # of those that a slow pattern stopped; the report says how many there are
OUTCOME_BOOST = 0.3  # cosine that a document gains when all of a node's own raw issues were resolved by it


def find_solutions(
    stages: Stages,
    workspace: Workspace,
    finder: PassageFinder,
    same_problem: SameProblem,
    grown: Grown,
    told: Sequence[Sequence[str]] = (),
    decided: Collection[str] = (),
) -> tuple[Grown, list[Solution]]:
    """Return the solutions, the withheld ones among them, and the trees with the children that they distinguish.

    ``told`` are the roots of trees that people said are one problem, ``decided`` the ids of solutions and nodes about
    which people decided something.
    """
    placed = _placed(stages, workspace, finder, grown)
    if not stages.asks_model(WRITE_SOLUTIONS, STAGE):
        reported = {nodes[0].id: nodes for _, nodes in grown.trees()}
        placed = [without_foreign_children(tree, reported[tree.parent.id], decided) for tree in placed]
    joined = join_trees(placed, _problems(stages, workspace.spec, same_problem, grown))
    grown = grown.with_joined(joined)
    joined = join_as_told(joined.trees, told, grown.joined)
    return grown.with_joined(joined), [s for t in joined.trees for s in t.solutions]


def _placed(stages: Stages, workspace: Workspace, finder: PassageFinder, grown: Grown) -> list[PlacedTree]:
    """Return the trees with what is written for their nodes, checked; a false quote is a failure and is left out."""
    found = _written(stages, workspace, finder, grown.issues)
    written = [one.solution for one in found]
    if asks_attributes_apart(workspace, stages):
        written = _with_attributes(stages, workspace, written, {i.id: i for i in grown.issues})
    placed = place_solutions(
        grown.trees(),
        _with_true_quotes(stages, written, finder.documents),
        {one.solution.id: one.path for one in found},
        workspace.spec,
        {document.id: document.title for document in finder.documents.values()},
    )
    return _checked(stages, workspace, placed)


def _problems(stages: Stages, spec: DomainSpec, same_problem: SameProblem, grown: Grown) -> dict[str, Problem]:
    """Return the problem of each tree by the id of its parent."""
    parents = [issue for issue in grown.issues if issue.parent_id is None]
    texts = np.asarray(stages.embed([masked_text(parent.text, spec) for parent in parents]), dtype=np.float64)
    return {p.id: same_problem.of_tree(p, text) for p, text in zip(parents, texts, strict=True)}


def _with_true_quotes(
    stages: Stages, written: Sequence[Solution], documents: Mapping[str, Document]
) -> Iterator[Solution]:
    """Give the solutions whose quotes are in the documents; the others are failures."""
    for solution in written:
        if wrong := verify_quotes(solution, documents):
            stages.log.failures.append(Failure(STAGE, solution.id, "; ".join(wrong)))
        else:
            yield solution


def asks_attributes_apart(workspace: Workspace, stages: Stages) -> bool:
    """Return whether each solution's attributes are a request of their own, as the paper has it."""
    return workspace.mode == "paper" and stages.asks_model(WRITE_SOLUTIONS, STAGE)


# -- writing ----------------------------------------------------------------------------------------------------


def _written(
    stages: Stages, workspace: Workspace, finder: PassageFinder, issues: Sequence[Issue]
) -> list[PathSolution]:
    """Return what the task makes of each node's passages.

    A node's search and request cost far more than looking its solutions up, so they are kept under what they follow
    from: the node, its raw issues and what was found to help them, and everything that is searched. Where that is the
    same as in an earlier build nothing is searched. Where a tree's nodes share their passages, that is all nodes.
    """
    searched = digest(
        VERSION,
        WRITE_SOLUTIONS.offline_version,
        stages.answered_by(WRITE_SOLUTIONS, STAGE),
        workspace.mode,
        workspace.domain_text,
        finder.fingerprint,
        *(["scratchpad"] if workspace.settings.scratchpad else []),
    )
    trees = grouped((_tree(issue), issue) for issue in issues) if shares_passages(workspace, stages) else {}

    def described(issue: Issue) -> list[Any]:
        links = [(finder.texts.get(raw, ""), finder.links.get(raw, ())) for raw in issue.raw_issues]
        links += [(finder.texts.get(raw, ""), ()) for raw in finder.reports(issue)]
        return [issue.id, issue.text, issue.parent_id, as_lists(issue.attributes), links]

    def key(issue: Issue) -> str:
        nodes = [described(node) for node in (issue, *trees.get(_tree(issue), ()))]
        return digest("solutions of a node", searched, canonical_json(nodes if trees else nodes[0]))

    with stages.log.timed(STAGE):
        keys = [key(issue) for issue in issues]
    if not stages.asks_model(WRITE_SOLUTIONS, STAGE):
        return _from_sections(stages, workspace, finder, issues, keys)

    def read(body: Mapping[str, Any]) -> list[PathSolution]:
        return [PathSolution(SOLUTION.read(s, id=s["id"]), tuple(s["path"])) for s in body["solutions"]]

    def write(missing: Sequence[int]) -> dict[int, tuple[WriteSolutions, str]]:
        return _write(stages, workspace, finder, {n: issues[n] for n in missing}, trees)

    found = stages.remember_derived(STAGE, WRITE_SOLUTIONS, keys, [i.id for i in issues], write, read)
    return [solution for solutions in found for solution in solutions or ()]


def _from_sections(
    stages: Stages, workspace: Workspace, finder: PassageFinder, issues: Sequence[Issue], keys: Sequence[str]
) -> list[PathSolution]:
    """Return the sections that nodes refer to as their solutions.

    A section is written once for all nodes with the same attributes, and again only where its document changes.
    """
    version = digest(WRITE_SOLUTIONS.offline_version, workspace.domain_text)
    with stages.log.timed(STAGE):
        asked = _find_sections(stages, finder, issues, keys)
        texts = {d.id: digest(version, d.id, d.title, d.text) for d in finder.documents.values()}
        section_keys = [one.key(texts[one.document.id]) for one in asked]

    def read(_position: int, text: str) -> tuple[WrittenSolution, ...]:
        return WrittenSolutions.model_validate_json(text).solutions

    work = Work(partial(_write_section, workspace.spec), asked.__getitem__)
    found = stages.remember(STAGE, section_keys, [one.issue.id for one in asked], work, read)
    return [
        section_solution(one.issue, one.document.id, written)
        for one, some in zip(asked, found, strict=True)
        for written in some or ()
        if not makes_worse(one.issue.text, (step.quote for step in written.steps), workspace.spec.language)
    ]


@dataclass(frozen=True, slots=True)
class _NodeSection:
    """A section of a document, by its id, that a node refers to."""

    issue: Issue
    section: str
    document: Document

    def key(self, text: str) -> str:
        """Return the hash of all that it is written from; ``text`` is that of its document."""
        return digest("section", text, self.section, canonical_json(as_lists(self.issue.attributes)))


def _write_section(spec: DomainSpec, one: _NodeSection) -> str:
    written = write_section(one.document, one.section, one.issue.attributes, spec)
    return WrittenSolutions(solutions=() if written is None else (written,)).model_dump_json()


def _find_sections(
    stages: Stages, finder: PassageFinder, issues: Sequence[Issue], keys: Sequence[str]
) -> list[_NodeSection]:
    """Return the sections that the nodes show, kept under the nodes' keys: ranking costs far more than a look."""
    known = stages.kept(keys, lambda _position, text: [str(section) for section in json.loads(text)["sections"]])
    if missing := [n for n in range(len(keys)) if n not in known]:
        nodes = [(issues[n], finder.told(issues[n])) for n in missing]
        ranker = SectionRanker.of(stages, finder.index, finder.passages, nodes, finder.explaining)
        found = {n: ranker.rank(issues[n]) for n in missing}
        stages.file.finish(STAGE, {keys[n]: canonical_json({"sections": sections}) for n, sections in found.items()})
        known |= found
    documents = {p.solution.id: finder.documents[p.solution.evidence[0].document] for p in finder.passages}
    return [_NodeSection(issue, name, documents[name]) for n, issue in enumerate(issues) for name in known[n]]


def shares_passages(workspace: Workspace, stages: Stages) -> bool:
    """Return whether all nodes of a tree are shown the same passages: where one request asks a model about them."""
    return workspace.mode != "paper" and stages.asks_model(WRITE_SOLUTIONS, STAGE)


def _tree(issue: Issue) -> str:
    return issue.parent_id or issue.id


def _write(
    stages: Stages,
    workspace: Workspace,
    finder: PassageFinder,
    issues: Mapping[int, Issue],
    trees: Mapping[str, Sequence[Issue]],
) -> dict[int, tuple[WriteSolutions, str]]:
    """Ask for the solutions of nodes; returns requests and solutions, without those that failed or are awaited.

    Nobody is asked about trees that no section is likely to answer.
    """
    with stages.log.timed(STAGE):
        if trees:
            requests = _tree_requests(workspace, finder, issues, trees)
            unanswered = _unanswered_trees(stages, finder, {r.tree: trees[r.tree] for r in requests.values()})
        else:
            requests, unanswered = _node_requests(workspace, finder, issues), set()
    asked = {number: request for number, request in requests.items() if request.tree not in unanswered}
    replies = stages.run(STAGE, WRITE_SOLUTIONS, list(asked.values()), [issues[n].id for n in asked])
    answers: dict[int, WrittenSolutions | None] = dict(zip(asked, replies, strict=True))
    found = {}
    for number, request in requests.items():
        if (reply := answers.get(number, WrittenSolutions(solutions=()))) is not None:
            solutions = written_solutions(issues[number], request, reply)
            bodies = [{"id": s.solution.id, "path": s.path, **SOLUTION.body(s.solution)} for s in solutions]
            left_out = [part.model_dump() for part in reply.left_out]
            text = json.dumps({"solutions": bodies, "left_out": left_out}, ensure_ascii=False)
            found[number] = request, text
    return found


def _tree_requests(
    workspace: Workspace, finder: PassageFinder, issues: Mapping[int, Issue], trees: Mapping[str, Sequence[Issue]]
) -> dict[int, WriteSolutions]:
    """Return the requests of nodes whose trees share their passages."""
    requests: dict[int, WriteSolutions] = {}
    for tree, numbers in grouped((_tree(issue), number) for number, issue in issues.items()).items():
        shown = finder.shown_passages(trees[tree])
        for number in numbers:
            if passages := shown[issues[number].id]:
                request = shown_request(issues[number], workspace.spec, passages)
                requests[number] = replace(request, tree=tree, scratchpad=workspace.settings.scratchpad)
    return {number: requests[number] for number in sorted(requests)}


def _unanswered_trees(stages: Stages, finder: PassageFinder, trees: Mapping[str, Sequence[Issue]]) -> set[str]:
    """Return the trees none of whose nodes a section is likely to answer, and whose reports nothing is known to help.

    They show nothing offline either. By another encoder, whose cosines say nothing of that, there are none.
    """
    if not are_fitted(finder.index):
        return set()
    unknown = {tree: nodes for tree, nodes in trees.items() if not any(map(finder.resolving, nodes))}
    nodes = [(node, finder.told(node)) for tree in unknown.values() for node in tree]
    ranker = SectionRanker.of(stages, finder.index, finder.passages, nodes) if nodes else None
    return {tree for tree, of_tree in unknown.items() if ranker and not any(map(ranker.is_worth_asking, of_tree))}


def _node_requests(
    workspace: Workspace, finder: PassageFinder, issues: Mapping[int, Issue]
) -> dict[int, WriteSolutions]:
    """Return the requests of nodes that have their passages for themselves, in paper mode."""
    requests: dict[int, WriteSolutions] = {}
    for number, issue in issues.items():
        if passages := finder.best_chunks(issue):  # of the others nothing was found to ask a model about
            request = solutions_request(issue, workspace.spec, passages, most=PASSAGE_CHARACTERS)
            scratchpad = workspace.settings.scratchpad
            requests[number] = replace(request, tree=_tree(issue), with_attributes=False, scratchpad=scratchpad)
    return requests


@dataclass(frozen=True)
class PassageFinder:
    """Finds the passages for a node by hybrid search, lifted by what resolved the node's own raw issues.

    ``texts`` are those of the raw issues by their ids, ``links`` the documents that resolved them; ``passages`` are the
    sections of all documents.
    """

    index: QuestionIndex
    corpus: Corpus
    links: Mapping[str, tuple[str, ...]]
    texts: Mapping[str, str]
    passages: Sequence[Passage]
    spec: DomainSpec

    @cached_property
    def documents(self) -> Mapping[str, Document]:
        """The documents by their ids."""
        return {document.id: document for document in self.corpus.documents}

    @cached_property
    def explaining(self) -> frozenset[str]:
        """The ids of the sections that instruct nobody."""
        language = self.spec.language
        instructing = {s for d in self.documents.values() for s in instructing_sections(d, language)}
        return frozenset(p.solution.id for p in self.passages) - instructing

    @cached_property
    def fingerprint(self) -> str:
        """The hash of everything that is searched, of all that is known of what helped before, and of the ranker."""
        past = [[one.text, list(one.documents)] for one in self.index.history.issues]
        ranker = canonical_json(packaged_record())
        return digest(self.index.encoder, self.corpus.fingerprint(), canonical_json(past), ranker)

    @cached_property
    def _rows(self) -> Mapping[str, list[int]]:
        return grouped((window.document, row) for row, window in enumerate(self.index.chunks.windows))

    @cached_property
    def _places(self) -> Mapping[str, int]:
        return {document: n for n, document in enumerate(self.index.chunks.documents)}

    @cached_property
    def _window_documents(self) -> NDArray[np.int64]:
        """The place of each window's document."""
        return np.array([self._places[window.document] for window in self.index.chunks.windows], dtype=np.int64)

    def reports(self, issue: Issue) -> tuple[str, ...]:
        """Return the raw issues that tell of a node's problem: its own, or its parent's where nobody reported it."""
        parent = self.index.nodes.knowledge.issues.get(issue.parent_id or "")
        return issue.raw_issues or (parent.raw_issues if parent else ())

    def resolving(self, issue: Issue) -> set[str]:
        """Return the documents that resolved the raw issues which tell of a node's problem."""
        return {document for raw in self.reports(issue) for document in self.links.get(raw, ())}

    def told(self, issue: Issue) -> list[str]:
        """Return what the raw issues say that tell of a node's problem."""
        return [self.texts[raw] for raw in self.reports(issue) if raw in self.texts]

    def best_chunks(self, issue: Issue) -> list[FoundPassage]:
        """Return the node's best chunks, as the paper has it, with all windows of their documents."""
        found, boost = self._search(issue)
        return [self._passage((h.document, h.start, h.end), found) for h in found.best_chunks(PASSAGES, boost)]

    def shown_passages(self, nodes: Sequence[Issue]) -> dict[str, list[FoundPassage]]:
        """Return the passages that the nodes of a tree share, by node, with its own similarities to them."""
        found = {node.id: self._search(node) for node in nodes}
        shown = merge_sections(choose_sections(self._nearest_windows(*one), self.documents) for one in found.values())
        return {
            node: [self._passage((s.document, s.start, s.end), of_node) for s in shown]
            for node, (of_node, _) in found.items()
        }

    def _search(self, issue: Issue) -> tuple[ScoredChunks, NDArray[np.float64]]:
        """Return what a search for a node finds, and by document what it gains from having helped the node's own."""
        found = search(self.index.chunks, self._vector(issue), issue.text)
        boost = np.zeros(len(self._places))
        for hit in resolving_documents(self.links, issue.raw_issues, self.documents):
            boost[self._places[hit.id]] = OUTCOME_BOOST * hit.score
        return found, boost

    def _nearest_windows(self, found: ScoredChunks, boost: NDArray[np.float64]) -> Iterator[tuple[DocumentSpan, float]]:
        """Give the windows of all documents with their similarity, nearest first."""
        windows = found.index.windows
        nearness = np.asarray(found.cosines, dtype=np.float64) + boost[self._window_documents]
        for n in best_first(nearness, LOOKED_AT):
            yield DocumentSpan(windows[n].document, windows[n].start, windows[n].end), float(nearness[n])

    def _vector(self, issue: Issue) -> Vectors:
        """Return what a node is searched by: its text and its raw issues count half each.

        A stub such as "Silent" finds nothing alone, and its customers say more than their title. Measured on the tuning
        questions (52): the first solution is right in .67 instead of .65, one of the first three in .85 instead of .79.
        """
        nodes = self.index.nodes
        row = nodes.knowledge.rows[issue.id]
        raw = nodes.raw_of(row)
        if not len(raw):
            return _unit(nodes.vectors[row])
        both = nodes.vectors[row] + _unit(raw.mean(axis=0))
        return _unit(both)

    def _passage(self, place: tuple[str, int, int], found: ScoredChunks) -> FoundPassage:
        document, start, end = place
        windows = [(found.index.windows[n], float(found.cosines[n])) for n in self._rows.get(document, ())]
        return FoundPassage(self.documents[document], start, end, tuple((w.start, w.end, c) for w, c in windows))


def _unit(vector: NDArray[Real]) -> NDArray[Real]:
    length = max(float(np.linalg.norm(vector)), 1e-12)
    unit: NDArray[Real] = (vector / length).astype(vector.dtype, copy=False)
    return unit


# -- what is made of them -----------------------------------------------------------------------------------------


def _with_attributes(
    stages: Stages, workspace: Workspace, solutions: Sequence[Solution], issues: Mapping[str, Issue]
) -> list[Solution]:
    """Ask for each solution's attributes; one in conflict with its node is not its solution and is withheld."""
    asked = [s for s in solutions if s.status in DISPLAYED]
    spec = workspace.spec
    manner = (spec.language, spec.in_words, workspace.settings.scratchpad)
    texts = (counted_text(s.text, s.steps, s.quotes) for s in asked)
    requests = [ExtractAttributes(text, "solution", spec.attributes, *manner) for text in texts]
    replies = stages.run("solution_attributes", EXTRACT_ATTRIBUTES, requests, [s.id for s in asked])
    read = {s.id: reply.as_attributes() for s, reply in zip(asked, replies, strict=True) if reply is not None}
    return [_fitting(s, read[s.id], issues[s.issue_id]) if s.id in read else s for s in solutions]


def _fitting(solution: Solution, attributes: Attributes, issue: Issue) -> Solution:
    solution = replace(solution, attributes=attributes)
    if compare(attributes, issue.attributes, [*attributes, *issue.attributes]) is not Match.CONFLICT:
        return solution
    return replace(solution, status="withheld", reason="It holds for other values than its issue has.")


def _checked(stages: Stages, workspace: Workspace, trees: Sequence[PlacedTree]) -> list[PlacedTree]:
    """Check what would be shown by every rule; a solution that nobody could check is not shown, a failure says so.

    A text that several nodes have is checked once. In paper mode it is checked with each node's issue.
    """
    spec = workspace.spec
    if not spec.rules and stages.asks_model(CHECK_RULES, "rules"):
        return list(trees)  # there is nothing to ask a model
    replies = _rule_replies(stages, workspace, trees)
    return [without_repetition(_safeguarded(tree, replies, workspace)) for tree in trees]


def _safeguarded(tree: PlacedTree, replies: Mapping[str, CheckedRules | None], workspace: Workspace) -> PlacedTree:
    """Return a tree with what the rules leave of its solutions; what nobody could check is left out."""
    kept = []
    for solution in tree.solutions:
        if solution.status not in DISPLAYED:
            kept.append(solution)
        elif (reply := replies[solution.id]) is not None:
            shows_doubted = workspace.settings.show_doubted
            kept.append(safeguard(solution, reply, workspace.spec.language, shows_doubted=shows_doubted))
    return replace(tree, solutions=tuple(kept))


def _rule_replies(stages: Stages, workspace: Workspace, trees: Sequence[PlacedTree]) -> dict[str, CheckedRules | None]:
    """Return what the rules say of the solutions that are shown, by their ids; None where nobody could check one."""
    spec, explains = workspace.spec, workspace.settings.rule_reasons
    asked = [solution for tree in trees for solution in tree.solutions if solution.status in DISPLAYED]
    issues = {issue.id: issue for tree in trees for issue in tree.issues} if workspace.mode == "paper" else {}
    requests = [rules_request(s, issues.get(s.issue_id), spec, explains=explains) for s in asked]
    failed_before = len(stages.log.failures)
    ids = [s.id for s in asked]
    replies = dict(zip(ids, stages.run("rules", CHECK_RULES, requests, ids), strict=True))
    stages.log.failures[failed_before:] = _name_slow_patterns_once(stages.log.failures[failed_before:], spec)
    return replies


def _name_slow_patterns_once(failures: Sequence[Failure], spec: DomainSpec) -> list[Failure]:
    """Return the failures with one line for each pattern that was too slow, in place of one for each solution."""
    others = list(failures)
    lines = []
    for rule in spec.rules:
        for pattern in rule.patterns:
            sentence = describe_slow(rule.id, pattern)
            stopped = [failure.item for failure in others if failure.reason.endswith(sentence)]
            if stopped:
                named = ", ".join(stopped[:NAMED_SOLUTIONS])
                more = f" and {len(stopped) - NAMED_SOLUTIONS:,} more" if len(stopped) > NAMED_SOLUTIONS else ""
                reason = f"{sentence} Nobody could check {named}{more} by it, so they are not shown."
                lines.append(Failure("rules", rule.id, reason))
                others = [failure for failure in others if not failure.reason.endswith(sentence)]
    return [*others, *lines]

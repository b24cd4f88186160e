"""Nodes get solutions (algorithm 1, lines 21 to 28), and every solution is checked against every rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from autokb.app.index import AskIndex
from autokb.app.models import OFFLINE, model_of
from autokb.app.stages import Stages
from autokb.app.workspace import Workspace
from autokb.core.attributes import Attributes, Match, compare
from autokb.core.domain import DomainSpec
from autokb.core.nouns import DISPLAYED, Document, Failure, Issue, Solution
from autokb.issues.safeguards import rules_request, safeguard
from autokb.issues.solutions import FoundPassage, solutions_request, verify_quotes, written_solutions
from autokb.retrieval.history import PastIssue, lifted
from autokb.retrieval.search import ChunkHit, Found, search
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.write_solutions.task import TASK as WRITE_SOLUTIONS
from autokb.tasks.issues.write_solutions.task import WriteSolutions

MODEL_READS = 2_500  # characters of a passage for a model: a chunk and what stands around it
PASSAGES = 5  # chunks that a node's solutions are written from, as in the paper
LIFT = 0.3  # cosine that a document gains when all of a node's own raw issues were resolved by it


def find_solutions(
    stages: Stages,
    workspace: Workspace,
    documents: Sequence[Document],
    index: AskIndex,
    issues: Sequence[Issue],
    past: Sequence[PastIssue],
) -> list[Solution]:
    """Return the solutions of all nodes, the withheld ones among them; a false quote is a failure and is left out."""
    spec = workspace.spec
    by_id = {d.id: d for d in documents}
    rows: dict[str, list[int]] = {}
    for row, window in enumerate(index.chunks.windows):
        rows.setdefault(window.document, []).append(row)
    finder = _Finder(index, by_id, {p.id: p.documents for p in past}, rows)
    with stages.timed("solutions"):
        requests = [_request(workspace, issue, finder) for issue in issues]
    if _asked_of_a_model(workspace):  # nothing was found for the others, so there is nothing to ask
        issues, requests = _with_passages(issues, requests)
    replies = stages.run("solutions", WRITE_SOLUTIONS, requests, [i.id for i in issues])
    written: list[Solution] = [
        solution
        for issue, request, reply in zip(issues, requests, replies, strict=True)
        if reply is not None
        for solution in written_solutions(issue, request, reply)
    ]
    if asks_attributes_apart(workspace):
        written = _with_attributes(stages, spec, written, {i.id: i for i in issues})
    return _checked(stages, spec, _true(stages, written, by_id), {i.id: i for i in issues})


def _with_passages(
    issues: Sequence[Issue], requests: Sequence[WriteSolutions]
) -> tuple[list[Issue], list[WriteSolutions]]:
    pairs = [(issue, request) for issue, request in zip(issues, requests, strict=True) if request.excerpts]
    return [issue for issue, _ in pairs], [request for _, request in pairs]


def asks_attributes_apart(workspace: Workspace) -> bool:
    """Return whether each solution's attributes are a request of their own, as the paper has it."""
    return workspace.mode == "paper" and _asked_of_a_model(workspace)


def _asked_of_a_model(workspace: Workspace) -> bool:
    return model_of(workspace.settings, workspace.mode, WRITE_SOLUTIONS.name, "solutions") != OFFLINE


def _request(workspace: Workspace, issue: Issue, finder: _Finder) -> WriteSolutions:
    """Ask for a node's solutions; what a model reads is shorter, and shared by the nodes of a tree."""
    if not _asked_of_a_model(workspace):
        return solutions_request(issue, workspace.spec, finder.passages(issue))
    request = solutions_request(issue, workspace.spec, finder.passages(issue), most=MODEL_READS)
    tree = issue.parent_id or issue.id
    return replace(request, tree=tree, with_attributes=not asks_attributes_apart(workspace))


def _with_attributes(
    stages: Stages, spec: DomainSpec, solutions: Sequence[Solution], issues: Mapping[str, Issue]
) -> list[Solution]:
    """Ask for each solution's attributes; one in conflict with its node is not its solution and is withheld."""
    asked = [s for s in solutions if s.status in DISPLAYED]
    requests = [ExtractAttributes(s.text, "solution", spec.attributes) for s in asked]
    replies = stages.run("solution_attributes", EXTRACT_ATTRIBUTES, requests, [s.id for s in asked])
    read = {s.id: reply.as_attributes() for s, reply in zip(asked, replies, strict=True) if reply is not None}
    return [_fitting(s, read[s.id], issues[s.issue_id]) if s.id in read else s for s in solutions]


def _fitting(solution: Solution, attributes: Attributes, issue: Issue) -> Solution:
    solution = replace(solution, attributes=attributes)
    if compare(attributes, issue.attributes, [*attributes, *issue.attributes]) is not Match.CONFLICT:
        return solution
    return replace(solution, status="withheld", reason="It holds for other values than its issue has.")


def judged_by_people(solutions: Sequence[Solution], before: Mapping[str, Solution]) -> list[Solution]:
    """Keep what people decided: rejected stays rejected, approved stays approved unless a rule now forbids it."""
    kept = []
    for solution in solutions:
        earlier = before.get(solution.id)
        rejected = earlier is not None and earlier.status == "rejected"
        approved = earlier is not None and earlier.status == "approved" and solution.status in DISPLAYED
        if earlier is not None and (rejected or approved):
            solution = replace(solution, status=earlier.status, reason=earlier.reason)
        kept.append(solution)
    return kept


def _true(stages: Stages, solutions: Sequence[Solution], documents: Mapping[str, Document]) -> list[Solution]:
    kept = []
    for solution in solutions:
        if wrong := verify_quotes(solution, documents):
            stages.failures.append(Failure("solutions", solution.id, "; ".join(wrong)))
        else:
            kept.append(solution)
    return kept


def _checked(
    stages: Stages, spec: DomainSpec, solutions: Sequence[Solution], issues: Mapping[str, Issue]
) -> list[Solution]:
    """Check what would be shown by every rule; a solution that nobody could check is not shown, a failure says so."""
    asked = [s for s in solutions if s.status in DISPLAYED and (spec.rules or not _asks(stages))]
    requests = [rules_request(solution, issues[solution.issue_id], spec) for solution in asked]
    replies = stages.run("rules", CHECK_RULES, requests, [s.id for s in asked])
    checked = {s.id: None if reply is None else safeguard(s, reply) for s, reply in zip(asked, replies, strict=True)}
    return [one for s in solutions if (one := checked.get(s.id, s)) is not None]


def _asks(stages: Stages) -> bool:
    """Return whether a model is asked about rules; without any there is nothing to ask it."""
    return stages.models is not None and stages.models.of(CHECK_RULES.name, "rules") != OFFLINE


@dataclass(frozen=True)
class _Finder:
    """Finds the passages for a node by hybrid search, lifted by what resolved the node's own raw issues."""

    index: AskIndex
    documents: Mapping[str, Document]
    links: Mapping[str, tuple[str, ...]]
    rows: Mapping[str, list[int]]

    def passages(self, issue: Issue) -> list[FoundPassage]:
        """Return the node's best passages with all windows of their documents."""
        nodes, chunks = self.index.nodes, self.index.chunks
        vector = nodes.vectors[nodes.knowledge.rows[issue.id]]
        found = search(chunks, vector, issue.text, self.index.weights)
        boost = np.zeros(len(chunks.documents))
        place = {d: n for n, d in enumerate(chunks.documents)}
        for hit in lifted(self.links, issue.raw_issues, self.documents):
            boost[place[hit.id]] = LIFT * hit.score
        return [
            self._passage(hit, found, float(boost[place[hit.document]])) for hit in found.best_chunks(PASSAGES, boost)
        ]

    def _passage(self, hit: ChunkHit, found: Found, boost: float) -> FoundPassage:
        windows = [(found.index.windows[n], float(found.cosines[n])) for n in self.rows[hit.document]]
        spans = tuple((w.start, w.end, cosine) for w, cosine in windows)
        return FoundPassage(self.documents[hit.document], hit.start, hit.end, spans, lift=boost)

"""Whether what trees show is about, and for, what customers wrote: what a gate sees without written questions."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Mapping
from dataclasses import dataclass, replace

from autokb.core.attributes import Match
from autokb.core.nouns import RawIssue, Solution
from autokb.core.ranking import best_first
from autokb.retrieval.index import QuestionIndex, ScoredQuestion
from autokb.retrieval.knowledge_index import KnowledgeIndex
from autokb.retrieval.ranker import Ranker

NEAR = 10  # sections; .95 and 1.00 of what two shipped bases show is there (``benchmarks gate``, ``trees_fit``)
MOST_ASKED = 300  # raw issues, some 20 ms each
FEWEST = 50  # solutions of raw issues; of fewer, one alone is more than the usual margin
EXAMPLES = 2  # raw issues that a refusal names
EXAMPLE_CHARACTERS = 60  # of each
OF_TREES = ("same_words", "votes", "learnt")  # features by which a tree would speak for what it shows itself


@dataclass(frozen=True, slots=True)
class TreesFit:
    """Whether each solution that the node of a raw issue shows fits that issue.

    ``texts`` are those of the issues; ``known`` are all raw issues there, also those that are shown nothing.
    """

    by_issue: Mapping[str, tuple[bool, ...]]
    texts: Mapping[str, str]
    known: frozenset[str]

    @property
    def solutions(self) -> tuple[bool, ...]:
        """Whether it fits, of every solution of every issue."""
        return tuple(fits for some in self.by_issue.values() for fits in some)

    @property
    def share(self) -> float | None:
        """The share of solutions that fit; None where too few are there to say."""
        every = self.solutions
        return sum(every) / len(every) if len(every) >= FEWEST else None

    def of(self, issues: Container[str]) -> TreesFit:
        """Return the same of some issues alone."""
        return replace(self, by_issue={i: some for i, some in self.by_issue.items() if i in issues})

    def turned(self, before: TreesFit) -> list[str]:
        """Return the beginnings of raw issues that are shown what does not fit, and were not before."""
        lost = (i for i, some in sorted(self.by_issue.items()) if not all(some) and all(before.by_issue.get(i, ())))
        return [" ".join(self.texts[i].split())[:EXAMPLE_CHARACTERS] for i in lost]


def fit_of_trees(index: QuestionIndex, raw_issues: Mapping[str, RawIssue]) -> TreesFit:
    """Ask raw issues' texts, and say whether the solutions of their own nodes fit.

    A solution fits where neither it nor its node is for other customers than the text says, and its section is among
    the ``NEAR`` nearest by features that no tree has a part in. Of many raw issues the same ``MOST_ASKED`` are asked
    each time. Solutions by hand, which stand nowhere, are left out. Nothing is embedded: an embedder may cost money.
    """
    index = replace(index, spelling=None)  # a text that is mended would be embedded
    vectors = dict(zip(index.nodes.raw_ids, index.nodes.raw_vectors, strict=True))
    cited = _cited(index.nodes.knowledge, vectors)
    ranker = Ranker({name: weight for name, weight in index.ranker.weights.items() if name not in OF_TREES})
    by_lot = sorted(cited, key=lambda raw: hashlib.sha256(raw.encode()).digest())  # the same for each version
    texts = {raw: raw_issues[raw].full_text for raw in by_lot[:MOST_ASKED]}
    by_issue: dict[str, tuple[bool, ...]] = {}
    for raw, text in texts.items():
        scored = index.score(text, with_history=False, vector=vectors[raw])
        near = frozenset(best_first(ranker.score(scored.features), NEAR).tolist())
        by_issue[raw] = tuple(_fits(index, scored, solution, near) for solution in cited[raw])
    return TreesFit(by_issue, texts, frozenset(raw_issues))


def _cited(knowledge: KnowledgeIndex, raw_issues: Container[str]) -> dict[str, list[Solution]]:
    """Return the solutions with a source that the node of each raw issue shows, where it shows any."""
    cited = {node: [s for s in some if s.evidence] for node, some in knowledge.solutions_of.items()}
    nodes = ((node.id, node.raw_issues) for node in knowledge.issues.values() if cited.get(node.id))
    return {raw: cited[node] for node, some in nodes for raw in some if raw in raw_issues}


def _fits(index: QuestionIndex, scored: ScoredQuestion, solution: Solution, near: frozenset[int]) -> bool:
    match = scored.evidence.asked.match
    is_for_others = Match.CONFLICT in (match(solution.id), match(solution.issue_id))
    return not is_for_others and index.candidates.row_of[solution.id] in near

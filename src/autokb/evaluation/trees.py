"""Whether what trees show is about, and for, what customers wrote: what a gate sees without written questions."""

from __future__ import annotations

import hashlib
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

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
    """For how many solutions of raw issues' own nodes it holds that they fit; ``by_issue`` says it of each raw issue.

    ``texts`` are those of the raw issues.
    """

    n: int
    right: int
    by_issue: Mapping[str, bool]
    texts: Mapping[str, str]

    @property
    def share(self) -> float | None:
        """The share that fits; None where too few are there to say."""
        return self.right / self.n if self.n >= FEWEST else None

    def turned(self, before: TreesFit) -> list[str]:
        """Return the beginnings of raw issues that had what fits before and have not now."""
        lost = (i for i, fits in sorted(self.by_issue.items()) if not fits and before.by_issue.get(i))
        return [" ".join(self.texts[i].split())[:EXAMPLE_CHARACTERS] for i in lost]


def fit_of_trees(index: QuestionIndex, raw_issues: Mapping[str, RawIssue]) -> TreesFit:
    """Ask raw issues' texts, and say whether the solutions of their own nodes fit.

    A solution fits where neither it nor its node is for other customers than the text says, and its section is among
    the ``NEAR`` nearest by features that no tree has a part in. Of many raw issues the same ``MOST_ASKED`` are asked
    each time. Solutions by hand, which stand nowhere, are left out.
    """
    cited = _cited(index.nodes.knowledge, raw_issues)
    ranker = Ranker({name: weight for name, weight in index.ranker.weights.items() if name not in OF_TREES})
    by_issue: dict[str, list[bool]] = {}
    for raw in _by_lot(cited)[:MOST_ASKED]:
        scored = index.score(raw_issues[raw].text, with_history=False)
        near = frozenset(best_first(ranker.score(scored.features), NEAR).tolist())
        by_issue[raw] = [_fits(index, scored, solution, near) for solution in cited[raw]]
    every = [fits for some in by_issue.values() for fits in some]
    texts = {raw: raw_issues[raw].text for raw in by_issue}
    return TreesFit(len(every), sum(every), {raw: all(some) for raw, some in by_issue.items()}, texts)


def _cited(knowledge: KnowledgeIndex, raw_issues: Container[str]) -> dict[str, list[Solution]]:
    """Return the solutions with a source that the node of each raw issue shows, where it shows any."""
    cited = {node: [s for s in some if s.evidence] for node, some in knowledge.solutions_of.items()}
    nodes = ((node.id, node.raw_issues) for node in knowledge.issues.values() if cited.get(node.id))
    return {raw: cited[node] for node, some in nodes for raw in some if raw in raw_issues}


def _by_lot(ids: Iterable[str]) -> list[str]:
    """Return ids in an order that has nothing to do with them, the same for each version."""
    return sorted(ids, key=lambda one: hashlib.sha256(one.encode()).digest())


def _fits(index: QuestionIndex, scored: ScoredQuestion, solution: Solution, near: frozenset[int]) -> bool:
    match = scored.evidence.asked.match
    is_for_others = Match.CONFLICT in (match(solution.id), match(solution.issue_id))
    return not is_for_others and index.candidates.row_of[solution.id] in near

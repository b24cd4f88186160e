"""A build whose models are only counted: what they are expected to write, so that what follows is as it will be."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from autokb.core.attributes import ANY, NONE, Attributes
from autokb.core.ids import digest
from autokb.core.nouns import Passage
from autokb.core.reply import Reply, ReplyError
from autokb.heuristics.solutions.solution import WriteSolutions, WrittenSolutions
from autokb.heuristics.titles.phrase_editing import with_values
from autokb.issues.answering_sections import AnsweringSections
from autokb.issues.attribute_masking import problem_vectors
from autokb.issues.same_problem import SameProblem, SplitPart
from autokb.pipeline.build import Build, BuildSources
from autokb.tasks.issues.grow_tree.node_checks import Node, check_child
from autokb.tasks.issues.grow_tree.task import TASK as GROW_TREE
from autokb.tasks.issues.grow_tree.task import GrownTree, GrowTree
from autokb.tasks.issues.grow_trees.task import TASK as GROW_TREES
from autokb.tasks.issues.grow_trees.task import GrownTrees, GrowTrees
from autokb.tasks.task import In, Out, Task

# Share of nodes with a second solution: a strong model wrote 92 solutions for some 68 nodes of real issues, appendix C
# of the AutoKB paper counts 832 for 531.
SECOND_SOLUTIONS = 0.4


@dataclass
class ExpectedReplies:
    """The answers that models are expected to give: those of the offline engines, as numerous as a model's.

    A tree has children for what was reported, as offline, and for what the sections that answer its problem
    distinguish, which offline become children later. Offline a node has every solution that was found, a model names
    one or two.
    """

    _same_problem: SameProblem | None = None
    _audiences: Mapping[tuple[str, int, int], Attributes] = field(default_factory=dict)

    def learn(self, same_problem: SameProblem, passages: Sequence[Passage]) -> None:
        """Learn for whom sections are (from their passages), and how clusters are split."""
        cited = (p for p in passages if p.solution.evidence)
        audiences = (p.solution.attributes for p in cited)
        self._same_problem = same_problem
        self._audiences = dict(zip(same_problem.sections.spans, audiences, strict=True))

    def answer(self, task: Task[In, Out], item: In) -> Reply:
        """Answer for an item; raises ReplyError as the task does."""
        found = task.answer_offline(item)
        if isinstance(item, GrowTree) and isinstance(found, GrownTree):
            return self._with_distinguished(item, found)
        if isinstance(item, GrowTrees) and isinstance(found, GrownTrees):
            return GrownTrees(trees=[self._with_distinguished(part, tree) for part, tree in self._split(item, found)])
        if isinstance(item, WriteSolutions) and isinstance(found, WrittenSolutions):
            many = 1 + (int(digest(item.issue)[:8], 16) < SECOND_SOLUTIONS * 16**8)
            return found.model_copy(update={"solutions": found.solutions[:many]})
        return found

    def _split(self, item: GrowTrees, found: GrownTrees) -> Iterator[tuple[GrowTrees, GrownTree]]:
        """Give each problem of a cluster with its tree, as offline clusters are split."""
        seed, parts = item.cluster[0].raw_issue, list[SplitPart]()
        if self._same_problem is not None:
            parts = list(self._same_problem.parts(seed, sorted(item.raw_issues)))
        if len(parts) < 2:
            yield item, found.trees[0]
            return
        for part in sorted(parts, key=lambda part: seed not in part.members):
            reports = sorted(
                (r for r in item.cluster if r.raw_issue in part.members), key=lambda r: r.raw_issue != part.lead
            )
            own = replace(item, cluster=tuple(reports))
            yield own, GROW_TREES.answer_offline(own).trees[0]

    def _with_distinguished(self, item: GrowTree | GrowTrees, tree: GrownTree) -> GrownTree:
        children = list(tree.children)
        known = {(name, value) for child in children for name, values in child.attributes.items() for value in values}
        for name, value in sorted(set(self._distinguished(item)) - known):
            text = with_values(tree.parent.text, [value])
            child = Node(text=text, attributes={**tree.parent.attributes, name: [value]})
            try:
                check_child(child, tree.parent, children, item.configuration, item.raw_issues)
            except ReplyError:
                continue
            children.append(child)
        return tree.model_copy(update={"children": children[: GROW_TREE.most_children]})

    def _distinguished(self, item: GrowTree | GrowTrees) -> Iterator[tuple[str, str]]:
        """Give the values that the sections which answer a tree's problem are for."""
        if (same := self._same_problem) is None:
            return
        own = [r.raw_issue for r in item.cluster if r.raw_issue in same.vectors]
        answering = same.sections.answering(same.middle(own)) if own else {}
        for document, spans in answering.items():
            for start, end, _ in spans:
                for name, values in self._audiences[document, start, end].items():
                    if name in item.configuration and values not in (ANY, NONE):
                        yield from ((name, value) for value in values)


@dataclass(frozen=True)
class DryRun(Build):
    """A build with stages that count what models would be asked, which ``expected`` answers; nothing is published."""

    expected: ExpectedReplies = field(default_factory=ExpectedReplies)

    def _passages(self, sources: BuildSources) -> list[Passage]:
        passages = super()._passages(sources)
        embed, spec = self.stages.embed, self.workspace.spec
        vectors = problem_vectors([r.full_text for r in sources.raw], spec, sources.raw_vectors, embed)
        problems = dict(zip((r.id for r in sources.raw), vectors, strict=True))
        outcomes = {p.id: p.documents for p in sources.past}
        same_problem = SameProblem(AnsweringSections.of(passages, spec, embed), problems, outcomes)
        self.expected.learn(same_problem, passages)
        return passages

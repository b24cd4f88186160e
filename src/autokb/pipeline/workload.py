"""How much a first build is expected to ask of a model where only a build could tell."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from autokb.core.attributes import ANY
from autokb.core.domain import DomainSpec
from autokb.core.nouns import Chunk, Document, Issue, RawIssue
from autokb.heuristics.trees.nodes import Report
from autokb.issues.shown_sections import DocumentSpan, choose_sections, merge_sections
from autokb.issues.solutions import FoundPassage, shown_request, solutions_request
from autokb.issues.trees import READ_CHARACTERS, raw_issue_title
from autokb.pipeline.steps.solutions import PASSAGE_CHARACTERS, PASSAGES
from autokb.tasks.issues.check_rules.task import CheckRules
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes
from autokb.tasks.issues.grow_tree.task import GrowTree
from autokb.tasks.issues.grow_trees.task import GrowTrees
from autokb.tasks.issues.write_solutions.task import WriteSolutions

SEEDS = 49 / 265  # seeds an issue, children a seed and solutions a node: appendix C of the AutoKB paper
CHILDREN = 482 / 49
SOLUTIONS = 832 / 531
NEW_PASSAGES = 0.85  # chunks that a further node of a tree brings along: measured on the shipped headphones
NEAR = 12  # chunks near a node from which its sections are chosen: more than there is room for
STEP = "Open the settings of the device, choose the entry that is named and confirm it with the button below."
STEPS = 3


@dataclass(frozen=True)
class Workload:
    """Items of the usual size for the stages whose own are not known before a build."""

    spec: DomainSpec
    raw: Sequence[RawIssue]
    documents: Mapping[str, Document]
    chunks: Sequence[Chunk]
    trees: Sequence[GrowTree | GrowTrees] = ()

    def expected_trees(self) -> list[GrowTree]:
        """Return a question for a tree for as many seeds as the paper had, each with its share of the reports."""
        seeds = round(len(self.raw) * SEEDS)
        share = max(len(self.raw) // max(seeds, 1), 1)
        return [self._tree(n * len(self.raw) // seeds, share) for n in range(seeds)]

    def _tree(self, position: int, share: int) -> GrowTree:
        seed = self.raw[position]
        around = self.raw[position : position + share]
        return GrowTree(
            domain=f"{self.spec.name}: {self.spec.description}",
            issue=raw_issue_title(seed, self.spec.name, self.spec.language),
            text=seed.full_text[:READ_CHARACTERS],
            attributes={},
            configuration=self.spec.attributes,
            cluster=tuple(Report(r.id, raw_issue_title(r, self.spec.name, self.spec.language), {}) for r in around),
            language=self.spec.language,
        )

    def nodes(self) -> Iterator[tuple[str, int, Issue]]:
        """Yield tree, number in the tree and node of the expected trees."""
        whole = round(len(self.trees) * CHILDREN)
        for number, tree in enumerate(self.trees):
            children = whole * (number + 1) // len(self.trees) - whole * number // len(self.trees)
            for child in range(children + 1):
                text = f"{tree.issue} ({child})"  # no two nodes of a tree are asked the same
                yield f"tree {number}", child, Issue(f"{number}.{child}", text, None, self._values(child))

    def _values(self, child: int) -> dict[str, frozenset[str]]:
        found = dict.fromkeys(self.spec.attributes, ANY)
        closed = [a for a in self.spec.attributes.values() if a.values]
        if child and closed:
            attribute = closed[child % len(closed)]
            found[attribute.name] = frozenset({attribute.values[child % len(attribute.values)]})
        return found

    def solutions(self, *, apart: bool, scratchpad: bool) -> list[WriteSolutions]:
        """Return the question for solutions of every expected node; asked ``apart``, each has passages of its own."""
        found = []
        sizes = Counter(tree for tree, _, _ in self.nodes())
        shown = {} if apart else {tree: self._shown(tree, size) for tree, size in sizes.items()}
        for tree, child, node in self.nodes():
            if apart:
                request = solutions_request(node, self.spec, self._passages(tree, child), most=PASSAGE_CHARACTERS)
            else:
                request = shown_request(node, self.spec, shown[tree])
            found.append(replace(request, tree=tree, with_attributes=not apart, scratchpad=scratchpad))
        return found

    def _shown(self, tree: str, nodes: int) -> list[FoundPassage]:
        """Return what the nodes of a tree are shown together, each further one with a little of its own."""
        chosen = (self._near_chunks(tree, child, NEAR) for child in range(nodes))
        spans = merge_sections(
            choose_sections(
                ((DocumentSpan(c.document, c.spans[0][0], c.spans[-1][1]), 1.0) for c in chunks if c.spans),
                self.documents,
            )
            for chunks in chosen
        )
        return [FoundPassage(self.documents[s.document], s.start, s.end, ()) for s in spans]

    def _passages(self, tree: str, child: int) -> list[FoundPassage]:
        chosen = self._near_chunks(tree, child, PASSAGES)
        return [FoundPassage(self.documents[c.document], c.spans[0][0], c.spans[-1][1], ()) for c in chosen if c.spans]

    def _near_chunks(self, tree: str, child: int, most: int) -> list[Chunk]:
        if not self.chunks:
            return []
        first = int(tree.split()[1]) * PASSAGES + int(child * NEW_PASSAGES)
        return [self.chunks[(first + n) % len(self.chunks)] for n in range(min(most, len(self.chunks)))]

    def _solved(self) -> Iterator[str]:
        """Yield the text over each expected solution; no two are the same, as no answer is asked for twice."""
        nodes = [f"{tree} {node.text}" for tree, _, node in self.nodes()]
        for number in range(round(len(nodes) * SOLUTIONS)):
            yield f"{nodes[number % len(nodes)]} {number}"

    def solution_attributes(self) -> list[ExtractAttributes]:
        """Return the question for the attributes of every expected solution."""
        steps = "\n".join(f"{n}. {STEP}" for n in range(1, STEPS + 1))
        spec = self.spec
        texts = (f"{text}\n{steps}" for text in self._solved())
        return [ExtractAttributes(text, "solution", spec.attributes, spec.language) for text in texts]

    def rules(self) -> list[CheckRules]:
        """Return the question whether every expected solution keeps the rules."""
        steps = (STEP,) * STEPS
        domain = self.spec.description or self.spec.name
        return [
            CheckRules(domain, text, text, steps, "\n".join((text, *steps)), self.spec.rules, self.spec.language)
            for text in self._solved()
        ]

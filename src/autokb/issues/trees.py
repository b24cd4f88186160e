"""A seed, what was reported around it, and the tree of issues that grows from it (algorithm 1, lines 16 to 20)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.attributes import Attributes, as_lists, from_lists
from autokb.core.domain import ENGLISH, DomainSpec
from autokb.core.ids import canonical_json, digest, short_id
from autokb.core.nouns import Issue, RawIssue
from autokb.heuristics.titles.issue_excerpt import issue_excerpt
from autokb.heuristics.titles.issue_title import issue_title, shorten
from autokb.heuristics.trees.grow import Report
from autokb.issues.same_problem import SplitPart, unit_mean
from autokb.issues.seeds import seed_id
from autokb.tasks.issues.grow_tree.node_checks import Node
from autokb.tasks.issues.grow_tree.task import GrownTree, GrowTree
from autokb.tasks.issues.grow_trees.task import TASK as GROW_TREES
from autokb.tasks.issues.grow_trees.task import GrownTrees, GrowTrees

MOST_NEARBY_REPORTS = 12  # reports of the theme beside the cluster: those nearest to the seed
LONGEST_TITLE = 100  # characters; a longer one is no name of an issue
READ_CHARACTERS = 2_000  # characters of the seed's own text, for a model to read


@dataclass(frozen=True)
class Reported:
    """One raw issue with what it says, its unit vector and its language; ``product`` is what every issue is about."""

    issue: RawIssue
    attributes: Attributes
    vector: Any
    product: str = ""
    language: str = ENGLISH

    @cached_property
    def fingerprint(self) -> str:
        """The hash of what was written and read."""
        return digest(self.issue.id, self.issue.title, self.issue.text, canonical_json(as_lists(self.attributes)))

    @cached_property
    def report(self) -> Report:
        """Its headline and values, and the sentence of its text that says the same."""
        line = raw_issue_title(self.issue, self.product, self.language)
        sentence = issue_title("", self.issue.text, self.product, self.language)
        other = sentence if len(sentence) <= LONGEST_TITLE and sentence.casefold() != line.casefold() else ""
        return Report(self.issue.id, line, self.attributes, other)

    @cached_property
    def excerpt(self) -> Report:
        """Its title and the sentences that tell the problem, and its values."""
        excerpt = issue_excerpt(self.issue.title, self.issue.text, self.product, self.language)
        return Report(self.issue.id, excerpt or self.report.headline, self.attributes)


def raw_issue_title(issue: RawIssue, product: str = "", language: str = ENGLISH) -> str:
    """Return the line that says what a raw issue is about, never empty."""
    line = issue_title(issue.title, issue.text, product, language)
    return line or shorten(" ".join(issue.full_text.split())) or issue.id


@dataclass(frozen=True)
class SeedReports:
    """A seed, its cluster from the centre outwards, and the reports of its theme that are nearest to it."""

    seed: Reported
    cluster: tuple[Reported, ...]
    theme: tuple[Reported, ...]

    @property
    def fingerprint(self) -> str:
        """The hash of all that the question for a tree follows from, beside the domain."""
        return digest(
            *(r.fingerprint for r in (self.seed, *self.cluster)), "theme", *(r.fingerprint for r in self.theme)
        )

    def question(self, spec: DomainSpec) -> GrowTree:
        """Return the question of the task for the seed's tree."""
        return GrowTree(
            domain=f"{spec.name}: {spec.description}",
            issue=raw_issue_title(self.seed.issue, spec.name, spec.language),
            text=self.seed.issue.full_text[:READ_CHARACTERS],
            attributes=self.seed.attributes,
            configuration=spec.attributes,
            cluster=tuple(r.report for r in self.cluster),
            theme=tuple(r.report for r in self.theme),
            language=spec.language,
        )

    @property
    def problem(self) -> Any:
        """The unit vector of what its cluster is about."""
        return _middle(self.cluster)

    def cluster_question(self, spec: DomainSpec, manuals: tuple[str, ...] = ()) -> GrowTrees:
        """Return the question of the task for the trees of the cluster, which shares a request with others.

        ``manuals`` are the headings of the sections near its problem. Reports of the theme only show which
        values customers name, so those that name none are left out.
        """
        return GrowTrees(
            domain=f"{spec.name}: {spec.description}",
            configuration=spec.attributes,
            cluster=tuple(r.excerpt for r in self.cluster[: GROW_TREES.most_reports]),
            theme=tuple(r.excerpt for r in self.theme if r.attributes),
            manuals=manuals,
            language=spec.language,
        )

    def parts(self, grown: GrownTrees) -> list[tuple[SplitPart, GrownTree]]:
        """Return each tree of the cluster with the raw issues that it is of.

        The seed leads the first tree, the most central of its reports each further one. Reports that were too many to
        be shown go to the tree whose own are nearest.
        """
        by_id = {r.issue.id: r for r in self.cluster}
        members = [list(tree.parent.raw_issues) for tree in grown.trees]
        middles = np.array([_middle([by_id[m] for m in own]) for own in members])
        for one in self.cluster[GROW_TREES.most_reports :]:
            members[int(np.round(middles @ one.vector, 9).argmax())].append(one.issue.id)
        seed = self.seed.issue.id
        found = []
        for tree, own in zip(grown.trees, members, strict=True):
            part = SplitPart(own[0], tuple(own), seed)
            parent = tree.parent.model_copy(update={"raw_issues": part.members})
            found.append((part, tree.model_copy(update={"parent": parent})))
        return found


def _middle(reported: Sequence[Reported]) -> Any:
    return unit_mean([np.asarray(r.vector, dtype=np.float64) for r in reported])


@dataclass(frozen=True)
class ThemeReports:
    """The raw issues of a theme in order of their ids; row n of ``vectors`` is that of id n."""

    ids: tuple[str, ...]
    vectors: NDArray[np.float64]

    @classmethod
    def of(cls, ids: Iterable[str], reported: Mapping[str, Reported]) -> ThemeReports:
        """Return those of these ids that ``reported`` knows."""
        known = tuple(sorted(i for i in ids if i in reported))
        return cls(known, np.array([reported[i].vector for i in known], dtype=np.float64))

    def nearest(self, vector: Any, near: float, without: Collection[str]) -> list[str]:
        """Return the ids of at most ``MOST_NEARBY_REPORTS`` whose cosine is ``near`` or more, the nearest first."""
        if not self.ids:
            return []
        similarity = np.round(self.vectors @ np.asarray(vector, dtype=np.float64), 6)
        rows = [row for row in np.flatnonzero(similarity >= near).tolist() if self.ids[row] not in without]
        return [self.ids[row] for row in sorted(rows, key=lambda n: (-similarity[n], n))[:MOST_NEARBY_REPORTS]]


def seed_reports(
    seed: str,
    members: Sequence[str],
    theme: ThemeReports,
    reported: Mapping[str, Reported],
    near: float,
    beside: Collection[str] = (),
) -> SeedReports:
    """Return a seed with what was reported around it.

    ``members`` are raw issue ids; those that ``reported`` does not know are left out. ``beside`` are in the same
    cluster, about another problem.
    """
    others = [m for m in members if m in reported and m != seed]
    cluster = [*([seed] if seed in reported else []), *_rank_by_similarity(seed, others, reported)]  # the seed leads
    around = theme.nearest(reported[seed].vector, near, {*members, *beside})
    return SeedReports(reported[seed], tuple(reported[m] for m in cluster), tuple(reported[t] for t in sorted(around)))


def issues(lead: str, tree: GrownTree, seed: str) -> tuple[Issue, ...]:
    """Turn a grown tree into issues, the parent first; of two nodes with the same attributes the first stays.

    ``lead`` is the raw issue that it grew from, ``seed`` that of its cluster: another one where a cluster was split.
    """
    parent = _make_issue(lead, tree.parent, None, seed)
    found = {parent.id: parent}
    for node in tree.children:
        child = _make_issue(lead, node, parent.id, seed)
        found.setdefault(child.id, child)
    return tuple(found.values())


def issue_id(lead: str, attributes: Attributes) -> str:
    """Return the id of an issue: the raw issue that its tree grew from and its attributes."""
    return short_id("issue", lead, canonical_json(as_lists(attributes)))


def _make_issue(lead: str, node: Node, parent_id: str | None, seed: str) -> Issue:
    attributes = from_lists(node.attributes)
    return Issue(
        id=issue_id(lead, attributes),
        text=node.text,
        parent_id=parent_id,
        attributes=attributes,
        seed=seed_id(seed),
        raw_issues=tuple(node.raw_issues),
    )


def _rank_by_similarity(seed: str, ids: Sequence[str], reported: Mapping[str, Reported]) -> list[str]:
    if not ids:
        return []
    rows = np.array([reported[i].vector for i in ids], dtype=np.float64)
    similarity = np.round(rows @ np.asarray(reported[seed].vector, dtype=np.float64), 6)
    return [i for _, i in sorted(zip(-similarity, ids, strict=True))]

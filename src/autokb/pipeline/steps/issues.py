"""Raw issues get a theme and a seed (algorithm 1, lines 6 to 15); once made, both stay until somebody rethinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from autokb.core.domain import DomainSpec
from autokb.core.nouns import RawIssue
from autokb.core.settings import Reduction
from autokb.core.vectors import Vectors
from autokb.heuristics.grouping import grouped
from autokb.heuristics.themes.find import FoundThemes
from autokb.heuristics.titles.phrase_editing import without_values
from autokb.issues.attribute_masking import masked_text, problem_vectors
from autokb.issues.same_problem import similarity_threshold
from autokb.issues.seeds import Clusters, cluster, join, leave
from autokb.issues.themes import FrozenThemes, as_json, freeze, from_json, questions, theme_id
from autokb.issues.trees import raw_issue_title
from autokb.pipeline.stages import Stages
from autokb.stores.published import Published
from autokb.tasks.issues.assign_theme.task import TASK as ASSIGN_THEME
from autokb.tasks.issues.find_themes.task import TASK as FIND_THEMES
from autokb.tasks.issues.find_themes.task import FindThemes


@dataclass(frozen=True)
class Organised:
    """Where each raw issue belongs: its theme's name and, by theme, its cluster; what failed is in neither.

    ``near`` is how alike two issues must be to be one problem, ``problems`` a unit vector for each raw issue.
    """

    themes: FrozenThemes | None
    near: float
    theme_of: Mapping[str, str]
    clusters: Mapping[str, Clusters]
    frozen: bool
    problems: NDArray[np.float64]
    changed: int = 0  # raw issues that went or got other words since the themes were made

    def setting(self) -> dict[str, Any]:
        """Return what the next build needs to keep themes and clusters as they are."""
        since = {"changed": self.changed} if self.changed else {}
        return {**(as_json(self.themes) if self.themes else {}), "near": self.near, "frozen": self.frozen, **since}

    def members(self) -> dict[str, tuple[str, ...]]:
        """Return the raw issues of each cluster by its seed, in the order of the themes."""
        return {seed: own for clusters in self.clusters.values() for seed, own in clusters.members().items()}

    def seed_of(self, raw_id: str) -> str | None:
        """Return the raw issue that stands for this one."""
        theme = self.theme_of.get(raw_id)
        return self.clusters[theme].seed_of.get(raw_id) if theme is not None and theme in self.clusters else None


@dataclass(frozen=True)
class _Problems:
    """The raw issues with what they are about, in words and as unit vectors, whatever their attribute values are."""

    raw: Sequence[RawIssue]
    spec: DomainSpec
    vectors: NDArray[np.float64]

    def only(self, rows: Sequence[int]) -> _Problems:
        """Return some of them."""
        return _Problems([self.raw[n] for n in rows], self.spec, self.vectors[rows])

    @cached_property
    def subjects(self) -> tuple[str, ...]:
        """Their texts without attribute values."""
        return tuple(masked_text(r.full_text, self.spec) for r in self.raw)

    @cached_property
    def titles(self) -> tuple[str, ...]:
        """Their titles, the words of attribute values left out where one can do without them."""
        attributes, language = self.spec.attributes, self.spec.language
        lines = (raw_issue_title(r, self.spec.name, language) for r in self.raw)
        return tuple(without_values(line, attributes, language) for line in lines)


MOST_SORTED = 120  # issues that one reply sorts: a line each, which a model still oversees; not measured with one


def sorts_at_once(stages: Stages, mode: str, issues: int) -> bool:
    """Return whether a model that finds the themes gives each issue its own in the same reply.

    The paper asks issue by issue; so do workspaces with more issues than one reply can sort with care.
    """
    asks = stages.asks_model(FIND_THEMES, "themes") and stages.asks_model(ASSIGN_THEME, "assign")
    return asks and mode != "paper" and issues <= MOST_SORTED


def organise(
    stages: Stages,
    spec: DomainSpec,
    raw: Sequence[RawIssue],
    vectors: Vectors,
    published: Published,
    *,
    rethink: bool,
    mode: str,
    reduce: Reduction,
) -> Organised:
    """Give every raw issue (row n of ``vectors``) a theme and a seed; what is there stays unless ``rethink``."""
    problems = _Problems(raw, spec, problem_vectors([r.full_text for r in raw], spec, vectors, stages.embed))
    kept = published.settings.get("themes", {})
    if rethink or not kept.get("names") or not kept.get("frozen"):
        return _think(stages, spec, problems, sorts_all=sorts_at_once(stages, mode, len(raw)), reduce=reduce)
    joined = _join_new(stages, spec, problems, from_json(kept), float(str(kept["near"])), published)
    same = sum(_is_unchanged(r, published) for r in raw)
    placed = sum("seed" in place for place in published.raw_places.values())
    return replace(joined, changed=int(str(kept.get("changed", 0))) + placed - same)


def _think(stages: Stages, spec: DomainSpec, problems: _Problems, *, sorts_all: bool, reduce: Reduction) -> Organised:
    """Find the themes, give each issue one, and cluster the issues inside each."""
    raw, vectors = problems.raw, problems.vectors
    texts = tuple(r.full_text for r in raw)
    near = similarity_threshold(vectors)
    nothing = Organised(None, near, {}, {}, frozen=False, problems=vectors)
    if not raw:
        return nothing
    domain = f"{spec.name}: {spec.description}"
    question = FindThemes(domain, texts, vectors, problems.subjects, spec.language, sorts_all=sorts_all)
    if not stages.asks_model(FIND_THEMES, "themes"):
        # Where there is no title the text's own vector stands in, which is known already.
        lines = [title or text for title, text in zip(problems.titles, texts, strict=True)]
        question = replace(question, titles=problems.titles, title_vectors=stages.embed(lines))
    (found,) = stages.run("themes", FIND_THEMES, [question], ["all raw issues"])
    if found is None:
        return nothing
    themes = freeze(found, vectors)
    theme_of = _sorted(spec, problems, themes, found) if sorts_all else _assign(stages, spec, problems, themes)
    clusters = _cluster_each(stages, problems, theme_of, near, reduce)
    return Organised(themes, near, theme_of, clusters, frozen=len(theme_of) == len(raw), problems=vectors)


def _cluster_each(
    stages: Stages, problems: _Problems, theme_of: Mapping[str, str], near: float, reduce: Reduction
) -> dict[str, Clusters]:
    """Cluster the issues inside each theme."""
    raw = problems.raw
    members = grouped((theme_of[one.id], row) for row, one in enumerate(raw) if one.id in theme_of)
    clusters = {}
    with stages.log.timed("seeds") as count:
        for number, (theme, rows) in enumerate(sorted(members.items()), 1):
            ids, texts = [raw[n].id for n in rows], [raw[n].full_text for n in rows]
            clusters[theme] = cluster(ids, problems.vectors[rows], texts, near, reduce)
            count.computed += len(rows)
            stages.log.progress("seeds", number, len(members))
    return clusters


def _sorted(spec: DomainSpec, problems: _Problems, themes: FrozenThemes, found: FoundThemes) -> dict[str, str]:
    """Return the themes that a reply gives the issues; what it left out gets the theme with the nearest centre."""
    raw, domain = problems.raw, f"{spec.name}: {spec.description}"
    by_row = {row: theme.name for theme in found.themes for row in theme.members}
    left = [n for n in range(len(raw)) if n not in by_row]
    rest = problems.only(left)
    asked = questions(domain, [r.full_text for r in rest.raw], rest.subjects, rest.vectors, themes)
    by_row |= {n: ASSIGN_THEME.answer_offline(one).theme for n, one in zip(left, asked, strict=True)}
    return {r.id: by_row[n] for n, r in enumerate(raw)}


def _assign(stages: Stages, spec: DomainSpec, problems: _Problems, themes: FrozenThemes) -> dict[str, str]:
    raw, domain = problems.raw, f"{spec.name}: {spec.description}"
    asked = questions(domain, [r.full_text for r in raw], problems.subjects, problems.vectors, themes)
    replies = stages.run("assign", ASSIGN_THEME, asked, [r.id for r in raw])
    return {r.id: reply.theme for r, reply in zip(raw, replies, strict=True) if reply is not None}


def _join_new(
    stages: Stages, spec: DomainSpec, problems: _Problems, themes: FrozenThemes, near: float, published: Published
) -> Organised:
    """Take out what has gone or changed, and let new raw issues join the nearest seed of their theme."""
    raw = problems.raw
    clusters = _published_clusters(themes, published)
    before = _themes_of_unchanged(raw, clusters, published)
    rows = {r.id: problems.vectors[n] for n, r in enumerate(raw)}
    new = [n for n, r in enumerate(raw) if r.id not in before]
    with stages.log.timed("assign") as count:
        count.reused += len(raw) - len(new)
    theme_of = {**before, **_assign(stages, spec, problems.only(new), themes)} if new else before
    joined = {}
    with stages.log.timed("seeds") as count:
        fresh_of = grouped((theme_of.get(raw[n].id), raw[n].id) for n in new)
        for theme in sorted({*clusters, *theme_of.values()}):
            old, fresh = clusters.get(theme, Clusters()), fresh_of.get(theme, [])
            gone = [r for r in old.seed_of if before.get(r) != theme]
            stayed = leave(old, rows, gone) if gone else replace(old, alone={})
            joined[theme] = join(stayed, rows, fresh, near)
            count.reused += len(stayed.seed_of)
            count.computed += len(fresh)
    return Organised(themes, near, theme_of, joined, frozen=len(theme_of) == len(raw), problems=problems.vectors)


def _published_clusters(themes: FrozenThemes, published: Published) -> dict[str, Clusters]:
    """Return the clusters of the last build, members that have gone since among them."""
    names = {theme_id(name): name for name in themes.names}
    raw_of_seed = {s.id: s.raw_issue for s in published.kb.seeds.values()}
    groups = grouped(
        (names[place["theme"]], (raw_id, raw_of_seed[place["seed"]]))
        for raw_id, place in published.raw_places.items()
        if place.get("theme") in names and place.get("seed") in raw_of_seed
    )
    return {theme: Clusters(dict(seed_of)) for theme, seed_of in sorted(groups.items())}


def _themes_of_unchanged(
    raw: Sequence[RawIssue], clusters: Mapping[str, Clusters], published: Published
) -> dict[str, str]:
    """Return the theme of each raw issue of the last build that is as it was then."""
    unchanged = {r.id for r in raw if _is_unchanged(r, published)}
    return {raw_id: theme for theme, kept in clusters.items() for raw_id in kept.seed_of if raw_id in unchanged}


def _is_unchanged(raw: RawIssue, published: Published) -> bool:
    before = published.raw_issues.get(raw.id)
    return before is not None and before.as_told().full_text == raw.full_text and "seed" in published.raw_places[raw.id]

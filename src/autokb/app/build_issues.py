"""Raw issues get a theme and a seed (algorithm 1, lines 6 to 15); once made, both stay until somebody rethinks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from autokb.app.published import Published
from autokb.app.stages import Stages
from autokb.core.domain import DomainSpec
from autokb.core.nouns import RawIssue
from autokb.issues.neutral import Embed, neutral_text, problem_vectors
from autokb.issues.seeds import Clusters, cluster, join, leave, nearness
from autokb.issues.themes import FrozenThemes, as_json, freeze, from_json, questions, theme_id
from autokb.llm.embedders import Vectors
from autokb.tasks.issues.assign_theme.task import TASK as ASSIGN_THEME
from autokb.tasks.issues.find_themes.task import TASK as FIND_THEMES
from autokb.tasks.issues.find_themes.task import FindThemes


@dataclass(frozen=True)
class Organised:
    """Where each raw issue belongs: its theme's name and, by theme, its cluster; what failed is in neither."""

    themes: FrozenThemes | None
    near: float
    theme_of: Mapping[str, str]
    clusters: Mapping[str, Clusters]
    frozen: bool
    vectors: Any = None  # of the problems, a row for each raw issue

    def setting(self) -> dict[str, Any]:
        """Return what the next build needs to keep themes and clusters as they are."""
        return {**(as_json(self.themes) if self.themes else {}), "near": self.near, "frozen": self.frozen}

    def seed_of(self, raw_id: str) -> str | None:
        """Return the raw issue that stands for this one."""
        theme = self.theme_of.get(raw_id)
        return self.clusters[theme].seed_of.get(raw_id) if theme is not None and theme in self.clusters else None


def organise(
    stages: Stages,
    spec: DomainSpec,
    raw: Sequence[RawIssue],
    vectors: Vectors,
    published: Published,
    *,
    rethink: bool,
    embed: Embed,
) -> Organised:
    """Give every raw issue (row n of ``vectors``) a theme and a seed; what is there stays unless ``rethink``.

    Both come from the problems, told without their attribute values (which ``embed`` gives vectors of).
    """
    texts = [r.full_text for r in raw]
    subjects = tuple(neutral_text(text, spec) for text in texts)
    problems = _Problems(raw, subjects, problem_vectors(texts, subjects, vectors, embed))
    return replace(_organised(stages, spec, problems, published, rethink), vectors=problems.vectors)


@dataclass(frozen=True)
class _Problems:
    """The raw issues with what they are about, in words and as unit vectors."""

    raw: Sequence[RawIssue]
    subjects: tuple[str, ...]
    vectors: Any

    def only(self, rows: Sequence[int]) -> _Problems:
        """Return some of them."""
        return _Problems([self.raw[n] for n in rows], tuple(self.subjects[n] for n in rows), self.vectors[rows])


def _organised(stages: Stages, spec: DomainSpec, problems: _Problems, published: Published, rethink: bool) -> Organised:
    raw, kept = problems.raw, published.settings.get("themes", {})
    if rethink or not kept.get("names") or not kept.get("frozen"):
        return _afresh(stages, spec, problems)
    themes = from_json(kept)
    known = {r.id: published.raw_places[r.id] for r in raw if _unchanged(r, published)}
    organised = _as_before(themes, float(str(kept["near"])), known, published)
    return _joined(stages, spec, problems, organised)


def _unchanged(raw: RawIssue, published: Published) -> bool:
    before = published.raw_issues.get(raw.id)
    return before is not None and before.full_text == raw.full_text and "seed" in published.raw_places[raw.id]


def _afresh(stages: Stages, spec: DomainSpec, problems: _Problems) -> Organised:
    raw, vectors = problems.raw, problems.vectors
    texts = tuple(r.full_text for r in raw)
    near = nearness(vectors)
    if not raw:
        return Organised(None, near, {}, {}, frozen=False)
    question = FindThemes(f"{spec.name}: {spec.description}", texts, vectors, problems.subjects)
    (found,) = stages.run("themes", FIND_THEMES, [question], ["all raw issues"])
    if found is None:
        return Organised(None, near, {}, {}, frozen=False)
    themes = freeze(found, vectors)
    theme_of = _assign(stages, spec, problems, themes)
    clusters = {}
    with stages.timed("seeds") as count:
        groups = _rows_by_theme(raw, theme_of)
        for number, (theme, rows) in enumerate(groups.items(), 1):
            clusters[theme] = cluster([raw[n].id for n in rows], vectors[rows], [texts[n] for n in rows], near)
            count.computed += len(rows)
            stages.progress("seeds", number, len(groups))
    return Organised(themes, near, theme_of, clusters, frozen=len(theme_of) == len(raw))


def _rows_by_theme(raw: Sequence[RawIssue], theme_of: Mapping[str, str]) -> dict[str, list[int]]:
    groups: dict[str, list[int]] = {}
    for row, issue in enumerate(raw):
        if issue.id in theme_of:
            groups.setdefault(theme_of[issue.id], []).append(row)
    return dict(sorted(groups.items()))


def _assign(stages: Stages, spec: DomainSpec, problems: _Problems, themes: FrozenThemes) -> dict[str, str]:
    raw, domain = problems.raw, f"{spec.name}: {spec.description}"
    asked = questions(domain, [r.full_text for r in raw], problems.subjects, problems.vectors, themes)
    replies = stages.run("assign", ASSIGN_THEME, asked, [r.id for r in raw])
    return {r.id: reply.theme for r, reply in zip(raw, replies, strict=True) if reply is not None}


def _as_before(
    themes: FrozenThemes, near: float, known: Mapping[str, Mapping[str, str]], published: Published
) -> Organised:
    """Return what the last build published; a theme keeps also the members that have gone, until they are taken out."""
    names = {theme_id(name): name for name in themes.names}
    raw_of_seed = {s.id: s.raw_issue for s in published.kb.seeds.values()}
    groups: dict[str, dict[str, str]] = {}
    for raw_id, place in published.raw_places.items():
        if place.get("theme") in names and place.get("seed") in raw_of_seed:
            groups.setdefault(names[place["theme"]], {})[raw_id] = raw_of_seed[place["seed"]]
    clusters = {theme: Clusters(seed_of) for theme, seed_of in sorted(groups.items())}
    theme_of = {raw_id: theme for theme, seed_of in groups.items() for raw_id in seed_of if raw_id in known}
    return Organised(themes, near, theme_of, clusters, frozen=True)


def _joined(stages: Stages, spec: DomainSpec, problems: _Problems, before: Organised) -> Organised:
    """Take out what has gone or changed, and let new raw issues join the nearest seed of their theme."""
    assert before.themes is not None
    raw = problems.raw
    rows = {r.id: problems.vectors[n] for n, r in enumerate(raw)}
    new = [n for n, r in enumerate(raw) if r.id not in before.theme_of]
    with stages.timed("assign") as count:
        count.reused += len(raw) - len(new)
    theme_of = {**before.theme_of}
    if new:
        theme_of |= _assign(stages, spec, problems.only(new), before.themes)
    clusters = {}
    with stages.timed("seeds") as count:
        for theme in sorted({*before.clusters, *theme_of.values()}):
            old = before.clusters.get(theme, Clusters())
            gone = [r for r in old.seed_of if before.theme_of.get(r) != theme]
            fresh = [raw[n].id for n in new if theme_of.get(raw[n].id) == theme]
            stayed = leave(old, rows, gone) if gone else replace(old, alone={})
            clusters[theme] = join(stayed, rows, fresh, before.near)
            count.reused += len(stayed.seed_of)
            count.computed += len(fresh)
    return Organised(before.themes, before.near, theme_of, clusters, frozen=len(theme_of) == len(raw))

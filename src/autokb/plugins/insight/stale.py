"""What rots: what a person should look at before readers stumble over it, and what people said of it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import zip_longest

import numpy as np

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.findings import FINDING_KINDS, FindingKind, FindingStatus, SettledFinding
from autokb.core.forest import Forest
from autokb.core.in_use import moment
from autokb.core.nouns import Document, Issue
from autokb.core.progress import Progress, silent
from autokb.core.results import Result, Told
from autokb.core.vectors import Vectors
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.steps.passages import find_passages
from autokb.plugins.insight.findings import FINDERS, Finding, FindingPlace, Known, pairs_to_judge
from autokb.plugins.insight.judged_pairs import JudgedPairs, judge_pairs, read_judged
from autokb.retrieval.candidates import without_rejected
from autokb.sources.dates import written_date
from autokb.stores.findings import drop_finding, keep_finding, read_findings
from autokb.stores.published import Published, read_published
from autokb.stores.staged import added_days
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.usage.feedback import cleaned_name
from autokb.views.solutions_in_memory import SolutionsInMemory

# Kinds of which fewer than .7 are worth a look, by ``benchmarks stale``: told when they are asked for.
OFF: frozenset[FindingKind] = frozenset({"dead_link", "duplicate", "uncited"})


@dataclass(frozen=True, slots=True)
class Stale(Result):
    """Findings, of each kind those that most readers meet first; ``counts`` are of all that is open, whatever is told.

    ``settled`` counts what people said something of; ``off`` are kinds that are told when they are asked for.
    """

    findings: tuple[Finding, ...]
    counts: Mapping[FindingKind, int]
    settled: int
    off: tuple[FindingKind, ...]


@dataclass(frozen=True, slots=True)
class FindingSettled(Result):
    """What was said of a finding; ``changed`` is 0 where it was so before."""

    id: str
    kind: FindingKind
    status: FindingStatus
    changed: int


def find_stale(
    workspace: Workspace,
    memory: SolutionsInMemory,
    kind: str = "",
    *,
    every_kind: bool = False,
    settled: bool = False,
    today: date | None = None,
) -> Stale:
    """Return what is open, of one kind or of all that are on; with ``settled`` what people said something of.

    Trees that a build has joined are among that, for they can be parted again.
    """
    wanted = _wanted(kind, every_kind or settled)
    found = _find_all(workspace, memory, today)
    told = [one for one in found if (one.status != "open") == settled and one.kind in wanted]
    counts = Counter(one.kind for one in found if one.status == "open")
    return Stale(
        findings=tuple(told),
        counts={name: counts[name] for name in FINDING_KINDS},
        settled=sum(one.status != "open" for one in found),
        off=tuple(name for name in FINDING_KINDS if name in OFF),
    )


def judge_contradictions(
    workspace: Workspace,
    memory: SolutionsInMemory,
    options: ModelOptions | None = None,
    progress: Progress = silent,
    told: Told | None = None,
) -> JudgedPairs:
    """Ask the settings' model which pairs of solutions and sections disagree; ``find_stale`` then tells its answers.

    It asks nobody itself, and tells those on pairs that are among the ``MOST_JUDGED`` then. See ``judge_pairs``.
    """
    known, _ = _read(workspace, memory, None)
    return judge_pairs(workspace, pairs_to_judge(known), options, progress, told)


def _wanted(kind: str, every_kind: bool) -> frozenset[str]:
    if kind and kind not in FINDING_KINDS:
        raise BadInputError(f"A kind is one of {', '.join(FINDING_KINDS)}, not {kind!r}.")
    everything = frozenset[str](FINDING_KINDS)
    return frozenset({kind}) if kind else everything if every_kind else everything - OFF


def settle_finding(
    workspace: Workspace, memory: SolutionsInMemory, finding: str, status: FindingStatus, author: str = ""
) -> FindingSettled:
    """Keep what a person says of a finding, over all builds, until what it is about changes.

    ``open`` takes that back. Two trees that are ``joined`` are one from the next build on (BadInputError for any other
    kind; UnknownIdError where there is no such finding).
    """
    named = cleaned_name(author, "author")
    with workspace.file() as file:
        before = read_findings(file).get(finding)  # which is there too when its trees are joined by now
    if before is not None and status == "open":
        kind, new = before.kind, None
    else:
        found = _find_one(workspace, memory, finding, [before.kind] if before else FINDING_KINDS)
        kind, new = found.kind, None if status == "open" else _said(found, status, named)
    with workspace.file() as file, file.transaction():
        before = read_findings(file).get(finding)
        if new is None:
            drop_finding(file, finding)
        else:
            keep_finding(file, new)
    was: FindingStatus = before.status if before else "open"
    return FindingSettled(finding, kind, status, int(was != status))


def _find_one(workspace: Workspace, memory: SolutionsInMemory, finding: str, kinds: Sequence[FindingKind]) -> Finding:
    """Return a finding of one of these kinds; once it is there, no other is looked for."""
    known, _ = _read(workspace, memory, None)
    for one in (one for kind in kinds for one in FINDERS[kind](known)):
        if one.id == finding:
            return one
    folder = shlex.quote(str(workspace.folder))
    raise UnknownIdError(f"There is no finding {finding!r}; this lists them: autokb stale {folder} --all")


def _said(found: Finding, status: FindingStatus, author: str) -> SettledFinding:
    if status == "joined" and found.kind != "duplicate":
        raise BadInputError(f"Only two trees can be joined, and {found.id!r} is of the kind {found.kind}.")
    places = found.places if status == "joined" else ()
    trees, names = tuple(place.issue for place in places), tuple(place.quote for place in places)
    return SettledFinding(found.id, found.kind, status, author, moment(), trees=trees, names=names)


def _joined(said: SettledFinding, issues: Mapping[str, Issue]) -> Finding:
    """Return the finding of trees that a build has joined; what is gone by now is told by its name then."""
    places = [
        FindingPlace(issues[tree].text if tree in issues else name or tree, issue=tree if tree in issues else "")
        for tree, name in zip_longest(said.trees, said.names, fillvalue="")
    ]
    return Finding(said.id, said.kind, "They were joined: they are one tree in every build.", tuple(places))


def _find_all(workspace: Workspace, memory: SolutionsInMemory, today: date | None) -> list[Finding]:
    """Return every finding with what people said of it."""
    known, settled = _read(workspace, memory, today)
    found = [one for find in FINDERS.values() for one in find(known)]
    there = {one.id for one in found}
    joined = (said for said in settled.values() if said.status == "joined" and said.id not in there)
    found += [_joined(said, known.found.issues) for said in joined]
    everything = [_with_status(one, settled) for one in found]
    order = {kind: n for n, kind in enumerate(FINDING_KINDS)}
    return sorted(everything, key=lambda one: (order[one.kind], -one.reported, one.id))


def _read(
    workspace: Workspace, memory: SolutionsInMemory, today: date | None
) -> tuple[Known, Mapping[str, SettledFinding]]:
    """Return what findings are looked for in, and what people said of them by their ids."""
    with workspace.file() as file:
        with file.snapshot():
            published, found, settled = read_published(file), memory.read(file), read_findings(file)
            added = added_days(file)
            roots, vectors, reports = _parents(file, published)
        passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, workspace.spec)
        known = Known(
            found=found,
            documents=published.kb.documents,
            raw_issues=list(published.told_issues.values()),
            dates=_dates(added, published.kb.documents),
            today=today or datetime.now(UTC).date(),
            stale_after=workspace.settings.stale_after,
            roots=roots,
            vectors=vectors,
            reports=reports,
            passages=without_rejected(passages, found.decided.solutions.values()),
            language=workspace.spec.language,
        )
        return replace(known, judged=read_judged(file, lambda: pairs_to_judge(known))), settled


def _parents(file: WorkspaceFile, published: Published) -> tuple[list[Issue], Vectors, Vectors]:
    """Return the parents of trees whose vectors are known, these, and the means of those of what customers reported.

    An import has them once it was asked.
    """
    encoder = str(published.settings.get("gate", {}).get("encoder") or "")
    dimensions = file.dimensions(encoder)
    roots = list(Forest(published.kb.issues.values()).roots)
    vectors, missing = file.vectors(encoder, [root.text for root in roots], dimensions)
    raw = list(published.raw_issues)
    rows = {raw_id: n for n, raw_id in enumerate(raw)}
    said, _ = file.vectors(encoder, [one.full_text for one in published.told_issues.values()], dimensions)
    there = sorted(set(range(len(roots))).difference(missing))
    reports = vectors[there]
    for place, n in enumerate(there):
        if reported := [rows[raw_id] for raw_id in roots[n].raw_issues if raw_id in rows]:
            reports[place] = said[reported].mean(axis=0)
    return [roots[n] for n in there], np.ascontiguousarray(vectors[there]), reports


def _with_status(found: Finding, settled: Mapping[str, SettledFinding]) -> Finding:
    said = settled.get(found.id)
    return found if said is None else replace(found, status=said.status, author=said.author, date=said.date)


def _dates(added: Mapping[str, str], documents: Mapping[str, Document]) -> dict[str, date]:
    """Return the day on which each document changed last: as it says itself, else that on which it was added so."""
    found: dict[str, date] = {}
    for i, document in documents.items():
        with suppress(ValueError):  # of a month alone, or unknown
            found[i] = date.fromisoformat((written_date(document.text) or added.get(i, ""))[:10])
    return found

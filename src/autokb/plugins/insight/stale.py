"""Findings: what a person should look at before readers meet it, and what people decided about it."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from itertools import zip_longest

import numpy as np

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.findings import FINDING_KINDS, JOIN, FindingKind, FindingStatus, SettledFinding
from autokb.core.forest import Forest
from autokb.core.ids import short_id
from autokb.core.in_use import moment
from autokb.core.nouns import Document, Issue
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import Told
from autokb.core.vectors import Vectors
from autokb.issues.joining import covers
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


@dataclass(frozen=True, slots=True)
class Stale(Result):
    """Findings, of each kind those that most readers meet first; ``counts`` are of all that is open, whatever is told.

    ``settled`` counts what people said something of.
    """

    findings: tuple[Finding, ...]
    counts: Mapping[FindingKind, int]
    settled: int


@dataclass(frozen=True, slots=True)
class FindingSettled(Result):
    """What was said of a finding; ``changed`` is 0 where it was so before."""

    id: str
    kind: str
    status: FindingStatus
    changed: int


def find_stale(
    workspace: Workspace,
    memory: SolutionsInMemory,
    kind: str = "",
    *,
    settled: bool = False,
    today: date | None = None,
) -> Stale:
    """Return what is open, of one kind or of all; with ``settled`` what people said something of.

    Trees that people joined are among that, for they can be parted again.
    """
    if kind and kind not in FINDING_KINDS:
        raise BadInputError(f"A kind is one of {', '.join(FINDING_KINDS)}, not {kind!r}.")
    found = _find_all(workspace, memory, today)
    told = [one for one in found if (one.status != "open") == settled and kind in ("", one.kind)]
    counts = Counter(one.kind for one in found if one.status == "open")
    return Stale(
        findings=tuple(told),
        counts={name: counts[name] for name in FINDING_KINDS},
        settled=sum(one.status != "open" for one in found),
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


def settle_finding(
    workspace: Workspace, memory: SolutionsInMemory, finding: str, status: FindingStatus, author: str = ""
) -> FindingSettled:
    """Keep what a person says of a finding, over all builds, until what it is about changes.

    ``open`` takes that back, also where two trees were joined (UnknownIdError where there is no such finding).
    """
    if status == "joined":
        raise BadInputError("To join two trees, name an issue of each, as autokb stale --join ISSUE ISSUE does.")
    named = cleaned_name(author, "author")
    with workspace.file() as file:
        before = read_findings(file).get(finding)  # which is there too when nothing finds it any more
    if before is not None and status == "open":
        kind, new = before.kind, None
    else:
        kind = _find_one(workspace, memory, finding, before.kind if before else "").kind
        new = None if status == "open" else SettledFinding(finding, kind, status, named, moment())
    return _keep(workspace, finding, kind, new)


def join_trees(
    workspace: Workspace, memory: SolutionsInMemory, issue: str, other: str, author: str = ""
) -> FindingSettled:
    """Keep that two trees, each named by one of its nodes, are one problem: they are one tree from the next build on.

    Readers are told what one of them says, so one has to hold for all customers of the other (BadInputError).
    """
    named = cleaned_name(author, "author")
    with workspace.file() as file:
        forest = Forest(memory.read(file).issues.values())
    for missing in (i for i in (issue, other) if i not in forest.nodes):
        folder = shlex.quote(str(workspace.folder))
        raise UnknownIdError(f"There is no issue {missing!r}; this lists them: autokb show {folder}")
    trees = sorted((forest.root(issue), forest.root(other)), key=lambda root: root.id)
    one, second = trees
    if one.id == second.id:
        raise BadInputError(f"{issue!r} and {other!r} are in one tree already.")
    if not (covers(one, second) or covers(second, one)):
        raise BadInputError(f"{one.text!r} and {second.text!r} are for different customers: their attributes differ.")
    finding = short_id("finding", JOIN, *(f"{root.id}\n{root.text}" for root in trees))
    names = tuple(root.text for root in trees)
    said = SettledFinding(finding, JOIN, "joined", named, moment(), trees=(one.id, second.id), names=names)
    return _keep(workspace, finding, JOIN, said)


def _keep(workspace: Workspace, finding: str, kind: str, said: SettledFinding | None) -> FindingSettled:
    """Store what is said of a finding, or forget it where nothing is."""
    with workspace.file() as file, file.transaction():
        before = read_findings(file).get(finding)
        if said is None:
            drop_finding(file, finding)
        else:
            keep_finding(file, said)
    was, now = (one.status if one else "open" for one in (before, said))
    return FindingSettled(finding, kind, now, int(was != now))


def _find_one(workspace: Workspace, memory: SolutionsInMemory, finding: str, kind: str) -> Finding:
    """Return a finding, of one kind where it is known; once it is there, no other is looked for."""
    known, _ = _read(workspace, memory, None)
    finders = [find for name, find in FINDERS.items() if kind in ("", name)]
    for one in (one for find in finders for one in find(known)):
        if one.id == finding:
            return one
    folder = shlex.quote(str(workspace.folder))
    raise UnknownIdError(f"There is no finding {finding!r}; this lists them: autokb stale {folder}")


def _no_longer_found(said: SettledFinding, issues: Mapping[str, Issue]) -> Finding:
    """Return the finding of trees that people joined, or of a kind that nothing looks for any more.

    A tree that is gone by now is told by its name then.
    """
    text = (
        "They were joined: they are one tree in every build."
        if said.status == "joined"
        else "autokb no longer looks for this kind; what was decided is kept until you open it again."
    )
    places = [
        FindingPlace(issues[tree].text if tree in issues else name or tree, issue=tree if tree in issues else "")
        for tree, name in zip_longest(said.trees, said.names, fillvalue="")
    ]
    return Finding(said.id, said.kind, text, tuple(places))


def _find_all(workspace: Workspace, memory: SolutionsInMemory, today: date | None) -> list[Finding]:
    """Return every finding with what people said of it."""
    known, settled = _read(workspace, memory, today)
    found = [one for find in FINDERS.values() for one in find(known)]
    found += [_no_longer_found(one, known.found.issues) for one in settled.values() if one.kind not in FINDERS]
    everything = [_with_status(one, settled) for one in found]
    order = {kind: n for n, kind in enumerate((*FINDING_KINDS, JOIN))}
    return sorted(everything, key=lambda one: (order.get(one.kind, len(order)), -one.reported, one.id))


def _read(
    workspace: Workspace, memory: SolutionsInMemory, today: date | None
) -> tuple[Known, Mapping[str, SettledFinding]]:
    """Return what findings are looked for in, and what people said of them by their ids."""
    with workspace.file() as file:
        with file.snapshot():
            published, found, settled = read_published(file), memory.read(file), read_findings(file)
            added = added_days(file)
            roots, vectors = _parents(file, published)
        passages, _ = find_passages(file, list(published.kb.documents.values()), published.chunks, workspace.spec)
        known = Known(
            found=found,
            documents=published.kb.documents,
            dates=_dates(added, published.kb.documents),
            today=today or datetime.now(UTC).date(),
            stale_after=workspace.settings.stale_after,
            roots=roots,
            vectors=vectors,
            passages=without_rejected(passages, found.decided.solutions.values()),
            language=workspace.spec.language,
        )
        return replace(known, judged=read_judged(file, lambda: pairs_to_judge(known))), settled


def _parents(file: WorkspaceFile, published: Published) -> tuple[list[Issue], Vectors]:
    """Return the parents of trees whose vectors are known, and these; an import has them once it was asked."""
    encoder = str(published.settings.get("gate", {}).get("encoder") or "")
    dimensions = file.dimensions(encoder)
    roots = list(Forest(published.kb.issues.values()).roots)
    vectors, missing = file.vectors(encoder, [root.text for root in roots], dimensions)
    there = sorted(set(range(len(roots))).difference(missing))
    return [roots[n] for n in there], np.ascontiguousarray(vectors[there])


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

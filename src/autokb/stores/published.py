"""The published knowledge base as nouns, the decisions of people laid over it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache

from pydantic import TypeAdapter

from autokb.core.changes import Changes
from autokb.core.decisions import Decided, Decisions, apply_decisions
from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import BadInputError
from autokb.core.ids import canonical_json, short_id
from autokb.core.nouns import Chunk, Decision, DecisionKind, KnowledgeBase, RawIssue
from autokb.core.review_policy import ReviewPolicy
from autokb.core.yaml_text import parse_yaml
from autokb.stores.codecs import (
    CHUNK,
    DOCUMENT,
    ISSUE,
    RAW_ISSUE,
    SEED,
    SOLUTION,
    THEME,
    Body,
    Codec,
    N,
    decision_body,
    read_decision,
)
from autokb.stores.database import damaged_rows
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.stores.workspace_file import WorkspaceFile

REVIEW = "review"  # the setting that says how many must approve a text, as the last build read it in the domain
CHANGES = "changes"  # meta: what the last build changed for readers
LAID_OVER: tuple[DecisionKind, ...] = ("edit", "verdict", "written")  # all but events, which change nothing
NOTHING_PUBLISHED = "Nothing is published yet; add documents and issues, then: autokb build {folder}"


@dataclass(frozen=True, slots=True)
class Published:
    """What the last build published, in memory; ``decided`` says which solutions people changed."""

    kb: KnowledgeBase
    chunks: tuple[Chunk, ...]
    raw_issues: dict[str, RawIssue]
    raw_places: dict[str, dict[str, str]]
    decisions: Decisions
    decided: Decided
    settings: dict[str, dict[str, object]]
    generation: str

    @property
    def told_issues(self) -> dict[str, RawIssue]:
        """The raw issues as the build read them, by id."""
        return {raw_id: one.as_told() for raw_id, one in self.raw_issues.items()}


def published_spec(workspace: Workspace, published: Published) -> DomainSpec:
    """Return the domain that the last build worked with; an edited ``domain.yaml`` counts from the next build on."""
    return spec_of(workspace, published.settings)


def spec_of(workspace: Workspace, settings: Mapping[str, Mapping[str, object]]) -> DomainSpec:
    """Return the domain among published settings."""
    text = settings.get("domain", {}).get("yaml")
    if not isinstance(text, str) or text == workspace.domain_text:  # a question need not parse the same YAML twice
        return workspace.spec
    try:
        return read_domain(parse_yaml(text, DOMAIN_FILE))
    except BadInputError:
        return workspace.spec


def read_published(file: WorkspaceFile) -> Published:
    """Read everything that readers may see, all of it from one moment."""
    with file.snapshot(), damaged_rows("record"):
        return _read_records(file)


def read_decided_anew(file: WorkspaceFile, before: Published) -> Published:
    """Return what was read before with what people decided since; ``before`` is of the same publication."""
    built = {i: one for i, one in before.decided.base.items() if i not in before.decided.written}
    decisions = read_decisions(file)
    decided = apply_decisions(built, before.kb.issues, decisions)
    kb = replace(before.kb, solutions=decided.solutions)
    generation = file.generation
    return replace(before, kb=kb, decisions=decisions, decided=decided, generation=generation)


def read_decided(file: WorkspaceFile) -> Decided:
    """Read the solutions as people left them, without the rest of the knowledge base."""
    solutions = {i: SOLUTION.read(body, id=i) for i, body in file.records("solution")}
    issues = {i: ISSUE.read(body, id=i) for i, body in file.records("issue")}
    return apply_decisions(solutions, issues, read_decisions(file))


def read_decisions(file: WorkspaceFile) -> Decisions:
    """Read what people decided, in the order in which the workspace took it."""
    with damaged_rows("decision"):
        log = (read_decision(kind, i, body) for kind in LAID_OVER for i, body in file.decisions(kind))
        return Decisions.of(log, ReviewPolicy.of_setting(file.record("setting", REVIEW)))


def keep_decisions(file: WorkspaceFile, decisions: Iterable[Decision]) -> None:
    """Store decisions, new ones and those that are there already; call it inside a transaction."""
    bodies: dict[str, dict[str, Body]] = {}
    for one in decisions:
        bodies.setdefault(one.kind, {})[one.id] = decision_body(one)
    for kind, some in bodies.items():
        file.keep_decisions(kind, some)


def keep_events(file: WorkspaceFile, events: Iterable[Decision]) -> None:
    """Store what befell solutions, numbered after all that is there; call it inside a transaction."""
    numbered = enumerate(events, file.last_number() + 1)
    keep_decisions(
        file, [replace(e, id=short_id("event", e.solution_id, e.what, str(n)), number=n) for n, e in numbered]
    )


def read_events(file: WorkspaceFile, solution: str) -> list[Decision]:
    """Return what befell a solution, in the order of its happening."""
    with damaged_rows("decision"):
        found = (read_decision("event", i, body) for i, body in file.decisions("event"))
        return [one for one in found if one.solution_id == solution]


def keep_changes(file: WorkspaceFile, changes: Changes) -> None:
    """Store what a build changed, in place of what the one before did; call it inside its transaction."""
    file.note(CHANGES, canonical_json(changes.as_json()))


def drop_changes(file: WorkspaceFile) -> None:
    """Forget what a build changed, for what is there now is of no build; call it inside a transaction."""
    file.note(CHANGES, canonical_json(Changes().as_json()))


def read_changes(file: WorkspaceFile) -> Changes:
    """Read what the last build changed."""
    text = file.meta(CHANGES)
    with damaged_rows("meta"):
        return Changes() if text is None else _changes_reader().validate_json(text)


@cache
def _changes_reader() -> TypeAdapter[Changes]:
    return TypeAdapter(Changes)


def _read_records(file: WorkspaceFile) -> Published:
    kinds = ("document", "theme", "seed", "issue", "solution", "setting", "raw_issue")
    bodies = {kind: dict(file.records(kind)) for kind in kinds}

    def read(kind: str, codec: Codec[N]) -> dict[str, N]:
        return {i: codec.read(body, id=i) for i, body in bodies[kind].items()}

    issues, solutions = read("issue", ISSUE), read("solution", SOLUTION)
    decisions = read_decisions(file)
    decided = apply_decisions(solutions, issues, decisions)
    kb = KnowledgeBase(
        documents=read("document", DOCUMENT),
        themes=read("theme", THEME),
        seeds=read("seed", SEED),
        issues={**issues, **decided.problems},
        solutions=decided.solutions,
    )
    named = ("theme", "seed", "issue", "reason")
    places = {i: {k: str(b[k]) for k in named if b.get(k)} for i, b in bodies["raw_issue"].items()}
    return Published(
        kb=kb,
        chunks=tuple(CHUNK.read(c, document=d) for d, b in bodies["document"].items() for c in b.get("chunks") or ()),
        raw_issues=read("raw_issue", RAW_ISSUE),
        raw_places=places,
        decisions=decisions,
        decided=decided,
        settings=bodies["setting"],
        generation=file.generation,
    )

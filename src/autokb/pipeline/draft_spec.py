"""A draft of attributes and rules from what was added, written beside ``domain.yaml`` for a person to edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.files import write_file
from autokb.core.ids import digest
from autokb.core.nouns import Document, RawIssue
from autokb.core.progress import Progress, silent
from autokb.core.results import Result
from autokb.core.spending import Tokens
from autokb.core.yaml_text import parse_yaml
from autokb.heuristics.document_audience import proposed_audience
from autokb.heuristics.spec.proposal import DraftedAttribute, DraftSpec
from autokb.pipeline.draft_yaml import draft_data, draft_text, is_unchanged
from autokb.pipeline.model_choice import OFFLINE
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.stores.staged import staged_documents, staged_raw_issues
from autokb.stores.workspace import DOMAIN_FILE, Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.issues.draft_spec.task import TASK
from autokb.text.plain_text import plain_text

STAGE = "draft"
DRAFT_FILE = "domain.draft.yaml"
SAMPLE = "draft"  # the seed of the sample: the same issues of the same workspace each time
# How much is looked at: issues, characters of each, documents, characters of each. A model pays for what it reads.
BY_MODEL = (150, 400, 120, 200)
BY_COUNTING = (2_000, 4_000, 1_000, 20_000)
Sizes = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class SampleSize(Result):
    """How many of the added issues and documents were looked at."""

    issues: int
    documents: int


@dataclass(frozen=True, slots=True)
class Draft(Result):
    """A draft, the file that it was written to, what was not taken of it, and what it cost.

    ``attributes`` and ``rules`` are the proposals, each with its reason; ``made_by`` is a model or counting words.
    """

    file: str
    yaml: str
    attributes: tuple[Mapping[str, Any], ...]
    rules: tuple[Mapping[str, Any], ...]
    made_by: str
    model: str
    sample: SampleSize
    left_out: tuple[str, ...]
    calls: int
    cached: int
    tokens: Tokens
    cost: float | None


def draft_spec(workspace: Workspace, *, options: ModelOptions | None = None, progress: Progress = silent) -> Draft:
    """Draft attributes and rules and write them; ``domain.yaml`` and drafts that a person edited stay as they are."""
    with workspace.file() as file, open_stages(workspace, file, progress, options) as stages:
        model = stages.model(TASK, STAGE)
        issues, documents = _sources(file, workspace)
        item = draft_request(workspace.spec, issues, documents, BY_COUNTING if model == OFFLINE else BY_MODEL)
        (drafted,) = stages.run(STAGE, TASK, [item], [workspace.spec.name])
        if drafted is None:
            reason = "; ".join(failure.reason for failure in stages.log.failures) or "the reply is awaited."
            raise AutokbError(f"No draft was made: {reason}")
        data = draft_data(parse_yaml(workspace.domain_text, DOMAIN_FILE) or {}, drafted)
        proposed = proposed_audience(documents, read_domain(data))
        data |= {**proposed, "attributes": {**data["attributes"], **proposed.get("attributes", {})}}
        text = draft_text(data, drafted, model)
        path = write_draft(workspace, text)
        ids = [i.id for i in _sampled(issues, len(item.issues))]
        return Draft(
            file=str(path),
            yaml=text,
            attributes=tuple(_proposal(a, ids) for a in drafted.attributes),
            rules=tuple(rule.model_dump(mode="json") for rule in drafted.rules),
            made_by="counting words" if model == OFFLINE else "model",
            model=model,
            sample=SampleSize(len(item.issues), len(item.documents)),
            left_out=tuple(failure.reason for failure in stages.log.left_out),
            **stages.spending().by_name(),
        )


def _proposal(attribute: DraftedAttribute, ids: Sequence[str]) -> dict[str, Any]:
    """Return an attribute as JSON, with the ids of the issues that it was found in."""
    return {
        **attribute.model_dump(mode="json", exclude={"synonyms", "issues"}),
        "synonyms": {s.value: list(s.words) for s in attribute.synonyms},
        "issues": [ids[number - 1] for number in attribute.issues],
    }


def _sources(file: WorkspaceFile, workspace: Workspace) -> tuple[list[RawIssue], list[Document]]:
    issues = staged_raw_issues(file)
    documents = staged_documents(file)
    if not issues and not documents:
        raise BadInputError(
            f"There is nothing to draft from; add issues and documents first: autokb add {workspace.folder} ..."
        )
    return issues, documents


def draft_request(
    spec: DomainSpec, issues: Sequence[RawIssue], documents: Sequence[Document], sizes: Sizes
) -> DraftSpec:
    """Return the request for a draft from a sample of the issues and documents.

    ``sizes`` are the most issues, characters of each, documents, and characters of each. The sample depends on ids
    only, so that the same input makes the same request.
    """
    most_issues, issue_size, most_documents, document_size = sizes
    return DraftSpec(
        domain=spec.in_words,
        issues=tuple(_line(i.full_text, issue_size) for i in _sampled(issues, most_issues)),
        documents=tuple((d.title, _opening(d, document_size)) for d in _sampled(documents, most_documents)),
        attributes=tuple((name, a.values or a.examples) for name, a in spec.attributes.items()),
        rules=tuple((rule.id, rule.text) for rule in spec.rules),
        language=spec.language,
    )


def _sampled(items: Sequence[Any], most: int) -> list[Any]:
    """Return at most so many items, an even choice that stays the same, in the order of their ids."""
    chosen = sorted(items, key=lambda item: digest(SAMPLE, item.id))[:most]
    return sorted(chosen, key=lambda item: str(item.id))


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most].rstrip()


def _opening(document: Document, most: int) -> str:
    """Return the beginning of a document's text without its title; long ones keep their lines, which label things."""
    text = plain_text(document.text[: most * 2], images=False).strip().removeprefix(document.title).strip()
    return text[:most] if most > BY_MODEL[3] else _line(text, most)


def write_draft(workspace: Workspace, text: str) -> Path:
    """Write a draft of ``domain.yaml`` that reads, under a name that no draft edited by a person has."""
    read_domain(parse_yaml(text, DRAFT_FILE))
    path = _free(workspace.folder)
    write_file(path, text, "; make the folder writable")
    return path


def _free(folder: Path) -> Path:
    """Return the first draft's name that is free or holds a draft which nobody edited."""
    number = 1
    while True:
        path = folder / (DRAFT_FILE if number == 1 else f"domain.draft-{number}.yaml")
        if not path.exists() or is_unchanged(_text_of(path)):
            return path
        number += 1


def _text_of(path: Path) -> str:
    """Return the text of a draft; one that cannot be read was edited by somebody."""
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""

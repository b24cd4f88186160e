"""The annotation sheet one item at a time: what an annotator has not answered, and the answers that are kept."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from autokb.core.errors import BadInputError, UnknownIdError
from autokb.core.nouns import Annotation, KnowledgeBase, words_of
from autokb.core.results import Result
from autokb.plugins.lab.evaluation.quality.annotation import Agreement, agree, sheet_items
from autokb.plugins.lab.evaluation.sheets import ANNOTATORS
from autokb.stores.annotations import drop_annotation, keep_annotation, read_annotations
from autokb.stores.published import read_published
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import printable_name

MOST_ITEMS = 200  # of a sheet that people fill in page by page; the CSV has no limit


@dataclass(frozen=True, slots=True)
class SheetItem(Result):
    """One solution to be judged, with the problem that it is for and what it cites; ``place`` counts from 1."""

    id: str
    place: int
    issue: str
    text: str
    documents: tuple[str, ...]
    quotes: tuple[str, ...]
    answer: bool | None


@dataclass(frozen=True, slots=True)
class SheetPage(Result):
    """Where an annotator is: the ``item`` to answer, None when all ``items`` are answered."""

    annotator: str
    items: int
    answered: int
    item: SheetItem | None


# Complex: the wanted item and the next one without an answer are sought in the same sheet.
def next_item(workspace: Workspace, annotator: str, wanted: str = "") -> SheetPage:
    """Return the first item that an annotator (1 or 2) has not answered, or the ``wanted`` one (UnknownIdError)."""
    _check(annotator)
    with workspace.file() as file, file.snapshot():
        kb = read_published(file).kb
        given = {a.item: a.is_correct for a in _holding(file, kb) if a.annotator == annotator}
    asked = sheet_items(kb.solutions.values(), kb.issues, MOST_ITEMS)[annotator]
    if wanted and wanted not in {one.id for one in asked}:
        raise UnknownIdError(f"The sheet of annotator {annotator} has no item {wanted!r}.")
    chosen = next((n for n, one in enumerate(asked) if (one.id == wanted if wanted else one.id not in given)), None)
    answered = sum(one.id in given for one in asked)
    if chosen is None:
        return SheetPage(annotator, len(asked), answered, None)
    one = asked[chosen]
    issue = kb.issues.get(one.issue_id)
    documents = tuple(dict.fromkeys(e.document for e in one.evidence))
    quotes = tuple(e.quote for e in one.evidence)
    item = SheetItem(
        id=one.id,
        place=chosen + 1,
        issue=issue.text if issue else "",
        text=one.text,
        documents=documents,
        quotes=quotes,
        answer=given.get(one.id),
    )
    return SheetPage(annotator, len(asked), answered, item)


def annotate(
    workspace: Workspace,
    item: str,
    annotator: str,
    is_correct: bool | None,
    *,
    author: str = "",
    now: str | None = None,
) -> SheetPage:
    """Keep what an annotator says of an item, None takes it back; returns what comes next (UnknownIdError)."""
    _check(annotator)
    date = now or datetime.now(UTC).isoformat(timespec="seconds")
    with workspace.file() as file, file.transaction():
        solution = read_published(file).kb.solutions.get(item)
        if solution is None:
            raise UnknownIdError(f"No solution has the id {item!r}; a build has changed it since. Go on with the next.")
        if is_correct is None:
            drop_annotation(file, item, annotator)
        else:
            given = Annotation(item, annotator, words_of(solution), is_correct, printable_name(author), date)
            keep_annotation(file, given)
    return next_item(workspace, annotator)


def read_agreement(file: WorkspaceFile, kb: KnowledgeBase) -> Agreement | None:
    """Return what the kept answers say of the solutions as they are now; None without any."""
    answers: dict[str, dict[str, bool]] = {}
    for one in _holding(file, kb):
        answers.setdefault(one.item, {})[one.annotator] = one.is_correct
    return agree(answers) if answers else None


def _holding(file: WorkspaceFile, kb: KnowledgeBase) -> list[Annotation]:
    """Return the answers to solutions that still have the words that were judged."""
    found = read_annotations(file)
    return [a for a in found if a.item in kb.solutions and words_of(kb.solutions[a.item]) == a.text_hash]


def _check(annotator: str) -> None:
    if annotator not in ANNOTATORS:
        raise BadInputError(f"An annotator is {' or '.join(ANNOTATORS)}, not {annotator!r}.")

"""Feedback on suggestions: given, listed, taken back, and fed back as resolved questions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.files import read_regular_file
from autokb.core.in_use import (
    FEEDBACK_VERDICTS,
    RESOLVING,
    SUGGESTION_SOURCES,
    Feedback,
    SuggestionSource,
    feedback_id,
)
from autokb.core.nouns import Solution
from autokb.core.results import Listed, Result
from autokb.core.storable import without_surrogates
from autokb.pipeline.open_index import QUESTION_CHARACTERS, OpenIndex
from autokb.stores.codecs import SOLUTION
from autokb.stores.database import damaged_rows
from autokb.stores.published import read_decided, read_decisions
from autokb.stores.workspace_file import WorkspaceFile
from autokb.text.control_characters import printable_name, replace_controls

TEXT_CHARACTERS = 20_000  # of what was sent at most, as of a message of a chat
NAME_CHARACTERS = 500  # of a conversation's id, an author and a group
MOST_DOCUMENTS = 20  # that one suggestion cites


@dataclass(frozen=True, slots=True)
class GivenFeedback(Result):
    """A feedback as it is stored; ``changed`` is 0 where it was there already."""

    feedback: Feedback
    changed: int

    def as_json(self) -> dict[str, Any]:
        """Return the feedback's fields with ``changed`` beside them."""
        return {**asdict(self.feedback), "documents": list(self.feedback.documents), "changed": self.changed}


@dataclass(frozen=True, slots=True)
class FeedbackPage(Listed, Result):
    """Some feedback in the order of its taking; the next page begins behind the id ``next``, None at the end."""

    items: tuple[Feedback, ...]
    next: str | None


@dataclass(frozen=True, slots=True)
class UndoneFeedback(Result):
    """A feedback that was taken back; ``unstaged`` counts the questions that went out of history and the next build."""

    id: str
    unstaged: int


@dataclass(frozen=True, slots=True)
class FedFeedback(Result):
    """How many resolved questions are fed, how many of them newly, how many went, and what was left out and why."""

    issues: int
    added: int
    removed: int
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class FoundSuggestion:
    """The text of a suggestion, the documents that it cites and where it comes from."""

    text: str
    documents: tuple[str, ...]
    source: SuggestionSource


def checked_feedback(given: Feedback) -> Feedback:
    """Return what was given with its id, without characters that steer a terminal (BadInputError)."""
    if given.verdict not in FEEDBACK_VERDICTS:
        raise BadInputError(f"A verdict is one of {', '.join(FEEDBACK_VERDICTS)}, not {given.verdict!r}.")
    if given.source not in SUGGESTION_SOURCES:
        raise BadInputError(f"A source is one of {', '.join(filter(None, SUGGESTION_SOURCES))}, not {given.source!r}.")
    query, text = (_cleaned(one) for one in (given.query, given.text))
    if not query:
        raise BadInputError("Feedback needs the question that was asked; give it as query.")
    if len(text) > TEXT_CHARACTERS:
        raise BadInputError(f"The text sent has {len(text):,} characters; {TEXT_CHARACTERS:,} can be kept.")
    conversation = cleaned_name(given.conversation, "conversation")
    author, group = cleaned_name(given.author, "author"), cleaned_name(given.group, "group")
    if given.solution_id and given.documents:
        raise BadInputError("Name documents only where there is no solution_id: a solution says itself what it cites.")
    if len(given.documents) > MOST_DOCUMENTS:
        raise BadInputError(f"Feedback names at most {MOST_DOCUMENTS} documents, not {len(given.documents)}.")
    documents = (cleaned_name(one, "document") for one in given.documents)
    cleaned = replace(
        given,
        query=query,
        text=text,
        solution_id=given.solution_id or None,
        documents=tuple(dict.fromkeys(filter(None, documents))),
        conversation=conversation,
        author=author,
        group=group,
    )
    return replace(cleaned, id=feedback_id(cleaned))


def _cleaned(text: str) -> str:
    return replace_controls(without_surrogates(text[:QUESTION_CHARACTERS])).replace("\r", "\n").strip()


def cleaned_name(name: str, what: str) -> str:
    """Return a name, or the id of a conversation, in the one form in which it is kept (BadInputError: too long)."""
    if len(name) > NAME_CHARACTERS:
        raise BadInputError(f"The {what} has {len(name):,} characters; {NAME_CHARACTERS} can be kept.")
    return printable_name(without_surrogates(name)).strip()


def find_suggested(
    file: WorkspaceFile, solution_id: str | None, opened: OpenIndex | None, open_index: Callable[[], OpenIndex]
) -> FoundSuggestion:
    """Return what a solution or passage says now, or said when it was suggested (BadInputError where it is unknown)."""
    if solution_id is None:
        return FoundSuggestion("", (), "")
    if opened is not None and (found := _in_index(opened, solution_id)):
        return found
    if (solution := _read_solution(file, solution_id)) is not None:
        return _of_solution(solution, "solution")
    if next(file.records("document"), None) is not None and (found := _in_index(open_index(), solution_id)):
        return found
    raise BadInputError(
        f"There is no solution {solution_id!r}; give the solution_id of a suggestion, or none for a question back."
    )


def _read_solution(file: WorkspaceFile, solution_id: str) -> Solution | None:
    """Return a solution as people left it; all are read only where people decided something."""
    with file.snapshot(), damaged_rows("record"):
        if read_decisions(file).log:
            return read_decided(file).solutions.get(solution_id)
        body = file.record("solution", solution_id)
        return None if body is None else SOLUTION.read(body, id=solution_id)


def _in_index(opened: OpenIndex, solution_id: str) -> FoundSuggestion | None:
    candidates = opened.index_with(solution_id).candidates
    row = candidates.row_of.get(solution_id)
    if row is None:
        return None
    own, views = candidates.rows[row].solution, candidates.rows[row].views
    view = next((view for view in views if view.id == solution_id), None)
    return _of_solution(own, "passage") if view is None else _of_solution(view, "solution")


def _of_solution(solution: Solution, source: SuggestionSource) -> FoundSuggestion:
    documents = tuple(dict.fromkeys(e.document for e in solution.evidence))
    return FoundSuggestion(solution.text, documents, source)


def read_sent_text(text: str, source: Path | None) -> str:
    """Return what was sent, given as it is or as a file in UTF-8 (BadInputError for both, or a file that is none)."""
    if source is None:
        return text
    if text:
        raise BadInputError("Give --text or --text-file, not both.")
    try:
        data = read_regular_file(source, TEXT_CHARACTERS * 4)  # bytes of a character at most
        if data is None:
            raise BadInputError(f"{source} has more than {TEXT_CHARACTERS:,} characters, the most that can be kept.")
        return data.decode("utf-8-sig")
    except OSError as error:
        raise BadInputError(f"{source} cannot be read ({error.strerror}); check the path.") from error
    except UnicodeDecodeError as error:
        raise BadInputError(f"{source} is not UTF-8 text; save it as UTF-8.") from error


def left_out_of_history(feedback: Sequence[Feedback], taken: int) -> dict[str, int]:
    """Return why other feedback than the ``taken`` is no resolved question, with how much of it there is."""
    failed = sum(one.verdict not in RESOLVING for one in feedback)
    uncited = sum(one.verdict in RESOLVING and not one.documents for one in feedback)
    repeated = len(feedback) - failed - uncited - taken
    counts = {"says that it did not help": failed, "cites no document": uncited, "was said again since": repeated}
    return {reason: n for reason, n in counts.items() if n}

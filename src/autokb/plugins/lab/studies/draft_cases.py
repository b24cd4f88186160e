"""Cases for a test set: from past conversations or the documents, and questions that are about something else."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from autokb.core.errors import BadInputError
from autokb.core.files import write_file
from autokb.core.ids import short_id
from autokb.core.nouns import CUSTOMER, Conversation, Document, Failure, Message
from autokb.core.progress import Progress, silent
from autokb.core.reply_rules import read_reply_rules
from autokb.core.results import Result
from autokb.core.spending import NOTHING_SPENT, Spending
from autokb.core.test_sets import read_queries
from autokb.heuristics.conversations.reply_pairs import reply_pairs
from autokb.pipeline.model_choice import OFFLINE
from autokb.pipeline.model_session import ModelOptions
from autokb.pipeline.stages import open_stages
from autokb.plugins.lab.evaluation.suggestions.cases import CaseStatistics, TextCount
from autokb.stores.chats import staged_conversations
from autokb.stores.staged import staged_documents
from autokb.stores.workspace import Workspace
from autokb.stores.workspace_file import WorkspaceFile
from autokb.tasks.probes.question_answer_pairs.task import TASK as PAIRS
from autokb.tasks.probes.question_answer_pairs.task import AskForPairs
from autokb.text.markdown import sections
from autokb.text.masking import find_private, mask

SUFFIX = ".jsonl"
STAGE = "cases"
CaseSource = Literal["chats", "documents"]
CASE_SOURCES: tuple[CaseSource, ...] = ("chats", "documents")
BY_HEADINGS = "headings and first sentences"  # what makes cases of documents without a model
AS_WRITTEN = "people"  # who wrote the questions and replies of conversations
Case = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DraftedCases(Result):
    """How many cases were found, the mean words of their questions and replies, and how many things were masked.

    ``statistics`` is table 1 of the response prediction paper; ``made_by`` says who wrote the questions and replies.
    """

    file: str
    conversations: int
    cases: int
    question_words: float | None
    reply_words: float | None
    masked: int
    statistics: CaseStatistics
    made_by: str = AS_WRITTEN
    failures: tuple[Failure, ...] = ()
    spending: Spending = NOTHING_SPENT


@dataclass(frozen=True, slots=True)
class _FoundCases:
    """Cases, how many private things were masked in them, and who made them at what cost."""

    cases: Sequence[Case]
    masked: int
    conversations: int = 0
    made_by: str = AS_WRITTEN
    failures: tuple[Failure, ...] = ()
    spending: Spending = NOTHING_SPENT


def draft_cases(
    workspace: Workspace,
    target: Path,
    source: CaseSource = "chats",
    out_of_domain: Path | None = None,
    *,
    options: ModelOptions | None = None,
    progress: Progress = silent,
) -> DraftedCases:
    """Write a line for each question with its reply, as ``evaluate suggestions`` reads them; the file must be new.

    ``chats`` gives what customers asked and agents replied, and leaves ``documents`` for people to fill in;
    ``documents`` has the task of pairs read every section of what was added. ``out_of_domain`` (JSONL with id and text)
    adds questions whose right reply is none. E-mail addresses, phone numbers, card numbers and secrets are masked.
    """
    if target.suffix.lower() != SUFFIX:
        raise BadInputError(f"{target.name}: cases are lines of JSON; name a file that ends in {SUFFIX}.")
    if target.exists():
        raise BadInputError(f"{target} is there already, and people may have edited it; name a new file.")
    others = _other_questions(out_of_domain) if out_of_domain is not None else _FoundCases((), 0)
    with workspace.file() as file:
        documents = staged_documents(file)
        if source == "chats":
            found = _from_chats(workspace, file)
        else:
            found = _from_documents(workspace, file, documents, options, progress)
    cases = [*found.cases, *others.cases]
    lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
    write_file(target, "".join(lines), "; nothing was drafted")
    questions, replies = (TextCount.of([c[part] for c in found.cases]) for part in ("question", "reply"))
    other = TextCount.of([c["question"] for c in others.cases])
    return DraftedCases(
        file=str(target),
        conversations=found.conversations,
        cases=len(cases),
        question_words=questions.mean_words,
        reply_words=replies.mean_words,
        masked=found.masked + others.masked,
        statistics=CaseStatistics(TextCount.of([d.text for d in documents]), questions, replies, other),
        made_by=found.made_by,
        failures=found.failures,
        spending=found.spending,
    )


def _from_chats(workspace: Workspace, file: WorkspaceFile) -> _FoundCases:
    """Return what customers asked in the added conversations and what agents replied."""
    conversations = staged_conversations(file)
    if not conversations:
        folder = shlex.quote(str(workspace.folder))
        raise BadInputError(f"There are no conversations; add some first: autokb add {folder} FILE --as chats")
    cases: list[Case] = []
    masked = 0
    for conversation in conversations:
        masking = mask([message.text for message in conversation.messages])
        masked += len(masking.originals)
        messages = (replace(m, text=text) for m, text in zip(conversation.messages, masking.texts, strict=True))
        masked_one = Conversation(case_id("chat", conversation.id), tuple(messages))
        for pair in reply_pairs(masked_one, workspace.spec.language):
            asked = masked_one.messages[: pair.position]
            cases.append(_case(f"{masked_one.id}:{pair.position}", asked, pair.question, pair.reply))
    if not cases:
        raise BadInputError(
            "In the conversations that were added no agent replies to a question with more than small talk and "
            "questions back; nothing was written."
        )
    return _FoundCases(cases, masked, len(conversations))


def _case(name: str, messages: Sequence[Message], question: str, reply: str, *documents: str) -> Case:
    said = [{"role": m.role, "text": m.text} for m in messages]
    return {"id": name, "messages": said, "question": question, "reply": reply, "documents": list(documents)}


def case_id(kind: str, given: str) -> str:
    """Return the id that cases have of a conversation or question; one that tells something private is hashed."""
    return short_id(kind, given) if find_private(given) else given


# Complex: each pair is traced to its section's place, masked and numbered in one pass.
def _from_documents(
    workspace: Workspace,
    file: WorkspaceFile,
    documents: Sequence[Document],
    options: ModelOptions | None,
    progress: Progress,
) -> _FoundCases:
    """Return questions and replies that the sections of the added documents hold, each with its quote."""
    if not documents:
        folder = shlex.quote(str(workspace.folder))
        raise BadInputError(f"There are no documents; add some first: autokb add {folder} FOLDER")
    spec = workspace.spec
    most = read_reply_rules(spec.reply).max_words
    places: list[tuple[Document, int]] = []
    items: list[AskForPairs] = []
    for document in documents:
        for section in sections(document.text):
            text = document.text[section.start : section.own_end]
            headings = tuple(dict.fromkeys((document.title, *section.headings)))
            if text.strip():
                places.append((document, section.start))
                items.append(AskForPairs(headings, text, most, spec.language))
    with open_stages(workspace, file, progress, options) as stages:
        model = stages.model(PAIRS, STAGE)
        names = [f"{document.id}#{start}" for document, start in places]
        replies = stages.run(STAGE, PAIRS, items, names)
        failures, spending = tuple(stages.log.failures), stages.spending()
    cases: list[Case] = []
    masked = 0
    counts: dict[str, int] = {}
    for (document, begins), reply in zip(places, replies, strict=True):
        for pair in reply.pairs if reply is not None else ():
            masking = mask([pair.question, pair.reply])
            masked += len(masking.originals)
            question, said = masking.texts
            number = counts[document.id] = counts.get(document.id, 0) + 1
            start = document.text.find(pair.quote, begins)
            place = {"start": start, "end": start + len(pair.quote)} if start >= 0 else {}
            case = _case(f"{document.id}#{number}", [Message(CUSTOMER, question)], question, said, document.id)
            cases.append(case | {"evidence": [{"document": document.id, "quote": pair.quote, **place}]})
    if not cases:
        why = f" {failures[0].reason}" if failures else ""
        raise BadInputError(f"In the documents that were added no section gives a question and a reply.{why}")
    made_by = BY_HEADINGS if model == OFFLINE else model
    return _FoundCases(cases, masked, 0, made_by, failures, spending)


def _other_questions(path: Path) -> _FoundCases:
    """Read questions that are about something else: their right reply is none."""
    cases: list[Case] = []
    masked = 0
    for query in read_queries(path):
        masking = mask([query.text])
        masked += len(masking.originals)
        (text,) = masking.texts
        name = f"out-of-domain#{case_id('question', query.id)}"
        cases.append(_case(name, [Message(CUSTOMER, text)], text, ""))
    return _FoundCases(cases, masked)

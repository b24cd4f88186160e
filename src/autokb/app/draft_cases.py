"""Cases for a test set from past conversations: what a customer asked, and what an agent replied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autokb.core.conversations import Conversation
from autokb.core.errors import AutokbError, BadInputError
from autokb.core.ids import short_id
from autokb.core.private_files import replace_private
from autokb.core.reply_rules import count_words
from autokb.core.results import Result
from autokb.heuristics.conversations.reply_pairs import reply_pairs
from autokb.stores.chats import staged_conversations
from autokb.stores.workspace import Workspace
from autokb.text.masking import find_private, mask

SUFFIX = ".jsonl"


@dataclass(frozen=True, slots=True)
class DraftedCases(Result):
    """How many cases were found, the mean words of their questions and replies, and how many things were masked."""

    file: str
    conversations: int
    cases: int
    question_words: float
    reply_words: float
    masked: int


def draft_cases(workspace: Workspace, target: Path) -> DraftedCases:
    """Write a line for each question of the added conversations that an agent replied to; the file must be new.

    E-mail addresses, phone numbers, card numbers and secrets are masked; ``documents`` is left for people to fill in.
    """
    if target.suffix.lower() != SUFFIX:
        raise BadInputError(f"{target.name}: cases are lines of JSON; name a file that ends in {SUFFIX}.")
    if target.exists():
        raise BadInputError(f"{target} is there already, and people may have edited it; name a new file.")
    with workspace.file() as file:
        conversations = staged_conversations(file)
    if not conversations:
        folder = shlex.quote(str(workspace.folder))
        raise BadInputError(f"There are no conversations; add some first: autokb add {folder} FILE --as chats")
    cases: list[dict[str, Any]] = []
    masked = 0
    for conversation in conversations:
        masking = mask([message.text for message in conversation.messages])
        masked += len(masking.originals)
        messages = (replace(m, text=text) for m, text in zip(conversation.messages, masking.texts, strict=True))
        name = short_id("chat", conversation.id) if find_private(conversation.id) else conversation.id
        cases += _cases(Conversation(name, tuple(messages)), workspace.spec.language)
    if not cases:
        raise BadInputError(
            "In the conversations that were added no agent replies to a question with more than small talk and "
            "questions back; nothing was written."
        )
    try:
        lines = (json.dumps(case, ensure_ascii=False) + "\n" for case in cases)
        replace_private(target, "".join(lines).encode("utf-8"))
    except OSError as error:
        raise AutokbError(f"{target} cannot be written ({error.strerror}); nothing was drafted.") from error
    return DraftedCases(
        str(target),
        len(conversations),
        len(cases),
        _mean_words([case["question"] for case in cases]),
        _mean_words([case["reply"] for case in cases]),
        masked,
    )


def _cases(conversation: Conversation, language: str) -> Iterator[dict[str, Any]]:
    for pair in reply_pairs(conversation, language):
        yield {
            "id": f"{conversation.id}:{pair.position}",
            "messages": [{"role": m.role, "text": m.text} for m in conversation.messages[: pair.position]],
            "question": pair.question,
            "reply": pair.reply,
            "documents": [],
        }


def _mean_words(texts: list[str]) -> float:
    return round(sum(map(count_words, texts)) / len(texts), 2)

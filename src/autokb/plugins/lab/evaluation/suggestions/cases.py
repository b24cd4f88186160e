"""Cases of a test set: a conversation, what a person replied, and the documents that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from autokb.core.errors import BadInputError
from autokb.core.nouns import AGENT, CUSTOMER, Message
from autokb.core.reply_rules import count_words
from autokb.core.results import Result
from autokb.core.test_sets import read_test_set

_EXAMPLE = (
    '{"id": "1", "messages": [{"role": "customer", "text": "No sound"}], "reply": "Turn it up.", '
    '"documents": ["sound.md"]}'
)


@dataclass(frozen=True, slots=True)
class Case:
    """A conversation that ends with the customer, and the truth: a person's reply, empty where it is to refuse.

    ``answers`` are the short answers that count as right, of an open question; else the reply is the one.
    """

    id: str
    messages: tuple[Message, ...]
    reply: str = ""
    documents: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()

    @property
    def question(self) -> str:
        """What the customer wrote last."""
        return self.messages[-1].text

    @property
    def refuses(self) -> bool:
        """Whether the right reply is none."""
        return not self.reply and not self.answers


@dataclass(frozen=True, slots=True)
class TextCount(Result):
    """How many texts there are, and their mean number of words."""

    n: int
    mean_words: float | None

    @classmethod
    def of(cls, texts: Iterable[str]) -> TextCount:
        """Count texts and their words as a person counts them."""
        words = [count_words(text) for text in texts]
        return cls(len(words), round(sum(words) / len(words), 2) if words else None)


@dataclass(frozen=True, slots=True)
class CaseStatistics(Result):
    """Table 1 of the response prediction paper for a test set and the documents it is asked of."""

    documents: TextCount
    questions: TextCount
    replies: TextCount
    out_of_domain: TextCount


def read_cases(path: Path) -> tuple[Case, ...]:
    """Read cases from JSONL with ``id``, ``messages``, ``reply`` and ``documents`` (BadInputError names the line).

    In place of messages a line may have the ``text`` of a single question.
    """
    return read_test_set(path, _read_case, "case", "cases", _EXAMPLE)


def resolve_case_documents(
    cases: Sequence[Case], resolve: Callable[[str], str | None]
) -> tuple[tuple[Case, ...], tuple[str, ...]]:
    """Name the documents as the knowledge base does; one that it lacks keeps its name, and is returned beside."""
    names = sorted({name for case in cases for name in case.documents})
    resolved = {name: resolve(name) for name in names}
    named = (replace(case, documents=tuple(dict.fromkeys(resolved[d] or d for d in case.documents))) for case in cases)
    return tuple(named), tuple(name for name in names if resolved[name] is None)


def case_statistics(cases: Iterable[Case], documents: Iterable[str]) -> CaseStatistics:
    """Count cases and words as a person counts them; ``documents`` are the texts of the knowledge base."""
    cases = list(cases)
    answered = [case for case in cases if not case.refuses]
    return CaseStatistics(
        TextCount.of(documents),
        TextCount.of(case.question for case in answered),
        TextCount.of(case.reply or case.answers[0] for case in answered),
        TextCount.of(case.question for case in cases if case.refuses),
    )


def _read_case(record: dict[str, Any], where: str) -> Case:
    given = record.get("id")
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        raise BadInputError(f"{where} needs an id, for example {_EXAMPLE}")
    read = _read_messages(record, where)
    reply = record.get("reply")
    if not isinstance(reply, str | None):
        raise BadInputError(f"{where}: reply must be a text, empty or null where the right reply is none.")
    return Case(
        str(given), read, (reply or "").strip(), _texts(record, "documents", where), _texts(record, "answers", where)
    )


def _read_messages(record: dict[str, Any], where: str) -> tuple[Message, ...]:
    messages = record.get("messages")
    if messages is None and isinstance(record.get("text"), str):
        messages = [{"role": CUSTOMER, "text": record["text"]}]
    if not isinstance(messages, list) or not messages:
        raise BadInputError(f"{where} needs messages, for example {_EXAMPLE}")
    read = tuple(_read_message(message, where) for message in messages)
    if read[-1].role != CUSTOMER or not read[-1].text.strip():
        raise BadInputError(f"{where}: the last message must be the customer's, and not empty.")
    return read


def _read_message(message: Any, where: str) -> Message:
    if not isinstance(message, dict) or message.get("role") not in (CUSTOMER, AGENT):
        raise BadInputError(f"{where}: each message needs a role, customer or agent, and a text.")
    if not isinstance(message.get("text"), str):
        raise BadInputError(f"{where}: each message needs a text.")
    return Message(message["role"], message["text"])


def _texts(record: dict[str, Any], name: str, where: str) -> tuple[str, ...]:
    given = record.get(name)
    found = [] if given is None else given
    if not isinstance(found, list) or not all(isinstance(text, str) for text in found):
        raise BadInputError(f"{where}: {name} must be a list of texts.")
    return tuple(dict.fromkeys(text.strip() for text in found if text.strip()))

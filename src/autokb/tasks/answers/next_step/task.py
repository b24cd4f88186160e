"""The task that decides what to do next: search with which words, answer, return small talk, or refuse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, get_args

from pydantic import Field

from autokb.core.domain import ENGLISH
from autokb.core.ids import only_if_other_than
from autokb.core.nouns import Message
from autokb.core.reply import Reply
from autokb.heuristics.replies.drafts import GivenPassage
from autokb.tasks.answers.replies_wire import one_line, published_texts
from autokb.tasks.task import Read, ReplyError, Task

LONGEST_SEARCH = 300  # characters of the words to search with
NO_SMALL_TALK = "none"
Action = Literal["search", "answer", "small_talk", "refuse"]
SmallTalk = Literal["greeting", "thanks", "goodbye", "acknowledgement"]


@dataclass(frozen=True, slots=True)
class Search:
    """Words that were looked up, and what was found."""

    words: str
    passages: tuple[GivenPassage, ...]


@dataclass(frozen=True, slots=True)
class Deciding:
    """A conversation with a team that supports a ``domain``, and what was looked up for it so far."""

    conversation: tuple[Message, ...]
    searches: tuple[Search, ...]
    domain: str
    language: str = only_if_other_than(ENGLISH)


class NextStep(Reply):
    """What to do next; ``words`` are those to search with, ``small_talk`` is the kind of a message about nothing."""

    action: Action
    words: str = ""
    small_talk: SmallTalk | None = None


class NextStepTask(Task[Deciding, NextStep]):
    """Is there something to look up, and with which words, or can the customer be answered?"""

    input = Deciding
    output = NextStep
    masks = True
    entry_tokens = (160, 40)

    def check(self, item: Deciding, reply: NextStep) -> None:
        """Refuse a search without words and an answer from nothing."""
        if reply.action == "search" and not reply.words.strip():
            raise ReplyError("A search needs `words`.")
        if reply.action == "answer" and not any(search.passages for search in item.searches):
            raise ReplyError("There is nothing found to answer from; search first.")
        if reply.action == "small_talk" and reply.small_talk is None:
            raise ReplyError("Say in `small_talk` which kind it is.")

    def values(self, items: Sequence[Deciding]) -> Mapping[str, Any]:
        """Return the conversation, and each search with what it found."""
        (item,) = items
        return {"domain": item.domain, **_shown(item)}

    def published(self, items: Sequence[Deciding]) -> Sequence[str]:
        """Return what was found that is no ticket."""
        return published_texts([passage for search in items[0].searches for passage in search.passages])

    def examples(self, items: Sequence[Deciding]) -> Sequence[Mapping[str, Any]]:
        """Return the examples as a request shows its own material."""
        return [{**e, **_shown(example_deciding(e))} for e in super().examples(items)]

    def entry(self, items: Sequence[Deciding]) -> Mapping[str, Any]:
        """Return the fields of the one entry: what to do, the words to search with, the kind of small talk."""
        return {
            "action": Literal[get_args(Action)],
            "words": Annotated[str, Field(max_length=LONGEST_SEARCH)],
            "small_talk": Literal[(NO_SMALL_TALK, *get_args(SmallTalk))],
        }

    def read(self, item: Deciding, entry: Any) -> Read[NextStep]:
        """Read what to do next; of the other fields what that needs."""
        kind = entry.small_talk if entry.action == "small_talk" and entry.small_talk != NO_SMALL_TALK else None
        words = one_line(entry.words) if entry.action == "search" else ""
        return Read(NextStep(action=entry.action, words=words, small_talk=kind))


def example_deciding(example: Mapping[str, Any]) -> Deciding:
    """Return what an entry of ``examples.yaml`` is about."""
    conversation = tuple(Message(role, text) for one in example["conversation"] for role, text in one.items())
    searches = tuple(
        Search(s["words"], tuple(GivenPassage(p["title"], tuple(p["parts"])) for p in s["passages"]))
        for s in example["searches"]
    )
    return Deciding(conversation, searches, "")


def _shown(item: Deciding) -> Mapping[str, Any]:
    return {
        "conversation": [{"role": m.role, "text": m.text} for m in item.conversation],
        "searches": [
            {"words": s.words, "passages": [{"title": p.title, "text": p.text} for p in s.passages]}
            for s in item.searches
        ],
    }


TASK = NextStepTask()

"""The task that writes one reply from numbered lines, each sentence with the numbers of those that it stands on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import Field

from autokb.heuristics.replies.drafts import DraftedReplies, DraftedReply, Drafting, parts_of
from autokb.tasks.answers.replies_wire import list_of, one_line, read_lines
from autokb.tasks.answers.reply_task import ReplyTask
from autokb.tasks.task import Read
from autokb.tasks.wire import number_to, wire

MOST_SENTENCES = 6
MOST_LINES = 4  # that a sentence stands on
LONGEST_SENTENCE = 300  # characters


class ComposeReplyTask(ReplyTask[Drafting, DraftedReplies]):
    """What could be sent to the customer, sentence by sentence? The parts of its passages are the lines."""

    input = Drafting
    output = DraftedReplies
    version = 2
    entry_tokens = (MOST_SENTENCES * 100, 150)

    def shown(self, item: Drafting) -> Mapping[str, Any]:
        """Return the passages as sections whose lines are numbered over all of them."""
        variables = {
            name: value for name, value in super().shown(item).items() if name not in ("passages", "max_words")
        }
        number, sections = 0, []
        for passage in item.passages:
            lines = [f"[{number + n}] {one_line(part)}" for n, part in enumerate(passage.parts, 1)]
            number += len(lines)
            sections.append({"title": passage.title, "lines": lines})
        return {**variables, "sections": sections, "most": MOST_SENTENCES}

    def entry(self, items: Sequence[Drafting]) -> Mapping[str, Any]:
        """Return the field of the one entry: the sentences."""
        lines = sum(len(passage.parts) for passage in items[0].passages)
        sentence: Any = wire(
            "Sentence",
            text=Annotated[str, Field(min_length=1, max_length=LONGEST_SENTENCE)],
            lines=Annotated[list[number_to(max(1, lines))], Field(min_length=1, max_length=MOST_LINES)],  # type: ignore[misc]
        )
        return {"sentences": list_of(sentence, MOST_SENTENCES)}

    def read(self, item: Drafting, entry: Any) -> Read[DraftedReplies]:
        """Turn each sentence into a draft with its lines as quotes."""
        lines = parts_of(item.passages)
        sentences = (DraftedReply(text=one_line(s.text), quotes=read_lines(s.lines, lines)) for s in entry.sentences)
        return Read(DraftedReplies(replies=tuple(sentences)))


TASK = ComposeReplyTask()

"""The task that finds sections in what the rules leave of a ticket: blocks of text are named, nothing is rewritten."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.core.nouns import Span
from autokb.plugins.tickets.heuristics.section_meaning import SectionMeaning
from autokb.tasks.task import LeftOut, Read, Reply, ReplyError, Task
from autokb.tasks.wire import wire
from autokb.text.markdown import parse_blocks

MOST_BLOCKS = 200  # of a ticket that a model is shown
BLOCK_CHARACTERS = 1_200  # of a block that a model is shown: its section shows early


@dataclass(frozen=True, slots=True)
class UnreadText:
    """A text that stays in ``section`` where no block of it belongs to one of ``others``."""

    section: str
    others: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class ReadSections:
    """A ticket's title, what the rules leave of it, and the sections of the template."""

    title: str
    texts: tuple[UnreadText, ...]
    sections: tuple[SectionMeaning, ...]


class BlockSection(Reply):
    """A block, counted from 0 through all texts of its ticket, and its section."""

    block: int
    section: str


class SectionsRead(Reply):
    """The blocks that belong to other sections than their texts'."""

    blocks: tuple[BlockSection, ...]
    left_out: tuple[LeftOut, ...] = ()


@lru_cache(maxsize=1_024)
def blocks_of(text: str) -> tuple[Span, ...]:
    """Return the places of a text's blocks: paragraphs, whole list items, tables, code; nothing stands in two."""
    found: list[Span] = []
    for block in sorted(parse_blocks(text), key=lambda block: (block.start, -block.end)):
        if (not found or block.start >= found[-1][1]) and text[block.start : block.end].strip():
            found.append((block.start, block.end))
    return tuple(found)


class ReadSectionsTask(Task[ReadSections, SectionsRead]):
    """Which of these blocks of tickets belong to another section than the one they stand in?"""

    name = "tickets/read_sections"
    input = ReadSections
    output = SectionsRead
    masks = True
    most = 12  # tickets
    grouped_by = ("sections",)
    entry_tokens = (600, 60)

    def offline(self, item: ReadSections) -> SectionsRead:
        """Leave every text in its section, unsplit."""
        return SectionsRead(blocks=())

    def check(self, item: ReadSections, reply: SectionsRead) -> None:
        """Refuse blocks that there are not, sections that a text cannot have, and a block with two sections."""
        texts = list(_blocks(item))
        for one in reply.blocks:
            if not 0 <= one.block < len(texts):
                raise ReplyError(f"There is no block {one.block + 1}; this ticket has 1 to {len(texts)}.")
            if one.section not in texts[one.block][0].others:
                raise ReplyError(f"Block {one.block + 1} cannot be of the section {one.section!r}.")
        if len({one.block for one in reply.blocks}) < len(reply.blocks):
            raise ReplyError("A block has two sections; give it one.")

    def values(self, items: Sequence[ReadSections]) -> Mapping[str, Any]:
        """Return the sections, then each ticket with its blocks under their numbers."""
        return {"sections": items[0].sections, "tickets": [_ticket_values(item) for item in items]}

    def examples(self, items: Sequence[ReadSections]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their blocks numbered as in a request."""
        return [{**e, "ticket": _ticket_values(example_item(e))} for e in super().examples(items)]

    def entry(self, items: Sequence[ReadSections]) -> Mapping[str, Any]:
        """Return the field of an entry: sections with the numbers of their blocks."""
        last = max((sum(1 for _ in _blocks(item)) for item in items), default=1)
        number: Any = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": max(1, min(last, MOST_BLOCKS))})]
        names = dict.fromkeys(name for item in items for text in item.texts for name in text.others)
        section: Any = Literal[tuple(names) or ("none",)]
        numbers = Annotated[list[number], Field(json_schema_extra={"minItems": 1, "maxItems": MOST_BLOCKS})]
        found: Any = wire("Section", section=section, blocks=numbers)
        return {"sections": Annotated[list[found], Field(max_length=24)]}

    def read(self, item: ReadSections, entry: Any) -> Read[SectionsRead]:
        """Read the numbers; a block or section that cannot be costs itself, not what is beside it."""
        texts = list(_blocks(item))
        found: dict[int, str] = {}
        left_out: list[LeftOut] = []
        for given in entry.sections:
            for number in given.blocks:
                block = number - 1
                if not 0 <= block < len(texts):
                    left_out.append(LeftOut(part=f"block {number}", reason="there is no such block"))
                elif given.section not in texts[block][0].others:
                    reason = f"it cannot be of the section {given.section}"
                    left_out.append(LeftOut(part=f"block {number}", reason=reason))
                elif found.setdefault(block, given.section) != given.section:
                    left_out.append(LeftOut(part=f"block {number}", reason="it has two sections; the first counts"))
        return Read(
            SectionsRead(
                blocks=tuple(BlockSection(block=block, section=found[block]) for block in sorted(found)),
                left_out=tuple(left_out),
            ),
            complaints=tuple(f"{one.part}: {one.reason}." for one in left_out),
        )

    def tokens(self, item: ReadSections) -> tuple[int, int]:
        """Return the tokens of an entry: each block named once at most, mostly a few."""
        blocks = sum(1 for _ in _blocks(item))
        return 120 + 8 * blocks, 20 + 3 * blocks


def _blocks(item: ReadSections) -> Iterator[tuple[UnreadText, Span]]:
    count = 0
    for text in item.texts:
        for span in blocks_of(text.text):
            count += 1
            if count > MOST_BLOCKS:
                return
            yield text, span


def _ticket_values(item: ReadSections) -> Mapping[str, Any]:
    texts: list[dict[str, Any]] = []
    last: UnreadText | None = None
    for number, (text, (start, end)) in enumerate(_blocks(item), 1):
        if text is not last:
            texts.append({"section": text.section, "others": text.others, "blocks": []})
            last = text
        texts[-1]["blocks"].append((number, text.text[start:end][:BLOCK_CHARACTERS]))
    return {"title": item.title, "texts": texts}


def example_item(example: Mapping[str, Any]) -> ReadSections:
    """Return the ticket of an example as a request has it."""
    texts = tuple(UnreadText(t["section"], tuple(t["others"]), t["text"]) for t in example["texts"])
    sections = tuple(SectionMeaning(name, ()) for name in example["sections"])
    return ReadSections(example["title"], texts, sections)


TASK = ReadSectionsTask()

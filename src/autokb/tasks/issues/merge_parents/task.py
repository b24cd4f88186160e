"""The task that finds parent issues that are the same problem in other words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field

from autokb.core.attributes import Attributes, from_lists
from autokb.tasks.issues.attribute_fields import describe_values
from autokb.tasks.prompts import examples, spelled_reply
from autokb.tasks.task import Read, Reply, ReplyError, Task


@dataclass(frozen=True, slots=True)
class ParentText:
    """A parent issue as it is compared: its text and the values that it fixes."""

    text: str
    attributes: Attributes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class MergeParents:
    """Parent issues whose texts are near each other."""

    domain: str
    parents: tuple[ParentText, ...]


class MergedParents(Reply):
    """The parents that are the same problem, by their positions from 0 on."""

    same: tuple[tuple[int, ...], ...]


class MergeParentsTask(Task[MergeParents, MergedParents]):
    """Which of these parent issues are the same problem?

    Offline trees are joined after their solutions are found (``issues/joining.py``), so offline none are merged.
    """

    version = 1
    input = MergeParents
    output = MergedParents
    most = 40  # groups
    grouped_by = ("domain",)

    def offline(self, item: MergeParents) -> MergedParents:
        """Merge nothing."""
        return MergedParents(same=())

    def check(self, item: MergeParents, reply: MergedParents) -> None:
        """Refuse a parent that is not there, that stands twice or alone."""
        named = [position for group in reply.same for position in group]
        if stray := sorted(set(named) - set(range(len(item.parents)))):
            raise ReplyError(f"There is no issue {stray[0] + 1}; the group has {len(item.parents)}.")
        if len(set(named)) < len(named):
            raise ReplyError("A number stands twice in `same`; each issue is in one list at most.")

    def values(self, items: Sequence[MergeParents]) -> Mapping[str, Any]:
        """Return the domain and the groups."""
        return {"domain": items[0].domain, "groups": [_lines(item.parents) for item in items]}

    def examples(self, items: Sequence[MergeParents]) -> Sequence[Mapping[str, Any]]:
        """Return the examples with their groups as lines."""
        return [
            {
                **example,
                "groups": [_lines(parents) for parents in example_groups(example)],
                "reply": spelled_reply(example["reply"]),
            }
            for example in examples(self.package)
        ]

    def entry(self, items: Sequence[MergeParents]) -> Mapping[str, Any]:
        """Return the field of an entry: lists of numbers."""
        many = max(len(item.parents) for item in items)
        number: Any = Annotated[int, Field(json_schema_extra={"minimum": 1, "maximum": many})]
        numbers: Any = Annotated[list[number], Field(min_length=1, json_schema_extra={"minItems": 2, "maxItems": many})]
        return {"same": Annotated[list[numbers], Field(json_schema_extra={"maxItems": many})]}

    def read(self, item: MergeParents, entry: Any) -> Read[MergedParents]:
        """Read the lists; one with a single issue says nothing."""
        same = [tuple(sorted(set(numbers))) for numbers in entry.same]
        return Read(MergedParents(same=tuple(tuple(n - 1 for n in one) for one in same if len(one) > 1)))

    def tokens(self, item: MergeParents) -> tuple[int, int]:
        """Return the tokens of an entry: each issue once at most, mostly none."""
        return 24 + 6 * len(item.parents), 14 + len(item.parents) // 2


def example_groups(example: Mapping[str, Any]) -> list[tuple[ParentText, ...]]:
    """Return the groups of an entry of ``examples.yaml``."""
    return [
        tuple(ParentText(parent["text"], from_lists(parent.get("attributes", {}))) for parent in group)
        for group in example["groups"]
    ]


def _lines(parents: Sequence[ParentText]) -> list[str]:
    def line(parent: ParentText) -> str:
        text = " ".join(parent.text.split())
        return f"{text} [{describe_values(parent.attributes)}]" if parent.attributes else text

    return [f"{number}. {line(parent)}" for number, parent in enumerate(parents, 1)]


TASK = MergeParentsTask()

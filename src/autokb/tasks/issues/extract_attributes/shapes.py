"""What the task is asked, what it answers, and what makes an answer wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from autokb.core.attributes import Attributes, from_lists
from autokb.core.domain import Attribute
from autokb.tasks.reply import Reply, ReplyError


@dataclass(frozen=True, slots=True)
class ExtractAttributes:
    """A text and the configuration it is read against."""

    text: str
    kind: Literal["issue", "question", "solution"]
    configuration: Mapping[str, Attribute]


class ExtractedAttributes(Reply):
    """What the text says: name to values; a name that is missing is unknown."""

    attributes: dict[str, list[str]]

    def as_attributes(self) -> Attributes:
        """Return the values as sets."""
        return from_lists(self.attributes)


def check(item: ExtractAttributes, reply: ExtractedAttributes) -> None:
    """Refuse names that are not configured, values a closed attribute does not have, and Any or NONE beside others."""
    for name, values in reply.attributes.items():
        attribute = item.configuration.get(name)
        if attribute is None:
            raise ReplyError(f"{name!r} is no attribute of this domain; it has {sorted(item.configuration)}.")
        if not values or len(set(values)) < len(values) or not all(v.strip() for v in values):
            raise ReplyError(
                f"{name!r} needs each value once and at least one; leave the name out when nothing is said."
            )
        if len(values) > 1 and {"Any", "NONE"} & set(values):
            raise ReplyError(f"{name!r}: Any and NONE stand alone, not beside {sorted(set(values) - {'Any', 'NONE'})}.")
        stray = set(values) - {"Any", "NONE"} - set(attribute.values)
        if attribute.kind == "closed" and stray:
            raise ReplyError(f"{name!r} has the values {list(attribute.values)}, not {sorted(stray)[0]!r}.")

"""How a model is asked for variations: a few texts in a request, five of each level."""

from __future__ import annotations

import json
from collections.abc import Hashable, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.probes.query_variations.shapes import EACH, LEVELS, QueryVariations, VaryQuery, longest
from autokb.tasks.prompts import Verbatim, examples, unescaped
from autokb.tasks.reply import ReplyError

PACKAGE = "autokb.tasks.probes.query_variations"
TOGETHER = 4  # texts in one request


def values(items: Sequence[VaryQuery]) -> Mapping[str, Any]:
    """Return the template's variables."""
    return {"texts": items, "each": EACH, "examples": [{**e, "reply": _spelled(e["reply"])} for e in examples(PACKAGE)]}


def _spelled(reply: Mapping[str, Any]) -> Verbatim:
    """Return the whole reply of an example as it is to be written, its fields in the order of the schema."""
    return Verbatim(json.dumps({"answers": [{"number": 1, **reply}]}, ensure_ascii=False))


def entry(items: Sequence[VaryQuery]) -> type[Wire]:
    """Return the type of one entry: the text's number and the same number of variations for each level."""
    numbers = tuple(range(1, len(items) + 1))
    most = max(longest(item.text) for item in items)
    variations = Annotated[
        list[Annotated[str, Field(min_length=1, max_length=most)]], Field(min_length=EACH, max_length=EACH)
    ]
    return wire("Entry", number=Literal[numbers], **dict.fromkeys(LEVELS, variations))


def read(
    items: Sequence[VaryQuery], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[QueryVariations, tuple[str, ...]]:
    """Turn an entry into the task's answer; what is the text itself, too long or given before is left out."""
    item = items[position]
    seen, kept, complaints = {item.text.strip()}, {}, []
    for level in LEVELS:
        given = [unescaped(v).strip() for v in getattr(entry, level)]
        kept[level] = tuple(v for v in dict.fromkeys(given) if v and v not in seen and len(v) <= longest(item.text))
        seen.update(kept[level])
        if len(kept[level]) < EACH:
            missing = EACH - len(kept[level])
            complaints.append(
                f"Number {position + 1}, {level}: {missing} are empty, too long, the text or given twice."
            )
        if not kept[level]:
            raise ReplyError(f"{level}: none of the variations differs from the text and from those before.")
    return QueryVariations(**kept), tuple(complaints)


def tokens(item: VaryQuery) -> tuple[int, int]:
    """Return the most and the usual number of tokens of all variations of a text."""
    size, many = len(item.text.encode()), EACH * len(LEVELS)
    return many * (size // 2 + 24) + 48, many * (size // 4 + 6) + 24


def together(_item: VaryQuery) -> Hashable:
    """Any texts can share a request."""
    return ()


ASKING = Asking(PACKAGE, values, entry, read, tokens, together, TOGETHER)

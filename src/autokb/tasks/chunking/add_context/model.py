"""How a model is asked for context: all passages of a document in one request, or one passage after the other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import Field

from autokb.tasks.asking import Asking, Wire, wire
from autokb.tasks.chunking.add_context.shapes import AddContext, AddedContext, Passage
from autokb.tasks.grounded import foreign, visible
from autokb.tasks.prompts import Verbatim, examples
from autokb.tasks.task import ReplyError
from autokb.text.plain_text import sentences

PACKAGE = "autokb.tasks.chunking.add_context"
LONGEST = {"document": 200, "chained": 450}  # characters; one short sentence, or the paper's two or three

FAR_TOO_LONG = 2_000


def values(items: Sequence[AddContext]) -> Mapping[str, Any]:
    """Return the template's variables; a request is about one document."""
    item = items[0]
    return {
        "variant": item.variant,
        "longest": LONGEST[item.variant],
        "title": visible(item.title),
        "previous": None if item.previous is None else _shown(item.previous),
        "passages": [_shown(passage) for passage in item.passages],
        "examples": [_example(e) for e in examples(PACKAGE) if e["input"]["variant"] == item.variant],
    }


def _example(example: Mapping[str, Any]) -> Mapping[str, Any]:
    reply = {"answers": [{"number": 1, **example["reply"]}]}
    return {"input": example["input"], "shown": Verbatim(json.dumps(reply, ensure_ascii=False))}


def _shown(passage: Passage) -> Mapping[str, Any]:
    """Return a passage as a person would see it, so that nothing is said to the model alone."""
    shown = asdict(passage)
    return {
        "text": visible(shown["text"]),
        "context": visible(shown["context"]),
        "headings": " > ".join(map(visible, shown["headings"])),
    }


def entry(items: Sequence[AddContext]) -> type[Wire]:
    """Return the type of one entry: a context for each passage of the document."""
    most = max(len(item.passages) for item in items)
    longest = max(LONGEST[item.variant] for item in items)
    # The schema asks for short contexts; one that is a little longer is cut at a sentence and costs no repair.
    text = Annotated[str, Field(max_length=FAR_TOO_LONG, json_schema_extra={"maxLength": longest})]
    one: Any = wire("Context", passage=Literal[tuple(range(1, most + 1))], context=text)
    contexts = Annotated[list[one], Field(min_length=min(len(i.passages) for i in items), max_length=most)]
    return wire("Entry", number=Literal[tuple(range(1, len(items) + 1))], contexts=contexts)


def read(
    items: Sequence[AddContext], position: int, entry: Any, _shared: Mapping[str, Any]
) -> tuple[AddedContext, tuple[str, ...]]:
    """Turn an entry into the task's answer; a context that its document does not carry stays empty."""
    item = items[position]
    found = {one.passage: one.context for one in entry.contexts}
    wanted = set(range(1, len(item.passages) + 1))
    if set(found) != wanted or len(entry.contexts) != len(wanted):
        raise ReplyError(f"Give exactly one context for each of the passages 1 to {len(wanted)}.")
    source = _source(item)
    contexts = [_kept(found[n], item.passages[n - 1].text, source, LONGEST[item.variant]) for n in sorted(wanted)]
    strange = [n for n in sorted(wanted) if foreign(found[n], source)]
    complaints = tuple(f"Passage {n}: {foreign(found[n], source)}; add no fact." for n in strange)
    return AddedContext(contexts=tuple(contexts)), complaints


def _source(item: AddContext) -> str:
    passages = (item.previous, *item.passages) if item.previous else item.passages
    return "\n".join((item.title, *(part for p in passages for part in (*p.headings, p.context, p.text))))


def _kept(context: str, passage: str, source: str, longest: int) -> str:
    """Return a context in one line and cut to size; nothing where it adds a fact or repeats the passage."""
    context = " ".join(visible(context).split())
    if foreign(context, source) or " ".join(context.casefold().split()) in " ".join(passage.casefold().split()):
        return ""
    if len(context) <= longest:
        return context
    ends = [end for _, end in sentences(context) if end <= longest]
    return context[: ends[-1]] if ends else context[:longest].rpartition(" ")[0]


def tokens(item: AddContext) -> tuple[int, int]:
    """Return the most and the usual number of tokens of a document's contexts."""
    longest = LONGEST[item.variant]
    return 32 + len(item.passages) * (longest + 24), 16 + len(item.passages) * (22 + longest // 8)


ASKING = Asking(PACKAGE, values, entry, read, tokens)

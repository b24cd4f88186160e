"""How a task is put to a model: items share a request, the reply is read strictly, what is wrong is repaired once."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import Annotated, Any

from pydantic import Field, ValidationError

from autokb.core.model_requests import ModelReply, ModelRequest, PromptTurn, SendError
from autokb.core.regex_timeout import SlowPatternError
from autokb.core.reply import ReplyError
from autokb.heuristics.grouping import grouped
from autokb.tasks.task import In, Out, Read, Task
from autokb.tasks.wire import Wire, number_to, wire
from autokb.text.masking import Masking, mask
from autokb.text.strict_json import find_json_object

Schema = Mapping[str, Any]

NUMBER = "number"  # the field of an entry that says which item it is about
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")
_LOOK_ALIKES = str.maketrans("‘’‚‛“”„‟«»‐‑‒–—−", '\'\'\'\'""""""------')


def normalize_reply(data: Any, schema: Schema) -> Any:
    """Return a reply in the form of its JSON schema; a reply that has this form already comes back as it is.

    Fields that nobody asked for are dropped beside all that were. A list or a text that is null or left out is empty,
    where it may be. A number or a yes or no may stand in quotes, and a name that is enumerated may have other quotes,
    dashes, white space or case. All else stays as it was written, for whoever reads the reply to refuse.
    """
    return _normalized(data, schema, schema.get("$defs", {}))


# Complex: one case for each type of the schema that models answer in another form.
def _normalized(value: Any, schema: Schema, definitions: Mapping[str, Schema]) -> Any:
    if "$ref" in schema:
        schema = definitions[schema["$ref"].rpartition("/")[2]]
    match schema.get("type"):
        case "object" if isinstance(value, dict) and "properties" in schema:
            return _object(value, schema["properties"], definitions)
        case "array" if isinstance(value, list):
            return [_normalized(part, schema.get("items", {}), definitions) for part in value]
        case "array" | "string" if value is None and _may_be_empty(schema):
            return _empty(schema)
        case "string" if isinstance(value, str) and "enum" in schema:
            return _one_of(value, schema["enum"])
        case "integer":
            return _whole(value)
        case "boolean" if isinstance(value, str):
            return {"true": True, "false": False}.get(value.strip().casefold(), value)
    return value


def _object(value: dict[str, Any], parts: Mapping[str, Schema], definitions: Mapping[str, Schema]) -> dict[str, Any]:
    found = {name: _normalized(part, parts[name], definitions) for name, part in value.items() if name in parts}
    if not (missing := parts.keys() - found.keys()):
        return found
    if value.keys() - parts.keys():
        return value  # the field that is missing may be the one that nobody knows, under another name
    if NUMBER in parts and found.keys() <= {NUMBER}:
        return found  # an entry that says nothing about its item is not an empty one
    return found | {name: _empty(parts[name]) for name in parts if name in missing and _may_be_empty(parts[name])}


def _may_be_empty(schema: Schema) -> bool:
    """Return whether a part of a reply is a list or a text that may be empty."""
    if schema.get("type") == "array":
        return not schema.get("minItems")
    return schema.get("type") == "string" and not schema.get("minLength") and not schema.keys() & {"enum", "const"}


def _empty(schema: Schema) -> Any:
    return [] if schema["type"] == "array" else ""


def _one_of(value: str, names: Sequence[str]) -> str:
    if value in names:
        return value
    meant = [name for name in names if _folded(name) == _folded(value)]
    return meant[0] if len(meant) == 1 else value


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", name).translate(_LOOK_ALIKES).casefold().split())


def _whole(value: Any) -> Any:
    if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
        return int(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


ERROR_CHARACTERS = 600  # of one error that a model is shown when it is asked to repair
ERRORS_SHOWN = 5  # of one entry; the rest mostly follows from the first ones
FORMS_KEPT = 64  # forms of replies whose types are kept, each some 50 kB
AROUND_TOKENS = 64  # of a reply beside its entries
REPAIR = "Your reply cannot be used: {error}\nReply again with the whole corrected JSON object and nothing else."


def request_for(task: Task[In, Any], items: Sequence[In], model: str, most: int = 0, effort: str = "") -> ModelRequest:
    """Return the request that asks a model about these items.

    ``most`` bounds its max_tokens (0: no bound), ``effort`` is the reasoning effort that a person set for the model.
    """
    system, user = masked_turns(task, items).texts
    tokens = AROUND_TOKENS + sum(task.tokens(item)[0] for item in items)
    return ModelRequest(
        model=model,
        messages=(PromptTurn("system", system), PromptTurn("user", user)),
        schema=reply_schema(task, items),
        name=task.name.replace("/", "_").replace(".", "_"),
        max_tokens=min(tokens, most) if most else tokens,
        effort=effort,
    )


def masked_turns(task: Task[In, Any], items: Sequence[In]) -> Masking:
    """Return the system and the user turn about these items as a model reads them.

    Where the task says so, personal data and secrets are placeholders; ``read_reply`` puts them back, so that they
    never leave the workspace. It is the only place where that is done.
    """
    turns = task.turns(items)
    return mask(turns, task.published(items)) if task.masks else Masking(turns, {})


def repair_request(request: ModelRequest, reply: ModelReply, error: str) -> ModelRequest:
    """Return the one request that shows a model what was wrong with its reply."""
    turns = (PromptTurn("assistant", reply.text), PromptTurn("user", REPAIR.format(error=error)))
    return replace(request, messages=(*request.messages, *turns), attempt=0)


def reply_schema(task: Task[In, Any], items: Sequence[In]) -> dict[str, Any]:
    """Return the JSON schema of the reply to a request for these items."""
    return _types(task, items).schema


@dataclass(frozen=True)
class _Types:
    """The types of the replies of one form."""

    task: Task[Any, Any]
    form: Hashable
    items: Sequence[Any] = field(compare=False)

    @cached_property
    def entry(self) -> type[Wire]:
        """The type of one entry."""
        return wire("Entry", number=number_to(len(self.items)), **self.task.entry(self.items))

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of a whole reply."""
        entry: Any = self.entry
        answers = Annotated[list[entry], Field(min_length=len(self.items), max_length=len(self.items))]
        reply = wire("Answers", **self.task.reply_fields(self.items), answers=answers)
        schema: dict[str, Any] = _without_titles(reply.model_json_schema())
        return schema


def _types(task: Task[In, Any], items: Sequence[In]) -> _Types:
    form = task.form(items)
    made = _Types(task, (len(items), form), items)
    return made if form is None else _kept(made)


@lru_cache(maxsize=FORMS_KEPT)
def _kept(made: _Types) -> _Types:
    """Return the first types that were made of a form: making them takes longer than reading a reply."""
    return made


def _without_titles(schema: Any) -> Any:
    """Take out the titles that pydantic makes of names: they say nothing new and are paid for in every request."""
    if isinstance(schema, list):
        return [_without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {name: part for name, part in schema.items() if name != "title" or not isinstance(part, str)}
    return {name: _without_titles(part) for name, part in parts.items()}


def read_reply(
    task: Task[In, Out], items: Sequence[In], reply: ModelReply, schema: Mapping[str, Any] | None = None
) -> list[Read[Out]]:
    """Read a reply for every item and check each answer; what is wrong with one entry is an error of its own item.

    ``schema`` is that of the request, where it is at hand; otherwise it is made again.
    """
    try:
        found = _restored(_parse(reply), masked_turns(task, items)) if task.masks else _parse(reply)
        data = normalize_reply(found, schema or reply_schema(task, items))
        if not isinstance(data.get("answers"), list):
            raise ReplyError(f"It must have the fields {[*task.reply_fields(items), 'answers']}.")
        fields = _read_fields(task, items, data)
    except ReplyError as error:
        return [Read(None, str(error)) for _ in items]
    return _read_entries(task, items, data["answers"], fields)


def _parse(reply: ModelReply) -> dict[str, Any]:
    """Return the JSON object of a reply; ReplyError says what it is instead. Prose or a fence around it is let pass."""
    if reply.finish == "refusal":
        raise ReplyError("It was refused, and holds no JSON object.")
    if not reply.text.strip("` \t\r\n").removeprefix("json"):
        raise ReplyError("It is empty.")
    try:
        data = find_json_object(reply.text, _without_doubles)
    except (json.JSONDecodeError, RecursionError) as error:
        cut = " It was cut off; write less." if reply.finish == "length" else ""
        raise ReplyError(f"It is no JSON object ({getattr(error, 'msg', 'nested too deeply')}).{cut}") from error
    except ReplyError:
        raise
    except ValueError as error:
        raise ReplyError(f"{error}.".replace("the number", "The number", 1)) from error
    return data


def _restored(value: Any, masking: Masking) -> Any:
    """Return a reply in which every string has what its placeholders stand for."""
    if isinstance(value, str):
        return masking.restore(value)
    if isinstance(value, list):
        return [_restored(part, masking) for part in value]
    if isinstance(value, dict):
        return {name: _restored(part, masking) for name, part in value.items()}
    return value


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ReplyError(f"The name {name!r} stands twice in one object.")
        found[name] = value
    return found


def _read_fields(task: Task[In, Any], items: Sequence[In], data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Read the fields in front of the answers, which all items share."""
    fields = task.reply_fields(items)
    if not fields:
        return {}
    kind = wire("Fields", **fields)
    try:
        # From JSON, so that strict types take what JSON has: a list for a tuple.
        found = kind.model_validate_json(json.dumps({name: data.get(name) for name in fields}))
    except ValidationError as error:
        raise ReplyError(validation_message(error)) from error
    return {name: getattr(found, name) for name in fields}


def _number_of(entry: Any) -> int | None:
    number = entry.get("number") if isinstance(entry, dict) else None
    return number if isinstance(number, int) and not isinstance(number, bool) else None


def _read_entries(
    task: Task[In, Out], items: Sequence[In], entries: Sequence[Any], fields: Mapping[str, Any]
) -> list[Read[Out]]:
    kind = _types(task, items).entry
    by_number = grouped((_number_of(entry), entry) for entry in entries)
    found: list[Read[Out]] = []
    for position, item in enumerate(items):
        given = by_number.get(position + 1, [])
        if len(given) != 1:
            found.append(Read(None, f"There are {len(given)} entries with the number {position + 1}; give one."))
            continue
        try:
            read = task.read_among(items, position, kind.model_validate_json(json.dumps(given[0])), fields)
            if read.answer is not None:
                task.check(item, read.answer)
            found.append(read)
        except ValidationError as error:
            found.append(Read(None, f"Number {position + 1}: {validation_message(error)}"))
        except ReplyError as error:
            found.append(Read(None, f"Number {position + 1}: {error}"))
        except SlowPatternError as error:
            found.append(Read(None, str(error), final=True))
    return found


def validation_message(error: ValidationError) -> str:
    """Say a validation error in a line, without repeating what the model wrote at length."""
    parts = []
    for one in error.errors(include_url=False)[:ERRORS_SHOWN]:
        place = ".".join(str(p) for p in one["loc"])
        parts.append(f"{place}: {one['msg']}" if place else str(one["msg"]))
    return "; ".join(parts)[:ERROR_CHARACTERS]


def wrong(found: Sequence[Read[Any]]) -> str:
    """Return what a model is shown of everything that is wrong with a reply; nothing when all is well."""
    lines = [r.error for r in found if r.error and not r.final] + [c for r in found for c in r.complaints]
    return " ".join(dict.fromkeys(lines))[: ERROR_CHARACTERS * 2]


async def answer(
    request: ModelRequest,
    task: Task[In, Out],
    items: Sequence[In],
    ask: Callable[[ModelRequest], Awaitable[ModelReply]],
) -> list[Read[Out]]:
    """Ask, read, and have the reply repaired once; of what the repair made no better, the first reading counts."""
    reply = await ask(request)
    first = read_reply(task, items, reply, request.schema)
    if not (error := wrong(first)):
        return first
    if task.masks:
        error = masked_turns(task, items).hide(error)
    try:
        second = read_reply(task, items, await ask(repair_request(request, reply, error)), request.schema)
    except SendError as failed:
        if failed.fatal:
            raise
        return first
    return [_better(one, other) for one, other in zip(first, second, strict=True)]


def _better(first: Read[Out], second: Read[Out]) -> Read[Out]:
    if not first.error and not first.complaints:
        return first
    if second.error:
        return first if not first.error else second
    return second

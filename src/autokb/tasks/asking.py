"""How a task is put to a model: items share a request, the reply is read strictly, what is wrong is repaired once."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from autokb.core.model_requests import Message, ModelReply, ModelRequest, SendError
from autokb.tasks.prompts import render
from autokb.tasks.reply import ReplyError

I = TypeVar("I")  # noqa: E741
O = TypeVar("O", bound=BaseModel)  # noqa: E741

SHOWN = 600  # characters of an error that a model is shown when it is asked to repair
REPAIR = "Your reply cannot be used: {error}\nReply again with the whole corrected JSON object and nothing else."


class Wire(BaseModel):
    """Part of a model's reply: no field is optional, none may be added."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


def wire(name: str, /, **fields: Any) -> type[Wire]:
    """Return a type made for one request: each field is its type, such as ``Literal[names]`` or an Annotated one."""
    whole: dict[str, Any] = {field: (kind, ...) for field, kind in fields.items()}
    return create_model(name, __base__=Wire, **whole)


@dataclass(frozen=True)
class Read(Generic[O]):
    """What was read for one item: its answer, or the error; ``complaints`` are worth one repair but no failure."""

    answer: O | None
    error: str = ""
    complaints: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asking(Generic[I, O]):
    """One task's way to a model.

    ``package`` holds ``prompt.md``. ``values`` are the template's variables for the items of one request. ``entry``
    is the type of one entry of ``answers`` in the reply (a ``Wire`` with an integer ``number``, from 1), made for these
    items so that its JSON schema says all it can; ``shared`` are further top-level fields, in front of ``answers``
    (name to type). ``read`` turns one item's entry into the task's answer and what is worth a repair; it raises
    ReplyError when the entry is wrong. Items share a request when ``together`` gives the same, at most ``most`` of
    them. ``tokens`` gives the most that the answer to an item can sensibly need, and the usual number.
    """

    package: str
    values: Callable[[Sequence[I]], Mapping[str, Any]]
    entry: Callable[[Sequence[I]], type[Wire]]
    read: Callable[[Sequence[I], int, Any, Mapping[str, Any]], tuple[O, tuple[str, ...]]]
    tokens: Callable[[I], tuple[int, int]]
    together: Callable[[I], Hashable] = lambda _item: ()
    most: int = 1
    shared: Callable[[Sequence[I]], Mapping[str, Any]] = lambda _items: {}


def _reply_type(asking: Asking[I, O], items: Sequence[I]) -> type[Wire]:
    many = len(items)
    entry: Any = asking.entry(items)
    answers = Annotated[list[entry], Field(min_length=many, max_length=many)]
    return wire("Answers", **asking.shared(items), answers=answers)


def reply_schema(asking: Asking[I, O], items: Sequence[I]) -> dict[str, Any]:
    """Return the JSON schema of the reply to a request for these items."""
    schema: dict[str, Any] = _untitled(_reply_type(asking, items).model_json_schema())
    return schema


def _untitled(schema: Any) -> Any:
    """Take out the titles that pydantic makes of names: they say nothing new and are paid for in every request."""
    if isinstance(schema, list):
        return [_untitled(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {name: part for name, part in schema.items() if name != "title" or not isinstance(part, str)}
    return {name: _untitled(part) for name, part in kept.items()}


def request_for(name: str, asking: Asking[I, O], items: Sequence[I], model: str, most: int = 0) -> ModelRequest:
    """Return the request that asks a model about these items; ``most`` bounds its max_tokens (0: no bound)."""
    system, user = render(asking.package, asking.values(items))
    tokens = 64 + sum(asking.tokens(item)[0] for item in items)
    return ModelRequest(
        model=model,
        messages=(Message("system", system), Message("user", user)),
        schema=reply_schema(asking, items),
        name=name.replace("/", "_"),
        max_tokens=min(tokens, most) if most else tokens,
    )


def repair_request(request: ModelRequest, reply: ModelReply, error: str) -> ModelRequest:
    """Return the one request that shows a model what was wrong with its reply."""
    turns = (Message("assistant", reply.text), Message("user", REPAIR.format(error=error)))
    return ModelRequest(request.model, (*request.messages, *turns), request.schema, request.name, request.max_tokens)


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ReplyError(f"The name {name!r} stands twice in one object.")
        found[name] = value
    return found


def _refuse_constant(name: str) -> Any:
    raise ReplyError(f"{name} is no JSON.")


def parse(reply: ModelReply) -> dict[str, Any]:
    """Return the JSON object of a reply; ReplyError says what it is instead. A code fence around it is let pass."""
    text = reply.text.strip()
    if reply.finish == "refusal":
        raise ReplyError("It was refused, and holds no JSON object.")
    if text.startswith("```") and text.endswith("```"):
        text = text.removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    if not text:
        raise ReplyError("It is empty.")
    try:
        data = json.loads(text, object_pairs_hook=_pairs, parse_constant=_refuse_constant)
    except (json.JSONDecodeError, RecursionError) as error:
        cut = " It was cut off; write less." if reply.finish == "length" else ""
        raise ReplyError(f"It is no JSON object ({getattr(error, 'msg', 'nested too deeply')}).{cut}") from error
    if not isinstance(data, dict):
        raise ReplyError("It is no JSON object.")
    return data


def _accept(_item: Any, _answer: Any) -> None:
    """Accept every answer that reads."""


def read_reply(
    asking: Asking[I, O], items: Sequence[I], reply: ModelReply, check: Callable[[I, O], None] = _accept
) -> list[Read[O]]:
    """Read a reply for every item; what is wrong with one entry is an error of its own item only.

    ``check`` raises ReplyError when an answer does not fit its item.
    """
    try:
        data = parse(reply)
        kind = _reply_type(asking, items)
        stray = sorted(set(data) - set(kind.model_fields))
        if stray or not isinstance(data.get("answers"), list):
            raise ReplyError(f"It must have the fields {list(kind.model_fields)} and no others.")
        shared = _shared(asking, items, data)
    except ReplyError as error:
        return [Read(None, str(error)) for _ in items]
    return _entries(asking, items, data["answers"], shared, check)


def _shared(asking: Asking[I, O], items: Sequence[I], data: Mapping[str, Any]) -> Mapping[str, Any]:
    fields = asking.shared(items)
    if not fields:
        return {}
    kind = wire("Shared", **fields)
    try:
        # From JSON, so that strict types take what JSON has: a list for a tuple.
        found = kind.model_validate_json(json.dumps({n: data.get(n) for n in fields}))
    except ValidationError as error:
        raise ReplyError(said(error)) from error
    return {name: getattr(found, name) for name in fields}


def _entries(
    asking: Asking[I, O],
    items: Sequence[I],
    entries: Sequence[Any],
    shared: Mapping[str, Any],
    check: Callable[[I, O], None],
) -> list[Read[O]]:
    kind = asking.entry(items)
    by_number: dict[Any, list[Any]] = {}
    for entry in entries:
        number = entry.get("number") if isinstance(entry, dict) else None
        counted = isinstance(number, int) and not isinstance(number, bool)
        by_number.setdefault(number if counted else None, []).append(entry)
    found: list[Read[O]] = []
    for position in range(len(items)):
        own = by_number.get(position + 1, [])
        if len(own) != 1:
            found.append(Read(None, f"There are {len(own)} entries with the number {position + 1}; give one."))
            continue
        try:
            answer, complaints = asking.read(items, position, kind.model_validate_json(json.dumps(own[0])), shared)
            check(items[position], answer)
            found.append(Read(answer, "", complaints))
        except ValidationError as error:
            found.append(Read(None, f"Number {position + 1}: {said(error)}"))
        except ReplyError as error:
            found.append(Read(None, f"Number {position + 1}: {error}"))
    return found


def said(error: ValidationError) -> str:
    """Say a validation error in a line, without repeating what the model wrote at length."""
    parts = []
    for one in error.errors(include_url=False)[:5]:
        place = ".".join(str(p) for p in one["loc"])
        parts.append(f"{place}: {one['msg']}" if place else str(one["msg"]))
    return "; ".join(parts)[:SHOWN]


def wrong(found: Sequence[Read[O]]) -> str:
    """Return what a model is shown of everything that is wrong with a reply; nothing when all is well."""
    lines = [r.error for r in found if r.error] + [c for r in found for c in r.complaints]
    return " ".join(dict.fromkeys(lines))[: SHOWN * 2]


async def answer(
    request: ModelRequest,
    asking: Asking[I, O],
    items: Sequence[I],
    ask: Callable[[ModelRequest], Awaitable[ModelReply]],
    check: Callable[[I, O], None] = _accept,
) -> list[Read[O]]:
    """Ask, read, and have the reply repaired once; of what the repair made no better, the first reading counts."""
    reply = await ask(request)
    first = read_reply(asking, items, reply, check)
    if not (error := wrong(first)):
        return first
    try:
        second = read_reply(asking, items, await ask(repair_request(request, reply, error)), check)
    except SendError as failed:
        if failed.fatal:
            raise
        return first
    return [_better(one, other) for one, other in zip(first, second, strict=True)]


def _better(first: Read[O], second: Read[O]) -> Read[O]:
    if not first.error and not first.complaints:
        return first
    if second.error:
        return first if not first.error else second
    return second


__all__ = ["Asking", "Read", "Wire", "answer", "read_reply", "repair_request", "request_for", "wire"]

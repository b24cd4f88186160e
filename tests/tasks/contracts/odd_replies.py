"""Right replies in other clothes, and wrong ones of every kind, made from a task's right reply."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from autokb.core.model_requests import ModelReply

Reply = Mapping[str, Any]
LONG = "very long " * 10_000


def said(text: str, finish: Any = "stop") -> ModelReply:
    return ModelReply(text, 1, 1, finish=finish)


def as_text(reply: Reply) -> str:
    return json.dumps(reply, ensure_ascii=False)


# Replies that hold the right answer and must be read.
RIGHT: Mapping[str, Callable[[Reply], str]] = {
    "plain": as_text,
    "ascii": json.dumps,
    "indented": lambda reply: json.dumps(reply, indent=4),
    "white space around it": lambda reply: f"\n\n  {as_text(reply)}\n",
    "fenced": lambda reply: f"```json\n{as_text(reply)}\n```",
    "fenced without a name": lambda reply: f"```\n{as_text(reply)}\n```",
    "entries in another order": lambda reply: as_text({**reply, "answers": reply["answers"][::-1]}),
    "an entry that nobody asked for": lambda reply: as_text({**reply, "answers": [*reply["answers"], {"number": 99}]}),
    "prose before it": lambda reply: f"Here it is, {{as asked}}: {as_text(reply)}",
    "prose after it": lambda reply: f"{as_text(reply)} I hope this {{helps}}!",
    "a fence amid prose": lambda reply: f"Here it is:\n```json\n{json.dumps(reply, indent=2)}\n```\nAll is well.",
    "an open fence": lambda reply: f"```json\n{as_text(reply)}",
    "a further field of the whole": lambda reply: as_text({"thoughts": "none", **reply}),
    "further fields everywhere": lambda reply: as_text(_everywhere(reply, lambda o: {**o, "my_thoughts": {"a": [1]}})),
    "numbers as strings": lambda reply: as_text(_each_number(reply, str)),
    "numbers with a point": lambda reply: as_text(_each_number(reply, float)),
}


def _everywhere(value: Any, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Any:
    """Change every object of a reply, but for those whose names are data."""
    if isinstance(value, list):
        return [_everywhere(part, change) for part in value]
    if not isinstance(value, Mapping):
        return value
    return change({name: _everywhere(part, change) for name, part in value.items()})


def _each_number(value: Any, change: Callable[[int], Any]) -> Any:
    if isinstance(value, list):
        return [_each_number(part, change) for part in value]
    if isinstance(value, Mapping):
        return {name: _each_number(part, change) for name, part in value.items()}
    return change(value) if isinstance(value, int) and not isinstance(value, bool) else value


def with_each_number_as(value: Any, odd: Any) -> Iterator[Any]:
    """Give copies of a reply in which one of its numbers is something else, for every number that is 1."""
    if value == 1 and not isinstance(value, bool):
        yield odd
    for place in range(len(value)) if isinstance(value, list) else value if isinstance(value, Mapping) else ():
        for part in with_each_number_as(value[place], odd):
            changed = copy.copy(value)
            changed[place] = part
            yield changed


# Replies that are wrong as a whole, and what the error of every item says.
WRONG: Mapping[str, tuple[Callable[[Reply], ModelReply], str]] = {
    "empty": (lambda _: said(""), "It is empty"),
    "blank": (lambda _: said(" \n "), "It is empty"),
    "an empty fence": (lambda _: said("```json\n```"), "It is empty"),
    "prose": (lambda _: said("I have looked at it, and all is well."), "It is no JSON object"),
    "cut off": (lambda reply: said(as_text(reply)[:-4], "length"), "cut off"),
    "cut off unnoticed": (lambda reply: said(as_text(reply)[:-4]), "It is no JSON object"),
    "a refusal": (lambda _: said("I cannot help with that.", "refusal"), "It was refused"),
    "a refusal as prose": (lambda _: said("I'm sorry, but I cannot help with that."), "It is no JSON object"),
    "a list": (lambda reply: said(json.dumps(reply["answers"])), "It is no JSON object"),
    "a string": (lambda reply: said(json.dumps(as_text(reply))), "It is no JSON object"),
    "null": (lambda _: said("null"), "It is no JSON object"),
    "two of them": (lambda reply: said(f"{as_text(reply)} or else {as_text(reply)}"), "two JSON objects"),
    "single quotes": (lambda _: said("{'answers': []}"), "It is no JSON object"),
    "NaN": (lambda _: said('{"answers": NaN}'), "NaN is no JSON"),
    "infinity": (lambda _: said('{"answers": [-Infinity]}'), "-Infinity is no JSON"),
    "nested without end": (lambda _: said('{"answers": ' + "[" * 100_000), "It is no JSON object"),
    "long prose": (lambda _: said(LONG), "It is no JSON object"),
    "a doubled key": (lambda reply: said('{"answers": [], ' + as_text(reply)[1:]), "stands twice"),
    "no answers": (lambda _: said("{}"), "must have the fields"),
    "answers under their numbers": (lambda _: said('{"answers": {"1": {}}}'), "must have the fields"),
    "the schema": (lambda _: said('{"type": "object", "properties": {"answers": {}}}'), "must have the fields"),
}


def _first(change: Callable[[dict[str, Any]], Any]) -> Callable[[Reply], Reply]:
    """Return what replaces the first entry by what ``change`` makes of it."""

    def made(reply: Reply) -> Reply:
        whole = copy.deepcopy(dict(reply))
        whole["answers"][0] = change(whole["answers"][0])
        return whole

    return made


# Replies whose first entry alone is wrong, and what the error of that item says; the others are answered.
ONE_WRONG: Mapping[str, tuple[Callable[[Reply], Reply], str]] = {
    "missing": (lambda reply: {**reply, "answers": reply["answers"][1:]}, "There are 0 entries with the number 1"),
    "doubled": (
        lambda reply: {**reply, "answers": [reply["answers"][0], *reply["answers"]]},
        "There are 2 entries with the number 1",
    ),
    "a number in words": (_first(lambda e: {**e, "number": "one"}), "There are 0 entries with the number 1"),
    "a number that is true": (_first(lambda e: {**e, "number": True}), "There are 0 entries with the number 1"),
    "a number as a fraction": (_first(lambda e: {**e, "number": 1.5}), "There are 0 entries with the number 1"),
    "a wrong number": (_first(lambda e: {**e, "number": 77}), "There are 0 entries with the number 1"),
    "null": (_first(lambda _: None), "There are 0 entries with the number 1"),
    "a string": (_first(json.dumps), "There are 0 entries with the number 1"),
    "nothing but its number": (_first(lambda _: {"number": 1}), "Field required"),
}


def entries_with_one_wrong_field(reply: Reply) -> Iterator[tuple[str, Reply]]:
    """Give replies in whose first entry one field is null, of another type, or an object instead."""
    for name in reply["answers"][0]:
        if name != "number":
            for odd in (7.5, {"value": 1}, [[]], [None]):
                yield f"{name}: {odd!r}", _first(lambda e, name=name, odd=odd: {**e, name: odd})(reply)


def with_long_strings(value: Any) -> Any:
    """Return a reply with every string very long."""
    if isinstance(value, list):
        return [with_long_strings(v) for v in value]
    if isinstance(value, Mapping):
        return {name: with_long_strings(v) for name, v in value.items()}
    return LONG if isinstance(value, str) else value

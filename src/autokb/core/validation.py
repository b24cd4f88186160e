"""What people write into files and send in requests: read by pydantic, and what is wrong with it as one sentence."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from difflib import get_close_matches
from functools import cache
from typing import Annotated, Any, get_type_hints

from autokb.core.errors import BadEntryError, as_value, shown_value

ALMOST = 0.8  # how alike two names must be for one to be taken as a slip of the other
# Entries whose keys are names that somebody chose, and how a sentence names what stands under one.
_BY_NAME = {
    "tasks": "tasks: the model of",
    "prices": "the price of",
    "reasoning_effort": "the reasoning_effort of",
    "labels": "the label of",
    "synonyms": "synonyms of",
    "implies": "implies of",
    "convert": "convert:",
    "front_matter": "front_matter:",
    "plugins": "plugins:",
    "templates": "templates:",
}
_KEY = "[key]"  # at the end of the place of a key that is refused, in the errors of pydantic
# What the kinds of types are called in errors of pydantic, and how such an error goes on.
_KINDS = {
    "string": "text",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    **dict.fromkeys(("list", "tuple", "set", "frozen"), "a list"),
    **dict.fromkeys(("dict", "mapping", "model", "dataclass"), "a mapping"),
}
_WRONG_TYPES = ("type", "parsing", "from_float", "set_type")


@dataclass(frozen=True, slots=True)
class Entry:
    """How the value of an entry is read, as metadata of its type, and in ``words`` what it must be.

    ``read`` turns what YAML or a variable of the environment gave into what the type takes; a ValueError of it says by
    itself what is wrong. Of the words, what stands behind a semicolon is advice. Without words those of the type hold.
    """

    words: str = ""
    read: Callable[[Any], Any] | None = None

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Return the schema of the type behind this reader, with these words for what it refuses."""
        from pydantic_core import PydanticCustomError, ValidationError, core_schema

        def check(value: Any, inner: Callable[[Any], Any]) -> Any:
            found = self.read(value) if self.read else value
            try:
                return inner(found)
            except ValidationError as error:
                if not self.words:
                    raise
                raise PydanticCustomError("must_be", self.words) from error

        return core_schema.no_info_wrap_validator_function(check, handler(source))


def slip_of(name: Any, known: Sequence[str]) -> str:
    """Return the known name that somebody probably meant by another; empty where there is none."""
    return next(iter(get_close_matches(name, known, 1, ALMOST)), "") if isinstance(name, str) else ""


def whole_number(least: int, most: int, words: str = "") -> Entry:
    """Return the entry of a whole number, which YAML or the environment gives as one or as text."""

    def read(value: Any) -> int | None:
        text = value.strip() if isinstance(value, str) else value
        if isinstance(text, str) and text.isascii() and text.isdigit() and len(text) <= len(str(most)):
            text = int(text)
        return text if type(text) is int and least <= text <= most else None

    return Entry(words or f"a whole number of at least {least} and at most {most}", read)


def number(least: float, most: float, words: str, *, exclusive: bool = False) -> Entry:
    """Return the entry of a number; ``exclusive`` is a minimum that the number must be above."""

    def read(value: Any) -> float | None:
        try:
            found = float(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else math.nan
        except (ValueError, OverflowError):
            return None
        return found if least <= found <= most and not (exclusive and found == least) else None

    return Entry(words, read)


def one_of(*known: str, words: str = "") -> Entry:
    """Return the entry of one of some words, in whatever case."""

    def read(value: Any) -> str | None:
        text = value.strip().casefold() if isinstance(value, str) else ""
        return text if text in known else None

    return Entry(words or " or ".join(filter(None, (", ".join(known[:-1]), known[-1]))), read)


def _read_word(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) else None


def _read_name(value: Any) -> str | None:
    return str(value) if type(value) is int else _read_word(value)


def _read_switch(value: Any) -> bool | None:
    return {"true": True, "false": False}.get(str(value).strip().casefold())


Word = Annotated[str, Entry("a word", _read_word)]
Name = Annotated[str, Entry("a word", _read_name)]  # which may be a number: YAML reads a year as one
Switch = Annotated[bool, Entry("true or false", _read_switch)]  # as it is written: our YAML has no truth values
Share = Annotated[float, number(0, 1, "a share, a number from 0 to 1")]


def read_as(kind: Any, value: Any, *place: str) -> Any:
    """Return what somebody wrote as a type (BadEntryError); ``place`` is where, the name of the file first.

    A dataclass is read from a mapping whose keys are the names of its fields, or from nothing.
    """
    from pydantic import ValidationError

    try:
        if isinstance(kind, type) and is_dataclass(kind):
            given = _adapter(Mapping[Name, Any]).validate_python({} if value is None else value)
            return kind(**read_entries(kind, given, *place))
        return _adapter(kind).validate_python(value)
    except ValidationError as error:
        raise BadEntryError(sentence_of(error.errors(include_url=False)[0], *place)) from None


def read_entries(kind: Any, given: Mapping[str, Any], *place: str) -> dict[str, Any]:
    """Return those fields of a dataclass that are given, each read as its type (BadEntryError).

    Readers are made for the types of these alone, so that a short file costs little.
    """
    types = types_of(kind)
    refuse_unknown(given, tuple(types), *place)
    return {name: read_as(types[name], value, *place, name) for name, value in given.items()}


def refuse_unknown(given: Iterable[str], known: Sequence[str], *place: str) -> None:
    """Raise BadEntryError where one of the given keys is not known."""
    for name in given:
        if name not in known:
            takes = ", ".join(known) if len(known) > 1 else f"{known[0]} alone"
            raise BadEntryError(f"{': '.join(place)} takes {takes}, not {shown_value(name)}.{_hint(name, known)}")


def _hint(name: Any, known: Sequence[str]) -> str:
    meant = slip_of(name, known)
    return f" Did you mean {meant}?" if meant else ""


@cache
def types_of(kind: type) -> Mapping[str, Any]:
    """Return the types of a dataclass's fields by their names, with what is said of how their values are read."""
    return get_type_hints(kind, include_extras=True)


@cache
def _adapter(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def sentence_of(error: Mapping[str, Any], *place: str, known: Sequence[str] = ()) -> str:
    """Return an error of pydantic as a sentence in which what somebody wrote is marked; ``place`` is where it was.

    ``known`` are the keys that there are, for the one that somebody may have meant.
    """
    parts = (*place, *error["loc"])
    if error["type"] == "extra_forbidden" and known:
        return f"{_place_of(parts[:-1])}: unknown key {shown_value(parts[-1])}.{_hint(parts[-1], known)}"
    where, wrong = _place_of(parts), _problem_of(error)
    return f"{where}{wrong}." if wrong.startswith(":") else f"{where} {wrong}."


def sentence_without_values(error: Mapping[str, Any], *place: str) -> str:
    """Return an error of pydantic as a sentence that repeats nothing of what somebody sent, however large or deep."""
    return BadEntryError(sentence_of({**error, "input": None}, *place)).without_values


def _place_of(parts: Sequence[int | str]) -> str:
    """Return the place of an error; a name that somebody chose is marked, an element of a list has its number."""
    if parts[-1] == _KEY:
        return f"{_place_of(parts[:-2])}: a name"
    first = next((number for number, part in enumerate(parts[:-1]) if part in _BY_NAME), len(parts))
    named = [str(part + 1) if isinstance(part, int) else part for part in parts[:first]]
    chosen = [as_value(str(part)) for part in parts[first + 1 :]]
    if chosen:
        named.append(f"{_BY_NAME[str(parts[first])]} {chosen[0]}")
    return ": ".join((*named, *chosen[1:]))


def _problem_of(error: Mapping[str, Any]) -> str:
    kind, _, why = error["type"].partition("_")
    match error["type"]:
        case "value_error":
            return str(error["ctx"]["error"])
        case "missing":
            return "is missing"
        case "extra_forbidden":
            return "is not known"
        case "must_be":
            must = f"must be {error['msg']}"
        case _ if kind in _KINDS and why in _WRONG_TYPES:
            must = f"must be {_KINDS[kind]}"
        case _:
            must = re.sub(r"^\w+ should", "must", error["msg"])
    what, semicolon, advice = must.partition(";")
    return f"{what}, not {shown_value(error['input'])}{semicolon}{advice}"

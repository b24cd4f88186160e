"""YAML of people: odd values at every place of both files are a sentence that names the entry, never a traceback."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.errors import BadInputError
from autokb.core.settings import Settings, read_settings
from autokb.core.yaml_text import DEEPEST_NESTING, MOST_CHARACTERS, parse_yaml

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)
MERGED_LAUGHS = "a0: &a0 {k: v}\n" + "".join(
    f"a{n}: &a{n}\n  <<: [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 12)
)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (LAUGHS, r"line 5: a4 stands for more than 100,000 values"),
        (MERGED_LAUGHS, r"stands for more than 100,000 values"),
        ("a: &a [*a]", "line 1: a: 1 refers to itself"),
        ("a: &a {b: *a}", "a: b refers to itself"),
        ("a: &a {<<: *a}", "refers to itself"),
        ("a:\n  b: 1\n  b: 2", "line 3: a: b stands twice"),
        ("a: 1\n'a': 2", "line 2: a stands twice"),
        ("~: 1", "line 1: the document has an entry without a name"),
        ("a: {'': 1}", "line 1: a has an entry without a name"),
        ("? [a]\n: b", "a list or a mapping for a name"),
        ("a: !!binary aGk=", "a has the tag !!binary, which is not read"),
        ("a: !!set {x}", "!!set"),
        ("a: !!timestamp 2024-01-01", "!!timestamp"),
        ("a: !!float .inf", "!!float"),
        ("a: !!python/object:os.system x", "!!python/object:os.system"),
        ("a: 0x_", "a is no number that can be read, not '0x_'"),
        ("a: !!int ''", "a is no number"),
        (f"a: {'9' * 6_000}", "a is a number of 6,000 digits"),
        ("a: 1\n---\nb: 2", "in line 2: it holds two documents"),
        ("a: \0", "take out characters that cannot be seen"),
        ("a: \ud800", "take out characters that cannot be seen"),
        ("a:\n\tb: 1", "in line 2: indent with spaces"),
        ("a: *x", r"put a text that begins with \* into quotes"),
        ("name: Lumo: earbuds", "in line 1: put a text with a colon in it into quotes"),
        ("rules:\n  - {id: x, text: Never: do}", "in line 2: put a text with a colon in it into quotes"),
        ("a: 'it's'", "line 1: .*put the whole of a text into quotes"),
        ("a: @x", "begins with a sign such as @"),
        ('a: "x', "close the quotes"),
        ("a: [b, c", "close the bracket"),
        ("a: - b", "begin a list in a line of its own"),
        ("a: b\nc", "write a colon and a space behind each name"),
        ("<<: 5", "expected a mapping or list of mappings for merging"),
        ("a: <<", "could not determine"),
        ("[" * 100_000, "nested too deeply"),
        ("- " * 100_000, "nested too deeply"),
        ("{" + "a: {" * 1_000, "nested too deeply"),
        ("[" * (DEEPEST_NESTING + 1) + "]" * (DEEPEST_NESTING + 1), "nests more than 50 levels"),
        ("a: " + "x" * MOST_CHARACTERS, "has 500,003 characters, and 500,000 can be read"),
    ],
)
def test_what_no_person_writes_is_refused_by_name(text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=f"^d\\.yaml.*{sentence}.*\\.$"):
        parse_yaml(text, "d.yaml")


def test_what_a_person_writes_is_read() -> None:
    text = "\ufeffbase: &b {one: [Yes, 1.10, 2024-01-01]}\nmore: {<<: *b, one: 3}\nlast: *b\n1: !!str 5\n"
    words = ["Yes", "1.10", "2024-01-01"]
    assert parse_yaml(text, "x") == {"base": {"one": words}, "more": {"one": 3}, "last": {"one": words}, 1: "5"}
    assert parse_yaml("", "x") is None and parse_yaml("# nothing", "x") is None


DOMAIN = """\
name: kettles
description: About kettles
language: en
attributes:
  os: {kind: closed, values: [iOS, Mac], synonyms: {iOS: [iphone]}, implies: {iOS: {device: [Phone]}}}
  device: {kind: closed, values: [Phone, Laptop]}
  illness: {kind: open, examples: [cold]}
rules:
  - {id: no-support, text: Do not send them away., patterns: [contact us]}
  - Say nothing bad.
reply: {max_words: 30, tone: [kind]}
tickets: {sections: [a]}
"""
SETTINGS = """\
model: offline
embedder: packaged
base_url: http://127.0.0.1
concurrency: 8
timeout: 120
retries: 5
window: 8000
max_output: 4096
chunker: fixed
max_size: 2048
context: document
tasks: {issues/check_rules: offline}
prices: {openai:a: {input: 0.5, output: 1}}
"""
ODD = {
    "nothing": None,
    "text": "a",
    "empty": "",
    "number": 7,
    "negative": -1,
    "huge": 10**900,
    "list": ["a"],
    "empty_list": [],
    "list_of_nothing": [None],
    "list_of_lists": [["a"], [["b"]]],
    "list_of_mappings": [{"a": "b"}],
    "mapping": {"a": "b"},
    "empty_mapping": {},
    "mapping_of_nothing": {"a": None},
    "mapping_of_numbers": {1: 2},
    "deep": {"a": {"b": {"c": [{"d": None}]}}},
    "long": "x" * 5_000,
    "control": "a\u0085b\u2028c\x7f",
}


def read_domain_text(text: str) -> DomainSpec:
    return read_domain(parse_yaml(text, "domain.yaml"))


def read_settings_text(text: str) -> Settings:
    return read_settings(parse_yaml(text, "settings.yaml"), {})


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the path of every value in a document, the document itself first."""
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(deeper for name, inner in below for deeper in places(inner, (*path, name)))]


def with_value(value: Any, path: tuple[Any, ...], odd: Any) -> Any:
    """Return a copy of a document with another value at a path."""
    if not path:
        return odd
    if isinstance(value, dict):
        return {name: with_value(inner, path[1:], odd) if name == path[0] else inner for name, inner in value.items()}
    return [with_value(inner, path[1:], odd) if n == path[0] else inner for n, inner in enumerate(value)]


READERS: dict[str, tuple[str, Callable[[Any], object], Callable[[str], object]]] = {
    "domain": (DOMAIN, read_domain, read_domain_text),
    "settings": (SETTINGS, lambda data: read_settings(data, {}), read_settings_text),
}


@pytest.mark.parametrize(
    ("schema", "odd"),
    # What a number of settings may be is tested with the settings.
    [(schema, odd) for schema in sorted(READERS) for odd in sorted(ODD) if (schema, odd) != ("settings", "huge")],
)
def test_odd_values_at_every_place_are_read_or_named(schema: str, odd: str) -> None:
    text, read, _ = READERS[schema]
    whole = parse_yaml(text, "x")
    read(whole)
    for path in places(whole):
        try:
            read(with_value(whole, path, ODD[odd]))
        except BadInputError as error:
            sentence = str(error)
            assert sentence.startswith(f"{schema}.yaml") and sentence.endswith((".", "fixed", "offline")), sentence
            named = [part.rstrip("s") for part in path if isinstance(part, str)]  # rules: rule 2; prices: the price of
            assert not named or any(name in sentence for name in named), (path, sentence)


@pytest.mark.parametrize("odd", ["list", "mapping", "list_of_nothing", "deep"])
@pytest.mark.parametrize("path", ["name", "description", "language", "rules: id", "rules: text", "tasks", "model"])
def test_no_list_or_mapping_passes_for_text(path: str, odd: str) -> None:
    value = ODD[odd]
    data = {
        "rules: id": {"rules": [{"id": value, "text": "x"}]},
        "rules: text": {"rules": [{"text": value}]},
        "tasks": {"tasks": {"issues/check_rules": value}},
    }.get(path, {path: value})
    with pytest.raises(BadInputError):
        (read_settings if path in ("tasks", "model") else read_domain)(data)


ODD_PIECES = (
    *("\t", "\0", "\ufeff", "\u0085", "---\n", "...", "!!set ", "!!binary ", "&a ", "*a", "<<: ", "? ", ": ", "- "),
    *("{", "}", "[", "]", "|", ">", "'", '"', "%YAML 9\n", "0x_", "~", "\n", "  ", "#", "@", "`", "\ud800"),
)


@pytest.mark.parametrize("schema", sorted(READERS))
def test_torn_and_mixed_up_files_are_read_or_refused(schema: str) -> None:
    text, _, read = READERS[schema]
    choose = random.Random(11)
    refused = 0
    for _ in range(600):
        mixed = text
        for _ in range(choose.randint(1, 3)):
            place = choose.randrange(len(mixed))
            cut = choose.choice((0, 0, 1, 5, 40))
            mixed = mixed[:place] + choose.choice(ODD_PIECES) + mixed[place + cut :]
        try:
            read(mixed)
        except BadInputError as error:
            refused += 1
            assert "\n" not in str(error), error
    assert 100 < refused < 600

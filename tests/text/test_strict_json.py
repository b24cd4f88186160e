"""JSON from outside is read strictly, and what is read can be stored."""

from __future__ import annotations

import json

import pytest

from autokb.core.storable import without_half_escapes, without_surrogates
from autokb.text.strict_json import LARGEST_WHOLE, find_json_object, parse_json


def test_half_a_character_is_replaced_wherever_it_stands() -> None:
    found = parse_json(r'{"a\ud83d": ["x\udc00y", {"b": "\ud83d\ude00"}], "c": "\ud83d"}')
    assert found == {"a\ufffd": ["x\ufffdy", {"b": "😀"}], "c": "\ufffd"}
    json.dumps(found, ensure_ascii=False).encode()
    assert parse_json('["\ud83d"]') == ["\ufffd"]
    assert without_surrogates("a\ud83d\udcffb😀") == "a\ufffd\ufffdb😀"


@pytest.mark.parametrize(
    ("given", "mended"),
    [
        (rb'"a\ud83d"', rb'"a\ufffd"'),
        (rb'"\uD83D\uDE00 \udc00\ud83d\ud83d\ude00"', rb'"\uD83D\uDE00 \ufffd\ufffd\ud83d\ude00"'),
        (rb'"\\ud83d \\\ud83d"', rb'"\\ud83d \\\ufffd"'),
        (b'"plain"', b'"plain"'),
    ],
)
def test_escapes_of_halves_are_mended_where_a_strict_reader_comes_next(given: bytes, mended: bytes) -> None:
    assert without_half_escapes(given) == mended
    json.dumps(json.loads(without_half_escapes(given)), ensure_ascii=False).encode()


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[NaN]", "NaN is no JSON"),
        ('{"a": -Infinity}', "-Infinity is no JSON"),
        ("1e400", "the number 1e400 is too large"),
        ("[-1e999]", "the number -1e999 is too large"),
        (str(2**63), "the number 9223372036854775808 is too large"),
        (f"[{'9' * 5000}]", "of 5,000 characters is too large"),
        (f"[-{'9' * 400}.5]", "of 403 characters is too large"),
        ("{", "Expecting property name"),
    ],
)
def test_what_no_reader_of_json_could_hold_is_refused_with_a_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason) as refused:
        parse_json(text)
    assert len(str(refused.value)) < 100


def test_all_else_is_read_as_it_stands() -> None:
    text = f'{{"a": [{LARGEST_WHOLE}, -{LARGEST_WHOLE}, 0.1, 1e-400, true, null], "b": ""}}'
    assert parse_json(text) == {"a": [LARGEST_WHOLE, -LARGEST_WHOLE, 0.1, 0.0, True, None], "b": ""}
    assert parse_json('{"a": 1, "a": 2}', list) == [("a", 1), ("a", 2)]
    with pytest.raises(RecursionError):
        parse_json("[" * 100_000)


@pytest.mark.parametrize(
    "text",
    [
        '{"a": {"b": 1}}',
        ' \n{"a": {"b": 1}}\n',
        '```json\n{"a": {"b": 1}}\n```',
        '```\n{ "a": {"b": 1}}',
        'Here {it} is, {} and all: {\n"a": {"b": 1}} {as} asked.',
    ],
)
def test_the_one_object_of_a_text_is_found(text: str) -> None:
    assert find_json_object(text) == {"a": {"b": 1}}


def test_half_a_character_is_replaced_amid_prose_too() -> None:
    assert find_json_object(r'Here: {"a": "\ud83d"}') == {"a": "\ufffd"}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "Expecting value"),
        ("none {at all}", "Expecting value"),
        ('[{"a": 1}]', "something else"),
        ('see {"a": 1} or {"a": 1}', "two JSON objects"),
        ('see {"a": {"b": 1}', "Expecting ',' delimiter"),
        ('see {"a": NaN}', "NaN is no JSON"),
    ],
)
def test_where_there_is_not_one_object_the_reason_is_said(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        find_json_object(text)


def test_a_text_full_of_braces_is_read_once() -> None:
    with pytest.raises(ValueError, match="Expecting"):
        find_json_object('{"a":' + "{" * 500_000 + '{"b": 1')
    with pytest.raises((ValueError, RecursionError)):
        find_json_object("so: " + '{"a":' * 200_000)

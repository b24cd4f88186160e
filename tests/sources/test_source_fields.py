from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from autokb.sources import chats, fields
from autokb.sources.dates import date_orders, iso_date, only_order
from autokb.sources.fields import DATE_NAMES, ISSUE_ID_NAMES, TITLE_NAMES, as_text, document_names, raw_value, values_at
from autokb.sources.markup import detect_markup
from autokb.sources.records import join_sections
from autokb.sources.tickets import plain

RECORD = {"a": {"b": [{"c": 1}, {"c": [2, 3]}, {"d": 4}]}, "x.y": "dotted", "Title ": "T"}


def test_paths_reach_into_nested_records() -> None:
    assert values_at(RECORD, "a.b[].c") == values_at(RECORD, "a.b.c") == [1, 2, 3]
    assert values_at(RECORD, "x.y") == ["dotted"]
    assert values_at(RECORD, "a.q.c") == []
    assert raw_value(RECORD, "a.b[].d", ()) == 4


def test_defaults_are_found_whatever_their_case() -> None:
    assert raw_value(RECORD, None, TITLE_NAMES) == "T"
    assert raw_value({"title": "", "subject": "S"}, None, TITLE_NAMES) == "S"


def test_words_of_a_name_may_be_joined_in_any_way() -> None:
    assert raw_value({"Ticket No": 7}, None, ISSUE_ID_NAMES) == raw_value({"case-number": 7}, None, ISSUE_ID_NAMES) == 7
    assert raw_value({"Created_At": "a", "created at": "b"}, None, DATE_NAMES) == "a"
    assert raw_value({"created at": "a", "created_at": "b"}, None, DATE_NAMES) == "b", "as it is written here"


def test_scalars_as_text() -> None:
    assert [as_text(v) for v in (3, 3.0, 2.5, None, True, ["a", None, "b"], "\ud800")] == [
        "3",
        "3",
        "2.5",
        "",
        "true",
        "a\n\nb",
        "\ufffd",
    ]


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (["a", "b", "a"], ("a", "b")),
        ("a.md; b.md", ("a.md", "b.md")),
        ("a.md, b.md", ("a.md", "b.md")),
        ("Mail, folders and search.md", ("Mail, folders and search.md",)),
        ('["a", "b"]', ("a", "b")),
        ("https://x.example/a,b", ("https://x.example/a,b",)),
        (None, ()),
        ("", ()),
    ],
)
def test_names_of_documents_in_one_field(value: object, names: tuple[str, ...]) -> None:
    assert document_names(value) == names


def test_sections_become_one_text_in_their_own_markup() -> None:
    plain = [
        {"heading": "", "text": "Intro."},
        {"level": 3, "heading": "How", "text": "So."},
        {"heading": "Why", "text": "So."},
    ]
    assert join_sections(plain) == ("Intro.\n\n### How\n\nSo.\n\n## Why\n\nSo.", "markdown")
    wiki = [{"level": 1, "heading": "How", "text": "# press {button A}\n# press {button B}"}]
    assert join_sections(wiki) == ("= How =\n\n# press {button A}\n# press {button B}", "wiki")
    html = [{"heading": "A & B", "text": "<p>x</p><ul><li>y</li></ul><p>z</p>"}]
    assert join_sections(html)[0].startswith("<h2>A &amp; B</h2>")


def test_blocks_and_steps_in_sections() -> None:
    blocks = [{"heading": "H", "blocks": [{"type": "p", "text": "P."}, {"type": "steps", "items": ["a", "b"]}]}]
    assert join_sections(blocks)[0] == "## H\n\nP.\n\n1. a\n2. b"


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("# Heading\n\n- a **b** [c](d)", "markdown"),
        ("Just a sentence with 'quotes' and = signs.", "markdown"),
        ("=A=\n'''bold''' text", "wiki"),
        ("Press {key A}.", "wiki"),
        ("<p>a</p><p>b</p>", "html"),
        ("Use <b>one</b> tag", "markdown"),
    ],
)
def test_markup_is_told_from_the_text(text: str, markup: str) -> None:
    assert detect_markup(text) == markup


@pytest.mark.parametrize(
    ("value", "date"),
    [
        ("2024-03-01", "2024-03-01"),
        ("2024-03-01T10:00:00Z", "2024-03-01T10:00:00Z"),
        ("31.12.2024", "2024-12-31"),
        ("12/31/2024", "2024-12-31"),
        ("01/02/2024", ""),
        ("2024/3/1", "2024-03-01"),
        ("March 1, 2024", "2024-03-01"),
        (1709251200, "2024-03-01T00:00:00Z"),
        (1709251200000, "2024-03-01T00:00:00Z"),
        ("soon", ""),
        ("9" * 5000, ""),
        ("²", ""),
        (None, ""),
    ],
)
def test_dates_become_iso_or_nothing(value: object, date: str) -> None:
    assert iso_date(value) == date


@pytest.mark.parametrize(
    ("column", "order", "third_of_november"),
    [
        (["03/11/2026", "13/11/2026"], "day first", "2026-11-03"),
        (["03-11-2026", "11/13/2026"], "month first", "2026-03-11"),
        (["13/11/2026", "11/13/2026"], "", ""),
        (["03/11/2026", "05/05/2026", "31/13/2026", "2026-11-13", "13.11.2026", None, 7], "", ""),
    ],
)
def test_a_column_says_in_which_order_its_dates_are(column: list[object], order: str, third_of_november: str) -> None:
    found = only_order(date_orders(column))
    assert (found, iso_date("03/11/2026", found)) == (order, third_of_november)
    assert iso_date("03.11.2026", found) == "2026-11-03" and iso_date("soon", found) == ""


@pytest.mark.parametrize(
    ("what", "names"),
    [
        ("text of an issue or document", fields.TEXT_NAMES),
        ("title of an issue", fields.TITLE_NAMES),
        ("title of a document", fields.DOCUMENT_TITLE_NAMES),
        ("id of an issue", fields.ISSUE_ID_NAMES),
        ("id of a document", fields.ID_NAMES),
        ("date of an issue", fields.DATE_NAMES),
        ("what resolved an issue", fields.RESOLVED_NAMES),
        ("conversation of a message", (*chats._CONVERSATION, *chats._ID)),
        ("role of a message", chats._ROLE),
        ("text of a message", chats._TEXT),
        ("id of a ticket", plain._IDS),
        ("title of a ticket", tuple(dict.fromkeys(plain._TITLES))),
        ("when a ticket was resolved", plain._RESOLVED),
    ],
)
def test_the_page_lists_the_names_that_are_recognised(what: str, names: Sequence[str]) -> None:
    page = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")
    (row,) = (line.split("|") for line in page.splitlines() if line.startswith(f"| {what}"))
    assert tuple(re.findall(r"`(\w+)`", row[3])) == tuple(names)

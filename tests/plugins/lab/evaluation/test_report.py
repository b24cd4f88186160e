"""Records, tables, the terminal and the page: every figure is shown, and no name becomes markup."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from rich.console import Console, Group

from autokb.core.nouns import Failure
from autokb.plugins.lab.evaluation.compare import compare
from autokb.plugins.lab.evaluation.report import (
    COUNTED,
    SYSTEMS,
    Record,
    Table,
    answer_tables,
    html_page,
    interval_text,
    terminal_tables,
)
from autokb.plugins.lab.evaluation.retrieval.experiment import measure
from autokb.stats.bootstrap import NOT_MEASURED, Interval

EVIL = "<script>alert('[bold]')</script>"
ANSWER = measure(
    {"raw": {"q1": ("b", "a"), "q2": ("a",)}, EVIL: {"q1": ("a",), "q2": ("a",)}},
    {"q1": {"a": 1.0}, "q2": {"a": 1.0}},
).as_json() | {"seconds": 0.5}


class Outside(HTMLParser):
    """Collects what would be fetched from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "srcset", "action")]


def terminal(answer: dict[str, object]) -> str:
    out = io.StringIO()
    console = Console(file=out, width=240)
    for table in terminal_tables(answer_tables(answer)):
        console.print(table)
    return out.getvalue()


def page(answer: dict[str, object], title: str) -> str:
    return html_page(title, answer_tables(answer))


def test_interval_as_people_read_it() -> None:
    assert interval_text({"value": 0.5, "low": 0.25, "high": 0.75}) == "0.500 [0.250, 0.750]"
    assert interval_text({"value": 0.5, "low": None, "high": None}, signed=True) == "+0.500"
    assert interval_text({"value": None}) == interval_text(None) == "–"


def test_table_shows_systems_and_differences() -> None:
    shown = terminal(ANSWER)
    assert "hit_rate@1" in shown
    assert "0.500 [0.000, 1.000]" in shown
    assert "+0.500 [+0.000, +1.000]" in shown
    assert "[bold]" in shown


def test_page_is_self_contained_and_escaped() -> None:
    text = page(ANSWER, f"Retrieval {EVIL}")
    assert text == page(ANSWER, f"Retrieval {EVIL}")
    parser = Outside()
    parser.feed(text)
    assert "script" not in parser.tags
    assert {"table", "img"} <= parser.tags
    assert [address.partition(",")[0] for address in parser.addresses] == ["data:image/svg+xml;base64"]
    assert "url(" not in text
    assert re.search(r"<td>raw</td><td>0\.500 \[0\.000, 1\.000\]</td>", text)


def test_a_picture_shows_the_first_metric_of_every_system() -> None:
    systems = answer_tables(ANSWER)[0]
    (bars,) = systems.pictures
    # hit_rate@1 of raw is .5 [0, 1], that of the other system is 1: 440 px are a share of 1
    assert re.findall(r'<rect x="200" y="(\d+)" width="([0-9.]+)"', bars) == [("28", "220.0"), ("52", "440.0")]
    assert re.findall(r'<line x1="([0-9.]+)" x2="([0-9.]+)"', bars) == [("200.0", "640.0"), ("640.0", "640.0")]
    assert "<title>hit_rate@1</title>" in bars and "<script" not in bars


def test_other_answers_are_shown_as_figures() -> None:
    quality = {"q_m": {"value": 0.875, "attributes": {"os": 0.5}}, "q_c": {"value": None}}
    shown = terminal(quality)
    assert "q_m" in shown
    assert "0.875" in shown
    assert "q_m.attributes.os" in shown
    assert "<img" not in page(quality, "Quality")


def test_a_comparison_is_shown() -> None:
    worse = {**ANSWER, "systems": {**ANSWER["systems"], "raw": {"metrics": {"mrr": {"value": 0.25}}}}}
    changes, *_ = compare(ANSWER, worse, "mrr", 0.1).as_tables()
    columns = ("figure", "difference", "before", "after", "paired", "wins", "losses", "verdict")
    assert changes.head == columns
    same = ("+0.000 [+0.000, +0.000]", "1.000", "1.000", "2", "0", "0", "no detectable difference")
    assert {row[0]: row[1:] for row in changes.lines} == {
        "raw.mrr": ("-0.500", "0.750", "0.250", "0", "0", "0", "–"),
        f"{EVIL}.mrr": same,
    }


def test_what_a_run_took_is_not_on_the_page() -> None:
    took = {"seconds": 0.5, "calls": 7, "cached": 0, "tokens": {"input": 41, "output": 0}, "cost": 0.25}
    again = {"seconds": 0.75, "calls": 0, "cached": 7, "tokens": {"input": 0, "output": 0}, "cost": 0.0}
    assert page({**ANSWER, **took}, "Retrieval") == page({**ANSWER, **again}, "Retrieval")
    assert "0.750" in terminal({**ANSWER, **again})


def test_a_picture_is_an_image_of_the_page_in_which_nothing_runs() -> None:
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><text>é</text>{EVIL}</svg>'
    written = html_page("Pictures", [Table.of(EVIL, {"b": ["c"]}, ("a",), pictures=(picture,))])
    seen = Outside()
    seen.feed(written)
    (address,) = seen.addresses
    kind, _, data = address.partition(",")
    assert kind == "data:image/svg+xml;base64" and b64decode(data).decode() == picture
    assert "script" not in seen.tags and EVIL not in written


# -- the shape of a record --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Counted(Record):
    """A figure with its interval in its place."""

    interval: Interval
    n: int


@dataclass(frozen=True, slots=True)
class Found(Record):
    """A report with parts, and with what may be missing."""

    figures: Mapping[str, Counted]
    failures: tuple[Failure, ...]
    note: str | None
    notes: tuple[str, ...] = ()
    more: Mapping[str, float] = field(default_factory=dict)


def test_the_ends_of_an_interval_stand_beside_what_was_counted_with_it() -> None:
    assert list(Counted(Interval(0.5, 0.25, 0.75), 0).as_json().items()) == [
        ("value", 0.5),
        ("low", 0.25),
        ("high", 0.75),
        ("n", 0),
    ]


def test_only_an_optional_field_that_holds_nothing_is_left_out() -> None:
    empty = {"figures": {}, "failures": [], "note": None}
    assert Found({}, (), None).as_json() == empty
    assert Found({}, (), None, ("said",), {"a": 0.0}).as_json() == empty | {"notes": ["said"], "more": {"a": 0.0}}


def test_parts_have_their_own_shape() -> None:
    shown = Found({"a": Counted(NOT_MEASURED, 0)}, (Failure("judge", "1", "unreadable"),), None).as_json()
    assert shown["figures"] == {"a": {"value": None, "low": None, "high": None, "n": 0}}
    assert shown["failures"] == [{"stage": "judge", "item": "1", "reason": "unreadable"}]


# -- chunkers, in a narrow terminal -----------------------------------------------------------------------------------

FIGURE = {"value": 0.25, "low": 0.125, "high": 0.5, "n": 8}
NAMES = ("cut_lists", "cut_questions", "dangling", "link_density", "left_out")


def answer() -> dict[str, Any]:
    body = {
        "chunks": 8,
        "size": {"mean": 90.4, "p95": 100.0},
        "tenets": {"noise": {"value": None, "low": None, "high": None, "unreadable": 0}},
        "mechanical": dict.fromkeys(NAMES, FIGURE),
        "seconds": 0.5,
    }
    return {"methods": {"auto_chunker": body, "fixed": body}}


def lines(width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(Group(*terminal_tables(answer_tables(answer()), width)))
    return [line.rstrip() for line in out.getvalue().split("\n")]


def test_no_figure_and_no_name_is_broken_up_at_eighty_columns() -> None:
    shown = lines(80)
    assert sum(line.count("0.250 [0.125, 0.500]") for line in shown) == 2 * len(NAMES)
    assert [line for line in shown if line.startswith("method")] == [
        "method        chunks  mean  p95",
        "method        cut_lists             cut_questions         dangling",
        "method        link_density          left_out",
        "method        seconds",
    ]
    assert COUNTED in shown
    assert shown.count("(continued)") == 1
    assert all(len(line) <= 80 for line in shown)


def test_a_wide_terminal_shows_one_table_of_figures() -> None:
    names = [line.split() for line in lines(200) if line.startswith("method")]
    assert names == [["method", "chunks", "mean", "p95"], ["method", *NAMES], ["method", "seconds"]]


def test_a_terminal_too_narrow_for_one_figure_gets_a_table_for_each() -> None:
    assert len(terminal_tables(answer_tables(answer()), 10)) == 4 + len(NAMES)


def test_a_page_has_every_table_whole_and_is_the_same_every_time() -> None:
    page = html_page("Chunking", answer_tables(answer()))
    assert page.count("<table>") == 2 and "seconds" not in page
    assert f"<h2>{COUNTED}</h2>" in page and "<img" not in page
    slower = answer()
    slower["methods"]["fixed"] = {**slower["methods"]["fixed"], "seconds": 0.75}
    assert page == html_page("Chunking", answer_tables(slower))


# -- suggestions ------------------------------------------------------------------------------------------------------

ENDS = {"value": 0.5, "low": 0.25, "high": 0.75}
VERDICTS = {"correct": 1, "incorrect": 2, "unsure": 3, "not judged": 4}
SUGGESTED: dict[str, Any] = {
    "systems": {
        "autokb": {
            "metrics": {"coverage@1": ENDS, "words": ENDS, "seconds": ENDS},
            "verdicts": VERDICTS,
            "seconds": {"p50": 0.25, "p95": 0.75, "p99": 0.75},
        },
        "incumbent": {"metrics": {"words": ENDS, "seconds": ENDS}, "verdicts": VERDICTS},
    },
    "differences": [
        {"system": "autokb", "baseline": "incumbent", "metric": "words", **ENDS, "p_value": 0.0123, "cases": 9}
    ],
    "cases": {"questions": {"n": 9, "mean_words": 4.5}},
    "notes": ["A note."],
    "seconds": 1.5,
}
SHOWN = "0.500 [0.250, 0.750]"


def tables(**more: Any) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {table.name: tuple(table.lines) for table in answer_tables({**SUGGESTED, **more})}


def test_no_system_stands_among_figures_that_it_cannot_have() -> None:
    assert tables()[SYSTEMS] == (("autokb", SHOWN),)
    assert tables()[f"{SYSTEMS}: words"] == (("autokb", SHOWN), ("incumbent", SHOWN))
    many = dict.fromkeys(map(str, range(9)), ENDS)  # more columns than people take in: the metrics become the rows
    wide = {"systems": {"autokb": {"metrics": many}}}
    (shown,) = answer_tables(wide)
    assert shown.head == ("figure", "autokb") and shown.lines == [(name, SHOWN) for name in many]


def test_differences_stand_beside_their_p_values() -> None:
    assert tables()["Differences to incumbent (paired)"] == (("autokb.words", "+0.500 [+0.250, +0.750]", "0.012", "9"),)


def test_times_are_those_of_the_run_and_verdicts_are_counted() -> None:
    (seconds,) = [table for table in answer_tables(SUGGESTED) if table.name == "Seconds"]
    assert seconds.of_run and seconds.lines == [("autokb", SHOWN), ("incumbent", SHOWN)]
    assert tables()["Seconds: p50, p95, p99"] == (("autokb", "0.250", "0.750", "0.750"),)  # the other lacks them
    assert tables()["First suggestions by verdict"][0] == ("autokb", "1", "2", "3", "4")
    assert ("cases.questions.n", "9") in tables()["Figures"]


def test_what_people_said_is_a_table_of_its_own() -> None:
    agreed = {"agreement": 0.9, "kappa": None, "alpha": 0.8, "pairs": 7}
    sheet = {
        "systems": {"autokb": {"metrics": {"preferred": ENDS}}, "incumbent": {"metrics": {}}},
        "no_preference": ENDS,
        "agreement": {"preference": agreed},
        "judge_and_people": agreed,
        "items": 3,
    }
    found = tables(sheet=sheet)
    assert found["What people say (3 cases)"] == (("autokb", SHOWN),)
    assert found["Agreement"] == (("preference", "0.900", "0.800", "7"), ("judge and people", "0.900", "0.800", "7"))

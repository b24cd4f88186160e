"""The table and the page show every figure and let no name become markup."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from html.parser import HTMLParser

from rich.console import Console

from autokb.plugins.lab.evaluation.compare import compare
from autokb.plugins.lab.evaluation.report import (
    ReportTable,
    answer_tables,
    comparison_tables,
    html_page,
    interval_text,
    systems_chart,
    terminal_tables,
)
from autokb.plugins.lab.evaluation.retrieval.experiment import measure

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
    return html_page(title, answer_tables(answer), systems_chart(answer))


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
    assert {"table", "svg"} <= parser.tags
    assert parser.addresses == []
    assert "url(" not in text
    assert re.search(r"<td>raw</td><td>0\.500 \[0\.000, 1\.000\]</td>", text)


def test_the_chart_shows_the_first_metric_of_every_system() -> None:
    text = page(ANSWER, "Retrieval")
    # hit_rate@1 of raw is .5 [0, 1], that of the other system is 1: 440 px are a share of 1
    assert re.findall(r'<rect x="200" y="(\d+)" width="([0-9.]+)"', text) == [("4", "220.0"), ("28", "440.0")]
    assert re.findall(r'<line x1="([0-9.]+)" x2="([0-9.]+)"', text) == [("200.0", "640.0"), ("640.0", "640.0")]
    assert "<figcaption>hit_rate@1</figcaption>" in text


def test_other_answers_are_shown_as_figures() -> None:
    quality = {"q_m": {"value": 0.875, "attributes": {"os": 0.5}}, "q_c": {"value": None}}
    shown = terminal(quality)
    assert "q_m" in shown
    assert "0.875" in shown
    assert "q_m.attributes.os" in shown
    assert "<svg" not in page(quality, "Quality")


def test_a_comparison_is_shown() -> None:
    worse = {**ANSWER, "systems": {**ANSWER["systems"], "raw": {"metrics": {"mrr": {"value": 0.25}}}}}
    changes, *_ = comparison_tables(compare(ANSWER, worse, "mrr", 0.1).as_json())
    assert changes.columns == ("figure", "before", "after", "difference", "wins", "losses", "verdict")
    same = ("1.000", "1.000", "+0.000 [+0.000, +0.000]", "0", "0", "no detectable difference")
    assert {row[0]: row[1:] for row in changes.rows} == {
        "raw.mrr": ("0.750", "0.250", "-0.500", "–", "–", "not paired"),
        f"{EVIL}.mrr": same,
    }


def test_what_a_run_took_is_not_on_the_page() -> None:
    took = {"seconds": 0.5, "calls": 7, "cached": 0, "tokens": {"input": 41, "output": 0}, "cost": 0.25}
    again = {"seconds": 0.75, "calls": 0, "cached": 7, "tokens": {"input": 0, "output": 0}, "cost": 0.0}
    assert page({**ANSWER, **took}, "Retrieval") == page({**ANSWER, **again}, "Retrieval")
    assert "0.750" in terminal({**ANSWER, **again})


def test_a_picture_is_an_image_of_the_page_in_which_nothing_runs() -> None:
    picture = f'<svg xmlns="http://www.w3.org/2000/svg"><text>é</text>{EVIL}</svg>'
    written = html_page("Pictures", [ReportTable(EVIL, ("a",), (("b",),), pictures=(picture,))])
    seen = Outside()
    seen.feed(written)
    (address,) = seen.addresses
    kind, _, data = address.partition(",")
    assert kind == "data:image/svg+xml;base64" and b64decode(data).decode() == picture
    assert "script" not in seen.tags and EVIL not in written

"""The tables of an evaluation of chunkers: in a narrow terminal one table goes on in another."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console, Group

from autokb.plugins.lab.evaluation.chunking.report import COUNTED, chunking_tables
from autokb.plugins.lab.evaluation.report import ReportTable, fit_width, html_page, terminal_tables

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


def fitted(width: int) -> list[ReportTable]:
    return [part for table in chunking_tables(answer()) for part in fit_width(table, width)]


def lines(width: int) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=width, highlight=False).print(Group(*terminal_tables(fitted(width))))
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
    assert len(fitted(10)) == 4 + len(NAMES)


def test_a_page_has_every_table_whole_and_is_the_same_every_time() -> None:
    page = html_page("Chunking", chunking_tables(answer()))
    assert page.count("<table>") == 2 and "seconds" not in page
    assert f"<h2>{COUNTED}</h2>" in page and "<svg" not in page
    slower = answer()
    slower["methods"]["fixed"] = {**slower["methods"]["fixed"], "seconds": 0.75}
    assert page == html_page("Chunking", chunking_tables(slower))

"""An evaluation of chunkers, for people: the verdicts of judges and what was counted are never in one table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from autokb.plugins.lab.evaluation.report import ReportTable, interval_text, number_text

JUDGED = "Judged by a model: shares of chunks, and weighted precision of what is found (mean and 95 % interval)"
COUNTED = "Intrinsic: counted, judged by nobody (share and 95 % interval)"
FOUND = "Needed text in the first chunks (mean and 95 % interval)"
NOTHING = "–"


def chunking_tables(answer: Mapping[str, Any]) -> list[ReportTable]:
    """Return the tables of an answer of ``evaluate chunking``, a row for each method."""
    methods = answer["methods"]
    sizes, times = [], []
    for name, body in methods.items():
        mean, p95 = (None if body["size"][n] is None else round(body["size"][n]) for n in ("mean", "p95"))
        figures = (number_text(figure) for figure in (body["chunks"], mean, p95))
        sizes.append((name, *figures))
        times.append((name, f"{body['seconds']:.2f}"))
    found = [
        ReportTable("Chunks", ("method", "chunks", "mean", "p95"), tuple(sizes)),
        _make_table(JUDGED, methods, "tenets", _judged_text),
        _make_table(
            COUNTED, methods, "mechanical", lambda f: interval_text(f) if isinstance(f, Mapping) else number_text(f)
        ),
        _make_table(FOUND, methods, "retrieval", interval_text),
        ReportTable("This run", ("method", "seconds"), tuple(times), of_run=True),
    ]
    return [table for table in found if table.rows]


def _make_table(title: str, methods: Mapping[str, Any], part: str, text: Callable[[Any], str]) -> ReportTable:
    """Return one table; a column in which no method has anything is left out, and so is a table without columns."""
    columns = dict.fromkeys(column for body in methods.values() for column in body.get(part, {}))
    cells = {column: [text(body.get(part, {}).get(column)) for body in methods.values()] for column in columns}
    filled = {column: texts for column, texts in cells.items() if any(cell != NOTHING for cell in texts)}
    rows = zip(methods, *filled.values(), strict=True) if filled else ()
    return ReportTable(title, ("method", *filled), tuple(rows))


def _judged_text(found: Mapping[str, Any] | None) -> str:
    if not found or (found["value"] is None and not found["unreadable"]):
        return NOTHING
    unreadable = f", {found['unreadable']} unreadable" if found["unreadable"] else ""
    return interval_text(found) + unreadable

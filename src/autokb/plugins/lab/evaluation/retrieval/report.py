"""The tables of ``evaluate retrievers``: recalls and differences as everywhere, per cents over the worst, cosines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.plugins.lab.evaluation.report import ReportTable, answer_tables, interval_text

OWN_TABLES = ("cosines", "over_worst", "notes")


def retriever_tables(answer: Mapping[str, Any]) -> list[ReportTable]:
    """Return the tables of an answer."""
    usual = answer_tables({key: value for key, value in answer.items() if key not in OWN_TABLES})
    found = (*usual[:1], _over_worst(answer["over_worst"]), _cosines(answer["cosines"]), *usual[1:])
    return [table for table in found if table.rows]


def _over_worst(differences: Sequence[Mapping[str, Any]]) -> ReportTable:
    metrics = tuple(dict.fromkeys(d["metric"] for d in differences))
    above = {(d["system"], d["metric"]): d for d in differences}
    rows = tuple(
        (system, worst, *(interval_text(above.get((system, metric)), signed=True) for metric in metrics))
        for system, worst in dict.fromkeys((d["system"], d["baseline"]) for d in differences)
    )
    return ReportTable("Per cent over the worst encoder", ("system", "worst", *metrics), rows)


def _cosines(encoders: Mapping[str, Mapping[str, Any]]) -> ReportTable:
    kinds = [(f"{encoder}: {kind}", body) for encoder, of in encoders.items() for kind, body in of.items()]
    thresholds = tuple(kinds[0][1]["at_least"]) if kinds else ()
    rows = tuple(
        (name, str(body["n"]), *(interval_text(body["at_least"][t]) for t in thresholds)) for name, body in kinds
    )
    return ReportTable("Share of first documents with a cosine of at least", ("questions", "n", *thresholds), rows)

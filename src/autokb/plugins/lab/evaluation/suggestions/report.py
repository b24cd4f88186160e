"""The tables of ``evaluate suggestions``: systems and differences as everywhere, and what people said on the sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from autokb.plugins.lab.evaluation.report import ReportTable, answer_tables, interval_text, number_text
from autokb.plugins.lab.evaluation.suggestions.experiment import SECONDS

NO_TABLES = ("sheet", "notes")


# Complex: it lists the tables in the order of the report, with the columns of each.
def suggestion_tables(answer: Mapping[str, Any]) -> list[ReportTable]:
    """Return the tables of an answer; p values stand beside the differences, times in a table of the run."""
    systems = answer["systems"]
    differences = answer["differences"]
    rest = {key: value for key, value in answer.items() if key not in NO_TABLES}
    metrics = dict.fromkeys(m for body in systems.values() for m in body["metrics"] if m != SECONDS)
    figures = tuple((m, *(interval_text(body["metrics"].get(m)) for body in systems.values())) for m in metrics)
    found = answer_tables({**rest, "systems": {}, "differences": []})
    rows = tuple(
        (d["system"], d["metric"], interval_text(d, signed=True), number_text(d["p_value"]), str(d["cases"]))
        for d in differences
    )
    baseline = differences[0]["baseline"] if differences else ""
    columns = ("system", "metric", "difference", "p (paired t-test)", "cases")
    verdicts = tuple(
        (name, *(str(body["verdicts"][v]) for v in ("correct", "incorrect", "unsure", "not judged")))
        for name, body in systems.items()
    )
    seconds = tuple(
        (name, interval_text(body["metrics"].get(SECONDS)), *map(number_text, _percentiles(body)))
        for name, body in systems.items()
    )
    more = [
        ReportTable("Systems (mean and 95 % interval)", ("metric", *systems), figures),
        ReportTable(f"Differences to {baseline} (paired)", columns, rows),
        ReportTable(
            "First suggestions by verdict", ("system", "correct", "incorrect", "unsure", "not judged"), verdicts
        ),
        *_sheet_tables(answer.get("sheet")),
        ReportTable("Seconds a case", ("system", "mean", "p50", "p95", "p99"), seconds, of_run=True),
    ]
    return [table for table in (*more, *found) if table.rows]


def _percentiles(body: Mapping[str, Any]) -> Sequence[float | None]:
    """Return p50, p95 and p99 of a system; answers that were stored earlier lack them."""
    return tuple(body.get("seconds", dict.fromkeys(("p50", "p95", "p99"))).values())


def _sheet_tables(sheet: Mapping[str, Any] | None) -> list[ReportTable]:
    """Return what people said, and how far they agree."""
    if sheet is None:
        return []
    names = tuple(dict.fromkeys(m for body in sheet["systems"].values() for m in body["metrics"]))
    said = tuple(
        (system, *(interval_text(body["metrics"].get(m)) for m in names)) for system, body in sheet["systems"].items()
    )
    agreed = tuple(
        (name, *(number_text(found.get(part)) for part in ("agreement", "kappa", "alpha", "pairs")))
        for name, found in (*sheet["agreement"].items(), ("judge and people", sheet["judge_and_people"]))
    )
    return [
        ReportTable(f"What people say ({sheet['items']} cases)", ("system", *names), said),
        ReportTable("Agreement", ("question", "agreement", "kappa", "alpha", "pairs"), agreed),
    ]

"""Answers from tickets, from the graph and from chunks of text, beside weak and golden references.

A weak reference is the resolution, the versions and the last comment by the assignee of the original: no expert's
answer, so the figures compare the two systems and say little by themselves. The golden ones (``GOLDEN``) are questions
and answers in the words of readers of the tickets, checked by another reader. Without WordNet METEOR is left out and
named.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from autokb.app import SupportKB
from autokb.core.ticket_answer import TicketAnswer
from autokb.core.tickets import TicketEvidence
from autokb.plugins.tickets.answers.ask_tickets import TicketAnswerer
from autokb.plugins.tickets.answers.open_tickets import open_tickets
from autokb.plugins.tickets.experiments import NearestPieces
from autokb.stats.bootstrap import mean_interval
from autokb.stores.workspace import open_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder, write_jsonl
from benchmarks.text_overlap import find_metrics
from benchmarks.tickets import data_folder, read_tickets

# Table 2 of the ticket graph paper, on its own data: beside ours for comparison only.
PAPER = {
    "baseline": {"bleu": 0.057, "meteor": 0.279, "rouge": 0.183},
    "experiment": {"bleu": 0.377, "meteor": 0.613, "rouge": 0.546},
}
BANDS = (0.0, 0.35, 0.5, 0.65, 0.8)  # of the chance that the first ticket is right; below the second nothing answers
SYSTEMS = ("graph", "text")  # the text chunks are the paper's baseline
GOLDEN = Path(__file__).parent / "data" / "ticket_golden.jsonl"


def run(options: argparse.Namespace) -> Result:
    """Ask how each duplicate was resolved, and what the golden questions ask; compare answers with references."""
    step = 6 if options.quick else 1
    queries = _queries()[::step]
    golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()][::step]
    metrics, missing = find_metrics()
    with folder() as place:
        kb = place / "kb"
        autokb("init", kb)
        autokb("add", kb, write_jsonl(place / "tickets.jsonl", read_tickets()), "--as", "tickets")
        autokb("tickets", "build", kb)
        opened = open_tickets(open_workspace(kb))
        try:
            asking = {"graph": TicketAnswerer(opened), "text": TicketAnswerer(opened, NearestPieces)}
            answers = _ask(asking, [f"How was this resolved: {q['query_short']}?" for q in queries])
            of_golden = _ask(asking, [str(q["text"]) for q in golden])
        finally:
            opened.close()
        suggested = _suggested(kb, queries)
    figures = [Figure("queries", len(queries)), *_matches(queries, answers["graph"]), *suggested]
    detail: dict[str, Any] = {"paper": PAPER, "not measured": missing}
    references = [str(q["weak_reference_answer"]) for q in queries]
    figures += _compared("weak", answers, references, metrics, detail)
    figures.append(Figure("golden.questions", len(golden)))
    figures += _compared("golden", of_golden, [str(q["answer"]) for q in golden], metrics, detail)
    for system, found in of_golden.items():
        right = [a.tickets[:1] != () and a.tickets[0].id in q["tickets"] for q, a in zip(golden, found, strict=True)]
        figures.append(Figure(f"{system}.right_ticket_first.golden", sum(right) / len(right)))
    return Result("ticket_answers", tuple(figures), detail)


def _ask(asking: Mapping[str, TicketAnswerer], questions: Sequence[str]) -> dict[str, list[TicketAnswer]]:
    """Return each system's answers."""
    return {system: [asking[system].ask(one) for one in questions] for system in SYSTEMS}


def _compared(
    kind: str,
    answers: Mapping[str, Sequence[TicketAnswer]],
    references: Sequence[str],
    metrics: Mapping[str, Callable[[str, str], float]],
    detail: dict[str, Any],
) -> Iterator[Figure]:
    """Give what answers share with references of one kind, and the paired difference; ``detail`` gets intervals."""
    for system, found in answers.items():
        yield Figure(f"{system}.answered.{kind}", sum(a.outcome == "answered" for a in found) / len(found))
        yield Figure(f"{system}.characters.{kind}", sum(len(a.answer) for a in found) / len(found))
    for name, metric in metrics.items():
        values = {s: [metric(a.answer, r) for a, r in zip(answers[s], references, strict=True)] for s in SYSTEMS}
        values["difference"] = [a - b for a, b in zip(values["graph"], values["text"], strict=True)]
        for system, one in values.items():
            interval = mean_interval(one)
            detail[f"{system}.{name}.{kind}"] = interval.as_json()
            yield Figure(f"{system}.{name}.{kind}", round(interval.value or 0.0, 4))


def _suggested(workspace: Path, queries: Sequence[dict[str, Any]]) -> list[Figure]:
    """Return how often a past ticket helps a customer who writes the title, and how often it is the right one."""
    kb = SupportKB.open(workspace)
    try:
        found = [kb.suggest(q["query_short"]).suggestions for q in queries]
    finally:
        kb.close()
    first = [next((e.ticket for s in some for e in s.evidence if isinstance(e, TicketEvidence)), "") for some in found]
    right = [float(t in q["relevant"]) for t, q in zip(first, queries, strict=True) if t]
    return [
        Figure("suggested", len(right) / len(queries)),
        Figure("suggested.right_ticket", sum(right) / max(1, len(right)), f"of {len(right)}"),
    ]


def _matches(queries: Sequence[dict[str, Any]], answers: Sequence[TicketAnswer]) -> list[Figure]:
    """Return whether the chance that an answer tells is the share of questions whose first ticket is right."""
    told = [
        (a.match, a.tickets[0].id in q["relevant"])
        for q, a in zip(queries, answers, strict=True)
        if a.match is not None and a.tickets
    ]
    figures = [
        Figure("match.mean", sum(chance for chance, _ in told) / max(1, len(told))),
        Figure("match.right", sum(right for _, right in told) / max(1, len(told))),
        Figure("match.brier", sum((chance - right) ** 2 for chance, right in told) / max(1, len(told))),
    ]
    for low, high in zip(BANDS, (*BANDS[1:], 1.01), strict=True):
        inside = [right for chance, right in told if low <= chance < high]
        figures.append(Figure(f"match.from_{low}.questions", len(inside)))
        figures.append(Figure(f"match.from_{low}.right", sum(inside) / len(inside) if inside else None))
    return figures


def _queries() -> list[dict[str, Any]]:
    """Return the golden queries that have a reference with words of its own."""
    lines = (data_folder() / "queries.jsonl").read_text(encoding="utf-8").splitlines()
    return [q for q in map(json.loads, lines) if _reference(q)]


def _reference(query: dict[str, Any]) -> str:
    """Put the reference of a query into one text, in its place."""
    found = query["weak_reference_answer"]
    parts: Sequence[Any] = found if isinstance(found, list) else [found]
    texts = [" ".join(_texts(part)) for part in parts]
    query["weak_reference_answer"] = "\n".join(filter(None, texts)).strip()
    return str(query["weak_reference_answer"])


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, Mapping):
        return [text for name, part in value.items() if name not in ("ticket", "key") for text in _texts(part)]
    return [text for part in value or () for text in _texts(part)] if isinstance(value, list) else []

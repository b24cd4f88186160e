"""Past tickets: whether the right one is found for real duplicates, how long builds and questions take, and growth."""

from __future__ import annotations

import argparse
import gzip
import json
import math
import shutil
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from autokb.core.ticket_answer import QuestionParts
from autokb.plugins.tickets.answers import ask_tickets
from autokb.plugins.tickets.answers.ask_tickets import TicketAnswerer
from autokb.plugins.tickets.answers.open_tickets import OpenTickets, open_tickets
from autokb.plugins.tickets.graph import search
from autokb.plugins.tickets.graph.index import TicketIndex, day_of, fold_names
from autokb.plugins.tickets.graph.search import TicketQuestion, score_tickets
from autokb.stores.ticket_answers import AcceptedAnswer, keep_accepted
from autokb.stores.workspace import open_workspace
from benchmarks.figures import Figure, Result
from benchmarks.running import autokb, folder, write_jsonl

SYSTEM, BASELINE = "tickets", "text"
METRICS = ("mrr", "recall@1", "recall@3", "recall@5", "recall@10", "ndcg@1", "ndcg@3")
# Table 1 of the ticket graph paper, on its own data: beside ours for comparison only.
PAPER = {
    "baseline": {"mrr": 0.522, "recall@1": 0.400, "recall@3": 0.640, "ndcg@1": 0.400, "ndcg@3": 0.520},
    "experiment": {"mrr": 0.927, "recall@1": 0.860, "recall@3": 1.000, "ndcg@1": 0.860, "ndcg@3": 0.946},
}
GAINS = {"full": 0.25, "title": 0.40}  # of MRR over the baseline
GROWN = 20_000  # tickets
BUILD_SECONDS, CHANGE_SECONDS = 240, 1.0
LATENCY = {("title", 50): 10, ("title", 99): 30, ("full", 50): 60, ("full", 99): 120}  # ms
WARM_UP = 10
OFF_TOPIC = 300  # questions of each kind, evenly drawn
UNREAD = QuestionParts({}, (), {})  # a question of which nothing was read
# What each part of the ranking is set to beside its own value; off it counts nothing.
OTHERS = {
    "COMPONENT": (0.0, 0.05, 0.15),
    "TIME": (0.0, 0.02, 0.03, 0.06),
}


def data_folder() -> Path:
    """Return the folder of the data, which lies beside the repository (a sentence when it does not)."""
    found = Path(__file__).resolve().parents[2] / "shared" / "data" / "C_tickets" / "titanium_jira"
    if not found.is_dir():
        raise SystemExit("This benchmark needs ../shared/data/C_tickets/titanium_jira beside the repository.")
    return found


def read_tickets() -> list[dict[str, Any]]:
    """Read the tickets as the data has them."""
    with gzip.open(data_folder() / "tickets.jsonl.gz", "rt", encoding="utf-8", newline="\n") as file:
        return [json.loads(line) for line in file]


def run(options: argparse.Namespace) -> Result:
    """Build, ask the golden set by every system, change one ticket, and grow."""
    tickets = read_tickets()
    if options.quick:
        tickets = tickets[:400]
    figures: list[Figure] = []
    detail: dict[str, Any] = {"paper": PAPER}
    with folder() as place:
        kb = place / "kb"
        autokb("init", kb)
        added = autokb("add", kb, write_jsonl(place / "tickets.jsonl", tickets), "--as", "tickets")
        built = autokb("tickets", "build", kb)
        aim = None if options.quick else BUILD_SECONDS
        figures += [
            Figure("import", added.seconds, "s"),
            Figure("build", built.seconds, "s", at_most=aim),
            Figure("build.memory", built.megabytes, "MiB"),
            Figure("similar_links", built.answer["similar"]),
        ]
        detail["ranking"] = autokb("tickets", "show", kb).answer
        figures += _change_one(place, kb, tickets)
        for form in GAINS:
            measured = _evaluate(place, kb, form)
            figures += _quality(form, measured)
            detail[form] = {"systems": _metrics(measured), "differences": measured["differences"]}
        figures += _held_out_links(kb)
        figures += parts(kb)
        figures += _latencies(kb, len(tickets))
        if not options.quick:
            figures += _grow(place, kb, tickets)
    return Result("tickets", figures, detail)


def _change_one(place: Path, kb: Path, tickets: Sequence[dict[str, Any]]) -> list[Figure]:
    changed = [dict(t) for t in tickets]
    changed[0]["summary"] += " again"
    path = write_jsonl(place / "tickets.jsonl", changed)
    added = autokb("add", kb, path, "--as", "tickets")
    built = autokb("tickets", "build", kb)
    autokb("add", kb, write_jsonl(place / "tickets.jsonl", list(tickets)), "--as", "tickets")
    autokb("tickets", "build", kb)
    return [
        Figure("one_changed.add", added.seconds, "s"),
        Figure("one_changed.command", built.seconds, "s"),
        Figure("one_changed.build", built.answer["seconds"], "s", at_most=CHANGE_SECONDS),
    ]


def _evaluate(place: Path, kb: Path, form: str) -> dict[str, Any]:
    queries = _golden()
    if form == "title":
        queries = [{**query, "query": query["query_short"]} for query in queries]
    asked = write_jsonl(place / "queries.jsonl", queries)
    return autokb("evaluate", "tickets", kb, "--queries", asked, "--qrels", data_folder() / "qrels.tsv").answer


def _metrics(measured: dict[str, Any]) -> dict[str, Any]:
    return {name: system["metrics"] for name, system in measured["systems"].items()}


def _quality(form: str, measured: dict[str, Any]) -> list[Figure]:
    found = []
    for name, metrics in _metrics(measured).items():
        for metric in METRICS:
            found.append(Figure(f"{form}.{name}.{metric}", metrics[metric]["value"]))
    by_name = _metrics(measured)
    gain = by_name[SYSTEM]["mrr"]["value"] / by_name[BASELINE]["mrr"]["value"] - 1
    ahead = by_name[SYSTEM]["mrr"]["value"] - by_name["bm25"]["mrr"]["value"]
    found.append(Figure(f"{form}.gain_over_text", gain, at_least=GAINS[form]))
    found.append(Figure(f"{form}.ahead_of_bm25", ahead, at_least=0.0))
    return found


def _held_out_links(kb: Path) -> list[Figure]:
    """Choose the threshold on half of the linked pairs, and look for the other half among ten similar titles."""
    from autokb.core.ids import digest
    from autokb.pipeline.stages import open_stages
    from autokb.plugins.tickets.graph.links import choose_threshold, linked_pairs
    from autokb.stores.ticket_tables import read_edges
    from autokb.stores.ticket_tables import read_tickets as read_published
    from autokb.stores.workspace import open_workspace

    workspace = open_workspace(kb)
    with workspace.file() as file, open_stages(workspace, file) as stages:
        published = read_published(file)
        ids = list(published)
        titles = stages.embed([published[i].ticket.title for i in ids])
        edges = [e for e in read_edges(file) if e.origin == "source" and not e.dangling]
    chosen_on = [e for e in edges if int(digest(e.source, e.target)[:2], 16) % 2]
    threshold = choose_threshold(ids, titles, chosen_on).value
    row = {ticket: n for n, ticket in enumerate(ids)}
    pairs = sorted(linked_pairs(edges) - linked_pairs(chosen_on))
    found = reached = 0
    for one, other in pairs:
        for a, b in ((one, other), (other, one)):
            cosines = titles @ titles[row[a]]
            cosines[row[a]] = -1
            near = np.argsort(-cosines)[:10]
            found += row[b] in near
            reached += row[b] in near and cosines[row[b]] >= threshold
    asked = 2 * len(pairs)
    return [
        Figure("similar.held_out_pairs", len(pairs)),
        Figure("similar.recall@10", reached / asked if asked else None),
        Figure("similar.recall@10_without_threshold", found / asked if asked else None),
        Figure("similar.threshold", threshold),
    ]


def parts(kb: Path) -> list[Figure]:
    """Return what each part of ranking, gate and chance is worth, paired over the golden questions, with its error."""
    opened = open_tickets(open_workspace(kb))
    try:
        queries = _golden()
        return [*_weights(opened, queries), *_refusals(opened, queries), *_lifts(opened, queries)]
    finally:
        opened.close()


def _golden() -> list[dict[str, Any]]:
    return [json.loads(line) for line in (data_folder() / "queries.jsonl").read_text("utf-8").split("\n") if line]


def _weights(opened: OpenTickets, queries: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """Give the gain in MRR where a weight is another: the mean of titles and whole texts, with and without fields."""
    asked = []
    for form in ("query_short", "query"):
        for query, vector in zip(queries, opened.embed([q[form] for q in queries]), strict=True):
            plain = TicketQuestion(query[form], vector)
            known = replace(plain, components=fold_names(query["components"]), day=day_of(query["created"]))
            asked += [(known, query["relevant"]), (plain, query["relevant"])]

    def mrr(cases: Sequence[tuple[TicketQuestion, Sequence[str]]] = asked) -> np.ndarray:
        values = [_reciprocal_rank([h.id for h in score_tickets(opened.index, q).best(100)], r) for q, r in cases]
        return np.array(values).reshape(2, len(queries), 2).mean(axis=(0, 2))

    before = mrr()
    yield Figure("weights.mrr", float(before.mean()))
    named = [(replace(q, components=q.components or opened.index.components_named(q.text)), r) for q, r in asked]
    yield from _gain("weights.components_named", mrr(named) - before)
    for name, values in OTHERS.items():
        for value in values:
            with patch.object(search, name, value):
                yield from _gain(f"weights.{name}={value:g}", mrr() - before)
    with patch("autokb.retrieval.search.WORDS_OF_SHORT", 0.0), patch("autokb.retrieval.search.WORDS_OF_LONG", 0.0):
        yield from _gain("weights.no_words", mrr() - before)


def _refusals(opened: OpenTickets, queries: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """Give how many questions are answered: with their twin among the tickets, without, and about something else."""
    from benchmarks.out_of_domain import clinc150, near_domain

    titles = [q["query_short"] for q in queries]
    kinds = {name: sorted(texts.values()) for name, texts in {**clinc150(), "near": near_domain()}.items()}
    kinds = {name: texts[:: math.ceil(len(texts) / OFF_TOPIC)] for name, texts in kinds.items()}
    twins = {ticket for q in queries for ticket in q["relevant"]}
    without = replace(opened, index=_index_without(opened, twins))
    for name, texts, known in (
        ("titles", titles, opened),
        ("no_twin", titles, without),
        *((name, texts, opened) for name, texts in kinds.items()),
    ):
        asking = TicketAnswerer(known)
        found = [asking.find(text, UNREAD, 5) for text in texts]
        on_topic = np.array([one.confidence >= 0.5 for one in found])
        likely = np.array([(one.match or 0.0) >= ask_tickets.UNLIKELY for one in found])
        yield Figure(f"answered.{name}", float((on_topic & likely).mean()), f"of {len(found)}")
        yield Figure(f"answered.{name}.gate_alone", float(on_topic.mean()))
        yield Figure(f"answered.{name}.chance_alone", float(likely.mean()))
        if name == "titles":
            right = np.array([one.ids[0] in q["relevant"] for one, q in zip(found, queries, strict=True)])
            yield Figure("answered.titles.right", float((on_topic & likely & right).mean()))
            yield Figure("answered.titles.right.gate_alone", float((on_topic & right).mean()))


def _index_without(opened: OpenTickets, tickets: set[str]) -> TicketIndex:
    """Return the index with everything but some tickets."""
    from autokb.stores.ticket_tables import read_tickets as read_published

    index = opened.index
    published = {name: one for name, one in read_published(opened.file).items() if name not in tickets}
    return TicketIndex.of(index.template, published, index.pieces, index.chunks.vectors.vectors, "en")


def _lifts(opened: OpenTickets, queries: Sequence[dict[str, Any]]) -> Iterator[Figure]:
    """Accept every other title's answer in a copy, and ask the whole texts of these and of the ``others``."""
    with folder() as place:
        shutil.copytree(opened.workspace.folder, place / "kb")
        copy = open_tickets(open_workspace(place / "kb"))
        try:
            with copy.file.transaction():
                for query in queries[::2]:
                    keep_accepted(copy.file, AcceptedAnswer(query["query_short"], query["relevant"][0], "", ""))
            asking = TicketAnswerer(copy)

            def mrr(some: Sequence[dict[str, Any]]) -> np.ndarray:
                ranked = [asking.find(q["query"], UNREAD, 100).ids for q in some]
                return np.array([_reciprocal_rank(ids, q["relevant"]) for ids, q in zip(ranked, some, strict=True)])

            for name, some in (("own", queries[::2]), ("others", queries[1::2])):
                with patch.object(ask_tickets, "SAME_QUESTION", 2.0):
                    before = mrr(some)
                yield Figure(f"accepted.{name}.mrr_without", float(before.mean()))
                yield from _gain(f"accepted.{name}", mrr(some) - before)
        finally:
            copy.close()


def _gain(name: str, gains: np.ndarray) -> list[Figure]:
    error = float(gains.std(ddof=1) / np.sqrt(len(gains)))
    return [Figure(f"{name}.gain", round(float(gains.mean()), 4)), Figure(f"{name}.error", round(error, 4))]


def _reciprocal_rank(ids: Sequence[str], relevant: Sequence[str]) -> float:
    return next((1 / rank for rank, ticket in enumerate(ids, 1) if ticket in relevant), 0.0)


def _latencies(kb: Path, size: int) -> list[Figure]:
    from autokb.app import SupportKB

    queries = _golden()
    tickets = SupportKB.open(kb)
    started = time.perf_counter()
    tickets.tickets.similar("crash", 5)
    figures = [Figure(f"{size}.open", time.perf_counter() - started, "s")]
    for form, field in (("title", "query_short"), ("full", "query")):
        seconds = [tickets.tickets.similar(query[field], 10).seconds for query in queries][WARM_UP:]
        for percentile in (50, 99):
            value = float(np.percentile(seconds, percentile)) * 1000
            figures.append(Figure(f"{size}.{form}.p{percentile}", value, "ms", at_most=LATENCY[form, percentile]))
    tickets.close()
    return figures


def _grow(place: Path, kb: Path, tickets: Sequence[dict[str, Any]]) -> list[Figure]:
    """Repeat the tickets with other ids: what they say was embedded before, so this is all but the embedding."""
    grown = place / "grown"
    shutil.copytree(kb, grown)
    more = []
    for number in range(GROWN - len(tickets)):
        copy, turn = dict(tickets[number % len(tickets)]), number // len(tickets) + 1
        copy["key"] = f"{copy['key']}-{turn}"
        copy["links"] = [{**link, "key": f"{link['key']}-{turn}"} for link in copy["links"]]
        copy["parent"], copy["subtasks"] = None, []
        more.append(copy)
    autokb("add", grown, write_jsonl(place / "more.jsonl", more), "--as", "tickets")
    built = autokb("tickets", "build", grown)
    figures = [
        Figure(f"{GROWN}.build_without_embedding", built.seconds, "s"),
        Figure(f"{GROWN}.build.memory", built.megabytes, "MiB"),
    ]
    more[0]["summary"] += " again"
    autokb("add", grown, write_jsonl(place / "more.jsonl", more), "--as", "tickets")
    figures.append(Figure(f"{GROWN}.one_changed.build", autokb("tickets", "build", grown).answer["seconds"], "s"))
    return [*figures, *_latencies(grown, GROWN)]

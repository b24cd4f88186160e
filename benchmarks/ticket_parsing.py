"""Table 1 of the ticket graph paper with trees of tickets parsed by rules and by a model that readers play.

``python -m benchmarks.ticket_parsing FOLDER`` builds the same past tickets twice, offline and with the task
``tickets/read_sections`` asked of a model, and finds the right tickets of the golden questions among them by both. What
the model is asked is written to ``FOLDER/HASH.md``; whoever reads it writes the JSON object that it asks for to
``HASH.json`` beside it. Run again, the command reads the replies as those of any model and prints the figures with
paired differences; a ticket without a reply is parsed by rules, and their number is said. ``--store`` keeps them.

The tickets are those that answer the golden questions (``data/ticket_golden.jsonl``) and others to mistake them for: of
a drawn part of them the ticket of the same project, linked with none of them, whose title has most words in common.
"""

from __future__ import annotations

import argparse
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from autokb.core.test_sets import LabelledQuery, read_queries
from autokb.plugins.lab.evaluation.retrieval.datasets import Judgement
from autokb.plugins.lab.evaluation.retrieval.experiment import SystemResults
from autokb.plugins.lab.evaluation.retrieval.metrics import metric
from autokb.plugins.lab.evaluation.system_names import (
    TICKET_TEXT,
    TICKET_VOTES,
    TICKET_WORDING,
    TICKETS,
)
from autokb.plugins.lab.studies.evaluate_tickets import rank_tickets
from autokb.plugins.lab.studies.papers.tickets import DIRECT
from autokb.stats.bootstrap import mean_intervals
from autokb.stores.ticket_tables import read_tickets as read_published
from autokb.stores.workspace import open_workspace
from autokb.text.words import content_words
from benchmarks.chosen import FiledReader
from benchmarks.figures import Figure, Result, show, write
from benchmarks.running import autokb, folder, write_jsonl
from benchmarks.serving import serving
from benchmarks.ticket_answers import GOLDEN
from benchmarks.tickets import read_tickets

TICKETS_ASKED = 140  # tickets: those that answer, and others
SEED = 31  # of the draw of those that others are taken for
# The flat text of a ticket is the same however it is parsed; all others rank by its sections.
BY_SECTIONS = (TICKETS, TICKET_WORDING, TICKET_VOTES)
METRICS = ("mrr", "recall@1", "recall@3")
RULES, MODEL = "rules", "model"
Values = dict[tuple[str, str], list[float]]  # by system and metric: one value a question


def chosen_tickets(tickets: Sequence[dict[str, Any]], right: set[str]) -> list[dict[str, Any]]:
    """Return the right tickets and the nearest by title of some of them, in the order of the data."""
    words = {one["key"]: set(content_words(one["summary"], "en")) for one in tickets}
    projects = {one["key"]: one["project"] for one in tickets}
    linked = {frozenset((one["key"], link["key"])) for one in tickets for link in one["links"]}
    found = set(right)
    for ticket in random.Random(SEED).sample(sorted(right), len(right)):
        if len(found) == TICKETS_ASKED:
            break
        others = [o for o in words if projects[o] == projects[ticket] and o not in found]
        strangers = [o for o in others if not any(frozenset((o, one)) in linked for one in right)]
        found.add(max(strangers, key=lambda o: (_in_common(words[o], words[ticket]), o)))
    return [one for one in tickets if one["key"] in found]


def _in_common(some: set[str], others: set[str]) -> float:
    return len(some & others) / len(some | others) if some | others else 0.0


def rank(workspace: Path, asked: Sequence[LabelledQuery], right: Sequence[Judgement], names: Sequence[str]) -> Values:
    """Return what the named systems make of the questions."""
    results = rank_tickets(open_workspace(workspace), asked, right, names).results.results
    return {(name, one): _values(results, name, one) for name in names for one in METRICS}


def _values(results: SystemResults, system: str, name: str) -> list[float]:
    ranked = results.systems[system].rankings
    return [metric(name)(ranked[query], relevant) for query, relevant in sorted(results.relevant.items())]


def compare(reader: FiledReader) -> Result:
    """Build both ways, ask the golden questions, and return the figures with their paired differences."""
    asked = read_queries(GOLDEN)
    right = [Judgement(one.id, ticket, DIRECT) for one in asked for ticket in one.fields["tickets"]]
    tickets = chosen_tickets(read_tickets(), {one.document for one in right})
    forms = {"question": asked, "title": [replace(one, text=str(one.fields["title"])) for one in asked]}
    with folder() as place, serving(reader) as server:
        autokb("init", place / RULES)
        autokb("add", place / RULES, write_jsonl(place / "tickets.jsonl", tickets), "--as", "tickets")
        autokb("tickets", "build", place / RULES)
        shutil.copytree(
            place / RULES, place / MODEL
        )  # with its vectors: what is parsed as before is not embedded again
        settings = f"model: openai:reader\nbase_url: {server.url}\nretries: 0\n"
        (place / MODEL / "settings.yaml").write_text(settings, encoding="utf-8")
        built = autokb("tickets", "build", place / MODEL).answer
        values: dict[str, list[float]] = {}
        for form, questions in forms.items():
            by_rules = rank(place / RULES, questions, right, (TICKET_TEXT, *BY_SECTIONS))
            by_model = rank(place / MODEL, questions, right, BY_SECTIONS)
            values |= {f"{form}.{name}": some for name, some in _beside(by_rules, by_model)}
        trees = {arm: _trees(place / arm) for arm in (RULES, MODEL)}
    intervals = mean_intervals(values)
    figures = [
        Figure("tickets", len(tickets)),
        Figure("questions", len(asked)),
        Figure("requests", len(reader.asked)),
        Figure("replies", len(reader.replied)),
        Figure("tickets_without_reply", len(built["failures"])),
        Figure("tickets_parsed_otherwise", sum(trees[MODEL][one] != tree for one, tree in trees[RULES].items())),
        *(Figure(name, i.value, f"{i.low:.3f} to {i.high:.3f}") for name, i in intervals.items()),
    ]
    return Result("ticket_parsing", figures, {name: one.as_json() for name, one in intervals.items()})


def _beside(by_rules: Values, by_model: Values) -> Iterator[tuple[str, list[float]]]:
    """Give each system's values by both trees, and what they are above the flat text and above each other."""
    for (system, name), rules in by_rules.items():
        if system == TICKET_TEXT:
            yield f"{system}.{name}", rules
            continue
        text, model = by_rules[TICKET_TEXT, name], by_model[system, name]
        yield f"{system}.{RULES}.{name}", rules
        yield f"{system}.{MODEL}.{name}", model
        yield f"{system}.{RULES}-{TICKET_TEXT}.{name}", _less(rules, text)
        yield f"{system}.{MODEL}-{TICKET_TEXT}.{name}", _less(model, text)
        yield f"{system}.{MODEL}-{RULES}.{name}", _less(model, rules)


def _trees(workspace: Path) -> dict[str, Any]:
    with open_workspace(workspace).file() as file:
        return {ticket: one.sections for ticket, one in read_published(file).items()}


def _less(some: Sequence[float], others: Sequence[float]) -> list[float]:
    return [a - b for a, b in zip(some, others, strict=True)]


def main() -> None:
    """Write what is asked, and print what the replies that are there make of it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("replies", type=Path, help="the folder of prompts and replies")
    parser.add_argument("--readers", type=int, default=1, help="spread the prompts over so many folders")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    options = parser.parse_args()
    result = compare(FiledReader(options.replies, options.readers))
    show(result)
    print(f"Written to {write(result, keep=options.store)}")


if __name__ == "__main__":
    main()

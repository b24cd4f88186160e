"""Whether questions about tickets are read rightly without a model: what they ask for, and what they say.

``benchmarks/data/ticket_questions.jsonl`` has the questions that count, ``ticket_questions_dev.jsonl`` those that cues
may be improved on; decision 031 says how both were made.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import partial
from pathlib import Path
from typing import Any

from autokb.domains.ticket_templates import shipped_template
from autokb.pipeline.embedding import open_free_embedder, read_embedder_name
from autokb.plugins.tickets.heuristics.read_question import cue_phrases, question_ends
from autokb.plugins.tickets.tasks.parse_query.task import TASK, question_request
from autokb.stats.bootstrap import mean_interval
from autokb.text.words import content_words
from benchmarks.figures import Figure, Result

DATA = Path(__file__).with_name("data")


def run(options: argparse.Namespace) -> Result:
    """Read the questions as ``tickets ask`` does offline; --tuning reads the development set."""
    name = "ticket_questions_dev.jsonl" if options.tuning else "ticket_questions.jsonl"
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    template = shipped_template("en")
    embedder = open_free_embedder(read_embedder_name("packaged"))
    phrases = cue_phrases(template)
    cues = embedder.embed([cue for _, cue in phrases])
    right: dict[str, list[float]] = {"intents.first": [], "intents.all": [], "entities.found": [], "entities.f1": []}
    wrong: list[dict[str, Any]] = []
    confused: Counter[str] = Counter()
    for one in questions:
        cosines = (cues @ embedder.embed(question_ends(one["question"])).T).max(axis=1)
        nearness: dict[str, float] = {}
        for (section, _), cosine in zip(phrases, cosines.tolist(), strict=True):
            nearness[section] = max(cosine, nearness.get(section, -1.0))
        read = TASK.answer_offline(question_request(one["question"], template, {}, partial(dict, nearness)))
        wanted = one["intents"]
        first = read.intents[:1] == tuple(wanted[:1]) if len(wanted) < 2 else set(read.intents[:1]) <= set(wanted)
        right["intents.first"].append(float(first))
        right["intents.all"].append(float(set(read.intents) == set(wanted)))
        entities = {e.section: e.value for e in read.entities}
        found, f1 = _compare(entities, one["entities"])
        right["entities.found"].append(float(found))
        right["entities.f1"].append(f1)
        if not first:
            confused[f"{','.join(wanted) or 'none'} read as {','.join(read.intents[:1]) or 'none'}"] += 1
            wrong.append({"question": one["question"], "wanted": wanted, "read": list(read.intents)})
    figures = [Figure("questions", len(questions))]
    detail: dict[str, Any] = {"wrong": wrong, "confused": dict(confused.most_common())}
    for metric, values in right.items():
        interval = mean_interval(values)
        detail[metric] = interval.as_json()
        figures += [
            Figure(metric, round(interval.value or 0.0, 3)),
            Figure(f"{metric}.low", round(interval.low or 0.0, 3)),
            Figure(f"{metric}.high", round(interval.high or 0.0, 3)),
        ]
    return Result("ticket_questions", tuple(figures), detail)


def _compare(read: dict[str, str], wanted: dict[str, str]) -> tuple[bool, float]:
    """Return whether each wanted entity's words are all in its section, and the mean F1 of words over sections."""
    scores, found = [], True
    for section, value in wanted.items():
        gold, own = set(content_words(value, "en")), set(content_words(read.get(section, ""), "en"))
        found = found and gold <= own
        scores.append(2 * len(gold & own) / (len(gold) + len(own)) if gold or own else 1.0)
    return found, sum(scores) / len(scores) if scores else 1.0

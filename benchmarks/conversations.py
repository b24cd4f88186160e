"""Conversations whose last message alone misleads: whether the right help is suggested, with the history and without.

90 conversations over four knowledge bases, written by somebody who knew their pages and nothing of the code: which are
measured and which words may be chosen by (``--tuning``) is the hash of their ids. 64 more, by another writer, are for
tuning alone. Then the last message of each measured one gives way to questions of clinc150 that are off topic, none of
which anything here was chosen by.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from autokb.core.nouns import Message
from autokb.stats.bootstrap import mean_interval
from benchmarks.answers import Base, make, out_of_scope
from benchmarks.figures import Figure, Result
from benchmarks.running import folder

DATA = Path(__file__).with_name("data") / "conversations.jsonl"
WITH_LINES = DATA.with_name("conversations_steps.jsonl")
DEVELOPMENT = DATA.with_name("conversations_dev.jsonl")
BASES = ("headphones", "medical", "espresso", "cashbook")
TUNED_ON = 3  # every third conversation by its hash is for development
SYSTEMS = {"history": True, "last_message": False}
FOREIGN_DOMAINS = ("travel", "kitchen_and_dining", "auto_and_commute", "utility")  # of clinc150
ENOUGH = 0.75  # share of a line's words that a suggestion must have to say it
_WORD = re.compile(r"\w+")
OFF_TOPIC_EACH = 5  # questions in the place of the last message of one conversation


def run(options: argparse.Namespace) -> Result:
    """Build the four knowledge bases and ask for suggestions."""
    cases = conversations(tuning=options.tuning)
    hits: dict[str, list[float]] = {
        f"{system}.{place}": [] for system in SYSTEMS for place in ("first", "one_of_three")
    }
    by_kind: dict[str, dict[str, list[float]]] = {}
    wrong = []
    lines: dict[str, list[float]] = {}
    refused: list[float] = []
    foreign = cycle(_off_topic_questions(tuning=options.tuning))
    with folder() as place:
        for name in BASES:
            base = Base(name, make(name, place / name))
            for case in (c for c in cases if c["base"] == name):
                for system, reads_history in SYSTEMS.items():
                    given = case["messages"] if reads_history else case["messages"][-1:]
                    found = base.kb.suggest([Message(m["role"], m["text"]) for m in given])
                    right = [is_right(base, case, one.evidence) for one in found.suggestions]
                    first, any_of = float(bool(right and right[0])), float(any(right))
                    hits[f"{system}.first"].append(first)
                    hits[f"{system}.one_of_three"].append(any_of)
                    if "right" in case:
                        for name_of, value in _by_lines(case, [one.text for one in found.suggestions]).items():
                            lines.setdefault(f"{system}.{name_of}", []).append(value)
                    by_kind.setdefault(case["kind"], {}).setdefault(system, []).append(any_of)
                    if system == "history" and not any_of:
                        shown = [[one.text, [e.document for e in one.evidence]] for one in found.suggestions]
                        wrong.append({"id": case["id"], "kind": case["kind"], "read": found.question, "shown": shown})
                for question in islice(foreign, OFF_TOPIC_EACH):
                    said = [*case["messages"][:-1], {"role": "customer", "text": question}]
                    found = base.kb.suggest([Message(m["role"], m["text"]) for m in said])
                    refused.append(float(found.outcome == "abstains"))
            base.kb.close()
    figures = [Figure("conversations", len(cases))]
    detail: dict[str, Any] = {"wrong": wrong if options.tuning else len(wrong)}
    for name, values in {**hits, **lines, **({"off_topic_refused": refused} if refused else {})}.items():
        interval = mean_interval(values)
        figures += [
            Figure(name, interval.value),
            Figure(f"{name}.low", interval.low),
            Figure(f"{name}.high", interval.high),
        ]
    for system in SYSTEMS:
        detail[f"{system}.by_kind"] = {k: [sum(v[system]), len(v[system])] for k, v in sorted(by_kind.items())}
    return Result("conversations", tuple(figures), detail)


def conversations(*, tuning: bool) -> list[dict[str, Any]]:
    """Read the conversations of one part."""
    lines = _read(DATA)
    more = [*_read(DEVELOPMENT), *_read(WITH_LINES)] if tuning else []
    return [c for c in lines if (hashlib.sha256(c["id"].encode()).digest()[0] % TUNED_ON == 0) == tuning] + more


def _read(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]


def _off_topic_questions(*, tuning: bool) -> list[str]:
    """Return questions of clinc150 that are off topic for all four: other ones to tune by than to measure on."""
    return out_of_scope(() if tuning else FOREIGN_DOMAINS)


def _by_lines(case: dict[str, Any], texts: Sequence[str]) -> dict[str, float]:
    """Return whether a suggestion has one of the right lines, and whether the first repeats what was tried alone."""
    right = [any(_has(text, line) for line in case["right"]) for text in texts]
    repeats = bool(texts) and not right[0] and any(_has(texts[0], line) for line in case["tried"])
    return {"line_first": float(right[:1] == [True]), "line_of_three": float(any(right)), "repeats": float(repeats)}


def _has(text: str, line: str) -> bool:
    """Return whether a text has three quarters of the words of a line; tables are said in other words."""
    words = set(_WORD.findall(line.casefold()))
    return len(words & set(_WORD.findall(text.casefold()))) > ENOUGH * len(words)


def is_right(base: Base, case: dict[str, Any], evidence: Sequence[Any]) -> bool:
    """Return whether a suggestion is from one of the sections that help."""
    places = [(s["document"], *base.section(s["document"], s["heading"])) for s in case["sections"]]
    return any(e.document == d and start <= e.start < end for e in evidence for d, start, end in places)

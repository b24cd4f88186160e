"""What two options of prompts bring: a place to think where attributes are read, reasons for rules that are kept.

``python -m benchmarks.prompt_options FOLDER`` writes the requests of each arm to its own folder in it, one file
``HASH.md`` a request: ``attributes-plain``, ``attributes-scratchpad``, ``rules-plain`` and ``rules-reasons``. Whoever
reads one, person or model, writes the JSON object that it asks for to ``HASH.json`` beside it. Run again, the command
reads the replies as the product does and prints how often each arm is right by labels, with intervals, and the paired
differences; what has a reply in one arm alone counts in neither. ``--store`` keeps the figures.

Attributes are read out of the hand-labelled texts (``data/attributes``), as many in a request as in a build. Rules are
judged over ``data/rule_cases.jsonl``: solutions in words that no pattern was written for, each labelled by hand with
the rules that it breaks. They are judged without the rules' patterns, which find the same whatever a model says.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import mean
from typing import Any

import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.core.model_requests import ModelReply, ModelRequest, SendError
from autokb.domains import domain_text
from autokb.llm.caps import usual_limits
from autokb.pipeline.request_batching import Batching, item_keys
from autokb.stats.bootstrap import Interval, measured_mean
from autokb.tasks.asking import answer, request_for
from autokb.tasks.issues.check_rules.task import TASK as CHECK_RULES
from autokb.tasks.issues.check_rules.task import CheckedRules, CheckRules
from autokb.tasks.issues.extract_attributes.task import TASK as EXTRACT_ATTRIBUTES
from autokb.tasks.issues.extract_attributes.task import ExtractAttributes, ExtractedAttributes
from autokb.tasks.task import Task
from benchmarks.attributes import DOMAINS, comparable, labelled
from benchmarks.chosen import FiledReader
from benchmarks.figures import Figure, Result, show, write

RULE_CASES = Path(__file__).parent / "data" / "rule_cases.jsonl"
MODEL = "openai:reader"
Scores = Mapping[str, float]  # by figure


@dataclass(frozen=True, slots=True)
class Case:
    """One item of a group with what people say of it; ``labels`` are values by attribute, or broken rules."""

    group: str
    id: str
    spec: DomainSpec
    item: Any
    labels: Any


def attribute_cases(*, scratchpad: bool) -> Iterator[Case]:
    """Give the labelled texts of every domain as a build asks about raw issues."""
    for name in DOMAINS:
        spec = _spec(DOMAINS[name])
        for record in labelled(name):
            item = ExtractAttributes(
                record["text"], "issue", spec.attributes, spec.language, spec.in_words, scratchpad=scratchpad
            )
            yield Case(name, record["id"], spec, item, comparable(record["attributes"], spec))


def score_attributes(case: Case, reply: ExtractedAttributes) -> Scores:
    """Return the share of attributes whose values are all right, as appendix B of the paper counts, and whether all."""
    read = {name: _folded(values) for name, values in comparable(reply.attributes, case.spec).items()}
    wanted = {name: _folded(values) for name, values in case.labels.items()}
    right = [read.get(name) == wanted.get(name) for name in case.spec.attributes]
    return {"accuracy": mean(right), "all_right": float(all(right))}


def _folded(values: Sequence[str]) -> set[str]:
    return {value.casefold() for value in values}


def rule_cases(*, explains: bool) -> Iterator[Case]:
    """Give the labelled solutions, judged by the words of the rules alone."""
    for line in RULE_CASES.read_text(encoding="utf-8").splitlines():
        one = json.loads(line)
        spec = _spec(one["domain"])
        steps = tuple(one["steps"])
        item = CheckRules(
            domain=spec.in_words,
            issue="",
            title=one["title"],
            steps=steps,
            text="\n".join((one["title"], *(f"{n}. {step}" for n, step in enumerate(steps, 1)))),
            rules=tuple(replace(rule, patterns=(), forbid=()) for rule in spec.rules),
            explains=explains,
        )
        yield Case(one["domain"], one["id"], spec, item, set(one["broken"]))


def score_rules(case: Case, reply: CheckedRules) -> Scores:
    """Return the share of rules that are judged rightly, and whether all are; a doubt counts as broken, as in Q_D.

    A solution that breaks rules also says how many of them are found, another one whether it is spared.
    """
    named = {one.rule for one in reply.verdicts if one.verdict in ("broken", "doubt")}
    right = [(rule.id in named) == (rule.id in case.labels) for rule in case.spec.rules]
    found = (
        {"broken_found": len(named & case.labels) / len(case.labels)} if case.labels else {"spared": float(not named)}
    )
    return {"accuracy": mean(right), "all_right": float(all(right)), **found}


@cache
def _spec(domain: str) -> DomainSpec:
    return read_domain(yaml.safe_load(domain_text(domain)))


@dataclass(frozen=True, slots=True)
class Option:
    """An option of a task's prompts: its cases by arm, the one without it first, and what scores a reply."""

    name: str
    task: Task[Any, Any]
    arms: Mapping[str, Sequence[Case]]
    score: Callable[[Case, Any], Scores]


def options() -> tuple[Option, ...]:
    """Return what is measured."""
    of_attributes = {
        "plain": list(attribute_cases(scratchpad=False)),
        "scratchpad": list(attribute_cases(scratchpad=True)),
    }
    of_rules = {"plain": list(rule_cases(explains=False)), "reasons": list(rule_cases(explains=True))}
    return (
        Option("attributes", EXTRACT_ATTRIBUTES, of_attributes, score_attributes),
        Option("rules", CHECK_RULES, of_rules, score_rules),
    )


def ask(folder: Path, task: Task[Any, Any], cases: Sequence[Case]) -> dict[str, Any]:
    """Write the requests about cases to a folder, and return the answers that are there, read and repaired as usual."""
    reader = FiledReader(folder)

    async def send(request: ModelRequest) -> ModelReply:
        reply = reader(_body(request))
        if not isinstance(reply, str):
            raise SendError("nobody has written a reply yet", retry=False)
        return ModelReply(reply, 0, 0)

    items = [case.item for case in cases]
    keys = item_keys(task, MODEL, items)
    found: dict[str, Any] = {}
    for group in Batching(task, items, usual_limits(MODEL), one_each=False).groups(keys, range(len(items)), ()):
        some = [items[position] for position in group]
        with suppress(SendError):
            read = asyncio.run(answer(request_for(task, some, MODEL), task, some, send))
            found |= {keys[position]: one.answer for position, one in zip(group, read, strict=True) if one.answer}
    print(f"{folder.name}: {len(reader.asked)} requests, {len(reader.replied)} replies", flush=True)
    return {case.id: found[key] for case, key in zip(cases, keys, strict=True) if key in found}


def _body(request: ModelRequest) -> dict[str, Any]:
    """Return what of a request its reader sees, as it goes over the wire."""
    messages = [{"content": turn.text} for turn in request.messages]
    return {"messages": messages, "response_format": {"json_schema": {"schema": request.schema}}}


def compare(option: Option, place: Path) -> Iterator[tuple[str, Interval, int]]:
    """Give each figure of both arms and their paired difference, of every group and of all, with how many count."""
    read = {arm: ask(place / f"{option.name}-{arm}", option.task, cases) for arm, cases in option.arms.items()}
    plain, other = option.arms
    scores = {
        case.id: (case.group, option.score(case, read[plain][case.id]), option.score(case, read[other][case.id]))
        for case in option.arms[plain]
        if case.id in read[plain] and case.id in read[other]
    }
    for group in dict.fromkeys([*(one for one, _, _ in scores.values()), "all"]):
        some = [(one, two) for name, one, two in scores.values() if group in (name, "all")]
        for figure in dict.fromkeys(name for one, _ in some for name in one):
            pairs = [(one[figure], two[figure]) for one, two in some if figure in one]
            name = f"{option.name}.{group}.{figure}"
            yield f"{name}.{plain}", measured_mean([one for one, _ in pairs]), len(pairs)
            yield f"{name}.{other}", measured_mean([two for _, two in pairs]), len(pairs)
            yield f"{name}.{other}-{plain}", measured_mean([two - one for one, two in pairs]), len(pairs)


def main() -> None:
    """Write what is asked, and print what the replies that are there make of it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("replies", type=Path, help="the folder of the arms' folders of prompts and replies")
    parser.add_argument("--store", action="store_true", help="keep the figures in benchmarks/results/")
    given = parser.parse_args()
    found = [one for option in options() for one in compare(option, given.replies)]
    figures = [Figure(name, i.value, f"{i.low:.3f} to {i.high:.3f}, {count}") for name, i, count in found]
    result = Result("prompt_options", figures, {name: interval.as_json() for name, interval, _ in found})
    show(result)
    print(f"Written to {write(result, keep=given.store)}")


if __name__ == "__main__":
    main()

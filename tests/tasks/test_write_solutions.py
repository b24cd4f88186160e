"""The task that writes solutions: its examples, and what is wrong with an answer."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

import autokb.tasks.issues.write_solutions as task_folder
from autokb.core.attributes import from_lists
from autokb.core.domain import read_domain
from autokb.heuristics.solutions.solution import Excerpt, Step, WriteSolutions, WrittenSolution, WrittenSolutions
from autokb.tasks.issues.write_solutions.task import TASK
from autokb.tasks.task import ReplyError
from autokb.text.conditional_markup import find_conditionals

EXAMPLES = [
    e
    for e in yaml.safe_load((Path(task_folder.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))
    if "input" in e
]
SPEC = read_domain(
    {
        "attributes": {
            "os": {"values": ["Windows", "macOS", "Linux"]},
            "device": {"values": ["Phone", "Laptop"], "implies": {"Phone": {"os": ["Linux"]}}},
        }
    }
)


def excerpt(text, title="Guide", windows=None, **more):
    windows = ((0, len(text), 0.8),) if windows is None else tuple(tuple(w) for w in windows)
    return Excerpt("d", title, (), text, tuple(find_conditionals(text)), windows, **more)


def solve(*excerpts, issue="How do I set it up?", attributes=None):
    attributes = from_lists(attributes or {})
    return TASK.answer_offline(WriteSolutions(issue, attributes, "", SPEC.attributes, (), excerpts)).solutions


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e["why"])
def test_the_examples_get_the_answer_they_name(example):
    given = example["input"]
    found = solve(
        excerpt(given["text"], given["title"], given["windows"]), issue=given["issue"], attributes=given["attributes"]
    )
    answered = [
        {"title": s.title, "steps": [step.text for step in s.steps], "attributes": {"os": s.attributes["os"]}}
        for s in found
    ]
    assert answered == example["output"]


def test_what_stands_before_the_excerpt_moves_nothing_in_its_key():
    one, two = (
        WriteSolutions("i", {}, "", SPEC.attributes, (), (excerpt("# A\n\n1. Go.\n", offset=n),)) for n in (0, 9)
    )
    assert TASK.key(one) == TASK.key(two)


def test_a_reply_with_a_false_quote_or_a_strange_attribute_is_refused():
    item = WriteSolutions("i", {}, "", SPEC.attributes, (), (excerpt("Press it."),))
    step = Step(text="Press it.", start=0, end=9, quote="Press it.")
    good = WrittenSolution(excerpt=0, title="T", headings=(), which=0, steps=(step,), attributes={}, similarity=0.5)
    TASK.check(item, WrittenSolutions(solutions=(good,)))
    wrong = {
        "does not stand": {"steps": (step.model_copy(update={"quote": "Press that."}),)},
        "no attribute": {"attributes": {"colour": ["red"]}},
        "no steps": {"steps": ()},
        "no excerpt": {"excerpt": 7},
    }
    for message, change in wrong.items():
        with pytest.raises(ReplyError, match=message):
            TASK.check(item, WrittenSolutions(solutions=(good.model_copy(update=change),)))

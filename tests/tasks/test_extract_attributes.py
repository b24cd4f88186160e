"""The attribute reader: what is said, what is denied, what works and what follows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from autokb.core.domain import DomainSpec, read_domain
from autokb.tasks.issues.extract_attributes import task
from autokb.tasks.issues.extract_attributes.task import TASK, ExtractAttributes, ExtractedAttributes
from autokb.tasks.task import ReplyError

EXAMPLES = yaml.safe_load((Path(task.__file__).parent / "examples.yaml").read_text(encoding="utf-8"))
HEADPHONES, MEDICAL = (read_domain({"attributes": part["domain"]}) for part in EXAMPLES)


def read(text: str, spec: DomainSpec, kind: Any = "question") -> dict[str, list[str]]:
    return TASK.answer_offline(ExtractAttributes(text, kind, spec.attributes)).attributes


@pytest.mark.parametrize(
    ("spec", "example"),
    [(spec, e) for spec, part in zip((HEADPHONES, MEDICAL), EXAMPLES, strict=True) for e in part["examples"]],
    ids=lambda value: value["text"][:30] if isinstance(value, dict) else "",
)
def test_the_examples(spec: DomainSpec, example: dict[str, Any]) -> None:
    assert read(example["text"], spec, example["kind"]) == example["attributes"]


@pytest.mark.parametrize(
    ("attributes", "sentence"),
    [
        ({"colour": ["Red"]}, "no attribute"),
        ({"os": ["BeOS"]}, "not 'BeOS'"),
        ({"os": []}, "at least one"),
        ({"os": ["Mac", "Mac"]}, "each value once"),
        ({"os": ["Any", "Mac"]}, "stand alone"),
    ],
)
def test_a_wrong_reply_is_refused(attributes: dict[str, list[str]], sentence: str) -> None:
    item = ExtractAttributes("x", "question", HEADPHONES.attributes)
    with pytest.raises(ReplyError, match=sentence):
        TASK.check(item, ExtractedAttributes(attributes=attributes))


@pytest.mark.parametrize("attributes", [{}, {"os": ["Any"]}, {"os": ["NONE"]}, {"os": ["Mac", "Windows"]}])
def test_a_right_reply_is_taken(attributes: dict[str, list[str]]) -> None:
    TASK.check(ExtractAttributes("x", "question", HEADPHONES.attributes), ExtractedAttributes(attributes=attributes))


def test_the_key_follows_text_and_configuration() -> None:
    item = ExtractAttributes("x", "question", HEADPHONES.attributes)
    assert TASK.key(item) == TASK.key(ExtractAttributes("x", "question", dict(HEADPHONES.attributes)))
    assert TASK.key(item) != TASK.key(ExtractAttributes("x", "question", MEDICAL.attributes))
    assert TASK.key(item) != TASK.key(ExtractAttributes("y", "question", HEADPHONES.attributes))

"""Test sets of suggestions: what is read, what is refused, and table 1."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from autokb.core.errors import BadInputError
from autokb.core.nouns import Message
from autokb.plugins.lab.evaluation.suggestions.cases import (
    Case,
    TextCount,
    case_statistics,
    read_cases,
    resolve_case_documents,
)

ASKED = {"role": "customer", "text": "it is cold"}


def write(path: Path, *cases: Any) -> Path:
    path.write_text("".join(f"{json.dumps(case)}\n" for case in cases), encoding="utf-8")
    return path


def test_cases_with_and_without_a_reply(tmp_path: Path) -> None:
    messages = [{"role": "customer", "text": "hi"}, {"role": "agent", "text": "yes?"}, ASKED]
    first, second, third = read_cases(
        write(
            tmp_path / "c.jsonl",
            {"id": 7, "messages": messages, "reply": " Warm it. ", "documents": ["a", "a", "b"], "question": "other"},
            {"id": "out", "messages": [ASKED], "reply": None},
            {"id": "open", "messages": [ASKED], "reply": "", "answers": ["31 metres"]},
        )
    )
    assert first == Case("7", tuple(Message(m["role"], m["text"]) for m in messages), "Warm it.", ("a", "b"))
    assert (first.question, first.refuses) == ("it is cold", False)
    assert (second.refuses, second.documents) == (True, ())
    assert (third.refuses, third.answers) == (False, ("31 metres",))


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ("{", "line 1 is not valid JSON"),
        ([], "must be a JSON object"),
        ({"messages": [ASKED]}, "needs an id"),
        ({"id": True, "messages": [ASKED]}, "needs an id"),
        ({"id": "1"}, "needs messages"),
        ({"id": "1", "messages": ["hi"]}, "role, customer or agent"),
        ({"id": "1", "messages": [{"role": "robot", "text": "x"}]}, "role, customer or agent"),
        ({"id": "1", "messages": [{"role": "customer"}]}, "needs a text"),
        ({"id": "1", "messages": [ASKED, {"role": "agent", "text": "x"}]}, "must be the customer's"),
        ({"id": "1", "messages": [{"role": "customer", "text": " "}]}, "not empty"),
        ({"id": "1", "messages": [ASKED], "reply": 3}, "reply must be a text"),
        ({"id": "1", "messages": [ASKED], "documents": "a"}, "documents must be a list of texts"),
        ({"id": "1", "messages": [ASKED], "answers": [1]}, "answers must be a list of texts"),
    ],
)
def test_what_is_no_case_is_refused_with_its_line(tmp_path: Path, case: Any, sentence: str) -> None:
    path = tmp_path / "c.jsonl"
    path.write_text(case if isinstance(case, str) else json.dumps(case), encoding="utf-8")
    with pytest.raises(BadInputError, match=sentence):
        read_cases(path)


def test_an_id_twice_and_no_case_at_all_are_refused(tmp_path: Path) -> None:
    case = {"id": "1", "messages": [ASKED], "reply": "x"}
    with pytest.raises(BadInputError, match="line 2: the id '1' was used before"):
        read_cases(write(tmp_path / "c.jsonl", case, case))
    with pytest.raises(BadInputError, match="holds no cases"):
        read_cases(write(tmp_path / "d.jsonl"))


def test_documents_are_named_as_the_knowledge_base_does() -> None:
    asked = (Message("customer", "x"),)
    cases = [Case("1", asked, "y", ("sound", "gone")), Case("2", asked, "y", ("sound", "sound.md"))]
    named, unresolved = resolve_case_documents(cases, {"sound": "sound.md", "sound.md": "sound.md"}.get)
    assert [case.documents for case in named] == [("sound.md", "gone"), ("sound.md",)]
    assert unresolved == ("gone",)


def test_table_1_counts_words_as_people_do() -> None:
    def case(question: str, reply: str = "", answers: tuple[str, ...] = ()) -> Case:
        return Case(question, (Message("customer", question),), reply, (), answers)

    found = case_statistics(
        [case("one two three", "a b"), case("one", answers=("c d e f",)), case("out of this domain now")],
        ["one two", "three four five six"],
    )
    assert (found.documents, found.questions) == (TextCount(2, 3.0), TextCount(2, 2.0))
    assert (found.replies, found.out_of_domain) == (TextCount(2, 3.0), TextCount(1, 5.0))
    assert case_statistics([], []).documents == TextCount(0, None)

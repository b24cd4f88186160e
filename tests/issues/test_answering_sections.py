"""Which sections answer a problem, whoever has it."""

from __future__ import annotations

import numpy as np

from autokb.core.domain import read_domain
from autokb.core.nouns import Evidence, Passage, Solution
from autokb.issues.answering_sections import AnsweringSections

SPEC = read_domain(
    {"name": "kettles", "attributes": {"os": {"values": ["Android", "iOS"], "synonyms": {"iOS": ["iphone"]}}}}
)
WORDS = ("lost", "lime", "app")


def embed(texts):
    """Return unit vectors that count a few words; what has none of them is far from all."""
    rows = np.array([[text.casefold().count(word) for word in WORDS] + [0.1] for text in texts], dtype=np.float64)
    rows = rows.reshape(len(texts), len(WORDS) + 1)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def passage(document: str, *headings: str, text: str = "", os: str = "Any") -> Passage:
    place = Evidence(document, len("".join(headings)), len("".join(headings)) + 4, "Do it")
    solution = Solution("", "", headings[-1], ("Do it",), {"os": frozenset({os})}, (place,))
    return Passage(headings, solution, section=text or headings[-1])


LOST = [
    passage("lost.md", "The kettle is lost", "On Android", text="On Android search for it"),
    passage("lost.md", "The kettle is lost", "On an iPhone", text="On an iPhone the lost kettle is shown"),
]
LIME = passage("lime.md", "Lime at the bottom", text="Lime")


def answering(problem: str, *passages: Passage):
    found = AnsweringSections.of(passages, SPEC, embed).answering(embed([problem])[0])
    return {document: [score for _, _, score in spans] for document, spans in found.items() if spans}


def test_sections_that_differ_in_their_readers_alone_answer_equally_well() -> None:
    found = answering("lost", *LOST, LIME)
    assert list(found) == ["lost.md"]
    android, iphone = found["lost.md"]
    assert android == iphone > 0.9


def test_a_section_far_behind_the_best_answers_another_problem() -> None:
    near = answering("lost and some lime lime", *LOST, LIME)
    assert list(near) == ["lime.md"]


def test_a_heading_answers_by_those_above_it_too() -> None:
    at_once = passage("lost.md", "The kettle is lost", "At once", text="Do something")
    alone = passage("other.md", "At once", text="Do something")
    (below,) = answering("lost", at_once)["lost.md"]
    (without,) = answering("lost", alone)["other.md"]
    assert below > without + 0.4  # its own words say nothing of it


def test_without_sections_nothing_answers() -> None:
    assert answering("lost") == {}


def test_what_an_answering_document_says_to_everybody_may_be_farther_behind() -> None:
    best = passage("lost.md", "The kettle is lost", text="lost")
    farther = "Ask the app where it is lost"  # as far behind as MARGIN_BESIDE allows
    assert len(answering("lost", best, passage("lost.md", "Lost at home", text=farther))["lost.md"]) == 2
    assert len(answering("lost", best, passage("lost.md", "Lost at home", text=farther, os="iOS"))["lost.md"]) == 1
    assert "app.md" not in answering("lost", best, passage("app.md", "Lost at home", text=farther))


def test_a_section_for_some_customers_must_be_nearer_to_the_best_and_near_by_itself() -> None:
    best = passage("lost.md", "The kettle is lost", text="lost")
    near = "Lost: ask the app where it was lost"  # between MARGIN_NARROW and MARGIN behind
    assert "app.md" in answering("lost", best, passage("app.md", "Lost at home", text=near))
    assert "app.md" not in answering("lost", best, passage("app.md", "Lost at home", text=near, os="iOS"))
    assert answering("lost", passage("app.md", "Set the clock")) != {}
    assert answering("lost", passage("app.md", "Set the clock", os="iOS")) == {}

"""Every feature gives each row a number from the evidence alone; what each gives is written out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

import numpy as np
import pytest

from autokb.core.nouns import Passage
from autokb.core.ranking import Scores
from autokb.retrieval.candidates import Candidates
from autokb.retrieval.features import FEATURES, HISTORY, QuestionEvidence, feature_table
from autokb.retrieval.knowledge_index import KnowledgeIndex, NodeCosines, QuestionMatch
from autokb.retrieval.ranker import Ranker
from small_index import DOCUMENTS, candidates, node, passage, solution

ISSUES = (node("p"), node("p-mac", "p", os="Mac"), node("q"))
SOLUTIONS = (
    replace(solution("for-all", "p", at=25), status="approved"),
    replace(solution("for-mac", "p-mac", at=25, os="Mac"), status="approved"),
    solution("of-q", "q", "faq.md", at=500),
    replace(solution("by-hand", "q", ""), status="approved"),
)
SECTIONS = (
    replace(passage("first", "Guide", "Pair", at=0), role="introduction"),
    replace(passage("second", "Guide", "Charge", at=20), role="symptoms"),
    passage("tip", "Tips", "Rain", document="tips.md", os="Linux"),
)
# first, second, tip, by-hand, of-q; documents are faq.md, guide.md, tips.md and nodes p, p-mac, q
NUMBERS = {
    "sections": [0.1, 0.2, 0.3, 0.4, 0.5],
    "headings": [0.5, 0.4, 0.3, 0.2, 0.1],
    "tokens": [0.6, 0.7, 0.8, 0.9, 1.0],
    "words": [0.2, 0.4, 0.6],
    "votes": [0.5, 0.25, 0.0],
    "learnt": [-0.1, 0.3, 0.2],
    "nodes": [0.4, 0.9, 0.6],
}
EXPECTED = {
    "section": NUMBERS["sections"],
    "heading": NUMBERS["headings"],
    "late_interaction": NUMBERS["tokens"],
    "words": [0.4, 0.4, 0.6, 0.0, 0.2],
    "same_words": [0.0, 0.1, 0.0, 0.0, 0.0],  # above a cosine of .8
    "votes": [0.25, 0.25, 0.0, 0.0, 0.5],
    "learnt": [0.3, 0.3, 0.2, 0.0, -0.1],
    "introduction": [1.0, 0.0, 0.0, 0.0, 0.0],
    "problem": [0.0, 1.0, 0.0, 0.0, 0.0],
    "remedy": [0.0] * 5,
}


def base() -> tuple[Candidates, KnowledgeIndex]:
    return candidates(ISSUES, SOLUTIONS, SECTIONS)


def evidence(
    candidates: Candidates,
    knowledge: KnowledgeIndex,
    numbers: Mapping[str, Sequence[float]] | None = None,
    long: float = 0.0,
    **said: str,
) -> QuestionEvidence:
    """Return the evidence of a question: ``numbers`` by the names of its fields, 0 where none are given."""
    given = numbers or {}

    def scores(name: str, size: int) -> Scores:
        return np.array(given.get(name, [0.0] * size), dtype=np.float64)

    rows, documents = len(candidates.rows), candidates.documents
    return QuestionEvidence(
        asked=QuestionMatch(knowledge, {name: frozenset(v.split("+")) for name, v in said.items()}),
        candidates=candidates,
        sections=scores("sections", rows),
        headings=scores("headings", rows),
        tokens=scores("tokens", rows),
        words=scores("words", documents),
        votes=scores("votes", documents),
        learnt=scores("learnt", documents),
        nodes=NodeCosines(scores("nodes", len(knowledge.ids))),
        past=np.zeros(0, dtype=np.float32),
        long=long,
    )


def test_the_rows_of_these_tests() -> None:
    found, knowledge = base()
    assert [one.solution.id for one in found.rows] == ["first", "second", "tip", "by-hand", "of-q"]
    assert knowledge.ids == ("p", "p-mac", "q")


# -- each feature -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", FEATURES)
def test_what_a_feature_gives(name: str) -> None:
    assert FEATURES[name](evidence(*base(), NUMBERS)) == pytest.approx(EXPECTED[name])


def test_the_table_has_a_column_a_feature() -> None:
    table = feature_table(evidence(*base(), NUMBERS))
    assert table == pytest.approx(np.array(list(EXPECTED.values())).T)
    assert list(EXPECTED) == list(FEATURES) and set(HISTORY) < set(FEATURES)


@pytest.mark.parametrize(("long", "share"), [(0.0, 0.6), (0.25, 0.45), (1.0, 0.0)])
def test_words_count_less_in_a_message(long: float, share: float) -> None:
    assert FEATURES["words"](evidence(*base(), NUMBERS, long=long))[2] == pytest.approx(share)


def test_a_node_whose_solution_is_for_others_does_not_count() -> None:
    near = {"nodes": [0.85, 0.9, 0.95]}
    assert FEATURES["same_words"](evidence(*base(), near)) == pytest.approx([0.0, 0.1, 0.0, 0.15, 0.0])
    found = evidence(*base(), near, os="Windows")
    assert FEATURES["same_words"](found) == pytest.approx([0.0, 0.05, 0.0, 0.15, 0.0])  # p-mac is left out


def test_a_node_that_nobody_reviewed_does_not_count() -> None:
    built = [replace(one, status="displayed") for one in SOLUTIONS]
    found = evidence(*candidates(ISSUES, built, SECTIONS), {"nodes": [0.95, 0.95, 0.95]})
    assert FEATURES["same_words"](found).tolist() == [0.0] * 5


def test_a_question_for_a_fact_takes_any_section() -> None:
    found = replace(evidence(*base(), NUMBERS), asks_fact=True)
    assert not FEATURES["introduction"](found).any() and not FEATURES["problem"](found).any()


# -- an article's remedy ----------------------------------------------------------------------------------------------


def article() -> list[Passage]:
    """Return an article with two remedies, and another one."""
    parts = (("cause", "cause"), ("fix", "remedy"), ("workaround", "remedy"))
    found = [replace(passage("symptoms", "No sound", "Symptoms", at=0), role="symptoms")]
    found += [
        replace(passage(name, "No sound", name, at=20 * n), role=role) for n, (name, role) in enumerate(parts, start=1)
    ]
    return [*found, replace(passage("other", "Rain", "Fix", document="tips.md"), role="remedy")]


def test_the_section_that_matches_speaks_for_its_article() -> None:
    ranker = Ranker({"section": 10.0, "problem": -3.0, "remedy": 1.0})
    found = evidence(*candidates([], [], article()), {"sections": [0.9, 0.5, 0.4, 0.6, 0.7]})
    features = feature_table(found)
    ranker.lift_remedies(features, found.candidates.roles)
    assert ranker.score(features) == pytest.approx([6.0, 2.0, 7.0, 9.0, 7.0])  # 9 is what symptoms had
    for_fact = feature_table(replace(found, asks_fact=True))
    ranker.lift_remedies(for_fact, found.candidates.roles)
    assert ranker.score(for_fact) == pytest.approx([9.0, 5.0, 4.0, 6.0, 7.0])


# -- what all of them promise -----------------------------------------------------------------------------------------


def drawn(seed: int, candidates: Candidates, knowledge: KnowledgeIndex) -> QuestionEvidence:
    """Return evidence of random numbers in the range of cosines."""
    random = np.random.default_rng(seed)
    sizes = {
        **dict.fromkeys(("sections", "headings", "tokens"), len(candidates.rows)),
        **dict.fromkeys(("words", "votes", "learnt"), len(DOCUMENTS)),
        "nodes": len(knowledge.ids),
    }
    numbers = {name: random.uniform(-1, 1, size).tolist() for name, size in sizes.items()}
    return evidence(candidates, knowledge, numbers, long=float(random.uniform()))


SEEDS = range(5)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_is_one_finite_number_a_row_and_always_the_same(name: str, seed: int) -> None:
    found = drawn(seed, *base())
    one: Scores = FEATURES[name](found)
    assert one.shape == (5,) and np.issubdtype(one.dtype, np.floating) and np.isfinite(one).all()
    assert np.array_equal(one, FEATURES[name](replace(found)))


@pytest.mark.parametrize("name", FEATURES)
def test_a_feature_changes_nothing_that_it_reads(name: str) -> None:
    found = drawn(3, *base())
    arrays = {f.name: value for f in fields(found) if isinstance(value := getattr(found, f.name), np.ndarray)}
    before = {field: value.copy() for field, value in arrays.items()}
    for value in arrays.values():
        value.flags.writeable = False  # who writes here raises a ValueError
    FEATURES[name](found)
    assert all(np.array_equal(arrays[field], value) for field, value in before.items())


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", FEATURES)
def test_the_order_of_the_rows_is_no_matter(name: str, seed: int) -> None:
    forward, knowledge = base()
    turned, _ = candidates(ISSUES, SOLUTIONS[::-1], SECTIONS[::-1])
    places = [forward.row_of[one.solution.id] for one in turned.rows]
    assert places != sorted(places)
    found = drawn(seed, forward, knowledge)
    moved = replace(
        found,
        candidates=turned,
        sections=found.sections[places],
        headings=found.headings[places],
        tokens=found.tokens[places],
    )
    assert FEATURES[name](moved) == pytest.approx(FEATURES[name](found)[places])


@pytest.mark.parametrize("name", FEATURES)
def test_nothing_to_show_has_no_numbers(name: str) -> None:
    assert FEATURES[name](evidence(*candidates([], [], documents=()))).shape == (0,)
    by_hand = candidates([node("p")], [solution("by-hand", "p", "")], documents=())
    assert FEATURES[name](evidence(*by_hand)).tolist() == [0.0]
    assert feature_table(evidence(*candidates([], []))).shape == (0, len(FEATURES))

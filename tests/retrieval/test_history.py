from __future__ import annotations

import numpy as np
import pytest

from autokb.core.nouns import Hit
from autokb.retrieval.history import TEMPERATURE, History, PastIssue, build_history, resolving_documents, word_features

DOCUMENTS = ("charge.md", "pair.md", "sound.md")
RNG = np.random.default_rng(11)
TOPICS = np.eye(3, 24, dtype=np.float32)
SAYINGS = ("battery will not charge", "cannot pair over bluetooth", "no sound on one side")


def near(topic: int, noise: float = 0.5) -> np.ndarray:
    vector = TOPICS[topic] + noise * RNG.normal(size=24).astype(np.float32) / np.sqrt(24)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def past(count: int = 60) -> tuple[list[PastIssue], np.ndarray]:
    issues = [
        PastIssue(f"q{n:03}", f"{SAYINGS[n % 3]} number{n}", f"2024-01-{n % 28 + 1:02}", (DOCUMENTS[n % 3],))
        for n in range(count)
    ]
    return issues, np.stack([near(n % 3) for n in range(count)])


@pytest.fixture(scope="module")
def history() -> History:
    return build_history(DOCUMENTS, *past())


def test_similar_issues_vote_for_what_resolved_them(history: History) -> None:
    for topic in range(3):
        vector = near(topic)
        for scores in (history.votes(vector), history.learnt(vector, SAYINGS[topic])):
            assert scores.argmax() == topic
            assert scores.max() > 0.5


def test_a_vote_is_a_share_by_nearness_beside_that_of_nobody() -> None:
    """Cosines .6, .6 and .4, one step of .05 each e times less; nobody votes at .4."""
    cosines = np.array([0.6, 0.6, 0.4])
    vectors = np.stack([cosines, np.sqrt(1 - cosines**2)], axis=1).astype(np.float32)
    issues = [PastIssue(f"q{n}", "battery", "", (d,)) for n, d in enumerate(("charge.md", "pair.md", "charge.md"))]
    found = build_history(DOCUMENTS, issues, vectors).votes(np.array([1.0, 0.0], dtype=np.float32))
    far = np.exp(-0.2 / TEMPERATURE)
    assert found == pytest.approx(np.array([1 + far, 1.0, 0.0]) / (2 + 2 * far), abs=1e-5)


def test_far_neighbours_do_not_speak_loudly(history: History) -> None:
    far = np.zeros(24, dtype=np.float32)
    far[20] = 1.0
    assert history.votes(far).sum() < 0.5 < history.votes(near(0)).sum() <= 1.0 + 1e-6


def test_the_words_help_where_vectors_are_silent(history: History) -> None:
    silent = (TOPICS.sum(axis=0) / np.sqrt(3)).astype(np.float32)
    assert history.learnt(silent, SAYINGS[1]).argmax() == 1
    assert history.learnt(silent, SAYINGS[2]).argmax() == 2


def test_documents_that_are_gone_are_ignored() -> None:
    issues, vectors = past()
    with_gone = [*issues, PastIssue("gone", "battery", "2024-02-01", ("deleted.md",))]
    more = np.vstack([vectors, near(0)[None, :]])
    built = build_history(DOCUMENTS, with_gone, more)
    assert len(built.issues) == 60
    question = near(0)
    expected = build_history(DOCUMENTS, issues, vectors)
    assert built.votes(question) == pytest.approx(expected.votes(question))
    assert built.learnt(question, "battery") == pytest.approx(expected.learnt(question, "battery"))


def test_no_history_says_nothing() -> None:
    empty = build_history(DOCUMENTS, [], np.zeros((0, 24), dtype=np.float32))
    assert empty.votes(near(0)).tolist() == empty.learnt(near(0), "battery").tolist() == [0.0, 0.0, 0.0]
    assert len(empty.cosines(near(0))) == 0
    gone = build_history([], *past())
    assert len(gone.votes(near(0))) == len(gone.learnt(near(0), "battery")) == 0


def test_one_link_makes_no_strong_prior() -> None:
    issue = PastIssue("q", "battery", "", ("charge.md",))
    one = build_history(DOCUMENTS, [issue], TOPICS[:1])
    assert abs(one.votes(TOPICS[1])).max() < 0.1 and abs(one.learnt(TOPICS[1], "no sound")).max() < 0.1
    # alone it has no spread to learn from, and its vote is that of the only neighbour
    assert one.learnt(TOPICS[0], "battery")[0] == pytest.approx(1 / 21) and one.votes(TOPICS[0])[0] > 0.9


def test_the_order_of_the_issues_does_not_matter() -> None:
    issues, vectors = past()
    order = np.random.default_rng(1).permutation(60)
    shuffled = build_history(DOCUMENTS, [issues[n] for n in order], vectors[order])
    expected = build_history(DOCUMENTS, issues, vectors)
    assert np.array_equal(shuffled.classifier, expected.classifier)
    assert np.array_equal(shuffled.offset, expected.offset)


def test_both_ways_to_solve_agree() -> None:
    issues, vectors = past(540)  # more issues than features: the other system is the smaller one
    question = near(1)
    many = build_history(DOCUMENTS, issues, vectors).learnt(question, SAYINGS[1])
    few = build_history(DOCUMENTS, issues[:535], vectors[:535]).learnt(question, SAYINGS[1])
    assert many == pytest.approx(few, abs=0.02)


def test_a_document_like_the_linked_one_is_lifted_a_little() -> None:
    issues = [PastIssue(f"q{n}", "battery", "", ("charge.md",)) for n in range(5)]
    vectors = np.stack([near(0) for _ in range(5)])
    likeness = np.stack([TOPICS[0], TOPICS[0], TOPICS[2]])
    scores = build_history(DOCUMENTS, issues, vectors, likeness).learnt(near(0), "battery")
    assert scores[0] > scores[1] > scores[2]


def test_word_features_have_one_length() -> None:
    idf = {"battery": 2.0, "charg": 1.5}
    assert np.linalg.norm(word_features("the battery, the battery is charging", idf)) == pytest.approx(np.sqrt(0.5))
    assert not word_features("unknown words only", idf).any()


def test_lifted_counts_the_links_of_a_node() -> None:
    links = {"r1": ("a", "gone"), "r2": ("a", "b"), "r3": ()}
    assert resolving_documents(links, ["r1", "r2", "r3", "r4"], {"a", "b"}) == (Hit("a", 0.5), Hit("b", 0.25))
    assert resolving_documents(links, ["r3"], {"a", "b"}) == ()

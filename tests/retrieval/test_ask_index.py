"""What of a question is read, how slips and warnings come in, and what everything that can be shown scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace

import numpy as np
import pytest

from autokb.core.domain import Urgent
from autokb.core.errors import BadInputError
from autokb.core.vectors import TokenVectors, Vectors
from autokb.pipeline.open_index import open_index
from autokb.retrieval.features import feature_table
from autokb.retrieval.gate import Coefficients, Gate
from autokb.retrieval.index import EMBEDDED_CHARACTERS, QuestionIndex, beginning
from autokb.stores.workspace import Workspace

LONG = "The mower stops at the fence and turns round. " * 40


@pytest.fixture
def index(hand_made: Workspace) -> Iterator[QuestionIndex]:
    with closing(open_index(hand_made)) as opened:
        yield opened.index


@pytest.mark.parametrize("text", ["", "Why?", "x" * EMBEDDED_CHARACTERS, "  two words  "])
def test_a_short_question_is_its_own_beginning(text: str) -> None:
    assert beginning(text) == text


def test_a_long_question_is_cut_between_words() -> None:
    found = beginning(LONG)
    assert LONG.startswith(found + " ") and EMBEDDED_CHARACTERS - 10 < len(found) <= EMBEDDED_CHARACTERS
    assert beginning("x" * 2_000) == "x" * EMBEDDED_CHARACTERS
    assert beginning(" " * 2_000 + LONG) == found


def test_the_end_of_a_long_question_counts_by_its_words_alone(index: QuestionIndex) -> None:
    read: list[str] = []

    def embed(texts: Sequence[str]) -> Vectors:
        read.extend(texts)
        return index.embed_questions(texts)

    asked = replace(index, embed_questions=embed)
    one, other = asked.score(LONG), asked.score(LONG + "The rain sensor is wet.")
    assert set(read) == {beginning(LONG)}
    assert np.array_equal(one.vector, other.vector) and np.array_equal(one.evidence.sections, other.evidence.sections)
    assert not np.array_equal(one.evidence.words, other.evidence.words)


# -- slips ------------------------------------------------------------------------------------------------------------


def test_slips_are_mended_before_the_search(index: QuestionIndex) -> None:
    slipped, right = index.score("Wipe the contcats of the robbot"), index.score("Wipe the contacts of the robot")
    assert slipped.text == "Wipe the contcats of the robbot" and slipped.read == right.read == right.text
    assert np.array_equal(slipped.vector, right.vector) and np.array_equal(slipped.scores, right.scores)


def test_a_vector_that_is_known_counts_only_for_the_text_as_it_is_read(index: QuestionIndex) -> None:
    known = index.embed_questions(["something else altogether"])[0]
    assert np.array_equal(index.score("Wipe the contacts", vector=known).vector, known)
    assert np.array_equal(
        index.score("Wipe the contcats", vector=known).vector, index.score("Wipe the contacts").vector
    )


def test_without_spelling_a_text_is_read_as_it_is(index: QuestionIndex) -> None:
    assert replace(index, spelling=None).score("Wipe the contcats").read == "Wipe the contcats"


# -- urgent warnings --------------------------------------------------------------------------------------------------


@pytest.fixture
def warned(index: QuestionIndex) -> QuestionIndex:
    """A domain that must be told of rain before all else."""
    rain = Urgent("rain", ("robot soaked",), "rain sensor", "rain.md")
    return replace(index, spec=replace(index.spec, urgent=(rain,)))


def test_the_sections_that_a_question_calls_for_are_urgent(warned: QuestionIndex) -> None:
    (row,) = warned.score("My robot got soaked, how do I charge it?").urgent
    assert warned.candidates.rows[row].heading == "Rain sensor"
    assert warned.score("My robot does not charge").urgent == ()


def test_warnings_are_looked_for_in_all_that_was_said(warned: QuestionIndex) -> None:
    said = "My robot got soaked. It does not charge."
    assert warned.score("It does not charge.", said=said).urgent == warned.score(said).urgent != ()
    assert np.array_equal(
        warned.score("It does not charge.", said=said).scores, warned.score("It does not charge.").scores
    )


# -- late interaction -------------------------------------------------------------------------------------------------


def test_rows_beyond_those_that_are_read_closely_get_the_least_of_them(
    index: QuestionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = "The robot stops in the rain"
    everything = index.score(question).evidence.tokens
    before = replace(index, read_tokens=None).score(question).scores
    monkeypatch.setattr("autokb.retrieval.index.READ_CLOSELY", 3)
    tokens = index.score(question).evidence.tokens
    closely, beyond = np.argsort(-before, kind="stable")[:3], np.argsort(-before, kind="stable")[3:]
    assert tokens[closely] == pytest.approx(everything[closely])
    assert len(set(everything)) > 3 and tokens[beyond].tolist() == [tokens[closely].min()] * len(beyond)


def test_tokens_are_those_of_the_beginning_with_its_slips_mended(index: QuestionIndex) -> None:
    read: list[str] = []
    reader = index.read_tokens
    assert reader is not None

    def spy(text: str) -> TokenVectors:
        read.append(text)
        return reader(text)

    replace(index, read_tokens=spy).score(f"Wipe the contcats. {LONG}")
    assert read == [beginning(f"Wipe the contacts. {LONG}")]


@pytest.mark.parametrize("without", ["tokens", "read_tokens"])
def test_without_tokens_there_is_no_late_interaction(index: QuestionIndex, without: str) -> None:
    blind = replace(index, tokens=None) if without == "tokens" else replace(index, read_tokens=None)
    assert not blind.score("The robot stops in the rain").evidence.tokens.any()
    assert index.score("The robot stops in the rain").evidence.tokens.any()


# -- scores -----------------------------------------------------------------------------------------------------------


def test_scores_are_what_the_features_add_up_to_and_a_document_has_its_best(index: QuestionIndex) -> None:
    found = index.score("The battery does not charge")
    assert np.array_equal(found.features, feature_table(found.evidence))
    assert np.array_equal(found.scores, index.ranker.score(found.features))
    columns = {d: n for n, d in enumerate(index.chunks.documents)}  # a section that a rule withholds is near, too
    of_rows = {d: found.scores[index.candidates.columns == columns[d]].max() for d in index.candidates.rows_of}
    shown = {d: score for d, score in found.documents.by_id().items() if d in of_rows}
    assert shown == pytest.approx(of_rows) and len(shown) > 2
    # documents without anything to show follow all others
    without = [score for d, score in found.documents.by_id().items() if d not in of_rows]
    assert all(score < min(shown.values()) for score in without)


def test_a_measurement_may_leave_history_out(index: QuestionIndex) -> None:
    question = "iphone cannot find the robot when pairing"
    with_history, without = index.score(question), index.score(question, with_history=False)
    assert with_history.evidence.votes.any()
    assert not np.array_equal(with_history.scores, without.scores)
    assert np.array_equal(without.scores, index.ranker.without_history().score(without.features))


def test_the_least_probability_is_the_caution_or_that_of_an_earlier_calibration(index: QuestionIndex) -> None:
    def least(gate: Gate) -> float:
        return replace(index, gate=gate, caution=0.7).least_probability

    fitted = Coefficients(-6.0, 10.0, 5.0)
    assert least(Gate(None, index.encoder, coefficients=fitted)) == 0.7
    assert least(Gate(0.9, index.encoder, coefficients=fitted)) == 0.9
    assert least(Gate(0.3, index.encoder)) == 0.7  # a cosine is no probability


def test_nearness_is_read_by_the_encoder_of_the_gate_alone(index: QuestionIndex) -> None:
    scored = index.score("The battery does not charge")
    issues = max(scored.nodes.of_all.max(), index.history.cosines(scored.vector).max(initial=-1.0))
    assert index.nearness(scored) == index.gate.log_odds(scored.nearest_window, float(issues))
    with pytest.raises(BadInputError, match="calibrated for"):
        replace(index, encoder="another").nearness(scored)


# -- a message that can be read in several ways -----------------------------------------------------------------------


def test_what_is_read_in_several_ways_has_the_mean_of_their_features(index: QuestionIndex) -> None:
    texts = ("The robot does not charge", "on the dock", "Which robot? The one that does not charge on the dock")
    alone = [index.score(text).features for text in texts]
    found = index.score(texts[0], also=texts[1:])
    assert np.allclose(found.features, np.mean(alone, axis=0))
    assert np.allclose(found.scores, index.ranker.score(found.features))
    first = index.score(texts[0])
    assert np.array_equal(found.evidence.sections, first.evidence.sections)
    assert np.array_equal(found.windows, first.windows) and found.text == texts[0]


def test_each_way_to_read_is_encoded_right_before_its_tokens_are_read(index: QuestionIndex) -> None:
    done: list[str] = []
    read = index.read_tokens
    assert read is not None

    def embed(texts: Sequence[str]) -> Vectors:
        done.extend(f"vector {text}" for text in texts)
        return index.embed_questions(texts)

    def tokens(text: str) -> TokenVectors:
        done.append(f"tokens {text}")
        return read(text)

    replace(index, embed_questions=embed, read_tokens=tokens).score("dock", also=("rain", "blade"))
    assert done == [f"{what} {text}" for text in ("dock", "rain", "blade") for what in ("vector", "tokens")]

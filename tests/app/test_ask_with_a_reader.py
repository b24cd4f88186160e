"""A reader over the first candidates of a question: what it moves, what it leaves, and what happens without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from autokb.answering.ask import answer_scored, ask
from autokb.answering.present import Presentation
from autokb.core.errors import BadInputError
from autokb.core.ranking import best_first
from autokb.core.settings import Settings, read_settings
from autokb.llm.rerankers import RerankError
from autokb.pipeline.model_choice import check_settings
from autokb.pipeline.open_index import open_index
from autokb.pipeline.reranking import RerankerName, read_reranker_name
from autokb.retrieval import reader
from autokb.retrieval.index import QuestionIndex
from autokb.retrieval.ranker import Ranker
from autokb.stores.workspace import Workspace
from tiny_cross_encoder import save_tiny_cross_encoder

QUESTION = "my robot does not pair with the app"
OFF_TOPIC = "who won the cup"


class Scripted:
    """Gives the texts in their order what it was told, or fails with it; it notes what it read."""

    name = "scripted"

    def __init__(self, *scores: float, error: Exception | None = None) -> None:
        self.told, self.error = scores, error
        self.read: list[tuple[str, Sequence[str]]] = []

    def scores(self, question: str, texts: Sequence[str]) -> list[float]:
        self.read.append((question, texts))
        if self.error:
            raise self.error
        return list(self.told or [float(n) for n in range(len(texts))])


@pytest.fixture
def index(hand_made: Workspace) -> QuestionIndex:
    return open_index(hand_made).index


def test_the_first_gain_two_a_standard_deviation_and_the_others_stay_behind(
    index: QuestionIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "READ_FIRST", 3)
    usual = index.score(QUESTION)
    read = replace(index, reranker=Scripted(1.0, 2.0, 3.0)).read_first(usual)
    spread = np.sqrt(2 / 3)  # of 1, 2 and 3
    order = best_first(usual.scores, len(usual.scores))
    assert np.allclose((read.scores - usual.scores)[order[:3]], [0.0, 2.0 / spread, 4.0 / spread])
    assert np.array_equal(read.scores[order[3:]], usual.scores[order[3:]])
    assert sorted(best_first(read.scores, 3)) == sorted(order[:3])
    assert read.reading and read.reading.note is None and read.reading.seconds > 0


def test_it_reads_the_question_beside_each_section_under_its_heading(index: QuestionIndex) -> None:
    scripted = Scripted()
    usual = index.score(QUESTION)
    replace(index, reranker=scripted).read_first(usual)
    ((question, texts),) = scripted.read
    first = index.candidates.rows[int(best_first(usual.scores, 1)[0])]
    assert question == QUESTION
    assert texts[0] == first.searched_text
    assert len(texts) == min(len(usual.scores), 20)


def test_what_it_puts_first_is_shown_first_and_how_sure_the_answer_is_stays(index: QuestionIndex) -> None:
    index = replace(index, ranker=Ranker({"section": 1.0}))  # of a ranker that is hardly sure
    usual, scored = ask(index, QUESTION), index.score(QUESTION)
    second = Presentation(scored).choose(2)[1]
    liked = [float(row == second.row) for row in best_first(scored.scores, 20)]
    turned = ask(replace(index, reranker=Scripted(*liked)), QUESTION)
    assert turned.shown != usual.shown and turned.shown[0] == second.solution
    assert turned.documents[0].id == second.document
    assert turned.confidence == usual.confidence
    shown = turned.as_json()
    assert (shown["reader"], shown["reading"]["note"]) == ("scripted", None)


@pytest.mark.parametrize(
    ("scripted", "note"),
    [
        (Scripted(error=RerankError("the reader sleeps.")), "the reader sleeps."),
        (Scripted(error=OSError("secret")), "the reranker failed (OSError)."),
        (Scripted(1.0), "the reranker gave 1 scores for"),
        (Scripted(*[float("nan")] * 20), "the reranker gave 20 scores for"),
    ],
    ids=["sentence", "error", "too-few", "too-many"],
)
def test_without_it_the_answer_is_the_usual_one_and_says_why(
    index: QuestionIndex, scripted: Scripted, note: str
) -> None:
    usual, answer = ask(index, QUESTION), ask(replace(index, reranker=scripted), QUESTION)
    assert answer == usual
    assert answer.reading is not None and answer.reading.note is not None and answer.reading.note.startswith(note)


def test_level_scores_and_no_numbers_move_nothing(index: QuestionIndex) -> None:
    usual = index.score(QUESTION)
    count = min(len(usual.scores), 20)
    for scores in ([0.5] * count, [float("inf"), *[0.0] * (count - 1)]):
        assert np.array_equal(replace(index, reranker=Scripted(*scores)).read_first(usual).scores, usual.scores)


def test_a_question_that_is_refused_is_not_read(index: QuestionIndex) -> None:
    scripted = Scripted()
    answer = ask(replace(index, reranker=scripted), OFF_TOPIC)
    assert answer.outcome == "abstains" and not scripted.read and "reader" not in answer.as_json()


def test_by_default_there_is_none(index: QuestionIndex) -> None:
    scored = index.score(QUESTION)
    assert index.reranker is None and index.read_first(scored) is scored
    assert "reader" not in answer_scored(index, scored).as_json()


def test_a_folder_in_the_settings_reads(hand_made: Workspace, tmp_path: Path) -> None:
    folder = save_tiny_cross_encoder(tmp_path / "tiny", words=("gloves", "dock"))
    opened = open_index(replace(hand_made, settings=Settings(reranker=f"local:{folder}")))
    reading = opened.ask(QUESTION).reading
    assert reading is not None and (reading.name, reading.note) == ("local:tiny", None)
    opened.close()


def test_a_server_that_is_down_leaves_the_answer(hand_made: Workspace) -> None:
    usual = open_index(hand_made).ask(QUESTION)
    opened = open_index(replace(hand_made, settings=Settings(reranker="http://127.0.0.1:1/rerank")))
    answer = opened.ask(QUESTION)
    opened.close()
    assert answer == replace(usual, seconds=answer.seconds)
    assert answer.reading is not None and answer.reading.note is not None and "cannot be reached" in answer.reading.note


@pytest.mark.parametrize(
    ("setting", "name"),
    [
        ("none", RerankerName("none")),
        ("local:~/reader", RerankerName("local", "~/reader")),
        ("http:https://a/rerank?model=b", RerankerName("http", "https://a/rerank", "b")),
        ("http://127.0.0.1:8080/rerank", RerankerName("http", "http://127.0.0.1:8080/rerank")),
        ("https://a/v1/rerank", RerankerName("http", "https://a/v1/rerank")),
    ],
)
def test_the_setting_names_a_folder_or_an_address(setting: str, name: RerankerName) -> None:
    assert read_reranker_name(read_settings({"reranker": setting}).reranker) == name


@pytest.mark.parametrize(
    ("setting", "reason"),
    [
        ("", "is not known to this version"),
        ("best", "is not known to this version"),
        ("local:", "is not known to this version"),
        ("local:/nowhere/at/all", "is not there"),
        ("http:a/rerank", "the reranker's address"),
        ("https://me:secret@a/rerank", "RERANKER_API_KEY"),
    ],
)
def test_another_setting_is_refused_before_any_work(setting: str, reason: str) -> None:
    with pytest.raises(BadInputError, match=reason):
        check_settings(Settings(reranker=setting))


@pytest.mark.parametrize("seconds", [0, "soon", 1.5])
def test_its_time_is_a_whole_number_of_seconds(seconds: object) -> None:
    with pytest.raises(BadInputError, match="reranker_seconds must be a whole number"):
        read_settings({"reranker_seconds": seconds})

"""The tasks that judge chunks and ask about them."""

from __future__ import annotations

import json

import pytest

from autokb.core.model_requests import ModelReply
from autokb.plugins.lab.evaluation.chunking.judges import TENETS
from autokb.tasks.asking import read_reply, request_for
from autokb.tasks.judges.chunk_verdicts import JudgeChunk
from autokb.tasks.judges.relevance.task import TASK as RELEVANCE
from autokb.tasks.judges.relevance.task import JudgeRelevance
from autokb.tasks.judges.task_relevance.task import SUPPORT, JudgeForTask
from autokb.tasks.judges.task_relevance.task import TASK as TASK_RELEVANCE
from autokb.tasks.probes.chunk_questions.task import QUESTIONS, AskAboutChunks, ChunkQuestions
from autokb.tasks.probes.chunk_questions.task import TASK as ASK
from autokb.tasks.task import ReplyError

ITEM = AskAboutChunks(("Wipe it.",))


@pytest.mark.parametrize("tenet", TENETS)
def test_offline_a_chunk_is_not_judged_and_never_good(tenet: str) -> None:
    item = JudgeForTask("help", "Wipe it.") if tenet == "task_relevance" else JudgeChunk("Wipe it.")
    assert TENETS[tenet].answer_offline(item).verdict == "not judged"


@pytest.mark.parametrize("tenet", TENETS)
def test_a_model_cannot_say_that_it_did_not_judge(tenet: str) -> None:
    item = JudgeForTask("help", "x") if tenet == "task_relevance" else JudgeChunk("x")
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "verdict": "not judged"}]}), 1, 1)
    (found,) = read_reply(TENETS[tenet], (item,), reply)
    assert "verdict: Input should be 'yes' or 'no'" in found.error


def test_the_same_chunk_is_another_question_for_another_task_or_purpose() -> None:
    keys = {task.key(JudgeChunk("Wipe it.")) for name, task in TENETS.items() if name != "task_relevance"}
    keys |= {TASK_RELEVANCE.key(JudgeForTask(task, "Wipe it.")) for task in ("help", "sales")}
    assert len(keys) == 5


def test_chunks_for_different_tasks_or_queries_share_no_request() -> None:
    assert len({TASK_RELEVANCE.together(JudgeForTask(task, "x")) for task in ("help", "sales")}) == 2
    assert len({RELEVANCE.together(JudgeRelevance(query, "x")) for query in ("How?", "Why?")}) == 2


def test_what_counts_is_listed_for_support_and_left_to_any_other_task() -> None:
    prompts = {
        task: request_for(TASK_RELEVANCE, (JudgeForTask(task, "Wipe it."),), "openai:x").messages[0].text
        for task in (SUPPORT, "Sales talk")
    }
    assert "a problem or fault with a product" in prompts[SUPPORT] and "\n- " in prompts[SUPPORT]
    assert "\n- " not in prompts["Sales talk"] and "who does this task" in prompts["Sales talk"]
    assert all(f"<task>\n{task}\n</task>" in prompt for task, prompt in prompts.items())


def test_offline_nothing_is_scored() -> None:
    assert RELEVANCE.answer_offline(JudgeRelevance("How?", "Wipe it.")).score is None


@pytest.mark.parametrize("score", [-1, 5, True, "three", 2.5])
def test_a_score_is_a_whole_number_from_0_to_4(score: object) -> None:
    reply = ModelReply(json.dumps({"answers": [{"number": 1, "reason": "r", "score": score}]}), 1, 1)
    (found,) = read_reply(RELEVANCE, (JudgeRelevance("q", "x"),), reply)
    assert "score: Input should be" in found.error


def test_offline_there_are_no_questions() -> None:
    with pytest.raises(ReplyError, match="chunk_questions needs a model"):
        ASK.answer_offline(ITEM)


@pytest.mark.parametrize(
    ("questions", "said"),
    [
        (("How?",) * QUESTIONS, "stands twice"),
        (("How?", "Why?"), "not 2"),
        (("How?", "Why?", "Who?", "When?", " "), "is empty"),
    ],
)
def test_wrong_questions_are_refused(questions: tuple[str, ...], said: str) -> None:
    with pytest.raises(ReplyError, match=said):
        ASK.check(ITEM, ChunkQuestions(questions=questions))

"""Gaps: what was asked and not answered, joined and counted, and the nodes and documents that help nobody."""

from __future__ import annotations

from dataclasses import replace

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.core.in_use import LoggedQuestion
from autokb.core.reply_rules import LEFT_OPEN, OFF_TOPIC
from autokb.stores.question_log import keep_questions
from autokb.stores.workspace import Workspace
from autokb.usage import gaps

PIZZA = LoggedQuestion("do you sell pizza with ham", "abstains", "ask", "2026-01-01T08:00:00+00:00", reason="off topic")
DAY = "2026-01-{:02}T00:00:00+00:00"


@pytest.fixture
def kb(hand_made: Workspace) -> SupportKB:
    return SupportKB(hand_made)


def log(kb: SupportKB, *questions: LoggedQuestion) -> None:
    with kb.workspace.file() as file, file.transaction():
        keep_questions(file, questions)


def test_nearly_the_same_question_is_one_and_the_most_asked_comes_first(kb: SupportKB) -> None:
    log(
        kb,
        replace(PIZZA, text="is there a garden gnome for it", date=DAY.format(9)),
        replace(PIZZA, date=DAY.format(1)),
        replace(PIZZA, text="Do you sell Pizza with ham?!", date=DAY.format(3)),
        replace(PIZZA, text="do you sell pizza with ham, <email-1>", date=DAY.format(2)),
        replace(PIZZA, text="do you sell cheese", date=DAY.format(4)),
        replace(PIZZA, text="how do I charge it", outcome="answered"),
        replace(PIZZA, text="which robot do you mean", outcome="asks"),
    )
    found = kb.usage.gaps()
    assert [(one.text, one.asked, one.abstained, one.rejected) for one in found.questions] == [
        ("Do you sell Pizza with ham?!", 3, 3, 0),
        ("is there a garden gnome for it", 1, 1, 0),
        ("do you sell cheese", 1, 1, 0),
    ]
    pizza = found.questions[0]
    assert (pizza.first, pizza.last, pizza.reason) == (DAY.format(1), DAY.format(3), "off topic")
    assert pizza.wordings == ("do you sell pizza with ham, <email-1>", "do you sell pizza with ham")
    assert [one.text[:6] for one in kb.usage.gaps(newest=True).questions] == ["is the", "do you", "Do you"]
    cut = kb.usage.gaps(1)
    assert (len(cut.questions), cut.questions_total, cut.log.kept) == (1, 3, 7)


def test_other_topics_stand_behind_what_lacks_an_answer_however_often_they_are_asked(kb: SupportKB) -> None:
    log(
        kb,
        *(replace(PIZZA, reason=OFF_TOPIC) for _ in range(3)),
        replace(PIZZA, text="the mower hums like a hive", reason=LEFT_OPEN),
    )
    kb.usage.give_feedback("the dock stays dark", "rejected", "s-contacts", conversation="c1")
    found = kb.usage.gaps()
    assert [(one.text[:10], one.kind) for one in found.questions] == [
        ("the dock s", "unhelpful"),
        ("the mower ", "unanswered"),
        ("do you sel", "other_topic"),
    ]
    assert found.kinds == {"unhelpful": 1, "unanswered": 1, "other_topic": 1}


def test_words_in_another_order_and_a_word_more_are_one_question(kb: SupportKB) -> None:
    words = "robot garden gnome music battery lawn"
    log(kb, *(replace(PIZZA, text=text) for text in (words, f"{words} please", f"{words} blue", "gnome music")))
    assert sorted(one.asked for one in kb.usage.gaps().questions) == [1, 3]  # 6 of 7 words in common, and 2 of 6


def test_a_conversation_counts_once(kb: SupportKB) -> None:
    log(kb, *(replace(PIZZA, conversation=chat) for chat in ("chat-1", "chat-1", "chat-2", "", "")))
    (one,) = kb.usage.gaps().questions
    assert one.asked == 4


def test_what_was_shown_and_rejected_is_a_gap_unless_something_else_was_used(kb: SupportKB) -> None:
    asked = "the dock stays dark, mail ann@example.org"
    kb.usage.give_feedback(asked, "rejected", "s-contacts", conversation="c1")
    kb.usage.give_feedback(asked, "unhelpful", "s-rain", conversation="c1")
    kb.usage.give_feedback("the blades are blunt", "rejected", "s-hopper", conversation="c2")
    kb.usage.give_feedback("the blades are blunt", "edited", "s-gloves", "Turn it.", conversation="c2")
    kb.usage.give_feedback("it stops in the rain", "used", "s-rain", conversation="c3")
    kb.usage.give_feedback("it stops in the rain", "rejected", "s-rain", conversation="c3")  # the last word counts
    found = {one.text: one for one in kb.usage.gaps().questions}
    assert set(found) == {"the dock stays dark, mail <email-1>", "it stops in the rain"}
    one = found["the dock stays dark, mail <email-1>"]
    assert (one.asked, one.rejected, one.abstained, one.solutions) == (1, 1, 0, ("s-contacts", "s-rain"))


def test_a_gap_that_is_dismissed_stays_away_and_one_that_is_done_comes_back(kb: SupportKB) -> None:
    log(kb, PIZZA, replace(PIZZA, text="a garden gnome"))
    pizza, gnome = sorted(kb.usage.gaps().questions, key=lambda one: one.text, reverse=True)
    assert kb.usage.dismiss_gap(pizza.id, author="ann").as_json() == {
        "id": pizza.id,
        "status": "dismissed",
        "changed": 1,
    }
    assert kb.usage.dismiss_gap(gnome.id, done=True).changed == 1
    assert kb.usage.dismiss_gap(gnome.id, done=True).changed == 0
    found = kb.usage.gaps()
    assert (found.questions, found.questions_total, found.closed) == ((), 0, 2)
    closed = kb.usage.gaps(closed=True)
    assert {one.id: one.status for one in closed.questions} == {pizza.id: "dismissed", gnome.id: "done"}
    later = "2099-01-01T00:00:00+00:00"
    log(kb, replace(PIZZA, text="do you sell pizza with ham now", date=later))  # another wording of what is dismissed
    log(kb, replace(PIZZA, text="A garden gnome!", date=later))
    (again,) = kb.usage.gaps().questions
    assert (again.id, again.asked, again.first) == (gnome.id, 1, later)  # only what was asked since
    assert kb.usage.dismiss_gap(pizza.id, undo=True).as_json() == {"id": pizza.id, "status": "open", "changed": 1}
    assert {one.asked for one in kb.usage.gaps().questions} == {1, 2}


def test_a_gap_that_is_none_is_said(kb: SupportKB) -> None:
    with pytest.raises(BadInputError, match="autokb gaps"):
        kb.usage.dismiss_gap("gap-1")
    for limit in (0, 1_001):
        with pytest.raises(BadInputError, match="1 to 1,000 gaps"):
            kb.usage.gaps(limit)


def test_nodes_without_a_displayed_solution_around_them(kb: SupportKB) -> None:
    assert kb.usage.gaps().issues == ()
    kb.curation.hide(["s-contacts", "s-contacts-glider"])
    (one,) = kb.usage.gaps().issues
    assert (one.issue, one.theme, one.raw_issues, one.children) == ("charge", "power", 1, 1)
    assert one.withheld == 3  # s-socket was rejected
    assert kb.usage.dismiss_gap(one.id).changed == 1 and kb.usage.gaps().issues_total == 0
    (closed,) = kb.usage.gaps(closed=True).issues
    assert closed.status == "dismissed"


def test_a_child_without_solution_is_a_gap_where_nothing_above_it_helps(kb: SupportKB) -> None:
    kb.curation.hide(["s-ios"])
    assert kb.usage.gaps().issues_total == 0  # s-pair of its parent is shown
    kb.curation.hide(["s-pair"])
    (one,) = kb.usage.gaps().issues  # the parent has children that help
    assert (one.issue, one.theme, one.withheld, one.children) == ("pair-ios", "connection", 1, 0)
    kb.curation.hide(["s-hopper"])  # what its parent has is withheld
    assert [one.issue for one in kb.usage.gaps().issues] == ["blades-hopper", "pair-ios"]


def test_documents_that_nothing_cites(kb: SupportKB) -> None:
    (one,) = kb.usage.gaps().documents
    assert (one.document, one.title) == ("garage.md", "Garage roof")
    kb.curation.hide(["s-rain", "s-noapp"])
    assert {one.document for one in kb.usage.gaps().documents} == {"garage.md", "rain.md"}
    assert kb.usage.dismiss_gap(one.id, done=True).changed == 1
    assert "garage.md" not in {one.document for one in kb.usage.gaps().documents}


def test_thousands_of_questions_are_joined_by_looking_at_few_pairs(
    kb: SupportKB, monkeypatch: pytest.MonkeyPatch
) -> None:
    topics = [f"topic{n} robot thing{n} lawn" for n in range(600)]
    log(kb, *(replace(PIZZA, text=text) for topic in topics for text in (topic, f"{topic} robot")))
    compared = 0

    def counted(words: frozenset[str], other: frozenset[str]) -> float:
        nonlocal compared
        compared += 1
        return len(words & other) / len(words | other)

    monkeypatch.setattr(gaps, "_alike", counted)
    found = kb.usage.gaps(1_000)
    assert (found.questions_total, {one.asked for one in found.questions}) == (600, {2})
    assert compared < 5 * 600


def test_what_another_process_decides_is_seen_at_once(kb: SupportKB) -> None:
    assert kb.usage.gaps().issues == ()
    SupportKB(kb.workspace).curation.hide(["s-contacts", "s-contacts-glider"])
    assert [one.issue for one in kb.usage.gaps().issues] == ["charge"]


def test_a_second_look_masks_and_reads_no_question_anew(kb: SupportKB) -> None:
    for n in range(20):
        kb.usage.give_feedback(
            f"question {n} of a kind, mail ann{n}@example.org", "rejected", "s-rain", conversation=f"c{n}"
        )
    gaps._read_wording.cache_clear()
    first = kb.usage.gaps()
    assert gaps._read_wording.cache_info().misses == 20
    assert kb.usage.gaps() == first and gaps._read_wording.cache_info().misses == 20
    kb.usage.forget_questions()
    assert gaps._read_wording.cache_info().currsize == 0  # nothing of them stays in memory

"""The annotation sheet one item at a time: what comes next, what is kept, and when an answer counts no more."""

from __future__ import annotations

from pathlib import Path

import pytest

from autokb.app import SupportKB
from autokb.core.errors import BadInputError
from autokb.stores.workspace import Workspace


def test_an_annotator_goes_through_the_sheet_and_the_answers_are_the_figure(hand_made: Workspace) -> None:
    kb = SupportKB(hand_made)
    assert kb.evaluate.quality().q_c.value is None
    page, seen = kb.evaluate.sheet_item("1"), []
    while page.item:
        seen.append(page.item.id)
        assert (page.item.place, page.answered) == (len(seen), len(seen) - 1)
        page = kb.evaluate.annotate(page.item.id, "1", len(seen) > 1, author="key-1")
    assert page.answered == page.items == len(seen) > 3
    again = kb.evaluate.sheet_item("1", seen[0]).item
    assert again is not None and again.answer is False, "an item can be looked at again"
    twice = kb.evaluate.sheet_item("2")
    assert twice.item is not None and 1 <= twice.items < len(seen) and twice.item.id in seen
    kb.evaluate.annotate(twice.item.id, "2", True)
    report = kb.evaluate.quality()
    assert report.agreement is not None and report.agreement.twice == 1
    first, both = seen[0], twice.item.id
    right = sum(0.5 if s == first == both else 0.0 if s == first else 1.0 for s in seen)
    assert report.q_c.value == pytest.approx(right / len(seen))
    assert kb.evaluate.annotate(first, "1", None).item.id == first, "an answer that is taken back is asked again"  # type: ignore[union-attr]


def test_an_answer_holds_for_the_words_that_were_judged(hand_made: Workspace, tmp_path: Path) -> None:
    kb = SupportKB(hand_made)
    page = kb.evaluate.sheet_item("1", "s-contacts")
    assert page.item is not None
    kb.evaluate.annotate("s-contacts", "1", False)
    exported = tmp_path / "kb.md"
    kb.export(exported)
    exported.write_text(exported.read_text("utf-8").replace("Wipe the two contacts", "Wipe both contacts"), "utf-8")
    kb.import_(exported)
    assert kb.evaluate.sheet_item("1", "s-contacts").item.answer is None  # type: ignore[union-attr]
    assert kb.evaluate.quality().q_c.value is None


@pytest.mark.parametrize(("annotator", "item"), [("3", ""), ("", ""), ("1", "no-such")])
def test_who_and_what_there_is_not(hand_made: Workspace, annotator: str, item: str) -> None:
    with pytest.raises(BadInputError):
        SupportKB(hand_made).evaluate.sheet_item(annotator, item)
    with pytest.raises(BadInputError):
        SupportKB(hand_made).evaluate.annotate(item or "s-contacts-", annotator, True)

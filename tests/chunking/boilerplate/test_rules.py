from __future__ import annotations

from collections.abc import Sequence

import pytest

from autokb.chunking.boilerplate.features import VisibleText
from autokb.chunking.boilerplate.rules import (
    BOILERPLATE_AREAS,
    BlockScore,
    PageFeatures,
    _follow_neighbours,
    _keep_announced_lists,
)
from autokb.chunking.structure.blocks import NumberedBlock


def page(counts: Sequence[int]) -> PageFeatures:
    """Return a page whose paragraphs have so many words."""
    return PageFeatures((), [VisibleText("", count, 0.0, False, "") for count in counts], (), ())


def test_a_picture_gets_the_mean_of_the_paragraphs_around_it() -> None:
    counts = [0, 3, 0, 0, 5, 0]
    scores = [BlockScore(score) for score in (0.0, 0.2, 0.0, 0.0, 0.8, 0.0)]
    _follow_neighbours(scores, page(counts))
    # Before the first and after the last paragraph there is only one to follow, or it and the one beyond.
    assert [one.score for one in scores] == [0.2, 0.2, 0.5, 0.5, 0.8, 0.8]


def test_pictures_alone_stay_as_they_are() -> None:
    scores = [BlockScore(0.3), BlockScore(0.4)]
    _follow_neighbours(scores, page([0, 0]))
    assert [one.score for one in scores] == [0.3, 0.4]


@pytest.mark.parametrize(("boilerplate", "score"), [("", 0.65), ("related pages", 0.1)])
def test_a_list_is_kept_for_what_announces_it_unless_that_is_boilerplate(boilerplate: str, score: float) -> None:
    words = "You may also like these stories:"
    blocks = [NumberedBlock(1, "paragraph", 0, 32), NumberedBlock(2, "item", 34, 44, list_id=1)]
    texts = [VisibleText(words, 6, 0.0, False, boilerplate), VisibleText("Old lamps", 2, 1.0, False, "")]
    features = [dict.fromkeys((*BOILERPLATE_AREAS, "under_boilerplate"), 0.0)] * 2
    scores = [BlockScore(0.7), BlockScore(0.1)]
    _keep_announced_lists(scores, PageFeatures(blocks, texts, features, (False, False)))
    assert scores[1].score == pytest.approx(score)

from __future__ import annotations

from collections.abc import Sequence

import pytest

from autokb.chunking.blocks import NumberedBlock
from autokb.chunking.noise_rules import FURNITURE, Judged, SeenPage, _follow_neighbours, _keep_announced_lists
from autokb.chunking.noise_signs import Seen


def page(counts: Sequence[int]) -> SeenPage:
    """Return a page whose paragraphs have so many words."""
    return SeenPage((), [Seen("", count, 0.0, False, "") for count in counts], (), (), 0.6)


def test_a_picture_gets_the_mean_of_the_paragraphs_around_it() -> None:
    counts = [0, 3, 0, 0, 5, 0]
    judged = [Judged(score) for score in (0.0, 0.2, 0.0, 0.0, 0.8, 0.0)]
    _follow_neighbours(judged, page(counts))
    # Before the first and after the last paragraph there is only one to follow, or it and the one beyond.
    assert [one.score for one in judged] == [0.2, 0.2, 0.5, 0.5, 0.8, 0.8]


def test_pictures_alone_stay_as_they_are() -> None:
    judged = [Judged(0.3), Judged(0.4)]
    _follow_neighbours(judged, page([0, 0]))
    assert [one.score for one in judged] == [0.3, 0.4]


@pytest.mark.parametrize(("furniture", "score"), [("", 0.65), ("related pages", 0.1)])
def test_a_list_is_kept_for_what_announces_it_unless_that_is_furniture(furniture: str, score: float) -> None:
    words = "You may also like these stories:"
    blocks = [NumberedBlock(1, "paragraph", 0, 32), NumberedBlock(2, "item", 34, 44, list_id=1)]
    looks = [Seen(words, 6, 0.0, False, furniture), Seen("Old lamps", 2, 1.0, False, "")]
    signs = [dict.fromkeys((*FURNITURE, "under_furniture"), 0.0)] * 2
    judged = [Judged(0.7), Judged(0.1)]
    _keep_announced_lists(judged, SeenPage(blocks, looks, signs, (False, False), 0.6))
    assert judged[1].score == pytest.approx(score)

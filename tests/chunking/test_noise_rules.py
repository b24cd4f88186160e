from __future__ import annotations

from collections.abc import Sequence

from autokb.chunking.noise_rules import Judged, SeenPage, _follow_neighbours
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

"""Which sections a model is shown: the nearest whole, the others in parts, never more than there is room for."""

from __future__ import annotations

from autokb.core.nouns import Document
from autokb.issues.shown_sections import BEHIND, FURTHER, MOST_CHARACTERS, DocumentSpan, choose_sections, merge_sections

PROSE = "\n\n".join(f"Paragraph {n} says that the clock ticks on and on, day and night." for n in range(60))
LONG = f"# Clocks\n\n{PROSE}\n"
SHORT = "# Bells\n\nRing them.\n\n# Hands\n\nTurn them slowly to the right.\n"
DOCUMENTS = {
    **{f"long-{n}": Document(f"long-{n}", "Clocks", LONG) for n in range(9)},
    "short": Document("short", "Bells", SHORT),
}


def window(document: str, words: str) -> DocumentSpan:
    start = DOCUMENTS[document].text.index(words)
    return DocumentSpan(document, start, start + len(words))


def text(span: DocumentSpan) -> str:
    return DOCUMENTS[span.document].text[span.start : span.end]


def test_the_nearest_section_is_whole_and_the_others_are_parts() -> None:
    windows = [(window(f"long-{n}", "Paragraph 30"), 0.6) for n in range(2)]
    first, second = choose_sections(windows, DOCUMENTS)
    assert text(first) == LONG
    assert len(LONG) > FURTHER >= len(text(second))
    assert "Paragraph 30" in text(second)


def test_what_is_too_far_behind_the_nearest_is_not_shown() -> None:
    near, far = window("long-0", "Paragraph 3 "), window("short", "Ring")
    assert len(choose_sections([(near, 0.6), (far, 0.6 - BEHIND + 0.01)], DOCUMENTS)) == 2
    assert len(choose_sections([(near, 0.6), (far, 0.6 - BEHIND - 0.01)], DOCUMENTS)) == 1
    assert len(choose_sections([(far, 0.01)], DOCUMENTS)) == 1


def test_a_section_that_does_not_fit_any_more_gives_way_to_a_shorter_one() -> None:
    windows = [(window(f"long-{n}", "Paragraph 30"), 0.6) for n in range(9)]
    found = choose_sections([*windows, (window("short", "Ring"), 0.5)], DOCUMENTS)
    assert sum(len(text(span)) for span in found) <= MOST_CHARACTERS
    assert 3 < len(found) < 10
    assert text(found[-1]) == SHORT


def test_windows_of_one_section_show_it_once() -> None:
    windows = [(window("long-0", f"Paragraph {n} "), 0.6) for n in (30, 31, 2)]
    assert [text(span) for span in choose_sections(windows, DOCUMENTS)] == [LONG]
    assert choose_sections([], DOCUMENTS) == []


def test_the_nodes_of_a_tree_share_each_place_once_in_their_order() -> None:
    a, b, c = DocumentSpan("a", 0, 10), DocumentSpan("b", 0, 5), DocumentSpan("a", 30, 40)
    assert merge_sections([[a, c], [b, c]]) == [a, b, c]
    assert merge_sections([[a, c], [b], [DocumentSpan("a", 5, 35)]]) == [DocumentSpan("a", 0, 40), b]
    assert merge_sections([[DocumentSpan("a", 10, 12)], [a]]) == [DocumentSpan("a", 0, 12)]
    assert merge_sections([]) == []


def test_a_tree_is_shown_no_more_than_a_request_has_room_for() -> None:
    nodes = [[DocumentSpan(f"near {n}", 0, 10), DocumentSpan(f"far {n}", 0, 10)] for n in range(9)]
    assert [span.document for span in merge_sections(nodes, 100)] == [*(f"near {n}" for n in range(9)), "far 0"]
    assert merge_sections([[DocumentSpan("a", 0, 500)]], 100) == [DocumentSpan("a", 0, 500)]
    assert merge_sections([[DocumentSpan("a", 0, 90)], [DocumentSpan("a", 50, 200)]], 100) == [DocumentSpan("a", 0, 90)]

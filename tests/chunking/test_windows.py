from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autokb.chunking.windows import CONTEXT_SIZE, FAR_APART, Window, embedding_text, windows
from autokb.core.nouns import Chunk, Document

SENTENCE = "Open the settings and choose the account that you want to change. "


def document(text: str) -> Document:
    return Document("guide.md", "Guide", text)


def chunk(*spans: tuple[int, int], headings: tuple[str, ...] = ()) -> Chunk:
    return Chunk("c1", "guide.md", "", spans, headings)


def test_windows_hold_whole_sentences_and_bound_their_size() -> None:
    text = SENTENCE * 40
    found = windows(document(text), [chunk((0, len(text)))], 700)
    assert len(found) >= 4
    assert all(w.end - w.start <= 700 for w in found)
    assert all(text[w.start : w.end].startswith("Open") and text[w.start : w.end].endswith("change.") for w in found)


def test_the_text_is_plain() -> None:
    text = "# Set up\n\n1. Click [**Save**](save.html) in {for win}Windows{/for}.\n\n![shot](a.png)\n"
    (window,) = windows(document(text), [chunk((0, len(text)))])
    assert window.text == "Set up Click Save in Windows."


def test_a_window_does_not_reach_over_a_wide_gap() -> None:
    text = "First part. " + " " * (FAR_APART + 20) + "Second part."
    second = text.index("Second")
    found = windows(document(text), [chunk((0, 11), (second, len(text)))])
    assert [text[w.start : w.end] for w in found] == ["First part.", "Second part."]


def test_spans_beside_each_other_share_a_window() -> None:
    text = "One.\n\nTwo."
    (window,) = windows(document(text), [chunk((0, 4), (6, 10))])
    assert (window.start, window.end) == (0, 10)


def test_a_chunk_of_pictures_speaks_by_its_headings() -> None:
    text = "![](a.png)"
    (window,) = windows(document(text), [chunk((0, len(text)), headings=("Set up", "Wires"))])
    assert window.text == "Set up Wires"


def test_white_space_alone_is_no_window() -> None:
    assert windows(document("  \n "), [chunk((0, 4))]) == ()


def test_title_and_context_stand_in_front_once() -> None:
    window = Window("c1", "guide.md", 0, 5, "Click Save.")
    assert embedding_text(window, "Guide") == "Guide\nClick Save."
    assert embedding_text(window, "Guide", "Set up > Wires") == "Guide\nSet up > Wires\nClick Save."
    assert embedding_text(window, "Guide", "Guide > Wires") == "Guide > Wires\nClick Save."
    assert len(embedding_text(window, "", "x" * 5000)) <= CONTEXT_SIZE + 1 + len(window.text)


@given(st.text(alphabet="ab .!?\n*#[](){}/1。", max_size=400), st.integers(20, 200))
def test_every_character_is_in_exactly_one_window(text: str, size: int) -> None:
    found = windows(document(text), [chunk((0, len(text)))], size)
    covered = [n for w in found for n in range(w.start, w.end)]
    assert len(covered) == len(set(covered))
    assert {n for n, c in enumerate(text) if not c.isspace()} <= set(covered)
    assert all(w.end - w.start <= size for w in found)


def test_an_endless_line_is_cut_in_linear_time() -> None:
    text = "x" * 300_000
    assert len(windows(document(text), [chunk((0, len(text)))], 700)) == 429

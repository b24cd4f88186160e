from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from autokb.chunking.windows import (
    CONTEXT_SIZE,
    FAR_APART,
    WINDOW_SIZE,
    Window,
    embedded_context,
    embedding_text,
    windows,
)
from autokb.core.nouns import Chunk, Document
from autokb.retrieval.corpus import Corpus

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


SAID = "This part is about the account that was set up before, on the page of accounts; the button is the program's. "


def with_context(context: str, end: int, headings: tuple[str, ...] = ("Set up",)) -> Chunk:
    return Chunk("c1", "guide.md", "", ((0, end),), headings, context=context)


def test_all_that_a_model_wrote_as_context_is_embedded() -> None:
    text, context = SENTENCE * 40, (SAID * 4).strip()
    assert len(context) > CONTEXT_SIZE
    long = with_context(context, len(text))
    assert embedded_context("Guide", long) == context
    corpus = Corpus.of({"guide.md": document(text)}, [long], "en")
    assert all(said.startswith(f"Guide\n{context}\n") for said in corpus.window_texts())
    assert max(len(w.text) for w in corpus.windows) <= WINDOW_SIZE - (len(context) - CONTEXT_SIZE)
    assert "".join(w.text for w in corpus.windows).count("Open the settings") == 40


def test_a_short_context_changes_no_window() -> None:
    text = SENTENCE * 40
    found = windows(document(text), [with_context(SAID.strip(), len(text))])
    assert found == windows(document(text), [with_context("", len(text))])


def test_of_headings_and_introduction_a_part_is_embedded() -> None:
    text = SENTENCE * 40
    free = with_context("Guide > Set up\n" + SAID * 4, len(text))
    assert embedded_context("Guide", free) == " ".join(free.context.split())[:CONTEXT_SIZE].strip()
    assert windows(document(text), [free]) == windows(document(text), [with_context("", len(text))])


def test_a_context_of_any_length_leaves_room_for_text() -> None:
    text = SENTENCE * 40
    found = windows(document(text), [with_context(SAID * 90, len(text))])
    assert min(len(w.text) for w in found[:-1]) > len(SENTENCE)


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

"""What is counted of chunks, on documents small enough to count by hand."""

from __future__ import annotations

import pytest

from autokb.chunking.chunk_result import ChunkResult, Noise
from autokb.core.nouns import Chunk, Document, Span
from autokb.plugins.lab.evaluation.chunking.intrinsic_metrics import (
    DocumentCounts,
    count_document,
    dangles,
    gold_overlap,
    intrinsic_metrics,
    link_density,
    site_boilerplate,
    structures,
)
from autokb.plugins.lab.evaluation.chunking.results import MethodOutput
from autokb.text.markdown import parse_blocks


def chunk(text: str, *parts: str, number: int = 0) -> Chunk:
    """A chunk whose spans are where the parts stand in the text."""
    spans: list[Span] = []
    for part in parts:
        start = text.index(part)
        spans.append((start, start + len(part)))
    return Chunk(f"c{number}", "d", "\n\n".join(parts), tuple(spans))


def count(text: str, *pieces: tuple[str, ...], noise: str = "", size: int = 1000) -> DocumentCounts:
    chunks = tuple(chunk(text, *parts, number=n) for n, parts in enumerate(pieces))
    where = text.find(noise)
    left = (Noise(((where, where + len(noise)),), noise, "menu"),) if noise else ()
    return count_document(Document("d", "D", text), ChunkResult(chunks, left), size)


STEPS = "To start:\n\n1. Open it.\n2. Press it.\n3. Close it.\n\nDone."


def test_a_list_in_two_chunks_is_cut() -> None:
    found = count(STEPS, ("To start:\n\n1. Open it.\n2. Press it.",), ("3. Close it.\n\nDone.",))
    assert found.ratios["cut_lists"] == ((1.0, 1.0),)


def test_a_list_in_one_chunk_is_whole() -> None:
    found = count(STEPS, ("To start:",), ("1. Open it.\n2. Press it.\n3. Close it.",), ("Done.",))
    assert found.ratios["cut_lists"] == ((0.0, 1.0),)


def test_an_item_that_was_left_out_cuts_nothing_and_a_list_that_was_left_out_is_not_counted() -> None:
    held = count(STEPS, ("1. Open it.\n2. Press it.",), noise="3. Close it.")
    assert held.ratios["cut_lists"] == ((0.0, 1.0),)
    gone = count(STEPS, ("To start:",), ("Done.",))
    assert gone.ratios["cut_lists"] == ()


def test_what_no_chunk_can_hold_is_counted_apart() -> None:
    found = count(STEPS, ("1. Open it.",), ("2. Press it.",), ("3. Close it.",), size=20)
    assert (found.ratios["cut_lists"], found.over_limit) == ((), 1)


def test_bulleted_lists_stand_apart_from_ordered_ones() -> None:
    text = "- one\n- two\n\n1. a\n2. b"
    kinds = [kind for kind, _ in structures(text, parse_blocks(text))]
    assert kinds == ["bullets", "lists"]


def test_tables_and_code_are_cut_between_their_lines() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |\n\n```\none\ntwo\n```"
    whole = count(text, ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |",), ("```\none\ntwo\n```",))
    assert (whole.ratios["cut_tables"], whole.ratios["cut_code"]) == (((0.0, 1.0),), ((0.0, 1.0),))
    torn = count(text, ("| a | b |\n|---|---|\n| 1 | 2 |",), ("| 3 | 4 |\n\n```\none",), ("two\n```",))
    assert (torn.ratios["cut_tables"], torn.ratios["cut_code"]) == (((1.0, 1.0),), ((1.0, 1.0),))


@pytest.mark.parametrize(
    ("question", "answer"),
    [("## Does it rust?", "Only when wet."), ("**Does it rust?**", "Only when wet."), ("Does it rust?", "- Only wet.")],
)
def test_a_question_without_its_answer(question: str, answer: str) -> None:
    text = f"{question}\n\n{answer}\n\nMore."
    assert count(text, (question,), (f"{answer}\n\nMore.",)).ratios["cut_questions"] == ((1.0, 1.0),)
    assert count(text, (f"{question}\n\n{answer}",), ("More.",)).ratios["cut_questions"] == ((0.0, 1.0),)


def test_a_heading_that_asks_and_has_only_another_heading_has_no_answer_to_lose() -> None:
    text = "# What is new?\n\n## Sound\n\nIt hums."
    assert [kind for kind, _ in structures(text, parse_blocks(text))] == []


@pytest.mark.parametrize("question", ["[What is it?](faq.html#what)", "Was this helpful?"])
def test_links_and_what_a_page_asks_again_and_again_have_no_answer_to_lose(question: str) -> None:
    text = "\n\n".join(f"{question}\n\nYes {n}" for n in range(3))
    assert [kind for kind, _ in structures(text, parse_blocks(text))] == []


@pytest.mark.parametrize(
    ("before", "opening", "expected"),
    [
        ("All is well.\n\n", "Press the button.", False),
        ("All is well.\n\n", "However, press the button.", True),
        ("All is well.\n\n", "This led to trouble.", True),
        ("All is well.\n\n", "pressed buttons light up.", True),
        ("All is well.\n\n", "iPhones light up.", False),
        ("All is well.\n\n", "**netcfg** sets it up.", False),
        ("All is well.\n\n", "- `netcfg` sets it up.", False),
        ("All is well. ", "Press the button.", False),
        ("All is well, and ", "Press the button.", True),
        ("All is well. ", "It hums.", True),
        ("", "# then and now\n\nIt hums.", False),
        ("", "1. Press it.\n2. Wait.", False),
        ("", "1. then press it.", True),
        ("All is well.\n\n", "“They hum,” he said.", True),
        ("All is well.\n\n", "Thisbe hums.", False),
        ("One line of a wiki.\n", "Another line of it.", False),
    ],
)
def test_an_opening_that_dangles(before: str, opening: str, expected: bool) -> None:
    text = before + opening
    it = Chunk("c", "d", f"# Repeated\n\n{opening}", ((len(before), len(text)),))
    assert dangles(text, parse_blocks(text), it) is expected


@pytest.mark.parametrize(("language", "expected"), [("de", True), ("en", False), ("tr", False)])
def test_what_points_back_is_told_by_the_words_of_the_language(language: str, expected: bool) -> None:
    text = "Alles ist gut.\n\nDeshalb brummt es."
    it = chunk(text, "Deshalb brummt es.")
    assert dangles(text, parse_blocks(text), it, language) is expected


def test_a_row_of_a_table_does_not_dangle_since_the_cut_is_counted() -> None:
    text = "| a | b |\n|---|---|\n| 1 | 2 |\n| and 3 | 4 |"
    assert not dangles(text, parse_blocks(text), chunk(text, "| and 3 | 4 |"))


def test_the_share_of_links_is_of_what_a_reader_sees() -> None:
    assert link_density("[Home](/) [Shop](/shop) now") == (8.0, 13.0)  # "Home", "Shop" of "Home Shop now"
    assert link_density("No links, ![but a picture](p.png)") == (0.0, 23.0)
    assert link_density("") == (0.0, 0.0)


def test_boilerplate_is_on_three_documents_and_small_differences_do_not_matter() -> None:
    menus = {"a": "# Menu", "b": "**Menu**", "c": "menu"}
    pages = [Document(n, n, f"{menu}\n\nPage {n} is about {n}.") for n, menu in menus.items()]
    assert site_boilerplate(pages) == frozenset({"menu"})
    assert site_boilerplate(pages[:2]) == frozenset()


def test_repeated_text_is_a_share_of_each_chunk() -> None:
    text = "Menu\n\nIt hums."
    found = count_document(Document("d", "D", text), ChunkResult((chunk(text, text),)), 100, frozenset({"menu"}))
    assert found.ratios["repeated"] == ((4.0, 14.0),)


def test_what_is_left_out_is_a_share_of_all_that_is_no_white_space() -> None:
    found = count("Menu here\n\nIt hums.", ("It hums.",), noise="Menu here")
    assert found.ratios["left_out"] == ((8.0, 15.0),)


def test_words_beside_a_gold_text() -> None:
    # kept: it hums and hums (4 words), gold: it hums loudly (3 words), shared: it, hums
    assert gold_overlap("It **hums** and hums.", "it hums loudly") == ((2.0, 4.0), (2.0, 3.0))


def test_what_is_inside_an_item_is_cut_too() -> None:
    text = "- Do this:\n\n  1. Open it.\n  2. Press it.\n\n  ```\n  one\n  two\n  ```\n\n  | a |\n  |---|\n  | 1 |"
    whole = count(text, (text,))
    assert {kind: whole.ratios[f"cut_{kind}"] for kind in ("lists", "code", "tables")} == {
        "lists": ((0.0, 1.0),),
        "code": ((0.0, 1.0),),
        "tables": ((0.0, 1.0),),
    }
    ends = [text.index(words) for words in ("  2. Press", "  two", "  | 1")]
    torn = count(text, *((text[a:b],) for a, b in zip([0, *ends], [*ends, len(text)], strict=True)))
    assert [torn.ratios[f"cut_{kind}"] for kind in ("lists", "code", "tables")] == [((1.0, 1.0),)] * 3


def test_counted_shares_have_their_number_and_gold_is_a_bag_of_words() -> None:
    text = "1. Open it.\n2. Shut it."
    document = Document("d", "D", text)
    cut = ChunkResult((chunk(text, "1. Open it."), chunk(text, "2. Shut it.", number=1)))
    found = intrinsic_metrics(MethodOutput("m", {"d": cut}, 0.1), [document], 100, gold={"d": "Open it now"}).as_json()
    assert found["cut_lists"] == {"value": 1.0, "low": 1.0, "high": 1.0, "n": 1}
    assert found["cut_tables"] == {"value": None, "low": None, "high": None, "n": 0}
    # kept: open it shut it; gold: open it now; shared: open, it
    assert found["gold_precision"]["value"] == pytest.approx(2 / 4)
    assert found["gold_recall"]["value"] == pytest.approx(2 / 3)
    assert found["gold_f1"]["value"] == pytest.approx(4 / 7)


def test_a_document_that_was_not_cut_is_not_counted() -> None:
    found = intrinsic_metrics(MethodOutput("m", {}, 0.0), [Document("d", "D", "- a\n- b")], 100).as_json()
    assert found == {"over_limit": 0}

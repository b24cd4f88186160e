"""The numbered places of passages: list items, sentences, rows and code, and nothing that nobody sees."""

from __future__ import annotations

import pytest

from autokb.core.domain import ENGLISH
from autokb.heuristics.solutions.solution import Excerpt
from autokb.tasks.places import LONGEST_PLACE, find_places, show_passages


def passage(text: str) -> Excerpt:
    return Excerpt("a.md", "A", (), text)


def shown(text: str) -> list[str]:
    return show_passages([[text]], ENGLISH)[0].split("\n")


def quotes(text: str) -> list[str]:
    return [text[slice(*place.span)] for place in find_places([passage(text)], ENGLISH)]


def test_items_are_whole_and_paragraphs_are_sentences() -> None:
    text = "# Reset\n\nIt takes a minute. Stay near.\n\n1. Open the lid. It clicks.\n2. Hold **the button**.\n"
    assert shown(text) == [
        "# Reset",
        "[1] It takes a minute.",
        "[2] Stay near.",
        "[3] 1. Open the lid. It clicks.",
        "[4] 2. Hold the button.",
    ]
    assert quotes(text) == [
        "It takes a minute.",
        "Stay near.",
        "1. Open the lid. It clicks.",
        "2. Hold **the button**.",
    ]


def test_nested_items_are_places_of_their_own_and_what_follows_them_too() -> None:
    text = "1. Choose one:\n   - red\n   - blue\n\n   Then wait.\n2. Go on.\n"
    assert shown(text) == ["[1] 1. Choose one:", "[2]   - red", "[3]   - blue", "[4] Then wait.", "[5] 2. Go on."]
    assert quotes(text) == ["1. Choose one:", "- red", "- blue", "Then wait.", "2. Go on."]


def test_rows_and_code() -> None:
    text = "| Key | Does |\n|---|---|\n| F5 | Starts |\n\n```sh\nsudo start\nsudo stop\n```\n"
    assert shown(text) == ["[1] Key | Does", "[2] F5 | Starts", "[3] sudo start", "sudo stop"]
    assert quotes(text)[1:] == ["| F5 | Starts |", "```sh\nsudo start\nsudo stop\n```"]


def test_links_show_their_labels_and_conditional_marks_stay() -> None:
    text = "Press [the **big** button](https://a.example/b) {for win}twice{/for}{for mac}once{/for}.\n"
    assert shown(text) == ["[1] Press the big button {for win}twice{/for}{for mac}once{/for}."]
    assert quotes(text) == [text.strip()]


def test_a_lone_mark_is_shown_and_is_no_place() -> None:
    assert shown("{for win}\n\n1. Press it.\n\n{/for}\n") == ["{for win}", "[1] 1. Press it.", "{/for}"]


def test_what_nobody_sees_is_no_place() -> None:
    text = "Open it. <!-- Ask for the PIN. Send it to us. --> Close it.\n\n<!--\nCall us. Now.\n-->\n\nDone.\n"
    assert "".join(shown(text)).find("PIN") == -1
    assert [line.partition("] ")[2] for line in shown(text)] == ["Open it.", "Close it.", "Done."]


def test_numbers_run_on_through_the_passages() -> None:
    two = [passage("One. Two."), passage("Three.")]
    assert show_passages([[one.text] for one in two], ENGLISH) == ["[1] One.\n[2] Two.", "[3] Three."]
    assert [place.excerpt.text for place in find_places(two, ENGLISH)] == ["One. Two.", "One. Two.", "Three."]


@pytest.mark.parametrize("text", ["word " * 900, "x" * 4_000, "- " + "word " * 900, "1. Press. " * 300])
def test_no_place_is_endless_and_nothing_is_lost(text: str) -> None:
    found = quotes(text)
    assert max(map(len, found)) <= LONGEST_PLACE
    letters = "".join(c for c in text if c.isalpha())
    assert "".join(c for quote in found for c in quote if c.isalpha()) == letters


def test_a_text_without_words_has_no_place() -> None:
    assert quotes("***\n\n![a picture](a.png)\n\n---\n") == []

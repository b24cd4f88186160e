from __future__ import annotations

import pytest

from autokb.chunking.boilerplate import BlockVerdict, filter_boilerplate
from autokb.chunking.boilerplate.page_filter import empty_line
from autokb.chunking.boilerplate.site_boilerplate import block_hash
from autokb.chunking.boilerplate.visible_text import visible_words
from autokb.chunking.chunk_result import MarkedPage
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.marks import Mark, MarkKind
from autokb.core.nouns import Document

TEXT = [
    "The speaker stays silent after the update when it still plays to the phone it was paired with before.",
    "Hold the power button for ten seconds, wait until the light turns blue, and pair the two devices once more.",
    "If nothing helps, reset the speaker, which also removes the names of all phones that it knows.",
]
Part = tuple[str, tuple[MarkKind, ...]]
VOTE: tuple[MarkKind, ...] = ("kept_by_trafilatura",)
# Running text that no one keeps makes it no page of nearly all text, for which other rules hold.
TEASERS: list[Part] = [
    (f"Number {n}: the lamps of this year glow in a colour that nobody has seen before.", ()) for n in range(4)
]
PARTS: list[Part] = [
    ("[Skip to main content](#main)", ()),
    ("- [Home](/)", ("nav",)),
    ("- [Shop](/shop)", ("nav",)),
    ("# No sound", VOTE),
    (TEXT[0], VOTE),
    ("## What to do", VOTE),
    (TEXT[1], VOTE),
    ("1. Open the settings.", VOTE),
    ("2. Tap Sound.", ()),
    ("| Light | Meaning |\n| --- | --- |\n| red | empty |", ()),
    ("```\nlumo --reset\n```", ()),
    ("![The button](button.png)", ()),
    (TEXT[2], VOTE),
    ("Was this article helpful?", ()),
    ("## Related articles", ()),
    ("- [Charging](/charging)", ()),
    ("- [Pairing](/pairing)", ()),
    ("## Talk to us", ("footer",)),
    ("© 2026 Lumo. All rights reserved.", ("footer",)),
]
KEPT = [*(text for text, _ in PARTS[3:13])]


def page(parts: list[Part]) -> tuple[str, tuple[Mark, ...]]:
    """Put a page together from its paragraphs and the marks that each has."""
    text, spans = "", []
    for n, (part, _) in enumerate(parts):
        in_list = n and part[:2] in ("- ", "2.") and parts[n - 1][0][:2] in ("- ", "1.")
        text += ("\n" if in_list else "\n\n") if n else ""
        spans.append((len(text), len(text) + len(part)))
        text += part
    marks = (Mark(*span, kind) for span, (_, kinds) in zip(spans, parts, strict=True) for kind in kinds)
    return text, tuple(sorted(marks, key=lambda m: (m.start, m.end, m.kind)))


def filtered(parts: list[Part], repeated: frozenset[str] = frozenset()) -> dict[str, BlockVerdict]:
    """Return the verdict on each paragraph; of two with the same words the second."""
    text, marks = page(parts)
    blocks = numbered_blocks(text)
    verdicts = filter_boilerplate(MarkedPage(Document("d", "T", text), marks, repeated), blocks)
    return {text[b.start : b.end]: v for b, v in zip(blocks, verdicts, strict=True)}


def kept(parts: list[Part], repeated: frozenset[str] = frozenset()) -> list[str]:
    return [words for words, verdict in filtered(parts, repeated).items() if verdict.keeps]


def test_the_text_stays_whole_and_boilerplate_goes_with_a_reason() -> None:
    found = filtered(PARTS)
    assert [words for words, verdict in found.items() if verdict.keeps] == KEPT
    assert {words: verdict.reason for words, verdict in found.items() if not verdict.keeps} == {
        "[Skip to main content](#main)": "a link to another part of the page",
        "- [Home](/)": "menu",
        "- [Shop](/shop)": "menu",
        "Was this article helpful?": "outside the main text",
        "## Related articles": "heading left without content",
        "- [Charging](/charging)": "links only",
        "- [Pairing](/pairing)": "links only",
        "## Talk to us": "heading left without content",
        "© 2026 Lumo. All rights reserved.": "page footer",
    }


def test_a_warning_that_is_repeated_in_another_section_stays_there() -> None:
    parts = [*PARTS[3:13], ("## If it is silent still", VOTE), (TEXT[1], VOTE), (TEXT[2], VOTE)]
    assert all(verdict.keeps for verdict in filtered(parts).values())


@pytest.mark.parametrize("line", ["Share: Facebook Twitter", "Tweet", "Share this article", "Advertisement"])
def test_a_line_that_shares_the_page_goes_from_inside_the_text(line: str) -> None:
    verdict = filtered([*PARTS[3:7], (line, ()), *PARTS[7:13]])[line]
    assert not verdict.keeps and verdict.reason in ("sharing and social networks", "an advertisement")


def test_a_text_about_sharing_stays() -> None:
    for words in ("Share pictures on Facebook with two taps.", "Facebook", "Print a copy"):
        assert filtered([*PARTS[3:7], (words, VOTE), *PARTS[7:13]])[words].keeps, words
    menu: list[Part] = [("## Share", VOTE), ("- Print", VOTE), ("- Share", VOTE), ("- Save", VOTE)]
    assert all(filtered([*PARTS[3:7], *menu, *PARTS[12:13]])[words].keeps for words, _ in menu)


def test_a_paragraph_of_links_goes_and_one_with_a_link_stays() -> None:
    link, linked = "[How lamps are made and sold](/lamps)", "See how [lamps are made](/lamps) if you want to know more."
    found = filtered([*PARTS[3:7], (link, VOTE), (linked, VOTE), *PARTS[12:13]])
    assert found[link].reason == "links only" and found[linked].keeps


RELATED: list[Part] = [("## More pages", VOTE), ("- [Charging](/charging)", ()), ("- [Pairing](/pairing)", ())]
CONTACT: list[Part] = [("Chat with us", VOTE), ("We are there from 8 to 8. [Ask for a call](/call)", VOTE)]


def test_the_lines_behind_the_links_that_a_page_ends_with_go() -> None:
    found = filtered([*PARTS[3:13], *RELATED, *CONTACT, *PARTS[17:]])
    assert [words for words, verdict in found.items() if verdict.keeps] == KEPT
    for words, _ in CONTACT:
        assert found[words].reason == "after the closing links" and not found[words].is_sure


@pytest.mark.parametrize(
    "behind",
    [
        [("This holds for the Lumo 2 too.", VOTE)],  # no link
        [*CONTACT, (TEXT[2], VOTE)],  # more than a line
        [*CONTACT, ("1. Open the lid of the case.", VOTE)],
        [("## Talk to us", VOTE), *CONTACT],  # a section of its own
    ],
)
def test_what_is_more_than_lines_behind_links_stays(behind: list[Part]) -> None:
    assert {words for words, _ in behind} <= set(kept([*PARTS[3:13], *RELATED, *behind]))


def test_lines_behind_links_inside_a_section_of_text_stay() -> None:
    assert CONTACT[0][0] in kept([*PARTS[3:13], *RELATED[1:], *CONTACT])
    assert CONTACT[0][0] in kept([*PARTS[3:13], *RELATED[:2], *CONTACT])  # one link is no list


def test_steps_are_kept_or_left_out_as_a_whole() -> None:
    steps: list[Part] = [("1. Open the lid of the case.", VOTE), ("2. Press the button in it.", VOTE), ("2. Wait.", ())]
    found = filtered([*PARTS[3:7], *steps])
    assert all(found[words].keeps for words, _ in steps)
    found = filtered([*PARTS[3:7], *((words, ()) for words, _ in steps), *TEASERS])
    assert not any(found[words].keeps for words, _ in steps)


def test_a_list_without_links_inside_the_text_is_kept() -> None:
    needed = ("- two cables", "- a soft cloth", "- a small screwdriver")
    parts: list[Part] = [*PARTS[3:6], *[(item, ()) for item in needed], *PARTS[6:13], *TEASERS]
    assert set(needed) <= set(kept(parts))
    linked: list[Part] = [(f"- [{item[2:]}](/{n})", ()) for n, item in enumerate(needed)]
    assert not {item for item, _ in linked} & set(kept([*PARTS[3:6], *linked, *PARTS[6:13], *TEASERS]))
    aside: list[Part] = [(item, ("aside",)) for item in needed]
    assert not set(needed) & set(kept([*PARTS[3:6], *aside, *PARTS[6:13], *TEASERS]))


def test_tables_and_code_stand_with_the_text_around_them() -> None:
    table, code = PARTS[9][0], PARTS[10][0]
    assert {table, code} <= set(kept([*PARTS[3:7], (table, ()), (code, ()), *PARTS[12:13], *TEASERS]))
    assert not {table, code} & set(kept([*PARTS[3:7], (table, ("aside",)), *PARTS[12:13], *TEASERS, (code, ())]))


def test_of_words_that_the_extractor_drops_near_the_text_it_is_not_sure() -> None:
    caption = "The light beside the button"
    parts: list[Part] = [*PARTS[3:7], (caption, ()), *PARTS[12:13], *TEASERS]
    found = filtered(parts)
    assert found[caption] == BlockVerdict(False, "outside the main text", is_sure=False)
    assert [found[words].is_sure for words, _ in TEASERS] == [False, False, False, True]
    aside = filtered([(words, ("aside",) if words == caption else kinds) for words, kinds in parts])
    assert aside[caption] == BlockVerdict(False, "sidebar")


def test_on_a_page_of_nearly_all_text_what_the_extractor_missed_inside_is_kept() -> None:
    missed = ["The first of two long paragraphs that are missing. " * 3, "The second of the two is missing. " * 3]
    parts: list[Part] = [*PARTS[3:7], *[(words.strip(), ()) for words in missed], *[(t, VOTE) for t in TEXT * 6]]
    assert all(filtered(parts)[words.strip()].keeps for words in missed)
    assert not any(filtered([*parts, *TEASERS, *TEASERS])[words.strip()].keeps for words in missed)


@pytest.mark.parametrize("question", [("### Does it stand rain?", VOTE), ("Does it stand rain?", ("form",))])
def test_the_folded_answer_of_an_accordion_is_kept_with_its_question(question: Part) -> None:
    answer = ["It stands light rain for half an hour.", "1. Dry it.", "2. Charge it."]
    folded: list[Part] = [question, *((words, ("hidden",)) for words in answer), ("[Shop](/shop)", ("hidden",))]
    other: list[Part] = [("### Is it safe?", VOTE), ("It is.", ("hidden",))]
    page = [*PARTS[3:7], *folded, *other, *PARTS[12:13], *TEASERS]
    assert kept(page)[4:-1] == [question[0], *answer, *(words for words, _ in other)]
    once = [part for part in page if part not in other]
    assert not set(answer) & set(kept(once))
    alone: list[Part] = [*PARTS[3:7], *folded[1:], *other, *PARTS[12:13], *TEASERS]
    assert not set(answer) & set(kept(alone))


def test_code_and_steps_ask_nothing_of_the_reader() -> None:
    parts: list[Part] = [("1. Subscribe to the folder.", VOTE), ("```\nmqtt subscribe\n```", VOTE)]
    assert {words for words, _ in parts} <= set(kept([*PARTS[3:7], *parts, *PARTS[12:13], *TEASERS]))


def test_what_other_pages_have_too_goes_outside_the_text_and_stays_inside() -> None:
    greeting, warning = "A kind notice greets whoever comes to this site.", "Keep the power on while a reset goes on."
    parts: list[Part] = [(greeting, VOTE), *PARTS[3:12], (warning, VOTE), *PARTS[12:]]
    long = " It is said here at some length, so that the page has most of its text for itself."
    parts = [(words + long * (words in TEXT), kinds) for words, kinds in parts]
    repeated = frozenset(map(block_hash, (greeting, warning)))
    before, after = filtered(parts), filtered(parts, repeated)
    assert before[greeting].keeps and before[warning].keeps
    assert after[greeting] == BlockVerdict(False, "repeated on other pages")
    assert after[warning] == before[warning]


def test_manuals_that_share_most_of_their_text_keep_it() -> None:
    assert set(TEXT) <= set(kept(PARTS, frozenset(map(block_hash, TEXT))))


def test_headings_are_kept_above_kept_text_and_over_a_little_boilerplate() -> None:
    parts: list[Part] = [
        ("## Lumo printer help", ()),
        ("[Main menu](index.html)", ()),
        ("### Faxing fails", ()),
        (TEXT[0], VOTE),
        (TEXT[1], VOTE),
        ("### Latest offers", ()),
        ("- [Ink](/ink)", ()),
    ]
    assert kept(parts) == ["## Lumo printer help", "### Faxing fails", *TEXT[:2]]
    far = [*parts[:1], *[(f"[Menu {n}](m{n}.html)", parts[1][1]) for n in range(5)], *parts[2:]]
    assert "## Lumo printer help" not in kept(far)
    hidden: list[Part] = [("## Lumo printer help", ("hidden",)), *parts[1:]]
    assert "## Lumo printer help" not in kept(hidden)


def test_a_picture_between_kept_paragraphs_is_kept() -> None:
    assert "![The button](button.png)" in kept(PARTS)
    assert "![An offer](offer.png)" not in kept([*PARTS, ("![An offer](offer.png)", ()), *TEASERS])


def test_a_page_without_an_article_keeps_its_running_words_outside_of_areas() -> None:
    parts: list[Part] = [(text, tuple(k for k in kinds if k not in VOTE)) for text, kinds in PARTS]
    found = filtered(parts)
    assert all(found[text].keeps for text in TEXT)
    assert not found["- [Home](/)"].keeps and not found["© 2026 Lumo. All rights reserved."].keeps


def test_a_page_of_headings_only_keeps_them_and_loses_its_menu() -> None:
    heads = ["# Lumo", "## Sound", "## Light", "### Colours"]
    found = kept([("- [Home](/)", ("nav",)), *[(head, ()) for head in heads], ("© 2026 Lumo.", ("footer",))])
    assert found == heads


MANUAL = f"""- [Contents](#contents)
- [Index](#index)
- [Glossary](#glossary)

# Lumo

{TEXT[0]}

## Share pictures

1. Sign in.
2. Tap **Share**.

## See also

- [Charging](charging.md)
- [Pairing](pairing.md)

## Left empty

## A heading that says something all alone

## Help

Mailing lists are the place to ask. Subscribe to one of them and write about the cookies of your browser, too.

[Back to top](#top)
"""


def test_of_a_text_without_marks_only_sure_boilerplate_goes() -> None:
    blocks = numbered_blocks(MANUAL)
    verdicts = filter_boilerplate(MarkedPage(Document("d", "T", MANUAL)), blocks)
    assert {MANUAL[b.start : b.end]: v.reason for b, v in zip(blocks, verdicts, strict=True) if not v.keeps} == {
        "- [Contents](#contents)": "menu before the text",
        "- [Index](#index)": "menu before the text",
        "- [Glossary](#glossary)": "menu before the text",
        "## Left empty": "heading without content",
        "[Back to top](#top)": "a link to another part of the page",
    }


def test_no_paragraphs_no_verdicts() -> None:
    assert filter_boilerplate(MarkedPage(Document("d", "T", "")), ()) == ()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Skip to content", "a link to another part of the page"),
        ("Facebook Twitter E-mail", "sharing and social networks"),
        ("Share on X or LinkedIn", "sharing and social networks"),
        ("Sponsored content", "an advertisement"),
        ("Share pictures and videos", ""),
        ("Facebook", ""),
        ("Print or save it", ""),
        ("", ""),
    ],
)
def test_a_line_that_says_nothing_of_its_own_is_known(words: str, kind: str) -> None:
    assert empty_line(words) == kind


def test_pictures_are_no_words_whatever_their_address_holds() -> None:
    assert visible_words("![A map](https://cdn.example/a(1):b()/x(2).png) seen") == "seen"


def test_a_list_of_which_the_extractor_keeps_the_last_item_alone_is_the_end_of_the_text() -> None:
    lights: list[Part] = [("- Two lights: the tank is empty.", ()), ("- One light: it rinses.", ()), ("- None.", VOTE)]
    assert {words for words, _ in lights} <= set(kept([*PARTS[3:7], *lights, *TEASERS]))

from __future__ import annotations

import pytest

from autokb.chunking.boilerplate import BlockVerdict, filter_boilerplate
from autokb.chunking.boilerplate.features import VOTES, boilerplate_features, visible_texts, visible_words
from autokb.chunking.boilerplate.phrases import boilerplate_kind, is_credit, names_section
from autokb.chunking.boilerplate.site_boilerplate import block_hash
from autokb.chunking.boilerplate.verdict import KEEP_FROM
from autokb.chunking.boilerplate.weights import WITH_VOTES, WITHOUT_VOTES
from autokb.chunking.chunk_result import Page
from autokb.chunking.structure.blocks import numbered_blocks
from autokb.core.marks import Mark, MarkKind
from autokb.core.nouns import Document

TEXT = [
    "The speaker stays silent after the update when it still plays to the phone it was paired with before.",
    "Hold the power button for ten seconds, wait until the light turns blue, and pair the two devices once more.",
    "If nothing helps, reset the speaker, which also removes the names of all phones that it knows.",
]
PARTS: list[tuple[str, tuple[MarkKind, ...]]] = [
    ("[Skip to main content](#main)", ()),
    ("- [Home](/)", ("nav",)),
    ("- [Shop](/shop)", ("nav",)),
    ("# No sound", VOTES),
    (TEXT[0], VOTES),
    ("## What to do", VOTES),
    (TEXT[1], VOTES),
    ("1. Open the settings.", VOTES),
    ("2. Tap Sound.", ()),
    ("| Light | Meaning |\n| --- | --- |\n| red | empty |", ()),
    ("```\nlumo --reset\n```", ()),
    ("![The button](button.png)", ()),
    (TEXT[2], VOTES),
    ("Was this article helpful?", ()),
    ("## Related articles", ()),
    ("- [Charging](/charging)", ()),
    ("- [Pairing](/pairing)", ()),
    ("## Talk to us", ("footer",)),
    ("© 2026 Lumo. All rights reserved.", ("footer",)),
]
KEPT = [*(text for text, _ in PARTS[3:13])]


def page(parts: list[tuple[str, tuple[MarkKind, ...]]]) -> tuple[str, tuple[Mark, ...]]:
    """Put a page together from its paragraphs and the marks that each has."""
    text, spans = "", []
    for n, (part, _) in enumerate(parts):
        text += (
            ("\n" if n and part[:2] in ("- ", "2.") and parts[n - 1][0][:2] in ("- ", "1.") else "\n\n") if n else ""
        )
        spans.append((len(text), len(text) + len(part)))
        text += part
    marks = (Mark(*span, kind) for span, (_, kinds) in zip(spans, parts, strict=True) for kind in kinds)
    return text, tuple(sorted(marks, key=lambda m: (m.start, m.end, m.kind)))


def scores(
    parts: list[tuple[str, tuple[MarkKind, ...]]], repeated: frozenset[str] = frozenset()
) -> dict[str, BlockVerdict]:
    text, marks = page(parts)
    blocks = numbered_blocks(text)
    verdicts = filter_boilerplate(Page(Document("d", "T", text), marks, repeated), blocks)
    return {text[b.start : b.end]: v for b, v in zip(blocks, verdicts, strict=True)}


def test_the_text_stays_whole_and_the_furniture_goes_with_a_reason() -> None:
    found = scores(PARTS)
    assert [words for words, verdict in found.items() if verdict.keeps] == KEPT
    reasons = {words: verdict.reason for words, verdict in found.items() if not verdict.keeps}
    assert reasons == {
        "[Skip to main content](#main)": "a link to another part of the page",
        "- [Home](/)": "stands in a menu",
        "- [Shop](/shop)": "stands in a menu",
        "Was this article helpful?": "a question about the page",
        "## Related articles": "is a heading with nothing kept below it",
        "- [Charging](/charging)": reasons["- [Charging](/charging)"],
        "- [Pairing](/pairing)": reasons["- [Pairing](/pairing)"],
        "## Talk to us": "is a heading with nothing kept below it",
        "© 2026 Lumo. All rights reserved.": "legal notices",
    }
    assert all(reasons.values())


def test_a_score_between_the_sure_ones_is_unsure_and_the_middle_decides() -> None:
    for verdict in scores(PARTS).values():
        assert verdict.kind == ("keep" if verdict.score >= 0.8 else "drop" if verdict.score <= 0.2 else "unsure")
        assert verdict.keeps == (verdict.score >= KEEP_FROM)
        assert bool(verdict.reason) or verdict.kind == "keep" or verdict.keeps


def test_steps_of_one_list_share_one_verdict() -> None:
    found = scores(PARTS)
    assert found["1. Open the settings."].score == found["2. Tap Sound."].score


def test_what_other_pages_have_too_goes_outside_the_text_and_stays_inside() -> None:
    greeting, warning = "A kind notice greets whoever comes to this site.", "Keep the power on while a reset goes on."
    parts = [(greeting, VOTES), *PARTS[3:12], (warning, VOTES), *PARTS[12:]]
    long = " It is said here at some length, so that the page has most of its text for itself."
    parts = [(words + long * (words in TEXT), kinds) for words, kinds in parts]
    repeated = frozenset(map(block_hash, (greeting, warning)))
    before, after = scores(parts), scores(parts, repeated)
    assert before[greeting].keeps and before[warning].keeps
    assert after[greeting] == BlockVerdict("drop", 0.05, "stands on several pages of the site")
    assert after[warning] == before[warning]


def test_what_no_other_page_has_is_kept_where_the_furniture_of_the_site_is_known() -> None:
    menu = "[Main menu](index.html) for all of the help pages"
    link = "To ask a question about your printer use [this page of the forum of questions](https://example.org/ask)"
    usage = "Usage: lumo-scan [device] [mode] [-n options] and then files"
    pages: list[tuple[str, tuple[MarkKind, ...]]] = [(menu, ()), (link, ()), (usage, ()), ("Ask us now", ("nav",))]
    alone = scores([*PARTS, *pages])
    assert not alone[link].keeps and not alone[usage].keeps
    known = scores([*PARTS, *pages], frozenset({block_hash(visible_words(menu))}))
    assert known[link].keeps and known[usage].keeps
    assert not known[menu].keeps and not known["Ask us now"].keeps and not known["- [Home](/)"].keeps


def test_headings_are_kept_above_kept_text_and_over_a_little_furniture() -> None:
    parts: list[tuple[str, tuple[MarkKind, ...]]] = [
        ("## Lumo printer help", ()),
        ("[Main menu](index.html)", ()),
        ("### Faxing fails", ()),
        (TEXT[0], VOTES),
        (TEXT[1], VOTES),
        ("### Latest offers", ()),
        ("- [Ink](/ink)", ()),
    ]
    found = scores(parts)
    assert found["## Lumo printer help"].keeps and found["### Faxing fails"].keeps
    assert not found["[Main menu](index.html)"].keeps and not found["### Latest offers"].keeps
    far = [*parts[:1], *[(f"[Menu {n}](m{n}.html)", parts[1][1]) for n in range(5)], *parts[2:]]
    assert not scores(far)["## Lumo printer help"].keeps
    hidden: list[tuple[str, tuple[MarkKind, ...]]] = [("## Lumo printer help", ("hidden",)), *parts[1:]]
    assert not scores(hidden)["## Lumo printer help"].keeps


def test_a_list_of_links_that_a_sentence_announces_is_kept() -> None:
    sums = ("- [sums of the disks](/cd),", "- [sums of the sticks](/usb).")
    said = "The sums of all files can be found in these places:"
    parts: list[tuple[str, tuple[MarkKind, ...]]] = [*PARTS[:13], (said, VOTES), (sums[0], ()), (sums[1], ())]
    assert all(scores(parts)[item].keeps for item in sums)
    parts[13] = (said.replace(":", "."), VOTES)
    assert not any(scores(parts)[item].keeps for item in sums)


def test_a_list_without_links_inside_the_text_is_kept() -> None:
    needed = ("- two cables", "- a soft cloth", "- a small screwdriver")
    parts = [*PARTS[:6], *[(item, ()) for item in needed], *PARTS[6:]]
    assert all(scores(parts)[item].keeps for item in needed)
    linked = [f"- [{item[2:]}](/{n})" for n, item in enumerate(needed)]
    assert not any(scores([*PARTS[:6], *[(i, ()) for i in linked], *PARTS[6:]])[item].keeps for item in linked)
    aside: list[tuple[str, tuple[MarkKind, ...]]] = [(item, ("aside",)) for item in needed]
    assert not any(scores([*PARTS[:6], *aside, *PARTS[6:]])[item].keeps for item in needed)


def test_manuals_that_share_most_of_their_text_keep_it() -> None:
    repeated = frozenset(map(block_hash, TEXT))
    assert all(scores(PARTS, repeated)[text].keeps for text in TEXT)


def test_a_page_that_no_extractor_read_is_judged_by_the_rest() -> None:
    parts = [(text, tuple(k for k in kinds if k not in VOTES)) for text, kinds in PARTS]
    found = scores(parts)
    assert all(found[text].keeps for text in TEXT)
    assert not found["- [Home](/)"].keeps and not found["© 2026 Lumo. All rights reserved."].keeps


def test_where_the_votes_would_leave_no_running_text_they_are_not_heard() -> None:
    parts = [(f"{text}", ()) for text in TEXT] + [("- [Home](/)", VOTES), ("- [Shop](/shop)", VOTES)]
    assert any(scores(parts)[text].keeps for text in TEXT)


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


def test_of_a_text_without_marks_only_sure_furniture_goes() -> None:
    blocks = numbered_blocks(MANUAL)
    verdicts = filter_boilerplate(Page(Document("d", "T", MANUAL)), blocks)
    dropped = {MANUAL[b.start : b.end]: v.reason for b, v in zip(blocks, verdicts, strict=True) if not v.keeps}
    assert dropped == {
        "- [Contents](#contents)": "is a list of links before the text",
        "- [Index](#index)": "is a list of links before the text",
        "- [Glossary](#glossary)": "is a list of links before the text",
        "## Left empty": "is a heading with nothing below it",
        "[Back to top](#top)": "a link to another part of the page",
    }


def test_no_paragraphs_no_verdicts() -> None:
    assert filter_boilerplate(Page(Document("d", "T", "")), ()) == ()


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Skip to content", "a link to another part of the page"),
        ("We use cookies; manage your settings", "a cookie notice"),
        ("Subscribe to our newsletter", "an invitation to subscribe"),
        ("Facebook Twitter E-mail", "sharing and social networks"),
        ("Copyright © 2026 Lumo", "legal notices"),
        ("Related articles", "related pages"),
        ("Leave a reply", "comments"),
        ("Was this page useful?", "a question about the page"),
        ("Request a call", "ways to reach people"),
        ("Sign in", "an account"),
        ("« Previous 1 2 3 Next »", "turning pages"),
        ("Next", "turning pages"),
        ("Share pictures and videos", ""),
        ("Follow the steps on all servers", ""),
        ("Open the cookie jar", ""),
        ("+81 158-23-2012", ""),
        ("", ""),
    ],
)
def test_furniture_is_known_by_its_words(words: str, kind: str) -> None:
    assert boilerplate_kind(words, len(words.split())) == kind


def test_a_long_text_that_names_such_things_is_about_them() -> None:
    assert boilerplate_kind("Subscribe to our newsletter. " + "word " * 45, 49) == ""
    assert is_credit("(Photo: A. Nother)", 3) and not is_credit("Photo " * 50, 50)
    assert names_section("related pages") and not names_section("sharing and social networks")


def test_signs_are_shares_and_every_weight_has_its_sign() -> None:
    text, marks = page(PARTS)
    blocks = numbered_blocks(text)
    texts = visible_texts(text, blocks)
    found = boilerplate_features(blocks, texts, marks)
    assert all(0 <= value <= 1 for features in found for value in features.values())
    assert set(WITH_VOTES.of) <= set(found[0]) and set(WITHOUT_VOTES.of) < set(WITH_VOTES.of)
    assert not [name for name in WITHOUT_VOTES.of if "kept" in name or "trafilatura" in name]
    at = {
        text[b.start : b.end]: (block_text, features)
        for b, block_text, features in zip(blocks, texts, found, strict=True)
    }
    block_text, features = at["- [Home](/)"]
    assert (block_text.linked, features["nav"], features["kept_by_both"], features["item"]) == (1.0, 1.0, 0.0, 1.0)
    block_text, features = at[TEXT[1]]
    assert (block_text.linked, features["kept_by_both"], features["sentence"], features["nav"]) == (0.0, 1.0, 1.0, 0.0)
    assert at["- [Charging](/charging)"][1]["under_boilerplate"] == 1.0


def test_pictures_are_no_words_whatever_their_address_holds() -> None:
    assert visible_words("![A map](https://cdn.example/a(1):b()/x(2).png) seen") == "seen"


def test_a_page_of_headings_only_keeps_them_and_loses_its_menu() -> None:
    heads = ["# Lumo", "## Sound", "## Light", "### Colours"]
    found = scores([("- [Home](/)", ("nav",)), *[(head, ()) for head in heads], ("© 2026 Lumo.", ("footer",))])
    assert [words for words, verdict in found.items() if verdict.keeps] == heads


def test_a_page_of_which_no_paragraph_is_left_keeps_its_own_words() -> None:
    own = ["Seal of", "[Item](/4) four is broken and", "some words here"]
    parts: list[tuple[str, tuple[MarkKind, ...]]] = [(words, ()) for words in own]
    boilerplate: list[tuple[str, tuple[MarkKind, ...]]] = [
        ("Ask us now", ("nav",)),
        ("Closed today", ("hidden",)),
        ("Subscribe to our newsletter", ()),
        ("[Shop](/shop)", ()),
    ]
    found = scores([*boilerplate, *parts])
    assert [words for words, verdict in found.items() if verdict.keeps] == own
    links: list[tuple[str, tuple[MarkKind, ...]]] = [(f"[Chapter {n} of all of them](/{n})", ()) for n in range(4)]
    assert not any(verdict.keeps for verdict in scores([*boilerplate, *links, *parts]).values())

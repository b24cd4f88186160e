from __future__ import annotations

from itertools import pairwise

import pytest

from autokb.core.errors import UnreadableFileError
from autokb.core.marks import MarkKind
from autokb.sources import whole_page as module
from autokb.sources.whole_page import WholePage, whole_page

SENTENCES = [
    "The speaker stays silent after the update when it still plays to the phone it was paired with before.",
    "Hold the power button for ten seconds, wait until the light turns blue, and pair the two devices once more.",
    "If nothing helps, reset the speaker, which also removes the names of all phones that it knows, and begin anew.",
]
PAGE = f"""<!DOCTYPE html><html><head><title>No sound | Lumo</title><script>var menu = "Shop";</script>
<link rel="canonical" href="https://lumo.example/help/sound"></head><body>
<header><p>Lumo support</p></header>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<main><article><h1>No sound</h1><p>{SENTENCES[0]}</p><p>{SENTENCES[1]} {SENTENCES[1]}</p>
<ol><li>Open <b>Settings</b>.</li><li>Tap <a href="/sound">Sound</a>.</li></ol><p>{SENTENCES[2]} {SENTENCES[0]}</p>
</article></main>
<div style="display:none"><p>Folded away</p></div>
<div class="cookie-banner"><p>We use cookies.</p></div>
<aside class="note"><p>A note of the text.</p></aside><aside><p>Other pages</p></aside>
<form action="/find"><label>Your question</label><button>Send</button></form>
<div role="dialog"><p>Stay a while</p></div>
<footer><p>Imprint of Lumo</p></footer></body></html>"""


@pytest.fixture(scope="module")
def page() -> WholePage:
    return whole_page(PAGE)


def kinds(page: WholePage, words: str) -> set[MarkKind]:
    """Return the kinds of marks over the middle of some words."""
    middle = page.text.index(words) + len(words) // 2
    return {mark.kind for mark in page.marks if mark.start <= middle < mark.end}


def test_everything_that_can_be_seen_is_there_and_structure_stays(page: WholePage) -> None:
    assert (page.title, page.url) == ("No sound", "https://lumo.example/help/sound")
    for words in (
        *(
            "Lumo support",
            "- [Home](/)\n- [Shop](/shop)",
            "# No sound\n",
            "1. Open **Settings**.\n2. Tap [Sound](/sound).",
        ),
        *("Folded away", "We use cookies.", "A note of the text.", "Other pages", "Your question", "Send"),
        *("Stay a while", "Imprint of Lumo"),
    ):
        assert words in page.text, words
    assert "var menu" not in page.text


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Lumo support", "header"),
        ("Home", "nav"),
        ("Folded away", "hidden"),
        ("We use cookies.", "named"),
        ("Other pages", "aside"),
        ("Your question", "form"),
        ("Stay a while", "dialog"),
        ("Imprint of Lumo", "footer"),
    ],
)
def test_parts_of_the_page_are_marked(page: WholePage, words: str, kind: MarkKind) -> None:
    assert kinds(page, words) == {kind}


def test_the_text_is_marked_as_kept_by_both_extractors_and_nothing_else_is(page: WholePage) -> None:
    for words in (*SENTENCES, "Open **Settings**"):
        assert kinds(page, words) == {"kept_by_trafilatura", "kept_by_readability"}, words
    assert not kinds(page, "A note of the text.") & {"nav", "aside", "hidden", "form", "dialog", "named"}


def test_a_mark_tells_how_much_of_it_is_links(page: WholePage) -> None:
    values = {mark.kind: mark.value for mark in page.marks}
    assert values["nav"] == 1.0 and values["footer"] == 0.0


def test_marks_are_sorted_inside_the_text_and_those_of_one_kind_apart(page: WholePage) -> None:
    assert list(page.marks) == sorted(page.marks, key=lambda m: (m.start, m.end, m.kind))
    for kind in {mark.kind for mark in page.marks}:
        spans = [(m.start, m.end) for m in page.marks if m.kind == kind]
        assert all(0 <= start < end <= len(page.text) for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize("tag", ["form", "header", "nav", "footer", "aside", "section"])
def test_a_page_inside_one_part_is_read_and_not_taken_for_that_part(tag: str) -> None:
    found = whole_page(f"<body><{tag}><h1>Title</h1><p>{SENTENCES[0]}</p></{tag}></body>")
    assert found.text == f"# Title\n\n{SENTENCES[0]}\n"
    assert {mark.kind for mark in found.marks} <= {"kept_by_trafilatura", "kept_by_readability"}


def test_the_numbers_of_the_texts_leave_no_trace() -> None:
    found = whole_page(
        "<p>1. no list</p><p># no heading</p><p>+</p><p>x <b>bold</b>, y\U00100001\U00101002.</p><ol><li>5</ol>"
    )
    assert found.text == "1\\. no list\n\n\\# no heading\n\n\\+\n\nx **bold**, y.\n\n1. 5\n"


def test_a_heading_that_was_never_closed_does_not_swallow_the_page() -> None:
    assert whole_page(f"<h2>Title<div><p>{SENTENCES[0]}</p><p>{SENTENCES[1]}</p></div></h2>").text == (
        f"Title\n\n{SENTENCES[0]}\n\n{SENTENCES[1]}\n"
    )


@pytest.mark.parametrize("html", ["", "   ", "<script>x()</script>" * 100, "<html><head></head><body></body></html>"])
def test_a_page_without_text_is_empty(html: str) -> None:
    assert whole_page(html) == WholePage("")


def test_broken_html_and_plain_words_are_read() -> None:
    assert whole_page("just words").text == "just words\n"
    assert "1" in whole_page("<p>a<b>b<i>c</p></b><ul><li>x<li>y<table><td>1").text


def test_a_page_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="nests more than 500"):
        whole_page("<p>before</p>" + "<table><tr><td>" * 100_000 + "inside")


def test_a_page_that_is_too_long_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(UnreadableFileError, match="10,000,000 can be cut at most"):
        whole_page("<p>word</p>" * 1_000_000)


def test_a_long_page_is_not_given_to_the_extractors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXTRACTED", len(PAGE) - 1)
    assert {mark.kind for mark in whole_page(PAGE).marks} == {
        *("nav", "header", "footer", "aside", "form", "hidden", "dialog", "named")
    }


def test_code_keeps_its_white_space_and_text_around_it_does_not() -> None:
    found = whole_page(
        "<p>one\n  <code>a  <b>b  c</b>  d</code>  two</p><pre>x\n  <code>y  z</code>\n</pre><p>a\n<b>b</b>\nc</p>"
    )
    assert found.text == "one `a  b  c  d` two\n\n```\nx\n  y  z\n```\n\na **b** c\n"


def test_a_text_far_into_a_line_begins_at_its_own_marks() -> None:
    line = f"<p>{SENTENCES[0]} <b>Bold</b> end <span hidden>gone</span>{SENTENCES[1]}</p>"
    found = whole_page(f"<div>{line}<nav>{SENTENCES[2]}</nav></div>")
    hidden = next(mark for mark in found.marks if mark.kind == "hidden")
    assert found.text[hidden.start : hidden.end] == "gone"
    menu = next(mark for mark in found.marks if mark.kind == "nav")
    assert found.text[menu.start :].startswith("If nothing helps")


def test_texts_deep_inside_a_link_are_links_and_those_after_it_are_none() -> None:
    page = "<footer><a href='/a'><span><b>twelve signs</b></span></a> and twelve..</footer>"
    found = whole_page(f"<p>{SENTENCES[0]}</p><p>{SENTENCES[1]}</p>{page}")
    mark = next(mark for mark in found.marks if mark.kind == "footer")
    linked = len("[**twelve signs**](/a) ") / len("[**twelve signs**](/a) and twelve..")
    assert mark.value == pytest.approx(linked, abs=0.06)


@pytest.mark.parametrize("odd", ["\x1b", "&#27;", "&#x2;", "&#xFFFF;", "&#x100000;&#x101fff;", "\U00100000\U00101fff"])
def test_a_character_that_no_text_may_hold_costs_itself_alone(odd: str) -> None:
    page = whole_page(f"<body><h1>Lid</h1><p>{SENTENCES[0]}{odd}</p><p>{odd}</p><nav>{SENTENCES[1]}</nav></body>")
    assert page.text == whole_page(f"<body><h1>Lid</h1><p>{SENTENCES[0]}</p><nav>{SENTENCES[1]}</nav></body>").text

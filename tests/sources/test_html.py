from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from markdown_it import MarkdownIt

from autokb.core.errors import UnreadableFileError
from autokb.core.marks import AREAS, MarkKind
from autokb.sources import html
from autokb.sources import html as module
from autokb.sources.html import html_page, html_to_markdown, kept_by_trafilatura
from autokb.sources.page import ConvertedFile

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


STRUCTURE = """<!DOCTYPE html><html><head><title>Sound | Lumo</title><script>track()</script>
<link rel="canonical" href="https://lumo.example/help/sound"></head><body>
<div class="cookie-banner"><p>We use cookies.</p><button>Accept</button></div>
<nav><ul><li><a href="/">Home</a></li><li><a href="/shop">Shop</a></li></ul></nav>
<div class="breadcrumbs"><a href="/">Home</a> &gt; <a href="/help">Help</a></div>
<h1>No sound</h1><p>Click <button>Save</button> and
wait.</p>
<ol><li>One</li><p>stray remark</p><li>Two <img src="x.png" alt="Gear"><ol><li>deep</li></ol></li></ol>
<p>Wait.</p><ol start="3"><li>Three</li></ol>
<section id="share-your-screen"><h2>Share your screen</h2><p>Text that must stay.</p></section>
<aside class="note"><p>A note.</p></aside><aside><p>Other articles</p></aside>
<table><tr><th>Light</th><th>Meaning</th></tr><tr><td>red</td><td>a|b</td></tr></table>
<table><tr><td><img src="n.png"></td><td><h3>In a layout table</h3><p>kept</p></td></tr></table>
<pre><code>line 1
   line 2</code></pre><p>&lt;script&gt;alert(1)&lt;/script&gt; <a href="javascript:x()">no link</a></p>
<div class="feedback">Was this of use?</div><footer><p>Imprint</p></footer></body></html>"""


@pytest.fixture(scope="module")
def page() -> ConvertedFile:
    return html_page(PAGE)


def kinds(page: ConvertedFile, words: str) -> set[MarkKind]:
    """Return the kinds of marks over the middle of some words."""
    middle = page.text.index(words) + len(words) // 2
    return {mark.kind for mark in page.marks if mark.start <= middle < mark.end}


def test_everything_that_can_be_seen_is_there_and_structure_stays(page: ConvertedFile) -> None:
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
        ("Other pages", "aside"),
        ("Your question", "form"),
        ("Stay a while", "dialog"),
        ("Imprint of Lumo", "footer"),
    ],
)
def test_parts_of_the_page_are_marked(page: ConvertedFile, words: str, kind: MarkKind) -> None:
    assert kinds(page, words) == {kind}


def test_the_text_is_marked_as_kept_by_the_extractor_and_nothing_else_is(page: ConvertedFile) -> None:
    for words in (*SENTENCES, "Open **Settings**"):
        assert kinds(page, words) == {"kept_by_trafilatura"}, words
    assert not kinds(page, "A note of the text.") & {"nav", "aside", "hidden", "form", "dialog"}
    assert not kinds(page, "We use cookies.")


def test_marks_are_sorted_inside_the_text_and_those_of_one_kind_apart(page: ConvertedFile) -> None:
    assert list(page.marks) == sorted(page.marks, key=lambda m: (m.start, m.end, m.kind))
    for kind in {mark.kind for mark in page.marks}:
        spans = [(m.start, m.end) for m in page.marks if m.kind == kind]
        assert all(0 <= start < end <= len(page.text) for start, end in spans)
        assert all(one[1] <= other[0] for one, other in pairwise(spans))


@pytest.mark.parametrize("tag", ["form", "header", "nav", "footer", "aside", "section"])
def test_a_page_inside_one_part_is_read_and_not_taken_for_that_part(tag: str) -> None:
    found = html_page(f"<body><{tag}><h1>Title</h1><p>{SENTENCES[0]}</p></{tag}></body>")
    assert found.text == f"# Title\n\n{SENTENCES[0]}\n"
    assert {mark.kind for mark in found.marks} <= {"kept_by_trafilatura"}


def test_the_numbers_of_the_texts_leave_no_trace() -> None:
    found = html_page(
        "<p>1. no list</p><p># no heading</p><p>+</p><p>x <b>bold</b>, y\U00100001\U00101002.</p><ol><li>5</ol>"
    )
    assert found.text == "1\\. no list\n\n\\# no heading\n\n\\+\n\nx **bold**, y.\n\n1. 5\n"


def test_a_heading_that_was_never_closed_does_not_swallow_the_page() -> None:
    assert html_page(f"<h2>Title<div><p>{SENTENCES[0]}</p><p>{SENTENCES[1]}</p></div></h2>").text == (
        f"Title\n\n{SENTENCES[0]}\n\n{SENTENCES[1]}\n"
    )


@pytest.mark.parametrize("html", ["", "   ", "<script>x()</script>" * 100, "<html><head></head><body></body></html>"])
def test_a_page_without_text_is_empty(html: str) -> None:
    assert html_page(html) == ConvertedFile("")


def test_broken_html_and_plain_words_are_read() -> None:
    assert html_page("just words").text == "just words\n"
    assert "1" in html_page("<p>a<b>b<i>c</p></b><ul><li>x<li>y<table><td>1").text


def test_a_page_nested_too_deeply_is_refused() -> None:
    with pytest.raises(UnreadableFileError, match="nests more than 500"):
        html_page("<p>before</p>" + "<table><tr><td>" * 100_000 + "inside")


def test_a_page_that_is_too_long_is_refused_before_it_is_parsed() -> None:
    with pytest.raises(UnreadableFileError, match="10,000,000 can be read at most"):
        html_page("<p>word</p>" * 1_000_000)


def test_a_long_page_is_not_given_to_the_extractor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_EXTRACTED", len(PAGE) - 1)
    assert {mark.kind for mark in html_page(PAGE).marks} == set(AREAS)


def test_code_keeps_its_white_space_and_text_around_it_does_not() -> None:
    found = html_page(
        "<p>one\n  <code>a  <b>b  c</b>  d</code>  two</p><pre>x\n  <code>y  z</code>\n</pre><p>a\n<b>b</b>\nc</p>"
    )
    assert found.text == "one `a  b  c  d` two\n\n```\nx\n  y  z\n```\n\na **b** c\n"


def test_a_text_far_into_a_line_begins_at_its_own_marks() -> None:
    line = f"<p>{SENTENCES[0]} <b>Bold</b> end <span hidden>gone</span>{SENTENCES[1]}</p>"
    found = html_page(f"<div>{line}<nav>{SENTENCES[2]}</nav></div>")
    hidden = next(mark for mark in found.marks if mark.kind == "hidden")
    assert found.text[hidden.start : hidden.end] == "gone"
    menu = next(mark for mark in found.marks if mark.kind == "nav")
    assert found.text[menu.start :].startswith("If nothing helps")


@pytest.mark.parametrize("odd", ["\x1b", "&#27;", "&#x2;", "&#xFFFF;", "&#x100000;&#x101fff;", "\U00100000\U00101fff"])
def test_a_character_that_no_text_may_hold_costs_itself_alone(odd: str) -> None:
    page = html_page(f"<body><h1>Lid</h1><p>{SENTENCES[0]}{odd}</p><p>{odd}</p><nav>{SENTENCES[1]}</nav></body>")
    assert page.text == html_page(f"<body><h1>Lid</h1><p>{SENTENCES[0]}</p><nav>{SENTENCES[1]}</nav></body>").text


def test_structure_is_mended_on_the_way_to_markdown() -> None:
    page = html_page(STRUCTURE)
    assert (page.title, page.url) == ("No sound", "https://lumo.example/help/sound")
    assert "track()" not in page.text
    for words in (
        "# No sound\n\nClick Save and wait.\n\n",
        "## Share your screen\n\nText that must stay.",
        "| Light | Meaning |",
        "| red | a\\|b |",
        "### In a layout table\n\nkept",
        "```\nline 1\n   line 2\n```",
        "no link",
    ):
        assert words in page.text, words


def test_ordered_lists_are_whole_for_a_markdown_reader() -> None:
    tokens = MarkdownIt().parse(html_page(STRUCTURE).text)
    starts = [t.attrs.get("start", 1) for t in tokens if t.type == "ordered_list_open" and t.level == 0]
    assert starts == [1, 3]


def test_nothing_executes() -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).render(html_page(STRUCTURE).text)
    assert "<script" not in rendered and "javascript:" not in rendered
    assert "&lt;script&gt;" in rendered


def test_utf8_that_was_saved_twice_is_mended() -> None:
    assert html_to_markdown("<p>the deviceâ\x80\x99s Wi-FiÂ® and a café</p>").text == "the device’s Wi-Fi® and a café\n"


def test_a_piece_of_html_is_all_text_and_reads_as_the_same_page_would() -> None:
    assert html_to_markdown(STRUCTURE) == replace(html_page(STRUCTURE), marks=())
    assert html_to_markdown("   ") == ConvertedFile("")
    with pytest.raises(UnreadableFileError, match="nests more than 500"):
        html_to_markdown("<p>before</p>" + "<div>" * 5_000 + "inside")


def test_where_the_precise_mode_finds_next_to_nothing_the_default_one_votes(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = {True: {0}, False: {0, 1, 2}}
    monkeypatch.setattr(html, "_kept", lambda _root, *, precise: kept[precise])
    assert kept_by_trafilatura(None, [10, 100, 100]) == {0, 1, 2}
    assert kept_by_trafilatura(None, [100, 100, 100]) == {0}
    assert kept_by_trafilatura(None, [10, 5, 100]) == {0, 1, 2}
    assert kept_by_trafilatura(None, [10, 4, 5]) == {0}

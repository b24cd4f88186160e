from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

from autokb.core.errors import UnreadableFileError
from autokb.sources.html import html_to_markdown

PAGE = """<!DOCTYPE html><html><head><title>Sound | Lumo</title><script>track()</script>
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


def test_furniture_goes_and_structure_stays() -> None:
    page = html_to_markdown(PAGE)
    assert (page.title, page.url) == ("No sound", "https://lumo.example/help/sound")
    for gone in ("cookies", "Home", "Shop", "Help", "track", "Imprint", "Was this", "Other articles", "Accept"):
        assert gone not in page.text, gone
    for kept in (
        "# No sound\n\nClick Save and wait.\n\n",
        "Text that must stay.",
        "A note.",
        "| Light | Meaning |",
        "| red | a\\|b |",
        "### In a layout table\n\nkept",
        "```\nline 1\n   line 2\n```",
        "no link",
    ):
        assert kept in page.text, kept


@pytest.mark.parametrize(
    ("part", "kept"),
    [
        ("<header><h1>No sound</h1><p>For all models</p></header>", "# No sound\n\nFor all models"),
        ("<header role='banner'><h2>Pair again</h2></header>", "## Pair again"),
        ("<form action='/'><ol><li>Hold the button</li></ol></form>", "1. Hold the button"),
        ("<form action='/'><h3>Reset</h3><p>Hold both buttons.</p></form>", "### Reset\n\nHold both buttons."),
        ("<aside class='note' role='navigation'><p>A note</p></aside>", ""),
    ],
)
def test_what_is_no_furniture_is_not_lost_on_the_way_to_markdown(part: str, kept: str) -> None:
    text = "Long text of the page. " * 20
    page = html_to_markdown(f"<body><div><p>{text}</p>{part}<p>{text}</p></div></body>")
    assert page.text == "\n\n".join(words for words in (text.strip(), kept, text.strip()) if words) + "\n"


@pytest.mark.parametrize("tag", ["nav", "header", "form", "aside", "footer"])
def test_a_part_that_holds_nearly_all_of_a_page_is_its_text(tag: str) -> None:
    page = html_to_markdown(f"<body><{tag} class='sidebar'><p>{'Hold the button. ' * 20}</p></{tag}><p>End</p></body>")
    assert page.text == "Hold the button. " * 19 + "Hold the button.\n\nEnd\n"


def test_ordered_lists_are_whole_for_a_markdown_reader() -> None:
    tokens = MarkdownIt().parse(html_to_markdown(PAGE).text)
    starts = [t.attrs.get("start", 1) for t in tokens if t.type == "ordered_list_open" and t.level == 0]
    items = [t for t in tokens if t.type == "list_item_open" and t.level == 1]
    assert starts == [1, 3] and len(items) == 3


def test_nothing_executes() -> None:
    rendered = MarkdownIt("commonmark", {"html": True}).render(html_to_markdown(PAGE).text)
    assert "<script" not in rendered and "javascript:" not in rendered
    assert "&lt;script&gt;" in rendered


def test_only_the_main_part_is_taken_where_most_of_the_text_is_in_it() -> None:
    page = html_to_markdown("<div>Buy now, today only</div><main><h1>A</h1><p>" + "Long text. " * 20 + "</p></main>")
    assert page.text.startswith("# A\n") and "Buy now" not in page.text


def test_utf8_that_was_saved_twice_is_mended() -> None:
    assert html_to_markdown("<p>the deviceâ\x80\x99s Wi-FiÂ® and a café</p>").text == "the device’s Wi-Fi® and a café\n"


def test_a_page_nested_too_deeply_is_refused_not_half_read() -> None:
    with pytest.raises(UnreadableFileError, match="nests more than 500"):
        html_to_markdown("<p>before</p>" + "<div>" * 5_000 + "inside")


def test_a_page_without_text_gives_none_and_one_with_a_menu_only_the_menu() -> None:
    assert html_to_markdown("<html><body><nav><a href='/'>Home</a></nav></body></html>").text == "[Home](/)\n"
    assert html_to_markdown("<html><body><nav></nav><script>go()</script></body></html>").text == ""
    assert html_to_markdown("   ").text == ""

"""Nothing that a stranger wrote is active in a renderer, readers see the same words, and every text is given back."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from autokb.text.inert_markdown import escape_tags, masked, unmasked

# What a renderer may write for Markdown without HTML in it.
TAGS = frozenset(
    "h1 h2 h3 h4 h5 h6 p em strong code pre a img ul ol li blockquote br hr table thead tbody tr th td s".split()
)
ATTRIBUTES = frozenset({"href", "src", "alt", "title", "class", "start", "style"})  # style: of a cell, by its column


def renderers() -> list[MarkdownIt]:
    """Return renderers that let HTML and every link through."""
    found = [MarkdownIt("commonmark", {"html": True}), MarkdownIt("commonmark", {"html": True}).enable("table")]
    found.append(MarkdownIt("js-default", {"html": True}))
    for renderer in found:
        renderer.validateLink = lambda _url: True  # type: ignore[method-assign]
    return found


RENDERERS = renderers()


class Active(HTMLParser):
    """Collects what a browser would act on."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in TAGS:
            self.found.append(f"<{tag}>")
        for name, value in attrs:
            if name not in ATTRIBUTES or (name == "style" and not (value or "").startswith("text-align:")):
                self.found.append(f"{name}={value}")
            if name in ("href", "src"):
                # A browser leaves tabs and line ends out of an address, and what is around it.
                address = re.sub(r"[\t\n\r]", "", value or "").strip("".join(map(chr, range(33))))
                scheme = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", address)
                if scheme and scheme[1].lower() not in ("http", "https", "mailto"):
                    self.found.append(f"{name}={value}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")

    def handle_decl(self, decl: str) -> None:
        self.found.append(f"<!{decl}>")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}>")

    def unknown_decl(self, data: str) -> None:
        self.found.append(f"<![{data}]>")


def active(markdown: str) -> list[str]:
    """Return what is active in a text, and in a file where others stand before and after it."""
    found = []
    for renderer in RENDERERS:
        for token in renderer.parse(markdown):
            found += [t.content for t in (token, *(token.children or ())) if t.type in ("html_block", "html_inline")]
        parser = Active()
        parser.feed(renderer.render(markdown))
        parser.close()
        found += parser.found
    return found


def shown(markdown: str) -> str:
    parser = Active()
    parser.feed(RENDERERS[0].render(markdown))
    parser.close()
    return parser.text


HTML = [
    "<script>alert(1)</script>",
    "Text <img src=x onerror=alert(1)> text",
    "<a href='javascript:alert(1)'>x</a>",
    "<!-- comment --> and <!DOCTYPE html> <?php x ?> <![CDATA[x]]>",
    "<!-- end -->",
    "> <div onclick=x>\n> in a quote\n",
    "- <details open ontoggle=alert(1)>\n  in a list\n",
    "| <b> | `<i>` |\n| --- | --- |\n| `a | <script>x` | c |\n",
    "\\\\<script>alert(1)</script>",
    "\\<b> but \\\\\\<i> and \\\\\\\\<u>",
    "<https://x/onmouseover=alert(1) onclick=x>",
    "<https://a`b> `<script>`",
    "<SVG/ONLOAD=alert(1)>",
    "<x-y\nonclick=1>",
    "``` <script>\n",
    "```\n<script>\n",
    "```\n<b>\n```\n\n~~~\n<script>",
    "- a\n  ```\n<script>\n  ```\n",
    "`a\n`<script>`",
    "`a\n<script>\n`",
    "`a\n <script>alert(1)</script>\n`",
    "[a](`) <script>`",
    "[a][`] <script>`\n\n[`]: http://x",
    "`\\`<script>`",
    "`;```x```y```<script>\n```",
    "# \n\t<script>",
    "https://a\\<script>",
    "WWW.a`<script>`",
    "https://a<b>\\<script>",
    "\\`<script>`",
    "``<script>`",
    "    <script>\ntext\n    <script>",
    "text\n    <script>",
    "- a\n\n      <b>\n  <script>\n",
    "&lt;script> &amp;lt;script> &lt;!-- end -->",
    "\ufdd00\ufdd1 `\ufdd020\ufdd1` <script>",
    "# <h1> `<h2>`",
    "===\n<b>\n===",
    "[<b>]: http://x <b>",
    "![<b>](x '<b>')",
]
LINKS = [
    "[x](javascript:alert(1))",
    "![x](data:text/html;base64,eA==)",
    "[x](JaVaScRiPt:alert(1))",
    "[x](vbscript:x)",
    "[x](file:///etc/passwd)",
    "[x](javascript&colon;alert(1))",
    "[x](&#106;avascript:alert(1))",
    "[x](&#x6A;&#x61;vascript&#58;alert(1))",
    "[x](< javascript:alert(1)>)",
    "[x](javascript\\:alert(1))",
    "[x](\njavascript:alert(1))",
    "> [x](\n> javascript:alert(1))",
    "> [x]:\n> javascript:alert(1)\n\n[x]",
    "[x]: javascript:alert(1)\n\n[x]",
    "[x]:\n  <javascript:alert(1)> 'title'\n\n[x][x] ![x]",
    "- [x]: data:x\n\n[x]",
    "<javascript:alert(1)>",
    "<data:text/html,x>",
    "<x+y:z>",
    "[![a](javascript:x)](javascript:y)",
    "[a] (b) [x](javascript:z 'title')",
    "[x](about:config) [x](C:\\\\x) [x](tel:123)",
]
# Links to the same places for a renderer or browser that decodes more, or keeps less, than this one.
DISGUISED = [
    "[x](java&Tab;script:alert(1))",
    "[x](java&NewLine;script:alert(1))",
    "[x](<java\tscript:alert(1)>)",
    "[x](<\x01javascript:alert(1)>)",
    "[x](\\javascript:alert(1))",
    "[x](javascript%3Aalert(1))",
    "[x](%6aavascript:alert(1))",
    f"[x]({'&Tab;' * 900}javascript:alert(1))",
]
READABLE = [
    "a < b and b <3 or x<=y, 1<2",
    "Press \\<Ctrl> there",
    "Type `cat <file>` and `<Enter>`.",
    "```\n#include <stdio.h>\n```\n\nDone.",
    "1. Run\n\n   ```sh\n   git clone <url>\n   ```\n\n2. Done",
    "See <https://example.org/a?b=c&d> or <mailto:a@b.c> or <help@example.org>.",
    "[a](https://x) [b](http://y 'z') [c](mailto:a@b) [d](page.md) [e](/kb/a:b) [f](#top) [g](?q=a:b) ![h](img/a.png)",
    "[d]: https://example.org 'Title'\n\n[d] and [e]: text",
    "[Note]: see below",
    "AT&amp;T &copy; &nbsp; &#40;x&#41; &#96;y&#96;",
    "Menu > File > {for win}x{/for} ``` not a fence",
]


@pytest.mark.parametrize("text", [*HTML, *LINKS, *DISGUISED])
def test_nothing_is_active(text: str) -> None:
    assert active(masked(text)) == []


@pytest.mark.parametrize("text", LINKS)
def test_the_links_would_be_active(text: str) -> None:
    assert active(text)


@pytest.mark.parametrize("text", [*LINKS, *DISGUISED])
def test_no_link_is_left(text: str) -> None:
    assert "<a " not in RENDERERS[0].render(masked(text)) and "<img" not in RENDERERS[0].render(masked(text))


@pytest.mark.parametrize("text", [*HTML, *LINKS, *DISGUISED, *READABLE])
def test_a_text_is_given_back(text: str) -> None:
    assert unmasked(masked(text)) == text
    assert masked(unmasked(masked(text))) == masked(text)


def test_no_padding_hides_a_scheme() -> None:
    for padding in range(150, 260):
        for scheme in ("&#106;avascript:x", "&#x0006A;avascript:x", "javascript&colon;x", "%6aavascript:x"):
            tabs = "&Tab;" * (padding // 5) + "\\" * (padding % 5)
            assert masked(f"[x]({tabs}{scheme})").startswith("[x]&#40;"), (padding, scheme)
    path = "a" * 150
    for target in (f"{path}/{path}.md", f"{path}.html?{path}", f"https://{path}{path}", f"{path}#{path}"):
        assert masked(f"[x]({target})") == f"[x]({target})"


@pytest.mark.parametrize("text", READABLE)
def test_what_is_inert_is_not_touched(text: str) -> None:
    assert masked(text) == text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Choose <Save as> in the menu.", "Choose <Save as> in the menu."),
        ("Run `x <y>` or <z>.", "Run x <y> or <z>."),
        ("[Open](app:settings) it", "[Open](app:settings) it"),
        ("<!-- note -->", "<!-- note -->"),
        ("a\x1b[2J\u202eb", "a\\u{1b}[2J\\u{202e}b"),
    ],
)
def test_a_reader_sees_what_was_written(text: str, words: str) -> None:
    assert shown(masked(text)).strip() == words


@pytest.mark.parametrize("mark", [f"{text}\n" for text in HTML])
def test_no_text_makes_another_active(mark: str) -> None:
    between = "\n<!-- end -->\n\n## `a` title\n\n<!-- solution x (displayed) -->\n\n"
    for code in ("```\n<script>\n```", "`<script>`", "    <script>", "~~~~\n<b onclick=x>\n~~~~\n`<i>`"):
        file = masked(mark) + between + masked(code)
        ours = ["<!-- end -->", "<!-- solution x (displayed) -->"]
        assert [part for part in active(file) if part.strip() not in ours] == []


def test_a_block_of_code_that_is_never_closed_begins_none() -> None:
    text = "Before\n~~~\n<b>\n~~~\n\n```\ncode"
    assert shown(masked(text)).split() == ["Before", "~~~", "<b>", "~~~", "```", "code"]
    assert "&#96;``\ncode" in masked(text)


def test_the_inside_of_a_comment_has_no_way_out() -> None:
    for text in ("x--> <script>", "x--!><https://a/onclick=x>", "`<b>`", "\\<i onclick=x>"):
        line = f"<!-- solution {escape_tags(text)} (displayed) -->"
        assert "<" not in line[1:]
        assert unmasked(escape_tags(text)) == text


PIECES = [
    *("<", ">", "<b>", "<script>", "</b>", "<!--", "-->", "<https://a>", "&lt;", "&amp;", "&#40;", "&#58;", "&#96;"),
    *("[", "]", "(", ")", "](", "]:", "javascript:", "x", " ", "    ", "\n", "\n\n", "\r\n", "\r", "\t", "\\", "`"),
    *("```", "~~~", "- ", "> ", "1. ", "# ", "|", "| --- |", "*", "\x1b", "\u202e", "\ufdd0", "\ufdd1", "1", "\\u{1b}"),
    *("lt;", "amp;", "#58;", "#96;", "onclick=x", '"', "'", "=", "&Tab;", "data:", "\x0b", "\u2028", "{", "}"),
]
texts = st.lists(st.sampled_from(PIECES), max_size=40).map("".join) | st.text()


@settings(max_examples=1_500, deadline=None)
@given(texts)
@example("&lt;<b &amp;lt;<!-- ]&#40;]( \n&#96;`` \n   &#126;~~ ]&amp;#58;")
def test_every_text_is_given_back(text: str) -> None:
    assert unmasked(masked(text)) == text
    assert unmasked(escape_tags(text)) == text


@pytest.mark.slow
@settings(max_examples=1_500, deadline=None)
@given(texts)
def test_no_text_is_active(text: str) -> None:
    assert active(masked(text)) == []
    assert not re.search(r"^\s*<!--", masked(text), re.MULTILINE)

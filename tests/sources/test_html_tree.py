from __future__ import annotations

import pytest

from autokb.core.errors import UnreadableFileError
from autokb.sources.html_tree import html_bytes, nodes_of, parsed_html


def words(html: str) -> str:
    root = parsed_html(html_bytes(html))
    return " ".join(root.text_content().split())


def test_bytes_have_one_line_end_and_nothing_that_is_no_text() -> None:
    assert html_bytes("\ufeffa\r\nb\rc\x0cd\x0be\0f\ud800g") == "a\nb\nc\nd\nef\ufffdg".encode()


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ('<?xml version="1.0" encoding="utf-16"?><p>plain</p>', "plain"),
        ('\ufeff\n<?xml version="1.0"?><p>plain</p>', "plain"),
        ("<p>a<?xml b?>c</p>", "ac"),
        ("<p>a\ue100b\ue101c</p>", "abc"),
        ("<p>\ue102</p>", "\ue102"),
        ("<p>caf\u00c3\u00a9 and caf\u00e9</p>", "caf\u00c3\u00a9 and caf\u00e9"),
        ("<p>it\u00e2\u0080\u0099s</p>", "it’s"),
        ("<p>20\u00c2\u00b0</p>", "20°"),
        ("<p>\u00e9\u00bb\u00e9</p>", "\u00e9\u00bb\u00e9"),
        ("<p>a<!-- b -->c</p>", "ac"),
        ("<p>a\x1b[31mb\uffff</p>", "a[31mb"),
        ("<p>a&#27;b&#x1B;c&#0000000000002;d&#xFFFE;e&#27f</p>", "abcdef"),
        ("<p>a&#xE100;b&#1048576;&#x101000;c&#xd800;d&#x110000;e</p>", "abcde"),
        ("<p>a&#11;b&#x0C;c &#233;&#x2019;&amp;#27;</p>", "a b c é’&#27;"),
    ],
)
def test_what_no_page_means_is_taken_out(html: str, text: str) -> None:
    assert words(html) == text


@pytest.mark.parametrize("html", ["", " \r\n\0", '<?xml version="1.0"?>', "\ue100"])
def test_nothing_has_no_tree(html: str) -> None:
    assert parsed_html(html_bytes(html)) is None


def test_nesting_is_bounded_and_width_is_not() -> None:
    # html and body stand above the parts: 498 of them reach the 500 that are read.
    assert words("<div>" * 498 + "deep") == "deep"
    with pytest.raises(UnreadableFileError, match="500"):
        parsed_html(html_bytes("<div>" * 499 + "deep"))
    assert words("<p>a</p>" * 3_000) == "a" * 3_000


def test_nodes_are_all_elements_in_order_with_what_surrounds_them() -> None:
    root = parsed_html(html_bytes("<p>one<b>two</b>three</p>"))
    found = [(e.tag, None if above is None else above.tag, text, tail) for e, above, text, tail in nodes_of(root)]
    assert found == [
        ("html", None, None, None),
        ("body", "html", None, None),
        ("p", "body", "one", None),
        ("b", "p", "two", "three"),
    ]

from __future__ import annotations

import pytest

from autokb.sources.jira_document import document_to_markdown
from autokb.sources.jira_markup import jira_to_markdown


@pytest.mark.parametrize(
    ("written", "markdown"),
    [
        ("h4. Steps\n# Open\n# Close", "#### Steps\n\n1. Open\n1. Close"),
        ("Do this:\n* one\n** two", "Do this:\n\n- one\n   - two"),
        ("{code:java}\nint *a* = 1;\n{code}", "```java\nint *a* = 1;\n```"),
        ("{noformat}\n h1. no heading\n{noformat}", "```\n h1. no heading\n```"),
        ("say {code}x = 1{code} here", "say `x = 1` here"),
        ("*bold* and 2*3*4", "**bold** and 2*3*4"),
        (
            "see [the page|https://a.example/b] or [https://c.example]",
            "see [the page](https://a.example/b) or <https://c.example>",
        ),
        ("@[~ann] sent [^log.txt] and !shot.png|thumbnail!", "@ann sent log.txt and ![shot.png](shot.png)"),
        ("bq. he said\n{quote}\ntwo\nlines\n{quote}", "> he said\n\n> two\n> lines"),
        ("||a||b||\n|1|2|", "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("{color:red}hot{color} {{mono}} {panel:title=Note}x{panel}", "hot `mono` \n\n**Note**\n\nx"),
        ("an open {code} goes", "an open  goes"),
        ("see {html}<p>open <i>x</i></p>", "see \n\nopen *x*"),
        ("only a word: {html}", "only a word:"),
        ("{CODE:Java}\nint a;\n{Code} and {HTML}<b>b</b>{html}", "```java\nint a;\n```\n\n and \n\n**b**"),
        ("{quote}he said {code}x = 1{code}\n{quote}so", "> he said `x = 1`\n\nso"),
        ("{noformat}a{quote}b{noformat}", "`a{quote}b`"),
        ("the mark {{code}} or \\{code\\}", "the mark `code` or {code}"),
        ("{html}<p>a</p>{code}b{html}", "a\n\nb"),
        ("h2.\nnothing", "nothing"),
        ("+*Steps*+ and +not+, 1+1+1, C++ + C+ and +=+", "**Steps** and not, 1+1+1, C++ + C+ and +=+"),
        (
            "see:\n{html}<div><p>We <b>turn</b>\nit off.</p><pre><code>a &lt; b *c*</code></pre></div>{html}\n*end*",
            "see:\n\nWe **turn** it off.\n\n```\na < b *c*\n```\n\n**end**",
        ),
        ("{html}<script>x()</script>{html}after", "after"),
    ],
)
def test_jira_markup_is_markdown(written: str, markdown: str) -> None:
    assert jira_to_markdown(written) == markdown


def test_many_open_marks_take_no_time() -> None:
    assert jira_to_markdown("{quote}" * 20_001 + "[a|" * 20_000).startswith(">")
    for marks in ("{code:1}{html:2}{noformat:3}{quote:4}" * 10_000, "{html}" + "{code:1}" * 20_000 + "{html}"):
        assert jira_to_markdown(marks) == ""


def test_a_document_of_jira_cloud_is_markdown() -> None:
    def text(words: str, *marks: dict[str, object]) -> dict[str, object]:
        return {"type": "text", "text": words, "marks": list(marks)}

    def block(kind: str, *content: object, **attributes: object) -> dict[str, object]:
        return {"type": kind, "content": list(content), "attrs": attributes}

    link = {"type": "link", "attrs": {"href": "https://a.example"}}
    document = block(
        "doc",
        block("heading", text("Steps"), level=3),
        block("orderedList", *(block("listItem", block("paragraph", text(step))) for step in ("Open", "Close"))),
        block("paragraph", text("see "), text("here", link), {"type": "hardBreak"}, text("now", {"type": "strong"})),
        block("codeBlock", text("x = 1"), language="python"),
        block("table", block("tableRow", block("tableHeader", block("paragraph", text("a"))))),
    )
    assert document_to_markdown(document) == (
        "### Steps\n\n1. Open\n2. Close\n\n"
        "see [here](https://a.example)\n**now**\n\n```python\nx = 1\n```\n\n| a |\n| --- |"
    )


def test_a_document_that_is_nested_without_end_ends() -> None:
    deep: dict[str, object] = {"type": "paragraph", "content": [{"type": "text", "text": "x"}]}
    for _ in range(900):
        deep = {"type": "blockquote", "content": [deep]}
    assert isinstance(document_to_markdown(deep), str)


def test_a_heading_of_a_level_that_markdown_does_not_know_is_one_of_level_two() -> None:
    for level in ("²", "9" * 5000, 7, -1, None, [1]):
        heading = {"type": "heading", "attrs": {"level": level}, "content": [{"type": "text", "text": "Steps"}]}
        assert document_to_markdown({"type": "doc", "content": [heading]}) == "## Steps"

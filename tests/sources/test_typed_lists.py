"""Steps and points that somebody typed: each is numbered once."""

from __future__ import annotations

from functools import partial

import pytest

from autokb.sources.html import html_page, html_to_markdown
from autokb.sources.typed_lists import mark_typed_lists
from work_count import python_lines

WORD = (
    "<p class=MsoListParagraph><![if !supportLists]><span style='mso-list:Ignore'>{}<span>&nbsp;&nbsp; </span></span>{}"
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>1. Press.<br>2. Hold.<br>3. Wait.</p>", "1. Press.\n2. Hold.\n3. Wait.\n"),
        ("<p>1) Press.</p><p>2) Hold.</p>", "1. Press.\n\n2. Hold.\n"),
        ("<p>(1) Press.</p><pre>1. no</pre><p>(2) Hold.</p>", "1. Press.\n\n```\n1. no\n```\n\n2. Hold.\n"),
        ("<p><b>1.</b> Press.</p><p>Twice.</p><p><b>2.</b> Hold.</p>", "1. Press.\n\nTwice.\n\n2. Hold.\n"),
        ("<ol><li>1. Press.<li>2. Hold.</ol>", "1. Press.\n2. Hold.\n"),
        ("<div><i>1</i></div><div>Press.</div><div><i>2</i></div><div>Hold.</div>", "*1*\n\nPress.\n\n*2*\n\nHold.\n"),
        ("<div><span>1</span><div>Press.</div></div><div><b>2</b><div>Hold.</div></div>", "1. Press.\n\n2. Hold.\n"),
        (
            "<table><tr><td>1</td><td>Press.</td></tr><tr><td>2.</td><td>Hold.</td></tr></table>",
            "1. Press.\n\n2. Hold.\n",
        ),
        ("<p>• Press.</p><p>• Hold.</p>", "- Press.\n\n- Hold.\n"),
        ("<div>- Press.<br>- Hold.</div>", "- Press.\n- Hold.\n"),
        ("<ul><li>· Press.<li>· Hold.</ul>", "- Press.\n- Hold.\n"),
        ("<blockquote>1. Press.<br>2. Hold.</blockquote>", "> 1. Press.\n> 2. Hold.\n"),
        (WORD.format("1.", "Press.") + WORD.format("2.", "Hold."), "1. Press.\n\n2. Hold.\n"),
        (WORD.format("·", "Press.") + WORD.format("·", "Hold."), "- Press.\n\n- Hold.\n"),
        (
            "<h2>K4</h2><div><b>Reset</b><br><br>1) Press.<br>2) Hold.<br>"
            "<b>If it stays red</b><br>- Wait.<br>- Ask.</div>",
            "## K4\n\n### Reset\n\n1. Press.\n2. Hold.\n\n### If it stays red\n\n- Wait.\n- Ask.\n",
        ),
    ],
)
def test_typed_marks_become_marks_of_a_list(html: str, expected: str) -> None:
    assert html_to_markdown(html).text == expected
    assert html_page(html).text == expected


@pytest.mark.parametrize(
    "text",
    [
        "1\\. alone\n\ntext\n",
        "1\\. one\n\n## Heading\n\n2\\. two\n",
        "10\\. ten\n\n11\\. eleven\n",
        "1.5 V\n\n2.5 V\n",
        "\\- far\n\ntext\n\n\\- apart\n",
        "**1. Bold**\n\ntext\n\n**2. Bold**\n\ntext\n",
        "1. a\n2. b\n\n1) c\n2) d\n",
        "```\n1\\. a\n2\\. b\n```\n",
        "12\n\nText\n",
        "| 1 | a |\n| --- | --- |\n| 2 | b |\n",
    ],
)
def test_other_numbers_and_signs_stay(text: str) -> None:
    assert mark_typed_lists(text) == text


@pytest.mark.parametrize(
    "part", ["1\n\n", "1\\. a\n2\\. b\n", "\\- a\n", "```\n", "**a**\n\n", "**a**  \n1\\. b\n", "> ", "**"]
)
def test_many_marks_take_linear_time(part: str) -> None:
    few, many = (python_lines(partial(mark_typed_lists, part * count)) for count in (1_000, 4_000))
    assert many < 5 * max(few, 50)
